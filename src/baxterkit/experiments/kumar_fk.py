"""Kumar et al., III.B: forward kinematics against PyKDL, and against a golden set of poses."""

from __future__ import annotations

import numpy as np

from baxterkit import recording
from baxterkit.arm import Arm
from baxterkit.experiments.kumar_figures import fk_figure
from baxterkit.experiments.pykdl import kdl_fk, load_pykdl
from baxterkit.experiments.result import Result, Row, compare
from baxterkit.experiments.settings import Settings
from baxterkit.spatial import pose_error
from baxterkit.types import Array, Transform

__all__ = ["run"]

TITLE = "Kumar et al., III.B: forward kinematics"
PAPER_POSITION = 8e-5  # m, average over 5 random poses
PAPER_ORIENTATION = 1.7e-4  # degrees
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
            "PyKDL is not installed for this Python (Debian: `apt install python3-pykdl`), so that "
            "comparison is left out; our NumPy reference stands in for it."
        )
        numpy_arm = Arm("left", backend="numpy")
        label = f"our NumPy reference, {count:,} random poses"
        # No verdict: that we agree with ourselves says nothing about the paper.
        errors["NumPy reference"] = _add(rows, label, arm.fk(q), numpy_arm.fk(q), compared=False)
    else:
        T = kdl_fk(kdl, arm, q)
        _add(rows, "PyKDL, 5 random poses as in the paper", arm.fk(q[:5]), T[:5])
        errors["PyKDL"] = _add(rows, f"PyKDL, {count:,} random poses", arm.fk(q), T)
    settings.progress("kumar_fk: golden set", 0.7)
    files = settings.find("golden_fk/configurations.txt")
    if files and settings.find("golden_fk/poses.txt"):
        golden = recording.load(files[0])
        T = Arm("left", GOLDEN_TOOL).fk(golden.q)
        label = f"golden set, {len(golden):,} poses"
        errors["golden set"] = _add(rows, label, T, golden.T_base_tip)
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


def _add(
    rows: list[Row], label: str, ours: Transform, theirs: Transform, compared: bool = True
) -> Array:
    """Adds position and orientation rows of one comparison; gives the position errors [m]."""
    position, angle = pose_error(ours, theirs)
    section = f"Against {label}"
    figures = (
        ("average position error [m]", PAPER_POSITION, position.mean()),
        ("average orientation error [deg]", PAPER_ORIENTATION, np.degrees(angle).mean()),
        ("largest position error [m]", None, position.max()),
    )
    for quantity, paper, value in figures:
        rows.append(compare(quantity, paper if compared else None, float(value), section=section))
    return position
