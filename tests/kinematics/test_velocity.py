"""From tip velocity to joint velocity: pseudo-inverse, damping, null space, warnings."""

from __future__ import annotations

import warnings

import numpy as np
import problems
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import joint_arrays
from tolerances import NEAR_SINGULAR, NULL_MOTION, PROJECTOR, PSEUDOINVERSE, ROUNDING, assert_close

from baxterkit import Arm, SingularityWarning

ARM = Arm("left", "electric_standard")
REGULAR = 1e-3  # manipulability above which the tight tolerances hold
FEW = 500


def regular_samples(arm: Arm, n: int) -> np.ndarray:
    q = problems.uniform(arm, n)
    return q[arm.manipulability(q) > REGULAR]


def twists(n: int) -> np.ndarray:
    return problems.generator("twists").standard_normal((n, 6))


def test_joint_velocity_gives_the_asked_twist() -> None:
    for arm in (ARM, problems.numpy_twin(ARM), *problems.random_arms(3)):
        q = regular_samples(arm, FEW)
        V, wish = twists(len(q)), problems.velocities(len(q))
        for qd_null in (None, wish):
            qd = arm.joint_velocity(q, V, qd_null)
            assert_close(arm.twist(q, qd), V, PSEUDOINVERSE)


@pytest.mark.parametrize("damping", [0.0, 0.05])
def test_one_state_is_a_row_of_many(damping: float) -> None:
    for arm in (ARM, problems.numpy_twin(ARM)):
        q = np.concatenate([problems.uniform(arm, 50), np.zeros((1, arm.model.dof))])
        V, wish = twists(len(q)), problems.velocities(len(q))
        many = arm.joint_velocity(q, V, wish, damping, warn_below=0.0)
        for row, one in zip(many, zip(q, V, wish, strict=True), strict=True):
            np.testing.assert_array_equal(arm.joint_velocity(*one, damping, warn_below=0.0), row)
            into = np.empty(arm.model.dof)
            assert arm.joint_velocity(*one, damping, warn_below=0.0, out=into) is into
            np.testing.assert_array_equal(into, row)
        with pytest.warns(SingularityWarning):
            arm.joint_velocity(q[0], V[0], wish[0], damping, warn_below=1.0)


def test_joint_velocity_is_the_pseudoinverse_solution() -> None:
    q = regular_samples(ARM, FEW)
    V, wish = twists(len(q)), problems.velocities(len(q))
    J = ARM.jacobian(q)
    J_plus = np.linalg.pinv(J)
    least = np.einsum("nij,nj->ni", J_plus, V)
    assert_close(ARM.joint_velocity(q, V), least, PSEUDOINVERSE)
    with_wish = least + np.einsum("nij,nj->ni", np.eye(7) - J_plus @ J, wish)
    assert_close(ARM.joint_velocity(q, V, wish), with_wish, PSEUDOINVERSE)


def test_joint_velocity_without_a_wish_is_the_smallest_one() -> None:
    q = regular_samples(ARM, FEW)
    V = twists(len(q))
    least = np.linalg.norm(ARM.joint_velocity(q, V), axis=-1)
    other = np.linalg.norm(ARM.joint_velocity(q, V, problems.velocities(len(q))), axis=-1)
    assert (least <= other).all()


def test_a_wish_that_meets_the_twist_is_returned() -> None:
    q = regular_samples(ARM, FEW)
    wish = problems.velocities(len(q))
    assert_close(ARM.joint_velocity(q, ARM.twist(q, wish), wish), wish, PSEUDOINVERSE)


@pytest.mark.parametrize("damping", [1e-3, 0.1, 3.0])
def test_damped_velocity_is_the_regularised_least_squares_solution(damping: float) -> None:
    # Least |J qd - V|² + λ² |qd|²: the stacked system [J; λ 1] qd = [V; 0], solved by lstsq.
    q = problems.near_singular(ARM, FEW)
    V = twists(len(q))
    for arm in (ARM, problems.numpy_twin(ARM)):
        qd = arm.joint_velocity(q, V, damping=damping, warn_below=0.0)
        for x, v, answer in zip(q[:50], V, qd, strict=False):
            A = np.concatenate([arm.jacobian(x), damping * np.eye(7)])
            expected = np.linalg.lstsq(A, np.concatenate([v, np.zeros(7)]), rcond=None)[0]
            # Both lose digits as 1/λ² grows.
            assert_close(answer, expected, NEAR_SINGULAR / min(damping, 1.0) ** 2)


def test_damping_may_differ_from_row_to_row() -> None:
    q = regular_samples(ARM, 100)
    V, wish = twists(len(q)), problems.velocities(len(q))
    lam = np.linspace(0.0, 0.5, len(q))
    together = ARM.joint_velocity(q, V, wish, lam)
    for i in range(len(q)):
        one = ARM.joint_velocity(q[i], V[i], wish[i], lam[i])
        assert together[i].tobytes() == one.tobytes()


def test_native_joint_velocity_equals_numpy() -> None:
    for arm in (Arm("left"), *problems.random_arms(3)):
        twin = problems.numpy_twin(arm)
        q = regular_samples(arm, FEW)
        V, wish = twists(len(q)), problems.velocities(len(q))
        for lam in (0.0, 0.01, 1.0):
            ours = arm.joint_velocity(q, V, wish, lam)
            assert_close(ours, twin.joint_velocity(q, V, wish, lam), PSEUDOINVERSE)


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_joint_velocity_is_bounded_and_least_squares_at_singular_configurations(
    backend: str,
) -> None:
    arm = Arm("left", backend=backend)
    q = problems.singular(arm, 200)
    assert len(q) > 150
    V = twists(len(q))
    with pytest.warns(SingularityWarning):
        qd = arm.joint_velocity(q, V)
    J = arm.jacobian(q)
    expected = np.einsum("nij,nj->ni", np.linalg.pinv(J, rcond=1e-12), V)
    assert np.isfinite(qd).all()
    # Second smallest singular values of these configurations go down to 1e-3.
    assert_close(qd, expected, 1e-8 * max(1.0, float(np.abs(expected).max())))


def test_singular_rows_do_not_disturb_their_neighbours() -> None:
    regular = regular_samples(ARM, 40)
    q = np.repeat(regular, 2, axis=0)
    q[1::2] = problems.singular(ARM, 60)[: len(regular)]
    V = twists(len(q))
    mixed = ARM.joint_velocity(q, V, warn_below=0.0)
    alone = ARM.joint_velocity(regular, V[::2], warn_below=0.0)
    assert mixed[::2].tobytes() == alone.tobytes()


def test_zero_jacobian_velocity_stays_zero() -> None:
    q = problems.singular(ARM, 20)
    qd = ARM.joint_velocity(q, np.zeros(6), warn_below=0.0)
    assert_close(qd, np.zeros_like(q), ROUNDING)


def test_warning_names_the_index_and_the_threshold() -> None:
    q = problems.singular(ARM, 20)[0]
    with pytest.warns(SingularityWarning) as caught:
        ARM.joint_velocity(q, np.zeros(6))
    assert len(caught) == 1
    index = ARM.manipulability(q)
    assert str(caught[0].message) == (
        f"near a singularity: manipulability {index:.2e} is below 0.001; "
        "joint velocities may be large, use damping"
    )
    assert caught[0].filename == __file__  # the warning points at the caller


def test_warning_threshold_is_settable_and_strict() -> None:
    q = ARM.configuration("neutral")
    index = float(ARM.manipulability(q))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ARM.joint_velocity(q, np.zeros(6), warn_below=index)
        ARM.joint_velocity(problems.singular(ARM, 20), np.zeros(6), warn_below=0.0)
    with pytest.warns(SingularityWarning):
        ARM.joint_velocity(q, np.zeros(6), warn_below=index * 1.000001)


def test_jacobian_and_manipulability_are_silent_at_singular_configurations() -> None:
    q = problems.singular(ARM, 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ARM.jacobian(q)
        ARM.manipulability(q)
        ARM.nullspace(q)
        ARM.twist(q, q)


@given(joint_arrays())
def test_nullspace_is_the_orthogonal_projector_onto_self_motion(q: np.ndarray) -> None:
    assume(ARM.manipulability(q) > REGULAR)
    N = ARM.nullspace(q)
    assert_close(N, N.T, ROUNDING)
    assert_close(N @ N, N, PROJECTOR)
    assert abs(np.trace(N) - 1.0) <= PROJECTOR
    assert_close(ARM.jacobian(q) @ N, np.zeros((6, 7)), PROJECTOR)


def test_nullspace_equals_identity_minus_pseudoinverse_product() -> None:
    q = regular_samples(ARM, FEW)
    J = ARM.jacobian(q)
    expected = np.eye(7) - np.linalg.pinv(J) @ J
    for arm in (ARM, problems.numpy_twin(ARM)):
        assert_close(arm.nullspace(q), expected, PROJECTOR)


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_nullspace_has_rank_two_at_singular_configurations(backend: str) -> None:
    arm = Arm("left", backend=backend)
    q = problems.singular(arm, 100)
    N = arm.nullspace(q)
    assert_close(np.trace(N, axis1=-2, axis2=-1), np.full(len(q), 2.0), 1e-8)
    assert_close(arm.jacobian(q) @ N, np.zeros((len(q), 6, 7)), 1e-8)
    assert_close(N, np.swapaxes(N, -1, -2), PROJECTOR)


def test_nullspace_of_a_mixed_batch_and_out() -> None:
    q = np.concatenate([regular_samples(ARM, 5), problems.singular(ARM, 5)])
    out = np.empty((len(q), 7, 7))
    assert ARM.nullspace(q, out=out) is out
    for row, N in zip(q, out, strict=True):
        assert_close(ARM.nullspace(row), N, ROUNDING)


@given(joint_arrays(), joint_arrays(bound=3.0), st.sampled_from([0.0, 0.05]))
def test_null_space_motion_leaves_the_tip_at_rest(
    q: np.ndarray, wish: np.ndarray, damping: float
) -> None:
    assume(ARM.manipulability(q) > REGULAR)
    still = ARM.nullspace(q) @ wish
    qd = ARM.joint_velocity(q, np.zeros(6), still, damping)
    assert_close(qd, still, PSEUDOINVERSE)
    assert_close(ARM.twist(q, qd), np.zeros(6), PSEUDOINVERSE)


@pytest.mark.parametrize("damping", [0.0, 0.05, 1.0])
@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_a_wish_never_moves_the_tip(backend: str, damping: float) -> None:
    arm = Arm("left", "electric_standard", backend=backend)
    q = np.concatenate([regular_samples(arm, FEW), problems.singular(arm, 20)])
    V, wish = twists(len(q)), problems.velocities(len(q))
    without = arm.joint_velocity(q, V, damping=damping, warn_below=0.0)
    with_wish = arm.joint_velocity(q, V, wish, damping, warn_below=0.0)
    assert np.isfinite(with_wish).all()
    # Undamped, J⁺ V itself is large where the tip can hardly go.
    scale = np.maximum(1.0, np.abs(without).max(axis=-1, keepdims=True))
    moved = arm.twist(q, with_wish - without) / scale
    assert_close(moved, np.zeros_like(moved), PSEUDOINVERSE)
    still = np.einsum("nij,nj->ni", arm.nullspace(q), wish)
    assert_close((with_wish - without) / scale, still / scale, PROJECTOR)


def test_a_wish_leaves_the_tip_at_rest_up_to_singularities() -> None:
    q = problems.near_singular(ARM, 2000)
    wish = problems.velocities(len(q))
    qd = ARM.joint_velocity(q, np.zeros(6), wish, 0.05, warn_below=0.0)
    # Measured: 1.6e-9 where the manipulability is 1e-10, where SVD takes over.
    assert np.abs(ARM.twist(q, qd)).max() < NULL_MOTION
    assert (np.linalg.norm(qd, axis=-1) <= np.linalg.norm(wish, axis=-1) * (1 + ROUNDING)).all()
