"""The panel without a browser: typed targets, branches, the elbow's slider, the timeline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from viewer_client import do, wait_for

from baxterkit import Arm
from baxterkit.look.colors import TOUCHING
from baxterkit.model.names import JOINTS
from baxterkit.recording import Recording
from baxterkit.viewer import Motion, Viewer


def at_rest(viewer: Viewer) -> None:
    wait_for(lambda: not viewer.session.moving, "the arms have come to rest")


def test_a_typed_pose_is_gone_to(viewer: Viewer) -> None:
    panel, limb = viewer.controls.arms["left"], viewer.session.limb("left")
    panel.hand.value = "0.62 0.25 0.15"
    do(viewer, panel.go_to_typed_hand)
    at_rest(viewer)
    assert_allclose(limb.T_base_tip[:3, 3], [0.62, 0.25, 0.15], rtol=0.0, atol=1e-9)


def test_a_typed_pose_out_of_reach_moves_nothing_and_is_said(viewer: Viewer) -> None:
    panel, limb = viewer.controls.arms["right"], viewer.session.limb("right")
    before = limb.q
    panel.hand.value = "3 0 0"
    do(viewer, panel.go_to_typed_hand)
    assert limb.q is before
    assert not viewer.session.moving
    assert "No joint angles reach the target" in limb.message
    do(viewer, lambda: viewer.controls.update(viewer.session))
    assert "Right arm: No joint angles" in viewer.controls._note.content
    assert viewer.stage._messages["right"].text == "No joint angles reach the target"
    do(viewer, lambda: viewer.session.go_to_configuration("untuck"))
    at_rest(viewer)


def test_typed_joints_are_gone_to_within_the_limits_only(viewer: Viewer) -> None:
    panel, limb = viewer.controls.arms["left"], viewer.session.limb("left")
    q = limb.arm.configuration("neutral")
    panel.joints.value = str(q.tolist())
    do(viewer, panel.go_to_typed_joints)
    at_rest(viewer)
    assert_array_equal(limb.q, q)
    panel.joints.value = "0 0 0 9 0 0 0"
    do(viewer, lambda: viewer.guarded(panel.go_to_typed_joints))
    assert_array_equal(limb.q, q)


def test_a_clicked_branch_is_gone_to_unless_it_is_beyond_the_limits(viewer: Viewer) -> None:
    limb = viewer.session.limb("left")
    q = np.array([0.3, -0.9, -0.8, 1.3, 0.5, 1.2, 0.2])
    viewer.controls.ghosts.value = "all"
    do(viewer, lambda: limb.set_joints(q))
    T = limb.T_base_tip
    wait_for(lambda: len(viewer.stage.branches["left"]) == 3, "the other branches are shown")
    branches = viewer.stage.branches["left"]
    inside = limb.arm.limits.contains(branches)
    assert inside.any()
    assert not inside.all()
    do(viewer, lambda: viewer.go_to_branch("left", int(np.argmin(inside))))
    assert viewer.controls.text.startswith("That branch is beyond the joint limits")
    assert_array_equal(limb.q, q)
    wanted = branches[int(np.argmax(inside))]
    viewer.stage.on_ghost("left", int(np.argmax(inside)))
    wait_for(lambda: np.array_equal(limb.q, wanted), "the arm is in the other branch")
    assert_allclose(limb.T_base_tip, T, rtol=0.0, atol=1e-12)
    do(viewer, lambda: viewer.go_to_branch("left", 99))  # gone since
    viewer.controls.ghosts.value = "off"
    assert viewer.failures == 0


def test_no_other_branch_is_said(viewer: Viewer) -> None:
    viewer.controls.ghosts.value = "within limits"
    do(viewer, lambda: viewer.session.go_to_configuration("untuck"))
    at_rest(viewer)
    counts = {}
    for side in ("left", "right"):
        do(
            viewer,
            lambda side=side: viewer.stage.show_ghosts(side, viewer.session, "within limits"),
        )
        counts[side] = len(viewer.stage.branches[side]) or "none"
    do(viewer, lambda: viewer.controls.update(viewer.session))
    told = viewer.controls._branches.content
    assert f"left arm {counts['left']}, right arm {counts['right']}" in told
    viewer.controls.ghosts.value = "off"
    do(viewer, lambda: viewer.controls.update(viewer.session))
    assert viewer.controls._branches.content == ""


def test_the_elbows_slider_shows_what_was_reached(viewer: Viewer) -> None:
    panel, limb = viewer.controls.arms["left"], viewer.session.limb("left")
    do(viewer, lambda: viewer.session.go_to_configuration("untuck"))
    at_rest(viewer)
    panel.elbow.value = panel.elbow.max  # as a browser does while somebody drags it
    viewer.controls._touched[id(panel.elbow)] = 1e18
    do(viewer, lambda: panel._slide(panel.elbow.max))
    assert limb.q[2] < panel.elbow.max - 0.1
    assert panel.elbow.value == pytest.approx(limb.q[2], abs=1e-3)
    viewer.controls._touched.clear()


def wave(seconds: float = 4.0) -> Motion:
    arm = Arm("right")
    t = np.linspace(0.0, seconds, 50)
    q = arm.configuration("untuck") + 0.1 * np.sin(t)[:, None]
    rec = Recording(t=t, q=q, qd=np.gradient(q, t, axis=0), tau=arm.gravity(q), side="right")
    return Motion.from_recording(rec, "wave")


def test_a_motion_is_paused_scrubbed_and_played_on(viewer: Viewer) -> None:
    motion, session, transport = wave(), viewer.session, viewer.controls.transport
    plots = viewer.studio.plots
    limb = session.limb("right")
    do(viewer, lambda: session.play(motion))
    wait_for(lambda: session.player.playing, "it plays")
    do(viewer, session.pause)
    assert not session.player.playing
    for time in (3.0, 0.5, -1.0, 99.0):
        do(viewer, lambda time=time: session.seek(time))
        held = min(max(time, 0.0), 4.0)
        assert session.player.time == held
        assert_array_equal(limb.q, motion.at(held)["right"])
        do(viewer, lambda: (transport.update(session.player), viewer.studio.update()))
        assert transport.slider.value == pytest.approx(held, abs=0.01)
        assert f"left:{25.0 * held:.2f}%" in plots.cursor.content
    assert transport.slider.max == 4.0
    assert transport.buttons.options == ("play", "restart", "close")
    assert plots.titles == ["torque [N m]", "position [rad]", "velocity [rad/s]"]
    do(viewer, lambda: transport.press("play"))  # at the end: from the beginning
    assert session.player.playing
    assert session.player.time < 3.0
    do(viewer, lambda: transport.update(session.player))
    assert transport.buttons.options == ("pause", "restart", "close")
    do(viewer, lambda: transport.press("close"))
    do(viewer, lambda: (transport.update(session.player), viewer.studio.update()))
    assert session.player.motion is None
    assert not transport.slider.visible
    assert plots.titles == []
    assert viewer.failures == 0


def test_without_a_motion_there_is_nothing_to_pause() -> None:
    from baxterkit.viewer import Session

    session = Session()
    session.pause()
    session.seek(1.0)
    assert not session.moving


def test_the_torso_is_marked_where_a_hand_touches_it(viewer: Viewer) -> None:
    scene, session = viewer.stage, viewer.session
    inside = np.array([-1.09, 0.22, -0.28, 2.01, -0.05, 1.52, 1.94])
    seen: list[dict[str, bool]] = []

    def look(visible: bool) -> None:
        near = scene.show_clearance(session, visible)
        assert "torso" in near.names
        seen.append({name: tuple(part.color) == TOUCHING for name, part, _ in scene.standing})

    def both() -> None:
        session.limb("left").set_joints(inside)
        look(True)
        look(False)

    do(viewer, both)
    assert seen == [
        {"torso": True, "pedestal": False, "head": False},
        {"torso": True, "pedestal": False, "head": False},  # without the line too
    ]


def test_links_that_touch_are_marked_and_the_nearest_points_are_joined(viewer: Viewer) -> None:
    scene, session = viewer.stage, viewer.session
    across = np.array([-1.2, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])

    def look(visible: bool) -> dict[str, Any]:
        gap = float(scene.show_clearance(session, visible).clearance)
        both = [session.limb(side).q for side in ("left", "right")]
        line = scene._lines.get("/clearance")
        return {
            "gap": gap,
            "near": session.robot.nearest(*both, session.pan),
            "line": None if line is None or not line.visible else np.array(line.points[0]),
            "colors": [tuple(part.color) for part in scene.parts["left"]],
        }

    def cross() -> None:
        session.limb("left").set_joints(across)
        session.limb("right").set_joints(across * [-1, 1, -1, 1, -1, 1, -1])

    seen: list[dict[str, Any]] = []
    do(viewer, lambda: seen.append(look(True)))
    do(viewer, lambda: (cross(), seen.append(look(True)), seen.append(look(False))))
    apart, touching, hidden = seen
    assert apart["gap"] == pytest.approx(float(apart["near"].clearance))
    assert apart["gap"] > 0.0 > touching["gap"]
    assert_allclose(apart["line"], apart["near"].points, rtol=0.0, atol=1e-6)
    frame = JOINTS.index(touching["near"].names[0].split("_")[1])
    frames = [part.frame for part in scene._looks["left"]]
    red = {f for f, color in zip(frames, touching["colors"], strict=True) if color == TOUCHING}
    assert red == {frame}
    assert hidden["colors"] == touching["colors"]
    assert hidden["line"] is None
    first, second = touching["near"].names
    said = f"{first} touches {second}, by "
    wait_for(lambda: said in viewer.controls.banner.content, "the banner names the pair")
    assert viewer.controls.banner.visible
    do(viewer, lambda: viewer.session.go_to_configuration("untuck"))
    wait_for(lambda: not viewer.controls.banner.visible, "nothing touches any more")
