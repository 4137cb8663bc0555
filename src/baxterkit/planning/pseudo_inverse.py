"""RRT in joint space with the pseudo-inverse as extension step.

Kumar et al. name it as future work ("Joint Space RRT with Pseudo-Inverse"). One tree grows from the
start. Most steps go towards a random configuration; the others go from the node whose tips are
nearest to those of the goals, by joint velocities J⁺ V that lead the tips there (eq. 4), as long as
no obstacle is hit. A path is found where a step of the tree sees a goal.
"""

from __future__ import annotations

import numpy as np

from baxterkit.clock import Deadline
from baxterkit.kinematics import pseudoinverse
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.planning.outcome import Search
from baxterkit.planning.request import Request
from baxterkit.planning.tree import Random, Tree, distance
from baxterkit.spatial.formulas import pose_difference
from baxterkit.types import Array

RANGE = 0.5
"""Longest random step [rad]."""
TIP_SHARE = 0.3
"""Share of the steps that lead the tips towards a goal."""
TIP_STEP = 0.1
"""Of the tips along such a step [m, rad]; the joints may move by RANGE at most."""
DAMPING = 0.05
"""Of the pseudo-inverse: singular values below this count less."""
SEEN = 2.0
"""Distance from which a goal is looked for [rad]."""
ASK_EVERY = 16


def rrt_pseudo_inverse(
    request: Request, start: Array, goals: Array, seconds: float
) -> tuple[Array | None, Search, str]:
    """A path by the paper's RRT, as in `planner.Method`."""
    return _Search(request, start, goals).run(seconds)


class _Search:
    def __init__(self, request: Request, start: Array, goals: Array) -> None:
        self.request, self.goals = request, goals
        self.random = Random(request.search.seed)
        self.tree = Tree()
        self.tree.add(start, -1)
        self.columns = [ARM_COLUMNS[side] for side in request.sides]
        self.arms = [request.arm(side) for side in request.sides]
        self.aims = [
            arm.fk(goals[:, own]) for arm, own in zip(self.arms, self.columns, strict=True)
        ]
        self.tips = [self.away(start)]
        self.samples = self.verdicts = self.proofs = 0

    def run(self, seconds: float) -> tuple[Array | None, Search, str]:
        """Grows the tree until a goal is seen."""
        deadline = Deadline(seconds)
        found = self.see_goal(0)
        while found is None and self.samples < self.request.search.samples:
            if self.samples % ASK_EVERY == 0 and deadline.passed:
                break
            self.samples += 1
            for node in self.grow():
                found = self.see_goal(node)
                if found is not None:
                    break
        search = Search(
            self.samples, (len(self.tree.q), 0), self.verdicts, self.proofs, len(self.goals)
        )
        reached = len(self.tree.q) - 1
        why = f"no path in {self.samples} samples; the start led to {reached} configurations"
        return found, search, why

    def grow(self) -> list[int]:
        """Adds a node towards a random configuration, or several by which the tips near a goal."""
        if self.random.uniform() < TIP_SHARE:
            nodes = [int(np.argmin([length for length, _ in self.tips]))]
            while True:
                step = self.towards_goal(nodes[-1])
                if step is None:
                    # It is not asked again: from here the tips are blocked.
                    self.tips[nodes[-1]] = (np.inf, 0)
                    return nodes[1:]
                nodes.append(step)
        own = self.request.columns
        wanted = self.tree.q[0].copy()
        for j in range(own.start, own.stop):
            width = self.request.upper[j] - self.request.lower[j]
            wanted[j] = self.request.lower[j] + self.random.uniform() * width
        near = self.tree.nearest(wanted, own.start, own.stop)
        added = self.step(near, wanted - self.tree.q[near])
        return [] if added is None else [added]

    def towards_goal(self, node: int) -> int | None:
        """A step of the joints by J⁺ V from a node, V towards the goal nearest to its tips."""
        q, (length, goal) = self.tree.q[node], self.tips[node]
        if not 1e-6 < length < np.inf:
            return None
        change = np.zeros(14)
        for arm, own, aims in zip(self.arms, self.columns, self.aims, strict=True):
            twist = pose_difference(arm.fk(q[own]), aims[goal])
            size = float(np.linalg.norm(twist))
            twist *= min(1.0, TIP_STEP / size) if size > 0.0 else 0.0
            change[own] = pseudoinverse(arm.jacobian(q[own]), DAMPING) @ twist
        added = self.step(node, change)
        if added is not None and self.tips[added][0] >= length:
            return None  # kept as a node, but the tips come no nearer
        return added

    def step(self, node: int, change: Array) -> int | None:
        """A new node after this change of the joints, RANGE long at most; None if it is blocked."""
        length = float(np.linalg.norm(change))
        if length == 0.0:
            return None
        start = self.tree.q[node]
        end = start + min(1.0, RANGE / length) * change
        end = np.clip(end, self.request.lower, self.request.upper)
        if np.array_equal(start, end) or not self.free(start, end):
            return None
        self.tips.append(self.away(end))
        return self.tree.add(end, node)

    def see_goal(self, node: int) -> Array | None:
        """The path to a goal that is straight ahead of a node."""
        q = self.tree.q[node]
        near = np.linalg.norm(self.goals - q, axis=-1)
        for goal in np.argsort(near, kind="stable")[:4]:
            if near[goal] <= SEEN and self.free(q, self.goals[goal]):
                back = [self.tree.q[n] for n in reversed(self.tree.branch(node))]
                last = [] if distance(q, self.goals[goal]) == 0.0 else [self.goals[goal]]
                return np.stack(back + last)
        return None

    def free(self, a: Array, b: Array) -> bool:
        request = self.request
        self.verdicts += 1
        if request.checks.in_collision(b[:7], b[7:]):
            return False
        self.proofs += 1
        return bool(request.checks.edge_free(a, b))

    def away(self, q: Array) -> tuple[float, int]:
        """How far the tips are from those of the nearest goal [m, rad], and which goal it is."""
        total = np.zeros(len(self.goals))
        for arm, own, aims in zip(self.arms, self.columns, self.aims, strict=True):
            T = np.broadcast_to(arm.fk(q[own]), aims.shape)
            total += np.linalg.norm(pose_difference(T, aims), axis=-1)
        goal = int(np.argmin(total))
        return float(total[goal]), goal
