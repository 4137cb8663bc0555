"""Inverse kinematics of many targets side by side gives the bits of single calls."""

from __future__ import annotations

import numpy as np
import problems
import pytest

from baxterkit import Arm, _native

ARM = Arm("left", tool="electric_standard")
SIZES = (1, 2, 7, 8, 9, 63, 64, 65, 130)


def poses(name: str, n: int) -> np.ndarray:
    q = problems.SAMPLE_SETS[name](ARM, n)
    return np.ascontiguousarray(ARM.fk(q))


def singles(T: np.ndarray, seed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Joint positions, codes and errors, one call for each target."""
    rows = [ARM.ik(x, seed=s) for x, s in zip(T, seed, strict=True)]
    q = np.array([row.q for row in rows])
    codes = np.array([int(row.status) for row in rows], np.uint8)
    errors = np.array([[row.position_error, row.orientation_error] for row in rows])
    return q, codes, errors


@pytest.mark.slow
@pytest.mark.parametrize("name", problems.SAMPLE_SETS)
def test_batches_of_every_size_equal_single_calls(name: str, isa: str, threads: None) -> None:
    T = poses(name, max(SIZES) + 8)[: max(SIZES)]
    seed = np.where(
        np.arange(len(T))[:, None] % 3 == 0, ARM.limits.middle, problems.uniform(ARM, len(T))
    )
    q, codes, errors = singles(T, seed)
    for n in SIZES:
        for part in (slice(0, n), slice(len(T) - n, len(T))):
            _native.set_threads(1 + n % 3)
            batch = ARM.ik(T[part], seed=seed[part])
            assert batch.q.tobytes() == q[part].tobytes()
            assert batch.status.tobytes() == codes[part].tobytes()
            assert batch.position_error.tobytes() == errors[part, 0].copy().tobytes()
            assert batch.orientation_error.tobytes() == errors[part, 1].copy().tobytes()


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2), (0,), (2, 0, 3)])
def test_leading_axes_are_kept(shape: tuple[int, ...], isa: str) -> None:
    n = int(np.prod(shape, dtype=int))
    T = poses("uniform", n)
    batch = ARM.ik(T.reshape(*shape, 4, 4))
    assert batch.q.shape == (*shape, 7)
    assert batch.q.tobytes() == singles(T, np.tile(ARM.limits.middle, (n, 1)))[0].tobytes()


def test_neighbours_in_the_lanes_do_not_matter(isa: str) -> None:
    T = np.concatenate([poses("uniform", 100), poses("beyond_limits", 60)])
    order = np.random.default_rng(3).permutation(len(T))
    straight, mixed = ARM.ik(T), ARM.ik(np.ascontiguousarray(T[order]))
    assert mixed.q.tobytes() == straight.q[order].tobytes()
    assert mixed.status.tobytes() == straight.status[order].tobytes()


def test_violations_of_blocked_targets_are_those_of_single_calls(isa: str) -> None:
    T = poses("beyond_limits", 150)
    batch = ARM.ik(T)
    blocked = np.flatnonzero(np.asarray(batch.status) == 2)
    assert blocked.size > 10
    assert batch.nearest is not None
    assert batch.violation is not None
    for i in blocked[:20]:
        one = ARM.ik(T[i])
        assert one.nearest is not None
        assert one.violation is not None
        assert one.nearest.tobytes() == batch.nearest[i].tobytes()
        assert one.violation.tobytes() == batch.violation[i].tobytes()


@pytest.mark.parametrize("seed_set", ["middle", "uniform"])
def test_the_answer_is_the_branch_next_to_the_seed_at_its_e0(seed_set: str, isa: str) -> None:
    T = poses("uniform", 400)
    seed = problems.uniform(ARM, 400)[::-1] if seed_set == "uniform" else None
    q = ARM.ik(T, seed=seed).raise_if_failed().q
    near = np.tile(ARM.limits.middle, (400, 1)) if seed is None else seed
    steps = (q[:, 2] - near[:, 2]) * (32 / (2.0 * np.pi))
    first = np.abs(steps) < 1e-12
    scanned = np.flatnonzero(np.abs(steps - np.round(steps)) < 1e-9)  # the others were traced
    assert first.sum() > 200
    assert len(scanned) > 390
    for i in scanned:
        every = ARM.ik_all(T[i], e0=q[i, 2])
        distance = np.sum((every - near[i]) ** 2, axis=-1)
        assert np.sum((q[i] - near[i]) ** 2) <= distance.min() + 1e-9
        if not first[i]:  # the seed's own e0 has nothing within the limits
            assert len(ARM.ik_all(T[i], e0=float(near[i, 2]))) == 0
