"""Resolved rate: joint velocities for a motion of the tip."""

from __future__ import annotations

import re
from typing import cast

import numpy as np
import pytest
import tolerances as tol
from controllers import ARM, NEUTRAL

from baxterkit import control
from baxterkit.control import Reference, State
from baxterkit.errors import InputError, ShapeError
from baxterkit.spatial.formulas import pose_difference

REST = np.zeros(7)


def test_without_errors_it_is_equation_15() -> None:
    V = np.array([0.1, -0.05, 0.08, 0.1, 0.2, -0.1])
    r = Reference(NEUTRAL, T=ARM.fk(NEUTRAL), twist=V)
    qd = control.ResolvedRate(ARM).joint_velocity(State(NEUTRAL, REST), r, 1e-2)
    tol.assert_close(qd, np.linalg.pinv(ARM.jacobian(NEUTRAL)) @ V, tol.PSEUDOINVERSE)


def test_drift_is_taken_back() -> None:
    """Integrated with large steps, the tip stays on its circle."""
    controller = control.ResolvedRate(ARM)
    T = ARM.fk(NEUTRAL)
    q, dt, w = NEUTRAL.copy(), 0.02, 1.0
    gaps = []
    for i in range(500):
        c, s = np.cos(w * i * dt), np.sin(w * i * dt)
        there = T.copy()
        there[:3, 3] += 0.1 * np.array([c - 1.0, s, 0.0])
        twist = 0.1 * w * np.array([-s, c, 0.0, 0.0, 0.0, 0.0])
        q = q + dt * controller.joint_velocity(
            State(q, REST), Reference(NEUTRAL, T=there, twist=twist), dt
        )
        gaps.append(np.abs(pose_difference(ARM.fk(q), there)).max())
    assert max(gaps) < 4e-3  # one period's way
    assert gaps[-1] < 4e-3


def test_a_joint_reference_alone_moves_the_tip_as_it_says() -> None:
    qd_r = np.array([0.1, -0.1, 0.2, 0.1, -0.2, 0.1, 0.3])
    qd = control.ResolvedRate(ARM).joint_velocity(
        State(NEUTRAL, REST), Reference(NEUTRAL, qd_r), 1e-2
    )
    tol.assert_close(ARM.twist(NEUTRAL, qd), ARM.twist(NEUTRAL, qd_r), tol.PSEUDOINVERSE)


def test_the_posture_pulls_in_the_null_space_alone() -> None:
    r = Reference(NEUTRAL + 0.2, T=ARM.fk(NEUTRAL))
    qd = control.ResolvedRate(ARM).joint_velocity(State(NEUTRAL, REST), r, 1e-2)
    assert np.abs(qd).max() > 1e-3
    tol.assert_close(ARM.twist(NEUTRAL, qd), np.zeros(6), tol.PSEUDOINVERSE)
    assert qd @ (r.q - NEUTRAL) > 0.0


def test_a_command_too_fast_is_shortened_as_a_whole() -> None:
    V = np.array([3.0, -2.0, 1.0, 0.0, 0.0, 4.0])
    r = Reference(NEUTRAL, T=ARM.fk(NEUTRAL), twist=V)
    qd = control.ResolvedRate(ARM).joint_velocity(State(NEUTRAL, REST), r, 1e-3)
    assert (np.abs(qd) / ARM.limits.velocity).max() == pytest.approx(1.0, rel=1e-12)
    reached = ARM.twist(NEUTRAL, qd)
    ratio = reached @ V / (V @ V)
    assert 0.0 < ratio < 1.0
    tol.assert_close(reached, ratio * V, tol.PSEUDOINVERSE)


def test_no_joint_is_sent_past_its_limits() -> None:
    q = NEUTRAL.copy()
    q[6] = ARM.limits.upper[6] - 0.001
    twist = np.concatenate([np.zeros(3), ARM.fk(q)[:3, 2]])  # turn the tool: w2 forwards
    r = Reference(q, T=ARM.fk(q), twist=twist)
    qd = control.ResolvedRate(ARM).joint_velocity(State(q, REST), r, 0.01)
    assert qd[6] == pytest.approx(0.1, rel=1e-9)
    beyond = q.copy()
    beyond[6] = ARM.limits.upper[6] + 0.05
    r = Reference(beyond, T=ARM.fk(beyond), twist=twist)
    assert control.ResolvedRate(ARM).joint_velocity(State(beyond, REST), r, 0.01)[6] <= 0.0


def test_a_singular_posture_gives_a_bounded_command() -> None:
    straight = np.zeros(7)
    V = np.array([0.1, 0.1, 0.1, 0.0, 0.0, 0.0])
    r = Reference(straight, T=ARM.fk(straight), twist=V)
    qd = control.ResolvedRate(ARM).joint_velocity(State(straight, REST), r, 1e-2)
    assert (np.abs(qd) <= ARM.limits.velocity).all()


def test_wrong_poses_and_twists_raise() -> None:
    controller = control.ResolvedRate(ARM)
    state = State(NEUTRAL, REST)
    T = np.eye(4)
    T[0, 3] = np.nan
    with pytest.raises(InputError, match=r"^reference.T\[0, 3\] = nan; every value of reference.T"):
        controller.joint_velocity(state, Reference(NEUTRAL, T=T), 1e-3)
    with pytest.raises(
        ShapeError, match=r"^reference.T must have shape \(..., 4, 4\), got \(3, 3\)"
    ):
        controller.joint_velocity(state, Reference(NEUTRAL, T=np.eye(3)), 1e-3)
    with pytest.raises(InputError, match=r"^reference.twist\[1\] = inf; every value of"):
        controller.joint_velocity(
            state, Reference(NEUTRAL, twist=np.array([0.0, np.inf, 0.0, 0.0, 0.0, 0.0])), 1e-3
        )


def test_it_is_no_torque_controller() -> None:
    """Velocities must never be sent as torques: no `Controller` by type, and refused by name."""
    assert not isinstance(control.ResolvedRate(ARM), control.Controller)
    assert isinstance(control.ComputedTorque(ARM), control.Controller)
    law = cast(control.Controller, control.ResolvedRate(ARM))
    message = (
        "ResolvedRate commands joint velocities, and torques are wanted here; send what its "
        "joint_velocity gives by limb.command_velocity, or take a torque controller such as "
        "ComputedTorque"
    )
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        control.simulate(ARM, law, Reference(NEUTRAL), 0.01)
    with pytest.raises(InputError, match=r"^ResolvedRate commands joint velocities"):
        control.Smoothed(law)


def test_what_has_no_update_is_no_controller() -> None:
    with pytest.raises(InputError, match=r"^int is not a controller: it needs update\(state, ref"):
        control.simulate(ARM, cast(control.Controller, 3), Reference(NEUTRAL), 0.01)
