"""`Simulation`: the robot and its objects in MuJoCo: placed, stepped, looked at."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.baxter import Baxter
from baxterkit.checks.arrays import finite_array
from baxterkit.checks.numbers import count
from baxterkit.collision.hand import has_fingers
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.model.library import load_baxter
from baxterkit.model.names import SIDES, check_side
from baxterkit.robot.motions import Motion, courses
from baxterkit.sim.build import Mujoco, world_gravity
from baxterkit.sim.checks import bounded, duration
from baxterkit.sim.contact_gate import ContactGate
from baxterkit.sim.fingers import Fingers
from baxterkit.sim.grip import Grip
from baxterkit.sim.joints import joints_of
from baxterkit.sim.limb import TwinLimb
from baxterkit.sim.limb_state import DT, Power, Senses, TwinTime
from baxterkit.sim.loops import Loops
from baxterkit.sim.native_step import NativeStep, make_step
from baxterkit.sim.nominal import effects_of
from baxterkit.sim.numpy_step import Parts
from baxterkit.sim.physics import ARMS, Physics
from baxterkit.sim.record import Record, Records
from baxterkit.sim.sensors import Sensors
from baxterkit.sim.tilt import Tilt
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Array

END_STOP = 0.05
"""Largest excess over its limits at which an arm may be placed [rad]: end stops yield as much."""
FASTEST = 100.0
"""Greatest velocity that an arm may be placed with [rad/s]."""
FARTHEST_TURN = 1e4
"""Greatest angle that an arm without end stops may be placed at [rad]."""
LEAVING = 10
"""Steps between two looks at an object that was released inside a hand."""
_ONES = np.ones(ARMS)


class Simulation:
    """Arms, head, grippers and objects in MuJoCo, whose time passes by `step` alone.

    `Twin` makes it and is the robot that acts in it.

    Attributes:
        rigid: Whether joints are stiff, without springs, friction and noise.
        seed: Seed of the sensors' noise.
    """

    robot: Baxter
    left: TwinLimb
    right: TwinLimb
    rigid: bool
    seed: int
    _world: World
    _limits: bool
    _start: str
    _mujoco: Mujoco
    _physics: Physics
    _noise: float

    def _assemble(self, model: Mujoco, rows: Records) -> None:
        """Makes all parts, around a compiled model."""
        rigid = self.rigid
        self.model: Mujoco = model
        self.data: Mujoco = self._mujoco.MjData(self.model)
        self._q: Array = self.data.qpos[:ARMS]
        self._qd: Array = self.data.qvel[:ARMS]
        self._q_rows, self._qd_rows = self._q.reshape(2, 7), self._qd.reshape(2, 7)
        self._record = record = Record(rows)
        record.dt[0], record.timeout[:] = DT, load_baxter().rate["command_timeout"]
        record.publish_every[0] = round(1.0 / (DT * load_baxter().rate["joint_states"]))
        self._publish_every = int(record.publish_every[0])
        arms = (self.robot.left, self.robot.right)
        effects = () if rigid else tuple(effects_of(arm) for arm in arms)
        views = (self.data.qfrc_applied[:ARMS], self.model.dof_damping[:ARMS])
        self._joints = joints_of(arms, effects, self._physics.dampings, views, record)
        gravity = world_gravity(self.robot)
        self._tilts = [
            Tilt(arm, gravity, slice(7 * i, 7 * i + 7), self._q, self.data.qfrc_applied)
            for i, arm in enumerate(arms)
            if (arm.model.gravity != gravity).any()
        ]
        self._sensors = Sensors(self._noise, steps=not rigid, filters=not rigid, record=record)
        self._time, self._power = TwinTime(record), Power(record)
        limbs: list[TwinLimb] = []
        for i, arm in enumerate(arms):
            grip = Grip(self._mujoco, self.model, self.data, arm, self._world)
            loops = Loops(arm, None if rigid else effects_of(arm), record, i)
            grips = has_fingers(arm.model)
            fingers = Fingers(self.model, self.data, grip, arm.side, DT) if grips else None
            senses = Senses(
                self._q_rows[i],
                self._qd_rows[i],
                record.tau[7 * i : 7 * i + 7],
                record.reading[i],
                record.published[i],
            )
            limbs.append(TwinLimb(arm, loops, grip, fingers, self._time, self._power, senses))
            limbs[-1]._wait = self.wait
        self.left, self.right = limbs
        self._taps: list[Callable[[], None]] = []
        self._led: set[str] = set()  # hands that follow a target
        self._fingers = [limb._fingers for limb in limbs if limb._fingers is not None]
        self._gate = ContactGate(
            self._mujoco,
            self.model,
            self.robot,
            self._world,
            self.data.qpos,
            {limb.side: limb._fingers for limb in limbs if limb._fingers is not None},
            record,
        )
        self._parts = Parts(
            self._mujoco,
            self.model,
            self.data,
            record,
            (self.left._loops, self.right._loops),
            self._joints,
            self._tilts,
            self._gate,
            self._sensors,
        )
        self._step = make_step(self._parts)
        if isinstance(self._step, NativeStep):
            for limb in limbs:
                limb._accepts = self._step.core.command

    def _copy(self, rows: Records, seed: int) -> Self:
        """Another twin of the same robot and world, at its start, made faster than by `Twin`.

        Args:
            rows: Memory for its record, shape (1,).
            seed: Its seed.
        """
        other = type(self).__new__(type(self))
        other.robot, other.rigid, other.seed = self.robot, self.rigid, seed
        other._world, other._limits, other._start = self._world, self._limits, self._start
        other._mujoco, other._physics, other._noise = self._mujoco, self._physics, self._noise
        model = copy.copy(self.model)
        model.opt.disableflags = self._gate.flags_at_start
        other._assemble(model, rows)
        other._gate.share(self._gate)
        other.reset()
        return other

    @property
    def t(self) -> float:
        """Time since the start or the last reset [s]."""
        return self._time.t

    @property
    def limbs(self) -> tuple[TwinLimb, TwinLimb]:
        """Left and right."""
        return self.left, self.right

    def limb(self, side: str) -> TwinLimb:
        """The left or the right arm."""
        return self.left if check_side(side) == "left" else self.right

    def reset(self, seed: int | None = None) -> None:
        """Back to the start: time 0, arms at rest in their first configuration, hands as then.

        Settings of the arms (`speed_ratio`, `command_timeout`, `gravity_compensation`) stay.

        Args:
            seed: A new seed of the noise; the old one if None.
        """
        self.seed = self.seed if seed is None else count(seed, "seed")
        self._mujoco.mj_resetData(self.model, self.data)
        self._record.ticks[0] = self._record.published_at[0] = 0
        self._sensors.reset(self.seed)
        for limb in self.limbs:
            limb._grip.reset()
        for fingers in self._fingers:
            fingers.reset()
        self.place(
            left=self.left.arm.configuration(self._start),
            right=self.right.arm.configuration(self._start),
        )
        for obstacle in self._world.state:
            if obstacle.held is not None:
                self.limb(obstacle.held)._grip.pick_up(obstacle.name)

    def place(
        self,
        left: ArrayLike | None = None,
        right: ArrayLike | None = None,
        *,
        qd_left: ArrayLike | None = None,
        qd_right: ArrayLike | None = None,
        memory: ArrayLike = 0.0,
    ) -> None:
        """Places arms, with the flexures loaded as if they had been held there.

        Args:
            left: Positions of the left arm [rad], shape (7,); it stays where it is if None.
            right: Positions of the right arm [rad], shape (7,).
            qd_left: Its velocities [rad/s], shape (7,); at rest if None.
            qd_right: Its velocities [rad/s], shape (7,).
            memory: State of friction with memory in the placed arms, -1 to 1, one value or (7,).

        Raises:
            InputError: If a value is not finite, a position is outside the joints' limits (where
                there are end stops), or there are velocities without positions. No arm is moved.
        """
        states = {}
        for i, (q, qd) in enumerate(((left, qd_left), (right, qd_right))):
            if q is not None:
                states[i] = self._checked(self.limbs[i], q, qd)
            elif qd is not None:
                side = SIDES[i]
                raise InputError(f"qd_{side} needs {side}, the positions of that arm")
        remembered = np.broadcast_to(finite_array(memory, "memory"), 7)
        for i, state in states.items():
            self._q_rows[i], self._qd_rows[i] = state
            self.limbs[i]._loops.place(*state)
        for i in states:
            self.limbs[i]._grip.carry()
        self._gate.prepare()
        self._gate.update()
        self._mujoco.mj_forward(self.model, self.data)
        for i in states:
            rows = slice(7 * i, 7 * i + 7)
            load = self.data.qfrc_bias[rows] - sum(
                t.torque() for t in self._tilts if t.rows == rows
            )
            self._joints.place(rows, self._q[rows], self._qd[rows], load, remembered)
        self._step.sense()
        for i in states:
            self._sensors.settle(i)
        report = self._report()
        for i in states:
            self._record.published[i] = report[i]

    def place_at(self, motion: Motion) -> Self:
        """Places the arms at the start of a motion, with its velocity, and returns the twin."""
        starts: dict[str, Array] = {}
        for side, course in courses(motion).items():
            start = course.sample(np.zeros(1))
            starts |= {side: start.q[0], f"qd_{side}": start.qd[0]}
        self.place(**starts)
        return self

    def step(self, n: int = 1) -> None:
        """Lets `n` milliseconds pass.

        Raises:
            InputError: If `n` is not a whole number, or the state is no longer finite.
        """
        left, record = count(n, "n"), self._record
        ticks, published_at, every = record.ticks, record.published_at, self._publish_every
        while left:
            most = left
            for fingers in self._fingers:
                if fingers.are_moving:
                    fingers.step()
                    most = 1
            for limb in self.limbs:
                if limb._grip.is_leaving:
                    limb._grip.let_leave()
                    most = min(most, LEAVING)
            self._gate.prepare()
            if self._taps:
                most = min(most, every - int(ticks[0]) % every)
            left -= self._step.run(most)
            if ticks[0] == published_at[0]:
                for tap in self._taps:
                    tap()
                if not math.isfinite(self._q.dot(_ONES)):
                    raise InputError(f"the simulation diverged at t = {self.t:.3f} s; call reset()")

    def wait(self, seconds: float) -> None:
        """Lets the simulation go on for this time [s], to the millisecond."""
        self.step(round(1000.0 * duration(seconds, "seconds")))

    @property
    def contacts(self) -> list[tuple[str, str]]:
        """Names of the links and objects that touch each other now."""
        if not self.data.ncon:
            return []
        found = self.data.contact
        geoms = found.geom[found.dist < found.includemargin]
        pairs = dict.fromkeys((self._part(int(a)), self._part(int(b))) for a, b in geoms)
        return list(pairs)

    @property
    def energy(self) -> float:
        """Kinetic and potential energy of arms, head and objects now [J]."""
        mujoco = self._mujoco
        mujoco.mj_fwdPosition(self.model, self.data)  # a step leaves these one step behind
        mujoco.mj_energyPos(self.model, self.data)
        mujoco.mj_energyVel(self.model, self.data)
        return float(self.data.energy.sum())

    def object_pose(self, name: str) -> Array:
        """Pose of an object of the world in base now, shape (4, 4)."""
        self._world[name]
        self._mujoco.mj_kinematics(self.model, self.data)
        T = np.eye(4)
        body = self.data.body(name)
        T[:3, :3], T[:3, 3] = body.xmat.reshape(3, 3), body.xpos
        return T

    def world(self) -> World:
        """The objects as they are now; one that a hand holds moves with its tip."""
        now = []
        for obstacle in self._world.state:
            if not obstacle.mass:
                now.append(obstacle)
                continue
            T = self.object_pose(obstacle.name)
            held = next((limb for limb in self.limbs if limb.holds == obstacle.name), None)
            side = None if held is None else held.side
            T = T if held is None else inverse(held.true_tip) @ T
            now.append(replace(obstacle, T=T, held=side))
        return World.of(now)

    def _part(self, geom: int) -> str:
        """The link or object that a geom is of: the shapes of a link are numbered after a slash."""
        body: str = self.model.body(self.model.geom_bodyid[geom]).name
        if body in self._world:
            return body
        name: str = self.model.geom(geom).name
        return name.partition("/")[0]

    def _checked(self, limb: TwinLimb, q: ArrayLike, qd: ArrayLike | None) -> tuple[Array, Array]:
        """Positions and velocities to place an arm with, shape (7,) each."""
        position = bounded(limb.arm, q, limb.side, FARTHEST_TURN, "rad")
        if self._limits:
            limb.arm.limits.check(position, END_STOP)
        if qd is None:
            return position, np.zeros(7)
        return position, bounded(limb.arm, qd, f"qd_{limb.side}", FASTEST, "rad/s")

    def _report(self) -> Array:
        """The readings of this millisecond as the robot would publish them, shape (2, 3, 7)."""
        return self._step.report()
