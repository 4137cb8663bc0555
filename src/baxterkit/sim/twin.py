"""`Twin`: the whole robot in MuJoCo, with the robot's own loops, sensors and command modes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.checks.numbers import count
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.robot.followed import MotionResult
from baxterkit.robot.head import FASTEST, STIRS, head_goal, is_there, not_there
from baxterkit.robot.motions import Controllers, Motion, Options, courses
from baxterkit.robot.protocol import Robot
from baxterkit.robot.teaching import Witness
from baxterkit.scene import Scene
from baxterkit.servo import ServoResult, ServoSettings, Source
from baxterkit.sim.build import build_spec
from baxterkit.sim.checks import duration, noise_factor, simulated_robot
from baxterkit.sim.following import follow
from baxterkit.sim.limb import TwinLimb, state_table
from baxterkit.sim.limb_state import DT
from baxterkit.sim.obstacles import check_world
from baxterkit.sim.opengl import load_mujoco
from baxterkit.sim.physics import ARMS, Physics
from baxterkit.sim.record import new_records
from baxterkit.sim.recorder import TwinRecorder
from baxterkit.sim.servoing import follow_target
from baxterkit.sim.simulation import Simulation
from baxterkit.sim.witness import witnessed

HEAD_THERE = 0.01
"""A head this near to its goal is there [rad]."""


class Twin(Simulation, Robot):
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
        start: Name of the configuration in which the arms start.
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
        """Disables the twin: arms and head come to rest, and commands are refused."""
        self._power.enabled = False
        self.hold()
        self._rest_head()

    def stop(self, timeout: float = 3.0) -> None:
        """Stops the twin as the robot's button does; a motion under way ends."""
        self.disable()
        self._power.stopped = True

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

    def record(self, path: str | Path | None = None) -> TwinRecorder:
        """Records both arms at 100 Hz until it is closed: `with twin.record("run.mcap") as run:`.

        Args:
            path: An MCAP file (.mcap), which `recording.load(path, side=...)` reads; none if None.
        """
        return TwinRecorder(self, path)

    def pan_head(self, pan: float, speed: float = 0.5, timeout: float = 5.0) -> None:
        """Turns the head to an angle [rad], and waits until it is there; see `Robot.pan_head`.

        The speed 1 is 2 rad/s.

        Raises:
            RefusedError: If the twin is not enabled, or is not meanwhile any more.
        """
        longest = duration(timeout, "timeout")
        goal, speed = head_goal(self.robot.head, pan, speed)
        self._power.need()
        begun = moved = self.t
        stride, before = FASTEST * speed * DT * self._publish_every, self.head_pan
        told = float(self.data.ctrl[0])
        while not is_there(self.head_pan, goal, self.t - moved):
            if self.t - begun >= longest:
                self.turn_head(goal)
                raise not_there(self.head_pan, goal, timeout)
            told = self.turn_head(told + min(max(goal - told, -stride), stride))
            self.step(self._publish_every)
            self._power.need()
            if abs(self.head_pan - before) > STIRS:
                before, moved = self.head_pan, self.t
        self.turn_head(goal)

    def turn_head(self, pan: float) -> float:
        """Lets the head turn to an angle [rad] from now on; returns it."""
        goal = float(self.robot.head.check(pan))
        self.data.ctrl[0] = goal
        return goal

    def _rest_head(self) -> None:
        """Lets a head that turns come to rest where it is."""
        head = self.robot.head
        here = min(max(self.head_pan, head.lower), head.upper)
        if abs(self.data.ctrl[0] - here) > HEAD_THERE:
            self.turn_head(here)

    @property
    def head_pan(self) -> float:
        """Pan angle of the head now [rad]."""
        return float(self.data.qpos[ARMS])

    @property
    def scene(self) -> Scene:
        """The robot among its objects, head and grippers as they are now: to check and plan in."""
        left, right = (1.0 if limb.opening is None else limb.opening for limb in self.limbs)
        head = self.robot.head
        pan = min(max(self.head_pan, head.lower), head.upper)  # its end stops yield
        return self.robot.scene(self.world(), head=pan, opening=(left, right))

    def to_mjcf(self) -> str:
        """The robot and its world as a MuJoCo XML file (without friction, flexures and loops)."""
        spec = build_spec(self.robot, self._world, self._start, DT, Physics())
        spec.compile()
        text: str = spec.to_xml()
        return text

    def _repr_html_(self) -> str:
        return state_table(repr(self).strip("<>"), self.limbs)

    def __repr__(self) -> str:
        kind = "rigid " if self.rigid else ""
        return f"<{kind}Twin: t = {self.t:.3f} s, left {self.left.mode}, right {self.right.mode}>"
