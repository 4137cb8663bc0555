"""`Twin`: the whole robot in MuJoCo, with the robot's own loops, sensors and command modes."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.checks.arrays import finite_array
from baxterkit.checks.numbers import count
from baxterkit.collision.hand import has_fingers
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.model.library import load_baxter
from baxterkit.model.names import SIDES, check_side
from baxterkit.robot.followed import MotionResult
from baxterkit.robot.motions import Controllers, Motion, Options, courses
from baxterkit.robot.protocol import Robot
from baxterkit.robot.teaching import Witness
from baxterkit.scene import Scene
from baxterkit.servo import ServoResult, ServoSettings, Source
from baxterkit.sim.build import Mujoco, build_spec, load_mujoco, world_gravity
from baxterkit.sim.checks import bounded, duration, noise_factor, simulated_robot
from baxterkit.sim.contact_gate import ContactGate
from baxterkit.sim.fingers import Fingers
from baxterkit.sim.following import follow
from baxterkit.sim.grip import Grip
from baxterkit.sim.joints import joints_of
from baxterkit.sim.limb import DT, Clock, Power, Senses, TwinLimb, state_table
from baxterkit.sim.loops import Loops
from baxterkit.sim.native_step import NativeStep, make_step
from baxterkit.sim.nominal import effects_of
from baxterkit.sim.numpy_step import Parts
from baxterkit.sim.obstacles import check_world
from baxterkit.sim.physics import ARMS, Physics
from baxterkit.sim.record import Record, Records, new_records
from baxterkit.sim.recorder import TwinRecorder
from baxterkit.sim.sensors import Sensors
from baxterkit.sim.servoing import follow_target
from baxterkit.sim.tilt import Tilt
from baxterkit.sim.witness import witnessed
from baxterkit.spatial import inverse
from baxterkit.types import Array

__all__ = ["Twin"]

END_STOP = 0.05
"""Largest excess over its limits at which an arm may be placed [rad]: end stops yield as much."""
FASTEST = 100.0
"""Greatest velocity that an arm may be placed with [rad/s]."""
FARTHEST_TURN = 1e4
"""Greatest angle that an arm without end stops may be placed at [rad]."""
_ONES = np.ones(ARMS)


class Twin(Robot):
    """The robot in simulation: 1 kHz inside, 100 Hz outside. Nothing moves before `enable()`.

    Args:
        robot: The robot to simulate: a `Baxter`, the path of a robot file ("robot.toml"), or one
            `Arm` (as from `Arm.from_file`), the other arm being nominal; a nominal robot if None.
            Arms without effects get the nominal springs and friction.
        world: The robot's surroundings at the start; nothing if None. Objects with a mass move.
        rigid: Stiff joints without springs, friction, sensor steps, filters and noise: only the
            equations of the rigid model.
        seed: Seed of the sensors' noise. The same seed gives the same run.
        tool: Tool of both arms if `robot` is None, "hand" by default; a given robot has its own
            tools.
        start: Name of the pose in which the arms start.
        noise: Multiple of the nominal sensor noise; 1, or 0 if rigid, if None.
        physics: Contacts, end stops, damping and integrator; the defaults if None.

    Attributes:
        control_rate: Calls of a torque controller per second [Hz]; a divisor of 1000.
        command_rate: Commands per second where a motion itself is sent [Hz]; a divisor of 1000.
        record_rate: Rows per second of what `follow` returns [Hz]; a divisor of 1000.
        screen: Picture on the head's screen, shape (600, 1024, 3), which pictures of the twin show;
            its face if None.
    """

    left: TwinLimb
    right: TwinLimb
    control_rate: float = 1000.0
    command_rate: float = 100.0
    record_rate: float = 100.0
    screen: NDArray[np.uint8] | None = None

    def __init__(
        self,
        robot: Baxter | Arm | str | Path | None = None,
        *,
        world: World | None = None,
        rigid: bool = False,
        seed: int = 0,
        tool: str | None = None,
        start: str = "untuck",
        noise: float | None = None,
        physics: Physics | None = None,
    ) -> None:
        physics = Physics() if physics is None else physics
        if not isinstance(physics, Physics):
            raise InputError(f"physics must be a Physics, got {type(physics).__name__}")
        if not rigid and physics.integrator != "implicitfast":
            raise InputError(
                f"integrator={physics.integrator!r} needs rigid=True: flexures and friction are "
                "stepped implicitly, with implicitfast"
            )
        self.robot = simulated_robot(robot, tool)
        self.rigid = rigid
        self.seed = count(seed, "seed")
        self._world = check_world(World() if world is None else world)
        self._limits = physics.limits
        self._start = start
        self._mujoco = load_mujoco()
        self._physics, self._noise = physics, noise_factor(noise, rigid)
        self._assemble(
            build_spec(self.robot, self._world, start, DT, physics).compile(), new_records()
        )
        self.reset()

    def _copy(self, rows: Records, seed: int) -> Twin:
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
        self._clock, self._power = Clock(record), Power(record)
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
            limbs.append(TwinLimb(arm, loops, grip, fingers, self._clock, self._power, senses))
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

    @property
    def t(self) -> float:
        """Time since the start or the last reset [s]."""
        return self._clock.t

    @property
    def limbs(self) -> tuple[TwinLimb, TwinLimb]:
        """Left and right."""
        return self.left, self.right

    def limb(self, side: str) -> TwinLimb:
        return self.left if check_side(side) == "left" else self.right

    def reset(self, seed: int | None = None) -> None:
        """Back to the start: time 0, arms in their first pose at rest, hands as they were then.

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
        self.place(left=self.left.arm.pose(self._start), right=self.right.arm.pose(self._start))
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
            self._gate.prepare()
            if self._taps:
                most = min(most, every - int(ticks[0]) % every)
            left -= self._step.run(most)
            if ticks[0] == published_at[0]:
                for tap in self._taps:
                    tap()
                if not math.isfinite(self._q.dot(_ONES)):
                    raise InputError(f"the simulation diverged at t = {self.t:.3f} s; call reset()")

    def place_at(self, motion: Motion) -> Twin:
        """Places the arms at the start of a motion, with its velocity, and returns the twin."""
        starts: dict[str, Array] = {}
        for side, course in courses(motion).items():
            start = course.sample(np.zeros(1))
            starts |= {side: start.q[0], f"qd_{side}": start.qd[0]}
        self.place(**starts)
        return self

    @property
    def enabled(self) -> bool:
        """Whether commands move the twin."""
        return self._power.enabled

    @property
    def stopped(self) -> bool:
        """Whether the twin was stopped."""
        return self._power.stopped

    def enable(self, timeout: float = 10.0) -> Self:
        """Enables the twin, also after a stop, and returns it: `twin = Twin().enable()`."""
        self._power.enabled, self._power.stopped = True, False
        return self

    def disable(self, timeout: float = 5.0) -> None:
        """Disables the twin: its arms come to rest, and commands are refused."""
        self._power.enabled = False
        self.hold()

    def stop(self, timeout: float = 3.0) -> None:
        """Stops the twin as the robot's button does; a motion under way ends."""
        self.disable()
        self._power.stopped = True

    def wait(self, seconds: float) -> None:
        self.step(round(1000.0 * duration(seconds, "seconds")))

    def close(self) -> None:
        """Disables the twin; may be called twice."""
        self.disable()

    def _follow(
        self, motion: Motion, speed: float, controller: Controllers | None, options: Options
    ) -> MotionResult:
        return follow(self, courses(motion, speed), controller, options)

    def _servo(
        self, source: Source, sides: tuple[str, ...], seconds: float, settings: ServoSettings
    ) -> ServoResult:
        return follow_target(self, source, sides, seconds, settings)

    def _witnessed(self, witness: Witness) -> AbstractContextManager[None]:
        return witnessed(self, witness)

    def _graspable(self) -> tuple[str, ...]:
        return tuple(obstacle.name for obstacle in self._world.state if obstacle.mass)

    def _holds(self, side: str, name: str | None) -> None:
        """The twin knows it by itself."""

    def record(self, path: str | Path | None = None) -> TwinRecorder:
        """Records both arms at 100 Hz until it is closed: `with twin.record("run.mcap") as run:`.

        Args:
            path: An MCAP file (.mcap), which `recording.load(path, side=...)` reads; none if None.
        """
        return TwinRecorder(self, path)

    def pan_head(self, pan: float, speed: float = 0.5, timeout: float = 5.0) -> None:
        """Turns the head to an angle [rad], and waits until it is there, at most `timeout` [s].

        Raises:
            RefusedError: If the twin is not enabled.
        """
        self._power.need()
        goal = self.turn_head(pan)
        end = self.t + duration(timeout, "timeout")
        while abs(self.head_pan - goal) > 0.01 and self.t < end:
            self.step(self._publish_every)

    def turn_head(self, pan: float) -> float:
        """Lets the head turn to an angle [rad] from now on; returns it."""
        goal = float(self.robot.head.check(pan))
        self.data.ctrl[0] = goal
        return goal

    @property
    def head_pan(self) -> float:
        """Pan angle of the head now [rad]."""
        return float(self.data.qpos[ARMS])

    @property
    def contacts(self) -> list[tuple[str, str]]:
        """Names of the links and objects that touch each other now."""
        if not self.data.ncon:
            return []
        found = self.data.contact
        geoms = found.geom[found.dist < found.includemargin]
        pairs = dict.fromkeys((self._part(int(a)), self._part(int(b))) for a, b in geoms)
        return list(pairs)

    def _part(self, geom: int) -> str:
        """The link or object that a geom is of: the shapes of a link are numbered after a slash."""
        body: str = self.model.body(self.model.geom_bodyid[geom]).name
        if body in self._world:
            return body
        name: str = self.model.geom(geom).name
        return name.partition("/")[0]

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
            T = T if held is None else inverse(held.tip) @ T
            now.append(replace(obstacle, T=T, held=side))
        return World.of(now)

    @property
    def scene(self) -> Scene:
        """The robot among its objects, head and grippers as they are now: to check and plan in."""
        left, right = (1.0 if limb.opening is None else limb.opening for limb in self.limbs)
        return self.robot.scene(self.world(), head=self.head_pan, opening=(left, right))

    def to_mjcf(self) -> str:
        """The robot and its world as a MuJoCo XML file (without friction, flexures and loops)."""
        spec = build_spec(self.robot, self._world, self._start, DT, Physics())
        spec.compile()
        text: str = spec.to_xml()
        return text

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

    def _repr_html_(self) -> str:
        return state_table(repr(self).strip("<>"), self.limbs)

    def __repr__(self) -> str:
        kind = "rigid " if self.rigid else ""
        return f"<{kind}Twin: t = {self.t:.3f} s, left {self.left.mode}, right {self.right.mode}>"
