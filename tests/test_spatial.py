"""SO3 and SE3: group axioms, inverses of each other, accuracy at angle 0 and pi."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tolerances import SPATIAL, SPATIAL_NEAR_PI, assert_close

from baxterkit import spatial
from baxterkit.errors import InputError, ShapeError

BATCHES = [(), (1,), (3, 1, 2)]
unit = st.floats(-1.0, 1.0)
directions = (
    st.tuples(unit, unit, unit)
    .map(np.array)
    .filter(lambda v: np.linalg.norm(v) > 0.1)
    .map(lambda v: v / np.linalg.norm(v))
)
# Anywhere, near the identity and near half a turn.
angles = st.one_of(
    st.floats(0.0, np.pi),
    st.floats(-12.0, -7.0).map(lambda x: 10.0**x),
    st.floats(-12.0, -2.0).map(lambda x: np.pi - 10.0**x),
    st.sampled_from([0.0, 1e-7, 1e-300, 0.5, np.pi / 2, np.pi - 1e-7]),
)
positions = st.tuples(*[st.floats(-2.0, 2.0)] * 3).map(np.array)


def close(a: np.ndarray, b: np.ndarray, atol: float = SPATIAL) -> None:
    assert_close(a, b, atol)


def random_rotations(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    q = np.random.default_rng(seed).normal(size=(*shape, 4))
    return spatial.quaternion_to_matrix(q)


def random_transforms(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    p = np.random.default_rng(seed + 1).uniform(-2.0, 2.0, (*shape, 3))
    return spatial.transform(random_rotations(shape, seed), p)


@given(directions, angles)
def test_so3_exp_is_a_rotation_and_log_undoes_it(axis: np.ndarray, angle: float) -> None:
    R = spatial.so3_exp(axis * angle)
    close(R.T @ R, np.eye(3))
    assert np.linalg.det(R) > 0.0
    w = spatial.so3_log(R)
    close(spatial.so3_exp(w), R)
    if angle < np.pi - 1e-6:
        close(w, axis * angle, SPATIAL_NEAR_PI)
    assert spatial.rotation_angle(R) == pytest.approx(angle, abs=SPATIAL_NEAR_PI)


@given(directions, st.floats(-12.0, -5.0).map(lambda x: 10.0**x))
def test_small_rotations_keep_their_relative_accuracy(axis: np.ndarray, angle: float) -> None:
    w = spatial.so3_log(spatial.so3_exp(axis * angle))
    np.testing.assert_allclose(w, axis * angle, rtol=1e-12, atol=1e-15 * angle)


def test_log_of_half_a_turn_has_length_pi() -> None:
    for R in (np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]), np.diag([-1.0, -1.0, 1.0])):
        w = spatial.so3_log(R)
        assert np.linalg.norm(w) == np.pi
        close(spatial.so3_exp(w), R)


@given(directions, angles, positions)
def test_se3_log_undoes_exp(axis: np.ndarray, angle: float, v: np.ndarray) -> None:
    twist = np.concatenate([v, axis * angle])
    T = spatial.se3_exp(twist)
    close(spatial.se3_exp(spatial.se3_log(T)), T, SPATIAL_NEAR_PI)
    if angle < np.pi - 1e-6:
        close(spatial.se3_log(T), twist, SPATIAL_NEAR_PI)


def test_se3_exp_is_the_matrix_exponential() -> None:
    linalg = pytest.importorskip("scipy.linalg")
    generator = np.random.default_rng(3)
    for scale in (1e-8, 1e-3, 0.49, 0.51, 1.0, 3.0):
        twist = generator.normal(size=6) * scale
        matrix = np.zeros((4, 4))
        matrix[:3, :3] = spatial.skew(twist[3:])
        matrix[:3, 3] = twist[:3]
        close(spatial.se3_exp(twist), linalg.expm(matrix), 1e-14 * max(1.0, scale**2))


@pytest.mark.parametrize("shape", BATCHES)
def test_every_function_takes_batches(shape: tuple[int, ...]) -> None:
    T = random_transforms(shape)
    R, p = T[..., :3, :3], T[..., :3, 3]
    assert spatial.skew(p).shape == (*shape, 3, 3)
    assert spatial.so3_log(R).shape == (*shape, 3)
    assert spatial.so3_exp(p).shape == (*shape, 3, 3)
    assert spatial.se3_log(T).shape == (*shape, 6)
    assert spatial.se3_exp(spatial.se3_log(T)).shape == (*shape, 4, 4)
    assert spatial.adjoint(T).shape == (*shape, 6, 6)
    assert spatial.matrix_to_rpy(R).shape == (*shape, 3)
    assert spatial.matrix_to_quaternion(R).shape == (*shape, 4)
    assert spatial.rotation_angle(R).shape == shape
    assert spatial.nearest_rotation(R).shape == (*shape, 3, 3)
    position, angle = spatial.pose_error(T, np.eye(4))
    assert position.shape == angle.shape == shape
    for index in np.ndindex(*shape):  # a batch is its members
        close(spatial.se3_log(T)[index], spatial.se3_log(T[index]))
        close(spatial.matrix_to_rpy(R)[index], spatial.matrix_to_rpy(R[index]))
        close(spatial.matrix_to_quaternion(R)[index], spatial.matrix_to_quaternion(R[index]))


def test_skew_is_the_cross_product() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 5, 3))
    close((spatial.skew(a) @ b[..., None])[..., 0], np.cross(a, b))


def test_inverse_undoes_a_transform_on_both_sides() -> None:
    T = random_transforms((20,))
    close(spatial.inverse(T) @ T, np.broadcast_to(np.eye(4), T.shape))
    close(T @ spatial.inverse(T), np.broadcast_to(np.eye(4), T.shape))


def test_adjoint_is_a_homomorphism_and_carries_twists() -> None:
    A, B = random_transforms((20,), 1), random_transforms((20,), 2)
    close(spatial.adjoint(A @ B), spatial.adjoint(A) @ spatial.adjoint(B), 1e-14)
    twist = np.random.default_rng(4).normal(size=(20, 6)) * 0.5
    carried = (spatial.adjoint(A) @ twist[..., None])[..., 0]
    close(spatial.se3_exp(carried), A @ spatial.se3_exp(twist) @ spatial.inverse(A), 1e-13)


@given(st.tuples(*[st.floats(-np.pi, np.pi)] * 3), st.sampled_from([0.0, 1e-17, 1e-12, 1e-9, 1e-6]))
def test_rpy_reproduces_the_rotation_also_in_gimbal_lock(
    rpy: tuple[float, float, float], gap: float
) -> None:
    for pitch in (rpy[1], np.pi / 2 - gap, -np.pi / 2 + gap):
        R = spatial.rpy_to_matrix([rpy[0], pitch, rpy[2]])
        again = spatial.matrix_to_rpy(R)
        close(spatial.rpy_to_matrix(again), R)
        assert abs(again[1]) <= np.pi / 2


def test_rpy_is_yaw_after_pitch_after_roll_about_fixed_axes() -> None:
    r, p, y = 0.3, -0.4, 0.5
    x, y_axis, z = np.eye(3)
    expected = spatial.so3_exp(y * z) @ spatial.so3_exp(p * y_axis) @ spatial.so3_exp(r * x)
    close(spatial.rpy_to_matrix([r, p, y]), expected)
    close(spatial.matrix_to_rpy(expected), np.array([r, p, y]))


def test_right_angles_give_exact_zeros_and_ones() -> None:
    quarter = np.arange(-4, 5) * (np.pi / 2)
    grid = np.stack(np.meshgrid(quarter, quarter, quarter), axis=-1).reshape(-1, 3)
    R = spatial.rpy_to_matrix(grid)
    assert np.isin(R, [-1.0, 0.0, 1.0]).all()
    assert not np.signbit(R[R == 0.0]).any()
    sine, cosine = spatial.sincos(1e6 * np.pi / 2)  # beyond two turns nothing is rounded
    assert sine == np.sin(1e6 * np.pi / 2)
    assert cosine == np.cos(1e6 * np.pi / 2)


@given(directions, angles)
def test_quaternion_reproduces_the_rotation(axis: np.ndarray, angle: float) -> None:
    R = spatial.so3_exp(axis * angle)
    q = spatial.matrix_to_quaternion(R)
    assert q[3] >= 0.0
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=SPATIAL)
    close(spatial.quaternion_to_matrix(q), R)
    close(spatial.quaternion_to_matrix(-3.0 * q), R)  # sign and length do not matter


def test_quaternion_order_is_x_y_z_w() -> None:
    close(spatial.matrix_to_quaternion(np.eye(3)), np.array([0.0, 0.0, 0.0, 1.0]))
    half = np.sqrt(0.5)
    quarter_turn = spatial.so3_exp([0.0, 0.0, np.pi / 2])
    close(spatial.matrix_to_quaternion(quarter_turn), np.array([0.0, 0.0, half, half]))


def test_nearest_rotation_repairs_noise_and_mirrors() -> None:
    R = random_rotations((50,))
    noisy = R + np.random.default_rng(5).normal(size=R.shape) * 1e-4
    repaired = spatial.nearest_rotation(noisy)
    close(np.swapaxes(repaired, -1, -2) @ repaired, np.broadcast_to(np.eye(3), R.shape))
    assert np.abs(repaired - R).max() < 1e-3
    assert np.linalg.det(spatial.nearest_rotation(-np.eye(3))) > 0.0


def test_pose_error_measures_distance_and_angle() -> None:
    T = random_transforms(())
    moved = T @ spatial.transform(spatial.so3_exp([0.0, 1e-9, 0.0]), [3e-7, 0.0, 4e-7])
    position, angle = spatial.pose_error(T, moved)
    assert position == pytest.approx(5e-7, abs=1e-15)
    assert angle == pytest.approx(1e-9, abs=1e-15)
    _, half_turn = spatial.pose_error(
        T, T @ spatial.transform(np.diag([-1.0, -1.0, 1.0]), 3 * [0.0])
    )
    assert half_turn == pytest.approx(np.pi, abs=1e-15)


@pytest.mark.parametrize("rpy", [0.1, [0.1, 0.2], np.zeros((2, 4))])
def test_roll_pitch_yaw_are_three(rpy: object) -> None:
    with pytest.raises(ShapeError, match="rpy must have 3 values on its last axis, got shape"):
        spatial.rpy_to_matrix(rpy)  # type: ignore[arg-type]


OF_TRANSFORMS = (
    spatial.inverse,
    spatial.mirrored,
    spatial.adjoint,
    spatial.se3_log,
    lambda T: spatial.pose_error(T, np.eye(4)),
    lambda T: spatial.pose_error(np.eye(4), T),
)
OF_ROTATIONS = (
    spatial.matrix_to_quaternion,
    spatial.matrix_to_rpy,
    spatial.so3_log,
    spatial.rotation_angle,
    lambda R: spatial.transform(R, np.zeros(3)),
)
OF_NUMBERS = (
    (spatial.skew, 3),
    (spatial.so3_exp, 3),
    (spatial.se3_exp, 6),
    (spatial.rpy_to_matrix, 3),
    (spatial.quaternion_to_matrix, 4),
    (lambda p: spatial.transform(np.eye(3), p), 3),
)


@pytest.mark.parametrize("function", OF_TRANSFORMS)
@pytest.mark.parametrize(
    ("T", "error", "what"),
    [
        (random_transforms(()).T, InputError, "must end in the row 0 0 0 1, got "),
        (2.0 * np.eye(4), InputError, "must end in the row 0 0 0 1, got 0 0 0 2"),
        (np.zeros((4, 4)), InputError, "must end in the row 0 0 0 1, got 0 0 0 0"),
        (np.diag([2.0, 2.0, 2.0, 1.0]), InputError, "does not hold a rotation: max"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), InputError, "does not hold a rotation: it mirrors"),
        (np.where(np.eye(4), np.nan, 0.0), InputError, "= nan; every value of T"),
        (np.eye(3), ShapeError, r"must have shape \(..., 4, 4\), got \(3, 3\)"),
    ],
)
def test_what_is_no_rigid_transform_is_refused(
    function: Callable[[Any], object], T: np.ndarray, error: type[Exception], what: str
) -> None:
    with pytest.raises(error, match=what):
        function(T)


@pytest.mark.parametrize("function", OF_ROTATIONS)
@pytest.mark.parametrize(
    ("R", "what"),
    [
        (np.zeros((3, 3)), "R does not hold a rotation"),
        (np.ones((3, 3)), "R does not hold a rotation"),
        (2.0 * np.eye(3), "R does not hold a rotation"),
        (np.diag([1.0, 1.0, -1.0]), "R does not hold a rotation: it mirrors"),
        (np.where(np.eye(3), np.nan, 0.0), r"R\[0, 0\] = nan"),
        (np.eye(4), r"\(4, 4\)"),
    ],
)
def test_what_is_no_rotation_is_refused(
    function: Callable[[Any], object], R: np.ndarray, what: str
) -> None:
    with pytest.raises((InputError, ShapeError), match=what):
        function(R)


@pytest.mark.parametrize(("function", "size"), OF_NUMBERS)
def test_numbers_that_are_not_finite_and_wrong_shapes_are_refused(
    function: Callable[[Any], object], size: int
) -> None:
    row = np.linspace(0.1, 0.2, size)
    function(row)
    for bad in (np.nan, np.inf):
        row[1] = bad
        with pytest.raises(InputError, match=rf"\[1\] = {bad}; every value"):
            function(row)
    with pytest.raises(ShapeError, match=r"got .*\(5,\)"):
        function(np.ones(5))


def test_other_functions_refuse_what_is_not_finite_or_misshapen() -> None:
    with pytest.raises(InputError, match="angle = inf"):
        spatial.sincos(np.inf)
    with pytest.raises(InputError, match=r"R\[0, 0\] = nan"):
        spatial.nearest_rotation(np.full((3, 3), np.nan))
    with pytest.raises(ShapeError, match=r"R must have shape \(..., 3, 3\), got \(4, 4\)"):
        spatial.nearest_rotation(np.eye(4))
    with pytest.raises(ShapeError, match=r"leading axes do not broadcast: T_a \(2,\), T_b \(3,\)"):
        spatial.pose_error(random_transforms((2,)), random_transforms((3,)))
    with pytest.raises(ShapeError, match=r"leading axes do not broadcast: R \(2,\), p \(3,\)"):
        spatial.transform(random_rotations((2,)), np.zeros((3, 3)))


def test_poses_that_are_products_of_many_are_accepted() -> None:
    step = random_transforms((), 7)
    step[:3, 3] *= 1e-3
    T = np.eye(4)
    for _ in range(10_000):
        T = T @ step
    close(spatial.inverse(T) @ T, np.eye(4), 1e-9)
    single = random_transforms((), 8).astype(np.float32)
    assert spatial.pose_error(single, single)[0] == 0.0


def test_checked_functions_are_the_formulas() -> None:
    for name in spatial.__all__:
        assert (getattr(spatial, name).__annotations__) == (
            getattr(spatial.formulas, name).__annotations__
        )
