"""Kumar et al., III.B: forward kinematics against PyKDL, and against a golden set of poses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from baxterkit import recording
from baxterkit.arm import Arm
from baxterkit.experiments.kumar_figures import fk_figure
from baxterkit.experiments.pykdl import kdl_fk, load_pykdl
from baxterkit.experiments.result import Result, Row, compare, unavailable
from baxterkit.experiments.settings import Settings
from baxterkit.model.lengths import arm_lengths
from baxterkit.spatial import pose_error
from baxterkit.types import Array, Transform

__all__ = ["run"]

TITLE = "Kumar et al., III.B: forward kinematics"
PAPER_POSITION = 8e-5  # m, average over 5 random poses
PAPER_ORIENTATION = 1.7e-4  # degrees
PAPER_D3 = 0.36435  # m
TRUE_D3 = arm_lengths().d3
FIVE = "Against PyKDL, 5 random poses as in the paper"
POSITION = "average position error [m]"
ORIENTATION = "average orientation error [deg]"
GOLDEN_TOOL = "electric_extended"


def run(settings: Settings) -> Result:
    """Runs the comparison; see `baxterkit.experiments`."""
    rows: list[Row] = []
    notes: list[str] = []
    errors: dict[str, Array] = {}
    rng = np.random.default_rng(settings.seed)
    arm = Arm("left")
    count = 200 if settings.quick else 2000
    q = rng.uniform(arm.limits.lower, arm.limits.upper, (count, 7))
    settings.progress("kumar_fk: PyKDL", 0.0)
    kdl = load_pykdl()
    if kdl is None:
        notes.append(
            "PyKDL is not installed for this Python (Debian: `apt install python3-pykdl`), so the "
            "paper's comparison is not available; our NumPy reference stands in for it, without a "
            "verdict: that we agree with ourselves says nothing about the paper."
        )
        rows += [
            unavailable(quantity, paper, section=FIVE)
            for quantity, paper in ((POSITION, PAPER_POSITION), (ORIENTATION, PAPER_ORIENTATION))
        ]
        label = "NumPy reference"
        T = Arm("left", backend="numpy").fk(q)
    else:
        label = "PyKDL"
        T = kdl_fk(kdl, arm, q)
        _add(rows, FIVE, arm.fk(q[:5]), T[:5], compared=True)
        notes.append(
            "PyKDL's chain is made from our model's joint origins, which are those of Rethink's "
            "URDF, so this compares the computation; the golden set compares the numbers, too. "
            "Which five poses the paper took, it does not say."
        )
    errors[f"ours against {label}"] = _add(
        rows, f"Against {label}, {count:,} random poses", arm.fk(q), T
    )
    printed = _printed(arm)
    section = f"The paper's Table I as printed, against {label}, {count:,} random poses"
    errors[f"the paper's Table I against {label}"] = _add(rows, section, printed.fk(q), T)
    notes.append(
        f"The paper's Table I has d3 = {PAPER_D3} m where the robot has {TRUE_D3} m: 0.07 mm at "
        "every pose, most of the 0.08 mm that the paper prints (see the errata)."
    )
    settings.progress("kumar_fk: golden set", 0.7)
    files = settings.find("golden_fk/configurations.txt")
    if files and settings.find("golden_fk/poses.txt"):
        golden = recording.load(files[0])
        T = Arm("left", GOLDEN_TOOL).fk(golden.q)
        section = f"Against the golden set, {len(golden):,} poses (not in the paper)"
        errors["ours against the golden set"] = _add(rows, section, T, golden.T_base_tip)
        notes.append(
            "The golden set was computed elsewhere from Rethink's URDF, which writes π/2 as "
            "1.57079632679; that alone makes some 1e-11 m."
        )
    else:
        notes.append(
            "No golden set (golden_fk/configurations.txt, poses.txt): point to it with --data DIR "
            "or BAXTERKIT_DATA=DIR."
        )
    return Result("kumar_fk", TITLE, rows, {"errors": fk_figure(errors, PAPER_POSITION)}, notes)


def _printed(arm: Arm) -> Arm:
    """The arm with the paper's d3 in place of the robot's: e1 lies 0.07 mm nearer to e0."""
    model = arm.model
    joints = list(model.joints)
    T = np.array(joints[3].T_parent_joint)
    T[:3, 3] += np.array(joints[2].axis) * (PAPER_D3 - TRUE_D3)
    joints[3] = replace(joints[3], T_parent_joint=T)
    return Arm.from_model(replace(model, joints=tuple(joints)))


def _add(
    rows: list[Row], section: str, ours: Transform, theirs: Transform, *, compared: bool = False
) -> Array:
    """Adds position and orientation rows of one comparison; gives the position errors [m]."""
    position, angle = pose_error(ours, theirs)
    figures = (
        (POSITION, PAPER_POSITION, position.mean()),
        (ORIENTATION, PAPER_ORIENTATION, np.degrees(angle).mean()),
        ("largest position error [m]", None, position.max()),
    )
    for quantity, paper, value in figures:
        rows.append(compare(quantity, paper if compared else None, float(value), section=section))
    return position
