"""`Nearest`: which two links are the nearest, where, and how that changes with the joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baxterkit.collision.pairs import LINKS
from baxterkit.display import html_table
from baxterkit.errors import InputError
from baxterkit.types import Array


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest pair of links at each configuration.

    Attributes:
        clearance: Distance of their surfaces [m], negative where they overlap, shape (*batch,);
            1000 where no pair is checked.
        pair: Their numbers in `everything`, -1 where no pair is checked, shape (*batch, 2).
        points: The nearest points of their surfaces in base [m], shape (*batch, 2, 3); NaN where
            no pair is checked.
        gradient: Derivative of the clearance by the joints, left then right [m/rad], shape
            (*batch, 14). Zero where the cores of two primitives meet, deep inside each other, and
            where no pair is checked.
        everything: Names of the links, `baxterkit.collision.LINKS`, and of the world's obstacles.
    """

    clearance: Array
    pair: NDArray[np.int64]
    points: Array
    gradient: Array
    everything: tuple[str, ...] = LINKS

    def __repr__(self) -> str:
        if self.pair.ndim != 1:
            least = f"{self.clearance.min():.4f} m at least" if self.clearance.size else "empty"
            return f"<Nearest: {self.clearance.shape} configurations, {least}>"
        if self.pair[0] < 0:
            return "<Nearest: no pair is checked>"
        return f"<Nearest: {' and '.join(self.names)}, {float(self.clearance):.4f} m>"

    def _repr_html_(self) -> str:
        """A table of the nearest points, for notebooks."""
        title = repr(self).strip("<>")
        if self.pair.ndim != 1 or self.pair[0] < 0:
            return html_table(title, (), ())
        rows = [
            (name, *point) for name, point in zip(self.names, self.points.tolist(), strict=True)
        ]
        return html_table(title, ("nearest point of", "x [m]", "y [m]", "z [m]"), rows)

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two links, of a single configuration."""
        if self.pair.ndim != 1:
            raise InputError(f"names are of one configuration, not of shape {self.pair.shape[:-1]}")
        if self.pair[0] < 0:
            raise InputError("no pair of links is checked, so none is the nearest")
        return self.everything[int(self.pair[0])], self.everything[int(self.pair[1])]
