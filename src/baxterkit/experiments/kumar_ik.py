"""Kumar et al., III.H: how often each inverse kinematics method finds a solution.

Poses are those of random joint positions within the limits, so each of them has a solution. The
paper tells the outcome in words: few with the plain pseudoinverse, drastically more with restarts.
"""

from __future__ import annotations

import time

import numpy as np

from baxterkit.arm import Arm
from baxterkit.experiments.kumar_figures import ik_figure, shown_time
from baxterkit.experiments.result import Result, Row, Verdict
from baxterkit.experiments.settings import Settings
from baxterkit.spatial import pose_error

__all__ = ["run"]

TITLE = "Kumar et al., III.H: solve rates of inverse kinematics"
METHODS = {
    "six_dof": (1000, "closed form with e0 = 0, as the paper has it (corrected)", None),
    "six_dof_exact": (1000, "the same without the 10 mm error", None),
    "pseudoinverse": (1000, "Algorithm 1", "very low"),
    "pseudoinverse_restarts": (1000, "Algorithm 1 with random restarts", "drastically more"),
    "ccd": (100, "cyclic coordinate descent", "no orientation"),
    "ccd_pseudoinverse": (300, "CCD, then Algorithm 1: the paper's future work", None),
    "lm": (1000, "Levenberg-Marquardt with restarts", None),
    "nullspace": (300, "with null space: the paper's future work", None),
    "exact": (1000, "every solution of the geometry", None),
}
"""Method -> poses, what it is, what the paper says of its solve rate."""
NEAR = 0.015
"""How near to the pose an answer counts for the closed form of the paper, 10 mm off by design."""


def run(settings: Settings) -> Result:
    """Counts solved poses; see `baxterkit.experiments`."""
    arm = Arm("left")
    rng = np.random.default_rng(settings.seed)
    q = rng.uniform(arm.limits.lower, arm.limits.upper, (1000, 7))
    targets = arm.fk(q)
    rows: list[Row] = []
    rates: dict[str, float] = {}
    times: dict[str, float] = {}
    for i, (method, (count, about, paper)) in enumerate(METHODS.items()):
        settings.progress(f"kumar_ik: {method}", i / len(METHODS))
        count = max(10, count // 10) if settings.quick else count
        start = time.perf_counter()
        result = arm.ik(targets[:count], method=method)
        times[method] = (time.perf_counter() - start) / count
        solved = np.asarray(result.solved)
        if method == "six_dof":
            solved = _near(arm, np.asarray(result.q), targets[:count])
        rates[method] = 100.0 * float(solved.mean())
        ours = f"{rates[method]:.1f} %, {shown_time(times[method])} a pose"
        label = f"{method}: {about} ({count:,} poses)"
        rows.append(Row(label, paper, ours, _verdict(method, rates)))
    notes = [
        "Reachable poses, joint limits respected, seeded at mid-range; times are of batches on "
        f"one machine. {_locked(arm, targets)}",
        "For comparison, baxter_pykdl (Rethink's own) converges on 971 of 1,000 such poses, and "
        "only 115 of its answers respect the limits.",
    ]
    return Result("kumar_ik", TITLE, rows, {"rates": ik_figure(rates, times)}, notes)


def _near(arm: Arm, q: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Which answers bring the tip within 15 mm."""
    found = np.isfinite(q).all(axis=-1)
    distance = np.full(len(q), np.inf)
    distance[found] = pose_error(arm.fk(q[found]), targets[found])[0]
    return np.asarray(distance <= NEAR)


def _verdict(method: str, rates: dict[str, float]) -> Verdict:
    """How a rate compares with the paper's words."""
    if method == "pseudoinverse":
        return "better" if rates[method] > 50.0 else "same"
    if method == "pseudoinverse_restarts":
        return "same" if rates[method] > rates["pseudoinverse"] else "worse"
    if method == "ccd":
        return "better" if rates[method] > 0.0 else "same"
    return "no number"


def _locked(arm: Arm, targets: np.ndarray) -> str:
    solved = np.isfinite(arm.ik_all(targets[:200], e0=0.0)).all(axis=-1).any(axis=-1).mean()
    return f"With e0 locked at 0, as the closed form does, {100.0 * solved:.0f} % can be reached."
