"""How well an arm followed a motion: tracking errors, and what went wrong."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baxterkit.errors import ControlWarning, ResultError
from baxterkit.types import Array, JointVector

AT_LIMIT = 0.999
"""Share of an effort limit from which a torque counts as saturated."""
MOST_SATURATED = 0.5
"""Share of a run in which a joint may be saturated before the run is no success."""


class Tracked:
    """A record of a motion that was followed: it has times `t` [s], shape (n,), and an `error`.

    Attributes:
        t: Times [s], shape (n,).
        faults: What went wrong, the first of each kind; empty after a success.
    """

    t: Array
    faults: tuple[Fault, ...] = ()

    @property
    def succeeded(self) -> bool:
        """Whether every command was taken, and the torques were not saturated."""
        return not self.faults

    def raise_if_failed(self) -> None:
        """Raises an error if the run was not a success.

        Raises:
            ResultError: With the faults; its `result` is this record.
        """
        if self.faults:
            raise ResultError("; ".join(map(str, self.faults)), self)

    @property
    @abstractmethod
    def error(self) -> Array:
        """Tracking error: wanted less true positions [rad], shape (n, 7)."""

    def rms(self, since: float = 0.0) -> float:
        """Root mean square of the tracking error over joints and times after `since` s [rad]."""
        return float(np.sqrt(np.mean(self.error[self.t >= since] ** 2)))


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
    """The faults of one arm's run; the first of each kind is a `ControlWarning` at once."""

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
