"""Ju et al. 2014, experiment 2: tip poses while the robot tucks and untucks its arms, in the twin.

The paper records joint angles and tip poses of a Baxter that moves from the tucked to the untucked
configuration and back, and compares the poses with its model at the same angles. Here the robot is
a twin of one real robot, with its measured mounts. So the model with nominal mounts has
errors as on a real robot, and the model with the mount fitted to the twin's own recording has not.
"""

from __future__ import annotations

import numpy as np

from baxterkit import identify
from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.experiments.ju_figures import tuck_figure
from baxterkit.experiments.ju_paper import pose_errors, pose_rows
from baxterkit.experiments.result import Result, Row, Section
from baxterkit.experiments.settings import Settings
from baxterkit.model.names import SIDES
from baxterkit.recording import Recording
from baxterkit.sim import Twin
from baxterkit.spatial.formulas import matrix_to_quaternion
from baxterkit.types import Array

TITLE = "Ju et al. 2014, experiment 2: untucking and tucking in the twin"
TOOL = "hand"
ROBOT = "pykdl_robot"
"""The mounts of one real robot, as its description gives them."""
TUCKED = 0.008726646
"""An arm has arrived when its joints are this near [rad]; as in the robot's own examples."""
RATE = 100.0
"""Rows per second."""
DURATION = 8.0
"""Time in which a move goes from start to end [s]."""
TIMEOUT = 15.0
"""Timeout of a move [s]."""


def run(settings: Settings) -> Result:
    """Untucks and tucks; see `baxterkit.experiments`."""
    settings.progress("ju_tuck: the twin moves", 0.0)
    robot = Baxter(*(Arm(side, TOOL, mount=ROBOT) for side in SIDES))
    twin = Twin(robot, seed=settings.seed, start="tuck").enable()
    recordings, moves = tuck(twin)
    rows: list[Row] = []
    errors: dict[str, dict[str, Array]] = {}
    for i, side in enumerate(SIDES[::-1]):
        settings.progress(f"ju_tuck: {side} arm", 0.6 + 0.2 * i)
        rec = recordings[side]
        models = {"nominal mount": Arm(side, TOOL), "fitted mount": identify.mount(rec, TOOL).arm}
        errors[side] = {name: pose_errors(arm, rec) for name, arm in models.items()}
        for name, values in errors[side].items():
            table = Section(f"Model against the twin's tip, {name}", synthetic=True)
            rows += pose_rows(table, side, values)
    rows.sort(key=lambda row: "fitted" in row.section)
    table = Section("The motion")
    for name, (arrived, seconds, contacts) in moves.items():
        words = f"{'yes' if arrived else 'no'}, {contacts or 'none'}"
        rows += [
            table.show(f"to {name}: time taken [s]", seconds),
            table.show(f"to {name}: arrived, parts that touched", words),
        ]
    notes = [
        "The robot is simulated, so there is no verdict; ju_pose has real robots, in other "
        "motions.",
        f"Twin with the mounts of one real robot ({ROBOT}) and no gripper. The tip poses are "
        "the true ones, the angles are sensed ones (steps of 2π/16384 rad, and noise): with the "
        "right mount the model is off by that alone. Numbers side by side are x y z [mm], then "
        "roll pitch yaw [mrad].",
    ]
    figures = {
        "fig8_left": tuck_figure(
            recordings["left"],
            Arm("left", TOOL),
            errors["left"],
            title="Ju, Fig. 8, in the twin: untucking and tucking, left arm",
            robot="twin",
        )
    }
    return Result("ju_tuck", TITLE, rows, figures, notes, is_synthetic=True)


def tuck(twin: Twin) -> tuple[dict[str, Recording], dict[str, tuple[bool, float, str]]]:
    """Untucks and tucks both arms with position commands, and records.

    All joints arrive together, on a straight line in joint space: with each at its own speed, as a
    single position command moves them, the hands meet and the elbows touch the head in between.

    Args:
        twin: A twin with tucked arms.

    Returns:
        For each side sensed angles and true tip poses at 100 Hz; and for each configuration
        whether it was reached, in how many seconds, and which parts touched.
    """
    rows = [_row(twin)]
    moves = {}
    for name in ("untuck", "tuck"):
        start, arrived = twin.t, False
        touched: set[tuple[str, str]] = set()
        begin = [limb.q.copy() for limb in twin.limbs]
        end = [limb.arm.configuration(name) for limb in twin.limbs]
        while not arrived and twin.t - start < TIMEOUT:
            done = min((twin.t - start) / DURATION, 1.0)
            goals = [a + done * (b - a) for a, b in zip(begin, end, strict=True)]
            for limb, goal in zip(twin.limbs, goals, strict=True):
                limb.command_position(goal)
            twin.wait(1.0 / RATE)
            off = [limb.published.q - goal for limb, goal in zip(twin.limbs, goals, strict=True)]
            arrived = done == 1.0 and float(np.abs(off).max()) <= TUCKED
            rows.append(_row(twin))
            touched |= set(twin.contacts)
        names = ", ".join(" and ".join(pair) for pair in sorted(touched))
        moves[name] = (arrived, twin.t - start, names)
    t = np.array([time for time, _ in rows])
    recordings = {}
    for i, limb in enumerate(twin.limbs):
        q = np.array([both[i][0] for _, both in rows])
        T = np.array([both[i][1] for _, both in rows])
        recordings[limb.side] = Recording(
            t=t,
            q=q,
            position=T[:, :3, 3],
            quaternion=matrix_to_quaternion(T[:, :3, :3]),
            side=limb.side,
            source="twin, untuck and tuck",
        )
    return recordings, moves


def _row(twin: Twin) -> tuple[float, list[tuple[Array, Array]]]:
    """Time [s], and for each arm sensed angles, (7,), and the true pose of the tip, (4, 4)."""
    return twin.t, [(limb.q, limb.true_tip) for limb in twin.limbs]
