"""Hands that follow a target, on both bodies: safe whatever the source does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from resting import CREEP, creep
from tolerances import SERVO_TRACKED

import baxterkit
from baxterkit.collision import World
from baxterkit.robot import RefusedError, Robot
from baxterkit.ros import InProcess, in_process
from baxterkit.servo import Goal, ServoResult, ServoSettings
from baxterkit.sim import Twin
from baxterkit.types import Transform

WALL = 0.9
"""Front of a wall before the hands [m]."""


def wall() -> World:
    world = World()
    world.add_box("wall", (0.1, 2.0, 1.5), (WALL + 0.05, 0.0, 0.3))
    return world


@pytest.fixture(params=["twin", "link"], scope="module")
def shared(request: pytest.FixtureRequest) -> Iterator[tuple[Robot, Twin]]:
    twin = Twin(world=wall(), tool="electric_standard")
    made = twin if request.param == "twin" else baxterkit.connect(twin, world=wall())
    with made:
        yield made, twin


@pytest.fixture
def robot(shared: tuple[Robot, Twin]) -> Robot:
    made, twin = shared
    twin.place(*(limb.arm.configuration("untuck") for limb in twin.limbs))
    made.wait(0.5)
    return made.enable()


def moved(T: Transform, *by: float) -> Transform:
    there = T.copy()
    there[:3, 3] += by
    return there


def watched(
    robot: Robot, source: Callable[[float], object], side: str = "left", seconds: float = 1.2
) -> ServoResult:
    """A second of servo; no joint may be faster than its limit, nothing may come too near."""
    with robot.record() as session:
        result = robot.servo(source, side, seconds=seconds)  # type: ignore[arg-type]
    rows = {each: session.recording(each) for each in ("left", "right")}
    for each, row in rows.items():
        assert (np.abs(row.qd) <= 0.55 * robot.limb(each).arm.limits.velocity).all()
        assert (np.abs(np.diff(row.qd, axis=0)) < 0.35).all()
    n = min(len(row.q) for row in rows.values())
    assert robot.scene.clearance(rows["left"].q[:n], rows["right"].q[:n]).min() > 0.01
    assert result.rate >= 50.0
    return result


def test_a_hand_follows_at_a_hundred_hertz_and_rests(robot: Robot) -> None:
    T = robot.left.tip
    result = watched(robot, lambda t: moved(T, 0.0, 0.08 * np.sin(2.0 * min(t, 0.7)), 0.05))
    assert result.rate == pytest.approx(100.0, abs=1.0)
    assert result.away["left"] < SERVO_TRACKED
    assert creep(robot, robot.left) < CREEP
    assert result.notes == ()
    assert repr(result).endswith(" mm from its target>")


def test_both_hands_follow(robot: Robot) -> None:
    Ts = {side: robot.limb(side).tip for side in ("left", "right")}
    result = watched(robot, lambda t: {s: moved(T, 0.02, 0.0, 0.08) for s, T in Ts.items()}, "both")
    assert max(result.away.values()) < SERVO_TRACKED


@pytest.mark.parametrize(
    ("what", "kind"),
    [("nan", "not a pose"), ("text", "not a pose"), ("silent", "silent"), ("jumps", "jump"),
     ("behind the wall", "blocked")],
)  # fmt: skip
def test_a_bad_source_is_safe_and_told(robot: Robot, what: str, kind: str) -> None:
    T = robot.left.tip
    bad = {
        "nan": np.full((4, 4), np.nan),
        "text": "up",
        "silent": None,
        "jumps": moved(T, 0.0, 0.5, 0.3),
        "behind the wall": moved(T, 0.4, 0.0, 0.0),
    }[what]
    good = moved(T, 0.0, 0.05, 0.0)

    def source(t: float) -> object:
        if what == "behind the wall":
            return bad
        return bad if 0.2 < t < 0.6 else good

    result = watched(robot, source, seconds=3.0 if what == "behind the wall" else 1.2)
    found = {note.kind for note in result.notes}
    assert kind in found or (what == "behind the wall" and "out of reach" in found)
    if what != "behind the wall":
        assert result.away["left"] < (0.12 if what == "jumps" else 0.01)
    else:
        assert robot.left.tip[0, 3] < WALL


def test_a_frozen_and_a_late_source_leave_the_hand_at_rest(robot: Robot) -> None:
    T = robot.left.tip
    late = watched(robot, lambda t: moved(T, 0.0, 0.1 * np.sin(4.0 * max(t - 0.3, 0.0)), 0.0))
    assert late.notes == ()
    frozen = watched(robot, lambda t: moved(T, 0.0, 0.2 * min(t, 0.4), 0.0))
    assert frozen.notes == ()
    assert creep(robot, robot.left) < CREEP


def test_a_source_ends_it_and_openings_reach_the_gripper(robot: Robot) -> None:
    T, hand = robot.left.tip, robot.left
    hand.calibrate_gripper()

    def source(t: float) -> Goal:
        if t > 0.8:
            raise StopIteration
        return Goal(T, 0.2)

    assert robot.servo(source).duration < 1.0
    robot.wait(0.5)
    assert hand.opening == pytest.approx(0.2, abs=0.03)


def test_an_opening_that_is_no_number_leaves_the_gripper_and_is_told_once(robot: Robot) -> None:
    robot.left.calibrate_gripper()
    before = robot.left.opening
    result = robot.servo(lambda t: Goal(None, float("nan")), seconds=0.3)
    assert [note.kind for note in result.notes] == ["gripper"]
    assert "the gripper stays: opening = nan" in result.notes[0].text
    assert robot.left.opening == before
    assert repr(result).endswith("notes, left without a target>")


@pytest.mark.slow
def test_a_target_that_leaves_the_workspace_is_followed_to_its_border(robot: Robot) -> None:
    T = robot.left.tip
    result = watched(robot, lambda t: moved(T, 0.0, 0.5 * t, 0.5), seconds=5.0)
    (note,) = [note for note in result.notes if note.kind == "out of reach"]
    assert note.text.startswith("the target is out of reach")
    assert "refused" not in {note.kind for note in result.notes}, "joints slow down before limits"
    assert result.away["left"] > 0.5
    robot.wait(0.5)
    assert creep(robot, robot.left) < CREEP


def test_nothing_follows_before_enable_and_a_stop_ends_it(robot: Robot) -> None:
    T = robot.left.tip
    robot.disable()
    with pytest.raises(RefusedError):
        robot.servo(lambda t: T, seconds=1.0)
    robot.enable()

    def source(t: float) -> Transform:
        if t > 0.3:
            robot.stop()
        return moved(T, 0.0, 0.2, 0.0)

    with pytest.raises(RefusedError) as refusal:
        robot.servo(source, seconds=2.0)
    assert refusal.value.reason in ("stopped", "disabled")
    robot.wait(0.5)
    assert creep(robot, robot.left) < CREEP


def test_a_second_teleoperator_is_refused(robot: Robot) -> None:
    T = robot.left.tip
    said: list[str] = []

    def source(t: float) -> Transform:
        if not said:
            with pytest.raises(RefusedError) as refusal:
                robot.servo(lambda t: T, seconds=1.0)
            said.append(str(refusal.value))
        return T

    robot.servo(source, seconds=0.2)
    assert "the left " in said[0]
    assert "follows another" in said[0]


def test_another_program_that_commands_the_arm_ends_it() -> None:
    with in_process(enabled=True) as both, in_second_link(both) as other:
        both.link.enable()
        T = both.link.left.tip
        rival = iter(range(1000))

        def source(t: float) -> Transform:
            if t > 0.5 and next(rival) % 2 == 0:
                other.link.left.command_velocity(np.full(7, 0.01))
            return moved(T, 0.0, 0.05, 0.0)

        with pytest.raises(RefusedError) as refusal:
            both.link.servo(source, seconds=3.0)
        assert refusal.value.reason == "rival"


def in_second_link(both: InProcess) -> InProcess:
    """Another program's link to the same robot; it closes its link alone."""
    link = baxterkit.ros.RobotLink(both.graph)
    link.enable()
    made = InProcess(link, both.robot, both.graph)
    object.__setattr__(made, "close", link.close)
    return made


def test_an_arm_that_is_held_takes_its_reference_along() -> None:
    """The cuff is squeezed meanwhile: the arm floats, and goes on gently afterwards."""
    with in_process(enabled=True) as both:
        link, T = both.link.enable(), both.link.left.tip
        both.clock.call_at(both.clock.now() + 0.3, both.robot.buttons.press, "left_cuff")
        both.clock.call_at(both.clock.now() + 0.9, both.robot.buttons.press, "left_cuff", False)
        result = link.servo(lambda t: moved(T, 0.0, 0.2, 0.1), seconds=2.6)
        assert "off" in [note.kind for note in result.notes]
        assert result.away["left"] < SERVO_TRACKED


def test_settings_bound_the_hand(robot: Robot) -> None:
    T, slow = robot.left.tip, ServoSettings(speed=0.05)
    with robot.record() as session:
        robot.servo(lambda t: moved(T, 0.0, 0.3, 0.0), seconds=1.0, settings=slow)
    row = session.recording("left")
    tips = robot.left.arm.fk(row.q)[:, :3, 3]
    assert np.linalg.norm(tips[-1] - tips[0]) < 0.06
