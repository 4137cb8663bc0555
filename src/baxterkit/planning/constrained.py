"""RRT-Connect on the configurations that respect constraints of the tips.

Steps are short: each is projected by exact inverse kinematics onto what the constraints allow, and
the edge to it is swept. Between two nodes the constraints hold within TOLERANCE.
"""

from __future__ import annotations

import itertools

import numpy as np

from baxterkit.clock import Deadline
from baxterkit.errors import InputError
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.planning.constraints import SameGrasp, error, projected
from baxterkit.planning.outcome import Search
from baxterkit.planning.request import Request
from baxterkit.planning.tree import Random, Tree, distance
from baxterkit.spatial.formulas import inverse, pose_error
from baxterkit.types import Array

STEP = 0.08
"""Length of a step before its projection [rad]."""
LONGEST = 2.0 * STEP
"""Longest step after it."""
TOLERANCE = 2e-3
"""Largest violation between two nodes [m, rad]."""
BETWEEN = np.array([[0.25], [0.5], [0.75]])
"""Where it is looked for, as parts of the edge."""
EXACT = 1e-6
"""Largest violation at nodes, start and goals among them [m, rad]."""
SOME_STEPS, MOST_STEPS = 10, 400
"""Steps towards a random configuration, and towards the other tree."""
ROUNDS = 20
"""Attempts at a shortcut."""


def connect_constrained(
    request: Request, start: Array, goals: Array, seconds: float
) -> tuple[Array | None, Search, str]:
    """A path that respects the constraints of the request, as in `planner.Method`."""
    search = _Search(request, start)
    worst = search.violation(start[None])
    if worst > EXACT:
        raise InputError(
            f"the start violates {search.violated(start[None])} by {worst:.3g} (m or rad), "
            f"{EXACT:g} is allowed; move there first"
        )
    kept = [goal for goal in goals if search.violation(goal[None]) <= EXACT]
    if not kept:
        best = min(goals, key=lambda goal: search.violation(goal[None]))[None]
        raise InputError(
            f"every goal violates the constraints, {search.violated(best)} by "
            f"{search.violation(best):.3g} (m or rad) at least; {EXACT:g} is allowed: give a pose "
            "that respects them"
        )
    return search.run(kept, seconds)


class _Search:
    def __init__(self, request: Request, start: Array) -> None:
        self.request, self.start = request, start
        self.grasp = [c for c in request.constraints if isinstance(c, SameGrasp)]
        self.tip = tuple(c for c in request.constraints if not isinstance(c, SameGrasp))
        if self.grasp and request.group != "both":
            raise InputError(f'SameGrasp is for group="both"; the group is {request.group!r}')
        self.T_left_right = inverse(self.left(start)) @ self.right(start)
        self.random = Random(request.search.seed)
        self.samples = self.verdicts = self.proofs = 0
        self.deadline = Deadline(np.inf)

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self.deadline.passed

    def left(self, q: Array) -> Array:
        return self.request.scene.robot.left.fk(q[..., :7])

    def right(self, q: Array) -> Array:
        return self.request.scene.robot.right.fk(q[..., 7:])

    def violation(self, q: Array) -> float:
        """Largest violation of the constraints by configurations (n, 14) [m, rad]."""
        worst = 0.0
        if self.tip:
            sides = ("left",) if self.grasp else self.request.sides
            for side in sides:
                worst = max(
                    worst, error(self.tip, self.left(q) if side == "left" else self.right(q))
                )
        if self.grasp:
            wanted = self.left(q) @ self.T_left_right
            worst = max(worst, *(float(x.max()) for x in pose_error(self.right(q), wanted)))
        return worst

    def violated(self, q: Array) -> str:
        """The constraint that configurations (n, 14) violate most, in words."""
        sides = ("left",) if self.grasp else self.request.sides
        found = [
            (error((one,), self.left(q) if side == "left" else self.right(q)), one, side)
            for one in self.tip
            for side in sides
        ]
        worst = max(found, key=lambda each: each[0], default=None)
        if worst is None or worst[0] < self.violation(q):
            return "SameGrasp"
        return f"{type(worst[1]).__name__} of the {worst[2]} hand"

    def project(self, q: Array, near: Array) -> Array | None:
        """The configuration that respects the constraints, from one that nearly does."""
        result = q.copy()
        sides = ("left",) if self.grasp else self.request.sides
        for side in sides if self.tip else ():
            own = ARM_COLUMNS[side]
            arm = self.request.arm(side)
            answer = arm.ik_track(projected(self.tip, arm.fk(q[own])), q[own], hold_elbow=True)
            if not answer.solved:
                return None
            result[own] = answer.q
        if self.grasp:
            wanted = self.left(result) @ self.T_left_right
            answer = self.request.scene.robot.right.ik_track(wanted, q[7:], hold_elbow=True)
            if not answer.solved:
                return None
            result[7:] = answer.q
        inside = (result >= self.request.lower).all() and (result <= self.request.upper).all()
        return result if inside and distance(result, near) <= LONGEST else None

    def step(self, q: Array, target: Array) -> Array | None:
        """One step towards a configuration that respects the constraints; None if it is blocked."""
        gap = distance(q, target)
        if gap <= STEP:
            end: Array | None = target
        else:
            end = self.project(q + STEP / gap * (target - q), q)
            if end is None or distance(end, target) >= gap - 1e-3 * STEP:
                return None
        assert end is not None
        return end if self.allowed(q, end) else None

    def allowed(self, a: Array, b: Array) -> bool:
        """Whether the edge is free and nearly respects the constraints."""
        request = self.request
        self.verdicts += 1
        if request.checks.in_collision(b[:7], b[7:]):
            return False
        if self.violation(b[None]) > EXACT or self.violation(a + BETWEEN * (b - a)) > TOLERANCE:
            return False
        self.proofs += 1
        return bool(request.checks.edge_free(a, b))

    def towards(self, tree: Tree, node: int, target: Array, most: int) -> tuple[int, bool]:
        """Steps towards a configuration: the last node, and whether it is there."""
        for _ in range(most):
            q = tree.q[node]
            if distance(q, target) == 0.0:
                return node, True
            if self.late:
                return node, False
            end = self.step(q, target)
            if end is None:
                return node, False
            node = tree.add(end, node)
        return node, distance(tree.q[node], target) == 0.0

    def run(self, goals: list[Array], seconds: float) -> tuple[Array | None, Search, str]:
        """Grows both trees until they meet."""
        self.deadline = Deadline(seconds)
        request = self.request
        own = request.columns
        trees = (Tree(), Tree())
        trees[0].add(self.start, -1)
        for goal in goals:
            trees[1].add(goal, -1)
        found = None
        node, there = self.towards(
            trees[0], 0, min(goals, key=lambda goal: distance(self.start, goal)), MOST_STEPS
        )
        if there:
            found = np.stack([trees[0].q[n] for n in reversed(trees[0].branch(node))])
        while found is None and self.samples < request.search.samples and not self.late:
            self.samples += 1
            a = 0 if len(trees[0].q) <= len(trees[1].q) else 1
            wanted = self.start.copy()
            for j in range(own.start, own.stop):
                width = request.upper[j] - request.lower[j]
                wanted[j] = request.lower[j] + self.random.uniform() * width
            near = trees[a].nearest(wanted, own.start, own.stop)
            node, _ = self.towards(trees[a], near, wanted, SOME_STEPS)
            if node == near:
                continue
            target = trees[a].q[node]
            other, there = self.towards(
                trees[1 - a], trees[1 - a].nearest(target, 0, 14), target, MOST_STEPS
            )
            if there:
                pair = (node, other) if a == 0 else (other, node)
                first = [trees[0].q[n] for n in reversed(trees[0].branch(pair[0]))]
                rest = [trees[1].q[n] for n in trees[1].branch(pair[1])]
                found = np.stack(first + rest[1:])
        nodes = (len(trees[0].q), len(trees[1].q))
        search = Search(self.samples, nodes, self.verdicts, self.proofs, len(goals))
        if found is None:
            why = f"no path that respects the constraints in {self.samples} samples"
            return None, search, why
        return self.shortened(found), search, ""

    def shortened(self, path: Array) -> Array:
        """The path with steps straight from one of its nodes to a later one, where they arrive."""
        points = list(path)
        for _ in range(ROUNDS):
            if len(points) < 4 or self.late:
                break
            i, k = sorted(int(self.random.uniform() * len(points)) for _ in range(2))
            if k - i < 3:
                continue
            tree = Tree()
            tree.add(points[i], -1)
            node, there = self.towards(tree, 0, points[k], 2 * (k - i))
            cut = [tree.q[n] for n in reversed(tree.branch(node))]
            if there and _length(cut) < 0.99 * _length(points[i : k + 1]):
                points = [*points[:i], *cut, *points[k + 1 :]]
        return np.stack(points)


def _length(points: list[Array]) -> float:
    return sum(distance(a, b) for a, b in itertools.pairwise(points))
