from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import tolerances

from baxterkit import Arm
from baxterkit.viewer import Session
from baxterkit.viewer.page.html import copy_html, elbow_html, note_html, pose_html, torques_html
from baxterkit.viewer.state.dragged_arm import DraggedArm
from baxterkit.viewer.state.readout import elbow_of, other_branches, read_out, touches_of


@pytest.mark.parametrize("name", ["neutral", "untuck", "tuck"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_readout_is_what_the_arm_computes(side: str, name: str) -> None:
    arm = Arm(side, "vacuum")
    q = arm.configuration(name)
    readout = read_out(DraggedArm(arm, q))
    np.testing.assert_array_equal(readout.T_base_tip, arm.fk(q))
    assert readout.manipulability == arm.manipulability(q)
    np.testing.assert_array_equal(readout.gravity, arm.gravity(q))
    np.testing.assert_allclose(readout.load, arm.gravity(q) / arm.limits.effort, rtol=1e-15, atol=0)


def test_ellipsoid_holds_every_tip_velocity_of_unit_joint_speed() -> None:
    arm = Arm("left")
    q = arm.configuration("untuck")
    readout = read_out(DraggedArm(arm, q))
    R, axes = readout.ellipsoid_rotation, readout.ellipsoid_axes
    assert np.linalg.det(R) == pytest.approx(1.0)
    qd = np.random.default_rng(0).normal(size=(2000, 7))
    qd /= np.linalg.norm(qd, axis=-1, keepdims=True)
    v = arm.twist(q, qd)[:, :3]
    inside = np.linalg.norm(v @ R / axes, axis=-1)
    assert inside.max() <= 1.0 + tolerances.PROJECTOR
    assert inside.max() > 0.9  # and it is no larger than need be


def test_a_singularity_is_warned_of() -> None:
    arm = Arm("left")
    assert not read_out(DraggedArm(arm, arm.configuration("untuck"))).singular
    straight = read_out(DraggedArm(arm, np.zeros(7)))
    assert straight.singular
    assert "near a singularity" in pose_html(straight)
    assert "near a singularity" not in pose_html(read_out(DraggedArm(arm)))


def test_elbow_intervals_are_those_of_the_self_motion() -> None:
    limb = DraggedArm(Arm("left"))
    elbow = elbow_of(limb)
    motion = limb.arm.self_motion(limb.T_base_tip)
    shown = sorted([*elbow.here, *elbow.elsewhere])
    assert shown == sorted(segment.e0_range for segment in motion.feasible)
    assert any(low <= limb.q[2] <= high for low, high in elbow.here)
    # What is drawn as feasible is where the elbow is when it slides there.
    point = limb.arm.link_poses(limb.q)[3, :3, 3]
    gaps = [np.linalg.norm(piece - point, axis=-1).min() for piece in elbow.feasible]
    assert min(gaps) < 0.05
    assert len(elbow.infeasible) > 0


def test_branches_reach_the_same_pose_with_the_same_e0() -> None:
    limb = DraggedArm(Arm("left"))
    beyond = other_branches(limb, limits=False)
    assert len(beyond) >= 1
    for q in beyond:
        tolerances.assert_close(limb.arm.fk(q), limb.T_base_tip, tolerances.IK_POSE)
        assert q[2] == pytest.approx(limb.q[2], abs=1e-9)
    inside = other_branches(limb)
    assert limb.arm.limits.contains(inside).all()
    assert len(inside) <= len(beyond)


def test_panel_shows_the_numbers_and_no_markup_of_others() -> None:
    limb = DraggedArm(Arm("right"))
    readout = read_out(limb)
    assert f"{limb.T_base_tip[0, 3]:+.3f}" in pose_html(readout)
    assert "quat xyzw" in pose_html(readout)
    # On a telephone (390 pixels wide) a row has room for 34 characters.
    rows = [re.sub(r"<[^>]*>", "", row) for row in re.findall(r"<tr>.*?</tr>", pose_html(readout))]
    assert max(map(len, rows)) <= 34
    assert f"{limb.arm.gravity(limb.q)[1]:+.2f} / 100" in torques_html(readout)
    assert f"{limb.q[3]:.6f}" in copy_html(limb.q)
    assert "<b>" not in note_html("<b>")
    assert note_html("") == ""


def test_strip_marks_what_is_infeasible() -> None:
    limb = DraggedArm(Arm("left"))
    elbow = elbow_of(limb)
    text = elbow_html(elbow)
    green = re.findall(r'<rect x="([\d.]+)" width="([\d.]+)" height="10" fill="#009E73"', text)
    ((low, high),) = elbow.here
    span = elbow.upper - elbow.lower
    assert float(green[0][0]) == pytest.approx(100 * (low - elbow.lower) / span, abs=0.01)
    assert float(green[0][1]) == pytest.approx(100 * (high - low) / span, abs=0.01)
    assert "infeasible" in text


def test_what_rounds_to_zero_has_no_minus() -> None:
    readout = replace(
        read_out(DraggedArm(Arm("left"))), gravity=np.array([-1e-9, -0.004, -0.006, 0, 0, 0, 0])
    )
    text = torques_html(readout)
    assert "-0.00 /" not in text
    assert text.count("+0.00 /") == 6
    assert "-0.01 / 50" in text


def test_strip_marks_where_the_elbow_would_touch_the_head() -> None:
    """A hand pose whose self-motion leads the elbow into the robot, under a green strip before."""
    session = Session()
    limb, other = session.limb("left"), session.limb("right").q
    elbow = elbow_of(limb, touches_of(session.scene, "left", other))
    assert elbow.blocked
    inside = False
    for low, high in elbow.blocked:
        e0 = 0.5 * (low + high)
        for q in limb.arm.ik_all(limb.T_base_tip, e0):
            inside |= float(session.scene.clearance(q, other)) < 0.0
    assert inside
    text = elbow_html(elbow)
    assert text.count('fill="#8214FF"') == len(elbow.blocked)
    assert "touches" in text
    assert len(elbow.touching) == len(elbow.blocked)
    assert elbow_of(limb).blocked == ()
