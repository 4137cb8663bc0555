"""`Robots`: n twins at one task, commanded through the safety gate, with what they observe."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baxterkit.collision.hand import has_fingers
from baxterkit.collision.world import World
from baxterkit.learn import actions
from baxterkit.learn.gate import BatchGate, Mask, Seen
from baxterkit.learn.objects import MovingObjects
from baxterkit.learn.settings import Settings
from baxterkit.learn.task import Episode, Task, View
from baxterkit.model.names import ARM_COLUMNS, SIDES
from baxterkit.ros.openings import Grippers
from baxterkit.ros.rules import MARGIN, Rules
from baxterkit.sim.batch import TwinBatch
from baxterkit.sim.limb import TwinLimb
from baxterkit.sim.nominal import nominal_effects
from baxterkit.sim.render import Camera
from baxterkit.sim.twin import Twin
from baxterkit.types import Array

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GRIP = 0.2
"""A gripper's action below minus this closes it, above this opens it; others change nothing."""
VIEW = {"look_at": (0.6, 0.0, 0.1), "distance": 1.7, "azimuth": 180.0, "elevation": -35.0}
"""Where the camera of the pictures stands: in front of the robot, looking down at the table."""


class Outcome(NamedTuple):
    """What a step of n robots led to.

    Attributes:
        observation: By name, each with n rows.
        reward: Shape (n,).
        success: Whether the goal is reached now, shape (n,).
        over: Whether the episode's time is up, shape (n,).
        refused: Why commands were refused, numbers of `gate.REASONS`, shape (n, arms); 0: sent.
    """

    observation: dict[str, Array]
    reward: Array
    success: Mask
    over: Mask
    refused: NDArray[np.int8]


class Robots:
    """n twins at one task.

    Args:
        task: The task.
        n: Number of robots.
        settings: Actions, rewards, observations.
    """

    def __init__(self, task: Task, n: int, settings: Settings) -> None:
        self.task, self.settings = task, settings
        self.robot, world = task.robot(), task.world()
        self.batch = TwinBatch(n, Twin(self.robot, world=world, start="neutral")).enable()
        self.arms = {"left": self.robot.left, "right": self.robot.right}
        self.grips = has_fingers(self.arms[task.sides[0]].model)
        self.width = len(task.sides) * (actions.width(settings.action) + self.grips)
        self.steps = settings.steps(task.seconds)
        fixed = World.of(one for one in world.state if not one.mass)
        self.scene = self.robot.scene(fixed, margin=MARGIN)
        mode = actions.MODES[settings.action]
        rules = Rules()
        self.gate = BatchGate(n, self.scene, mode, rules, ratio=1.0)
        for twin in self.batch:
            for limb in twin.limbs:
                limb.speed_ratio = 1.0
                limb.command_timeout = rules.torque_timeout if mode == "torque" else rules.timeout
        send: dict[str, Callable[..., None]] = {
            "position": self.batch.command_position,
            "velocity": self.batch.command_velocity,
            "torque": self.batch.command_torque,
        }
        self._send = send[mode]
        self._objects = MovingObjects(self.batch, task.objects)
        self._grippers = [Grippers() for _ in range(n)]
        self._told = np.ones((n, len(task.sides)))
        self._cameras: dict[tuple[int, tuple[int, int]], Camera] = {}
        self.episodes: list[Episode | None] = [None] * n
        self.goals = np.zeros((n, task.goal_size))
        self.done = np.zeros(n, dtype=np.int64)
        """Steps of the present episodes."""

    def reset(self, rows: Sequence[int], rngs: Sequence[np.random.Generator]) -> None:
        """Begins new episodes of some robots, each from its own random numbers."""
        for i, rng in zip(rows, rngs, strict=True):
            episode = self.task.sample(self.robot, rng)
            twin = self.batch[i]
            factors = self._redraw(i, rng)
            self.batch.reset(i, seed=int(rng.integers(2**31)))
            self._objects.place(i, episode.objects, factors)
            twin.place(episode.q[:7], episode.q[7:])
            self._grippers[i], self._told[i] = Grippers(), 1.0
            self.episodes[i], self.goals[i], self.done[i] = episode, episode.goal, 0
        self.gate.reset(np.asarray(rows, dtype=np.intp))

    def step(self, action: Array, fresh: dict[int, np.random.Generator] | None = None) -> Outcome:
        """Lets robots act for one period; those in `fresh` begin a new episode instead.

        Args:
            action: From -1 to 1, shape (n, k).
            fresh: Numbers of robots, and their random numbers.
        """
        n, sides, fresh = len(self.batch), self.task.sides, fresh or {}
        acting = np.array([i not in fresh for i in range(n)])
        action = np.clip(np.asarray(action, dtype=np.float64), -1.0, 1.0)
        parts = action.reshape(n, len(sides), -1)
        seen = self.seen()
        refused = np.zeros((n, len(sides)), dtype=np.int8)
        values, taken = np.zeros((n, 14)), np.zeros((n, 2), dtype=bool)
        own = actions.width(self.settings.action)
        if self.grips:
            self._move_grippers(parts[:, :, own], acting, seen)
        for k, side in enumerate(sides):
            arm = SIDES.index(side)
            columns = slice(7 * arm, 7 * arm + 7)
            q = seen.q[:, columns]
            row = actions.command(self.settings.action, self.arms[side], parts[:, k, :own], q)
            refused[:, k] = self.gate.judge(side, row, seen)
            allowed = acting & (refused[:, k] == 0)
            self.gate.note(side, row, allowed, seen.t)
            values[:, columns], taken[:, arm] = row, allowed
        if taken.any():
            self._send(values, arms=taken)
        self.batch.step(self.settings.period)
        self.done += acting
        self.reset(list(fresh), list(fresh.values()))
        refused[~acting] = 0
        return self._outcome(refused)

    def seen(self) -> Seen:
        """What the robots have just published."""
        q, qd, tau = self.batch.published
        borne = np.zeros_like(q)
        if self.gate.mode == "torque":
            springs = nominal_effects()
            for arm in (self.robot.left, self.robot.right):
                columns = ARM_COLUMNS[arm.side]
                here = q[:, columns]
                borne[:, columns] = arm.gravity(here) + springs.torque(here, np.zeros_like(here))
        return Seen(self.batch.t, q, qd, tau, borne)

    def view(self) -> View:
        """Where hands and objects are: hands by what was published, objects truly."""
        q = self.batch.published[0]
        tips = {side: self.arms[side].fk(q[:, ARM_COLUMNS[side]]) for side in self.task.sides}
        return View(tips, self._objects.poses())

    def observe(self, view: View | None = None) -> dict[str, Array]:
        """Observations by name, n rows each."""
        view = self.view() if view is None else view
        q, qd, _ = self.batch.published
        parts = []
        for side in self.task.sides:
            columns = ARM_COLUMNS[side]
            parts += [q[:, columns], qd[:, columns], *_pose(view.tips[side])]
        if self.grips:
            openings = [
                [twin.limb(side).opening for side in self.task.sides] for twin in self.batch
            ]
            parts.append(np.array(openings))
        for T in view.objects.values():
            parts += _pose(T)
            parts += [T[:, :3, 3] - tip[:, :3, 3] for tip in view.tips.values()]
        found = {
            "observation": np.concatenate(parts, axis=1),
            "achieved_goal": self.task.achieved(view).copy(),
            "desired_goal": self.goals.copy(),
        }
        if self.settings.picture is not None:
            size = self.settings.picture
            found["picture"] = np.stack([self.picture(i, size) for i in range(len(self.batch))])
        return found

    def reward(self, achieved: Array, goal: Array) -> Array:
        """Rewards of goals (..., k), shape (...)."""
        away = self.task.distance(achieved, goal)
        if self.settings.reward == "dense":
            return -away
        return np.where(away < self.task.tolerance, 0.0, -1.0)

    def picture(self, i: int, size: tuple[int, int]) -> NDArray[np.uint8]:
        """One robot from in front, shape (height, width, 3)."""
        if (i, size) not in self._cameras:
            self._cameras[i, size] = Camera(self.batch[i], *size, **VIEW)  # type: ignore[arg-type]
        return self._cameras[i, size].picture()

    def _outcome(self, refused: NDArray[np.int8]) -> Outcome:
        observation = self.observe()
        achieved = observation["achieved_goal"]
        success = self.task.distance(achieved, self.goals) < self.task.tolerance
        over = self.done >= self.steps
        return Outcome(observation, self.reward(achieved, self.goals), success, over, refused)

    def _redraw(self, i: int, rng: np.random.Generator) -> tuple[float, float]:
        """Draws a robot's parameters; returns multiples of its objects' mass and friction."""
        chosen = self.settings.randomise
        if chosen is None:
            return 1.0, 1.0
        self.batch.redraw(chosen.variation, [i], seed=int(rng.integers(2**31)))
        return float(rng.uniform(*chosen.mass)), float(rng.uniform(*chosen.sliding))

    def _move_grippers(self, wanted: Array, acting: Mask, seen: Seen) -> None:
        """Commands the grippers whose action asks for another opening than they go to."""
        for i, twin in enumerate(self.batch):
            now, known = float(seen.t[i]), self._grippers[i]
            for side in SIDES:
                known.heard(side, now)
            for k, side in enumerate(self.task.sides):
                value, limb = float(wanted[i, k]), twin.limb(side)
                goal = 1.0 if value > 0.0 else 0.0
                if not acting[i] or abs(value) < GRIP or goal == self._told[i, k]:
                    continue
                if self.gate.fingers(side, i, limb.opening or 0.0, goal, seen):
                    limb.move_gripper(goal, timeout=0.0)
                    known.tell(side, now, goal)
                    self._told[i, k] = goal
        spans = []
        for known, twin, t in zip(self._grippers, self.batch, seen.t.tolist(), strict=True):
            states = {limb.side: _gripper_state(limb) for limb in twin.limbs}
            spans.append(known.spans(states, t))  # type: ignore[arg-type]
        self.gate.set_openings(spans)


def _gripper_state(limb: TwinLimb) -> SimpleNamespace:
    """A gripper's state as the robot publishes it."""
    opening = limb.opening or 0.0
    return SimpleNamespace(position=100.0 * opening, calibrated=1, moving=int(limb.fingers_move))


def _pose(T: Array) -> list[Array]:
    """Position and two axes of poses (n, 4, 4), shapes (n, 3), (n, 6)."""
    return [T[:, :3, 3], T[:, :3, :2].reshape(-1, 6)]
