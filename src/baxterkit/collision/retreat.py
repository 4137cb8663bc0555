"""A short path out of a slight collision: small steps along which the clearance grows."""

from __future__ import annotations

import numpy as np

from baxterkit.collision.checker import Checker
from baxterkit.errors import InputError, NoAnswerError
from baxterkit.model.limits import Limits
from baxterkit.types import Array

STEP = 0.02
"""Longest step [rad]."""
DIRECTIONS = 64
"""Directions tried in each step: the gradient of the clearance, and random ones."""
SLIGHTLY_BEYOND = 0.02
"""Joints beyond a limit by this [rad] are brought inside by the first step."""
HALVINGS = 5
"""Of a step, while no direction brings more clearance."""


class RetreatError(NoAnswerError):
    """No path out of a collision was found within the joint motion allowed.

    Attributes:
        pair: Names of the links that still touch.
        clearance: Their clearance where the path ended [m].
        moved: How far the joints had moved by then [rad].
        wanted: The required clearance [m].
    """

    def __init__(
        self, pair: tuple[str, str], clearance: float, moved: float, wanted: float = 0.0
    ) -> None:
        super().__init__(pair, clearance, moved, wanted)
        self.pair, self.clearance, self.moved, self.wanted = pair, clearance, moved, wanted

    def __str__(self) -> str:
        gap = 1e3 * self.clearance
        still = f"{-gap:.1f} mm inside each other" if gap < 0.0 else f"{gap:.1f} mm apart"
        return (
            f"no path to a clearance of {1e3 * self.wanted:g} mm: {self.pair[0]} and "
            f"{self.pair[1]} are still {still} after {self.moved:.2f} rad; move the arm by hand, "
            "allow a longer path with most=, or correct the world"
        )


def retreat(
    checker: Checker,
    q: Array,
    columns: slice,
    limits: tuple[Limits, Limits],
    head: float,
    clearance: float,
    most: float,
) -> Array:
    """Configurations out of a collision, the clearance greater at each than before.

    Args:
        checker: The checks.
        q: Joint positions of both arms [rad], shape (14,).
        columns: The joints that move.
        limits: Limits of the left and the right arm.
        head: Pan of the head [rad].
        clearance: What is wanted [m].
        most: Greatest length of the path in joint space [rad].

    Returns:
        The path, its start first [rad], shape (n, 14).

    Raises:
        RetreatError: If none was found.
        InputError: If a joint that moves is beyond its limits.
    """
    lower, upper = (np.concatenate([getattr(x, n) for x in limits]) for n in ("lower", "upper"))
    beyond = np.maximum(lower - q, q - upper)[columns]
    if beyond.max() > SLIGHTLY_BEYOND:
        joint = columns.start + int(np.argmax(beyond))
        names = [name for x in limits for name in x.names]
        raise InputError(
            f"{names[joint]} = {q[joint]:.6f} rad is outside its limits [{lower[joint]:.6f}, "
            f"{upper[joint]:.6f}]; move it inside first"
        )
    random = np.random.default_rng(0)
    path, step, moved = [q], STEP, 0.0
    near = checker.nearest(q[:7], q[7:], head)
    while near.clearance < clearance:
        here = path[-1]
        directions = np.zeros((DIRECTIONS, 14))
        directions[:, columns] = random.normal(size=(DIRECTIONS, columns.stop - columns.start))
        directions[0, columns] = near.gradient[columns]
        size = np.linalg.norm(directions, axis=-1, keepdims=True)
        tried = np.clip(here + step * directions / np.where(size > 0.0, size, 1.0), lower, upper)
        tried[:, : columns.start], tried[:, columns.stop :] = (
            here[: columns.start],
            here[columns.stop :],
        )
        gaps = checker.clearance(tried[:, :7], tried[:, 7:], head)
        best = int(np.argmax(gaps))
        if gaps[best] <= near.clearance:
            step *= 0.5
            if step < STEP * 0.5**HALVINGS:
                raise RetreatError(near.names, float(near.clearance), moved, clearance)
            continue
        moved += float(np.linalg.norm(tried[best] - here))
        if moved > most:
            raise RetreatError(near.names, float(near.clearance), moved, clearance)
        path.append(tried[best])
        near = checker.nearest(path[-1][:7], path[-1][7:], head)
        step = min(STEP, 2.0 * step)
    return np.stack(path)
