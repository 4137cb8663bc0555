"""Errata of Smith et al. 2016: each printed form fails, ours agrees with Pinocchio."""

from __future__ import annotations

import itertools

import numpy as np
import printed_tables as printed
import pytest
import tolerances as tol
from dynamics_engines import Pinocchio, nominal_arm, random_states
from numpy.typing import NDArray

from baxterkit import Arm
from baxterkit.dynamics import lagrange
from baxterkit.dynamics import newton_euler as ne
from baxterkit.kinematics.forward import forward_kinematics
from baxterkit.model.dh import DhTable, dh_from_model

Array = NDArray[np.float64]

ARM = nominal_arm()
TABLE = dh_from_model(ARM)


@pytest.fixture(scope="module")
def q() -> Array:
    limits = ARM.limits
    return np.random.default_rng(0).uniform(limits.lower, limits.upper, (2000, 7))


@pytest.fixture(scope="module")
def M(q: Array) -> Array:
    return Pinocchio(ARM).inertia(q)


def tip_error(table: DhTable, q: Array) -> Array:
    T = forward_kinematics(ARM, q)
    return np.asarray(np.linalg.norm(table.fk(q)[:, :3, 3] - T[:, :3, 3], axis=-1))


def inertia_of(J: Array, table: DhTable, q: Array) -> Array:
    U = lagrange.first_derivatives(table, q)
    return np.asarray(np.einsum("...jkab,jbc,...jiac->...ik", U, J, U))


def test_table_2_lacks_a_quarter_turn_of_the_second_joint(q: Array, M: Array) -> None:
    table = printed.dh_table(ARM, theta=printed.SMITH_THETA)
    assert tip_error(table, q).mean() == pytest.approx(0.85, abs=0.03)  # metres
    assert printed.relative_error(lagrange.inertia(table, q), M).mean() == pytest.approx(
        0.6, abs=0.03
    )
    assert tip_error(printed.dh_table(ARM), q).max() < tol.FK_ENGINE


def test_table_2_cuts_lengths_to_four_digits(q: Array) -> None:
    error = tip_error(printed.dh_table(ARM, d=printed.SMITH_D), q)
    assert error.mean() == pytest.approx(6.1e-5, abs=3e-6)
    assert tip_error(printed.dh_table(ARM), q).max() < tol.FK_ENGINE


def test_table_3_is_about_the_centre_of_mass_where_equation_12_needs_the_origin(
    q: Array, M: Array
) -> None:
    bodies = printed.smith_inertials()
    J = np.empty((7, 4, 4))
    for k, body in enumerate(bodies):
        xx, yy, zz = np.diag(body.inertia)
        J[k, :3, :3] = body.inertia  # off-diagonal entries as printed, tensor sign
        J[k, [0, 1, 2], [0, 1, 2]] = (-xx + yy + zz) / 2, (xx - yy + zz) / 2, (xx + yy - zz) / 2
        J[k, :3, 3] = J[k, 3, :3] = body.mass * body.com
        J[k, 3, 3] = body.mass
    wrong = inertia_of(J, printed.dh_table(ARM), q)
    error = printed.relative_error(wrong, M)
    assert error.mean() == pytest.approx(0.06, abs=0.003)
    assert error.max() == pytest.approx(0.146, abs=0.01)
    ratio = (wrong / M)[:, range(7), range(7)].mean(axis=0) - 1.0
    assert ratio[[5, 4]] == pytest.approx([-0.32, -0.20], abs=0.01)
    # Parallel axis and sign put it right, up to link 7 and table IV ...
    rest = printed.relative_error(lagrange.inertia(printed.dh_table(ARM), q), M)
    assert rest.mean() == pytest.approx(5e-4, abs=1e-4)
    # ... and the true inertials leave nothing.
    true = printed.dh_table(ARM, inertials=TABLE.inertials)
    tol.assert_close(lagrange.inertia(true, q), M, tol.INERTIA_ENGINE)


def test_table_3_link_7_is_wrong_in_every_entry() -> None:
    """Links 1-6 are the URDF's tensors; link 7 (wrist and hand together) is not."""
    for body, true in zip(printed.smith_inertials()[:6], TABLE.inertials, strict=False):
        assert np.abs(body.inertia - true.inertia).max() < 1e-9
    body, true = printed.smith_inertials()[6], TABLE.inertials[6]
    upper = np.triu_indices(3)
    assert (np.abs(body.inertia - true.inertia)[upper] > 4e-6).all()
    xx, yy, zz, xy, yz, xz = 0.00121477, 0.00127636, 0.00055487, 8.14e-6, 4.72e-6, -6.551e-5
    expected = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert np.abs(true.inertia - expected).max() < 5e-9


def test_table_4_has_five_entries_off_by_seventy_micrometres() -> None:
    difference = np.array(
        [
            np.array(com) - true.com
            for com, true in zip(printed.SMITH_COM, TABLE.inertials, strict=True)
        ]
    )
    wrong = np.argwhere(np.abs(difference) > 1e-6)
    assert wrong.tolist() == [[2, 1], [3, 2], [4, 1], [5, 2], [6, 2]]
    assert np.abs(difference[tuple(wrong.T)]) == pytest.approx(7e-5, abs=4e-6)


def test_equation_8_has_its_indices_swapped(q: Array) -> None:
    G = Pinocchio(ARM).gravity(q)
    U = lagrange.first_derivatives(TABLE, q)
    h = [body.mass * np.append(body.com, 1.0) for body in TABLE.inertials]
    g = np.append(ARM.gravity, 0.0)
    swapped = np.stack(
        [-sum(np.einsum("a,nab,b->n", g, U[:, i, j], h[j]) for j in range(i, 7)) for i in range(7)],
        axis=-1,
    )
    assert np.abs(swapped - G).max() == pytest.approx(50.8, abs=2.0)
    tol.assert_close(lagrange.gravity(TABLE, q, ARM.gravity), G, tol.GRAVITY_ENGINE)


def test_text_writes_velocity_where_acceleration_belongs() -> None:
    s = random_states(50, seed=61)
    tau = Pinocchio(ARM).inverse_dynamics(s)
    M, C = lagrange.inertia(TABLE, s.q), lagrange.coriolis(TABLE, s.q, s.qd)
    G = lagrange.gravity(TABLE, s.q, ARM.gravity)
    coriolis = np.einsum("bik,bk->bi", C, s.qd) + G
    as_printed = np.einsum("bik,bk->bi", M, s.qd) + coriolis
    corrected = np.einsum("bik,bk->bi", M, s.qdd) + coriolis
    assert np.abs(as_printed - tau).max() > 10.0
    tol.assert_close(corrected, tau, tol.TORQUE_ENGINE)


@pytest.mark.parametrize("column", printed.SMITH_TABLE_V, ids="-".join)
def test_table_5_adds_signed_errors_under_rows_of_absolute_ones(column: tuple[str, str]) -> None:
    """The printed sum is not the sum of the rows, but some choice of signs gives it."""
    rows, total = printed.SMITH_TABLE_V[column]
    assert sum(rows) > 1.5 * total
    signed = [
        abs(np.dot(signs, rows)) for signs in itertools.product((1.0, -1.0), repeat=len(rows))
    ]
    assert min(abs(value - total) for value in signed) <= 7 * 0.5e-4  # rounding of seven rows


def test_lagrange_euler_is_no_more_accurate_than_newton_euler() -> None:
    """With equal parameters both give the same torque, so the paper's difference is in these."""
    s = random_states(200, seed=62)
    tau = ne.inverse_dynamics(ARM, s.q, s.qd, s.qdd)
    other = lagrange.inverse_dynamics(TABLE, s.q, s.qd, s.qdd, ARM.gravity)
    tol.assert_close(other, tau, tol.TORQUE_ENGINE)
    tol.assert_close(tau, Pinocchio(ARM).inverse_dynamics(s), tol.TORQUE_ENGINE)


def test_a_switch_in_y_is_not_the_work_of_joint_2() -> None:
    """The paper says joint 2 (s1) of Fig. 6; with a vertical hand s0 always moves more.

    Joint velocities of a motion in y by the inverse Jacobian (eq. 15), wherever the hand points
    down around the paper's place, with every yaw and every elbow that the limits allow.
    """
    arm = Arm("right")
    speeds = []
    for x, y, yaw in itertools.product((0.5, 0.6, 0.7), (-0.3, -0.2, -0.1), np.arange(8)):
        T = np.eye(4)
        c, s = np.cos(yaw * np.pi / 4), np.sin(yaw * np.pi / 4)
        T[:3, :3] = np.array([[c, s, 0.0], [s, -c, 0.0], [0.0, 0.0, -1.0]])
        T[:3, 3] = x, y, 0.1
        for e0 in np.linspace(arm.limits.lower[2], arm.limits.upper[2], 21):
            q = arm.ik_all(T, e0=e0)
            q = q[np.isfinite(q).all(axis=-1)]
            speeds.append(np.linalg.pinv(arm.jacobian(q))[:, :, 1])
    speed = np.abs(np.concatenate(speeds))
    assert len(speed) > 1000
    assert (speed[:, 1] < speed[:, 0]).all()
    assert (speed.argmax(axis=1) != 1).all()
