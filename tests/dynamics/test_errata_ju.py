"""Errata of Ju et al. 2014: each printed form fails, ours agrees with Pinocchio."""

from __future__ import annotations

import re

import numpy as np
import printed_tables as printed
import pytest
import tolerances as tol
from dynamics_engines import Pinocchio, nominal_arm

from baxterkit.kinematics.forward import forward_kinematics
from baxterkit.model.dh import dh_from_model
from baxterkit.model.library import baxter_arm
from baxterkit.model.urdf_writer import write_urdf

ARM = nominal_arm()


def test_equation_1_prints_a_cosine_for_a_sine() -> None:
    theta, alpha = 0.7, -np.pi / 2
    s, c, sa, ca = np.sin(theta), np.cos(theta), np.sin(alpha), np.cos(alpha)
    wrong = np.array([[c, -s * ca, s * sa], [c, c * ca, -c * sa], [0.0, sa, ca]])
    assert np.abs(wrong.T @ wrong - np.eye(3)).max() > 0.1, "it would be a rotation"
    right = wrong.copy()
    right[1, 0] = s
    tol.assert_close(right.T @ right, np.eye(3), tol.ROUND_TRIP)
    row = dh_from_model(ARM).rows[0]
    tol.assert_close(row.transform(theta)[:3, :3], right, tol.ROUND_TRIP)


def test_equation_4_leaves_out_the_arm_mount() -> None:
    c = np.sqrt(0.5)
    as_printed = np.array([c * 0.056, c * 0.056, 0.011])
    pin = Pinocchio(ARM)
    pin.pin.forwardKinematics(pin.model, pin.data, np.zeros(7))
    true = pin.data.oMi[1].translation  # the s0 frame
    assert np.linalg.norm(as_printed - true) == pytest.approx(0.2506, abs=2e-4)
    tol.assert_close(ARM.T_base_s0[:3, 3], true, tol.ROUND_TRIP)


def test_right_arm_turns_the_other_way() -> None:
    """The formula is for the left arm; the right one takes -pi/4."""
    yaw = [
        np.arctan2(arm.T_base_s0[1, 0], arm.T_base_s0[0, 0])
        for arm in (baxter_arm("left"), baxter_arm("right"))
    ]
    assert yaw == pytest.approx([np.pi / 4, -np.pi / 4], abs=2e-6)  # URDF: 0.7854
    for arm, angle in zip((baxter_arm("left"), baxter_arm("right")), yaw, strict=True):
        pin = Pinocchio(arm)
        pin.pin.forwardKinematics(pin.model, pin.data, np.zeros(7))
        R = pin.data.oMi[1].rotation
        assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(angle, abs=1e-15)


def test_table_1_rounds_to_millimetres() -> None:
    q = np.random.default_rng(63).uniform(ARM.limits.lower, ARM.limits.upper, (2000, 7))
    rounded = printed.dh_table(ARM, d=(*printed.JU_D, printed.TRUE_D[6]))
    T = forward_kinematics(ARM, q)
    error = np.linalg.norm(rounded.fk(q)[:, :3, 3] - T[:, :3, 3], axis=-1)
    assert error.max() == pytest.approx(1.42e-3, abs=5e-5)
    exact = printed.dh_table(ARM)
    tol.assert_close(exact.fk(q), T, tol.FK_ENGINE)


def test_table_1_d7_belongs_to_its_grippers() -> None:
    """0.28 and 0.275 are to a vacuum cup and a gripper; the hand is at 0.229525."""
    tip = Pinocchio(ARM)
    tip.pin.framesForwardKinematics(tip.model, tip.data, np.zeros(7))
    wrist, hand = tip.data.oMi[6].translation, tip.data.oMf[tip.tip].translation
    d7 = np.linalg.norm(hand - wrist)
    assert d7 == pytest.approx(0.229525, abs=1e-12)
    assert min(abs(0.28 - d7), abs(0.275 - d7)) > 0.045


def test_first_moving_joint_is_found_by_type_not_by_rotation() -> None:
    """The recipe starts at the first joint "with rpy != 0", which is s1: s0 has rpy 0."""
    joints = re.findall(
        r'<joint name="(\w+)" type="revolute">.*?rpy="([^"]*)"', write_urdf(ARM), re.DOTALL
    )
    # In the arm's own frames (the mount apart) the first joint is not turned.
    assert (ARM.joints[0].T_parent_joint == np.eye(4)).all()
    turned = [j.name for j in ARM.joints if (j.T_parent_joint[:3, :3] != np.eye(3)).any()]
    assert turned[0] == "left_s1"
    assert joints[0][0] == dh_from_model(ARM).rows[0].joint == "left_s0"
    assert Pinocchio(ARM).model.names[1] == "left_s0"
