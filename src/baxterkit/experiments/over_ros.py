"""The papers' experiments on a robot over ROS: only the master's address says which robot.

Nothing here knows whether the robot is real or the twin of `baxterkit ros twin`. The arms move
through the safety gate; errors are those of the robot's own sensors.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from baxterkit import identify, recording
from baxterkit.control import ComputedTorque, Smoothed
from baxterkit.errors import UnknownNameError
from baxterkit.experiments.ju_paper import PAPER_MAX, pose_errors
from baxterkit.experiments.kumar_circle import tip_rows, way_points
from baxterkit.experiments.result import Result, Row, Section
from baxterkit.experiments.settings import Settings
from baxterkit.experiments.smith_twin import cut, trajectories
from baxterkit.model.names import SIDES
from baxterkit.ros.link import RobotLink
from baxterkit.ros.rules import Rules
from baxterkit.ros.topics import TWIN_SERIAL
from baxterkit.sim.nominal import with_known_effects
from baxterkit.trajectory import Trajectory

SIDE = "right"
BANDWIDTH = 12.0
"""Of computed torque over the network [rad/s]: at 100 Hz, with some 20 ms of delay, the usual one
would let the wrist oscillate."""
SPEED = 0.5
"""Share of the velocity limits for the motion to the start of a motion."""
MODES = (
    ("position commands, as the papers sent them", "position", False),
    ("position commands, fed forward", "position", True),
    ("raw position commands", "raw position", True),
    ("velocity commands", "velocity", True),
)


def run(name: str, settings: Settings) -> Result:
    """Runs an experiment on the robot at `settings.ros`.

    Raises:
        UnknownNameError: If it is not one that moves a robot.
        RosError: If there is no robot, or it refuses.
    """
    if name not in OVER_ROS:
        raise UnknownNameError("experiment over ROS", name, OVER_ROS)
    patience = settings.patience
    rules = None if patience is None else Rules(stale=patience, stall=patience)
    with RobotLink(settings.ros, rules=rules) as link:
        link.enable()
        return OVER_ROS[name](link, settings)


def circle(link: RobotLink, settings: Settings) -> Result:
    """Kumar's circle through the robot's interfaces."""
    arm = link.limb(SIDE).arm
    poses, t = way_points(turns=1 if settings.quick else 2)
    start = (
        arm.ik(poses[0], seed=arm.configuration("neutral"), objective="limits").raise_if_failed().q
    )
    path = arm.ik_path(poses, seed=start).q
    motion = Trajectory.from_points(t, path, limits=arm.limits, name="circle").check()
    rows: list[Row] = []
    for i, (label, mode, forward) in enumerate(MODES):
        settings.progress(f"kumar_circle: {label}", i / len(MODES))
        _approach(link, motion)
        done = link.follow(motion, mode=mode, feed_forward=forward, path_tolerance=0.5)[SIDE]
        tip, there = arm.fk(done.q)[:, :3, 3], arm.fk(done.reference.q)[:, :3, 3]
        table = Section(label)
        rows.append(table.show("joint error, RMS [mrad]", 1e3 * done.rms()))
        rows += tip_rows(table, tip, there)
    return _result("kumar_circle", "Kumar et al., IV.E: a circle over ROS", rows, link)


def tuck(link: RobotLink, settings: Settings) -> Result:
    """Ju's experiment 2: tip poses of the robot while it untucks and tucks, against the models."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tuck.bag"
        with link.record(path):
            settings.progress("ju_tuck: untucking", 0.1)
            untucked = link.untuck(speed=SPEED).arrived
            settings.progress("ju_tuck: tucking", 0.5)
            tucked = link.tuck(speed=SPEED).arrived
        recordings = {side: recording.load(path, side=side) for side in SIDES}
    arrived = f"{'yes' if untucked else 'no'}, {'yes' if tucked else 'no'}"
    rows.append(Section("The motion").show("arrived untucked, tucked", arrived))
    for side, rec in recordings.items():
        fit = identify.mount(rec, "auto")
        models = {"the robot's own description": link.limb(side).arm, "fitted mount": fit.arm}
        for name, arm in models.items():
            heading = f"Model against the robot's tip, {name}: x y z [mm], roll pitch yaw [mrad]"
            values = np.abs(pose_errors(arm, rec)).max(axis=0)
            table = Section(heading, alike=False)
            rows.append(table.compare(f"{side} arm, largest", PAPER_MAX[side], values))
    return _result("ju_tuck", "Ju et al. 2014, experiment 2: untucking and tucking over ROS", rows,
                   link)  # fmt: skip


def smith(link: RobotLink, settings: Settings) -> Result:
    """Smith's three sets under computed torque, gravity compensation suppressed."""
    arm = link.limb(SIDE).arm
    model = with_known_effects(arm)
    rows: list[Row] = []
    for number, whole in trajectories(arm).items():
        motion = cut(whole, 4.0) if settings.quick else whole
        settings.progress(f"smith_twin: set {number}", (number - 1) / 3.0)
        _approach(link, motion)
        controller = Smoothed(ComputedTorque(model, kp=BANDWIDTH**2))
        done = link.follow(motion, controller, path_tolerance=0.5, settle=0.0)[
            SIDE
        ]  # a motion that was cut off does not end at rest
        wanted = motion.sample(done.t)
        torque = model.inverse_dynamics(wanted.q, wanted.qd, wanted.qdd)
        tip, there = arm.fk(done.q)[:, :3, 3], arm.fk(done.reference.q)[:, :3, 3]
        error = 1e3 * np.linalg.norm(tip - there, axis=1)
        off = np.abs(done.required("tau") - torque).mean(axis=0)
        table = Section(f"Set {number}")
        rows += [
            table.show("joint error, RMS [mrad]", 1e3 * done.rms()),
            table.show("tip error, RMS [mm]", float((error**2).mean() ** 0.5)),
            table.show("sensed torque - model, mean of |.| [N m]", off),
        ]
    return _result("smith_twin", "Smith et al. 2016: the three sets over ROS", rows, link)


OVER_ROS: dict[str, Callable[[RobotLink, Settings], Result]] = {
    "kumar_circle": circle,
    "ju_tuck": tuck,
    "smith_twin": smith,
}
"""Experiments that move a robot."""


def _approach(link: RobotLink, motion: Trajectory) -> None:
    """To the start of a motion, through "neutral" if the straight path is not clear."""
    if np.abs(link.limb(SIDE).q - motion.start).max() > 0.005:
        if np.abs(link.limb(SIDE).q - motion.start).max() > 0.5:
            link.move_to("neutral", "neutral", speed=SPEED)
        link.move_to(right=motion.start, speed=SPEED)


def _result(name: str, title: str, rows: list[Row], link: RobotLink) -> Result:
    notes = [
        f"Run over ROS on the robot {link.serial!r}; the master's address alone says which robot "
        f"it is. Errors are those of its own sensors.",
    ]
    return Result(name, title, rows, {}, notes, is_synthetic=link.serial == TWIN_SERIAL)
