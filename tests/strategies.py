"""Hypothesis strategies for joint arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

BATCH_SHAPES = ((), (1,), (3, 1, 2))


def joint_arrays(shape: tuple[int, ...] = (), bound: float = 4.0) -> st.SearchStrategy[np.ndarray]:
    """Joint values of shape (*shape, 7) in [-bound, bound], with zeros, limits and tiny numbers."""
    special = st.sampled_from([0.0, np.pi / 2, -np.pi / 2, np.pi, 1e-8, -1e-300, bound])
    number = st.floats(-bound, bound, allow_nan=False, width=64) | special
    return hnp.arrays(np.float64, (*shape, 7), elements=number)


def angles(bound: float = 4.0) -> st.SearchStrategy[float]:
    """One angle."""
    return st.floats(-bound, bound, allow_nan=False)
