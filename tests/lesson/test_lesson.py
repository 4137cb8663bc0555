"""Lessons as data: edited, mirrored, retimed, kept in files; what is no lesson is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tolerances import LESSON_FILE, MIRRORED, ROUNDING

from baxterkit import Arm
from baxterkit.errors import InputError, MissingFileError
from baxterkit.lesson import Lesson, TaughtHand
from baxterkit.spatial import mirrored
from baxterkit.trajectory import Trajectory, both_arms

ARM = Arm("left", "electric_standard")
HAND = TaughtHand("electric_standard", opening=1.0, gripping=False)


def motion(side: str = "left") -> Trajectory:
    """Down, a rest with a grip, up, a rest, aside."""
    arm = Arm(side, "electric_standard")
    a = arm.configuration("untuck")
    b = a + np.array([0.1, 0.3, 0, 0.2, 0, -0.2, 0.1])
    c = a + np.array([0.3, -0.1, 0.1, 0, 0.1, 0, 0])
    t = [0.0, 1.5, 2.5, 4.0, 5.0, 6.5]
    return Trajectory.from_points(t, [a, b, b, c, c, a], np.zeros((6, 7)), np.zeros((6, 7)),
                                  limits=arm.limits, name="pick", side=side)  # fmt: skip


def lesson() -> Lesson:
    moves = motion().with_grippers(left=[(1.8, 0.0), (3.2, 0.4)])
    return Lesson(moves, (1.5, 3.0, 4.5), {"left": HAND})


def test_it_tells_of_itself() -> None:
    one = lesson()
    assert repr(one) == "<Lesson 'pick': left, 6.50 s, 2 grips, 3 waypoints>"
    assert (one.sides, one.duration, one.named("place").name) == (("left",), 6.5, "place")


def test_a_file_gives_it_back(tmp_path: Path) -> None:
    one = replace(lesson(), notes=("the left gripper stayed",))
    two = Lesson.load(one.save(tmp_path / "pick.json"))
    assert (two.waypoints, two.hands, two.notes, two.name) == (
        one.waypoints, one.hands, one.notes, "pick",
    )  # fmt: skip
    t = np.linspace(0.0, 6.5, 50)
    assert np.abs(two.motion.sample(t).q - one.motion.sample(t).q).max() <= LESSON_FILE
    assert two.motion.grippers["left"].t.tolist() == [1.8, 3.2]


def test_a_part_is_exact_at_rest_and_eased_in_motion() -> None:
    one = lesson()
    rest = one.cut(2.0, 4.5)
    assert rest.duration == 2.5
    t = np.linspace(0.0, 2.5, 30)
    assert np.abs(rest.motion.sample(t).q - one.motion.sample(2.0 + t).q).max() < 1e-12
    assert rest.motion.grippers["left"].t == pytest.approx([1.2])
    assert rest.waypoints == pytest.approx((1.0, 2.5))
    assert rest.hands["left"].opening == 0.0  # it was closed by then
    moving = one.cut(0.7, 3.2)
    assert moving.duration == pytest.approx(3.5)
    assert np.abs(moving.motion.sample(0.0).qd).max() < ROUNDING * 1e3
    at = moving.motion.sample(moving.motion.grippers["left"].t).q
    assert np.abs(at - one.motion.sample(np.array([1.8, 3.2])).q).max() < 2e-3
    moving.motion.check()
    for start, end in ((3.0, 1.0), (-1.0, 2.0), (0.0, 9.0)):
        with pytest.raises(InputError, match=r"it must lie within 0 to 6\.50 s"):
            one.cut(start, end)


def test_parts_that_meet_are_joined_and_others_need_time() -> None:
    one = lesson()
    back = one.cut(0.0, 2.0).join(one.cut(2.0))
    assert back.duration == pytest.approx(7.0)  # half a second in between
    assert back.waypoints == pytest.approx((1.5, 3.5, 5.0))
    with pytest.raises(InputError, match=r"left_s0 would jump by 0\.300 rad; give the time"):
        one.join(one.cut(4.0))
    assert one.join(one.cut(4.0), seconds=2.0).duration == pytest.approx(6.5 + 2.0 + 2.5)
    with pytest.raises(InputError, match=r"takes at least 0\.37"):
        one.join(one.cut(4.0), seconds=0.1)
    with pytest.raises(InputError, match="a lesson of left and one of right cannot be joined"):
        one.join(one.mirrored())
    other = replace(one, hands={"left": TaughtHand("hand")})
    with pytest.raises(InputError, match="wears 'electric_standard' in one lesson and 'hand'"):
        one.join(other)


def test_the_second_of_two_lessons_begins_with_the_gripper_that_it_began_with() -> None:
    one = lesson()
    twice = one.join(one, seconds=1.0)  # it ends at 0.4, and begins open
    assert twice.motion.grippers["left"].t == pytest.approx([1.8, 3.2, 7.5, 9.3, 10.7])
    assert twice.motion.grippers["left"].opening.tolist() == [0.0, 0.4, 1.0, 0.0, 0.4]
    told = replace(one, motion=motion().with_grippers(left=[(0.0, 1.0), (1.8, 0.0)]))
    assert told.join(told).motion.grippers["left"].opening.tolist() == [1.0, 0.0, 1.0, 0.0]
    still = replace(one, motion=motion())
    assert still.join(one).motion.grippers["left"].opening.tolist() == [0.0, 0.4]
    held = replace(one, hands={"left": replace(HAND, opening=0.3, gripping=True)})
    assert len(one.join(held).motion.grippers["left"].t) == 4  # it does not let go
    unknown = replace(still, hands={"left": TaughtHand(None)})
    joined = unknown.join(still)
    assert joined.hands["left"].tool == HAND.tool
    assert joined.motion.grippers["left"].opening.tolist() == [1.0]


def test_the_mirror_image_does_the_same_with_the_other_hand() -> None:
    one = lesson()
    two, t = one.mirrored(), np.linspace(0.0, 6.5, 40)
    right = Arm("right", "electric_standard")
    there = mirrored(ARM.fk(one.motion.sample(t).q))
    assert np.abs(right.fk(two.motion.sample(t).q) - there).max() < MIRRORED
    assert two.sides == ("right",)
    assert (two.hands["right"].tool, list(two.motion.grippers)) == ("electric_standard", ["right"])
    again = two.mirrored().motion
    assert np.array_equal(again.sample(t).q, one.motion.sample(t).q)
    both = Lesson(both_arms(motion(), motion("right")).with_grippers(left=[(1.0, 0.0)]))
    swapped = both.mirrored()
    assert list(swapped.motion.grippers) == ["right"]
    assert np.array_equal(swapped.mirrored().motion.sample(t).q, both.motion.sample(t).q)


def test_retiming_keeps_path_and_places_of_grips() -> None:
    one = lesson()
    fast = one.retimed(0.8)
    assert fast.duration < 0.75 * one.duration
    fast.motion.check(ARM.limits, arm=ARM)
    for before, after in zip(one.motion.grippers["left"].t, fast.motion.grippers["left"].t,
                             strict=True):  # fmt: skip
        off = fast.motion.sample(float(after)).q - one.motion.sample(float(before)).q
        assert np.abs(off).max() < 0.01
    t = float(fast.motion.grippers["left"].t[0])
    assert np.abs(fast.motion.sample(np.array([t, t + 0.6])).qd).max() < 1e-9  # it rests to grip
    path = one.motion.sample(np.linspace(0.0, 6.5, 2000)).q
    for q in fast.motion.sample(np.linspace(0.0, fast.duration, 50)).q:
        assert np.abs(path - q).max(axis=1).min() < 0.01


def test_waypoints_alone_are_gone_through() -> None:
    one = lesson()
    few = one.retimed(0.5, waypoints=True)
    for before, after in zip(one.waypoints, few.waypoints, strict=True):
        off = few.motion.sample(after).q - one.motion.sample(before).q
        assert np.abs(off).max() < 0.02
    with pytest.raises(InputError, match="the lesson has no waypoints; press"):
        replace(one, waypoints=()).retimed(waypoints=True)
    with pytest.raises(InputError, match="speed = 0"):
        one.retimed(0.0)
    with pytest.raises(InputError, match="speed must hold real numbers, got"):
        one.retimed("fast")  # type: ignore[arg-type]


def test_rethinks_files_both_ways(tmp_path: Path) -> None:
    one = lesson()
    back = Lesson.from_recorder(one.save_playback(tmp_path / "pick.csv"), "left")
    t = np.linspace(0.0, 6.0, 30)
    assert np.abs(back.motion.sample(t).q - one.motion.sample(t).q).max() < 1e-9
    assert back.motion.grippers["left"].opening[-2:].tolist() == [0.0, 0.4]
    assert back.motion.grippers["left"].t[-2:] == pytest.approx([1.8, 3.2], abs=0.011)
    assert back.hands["left"].tool is None  # the recorder does not tell
    kept = Lesson.load(back.retimed(0.5).save(tmp_path / "pick.json"))
    assert kept.hands["left"] == back.hands["left"]
    assert back.join(one).hands["left"].tool == HAND.tool


def test_a_file_that_does_not_name_its_arm_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = replace(motion(), side=None, limits=None).save(tmp_path / "pick.csv")
    with pytest.raises(InputError, match=r"do not name their arm; name it: Lesson\.from_recorder"):
        Lesson.from_recorder(path)
    assert Lesson.from_recorder(path, "left").sides == ("left",)


def test_a_lesson_edited_into_a_jump_is_refused(tmp_path: Path) -> None:
    path = lesson().save(tmp_path / "pick.json")
    content = json.loads(path.read_text())
    content["motion"]["coefficients"][2][0][3] += 0.5
    path.write_text(json.dumps(content))
    with pytest.raises(
        InputError, match=r"the lesson jumps: left_e1 by 0\.500 rad at 2\.50 s; cut"
    ):
        Lesson.load(path)


def test_what_is_no_lesson_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        Lesson.load(tmp_path / "none.json")
    with pytest.raises(InputError, match=r"a lesson's file ends in \.json"):
        lesson().save(tmp_path / "pick.toml")
    path = tmp_path / "bad.json"
    for text in ("[]", "{", '{"format": "baxterkit lesson 1"}', '{"format": "other"}'):
        path.write_text(text)
        with pytest.raises(InputError, match=r"bad\.json"):
            Lesson.load(path)
    with pytest.raises(InputError, match="must name its arm"):
        Lesson(replace(motion(), limits=None, side=None))
    with pytest.raises(InputError, match=r"waypoints must increase, from 0 to 6\.50 s"):
        Lesson(motion(), (7.0,))
    with pytest.raises(InputError, match=r"this lesson is from a file; give the robot"):
        lesson().replay()


def test_a_lesson_of_the_other_arm_is_refused(tmp_path: Path) -> None:
    path = lesson().save(tmp_path / "pick.json")
    content = json.loads(path.read_text())
    content["motion"]["side"] = "right"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"pick\.json: .*(other arm|right)"):
        Lesson.load(path)
    with pytest.raises(
        InputError, match=r"moves the left arm, but tells of the right hand; lesson\.mirrored"
    ):
        Lesson(motion(), hands={"right": HAND})
    csv = lesson().save_playback(tmp_path / "left.csv")
    with pytest.raises(InputError, match=r"left\.csv: no motion of the right arm is in it"):
        Lesson.from_recorder(csv, "right")  # it rests there: the file has both arms
    assert Lesson.from_recorder(csv).sides == ("left",)


def test_only_a_lesson_follows_a_lesson() -> None:
    with pytest.raises(InputError, match="a Lesson can follow, got Trajectory"):
        lesson().join(motion())  # type: ignore[arg-type]
