"""Kumar et al., IV.E: a circle of way-points, each by inverse kinematics, sent to the robot.

The paper sends joint angles of close way-points through the robot's own position interface, in
Gazebo, and shows a picture of the result. Here the twin takes Gazebo's place, and the tip's error
is measured.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.experiments.kumar_figures import circle_figure
from baxterkit.experiments.result import Result, Row, Section
from baxterkit.experiments.settings import Settings
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory, tool_down
from baxterkit.types import Array, JointVector, Transform, Vector3

TITLE = "Kumar et al., IV.E: a circle through the position interface, in the twin"
CENTER = (0.75, -0.25, 0.15)
RADIUS = 0.12
PERIOD = 12.0
WAY_POINT_RATE = 20.0
"""Way-points per second; all these are our choice, since the paper prints none of them."""
MODES = ("position", "raw position", "velocity")
IK_METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "Algorithm 1 as printed, step 0.01, to 0.01": (
        "pseudoinverse",
        {"shorten": False, "step": 0.01, "tolerance": 0.01, "max_iterations": 2000},
    ),
    "Algorithm 1 corrected, to 1e-9": ("pseudoinverse", {}),
    "exact": ("auto", {}),
}
"""Name of a solver -> method and options; the path of the last one is followed."""


def run(settings: Settings) -> Result:
    """Runs the circle in each mode; see `baxterkit.experiments`."""
    arm = Arm("right", "electric_standard")
    poses, t = way_points(turns=1 if settings.quick else 2)
    rows: list[Row] = []
    path: JointVector = np.empty((0, 7))
    for i, (label, (method, options)) in enumerate(IK_METHODS.items()):
        settings.progress(f"kumar_circle: inverse kinematics, {label}", 0.07 * i)
        path, solved, seconds = _solve(arm, poses, method, options)
        table = Section(f"Way-points: {label}")
        rows += [
            table.show("solved [%]", 100.0 * solved),
            table.show("time a way-point, of the processor [µs]", 1e6 * seconds),
        ]
    trajectory = Trajectory.from_points(t, path, limits=arm.limits, name="circle").check()
    robot = Baxter(right=arm)
    tips: dict[str, Vector3] = {}
    wanted: Vector3 = np.empty((0, 3))
    times: Array = np.empty(0)
    for i, mode in enumerate(MODES):
        settings.progress(f"kumar_circle: {mode} commands", 0.2 + 0.8 * i / len(MODES))
        twin = Twin(robot, seed=settings.seed).enable().place_at(trajectory)
        twin.command_rate = WAY_POINT_RATE
        record = twin.follow(trajectory, mode=mode, feed_forward=False, settle=0.0)["right"]
        times, wanted = record.t, arm.fk(record.reference.q)[:, :3, 3]
        tips[mode] = arm.fk(record.truth.q)[:, :3, 3]
        table = Section(f"In the twin: {mode} commands at {WAY_POINT_RATE:g} Hz")
        rows += tip_rows(table, tips[mode], wanted)
    notes = [
        f"Circle of {RADIUS:g} m about {CENTER} m in the vertical plane across the robot, "
        f"{PERIOD:g} s a turn, {WAY_POINT_RATE:g} way-points a second. The paper prints neither "
        "these nor an error; it judges by the eye.",
        "Everything here is simulated. The twin follows the exact solver's joint path; it filters "
        "position commands, and so lags them by 0.4 s times the speed, as a real robot was seen to "
        "do; raw commands skip most of that, velocity commands all of it. How far the tip is from "
        "the circle as a shape does not count the lag.",
    ]
    shown = path[len(path) // 3]
    figures = {"circle": circle_figure(times, wanted, tips, CENTER, RADIUS, robot, shown)}
    return Result("kumar_circle", TITLE, rows, figures, notes, is_synthetic=True)


def way_points(turns: int = 2) -> tuple[Transform, Array]:
    """Poses of the tip along the circle, hand pointing down, and their times.

    Returns:
        T_base_tip, shape (n, 4, 4), and times [s], shape (n,). The circle has smooth ramps at both
        ends.
    """
    duration = turns * PERIOD + 2.0
    t = np.arange(round(duration * WAY_POINT_RATE) + 1) / WAY_POINT_RATE
    # The angle's speed rises and falls within two seconds, as a cosine.
    speed = np.minimum(
        1.0, 0.5 - 0.5 * np.cos(np.pi * np.clip(np.minimum(t, duration - t) / 2, 0, 1))
    )
    angle = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]))]) / WAY_POINT_RATE
    angle *= 2.0 * np.pi * turns / angle[-1]
    poses = np.tile(np.eye(4), (len(t), 1, 1))
    poses[:, :3, :3] = tool_down()
    poses[:, :3, 3] = CENTER
    poses[:, 1, 3] += RADIUS * np.cos(angle)
    poses[:, 2, 3] += RADIUS * np.sin(angle)
    return poses, t


def tip_rows(table: Section, tip: Vector3, wanted: Vector3) -> list[Row]:
    """Errors of a tip that followed the circle; positions in base [m], shape (n, 3) each."""
    error = 1e3 * np.linalg.norm(tip - wanted, axis=1)
    return [
        table.show("tip error, RMS [mm]", float((error**2).mean() ** 0.5)),
        table.show("tip error, largest [mm]", float(error.max())),
        table.show("off the circle itself, largest [mm]", 1e3 * float(shape_error(tip).max())),
    ]


def shape_error(tip: Vector3) -> Array:
    """Distance of points from the circle as a curve, regardless of time [m], shape (n,)."""
    offset = tip - np.array(CENTER)
    radial = np.hypot(offset[:, 1], offset[:, 2]) - RADIUS
    distance: Array = np.hypot(radial, offset[:, 0])
    return distance


def _solve(
    arm: Arm, poses: Transform, method: str, options: dict[str, Any]
) -> tuple[JointVector, float, float]:
    """Joint positions of the way-points, each from the one before; share solved; seconds each."""
    q = arm.ik(poses[0], seed=arm.configuration("neutral"), objective="limits").raise_if_failed().q
    path = np.empty((len(poses), 7))
    solved = 0
    start = time.process_time()
    for i, T in enumerate(poses):
        answer = arm.ik(T, seed=q, method=method, **options)
        if bool(answer.solved):
            q = answer.q
            solved += 1
        path[i] = q
    return path, solved / len(poses), (time.process_time() - start) / len(poses)
