"""The options of `Arm.ik` by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from numpy.typing import ArrayLike

from baxterkit.types import Array


class IkOptions(TypedDict, total=False):
    """The keyword options of `Arm.ik`; each method refuses those that it does not have.

    `max_iterations`, `restarts`, `random_seed`, `tolerance` and `trace` are those of
    `baxterkit.ik.iterate.Budget`, for all iterative methods.

    Attributes:
        max_iterations: Steps of one try.
        restarts: Further tries, each from random joint angles within the limits.
        random_seed: Random seed, a non-negative integer.
        tolerance: Largest distance [m] and angle [rad] from the target.
        trace: Whether to record the iterations in `result.trace`.
        step: Step length of Algorithm 1, metres and radians together (`pseudoinverse`,
            `pseudoinverse_restarts`).
        shorten: Whether its last steps get shorter; False: as printed in the paper.
        damping: Factor of the damping (`lm`).
        lever: Weight of the orientation [m] (`ccd`, `ccd_pseudoinverse`).
        sweeps: Sweeps of CCD (`ccd_pseudoinverse`).
        gradient: Joint positions (n, 7) -> gradient (n, 7) of the cost (`nullspace`).
        gain: Gain of its descent (`nullspace`).
        e0: Joint e0 [rad], shape (*batch) (`six_dof_exact`).
    """

    max_iterations: int
    restarts: int
    random_seed: int
    tolerance: float
    trace: bool
    step: float
    shorten: bool
    damping: float
    lever: float
    sweeps: int
    gradient: Callable[[Array], Array]
    gain: float
    e0: ArrayLike
