"""Errata of Kumar et al.: each printed form fails, ours agrees with Pinocchio."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import printed_tables as printed
import pytest
import tolerances as tol
from dynamics_engines import Pinocchio, nominal_arm, random_states
from numpy.typing import NDArray

from baxterkit.dynamics import forward, lagrange
from baxterkit.kinematics.forward import forward_kinematics
from baxterkit.model.dh import dh_from_model
from baxterkit.model.model import ArmModel
from baxterkit.spatial import inverse, se3_log

Array = NDArray[np.float64]

ARM = nominal_arm()
TABLE = dh_from_model(ARM)
L1, L2, L3, L4 = 0.069, 0.36442, 0.069, 0.37429
LH = float(np.hypot(L2, L3))
ELBOW = float(np.arctan2(L3, L2))
"""The angle that eq. 8 leaves out [rad]."""


def inertia_of(J: Array, U: Array) -> Array:
    return np.asarray(np.einsum("...jkab,jbc,...jiac->...ik", U, J, U))


def test_table_1_has_one_length_off_by_seventy_micrometres() -> None:
    q = random_states(100, seed=64).q
    T = forward_kinematics(ARM, q)
    error = printed.dh_table(ARM, d=printed.KUMAR_D).fk(q)[:, :3, 3] - T[:, :3, 3]
    assert np.linalg.norm(error, axis=-1) == pytest.approx(7e-5, abs=1e-9)
    tol.assert_close(printed.dh_table(ARM).fk(q), T, tol.FK_ENGINE)


def without_wrist_offset() -> ArmModel:
    """Baxter with L5 = 0, as the paper assumes."""
    w1 = ARM.joints[5]
    T = w1.T_parent_joint.copy()
    T[0, 3] = 0.0  # the 10 mm
    return replace(ARM, joints=(*ARM.joints[:5], replace(w1, T_parent_joint=T), ARM.joints[6]))


def wrist(q: Array, offset: float) -> Array:
    """Equation 8: the wrist, with e0 = 0; without l1, so from the height of the shoulder."""
    t1, t2, t4 = q[:, 0], q[:, 1], q[:, 3]
    radius = L1 + LH * np.cos(t2 + offset) + L4 * np.cos(t2 + t4)
    height = -LH * np.sin(t2 + offset) - L4 * np.sin(t2 + t4)
    return np.stack([np.cos(t1) * radius, np.sin(t1) * radius, height], axis=-1)


def test_equation_8_leaves_out_the_elbow_offset_angle() -> None:
    q = random_states(100, seed=65).q
    q[:, 2] = 0.0
    pin = Pinocchio(replace(without_wrist_offset(), T_base_s0=np.eye(4)))
    true = []
    for x in q:
        pin.pin.forwardKinematics(pin.model, pin.data, x)
        true.append(pin.data.oMi[6].translation - [0.0, 0.0, 0.27035])
    shoulder = np.array([0.0, 0.0, 0.27035])
    whole = np.linalg.norm(wrist(q, 0.0) - (np.array(true) + shoulder), axis=-1)
    assert 0.201 < whole.min() < whole.max() < 0.3397  # as printed l1 is missing too
    error = np.linalg.norm(wrist(q, 0.0) - true, axis=-1)
    assert error == pytest.approx(0.0693, abs=1e-4)  # at every pose
    assert pytest.approx(0.1871, abs=1e-4) == ELBOW
    tol.assert_close(wrist(q, ELBOW), np.array(true), tol.FK_ENGINE)


def test_dropping_l5_costs_ten_millimetres() -> None:
    q = random_states(20, seed=66).q
    whole, cut = (forward_kinematics(arm, q)[:, :3, 3] for arm in (ARM, without_wrist_offset()))
    assert np.linalg.norm(whole - cut, axis=-1) == pytest.approx(0.01, abs=1e-12)


def test_equation_8_is_the_wrist_and_not_the_end_effector() -> None:
    """The text calls T_6^0 the end effector's pose; d7 = 0.229525 m is missing from eq. 8."""
    q = random_states(100, seed=71).q
    q[:, 2] = 0.0
    T = forward_kinematics(replace(without_wrist_offset(), T_base_s0=np.eye(4)), q)
    tip = T[:, :3, 3] - [0.0, 0.0, 0.27035]
    off = wrist(q, ELBOW) - tip
    assert np.linalg.norm(off, axis=-1) == pytest.approx(0.229525, abs=1e-12)
    tol.assert_close(wrist(q, ELBOW), tip - 0.229525 * T[:, :3, 2], tol.FK_ENGINE)


def test_theta_1_comes_from_the_wrist_and_not_from_frame_4() -> None:
    """Two solutions of one wrist position have their elbows, Table I's frame 4, apart."""
    first = np.array([[0.4, -0.9, 0.0, 1.4, 0.0, 0.0, 0.0]])
    goal = wrist(first, ELBOW)[0]
    radius, height = np.hypot(goal[0], goal[1]) - L1, -goal[2]
    # Two circles about the shoulder and the wrist: the elbow on the other side of their line.
    along = np.arctan2(height, radius)
    upper = 2.0 * along - (first[0, 1] + ELBOW)
    forearm = np.arctan2(height - LH * np.sin(upper), radius - LH * np.cos(upper))
    second = np.array([[0.4, upper - ELBOW, 0.0, forearm - upper + ELBOW, 0.0, 0.0, 0.0]])
    tol.assert_close(wrist(second, ELBOW)[0], goal, tol.FK_ENGINE)
    elbows = [lagrange.transforms(TABLE, x[0])[3, :3, 3] for x in (first, second)]
    assert np.linalg.norm(elbows[0] - elbows[1]) > 0.1  # so no pose says where frame 4 is
    assert np.arctan2(goal[1], goal[0]) == pytest.approx(0.4, abs=1e-15)


def rotation_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def rotation_x(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def printed_r_36(t5: float, t6: float, t7: float) -> Array:
    """R_6^3 as the paper prints it."""
    (c5, c6, c7), (s5, s6, s7) = np.cos([t5, t6, t7]), np.sin([t5, t6, t7])
    return np.array([
        [-s5 * s7 + c5 * c6 * c7, -s5 * c7 - c5 * c6 * s7, c5 * s6],
        [s6 * c7, -s6 * s7, -c6],
        [c5 * s7 + s5 * c6 * c7, c5 * c7 - s5 * c6 * s7, s5 * s6],
    ])  # fmt: skip


def test_r_36_is_not_the_product_of_table_1() -> None:
    quarter = np.pi / 2
    for t5, t6, t7 in np.random.default_rng(72).uniform(-1.5, 1.5, (50, 3)):
        product = (
            rotation_z(t5) @ rotation_x(-quarter) @ rotation_z(t6) @ rotation_x(quarter)
            @ rotation_z(t7)
        )  # fmt: skip
        as_printed = printed_r_36(t5, t6, t7)
        turn = np.arccos(np.clip((np.trace(as_printed.T @ product) - 1.0) / 2.0, -1.0, 1.0))
        assert turn == pytest.approx(quarter, abs=1e-12)  # a quarter turn, at every configuration
        tol.assert_close(as_printed, rotation_x(quarter) @ product, tol.FK_ENGINE)
    # Rows 5 to 7 of our table give that product.
    q = np.array([0.0, 0.0, 0.0, 0.0, t5, t6, t7])
    A = lagrange.link_transforms(TABLE, q)
    tol.assert_close((A[4] @ A[5] @ A[6])[:3, :3], product, tol.FK_ENGINE)


def test_dividing_by_the_cosine_of_theta_1_is_singular() -> None:
    """x / c1 is the wrist's radius, except where the arm points sideways; hypot(x, y) always is."""
    q = np.array([[np.pi / 2, 0.3, 0.0, 0.8, 0.0, 0.0, 0.0]])
    x, y, _ = wrist(q, ELBOW)[0]
    x = x + 1e-16  # one rounding error of a measured position
    radius = L1 + LH * np.cos(0.3 + ELBOW) + L4 * np.cos(1.1)
    assert abs(x / np.cos(q[0, 0]) - radius) > 0.5
    assert np.hypot(x, y) == pytest.approx(radius, abs=1e-15)


def test_equation_15_repeats_one_diagonal_entry() -> None:
    q = np.random.default_rng(0).uniform(ARM.limits.lower, ARM.limits.upper, (2000, 7))
    M = Pinocchio(ARM).inertia(q)
    U = lagrange.first_derivatives(TABLE, q)
    J = np.array([lagrange.pseudo_inertia(body) for body in TABLE.inertials])
    wrong = J.copy()
    for k, body in enumerate(TABLE.inertials):
        xx, yy, zz = np.diag(body.about_origin)
        wrong[k, [0, 1, 2], [0, 1, 2]] = (-xx + yy + zz) / 2
    error = printed.relative_error(inertia_of(wrong, U), M)
    assert error.mean() == pytest.approx(0.059, abs=0.004)
    assert error.max() == pytest.approx(0.155, abs=0.015)
    tol.assert_close(inertia_of(J, U), M, tol.INERTIA_ENGINE)


def test_derivative_uses_the_inverse_transform_and_a_wrong_range() -> None:
    q = random_states(50, seed=68).q
    M = Pinocchio(ARM).inertia(q)
    J = np.array([lagrange.pseudo_inertia(body) for body in TABLE.inertials])
    A = lagrange.link_transforms(TABLE, q)
    T = [np.broadcast_to(TABLE.T_base_0, A[0].shape)]
    for step in A:
        T.append(T[-1] @ step)
    U = lagrange.first_derivatives(TABLE, q)
    inverted = np.zeros_like(U)
    for i in range(7):
        for j in range(i + 1):
            backwards = inverse(T[i + 1]) @ T[j]  # T_{j-1}^i as printed
            inverted[:, i, j] = T[j] @ lagrange.Q @ backwards
    assert printed.relative_error(inertia_of(J, inverted), M).min() > 0.1
    only_first = U * (np.arange(7) < 1)[:, None, None]  # "j <= 1"
    cut = inertia_of(J, only_first)
    assert (cut[:, 1:, 1:] == 0.0).all()
    assert printed.relative_error(cut, M).min() > 0.1
    tol.assert_close(inertia_of(J, U), M, tol.INERTIA_ENGINE)


def test_first_derivatives_are_by_joint_j() -> None:
    """Printed: U_ij = dT_i / dq_i, which is the same for every j."""
    q, width = random_states(1, seed=73).q[0], 1e-6
    U = lagrange.first_derivatives(TABLE, q)
    for j in range(7):
        shift = width * np.eye(7)[j]
        slope = lagrange.transforms(TABLE, q + shift) - lagrange.transforms(TABLE, q - shift)
        assert np.abs(slope / (2.0 * width) - U[:, j]).max() < 1e-8
    J = np.array([lagrange.pseudo_inertia(body) for body in TABLE.inertials])
    as_printed = np.repeat(U[range(7), range(7)][:, None], 7, axis=1)
    as_printed *= (np.arange(7)[:, None] >= np.arange(7))[..., None, None]
    M = Pinocchio(ARM).inertia(q[None])
    assert printed.relative_error(inertia_of(J, as_printed)[None], M).min() > 0.1
    tol.assert_close(inertia_of(J, U)[None], M, tol.INERTIA_ENGINE)


def test_second_derivatives_vanish_only_beyond_the_link() -> None:
    """Printed: zero where "i, j, k not in order", after two cases with j and k in either order."""
    s = random_states(20, seed=74)
    U = lagrange.second_derivatives(TABLE, s.q)
    i, j, k = np.indices((7, 7, 7))
    beyond = (i < j) | (i < k)
    assert (U[:, beyond] == 0.0).all()
    assert (np.abs(U[:, ~beyond]).max(axis=(0, -1, -2)) > 0.0).all()
    # The printed cases cover both orders of j and k; i >= j >= k alone would not do.
    J = np.array([lagrange.pseudo_inertia(body) for body in TABLE.inertials])
    first = lagrange.first_derivatives(TABLE, s.q)

    def torque(second: Array) -> Array:
        h = np.einsum("bjkmac,jcd,bjiad->bikm", second, J, first)
        return np.asarray(np.einsum("bikm,bk,bm->bi", h, s.qd, s.qd))

    true = Pinocchio(ARM).inverse_dynamics(replace(s, qdd=np.zeros_like(s.qdd)))
    true = true - Pinocchio(ARM).gravity(s.q)
    ordered = U * ((i >= j) & (j >= k))[..., None, None]
    tol.assert_close(torque(U), true, tol.TORQUE_ENGINE)
    assert np.abs(torque(ordered) - true).max() > 0.2 * np.abs(true).max()


def test_gravity_has_seven_entries_and_its_sum_starts_at_the_joint() -> None:
    """Eq. 19 sums over all links; the links before the joint add nothing, as U_ji = 0 there."""
    q = random_states(20, seed=69).q
    G = lagrange.gravity(TABLE, q, ARM.gravity)
    assert G.shape == (20, 7)  # the text says 3 x 1
    U = lagrange.first_derivatives(TABLE, q)
    h = np.array([body.mass * np.append(body.com, 1.0) for body in TABLE.inertials])
    g = np.append(ARM.gravity, 0.0)
    terms = -np.einsum("a,...jiab,jb->...ji", g, U, h)
    assert (np.triu(terms, 1) == 0.0).all()
    tol.assert_close(terms.sum(axis=-2), Pinocchio(ARM).gravity(q), tol.GRAVITY_ENGINE)


def test_algorithm_1_oscillates_around_its_goal() -> None:
    start = np.array([0.1, -0.4, 0.2, 1.0, 0.3, 0.6, -0.2])
    goal = forward_kinematics(ARM, start + 0.1)

    def descend(shorten: bool, step: float = 0.01) -> list[float]:
        q, distances = start.copy(), []
        for _ in range(400):
            T = forward_kinematics(ARM, q)
            error = se3_log(goal @ inverse(T))  # a twist at the base's origin, base axes
            distance = float(np.linalg.norm(error))
            distances.append(distance)
            length = min(step, distance) if shorten else step
            J = forward.tip_jacobian(ARM, q)
            J = np.concatenate([J[:3] - np.cross(J[3:].T, T[:3, 3]).T, J[3:]])
            q = q + np.linalg.pinv(J) @ (error / max(distance, 1e-300) * length)
        return distances

    fixed, shortened = descend(shorten=False), descend(shorten=True)
    assert min(fixed[100:]) > 1e-6, "it would meet a small tolerance"
    assert max(fixed[100:]) < 0.02, "it would not even be near"
    assert shortened[-1] < 1e-12


def test_theta_6_is_singular_at_a_quarter_turn_of_theta_7() -> None:
    """atan2(R21 / c7, -R23): where c7 = 0 it divides one rounding error by another."""
    theta6, theta7 = 0.7, np.pi / 2
    R21 = np.sin(theta6) * np.cos(theta7) + 1e-16
    R22, R23 = -np.sin(theta6) * np.sin(theta7), -np.cos(theta6)
    assert abs(np.arctan2(R21 / np.cos(theta7), -R23) - theta6) > 0.1
    sine = R21 * np.cos(theta7) - R22 * np.sin(theta7)
    assert np.arctan2(sine, -R23) == pytest.approx(theta6, abs=1e-15)


def test_closed_form_gives_two_of_more_branches() -> None:
    """With e0 fixed, Newton's method from many starts finds more solutions of one pose than two."""
    rng = np.random.default_rng(70)
    target = np.array([0.2, -0.6, 0.0, 1.3, 0.4, 0.9, -0.3])
    T_goal = forward_kinematics(ARM, target)
    q = rng.uniform(-np.pi, np.pi, (600, 7))
    q[:, 2] = 0.0
    free = [0, 1, 3, 4, 5, 6]
    for _ in range(60):
        T = forward_kinematics(ARM, q)
        error = se3_log(T_goal @ inverse(T))
        J = forward.tip_jacobian(ARM, q)
        v = J[:, :3] - np.cross(np.swapaxes(J[:, 3:], 1, 2), T[:, None, :3, 3]).swapaxes(1, 2)
        J = np.concatenate([v, J[:, 3:]], axis=1)[:, :, free]
        damped = np.swapaxes(J, 1, 2) @ np.linalg.inv(J @ np.swapaxes(J, 1, 2) + 1e-9 * np.eye(6))
        step = np.einsum("bij,bj->bi", damped, error)
        q[:, free] += step * np.minimum(1.0, 0.5 / np.linalg.norm(step, axis=1))[:, None]
    off = np.linalg.norm(forward_kinematics(ARM, q)[:, :3] - T_goal[:3], axis=(1, 2))
    turns = np.round(q[off < 1e-10] / (2 * np.pi)) * 2 * np.pi
    branches = {tuple(np.round(x, 4) + 0.0) for x in q[off < 1e-10] - turns}
    assert 2 < len(branches) <= 8
