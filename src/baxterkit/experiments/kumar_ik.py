"""Kumar et al., III.H: how often each inverse kinematics method finds a solution.

Poses are those of random joint positions within the limits, so each of them has a solution. The
paper tells the outcome in words: few with the plain pseudoinverse, drastically more with restarts,
no defined orientation with CCD. Its methods run as they are printed, and corrected.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.experiments.kumar_figures import Bar, ik_figure, shown_time
from baxterkit.experiments.pykdl import kdl_ik, load_pykdl
from baxterkit.experiments.result import Result, Row, Section
from baxterkit.experiments.settings import Settings
from baxterkit.ik import IkResult, Position
from baxterkit.spatial.formulas import pose_error
from baxterkit.types import JointVector, Transform

TITLE = "Kumar et al., III.H: solve rates of inverse kinematics"
PRINTED = "As printed: Algorithm 1 with a fixed step, CCD for positions"
CORRECTED = "Corrected: Algorithm 1 with its step shortened near the goal, to 1e-9 m and rad"
OURS = "Other methods: the paper's future work, and ours"
KDL = "What baxter_pykdl calls (not the robot's IK service): KDL's Newton-Raphson, mid-range seed"
COARSE = 0.01
"""A tolerance that fixed steps can meet [m, rad]; the paper prints none."""
NEAR = 0.015
"""Tolerance for the closed form with L5 = 0, whose tip is 10 mm off by design [m]."""
VERY_LOW = 10.0
"""A solve rate is very low if it is at most this [%]."""
DRASTIC = 2.0
"""An improvement is drastic if failures fall by this factor."""
DEFINED = np.radians(5.0)
"""Answers whose orientation is further off than this, in the median, have none defined [rad]."""
KDL_BEFORE = (
    "Measured with PyKDL 1.5.1 of Debian 12 on 15 November 2026, on the same 1,000 poses with the "
    "same seed: 981 answers, 134 of them within the limits."
)
"""Rows for a machine without PyKDL."""


@dataclass(frozen=True)
class Method:
    """A method whose solve rate is measured.

    Attributes:
        label: Its name in the table.
        name: Its name in `Arm.ik`.
        count: Number of poses.
        section: Heading.
        paper: The paper's words about its solve rate.
        options: Options of `Arm.ik`.
        position_only: Whether the target is the position alone.
    """

    label: str
    name: str
    count: int
    section: str
    paper: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    position_only: bool = False


def _fixed(step: float, tolerance: float) -> dict[str, Any]:
    """Options of Algorithm 1 as printed, with iterations enough to cross the workspace."""
    return {
        "shorten": False,
        "step": step,
        "tolerance": tolerance,
        "max_iterations": round(20.0 / step),
    }


WITHOUT_RESTARTS = "Algorithm 1, step 0.05, to 0.01"
LOW, MORE, NO_ORIENTATION = "very low", "drastic improvement", "no defined orientation"
METHODS = (
    Method("Algorithm 1, step 0.1, to 1e-9", "pseudoinverse", 300, PRINTED, LOW, _fixed(0.1, 1e-9)),
    Method("Algorithm 1, step 0.1, to 0.01", "pseudoinverse", 1000, PRINTED, LOW,
           _fixed(0.1, COARSE)),
    Method(WITHOUT_RESTARTS, "pseudoinverse", 1000, PRINTED, LOW,
           _fixed(0.05, COARSE)),
    Method("with random restarts, step 0.05, to 0.01", "pseudoinverse_restarts", 1000, PRINTED,
           MORE, _fixed(0.05, COARSE)),
    Method("CCD, position alone, to 1 mm", "ccd", 1000, PRINTED, None, {}, position_only=True),
    Method("Algorithm 1", "pseudoinverse", 1000, CORRECTED, None),
    Method("Algorithm 1 with random restarts", "pseudoinverse_restarts", 1000, CORRECTED, None),
    Method("closed form, e0 = 0, L5 = 0, within 15 mm", "six_dof", 1000, CORRECTED),
    Method("closed form, e0 = 0, with L5: exact", "six_dof_exact", 1000, CORRECTED),
    Method("CCD, then Algorithm 1 (future work)", "ccd_pseudoinverse", 300, OURS),
    Method("null-space optimisation (future work)", "nullspace", 300, OURS),
    Method("CCD with orientation, to 1 mm and mrad", "ccd", 100, OURS),
    Method("Levenberg-Marquardt with restarts", "lm", 1000, OURS),
    Method("exact: every solution of the geometry", "exact", 1000, OURS),
)  # fmt: skip


def run(settings: Settings) -> Result:
    """Counts solved poses; see `baxterkit.experiments`."""
    arm = Arm("left")
    rng = np.random.default_rng(settings.seed)
    targets = arm.fk(rng.uniform(arm.limits.lower, arm.limits.upper, (1000, 7)))
    rows: list[Row] = []
    bars: list[Bar] = []
    for i, method in enumerate(METHODS):
        settings.progress(f"kumar_ik: {method.label}", i / (len(METHODS) + 1))
        count = max(10, method.count // 10) if settings.quick else method.count
        some = targets[:count]
        start = time.process_time()
        target = Position(some[:, :3, 3]) if method.position_only else some
        answer: IkResult = arm.ik(target, method=method.name, **method.options)
        seconds = (time.process_time() - start) / count
        solved = np.asarray(answer.solved)
        if method.name == "six_dof":
            solved = _near(arm, np.asarray(answer.q), some)
        rate = 100.0 * float(solved.mean())
        bars.append(Bar(method.label, method.section.split(":")[0].lower(), rate, seconds))
        ours = f"{rate:.1f} %, {shown_time(seconds)} a pose"
        quantity, table = f"{method.label} ({count:,} poses)", Section(method.section)
        if method.paper == MORE:
            before = next(bar.rate for bar in bars if bar.label == WITHOUT_RESTARTS)
            fewer = (100.0 - before) >= DRASTIC * (100.0 - rate)
            rows.append(table.claim(quantity, MORE, ours, fewer))
        elif method.paper == LOW:
            rows.append(table.claim(quantity, LOW, ours, rate <= VERY_LOW))
        else:
            rows.append(table.show(quantity, ours))
        if method.position_only:
            angle = pose_error(arm.fk(np.asarray(answer.q)[solved]), some[solved])[1]
            middle = float(np.median(angle)) if angle.size else np.nan
            quantity = "its answers' orientation, off by in the median [deg]"
            ours_deg = float(np.degrees(middle))
            rows.append(table.claim(quantity, NO_ORIENTATION, ours_deg, middle > DEFINED))
    settings.progress("kumar_ik: PyKDL", len(METHODS) / (len(METHODS) + 1))
    count = 100 if settings.quick else 1000
    rows += _kdl(arm, targets[:count])
    notes = [
        "Reachable poses, joint limits respected, seeded at mid-range; times are of the processor, "
        f"for batches. {_locked(arm, targets)}",
        "The paper prints neither step nor tolerance, and tells its solve rates in words: a very "
        "low one is at most 10 %, a drastic improvement halves the failures. "
        "Algorithm 1 keeps its step, so once the pose is nearer than that it jumps across it: it "
        "meets no small tolerance, and a coarse one from time to time. Corrected, its last steps "
        "are shorter. The closed form as printed reaches no pose: eq. 8 alone is 201 to 309 mm off "
        "(see the errata).",
        "PyKDL's rows are what Rethink's baxter_pykdl calls, on a computer beside the robot. The "
        "robot's own IK service, which the paper calls native, runs on the robot alone and could "
        "not be run here.",
    ]
    if rows[-1].verdict == "not available":
        notes.append(
            "PyKDL is not installed for this Python (Debian: `apt install python3-pykdl`). "
            f"{KDL_BEFORE}"
        )
    return Result("kumar_ik", TITLE, rows, {"rates": ik_figure(bars)}, notes)


def _kdl(arm: Arm, targets: Transform) -> list[Row]:
    """Number of poses that KDL's solver solves, and of solutions within the limits."""
    quantities = (
        f"answers, of {len(targets):,} poses",
        "answers within the limits",
        "the same once whole turns are taken off",
    )
    kdl = load_pykdl()
    if kdl is None:
        return [Section(KDL).unavailable(quantity, None) for quantity in quantities]
    q = kdl_ik(kdl, arm, targets, arm.limits.middle)
    q = q[np.isfinite(q).all(axis=-1)]
    turns = np.round((q - arm.limits.middle) / (2.0 * np.pi))
    counts = (
        len(q),
        int(arm.limits.contains(q).sum()),
        int(arm.limits.contains(q - 2.0 * np.pi * turns).sum()),
    )
    pairs = zip(quantities, counts, strict=True)
    return [Section(KDL).show(quantity, count) for quantity, count in pairs]


def _near(arm: Arm, q: JointVector, targets: Transform) -> NDArray[np.bool_]:
    """Which answers bring the tip within 15 mm."""
    found = np.isfinite(q).all(axis=-1)
    distance = np.full(len(q), np.inf)
    distance[found] = pose_error(arm.fk(q[found]), targets[found])[0]
    return np.asarray(distance <= NEAR)


def _locked(arm: Arm, targets: Transform) -> str:
    solved = np.isfinite(arm.ik_all(targets[:200], e0=0.0)).all(axis=-1).any(axis=-1).mean()
    return (
        f"With e0 locked at 0, as in the closed form, {100.0 * solved:.0f} % of the first 200 can "
        "be reached."
    )
