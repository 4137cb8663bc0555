"""Postures by name, such as "elbow up", to choose among the solutions of a target.

With S, E and W the origins of the frames of s1, e1 and w1 (shoulder, elbow and wrist), the elbow's
offset is the part of E - S normal to the line from S to W,

    d = (E - S) - ((E - S)·a) a,     a = (W - S) / |W - S|.

"elbow_up" looks at d·z, the height of the elbow above that line [m]; "elbow_out" at d·y for the
left arm and -d·y for the right one, its distance from the line away from the robot's middle. z and
y are axes of base. A solution is elbow up (or out) if the number is positive, and the more so the
greater it is. A reference posture asks for solutions whose joints are all within a quarter turn of
it (a wrist or an elbow that is turned over is not), the nearer the better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.checks.units import warn_if_degrees
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik.exact_solver import ExactSolver, joined_rows
from baxterkit.ik.objectives import Cost, Objective, cost_of
from baxterkit.ik.result import IkResult, IkStatus
from baxterkit.kernels import SEED_LIMIT
from baxterkit.kernels.protocol import Kernels
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, JointVector, Transform

POSTURES = ("elbow_up", "elbow_out")
"""The postures that have a name."""
QUARTER_TURN = 0.5 * np.pi
"""Largest distance of a joint from a reference posture [rad]."""
UNWANTED = 1e6
"""Added to the cost of solutions in another posture, far above any cost within."""
_SHOULDER, _ELBOW, _WRIST = 1, 3, 5  # rows of link_poses


@dataclass(frozen=True)
class PostureRule:
    """A posture of one arm.

    Attributes:
        words: Its description, for messages.
        margin: Joint positions (n, 7) -> distance to the boundary of the posture, (n,); positive
            inside, in metres or radians.
        cost: Joint positions (n, 7) -> costs (n,), least at the best posture.
    """

    words: str
    margin: Callable[[JointVector], Array]
    cost: Cost

    def keeps(self, q: JointVector) -> NDArray[np.bool_]:
        """Whether joint positions (n, 7) are in this posture, shape (n,)."""
        return np.asarray(self.margin(q) > 0.0)

    def among(self, cost: Cost) -> Cost:
        """A cost that prefers every solution in this posture to any other one."""

        def combined(q: JointVector) -> Array:
            margin = self.margin(q)
            return np.where(margin > 0.0, cost(q), UNWANTED - margin)

        return combined


def posture_rule(posture: str | ArrayLike, model: ArmModel, kernels: Kernels) -> PostureRule:
    """The rule of a posture.

    Args:
        posture: A name of `POSTURES`, or joint positions [rad], shape (7,).
        model: The arm.
        kernels: Its kernels.

    Raises:
        UnknownNameError: If there is no posture of that name.
        InputError: If the arm is not Baxter's.
        ShapeError: If a reference posture does not have shape (7,).
    """
    if isinstance(posture, str):
        if posture not in POSTURES:
            raise UnknownNameError("posture", posture, (*POSTURES, "or 7 joint positions"))
        if not model.is_baxter_geometry:
            raise InputError("postures by name are for Baxter's geometry; give joint positions")
        axis = np.array([0.0, 0.0, 1.0])
        words = "the elbow above the line from shoulder to wrist"
        if posture == "elbow_out":
            axis = np.array([0.0, 1.0 if model.side == "left" else -1.0, 0.0])
            words = "the elbow outside the line from shoulder to wrist"

        def offset(q: JointVector) -> Array:
            along: Array = elbow_offset(kernels, q) @ axis
            return along

        return PostureRule(words, offset, lambda q: -offset(q))
    reference = model.joint_values(posture, "posture")
    if reference.shape != (model.dof,):
        raise ShapeError(f"posture must be a name or 7 joint positions, got {reference.shape}")
    if float(np.abs(reference).max()) > SEED_LIMIT:
        raise InputError(f"posture holds an angle beyond ±{SEED_LIMIT:g} rad")
    warn_if_degrees(reference, "posture", model)
    return PostureRule(
        "every joint within a quarter turn of the reference posture",
        lambda q: QUARTER_TURN - np.abs(q - reference).max(axis=-1),
        lambda q: np.sum((q - reference) ** 2, axis=-1),
    )


def elbow_offset(kernels: Kernels, q: JointVector) -> Array:
    """The elbow's offset d from the line between shoulder and wrist, in base [m], (*batch, 3)."""
    p = kernels.link_poses(q)[..., :3, 3]
    arm, whole = p[..., _ELBOW, :] - p[..., _SHOULDER, :], p[..., _WRIST, :] - p[..., _SHOULDER, :]
    along = np.sum(arm * whole, axis=-1) / np.sum(whole**2, axis=-1)
    offset: Array = arm - along[..., None] * whole
    return offset


def best_in_posture(
    rule: PostureRule,
    solver: ExactSolver,
    T: Transform,
    seeds: JointVector,
    objective: Objective,
    model: ArmModel,
    kernels: Kernels,
) -> IkResult:
    """Answers for n poses in a row, the best of those in a posture."""
    rows = []
    for i, seed in enumerate(seeds):
        cost = rule.cost
        if objective != "quick":
            cost = rule.among(cost_of(objective, seed, model.limits, kernels))
        rows.append(solver.many(T[i : i + 1], seed[None], cost))
    row = joined_rows(rows, model.joint_names)
    solved = np.asarray(row.status == IkStatus.SOLVED)
    missed = solved.copy()
    missed[solved] = ~rule.keeps(row.q[solved]) if solved.any() else False
    row.status[missed] = IkStatus.POSTURE
    row.q[missed] = np.nan
    row.position_error[missed] = row.orientation_error[missed] = np.nan
    return row
