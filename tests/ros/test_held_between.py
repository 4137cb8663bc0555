"""Arms that are told to hold while a call is checking, waiting, or between two of its motions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import numpy as np
import pytest
from link_scene import bump

from baxterkit.collision import World
from baxterkit.lesson import Lesson, TaughtHand
from baxterkit.ros import InProcess, RefusedError, RobotLink, following, in_process, servoing
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory
from baxterkit.types import Array

TOOL = "electric_standard"


@pytest.fixture
def both() -> Iterator[InProcess]:
    with in_process(Twin(tool=TOOL)) as made:
        made.link.enable()
        yield made


def places(both: InProcess) -> Array:
    return np.concatenate([limb.truth.q for limb in both.twin.limbs])


def assert_held(both: InProcess, side: str, call: Callable[[], object]) -> None:
    """The call ends without another motion, and the next one is another call."""
    here = places(both)
    with pytest.raises(RefusedError, match=f"the {side} arm was told to hold") as no:
        call()
    assert no.value.reason == "held"
    both.clock.sleep(0.5)
    assert np.abs(places(both) - here).max() < 5e-3
    link = both.link
    assert link.move_to(left=link.left.q + 0.02 * np.eye(7)[0])


def whole_motion(link: RobotLink) -> None:
    link.follow({side: bump(link, side) for side in ("left", "right")})


@pytest.mark.parametrize(
    ("side", "call"),
    [
        ("left", lambda link: link.follow({"left": bump(link, "left")})),
        ("left", lambda link: link.move_to(left="neutral")),
        ("right", lambda link: link.move_to("neutral", "neutral")),
        ("right", whole_motion),
    ],
)
def test_an_arm_that_is_held_while_its_motion_is_checked_stays(
    both: InProcess,
    monkeypatch: pytest.MonkeyPatch,
    side: str,
    call: Callable[[RobotLink], object],
) -> None:
    check = following.check_motions

    def checked(*args: object) -> object:
        both.link.limb(side).hold()
        return check(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(following, "check_motions", checked)
        here = places(both)
        with pytest.raises(RefusedError, match=f"the {side} arm was told to hold"):
            call(both.link)
        assert np.abs(places(both) - here).max() < 5e-3
    assert both.link.move_to(left=both.link.left.q + 0.02 * np.eye(7)[0])


def test_an_arm_that_is_held_before_its_hand_follows_a_target_stays(
    both: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, guide = both.link, servoing.Guide
    T = link.left.tip
    T[2, 3] += 0.1

    def made(*args: object) -> object:
        link.left.hold()
        return guide(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(servoing, "Guide", made)
        assert_held(both, "left", lambda: link.servo(lambda _: T, "left", seconds=1.0))


def test_one_arm_that_is_held_does_not_end_motions_of_the_other(
    both: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, check = both.link, following.check_motions

    def checked(*args: object) -> object:
        link.right.hold()
        return check(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(following, "check_motions", checked)
    assert link.follow({"left": bump(link, "left")})


@pytest.mark.parametrize("name", ["tuck", "untuck"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_arms_that_are_held_while_the_head_turns_are_not_tucked(
    both: InProcess, name: str, side: str
) -> None:
    link = both.link
    link.move_to(left=link.left.q + 0.1 * np.eye(7)[0])
    link.pan_head(0.6)
    both.clock.call_at(both.clock.now() + 0.1, link.limb(side).hold)
    assert_held(both, side, getattr(link, name))


def test_arms_that_are_held_on_the_way_to_untuck_are_not_tucked(
    both: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, follow, number = both.link, following.follow, count()
    link.move_to(left=link.left.q + 0.6 * np.eye(7)[0])  # so that they go to "untuck" first

    def followed(*args: object) -> object:
        done = follow(*args)  # type: ignore[arg-type]
        if next(number) == 0:
            link.left.hold()
        return done

    with monkeypatch.context() as patch:
        patch.setattr(following, "follow", followed)
        with pytest.raises(RefusedError, match="the left arm was told to hold"):
            link.tuck()
    for limb in both.twin.limbs:
        assert np.abs(limb.truth.q - limb.arm.configuration("untuck")).max() < 0.02


@pytest.mark.parametrize("side", ["left", "right"])
def test_arms_that_are_held_while_a_gripper_closes_do_not_go_on_with_a_replay(side: str) -> None:
    with in_process(Twin(tool=TOOL, world=World())) as both:
        link = both.link.enable()
        link.left.calibrate_gripper()
        q = np.concatenate([link.left.q, link.right.q])
        to = q + 0.1 * (np.eye(14)[0] - np.eye(14)[7])
        t = np.linspace(0.0, 3.0, 61)
        x = np.clip(np.minimum(t, 3.0 - t), 0.0, 1.0)
        share = x**3 * (10.0 - 15.0 * x + 6.0 * x * x)  # there, a pause of a second, and back
        motion = Trajectory.from_points(t, q + share[:, None] * (to - q), side="both")
        lesson = Lesson(
            motion.with_grippers(left=[(0.0, 1.0), (1.5, 0.0)]),
            hands=dict.fromkeys(("left", "right"), TaughtHand(TOOL)),
        )

        def look() -> None:
            opening = link.left.opening
            if not link._motions and opening is not None and opening < 0.8:
                link.limb(side).hold()

        watch = both.clock.every(0.01, look, "watch")
        with pytest.raises(RefusedError, match=f"the {side} arm was told to hold") as no:
            lesson.replay(link)
        watch.close()
        assert no.value.reason == "held"
        assert np.abs(places(both) - to).max() < 0.02
