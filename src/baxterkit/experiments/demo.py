"""The demo: two controllers drive the twin's right arm along Smith's circle."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import baxterkit
from baxterkit import Arm, Baxter
from baxterkit.control import ComputedTorque, DoubleLoopPid
from baxterkit.control.signals import Controller
from baxterkit.plot.style import matplotlib
from baxterkit.robot import Followed
from baxterkit.robot_file import read_arms
from baxterkit.sim import Twin
from baxterkit.sim.nominal import nominal_effects
from baxterkit.sim.opengl import load_mujoco
from baxterkit.trajectory import smith_set
from baxterkit.types import Array, Vector3

if TYPE_CHECKING:
    from baxterkit.trajectory import Trajectory

SIDE = "right"
TOOL = "electric_standard"
SEED = 1
"""Seed of the sensors' noise."""
RATE = 100.0
"""Rows per second, as the robot publishes."""
SMOOTH = 0.25
"""Width of the window that sensed torques are smoothed with [s]."""
MOVING = 1.0
"""R² is given for joints whose torque varies by more than this [N m]."""


@dataclass(frozen=True)
class Follower:
    """One controller's run.

    Attributes:
        name: The controller.
        record: Sensed, true and reference values.
        predicted: Torques of the model for the reference motion [N m], shape (n, 7).
        tip: True positions of the tip in base [m], shape (n, 3).
        wanted_tip: Reference positions of the tip in base [m], shape (n, 3).
        speed: Simulated seconds per second.
    """

    name: str
    record: Followed
    predicted: Array
    tip: Vector3
    wanted_tip: Vector3
    speed: float

    @property
    def joint_rms(self) -> Array:
        """Root mean square tracking error of each joint [rad], shape (7,)."""
        return _rms(self.record.error)

    @property
    def joint_max(self) -> Array:
        """Largest tracking error of each joint [rad], shape (7,)."""
        largest: Array = np.abs(self.record.error).max(axis=0)
        return largest

    @cached_property
    def tip_error(self) -> Array:
        """Distance of the tip from its reference [m], shape (n,)."""
        distance: Array = np.linalg.norm(self.tip - self.wanted_tip, axis=1)
        return distance

    @property
    def tip_rms(self) -> float:
        """Root mean square of `tip_error` [m]."""
        return float(_rms(self.tip_error))

    @cached_property
    def smooth_torque(self) -> Array:
        """Sensed torques, smoothed over `SMOOTH` seconds [N m], shape (n, 7)."""
        assert self.record.tau is not None
        window = np.hanning(round(SMOOTH * RATE) + 2)
        window /= window.sum()
        pad = len(window) // 2
        padded = np.pad(self.record.tau, ((pad, len(window) - 1 - pad), (0, 0)), mode="edge")
        return np.stack([np.convolve(x, window, mode="valid") for x in padded.T], axis=1)

    @property
    def torque_mae(self) -> Array:
        """Mean size of sensed less predicted torque of each joint [N m], shape (7,)."""
        assert self.record.tau is not None
        mean: Array = np.abs(self.record.tau - self.predicted).mean(axis=0)
        return mean

    @property
    def smooth_mae(self) -> Array:
        """The same with sensed torques smoothed [N m], shape (7,)."""
        mean: Array = np.abs(self.smooth_torque - self.predicted).mean(axis=0)
        return mean

    @property
    def torque_r2(self) -> Array:
        """R² of each joint's smoothed torque, (7,); NaN where the torque moves by 1 N m or less."""
        error = ((self.smooth_torque - self.predicted) ** 2).mean(axis=0)
        r2: Array = 1.0 - error / self.smooth_torque.var(axis=0)
        return np.where(np.ptp(self.predicted, axis=0) > MOVING, r2, np.nan)


@dataclass(frozen=True)
class Demo:
    """The demo's results.

    Attributes:
        arm: The arm that moved, with its springs and friction.
        robot: The whole robot.
        made: Python code that makes the arm.
        trajectory: The reference motion.
        followers: The runs.
        seconds: Total time [s].
        backend: The backend in use.
    """

    arm: Arm
    robot: Baxter
    made: str
    trajectory: Trajectory
    followers: tuple[Follower, ...]
    seconds: float
    backend: dict[str, object]

    @property
    def joint_names(self) -> tuple[str, ...]:
        """s0 ... w2."""
        return tuple(name.split("_")[-1] for name in self.arm.joint_names)

    @property
    def summary(self) -> str:
        """The results in one line."""
        tips = ", ".join(f"{one.name} {1e3 * one.tip_rms:.2f} mm" for one in self.followers)
        return (
            f"baxterkit {baxterkit.__version__} ({self.backend['backend']}): Smith's circle in the "
            f"twin, tip error (RMS) {tips}; {self.seconds:.1f} s"
        )


def run(
    progress: Callable[[str], None] = lambda text: None,
    robot: str | Path | None = None,
) -> Demo:
    """Plans the motion and runs both controllers.

    Args:
        progress: Called with a description of the current step.
        robot: A robot file to simulate. Its right arm moves, or the only one; arms without springs
            and friction get the nominal ones. None: a nominal robot with grippers.
    """
    start = time.perf_counter()
    matplotlib()  # a missing extra is reported before the work, not after it
    load_mujoco()
    progress("planning Smith's circle (exact inverse kinematics, limits checked)")
    both, side, made = _nominal() if robot is None else _of_file(robot)
    arm = both.arm(side)
    trajectory = smith_set(1, arm)
    controllers: dict[str, Controller] = {
        "computed torque": ComputedTorque(arm),
        "double-loop PID": DoubleLoopPid(arm),
    }
    followers = []
    for name, controller in controllers.items():
        progress(f"{name}: {trajectory.duration:.0f} s in the twin at 1 kHz")
        followers.append(_follow(name, controller, Twin(both, seed=SEED).enable(), arm, trajectory))
    info = baxterkit.backend_info()
    backend = {"backend": info["backend"], "instruction set": info["isa"]}
    seconds = time.perf_counter() - start
    return Demo(arm, both, made, trajectory, tuple(followers), seconds, backend)


def _nominal() -> tuple[Baxter, str, str]:
    """The nominal robot, the side that moves, and the code that makes its arm."""
    left, right = (Arm(side, TOOL).with_effects(nominal_effects()) for side in ("left", "right"))
    made = f'arm = Arm("{SIDE}", "{TOOL}").with_effects(nominal_effects())'
    return Baxter(left, right), SIDE, made


def _of_file(path: str | Path) -> tuple[Baxter, str, str]:
    """The same for a robot file."""
    sides = list(read_arms(path))
    side = SIDE if SIDE in sides else sides[0]
    robot = Baxter.from_file(path)
    known = robot.arm(side).effects is not None
    arms = [
        arm if arm.effects is not None else arm.with_effects(nominal_effects())
        for arm in (robot.left, robot.right)
    ]
    made = f'arm = Arm.from_file({Path(path).name!r}, "{side}")'
    return Baxter(*arms), side, made if known else f"{made}.with_effects(nominal_effects())"


def _follow(
    name: str, controller: Controller, twin: Twin, arm: Arm, trajectory: Trajectory
) -> Follower:
    twin.record_rate = RATE
    start = time.perf_counter()
    record = twin.place_at(trajectory).follow(trajectory, controller, settle=0.0)[arm.side]
    speed = trajectory.duration / (time.perf_counter() - start)
    wanted = record.reference
    assert wanted.qd is not None
    assert wanted.qdd is not None
    return Follower(
        name=name,
        record=record,
        predicted=arm.inverse_dynamics(wanted.q, wanted.qd, wanted.qdd),
        tip=arm.fk(record.truth.q)[:, :3, 3],
        wanted_tip=arm.fk(wanted.q)[:, :3, 3],
        speed=speed,
    )


def _rms(x: Array) -> Array:
    root: Array = np.sqrt(np.mean(x**2, axis=0))
    return root
