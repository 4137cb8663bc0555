"""The demo: two controllers drive the twin's right arm along Smith's circle, and a report."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import baxterkit
from baxterkit import Arm, Baxter, disk
from baxterkit.control import ComputedTorque, DoubleLoopPid
from baxterkit.control.signals import Controller
from baxterkit.plot import torques, tracking
from baxterkit.plot.page import Page
from baxterkit.plot.player import player
from baxterkit.plot.style import matplotlib
from baxterkit.robot_file import read_arms
from baxterkit.sim import Twin, TwinRecording
from baxterkit.sim.build import load_mujoco
from baxterkit.sim.nominal import nominal_effects
from baxterkit.trajectory import smith_set
from baxterkit.types import Array, Vector3

if TYPE_CHECKING:
    from baxterkit.trajectory import Trajectory

__all__ = ["Demo", "Follower", "run", "write_report"]

SIDE = "right"
TOOL = "electric_standard"
SEED = 1
"""Of the sensors' noise."""
RATE = 100.0
"""Rows a second, as the robot publishes."""
FPS = 25.0
"""Pictures a second, and points a second in figures."""
SMOOTH = 0.25
"""Width of the window that sensed torques are smoothed with [s]."""
MOVING = 1.0
"""A joint whose torque moves by more than this [Nm] is judged by R² too."""


@dataclass(frozen=True)
class Follower:
    """One controller's run.

    Attributes:
        name: The controller.
        record: What the twin sensed, what was true and what was wanted.
        predicted: Torques that the model gives for the wanted motion [Nm], shape (n, 7).
        tip: True positions of the tip in base [m], shape (n, 3).
        wanted_tip: Wanted positions [m], shape (n, 3).
        speed: Simulated seconds per second.
    """

    name: str
    record: TwinRecording
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
        """Distance of the tip from where it should be [m], shape (n,)."""
        distance: Array = np.linalg.norm(self.tip - self.wanted_tip, axis=1)
        return distance

    @property
    def tip_rms(self) -> float:
        """Root mean square of `tip_error` [m]."""
        return float(_rms(self.tip_error))

    @cached_property
    def smooth_torque(self) -> Array:
        """Sensed torques, smoothed over `SMOOTH` seconds [Nm], shape (n, 7)."""
        assert self.record.tau is not None
        window = np.hanning(round(SMOOTH * RATE) + 2)
        window /= window.sum()
        pad = len(window) // 2
        padded = np.pad(self.record.tau, ((pad, len(window) - 1 - pad), (0, 0)), mode="edge")
        return np.stack([np.convolve(x, window, mode="valid") for x in padded.T], axis=1)

    @property
    def torque_mae(self) -> Array:
        """Mean size of sensed less predicted torque of each joint [Nm], shape (7,)."""
        assert self.record.tau is not None
        mean: Array = np.abs(self.record.tau - self.predicted).mean(axis=0)
        return mean

    @property
    def smooth_mae(self) -> Array:
        """The same with sensed torques smoothed [Nm], shape (7,)."""
        mean: Array = np.abs(self.smooth_torque - self.predicted).mean(axis=0)
        return mean

    @property
    def torque_r2(self) -> Array:
        """R² of each joint's smoothed torque, (7,); NaN where the torque moves by 1 Nm or less."""
        error = ((self.smooth_torque - self.predicted) ** 2).mean(axis=0)
        r2: Array = 1.0 - error / self.smooth_torque.var(axis=0)
        return np.where(np.ptp(self.predicted, axis=0) > MOVING, r2, np.nan)


@dataclass(frozen=True)
class Demo:
    """The demo's results.

    Attributes:
        arm: The arm that moved, with its springs and friction.
        robot: The whole robot.
        made: How the arm is made, in Python.
        trajectory: What it should do.
        followers: The runs.
        seconds: How long everything took [s].
        backend: What computed.
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
        progress: Told what is being done.
        robot: A robot file to be the twin of. Its right arm moves, or the only one; arms without
            springs and friction get the nominal ones. None: a nominal robot with grippers.
    """
    start = time.perf_counter()
    matplotlib()  # what is missing is said before the work, not after it
    load_mujoco()
    progress("planning Smith's circle (exact inverse kinematics, limits checked)")
    both, side, made = _nominal() if robot is None else _of_file(robot)
    arm: Arm = getattr(both, side)
    trajectory = smith_set(1, arm)
    controllers: dict[str, Controller] = {
        "computed torque": ComputedTorque(arm),
        "double-loop PID": DoubleLoopPid(arm),
    }
    followers = []
    for name, controller in controllers.items():
        progress(f"{name}: {trajectory.duration:.0f} s in the twin at 1 kHz")
        followers.append(_follow(name, controller, Twin(both, seed=SEED), arm, trajectory))
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
    known = getattr(robot, side).effects is not None
    arms = [
        arm if arm.effects is not None else arm.with_effects(nominal_effects())
        for arm in (robot.left, robot.right)
    ]
    made = f'arm = Arm.from_file({Path(path).name!r}, "{side}")'
    return Baxter(*arms), side, made if known else f"{made}.with_effects(nominal_effects())"


def _follow(
    name: str, controller: Controller, twin: Twin, arm: Arm, trajectory: Trajectory
) -> Follower:
    start = time.perf_counter()
    record = twin.follow(controller, trajectory, arm.side, record_rate=RATE)
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


def write_report(demo: Demo, folder: str | Path) -> Path:
    """Writes `report.html`, which holds its pictures and needs no other file.

    Args:
        demo: The results.
        folder: Where to; made if need be.

    Returns:
        The path of the report.
    """
    page = Page(
        "baxterkit demo: Smith's circle in the twin",
        lead=f"A Baxter in simulation follows {_path(demo.arm.side)} with its {demo.arm.side} "
        "hand, once with each of two controllers.",
        footer=f"Made by `baxterkit demo`, version {baxterkit.__version__}, in "
        f"{demo.seconds:.1f} s. Joints in the order s0 s1 e0 e1 w0 w1 w2.",
    )
    tiles: dict[str, object] = {}
    for one in demo.followers:
        tiles[f"tip error, {one.name} (RMS)"] = f"{1e3 * one.tip_rms:.2f} mm"
    best = demo.followers[0]
    tiles["R² of the s1 torque, model against sensed"] = f"{best.torque_r2[1]:.4f}"
    tiles["times real time, 1 kHz loop in Python"] = f"{max(f.speed for f in demo.followers):.0f}"
    page.tiles(tiles)
    page.raw(_player(demo))
    with page.section("Following"):
        page.table(("", *demo.joint_names), _tracking_rows(demo), digits=2)
        page.text(
            "True errors of the joints. Computed torque knows the arm's equations of motion, its "
            "springs and its friction. The double loop is that of the paper, with gravity "
            "compensated: it knows nothing of the motion to come, so it lags."
        )
    with page.section("Torques"):
        page.table(("", *demo.joint_names), _torque_rows(demo), digits=3)
        page.text(
            "What the twin's joints sense (steps of 0.004 Nm, noise) against inverse dynamics of "
            "the wanted motion, in the manner of Smith's Table V. R² is given where a torque moves "
            f"by more than {MOVING:g} Nm, for sensed torques smoothed over {SMOOTH:g} s."
        )
    every = round(RATE / FPS)
    t = best.record.t[::every]
    page.figure(
        tracking(
            t,
            best.record.reference.q[::every],
            {one.name: one.record.truth.q[::every] for one in demo.followers},
            title="Joint positions, wanted and true",
        ),
        caption="Each joint with its error below; root mean squares at the end.",
    )
    assert best.record.tau is not None
    page.figure(
        torques(
            t,
            best.record.tau[::every],
            {"inverse dynamics": best.predicted[::every]},
            title="Torques under computed torque: sensed, and of the model",
        ),
        caption="Sensed torques hold sensor noise and what the controller makes of noisy "
        "velocities; the model is that of the twin.",
    )
    page.heading("Do it yourself")
    page.code(snippet(demo))
    page.facts(
        {
            "twin": "MuJoCo, both arms, series elasticity, springs, friction, sensors",
            "inner loop": "1 kHz",
            "recorded": f"{RATE:g} Hz",
            "simulated": f"{demo.trajectory.duration * len(demo.followers):.0f} s",
            **demo.backend,
        }
    )
    disk.make_folder(folder)
    return page.save(Path(folder) / "report.html")


def _path(side: str) -> str:
    """What the tip should do; the left arm does the mirror image."""
    y = "-0.2 + 0.1 cos t" if side == "right" else "0.2 - 0.1 cos t"
    return f"x = 0.6 + 0.1 sin t, y = {y}, z = 0.1 + 0.1 cos 0.2 t"


def snippet(demo: Demo) -> str:
    """The first row of the report's first table, in Python."""
    nominal = ", nominal_effects" if "nominal_effects" in demo.made else ""
    return f"""from baxterkit import Arm
from baxterkit.control import ComputedTorque
from baxterkit.sim import Twin{nominal}
from baxterkit.trajectory import smith_set

# The controller knows the springs and the friction that the twin has.
{demo.made}
motion = smith_set(1, arm)  # poses -> exact IK -> joint motion, limits checked
record = Twin(arm, seed={SEED}).follow(ComputedTorque(arm), motion, "{demo.arm.side}")
rms = (record.error**2).mean(axis=0) ** 0.5
print((1e3 * rms).round(2), "mrad, joint by joint, as in the table above")
print(record)  # q, qd, tau as sensed; record.truth, record.reference"""


def _player(demo: Demo) -> str:
    every = round(RATE / FPS)
    return player(
        demo.robot,
        demo.arm.side,
        {one.name: one.record.truth.q[::every] for one in demo.followers},
        fps=FPS,
        wanted=demo.followers[0].record.reference.q[::every],
    )


def _tracking_rows(demo: Demo) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for one in demo.followers:
        rows.append((f"{one.name}, RMS [mrad]", *(1e3 * one.joint_rms)))
        rows.append((f"{one.name}, largest [mrad]", *(1e3 * one.joint_max)))
    return rows


def _torque_rows(demo: Demo) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for one in demo.followers:
        rows.append((f"{one.name}, mean |error| [Nm]", *one.torque_mae))
        rows.append((f"{one.name}, smoothed [Nm]", *one.smooth_mae))
        r2 = ["" if np.isnan(x) else f"{x:.4f}" for x in one.torque_r2]
        rows.append((f"{one.name}, R²", *r2))
    return rows
