"""Objectives, which choose one of the solutions of a target: by name, and as functions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baxterkit.errors import InputError, UnknownNameError
from baxterkit.kernels.protocol import Kernels
from baxterkit.model.limits import Limits
from baxterkit.types import Array, JointVector

Cost = Callable[[JointVector], Array]
"""Joint positions (n, 7) -> cost to minimise (n,)."""
Objective = str | Cost
"""A name of `OBJECTIVES`, or a `Cost`."""
OBJECTIVES = ("quick", "nearest", "limits", "manipulability", "gravity")
"""The names. All are minimised globally over the self-motion, except "quick", which has no cost."""


def check_objective(objective: Objective) -> None:
    """Raises an `UnknownNameError` if it is neither a name nor a function."""
    if not callable(objective) and not (isinstance(objective, str) and objective in OBJECTIVES):
        raise UnknownNameError("objective", objective, (*OBJECTIVES, "or a function"))


def sound_cost(cost: Cost) -> Cost:
    """A function that was given as an objective, which must give a number for each configuration.

    Where it gives NaN, as the root of a negative number, the cost is infinite: another solution is
    chosen if there is one.

    Raises:
        InputError: When it is called, if it gives something else.
    """

    def checked(q: JointVector) -> Array:
        given, shape = cost(q), q.shape[:-1]
        values = np.asarray(given)
        if values.dtype.kind not in "fiub" or values.size != np.prod(shape):
            what = f"{values.size} values" if values.dtype.kind in "fiub" else type(given).__name__
            raise InputError(
                f"the objective got {np.prod(shape):.0f} joint positions and gave {what}; it takes "
                "an array (n, 7) and gives n values"
            )
        costs = values.astype(np.float64, copy=False).reshape(shape)
        return np.where(np.isnan(costs), np.inf, costs)

    return checked


def cost_of(objective: Objective, seed: JointVector, limits: Limits, kernels: Kernels) -> Cost:
    """The cost function of an objective.

    Args:
        objective: A name other than "quick", or a function, which is returned as it is.
        seed: Joint positions that "nearest" measures from [rad], shape (7,).
        limits: Joint limits that "limits" keeps clear of.
        kernels: The arm's kernels, for "manipulability" and "gravity".
    """
    if not isinstance(objective, str):
        return objective
    half = 0.5 * (limits.upper - limits.lower)

    def crowding(q: JointVector) -> Array:
        most: Array = np.max(np.abs(q - limits.middle) / half, axis=-1)
        return most

    costs: dict[str, Cost] = {
        "nearest": lambda q: np.sum((q - seed) ** 2, axis=-1),
        "limits": crowding,
        "manipulability": lambda q: -np.asarray(kernels.manipulability(q)),
        "gravity": lambda q: np.linalg.norm(kernels.gravity(q), axis=-1),
    }
    return costs[objective]
