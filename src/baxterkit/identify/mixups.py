"""Which two joints were exchanged, or which sign reversed, in recordings that no model explains.

Each of the 21 exchanges and 7 reversals, of all signals or of the torques alone, is undone, and a
rigid arm with plain friction is fitted to some of the rows: the right one explains them far better.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from baxterkit.arm import Arm
from baxterkit.equations.base_parameters import base_parameters
from baxterkit.identify.columns import TILT, Prior
from baxterkit.identify.excitation import EXPLAINED
from baxterkit.identify.preparation import FitRows
from baxterkit.identify.regression import Linear
from baxterkit.model.names import JOINTS
from baxterkit.types import Array, JointVector

ROWS = 600
"""Largest number of rows that are tried."""
FAR_BETTER = 1.15
"""Residuals of the right one are smaller by this factor in the mean of all joints: on recordings of
a real arm by 1.28 or more, those of no other one that leaves no joint unexplained."""
SPEED = 0.03
"""Speed at which dry friction changes its sign [rad/s]."""
QUIETEST = 1e-3
"""Least residual that counts [N m]."""
SIGNALS = "position, velocity and torque"


@dataclass(frozen=True, eq=False)
class _Mixup:
    """What may have happened to the recordings, and how it is undone.

    Attributes:
        text: What it would be.
        motion: Positions are multiplied by this, shape (7, 7).
        tau: Torques are multiplied by this, shape (7, 7).
    """

    text: str
    motion: Array
    tau: Array


def find_mixup(arm: Arm, rows: FitRows, prior: Prior) -> str | None:
    """What explains the torques far better than the rows as they are; None if nothing does.

    Args:
        arm: The arm to start from, without effects.
        rows: The rows.
        prior: Uncertainty of the start.
    """
    stride = -(-len(rows) // ROWS)
    plain = _tried(arm, rows, prior, stride, _Mixup("", np.eye(7), np.eye(7)))
    tried = [(one, _tried(arm, rows, prior, stride, one)) for one in _mixups()]
    best, (left, r2) = min(tried, key=lambda one: float(np.log(one[1][0]).mean()))
    gain = float(np.exp(np.log(plain[0] / left).mean()))
    if gain < FAR_BETTER or r2.min() < EXPLAINED:
        return None
    j = int(np.argmax(r2 - plain[1]))
    return (
        f"{best.text} would explain the torques far better (R² of {JOINTS[j]} {r2[j]:.2f} instead "
        f"of {plain[1][j]:.2f} in a quick fit): correct the recordings and identify again"
    )


def _mixups() -> Iterator[_Mixup]:
    eye = np.eye(7)
    for a, b in itertools.combinations(range(7), 2):
        exchange = eye.copy()
        exchange[[a, b]] = eye[[b, a]]
        pair = f"{JOINTS[a]} and {JOINTS[b]}"
        yield _Mixup(f"exchanging {pair} ({SIGNALS})", exchange, exchange)
        yield _Mixup(f"exchanging the torques of {pair}", eye, exchange)
    for j, name in enumerate(JOINTS):
        reverse = np.diag(np.where(np.arange(7) == j, -1.0, 1.0))
        yield _Mixup(f"the other sign of {name} ({SIGNALS})", reverse, reverse)
        yield _Mixup(f"the other sign of the torque of {name}", eye, reverse)


def _tried(
    arm: Arm, rows: FitRows, prior: Prior, stride: int, mixup: _Mixup
) -> tuple[JointVector, JointVector]:
    """Residuals [N m] and R² of the joints in a quick fit to the mended rows, shape (7,) each."""
    q, qd, qdd = (x[::stride] @ mixup.motion for x in (rows.q, rows.qd, rows.qdd))
    tau = rows.tau[::stride] @ mixup.tau
    beta = base_parameters(arm.model)
    shared = arm.regressor(q, qd, qdd)
    joints = [qd / np.hypot(qd, SPEED), qd, np.ones_like(q), np.sin(q), np.cos(q)]
    information, places = prior.information(arm), np.arange(len(beta))
    first = len(beta) + TILT
    own = (len(information) - first) // 7
    kept = [first + own * j + np.arange(len(joints)) for j in range(7)]
    keep = np.concatenate([places, *kept])
    problem = Linear(
        shared,
        np.stack(joints, axis=-1),
        tau - shared @ beta,
        information[np.ix_(keep, keep)],
        np.maximum(prior.strengths / stride, 1.0),
        (0, 1),
    )
    found = problem.solve((slice(0, len(q)),), robust=False)
    square = np.mean(problem.residuals(found.theta) ** 2, axis=0)
    r2 = 1.0 - square / np.maximum(np.var(tau, axis=0), QUIETEST**2)
    return np.maximum(np.sqrt(square), QUIETEST), r2
