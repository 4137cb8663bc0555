"""Impedance: stiffness as told, passivity in contact, a posture that does not move the tip."""

from __future__ import annotations

import numpy as np
import pytest
import tolerances as tol
from controllers import ARM, NEUTRAL, SWING, energy, swinging
from hypothesis import given
from hypothesis import strategies as st

from baxterkit import control, spatial
from baxterkit.control import Reference, Run, State, simulate
from baxterkit.control.cartesian_impedance import spring_wrench
from baxterkit.types import Array

GOAL = Reference(NEUTRAL)
UNEVEN = np.array([500.0, 300.0, 200.0, 30.0, 15.0, 5.0])
vectors = st.lists(st.floats(-1.8, 1.8), min_size=3, max_size=3).map(np.array)


def pose(phi: Array, p: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = spatial.so3_exp(phi), p
    return T


@given(a=vectors, b=vectors, p=vectors)
def test_pose_difference_is_the_logarithm(a: Array, b: Array, p: Array) -> None:
    T_from, T_to = pose(a, p), pose(b, -p)
    along, about = np.split(spatial.formulas.pose_difference(T_from, T_to), 2)
    tol.assert_close(along, -2.0 * p, tol.ROUNDING)
    R = T_to[:3, :3] @ T_from[:3, :3].T
    tol.assert_close(spatial.so3_exp(about), R, tol.SPATIAL_NEAR_PI)
    assert np.linalg.norm(about) <= np.pi * (1.0 + 1e-15)
    batch = spatial.formulas.pose_difference(T_from[None], T_to)[0]
    R_batch = spatial.so3_exp(batch[3:])
    tol.assert_close(R_batch, R, tol.SPATIAL_NEAR_PI)
    tol.assert_close(batch[:3], along, tol.ROUNDING)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-4, np.pi - 1e-6, np.pi])
@pytest.mark.parametrize("axis", np.eye(3))
def test_pose_difference_holds_from_no_turn_to_half_a_turn(angle: float, axis: Array) -> None:
    about = spatial.formulas.pose_difference(np.eye(4), pose(angle * axis, np.zeros(3)))[3:]
    tol.assert_close(np.abs(about), angle * axis, tol.SPATIAL_NEAR_PI)


@pytest.mark.parametrize("even", [True, False])
@given(a=vectors, b=vectors, p=vectors)
def test_the_spring_is_the_gradient_of_its_energy(even: bool, a: Array, b: Array, p: Array) -> None:
    K = (200.0, 200.0, 200.0, 10.0, 10.0, 10.0) if even else tuple(UNEVEN.tolist())
    T, goal = pose(a, p), pose(b, np.zeros(3))

    def stored(motion: Array) -> float:
        """Energy after the tip has moved by a small motion in its own axes."""
        there = T @ spatial.se3_exp(motion)
        gap = np.reshape(spatial.formulas.pose_difference(there, goal), (2, 3)) @ there[:3, :3]
        return float(0.5 * np.dot(K, np.square(gap).ravel()))

    if spatial.rotation_angle(T[:3, :3].T @ goal[:3, :3]) > np.pi - 0.01:
        return  # at half a turn the energy has a ridge
    h = 1e-6
    slope = [(stored(h * e) - stored(-h * e)) / (2.0 * h) for e in np.eye(6)]
    wrench = spring_wrench(T, goal, K[:3], K[3:])
    tol.assert_close(-np.array(slope), wrench, tol.SPRING_GRADIENT)


def wall(t: float, q: Array, qd: Array) -> Array:
    """A stiff, dissipating wall that pushes on everything beyond, and a hand that shakes the tip.

    The wall is passive; the shaking hand is accounted for by the work that it does.
    """
    V = ARM.twist(q, qd)
    f = np.zeros(6)
    depth = ARM.fk(q)[0, 3] - (ARM.fk(NEUTRAL)[0, 3] + 0.02)
    if depth > 0.0:
        f[0] = -5e3 * depth - 50.0 * V[0]
    f[1:3] = 15.0 * np.sin(7.0 * t), -10.0 * np.cos(5.0 * t)
    f[3:] = 0.5 * np.sin(11.0 * t)
    return f


def work(run: Run) -> Array:
    """Work that the environment has done on the arm up to each row [J]."""
    power = np.einsum("ni,ni->n", run.wrench, ARM.twist(run.q, run.qd))
    return np.concatenate([[0.0], np.cumsum(0.5 * np.diff(run.t) * (power[1:] + power[:-1]))])


def test_joint_impedance_gives_out_no_more_energy_than_it_took_in() -> None:
    controller = control.JointImpedance(ARM)
    run = simulate(ARM, controller, GOAL, 2.0, q=NEUTRAL + 0.3 * SWING, wrench=wall, dt=5e-4)
    assert (np.abs(run.tau) < ARM.limits.effort).all()
    stored = energy(ARM, run.q, run.qd) + 0.5 * (controller.stiffness * run.error**2).sum(-1)
    given_out = np.diff(stored - work(run))
    assert given_out.max() < tol.PASSIVE_STEP * stored[0]
    assert np.abs(run.wrench[:, 0]).max() > 1.0  # it did touch the wall


def test_cartesian_impedance_gives_out_no_more_energy_than_it_took_in() -> None:
    controller = control.CartesianImpedance(ARM, UNEVEN, null_stiffness=0.0)
    run = simulate(ARM, controller, GOAL, 2.0, q=NEUTRAL + 0.2 * SWING, wrench=wall, dt=5e-4)
    assert (np.abs(run.tau) < ARM.limits.effort).all()
    goal = ARM.fk(NEUTRAL)
    gap = np.array(
        [spatial.formulas.pose_difference(T, goal).reshape(2, 3) @ T[:3, :3] for T in ARM.fk(run.q)]
    )
    stored = energy(ARM, run.q, run.qd) + 0.5 * (UNEVEN * gap.reshape(-1, 6) ** 2).sum(axis=-1)
    given_out = np.diff(stored - work(run))
    assert given_out.max() < tol.PASSIVE_STEP * stored[0]


def test_a_pushed_joint_gives_way_by_torque_over_stiffness() -> None:
    controller = control.JointImpedance(ARM)
    push = np.array([5.0, -3.0, 4.0, 1.0, 2.0, 0.2])
    run = simulate(ARM, controller, GOAL, 6.0, wrench=lambda t, q, qd: push)
    torque = ARM.jacobian(run.q[-1]).T @ push
    tol.assert_close(run.q[-1] - NEUTRAL, torque / controller.stiffness, tol.SETTLED)


def test_a_pushed_tip_gives_way_by_force_over_stiffness() -> None:
    controller = control.CartesianImpedance(ARM, UNEVEN)
    push = np.array([6.0, -4.0, 5.0, 0.0, 0.0, 0.0])
    run = simulate(ARM, controller, GOAL, 12.0, wrench=lambda t, q, qd: push)
    T, goal = ARM.fk(run.q[-1]), ARM.fk(NEUTRAL)
    along = spatial.formulas.pose_difference(goal, T)[:3]
    tol.assert_close(along @ T[:3, :3], push[:3] @ T[:3, :3] / UNEVEN[:3], tol.YIELD)


@pytest.mark.parametrize("t", [0.3, 1.1])
def test_the_posture_accelerates_the_elbow_and_not_the_tip(t: float) -> None:
    r = swinging(t)
    state = State(NEUTRAL, 0.3 * SWING)
    soft, stiff = (
        control.CartesianImpedance(ARM, null_stiffness=k, effort=1e6).update(state, r, 1e-3)
        for k in (0.0, 40.0)
    )
    qdd = np.linalg.solve(ARM.inertia(NEUTRAL), stiff - soft)
    assert np.abs(qdd).max() > 0.1
    tol.assert_close(ARM.jacobian(NEUTRAL) @ qdd, np.zeros(6), tol.NULL_ACCELERATION)


def test_the_posture_brings_the_elbow_back() -> None:
    n = ARM.null_vector(NEUTRAL)
    start = NEUTRAL + 0.3 * n / np.linalg.norm(n)
    run = simulate(ARM, control.CartesianImpedance(ARM), GOAL, 12.0, q=start)
    assert np.abs(run.error[-1]).max() < 0.05 * np.abs(run.error[0]).max()


def test_a_pose_of_its_own_moves_the_tip_there() -> None:
    T = ARM.fk(NEUTRAL)
    T[:3, 3] += (-0.05, 0.04, -0.06)
    controller = control.CartesianImpedance(ARM, null_stiffness=0.0)
    run = simulate(ARM, controller, Reference(NEUTRAL, T=T), 5.0)
    tol.assert_close(ARM.fk(run.q[-1]), T, tol.SETTLED)


def test_every_mode_of_the_arm_is_well_damped() -> None:
    """Linearised about postures all over the workspace: no mode rings."""
    controller = control.CartesianImpedance(ARM)
    rng = np.random.default_rng(3)
    q = rng.uniform(ARM.limits.lower, ARM.limits.upper, (300, 7))
    q = q[ARM.manipulability(q) > 0.02]
    J, M = ARM.jacobian(q, "tip"), ARM.inertia(q)
    Jt = np.swapaxes(J, -1, -2)
    K = Jt @ (controller.stiffness[:, None] * J)
    D = Jt @ (controller.damping[:, None] * J) + controller.drag * M
    A = np.zeros((len(q), 14, 14))
    A[:, :7, 7:] = np.eye(7)
    A[:, 7:, :7], A[:, 7:, 7:] = -np.linalg.solve(M, K), -np.linalg.solve(M, D)
    modes = np.linalg.eigvals(A)
    modes = modes[np.abs(modes) > 1e-3]  # without the elbow's, which has no spring here
    assert (-modes.real / np.abs(modes)).min() > 0.6
    assert len(q) > 50


def test_a_null_space_that_is_no_line_is_left_alone() -> None:
    class Singular(control.CartesianImpedance):
        def __init__(self) -> None:
            super().__init__(ARM)
            self._null_vector = lambda q: np.zeros(7)  # type: ignore[method-assign,assignment]

    state, r = State(NEUTRAL, np.zeros(7)), Reference(NEUTRAL + 0.05)
    tau = Singular().update(state, r, 1e-3)
    plain = control.CartesianImpedance(ARM, null_stiffness=0.0).update(state, r, 1e-3)
    np.testing.assert_array_equal(tau, plain)
