"""The largest value of a function over the joint range, by optimisation from many starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from baxterkit.extras import load_extra
from baxterkit.types import Array

SAMPLES = 5000
"""States drawn uniformly from the range."""
STARTS = 24
"""The best of them, from which L-BFGS-B climbs."""
BLOCK = 500
"""States evaluated at once, so that their matrices stay in the processor's cache."""
STEP = 1e-6
"""Step of the central differences [rad, rad/s]."""
SHARE = 0.02
"""A start counts as far from another if they differ by this share of the range in some joint."""


@dataclass(frozen=True)
class Bound:
    """The size of an effect.

    Attributes:
        largest: Largest value found, by optimisation.
        mean: Mean over the sample, of the largest component of each state.
        sampled: Largest value in the sample.
        smallest: Smallest value in the sample.
    """

    largest: float
    mean: float
    sampled: float
    smallest: float

    @property
    def is_constant(self) -> bool:
        """Whether every state of the sample has the same value, up to rounding."""
        return self.sampled - self.smallest <= 1e-9 * max(abs(self.sampled), 1e-12)


def bound(
    effect: Callable[[Array], Array],
    lower: Array,
    upper: Array,
    *,
    seed: int = 0,
    samples: int = SAMPLES,
    starts: int = STARTS,
) -> Bound:
    """The largest size of an effect over a box of states.

    The sample's best states are starts of L-BFGS-B (scipy) within the box. Of several components,
    each start climbs the one that is largest there, so that what is climbed is smooth.

    Args:
        effect: Takes states, shape (n, d), to values, shape (n,) or (n, components).
        lower: Lower ends of the box, shape (d,).
        upper: Its upper ends.
        seed: Random seed, a non-negative integer.
        samples: Number of states in the sample.
        starts: Number of starts.
    """
    optimize = load_extra(
        "scipy.optimize", feature="An optimised bound", package="SciPy", extra="data"
    )

    def sizes(states: Array) -> Array:
        values = np.abs(np.asarray(effect(states)))
        return values[:, None] if values.ndim == 1 else values

    def in_blocks(states: Array) -> Array:
        return np.concatenate([sizes(states[i : i + BLOCK]) for i in range(0, len(states), BLOCK)])

    x = np.random.default_rng(seed).uniform(lower, upper, (samples, len(lower)))
    values = in_blocks(x)
    most = values.max(axis=1)
    largest = scale = float(most.max())
    if scale == 0.0:
        return Bound(0.0, 0.0, 0.0, 0.0)
    for i in _spread(x, np.argsort(-most).tolist(), SHARE * (upper - lower), starts):
        component = int(values[i].argmax())

        def loss(state: Array, component: int = component) -> tuple[float, Array]:
            near = np.concatenate([state[None], state + STEP * np.eye(len(state)),
                                   state - STEP * np.eye(len(state))])  # fmt: skip
            f = -sizes(near)[:, component] / scale
            n = len(state)
            return float(f[0]), (f[1 : n + 1] - f[n + 1 :]) / (2.0 * STEP)

        found = optimize.minimize(
            loss, x[i], jac=True, method="L-BFGS-B", bounds=list(zip(lower, upper, strict=True))
        )
        largest = max(largest, -scale * float(found.fun))
    return Bound(largest, float(most.mean()), float(most.max()), float(most.min()))


def _spread(x: Array, order: Sequence[int], apart: Array, count: int) -> list[int]:
    """The first of `order` that are apart from each other in some joint."""
    chosen: list[int] = []
    for i in order:
        if all((np.abs(x[i] - x[k]) > apart).any() for k in chosen):
            chosen.append(i)
        if len(chosen) == count:
            break
    return chosen
