"""What went wrong while an arm followed a motion: said at once, and kept in the result."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baxterkit.errors import ControlWarning
from baxterkit.types import Array, JointVector

AT_LIMIT = 0.999
"""Share of an effort limit from which a torque counts as saturated."""
MOST_SATURATED = 0.5
"""Share of a run in which a joint may be saturated before the run is no success."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of failure in a run.

    Attributes:
        kind: "command" (none was sent: the controller failed, or the robot refused it), "held" (the
            robot held the arm, without a valid command) or "saturated".
        t: When it happened first [s].
        message: What happened then, with the joint where it is one joint's.
        count: How often it happened.
    """

    kind: str
    t: float
    message: str
    count: int

    def __str__(self) -> str:
        often = f" ({self.count} times)" if self.count > 1 else ""
        return f"t = {self.t:.3f} s: {self.message}{often}"


class FaultLog:
    """Collects the faults of one arm's run; the first of each kind is a `ControlWarning` at once.

    Args:
        side: The arm.
    """

    def __init__(self, side: str) -> None:
        self._side = side
        self._found: dict[str, Fault] = {}

    def note(self, kind: str, t: float, message: str) -> None:
        """Notes a fault at the time `t` [s] of the run."""
        known = self._found.get(kind)
        if known is not None:
            self._found[kind] = Fault(kind, known.t, known.message, known.count + 1)
            return
        fault = self._found[kind] = Fault(kind, t, message, 1)
        warnings.warn(f"{self._side} arm, {fault}", ControlWarning, stacklevel=2)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All that was noted, one for each kind."""
        return tuple(self._found.values())


def saturation(
    t: Array, tau: JointVector, effort: JointVector, names: Sequence[str]
) -> tuple[float, str] | None:
    """Whether a joint was at its effort limit for most of a run.

    Args:
        t: Times [s], shape (n,).
        tau: Torques [N m], shape (n, 7); NaN where none is known.
        effort: Effort limits [N m], shape (7,).
        names: Names of the joints.

    Returns:
        The time when it began [s], and a sentence about the worst joint; None if there is none.
    """
    if not len(t):
        return None
    full = np.abs(tau) >= AT_LIMIT * effort
    share = full.mean(axis=0)
    j = int(np.argmax(share))
    if share[j] <= MOST_SATURATED:
        return None
    first = float(t[np.argmax(full[:, j])])
    return first, (
        f"{names[j]} was at its effort limit of {effort[j]:g} N m in {100.0 * share[j]:.0f} % of "
        "the run; slow the motion down or lower the gains"
    )
