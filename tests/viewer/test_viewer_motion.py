from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from baxterkit import Arm
from baxterkit.errors import BaxterkitError, InputError, UnknownNameError
from baxterkit.recording import Recording
from baxterkit.trajectory import both_arms, min_jerk
from baxterkit.viewer import Motion, Session, load_motion
from baxterkit.viewer.server.mailbox import Mailbox
from baxterkit.viewer.state.motion import Player
from baxterkit.viewer.state.pieces import motion_piece, paper_pieces

DT = 1.0 / 90.0


def ramp(n: int = 11) -> Motion:
    q = np.linspace(0.0, 1.0, n)[:, None] * np.array([0.5, -0.5, 0.2, 0.4, 0.1, 0.3, -0.2])
    return Motion("ramp", np.linspace(5.0, 6.0, n), {"left": q})


def test_a_motion_starts_at_zero_and_is_linear_between_its_samples() -> None:
    motion = ramp()
    assert motion.duration == pytest.approx(1.0)
    np.testing.assert_allclose(motion.at(0.25)["left"][0], 0.125, rtol=0.0, atol=1e-12)
    assert_array_equal(motion.at(-1.0)["left"], motion.q["left"][0])
    assert_array_equal(motion.at(99.0)["left"], motion.q["left"][-1])


@pytest.mark.parametrize(
    ("t", "q", "message"),
    [
        ([0.0, 0.0], {"left": np.zeros((2, 7))}, "x: t must hold two or more increasing times"),
        ([0.0], {"left": np.zeros((1, 7))}, "x: t must hold two or more increasing times"),
        ([0.0, 1.0], {"left": np.zeros((3, 7))}, "x: q['left'] must have shape (2, 7), got (3, 7)"),
        ([0.0, 1.0], {"up": np.zeros((2, 7))}, "x: q is given by side, left or right, got 'up'"),
    ],
)
def test_a_bad_motion_is_refused(t: list[float], q: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Motion("x", t, q)
    assert str(caught.value) == message


def test_a_session_goes_to_the_start_then_plays_to_the_end() -> None:
    session = Session()
    motion = ramp()
    session.play(motion)
    steps = 0
    while session.moving:
        session.step(DT)
        steps += 1
        assert steps < 1000
    assert_array_equal(session.limb("left").q, motion.q["left"][-1])
    assert session.player.time == pytest.approx(1.0)
    assert_array_equal(session.limb("right").q, session.limb("right").arm.configuration("untuck"))


def test_a_recording_beyond_the_limits_is_shown_as_it_is() -> None:
    arm = Arm("left")
    q = np.tile(arm.limits.upper + 0.02, (3, 1))
    session = Session()
    session.play(Motion.from_recording(Recording(t=np.array([0.0, 0.1, 0.2]), q=q)))
    while session.moving:
        session.step(DT)
    assert_array_equal(session.limb("left").q, q[0])


def test_a_player_loops_and_keeps_its_speed() -> None:
    player = Player()
    player.loop, player.speed = True, 2.0
    player.start(ramp())
    for _ in range(8):
        player.advance(0.1)
    assert player.playing
    assert player.time == pytest.approx(0.6)


def test_files_are_played_whatever_they_are(tmp_path: Path) -> None:
    arm = Arm("right")
    trajectory = min_jerk(arm, arm.configuration("neutral"), arm.configuration("untuck"))
    saved = trajectory.save(tmp_path / "move.npz")
    motion = load_motion(saved, "right")
    assert list(motion.q) == ["right"]
    assert motion.duration == pytest.approx(trajectory.duration, abs=0.02)
    t, q, *_ = trajectory.at_rate(100.0)
    recorded = Recording(t=t, q=q, side="right").save(tmp_path / "recorded.csv")
    motion = load_motion(tmp_path / "recorded.csv" if recorded is None else recorded)
    assert list(motion.q) == ["right"]
    np.testing.assert_allclose(motion.q["right"], q, rtol=0.0, atol=1e-9)


def test_a_recording_of_both_arms_moves_both(data_dir: Path) -> None:
    files = sorted(data_dir.glob("replay/**/*.csv*")) + sorted(data_dir.glob("replay/**/*.txt*"))
    both = [load_motion(path) for path in files[:6] if path.name.lower() != "readme.md"]
    assert any(len(motion.q) == 2 for motion in both)


def test_a_file_that_is_no_motion_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear robot,\n", encoding="utf-8")
    with pytest.raises(BaxterkitError):
        load_motion(path)


def test_the_papers_trajectories_are_on_the_list() -> None:
    pieces = paper_pieces()
    assert [piece.name for piece in pieces] == [f"Smith et al., set {n}" for n in (1, 2, 3)]
    make = pieces[1].make
    assert make is not None
    assert make(Arm("right")).duration > 10.0
    assert motion_piece(ramp()).side == "left"


def test_an_unknown_side_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown side 'middle'; available: left, right"):
        Session().limb("middle")


def test_head_and_tool_change_the_robot() -> None:
    session = Session()
    session.turn_head(9.0)
    assert session.pan == session.robot.head.upper
    before = session.limb("left").T_base_tip
    session.change_tool("left", "electric_extended")
    after = session.limb("left").T_base_tip
    assert np.linalg.norm(after[:3, 3] - before[:3, 3]) == pytest.approx(0.1577)
    assert session.robot.left.tool.name == "electric_extended_narrow"
    assert session.robot.right.tool.name == "hand"


def test_the_mailbox_keeps_the_latest_and_their_order() -> None:
    box, done = Mailbox(), []
    for i in range(100):
        box.post("drag", lambda i=i: done.append(("drag", i)))
    box.post("release", lambda: done.append(("release", 0)))
    box.post("drag", lambda: done.append(("drag", 100)))
    for action in box.take(0.0):
        action()
    assert done == [("release", 0), ("drag", 100)]
    assert box.take(0.0) == []


def test_a_trajectory_of_both_arms_moves_both(tmp_path: Path) -> None:
    arms = (Arm("left"), Arm("right"))
    parts = [
        min_jerk(arm, arm.configuration("untuck"), arm.configuration("neutral"), 2.0)
        for arm in arms
    ]
    path = both_arms(*parts).save(tmp_path / "both.npz")
    motion = load_motion(path)
    assert list(motion.q) == ["left", "right"]
    assert {"left velocity [rad/s]", "right acceleration [rad/s²]"} <= set(motion.signals)
    for arm, part in zip(arms, parts, strict=True):
        np.testing.assert_allclose(motion.at(1.0)[arm.side], part.sample(1.0).q, atol=1e-3)
