"""Seeded sets of joint positions that feed tests and benchmarks alike.

Every set is a function of (arm, n), and gives the same numbers on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from baxterkit import Arm, spatial
from baxterkit.model.model import ArmModel

SEED = 20160908
TOOLS = ("hand", "electric_standard", "electric_extended", "vacuum")
SIDES = ("left", "right")


def generator(name: str) -> np.random.Generator:
    """A random generator of its own for each name."""
    return np.random.default_rng([SEED, *name.encode()])


def uniform(arm: Arm, n: int) -> np.ndarray:
    """Uniform inside the joint limits."""
    return generator("uniform").uniform(arm.limits.lower, arm.limits.upper, (n, 7))


def at_limits(arm: Arm, n: int) -> np.ndarray:
    """Corners of the joint range: joints at their limits, a third of them inside."""
    rng = generator("at_limits")
    choice = rng.integers(0, 3, (n, 7))
    inside = rng.uniform(arm.limits.lower, arm.limits.upper, (n, 7))
    return np.choose(choice, [arm.limits.lower, arm.limits.upper, inside])


def near_zero(arm: Arm, n: int) -> np.ndarray:
    """Zero, tiny angles of all sizes, and multiples of pi/2 with tiny angles added."""
    rng = generator("near_zero")
    tiny = 10.0 ** rng.uniform(-300.0, -1.0, (n, 7)) * rng.choice([-1.0, 1.0], (n, 7))
    quarters = rng.integers(-2, 3, (n, 7)) * (np.pi / 2) * (rng.random((n, 1)) < 0.5)
    q = quarters + tiny
    q[0] = 0.0
    return q


def beyond_limits(arm: Arm, n: int) -> np.ndarray:
    """Up to three times the joint range: recordings contain values outside the limits."""
    middle, half = arm.limits.middle, 0.5 * (arm.limits.upper - arm.limits.lower)
    return middle + generator("beyond").uniform(-3.0, 3.0, (n, 7)) * half


def singular(arm: Arm, n: int) -> np.ndarray:
    """Configurations where J has rank 5 to rounding, found by Gauss-Newton on the null vector.

    Rank does not depend on side, mount or tool. Gives a few rows less than n.
    """
    return _singular(n).copy()


@cache
def _singular(n: int) -> np.ndarray:
    arm = Arm("left")
    q = generator("singular").uniform(arm.limits.lower, arm.limits.upper, (n, 7))
    step = 1e-6
    shifts = step * np.eye(7)
    for _ in range(40):
        moved = arm.null_vector(q[:, None] + shifts) - arm.null_vector(q[:, None] - shifts)
        slope = np.swapaxes(moved, -1, -2) / (2.0 * step)
        q -= np.clip(_solve_rank_2(slope, arm.null_vector(q)), -0.3, 0.3)
    return q[arm.manipulability(q) < 1e-15]


def near_singular(arm: Arm, n: int) -> np.ndarray:
    """Singular configurations left by 1e-9 to 0.1 rad."""
    q = singular(arm, n)
    rng = generator("near_singular")
    size = 10.0 ** rng.uniform(-9.0, -1.0, (len(q), 1))
    return q + size * rng.standard_normal(q.shape)


SAMPLE_SETS: dict[str, Callable[[Arm, int], np.ndarray]] = {
    "uniform": uniform,
    "at_limits": at_limits,
    "near_zero": near_zero,
    "near_singular": near_singular,
    "beyond_limits": beyond_limits,
}


def velocities(n: int) -> np.ndarray:
    """Joint velocities [rad/s], a few rad/s each."""
    return generator("velocities").standard_normal((n, 7))


def random_transform(rng: np.random.Generator) -> np.ndarray:
    """A rotation drawn at random and an offset of up to a metre."""
    R = spatial.quaternion_to_matrix(rng.standard_normal(4))
    return spatial.transform(spatial.nearest_rotation(R), rng.uniform(-1.0, 1.0, 3))


def random_arms(count: int, backend: str = "native") -> list[Arm]:
    """Arms with mounts and tools drawn at random, both sides in turn."""
    rng = generator("arms")
    return [
        Arm(SIDES[i % 2], random_transform(rng), random_transform(rng), backend=backend)
        for i in range(count)
    ]


def numpy_twin(arm: Arm) -> Arm:
    """The same arm on the NumPy backend."""
    model: ArmModel = arm.model
    return Arm.from_model(model, backend="numpy")


def _solve_rank_2(slope: np.ndarray, value: np.ndarray) -> np.ndarray:
    # The set of singular configurations has two dimensions less than the joint space.
    U, s, Vt = np.linalg.svd(slope)
    along = np.einsum("nij,ni->nj", U[..., :2], value) / s[..., :2]
    return np.einsum("nji,nj->ni", Vt[..., :2, :], along)
