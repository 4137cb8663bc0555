"""Broadcasting and `out=` for results that are computed in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.checks.explain import explain_out, explain_shapes
from baxterkit.types import Array


def check_broadcast(names: tuple[str, ...], arrays: Sequence[Array]) -> None:
    """Raises ShapeError if the leading axes of the arrays do not broadcast."""
    try:
        np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    except ValueError:
        explain_shapes(names, tuple(array.shape for array in arrays))


def deliver(result: Array, out: Array | None) -> Array:
    """`result`, or `out` filled with it.

    Raises:
        ShapeError: If `out` has another shape.
        InputError: If `out` is not a writable float64 array.
    """
    if out is None:
        return result
    fits = isinstance(out, np.ndarray) and out.shape == result.shape and out.dtype == np.float64
    if not (fits and out.flags.behaved):
        explain_out(out, result.shape)
    out[...] = result
    return out
