"""How freely the tip can move: Yoshikawa's index, condition, singular values, self-motion."""

from __future__ import annotations

import numpy as np
import problems
import pytest
from hypothesis import given
from strategies import joint_arrays
from tolerances import INDEX, JACOBIAN_ENGINE, NATIVE_FK, assert_close

from baxterkit import Arm

ARM = Arm("left", "electric_standard")
FEW = 500


def sample_sets() -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "samples", problems.SAMPLE_SETS.values(), ids=lambda f: f.__name__
    )


@sample_sets()
@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_manipulability_is_the_product_of_singular_values(samples: object, backend: str) -> None:
    for model in (ARM.model, *(arm.model for arm in problems.random_arms(3))):
        arm = Arm.from_model(model, backend)
        q = samples(arm, FEW)  # type: ignore[operator]
        values = np.linalg.svd(arm.jacobian(q), compute_uv=False)
        assert_close(arm.manipulability(q), values.prod(axis=-1), INDEX)


def test_manipulability_is_yoshikawas_root_of_the_determinant() -> None:
    q = problems.uniform(ARM, FEW)
    J = ARM.jacobian(q)
    square = np.linalg.det(J @ np.swapaxes(J, -1, -2))
    assert_close(ARM.manipulability(q) ** 2, square, INDEX)


def test_manipulability_does_not_depend_on_mount_tool_or_first_and_last_joint() -> None:
    q = problems.uniform(ARM, FEW)
    moved = q.copy()
    moved[:, [0, 6]] += 1.0
    for arm in problems.random_arms(3):
        assert_close(arm.manipulability(moved), ARM.manipulability(q), INDEX)


def test_manipulability_vanishes_at_singular_configurations() -> None:
    q = problems.singular(ARM, 200)
    assert ARM.manipulability(q).max() < INDEX
    assert ARM.smallest_singular_value(q).max() < 1e-12
    assert ARM.condition_number(q).min() > 1e12


def test_condition_number_and_smallest_singular_value_come_from_the_svd() -> None:
    q = problems.uniform(ARM, FEW).reshape(5, -1, 7)
    values = np.linalg.svd(ARM.jacobian(q), compute_uv=False)
    ratio = values[..., 0] / values[..., -1]
    for arm in (ARM, problems.numpy_twin(ARM)):
        assert_close(arm.smallest_singular_value(q), values[..., -1], NATIVE_FK)
        assert arm.condition_number(q).shape == (5, FEW // 5)
        np.testing.assert_allclose(arm.condition_number(q), ratio, rtol=1e-9, atol=0.0)


@sample_sets()
def test_null_vector_is_made_of_the_signed_minors(samples: object) -> None:
    for arm in (ARM, *problems.random_arms(2)):
        q = samples(arm, FEW)  # type: ignore[operator]
        assert_close(arm.null_vector(q), problems.numpy_twin(arm).null_vector(q), INDEX)


@given(joint_arrays())
def test_null_vector_moves_nothing_and_is_as_long_as_the_index(q: np.ndarray) -> None:
    n = ARM.null_vector(q)
    assert_close(ARM.twist(q, n), np.zeros(6), INDEX)
    assert abs(np.linalg.norm(n) - ARM.manipulability(q)) <= INDEX


def test_null_vector_is_smooth_along_a_line_through_a_singularity() -> None:
    # A unit vector would flip its sign there; the minors pass through zero with a bounded slope.
    centre = problems.singular(ARM, 20)[0]
    along = problems.velocities(1)[0]
    steps = np.linspace(-1e-3, 1e-3, 201)
    n = ARM.null_vector(centre + steps[:, None] * along)
    second = np.diff(n, 2, axis=0)
    assert np.abs(second).max() < 1e-9  # second derivative times the step squared, 1e-10
    assert_close(n[100], np.zeros(7), JACOBIAN_ENGINE)


def test_single_results_are_numpy_scalars() -> None:
    q = ARM.configuration("neutral")
    for arm in (ARM, problems.numpy_twin(ARM)):
        for value in (arm.manipulability(q), arm.condition_number(q)):
            assert np.ndim(value) == 0
            assert float(value) > 0.0
