"""`pick_and_place`: an object of the world goes from where it stands to where it should stand.

The far parts are planned; near the object the hand moves on straight lines, which exact inverse
kinematics makes continuous. Nothing moves here: the stages can be looked at before they run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import both_arms_array, one
from baxterkit.checks.numbers import positive
from baxterkit.collision.hand import has_fingers
from baxterkit.collision.openings import spans
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.ik.result import IkStatus
from baxterkit.model.model import rigid
from baxterkit.model.names import ARM_COLUMNS, check_side, other_side
from baxterkit.model.shape import SOLIDS
from baxterkit.planning.grasping import depth, grasp_fault
from baxterkit.planning.load import loaded_arm, too_heavy
from baxterkit.planning.outcome import PlanStatus
from baxterkit.planning.planner import plan
from baxterkit.planning.result import PlanError
from baxterkit.planning.settings import SearchSettings
from baxterkit.scene.scene import Scene, SceneLike, as_scene
from baxterkit.spatial.formulas import inverse
from baxterkit.trajectory.polylines import sampled_line
from baxterkit.trajectory.timing import HoldError
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, JointsLike, Transform

SPEED = 0.15
"""Greatest speed of the tip on straight lines [m/s]."""
RATE = 25.0
"""Poses per second on straight lines [Hz]."""
COVER = 0.012
"""Objects that a held one is nearer to than this bear it [m]: its cover exceeds it by 10 mm."""
TOUCH = 0.001
"""What is put down may be this deep in what bears it [m]."""
DROP = 0.005
"""A note tells that an object will drop from higher than this [m]."""
SLOWER, MOST_SLOWER = 1.2, 25
"""A straight line is slowed down by this factor, this often at most, for the sake of torques."""
LONGEST = 1.0
"""Longest straight line [m]."""


@dataclass(frozen=True)
class PickSettings:
    """How an object is picked and placed.

    Attributes:
        approach: Length of the straight line along z of the tip to the object, and back [m].
        lift: Height above where it stood and will stand at which the object is carried [m].
        search: Seed and time limit of the planned parts.

    Raises:
        InputError: If a length is not positive, or too long.
    """

    approach: float = 0.1
    lift: float = 0.05
    search: SearchSettings = field(default_factory=lambda: SearchSettings(timeout=5.0))

    def __post_init__(self) -> None:
        for name in ("approach", "lift"):
            value = positive(getattr(self, name), name)
            if value > LONGEST:
                raise InputError(f"{name} = {value:g} m; it must be at most {LONGEST:g} m")


class Stage(NamedTuple):
    """A part of the motion.

    Attributes:
        name: "go", "approach", "lift", "carry", "lower" or "retreat".
        motion: The motion of the arm.
        opening: What the gripper does at its end: 0 (it closes), 1 (it opens), or None; always None
            of a hand without fingers, which takes the object at the end of "approach" and lets go
            of it at the end of "lower".
        scene: The robot among its obstacles meanwhile, with what the hand holds.
    """

    name: str
    motion: Trajectory
    opening: float | None
    scene: Scene


@dataclass(frozen=True, eq=False)
class PickAndPlace:
    """A pick and place, or the reason why there is none.

    Attributes:
        side: The arm.
        name: The object.
        stages: The parts, in order; those before the one that failed if it failed.
        status: SOLVED, or why a stage has no motion.
        reason: The same in words; empty if it is solved.
        notes: What to know of it although it is solved: that the object will drop, that a cup is
            pressed on it, or when a hand without fingers takes it.
    """

    side: str
    name: str
    stages: tuple[Stage, ...]
    status: PlanStatus = PlanStatus.SOLVED
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def solved(self) -> bool:
        """Whether every stage has its motion."""
        return self.status is PlanStatus.SOLVED

    @property
    def duration(self) -> float:
        """Time of all motions, without the gripper's [s]."""
        return sum(stage.motion.duration for stage in self.stages)

    def raise_if_failed(self) -> PickAndPlace:
        """Returns itself if every stage has its motion.

        Raises:
            PlanError: If one has none; names it, and says why.
        """
        if not self.solved:
            raise PlanError(self.reason)
        return self

    def __repr__(self) -> str:
        if not self.solved:
            return f"<PickAndPlace: {self.status.name}: {self.reason}>"
        parts = ", ".join(f"{one.name} {one.motion.duration:.1f} s" for one in self.stages)
        notes = "".join(f"; note: {note}" for note in self.notes)
        return f"<PickAndPlace: {self.name}, {self.side} arm: {parts}{notes}>"


def pick_and_place(
    scene: SceneLike,
    start: JointsLike,
    name: str,
    grasp: ArrayLike,
    place: ArrayLike,
    *,
    side: str = "left",
    settings: PickSettings | None = None,
) -> PickAndPlace:
    """The motions that bring an object from where it stands to another place.

    Go, approach, (close,) lift, carry, lower, (open,) retreat. To run it:
    `robot.follow(stage.motion)` for each of `result.stages`, then
    `robot.left.move_gripper(stage.opening)` where that is not None.
    On straight lines the fingers, or the cup, may touch the object, and the object its support. A
    grasp at which the object does not fit between the fingers, is not there, or is not where the
    cup ends, and a place inside another object are refused; what the arm cannot hold is TOO_HEAVY.

    Args:
        scene: The robot among its obstacles, which the object is one of.
        start: Joint positions of both arms [rad], shape (14,), left then right.
        name: The object.
        grasp: T_object_tip, the tip as the object sees it when the fingers close, shape (4, 4).
        place: T_base_object, where the object will stand, shape (4, 4), or its middle, shape (3,):
            turned as it is now.
        side: The arm, "left" or "right".
        settings: Lengths of the straight lines, and the search; the defaults if None.

    Returns:
        The stages, or a status and a reason. Never raises because there is no motion.

    Raises:
        InputError: If the object is held, or an argument is not finite.
        UnknownNameError: If there is no such object or arm.
    """
    picking = _Picking(as_scene(scene), check_side(side, "arm"), name, settings or PickSettings())
    q = one(both_arms_array(start, "start"), "start")
    T_object_tip, T_then = rigid(grasp, "grasp"), _place(place, picking.object_now)
    try:
        notes = picking.check(T_object_tip, T_then)
        picking.pick(q, T_object_tip)
        picking.put(T_object_tip, T_then)
    except _NoMotion as failure:
        return PickAndPlace(side, name, tuple(picking.stages), failure.status, str(failure))
    return PickAndPlace(side, name, tuple(picking.stages), notes=notes)


class _NoMotion(Exception):
    def __init__(self, status: PlanStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Picking:
    """The stages as they are made, one after the other."""

    def __init__(self, scene: Scene, side: str, name: str, settings: PickSettings) -> None:
        obstacle = scene.world[name]
        if obstacle.held is not None:
            raise InputError(f"the {obstacle.held} hand holds {name} already; detach it first")
        self.scene, self.side, self.name, self.settings = scene, side, name, settings
        self.object_now: Transform = obstacle.T
        self.arm = scene.arm(side)
        self.columns = ARM_COLUMNS[side]
        self.stages: list[Stage] = []
        self.fingers = (*scene.without, (f"{side}_fingers", name))
        self.grips = has_fingers(self.arm.model)

    def check(self, T_object_tip: Transform, T_base_object: Transform) -> tuple[str, ...]:
        """Refuses a grasp that does not hold and a place that is taken; gives notes."""
        item = self.scene.world[self.name]
        span = spans(self.scene.opening)[0 if self.side == "left" else 1]
        fault = grasp_fault(self.arm.model, item, T_object_tip, span[1])
        if fault is not None:
            raise _NoMotion(PlanStatus.NO_GRASP, f"grasp: {fault}")
        notes = self._grip_notes()
        if item.kind not in SOLIDS:
            return notes
        there = replace(item, T=T_base_object)
        others = [
            one for one in self.scene.world.state if one.held is None and one.name != self.name
        ]
        for other in others:
            deep = depth(there, other)
            if deep > TOUCH:
                raise _NoMotion(
                    PlanStatus.GOAL_BLOCKED,
                    f"place: {self.name} would be {1e3 * deep:.1f} mm deep in {other.name}; move "
                    "the place out of it",
                )
        lower = T_base_object.copy()
        lower[2, 3] -= DROP + TOUCH
        if any(depth(replace(item, T=lower), other) > TOUCH for other in others):
            return notes
        drop = f"nothing bears {self.name} within {1e3 * DROP:g} mm of its place: it will drop"
        return (*notes, drop)

    def _grip_notes(self) -> tuple[str, ...]:
        """What to know of the grip of a hand without fingers."""
        if self.grips:
            return ()
        return (
            f"the {self.side} hand has no fingers, so no stage has an opening: it takes "
            f"{self.name} at the end of approach and lets go at the end of lower (in the twin: "
            "pick_up, release)",
        )

    def pick(self, start: Array, T_object_tip: Transform) -> None:
        """Go, approach, close, lift."""
        self.q = start.copy()
        at = self.object_now @ T_object_tip
        near = self.scene.replace(without=self.fingers)
        line = self._line("approach", near, _behind(at, self.settings.approach), at, None)
        self._go("go", self.scene, line.sample(0.0).q)
        self._keep("approach", line, 0.0 if self.grips else None, near)
        world = World.of(self.scene.world.state)
        world.attach(self.name, self.side, inverse(T_object_tip))
        left, right = spans(self.scene.opening)
        any_opening = ((0.0, 1.0), right) if self.side == "left" else (left, (0.0, 1.0))
        self.carrying = self.scene.replace(world=world, opening=any_opening)
        lifting = self._borne(self.q[self.columns])
        up = self._line("lift", lifting, at, self._above(at), self.q[self.columns])
        self._keep("lift", up, None, lifting)

    def put(self, T_object_tip: Transform, T_base_object: Transform) -> None:
        """Carry, lower, open, retreat."""
        at = T_base_object @ T_object_tip
        reached = self.arm.ik(at, self.q[self.columns])
        lowering = self._borne(reached.q) if reached.solved else self.carrying
        down = self._line("lower", lowering, self._above(at), at, None)
        self._go("carry", self.carrying, down.sample(0.0).q)
        self._keep("lower", down, 1.0 if self.grips else None, lowering)
        world = World.of(self.carrying.world.state)
        world.detach(self.name, T_base_object)
        leaving = self.scene.replace(world=world, without=self.fingers)
        back = self._line(
            "retreat", leaving, at, _behind(at, self.settings.approach), self.q[self.columns]
        )
        self._keep("retreat", back, None, leaving)

    def _go(self, name: str, scene: Scene, goal: Array) -> None:
        found = plan(scene, self.q, goal, group=self.side, search=self.settings.search)
        if not found.solved:
            raise _NoMotion(found.status, f"{name}: {found.reason}")
        if len(found.path) > 1:
            try:
                motion = found.trajectory()
            except HoldError as error:
                raise _NoMotion(PlanStatus.TOO_HEAVY, f"{name}: {error}") from None
            self._keep(name, motion, None, scene)

    def _line(
        self, name: str, scene: Scene, T0: Transform, T1: Transform, seed: Array | None
    ) -> Trajectory:
        """The tip straight from one pose to another; from `seed` if it is given, else near."""
        t, Ts = sampled_line(T0, T1, SPEED, RATE)
        start = self.q[self.columns] if seed is None else seed
        found = scene.ik_path(self.side, Ts, self._other(), start)
        if not found.solved:
            status = {
                IkStatus.OUT_OF_REACH: PlanStatus.OUT_OF_REACH,
                IkStatus.LIMITS: PlanStatus.OUT_OF_REACH,
                IkStatus.COLLISION: PlanStatus.GOAL_BLOCKED,
            }.get(found.status, PlanStatus.NO_PATH)
            end = Ts[0 if found.broken_at is None else found.broken_at]
            done = float(np.linalg.norm(end[:3, 3] - T0[:3, 3]))
            raise _NoMotion(
                status, f"{name}: the straight line ends after {done:.3f} m: {found.reason}"
            )
        heavy = too_heavy(scene, self.side, found.q)
        if heavy is not None:
            raise _NoMotion(PlanStatus.TOO_HEAVY, f"{name}: {heavy}")
        limits, q = self.arm.limits, found.q
        motion = Trajectory.from_points(t, q, limits=limits, name=name, side=self.side)
        return self._slowed(motion, loaded_arm(scene, self.side))

    def _slowed(self, motion: Trajectory, arm: Arm) -> Trajectory:
        """A straight line that is slow enough for the torques of an arm with its load."""
        for factor in SLOWER ** np.arange(MOST_SLOWER):
            slow = motion.stretched(float(factor)) if factor > 1.0 else motion
            tau = arm.inverse_dynamics(*slow.sample(slow.check_times()))
            if (np.abs(tau) <= arm.limits.effort).all():
                return slow
        raise _NoMotion(
            PlanStatus.TOO_HEAVY,
            f"{motion.name}: no speed of the straight line respects the torque limits; carry less",
        )

    def _keep(self, name: str, motion: Trajectory, opening: float | None, scene: Scene) -> None:
        self.stages.append(Stage(name, motion, opening, scene))
        self.q[self.columns] = motion.sample(motion.duration).q

    def _borne(self, own: Array) -> Scene:
        """The scene without the pairs of the held object and what bears it at these positions."""
        checker, bearers, q = self.carrying.checker, [], self.q.copy()
        q[self.columns] = own
        for other in self.carrying.world.names:
            pair = {self.name, other}
            rest = tuple(each for each in checker.pairs if set(each) != pair)
            if other == self.name or len(rest) == len(checker.pairs):
                continue
            alone = self.carrying.replace(without=rest)
            if float(alone.clearance(q[:7], q[7:])) < self.carrying.margin + COVER:
                bearers.append((self.name, other))
        return self.carrying.replace(without=(*self.scene.without, *bearers))

    def _other(self) -> Array:
        return self.q[ARM_COLUMNS[other_side(self.side)]]

    def _above(self, T: Transform) -> Transform:
        up = T.copy()
        up[2, 3] += self.settings.lift
        return up


def _behind(T: Transform, distance: float) -> Transform:
    back = T.copy()
    back[:3, 3] -= distance * T[:3, 2]
    return back


def _place(place: ArrayLike, now: Transform) -> Transform:
    values = np.asarray(place, dtype=np.float64)
    if values.shape != (3,):
        return rigid(values, "place")
    T = now.copy()
    T[:3, 3] = values
    return rigid(T, "place")
