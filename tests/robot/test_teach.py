"""Teaching by the cuff and replay: a pick on the twin over ROS, in one process; what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from resting import CREEP, creep
from teacher import TABLE, Teacher, ready_pose, teach_pick, world

import baxterkit
from baxterkit import Arm, Baxter, Payload
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.lesson import Lesson, TaughtHand
from baxterkit.lesson.retiming import pauses
from baxterkit.robot import RefusedError
from baxterkit.robot.teaching import _motion
from baxterkit.ros import InProcess, Rules, in_process, topics
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory, min_jerk, save_playback

PICK, PLACE = (0.65, 0.25), (0.65, 0.5)
TOOL = "electric_standard"


def make(side: str = "left") -> InProcess:
    """A twin over a carton, its gripper calibrated."""
    sign = 1.0 if side == "left" else -1.0
    at = (PICK[0], sign * PICK[1])
    both = in_process(Twin(tool=TOOL, world=world(at)))
    both.link.enable().limb(side).calibrate_gripper()
    both.twin.place(**{side: ready_pose(both.twin.limb(side).arm, at)})
    both.clock.sleep(0.3)
    return both


def again(both: InProcess, side: str = "left") -> None:
    """Everything back at its start."""
    both.twin.reset()
    both.twin.enable()
    both.clock.sleep(0.3)
    both.link.enable()


@pytest.fixture(scope="module")
def both() -> Iterator[InProcess]:
    with make() as made:
        yield made


@pytest.fixture(scope="module")
def lesson(both: InProcess) -> Lesson:
    teacher = Teacher(both, "left")
    with both.link.teach(name="pick") as taught:
        with pytest.raises(InputError, match="it is complete after its with block"):
            _ = taught.motion
        teach_pick(teacher, PICK, PLACE, hurry=2.0)
    teacher.close()
    return taught


def carton(both: InProcess) -> np.ndarray:
    return both.twin.object_pose("carton")[:3, 3]


def test_a_pick_is_taught_by_hand_and_replayed(both: InProcess, lesson: Lesson) -> None:
    assert np.abs(carton(both)[:2] - PLACE).max() < 0.01
    assert (lesson.sides, len(lesson.waypoints), lesson.notes) == (("left",), 2, ())
    assert lesson.motion.grippers["left"].opening.tolist() == [0.0, 1.0]
    assert lesson.hands["left"].opening == pytest.approx(1.0, abs=0.02)
    again(both)
    assert lesson.replay().raise_if_failed().approach
    assert np.abs(carton(both) - [*PLACE, TABLE + 0.06]).max() < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("off", [0.0, 0.03])
def test_it_is_replayed_with_its_object_in_the_scene_of_the_link(
    off: float, lesson: Lesson
) -> None:
    """Fingers go around it, and it is put down again; where it stands elsewhere, they would not."""
    known, rules = world((PICK[0], PICK[1] + off)), Rules(graspable=("carton",))
    with in_process(Twin(tool=TOOL, world=world(PICK)), world=known, rules=rules) as both:
        both.link.enable().left.calibrate_gripper()
        if off:
            with pytest.raises(RefusedError, match="left_fingers touches carton"):
                lesson.replay(both.link)
            both.link.rules = Rules()
            with pytest.raises(RefusedError, match=r"set Rules\(graspable=\('carton',\)\)"):
                lesson.replay(both.link)
            return
        result = lesson.replay(both.link).raise_if_failed()
        assert [(one.taken, one.on) for one in result.taken] == [
            (True, ("table",)),
            (False, ("table",)),
        ]
        assert np.abs(carton(both) - [*PLACE, TABLE + 0.06]).max() < 0.01
        left = both.link.scene.world["carton"]
        assert left.held is None
        assert np.abs(left.T[:3, 3] - [*PLACE, TABLE + 0.06]).max() < 0.01
        assert both.link.scene.without == ()


def test_grips_in_motion_come_within_fifty_milliseconds_of_their_place(both: InProcess) -> None:
    """Fingers that move while the arm does: where the tip is when they begin, in time of path."""
    again(both)
    link = both.link
    start, seen = link.left.q, list[tuple[float, float]]()
    moves = min_jerk(link.left.arm, start, start + np.eye(7)[0] * 0.8, 2.0)
    taught = Lesson(
        moves.with_grippers(left=[(0.7, 0.5), (1.3, 1.0)]),
        hands={"left": TaughtHand(link.left.arm.tool.name, 0.0, 1.0, False)},
    )
    fingers = both.twin.left._fingers
    assert fingers is not None
    last = [fingers.opening]

    def look(_stamp: int) -> None:
        if (fingers.opening != last[0]) and (not seen or abs(fingers.goal - seen[-1][1]) > 0.1):
            seen.append((float(both.twin.left.truth.q[0]), fingers.goal))
        last[0] = fingers.opening

    both.robot.after_state.append(look)
    taught.replay(link, speed=0.7).raise_if_failed()
    both.robot.after_state.remove(look)
    t = np.linspace(0.0, 2.0, 2001)
    s0 = moves.sample(t).q[:, 0]
    places = np.interp([q for q, _ in seen], s0, t)
    assert places == pytest.approx([0.7, 1.3], abs=0.05 * 0.7)


@pytest.mark.slow
def test_it_is_mirrored_and_replayed_on_the_other_arm_of_a_bare_twin(lesson: Lesson) -> None:
    twin = Twin(tool=TOOL, world=world((PICK[0], -PICK[1]))).enable()
    result = lesson.mirrored().replay(twin).raise_if_failed()
    assert [(one.name, one.taken) for one in result.taken] == [("carton", True), ("carton", False)]
    end = twin.object_pose("carton")[:3, 3]
    assert np.abs(end - [PLACE[0], -PLACE[1], TABLE + 0.06]).max() < 0.01


def test_the_twin_alone_is_taught_by_programs() -> None:
    twin = Twin(tool=TOOL, noise=0.0).enable()
    here = twin.left.q
    with twin.teach() as lesson:
        twin.wait(0.5)
        twin.move_to(left=here + 0.2 * np.eye(7)[0])
        lesson.waypoint()
        twin.left.move_gripper(0.0)
        twin.move_to(left=here)
    assert lesson.sides == ("left",)
    assert len(lesson.waypoints) == 1
    assert np.ptp(lesson.motion.sample(np.linspace(0.0, lesson.duration, 200)).q[:, 0]) > 0.19
    twin.left.move_gripper(1.0)
    assert lesson.replay(speed=0.9)
    assert twin.left.opening == 0.0


def test_an_arm_that_is_led_along_a_limit_teaches_a_motion_within_it() -> None:
    """Joints rest on their limit, as hands lead them: the spline through that must not pass it."""
    twin, t = Twin(), np.arange(0.0, 4.0, 0.01)
    limits = twin.left.arm.limits
    q = np.tile(twin.left.q, (len(t), 1))
    q[:, 6] = np.minimum(limits.upper[6], q[0, 6] + 4.0 * np.sin(2.0 * t) ** 2)
    taught = _motion(t, q, "left", "wrist", Lesson(min_jerk(twin.left.arm, q[0], q[1]), robot=twin))
    fine = taught.sample(np.linspace(0.0, taught.duration, 20000)).q
    assert (fine <= limits.upper).all()
    assert fine[:, 6].max() > limits.upper[6] - 0.03


def test_a_lesson_that_is_being_taught_says_so() -> None:
    with Twin() as twin, twin.teach("left") as lesson:
        twin.wait(0.1)
        assert re.fullmatch(r"<Lesson 'lesson': being taught, \d+ states>", repr(lesson))
        twin.enable().left.command_velocity(np.full(7, 0.3))
        twin.wait(0.5)
    assert repr(lesson).startswith("<Lesson 'lesson': left, ")


def test_nothing_moves_before_enable_and_a_still_arm_teaches_nothing() -> None:
    twin = Twin()
    still = pytest.raises(
        InputError, match="no arm was moved while it was taught: squeeze the cuff"
    )
    with still, twin.teach():
        twin.wait(0.5)
    lesson = Lesson(min_jerk(twin.left.arm, twin.left.q, twin.left.q + 0.1 * np.eye(7)[0], 1.0))
    with pytest.raises(RefusedError, match="not enabled"):
        lesson.replay(twin)
    assert creep(twin, twin.left) < CREEP


@pytest.mark.parametrize("kind", ["twin", "link"])
def test_other_hands_and_blocked_paths_are_refused(kind: str) -> None:
    made = Twin(tool="hand", world=baxterkit.collision.World())
    robot = made if kind == "twin" else baxterkit.connect(made)
    with robot:
        robot.enable()
        here = robot.left.q.copy()
        there = here + 0.3 * np.eye(7)[0]
        lesson = Lesson(min_jerk(robot.left.arm, here, there, 2.0))
        for hand, word in (
            (TaughtHand(TOOL), "was taught with 'electric_standard' in the left hand"),
            (
                TaughtHand("hand", payload=1.0),
                "payload of 1 kg .* give the robot's model the payload",
            ),
        ):
            with pytest.raises(RefusedError, match=word) as refusal:
                replace(lesson, hands={"left": hand}).replay(robot)
            assert refusal.value.reason in ("tool", "payload")
        with pytest.raises(InputError, match=r"speed = 2.*; lesson.retimed\(\)"):
            lesson.replay(robot, speed=2.0)
        fast = Lesson(lesson.motion.stretched(0.05))
        with pytest.raises(RefusedError, match=r"replay lesson\.retimed\(\) instead"):
            fast.replay(robot)
        beyond = Lesson(lesson.motion.then(min_jerk(robot.left.arm, there, here, 2.0)))
        coefficients = beyond.motion.coefficients.copy()
        coefficients[:, 0, 0] += 2.0
        far = Lesson(replace(beyond.motion, coefficients=coefficients))
        with pytest.raises(
            RefusedError, match=r"left_s0 is .* choose another path or start$"
        ) as no:
            far.replay(robot)
        assert no.value.reason == "position"
        assert np.abs(robot.left.q - here).max() < 0.01


def blocked(at: np.ndarray) -> Twin:
    made = baxterkit.collision.World()
    made.add_sphere("ball", 0.08, tuple(at))
    return Twin(world=made).enable()


def test_a_lesson_through_an_obstacle_or_from_a_blocked_start_is_refused() -> None:
    free = Twin()
    arm, here = free.left.arm, free.left.q
    there = here + 0.8 * np.eye(7)[0]
    lesson = Lesson(min_jerk(arm, here, there, 2.0))
    twin = blocked(arm.fk(0.5 * (here + there))[:3, 3])
    with pytest.raises(RefusedError, match="the path of the lesson is blocked") as refusal:
        lesson.replay(twin)
    assert refusal.value.reason == "collision"
    late = blocked(arm.fk(there)[:3, 3])
    with pytest.raises(RefusedError, match=r"blocked"):
        Lesson(min_jerk(arm, there, here, 2.0)).replay(late)
    assert np.abs(late.left.q - here).max() < 0.01


@pytest.mark.slow
def test_a_link_goes_around_an_obstacle_to_the_start() -> None:
    """It sweeps what is beside a path too; so the path to the start keeps farther off."""
    free = Twin()
    arm, here = free.left.arm, free.left.q
    there = here + 1.0 * np.eye(7)[0]
    made = baxterkit.collision.World()
    made.add_sphere("ball", 0.08, tuple(arm.fk(here + 0.5 * np.eye(7)[0])[:3, 3]))
    with in_process(Twin(world=made), world=made) as both:
        lesson = Lesson(min_jerk(arm, there, there + 0.2 * np.eye(7)[0], 2.0))
        assert lesson.replay(both.link.enable()).raise_if_failed().approach
        assert np.abs(both.link.left.q - lesson.motion.end).max() < 0.01


def test_a_hand_that_held_something_must_hold_it(both: InProcess) -> None:
    again(both)
    link = both.link
    moves = min_jerk(link.left.arm, link.left.q, link.left.q + 0.05, 1.0)
    hand = TaughtHand(link.left.arm.tool.name, 0.0, 0.5, True)
    with pytest.raises(RefusedError, match="held something when the lesson began, and is empty"):
        Lesson(moves, hands={"left": hand}).replay(link)


def test_a_hand_that_was_empty_must_not_hold_what_the_robot_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The path was checked with an empty hand, and the object swept through whatever is there."""
    with in_process(Twin(tool=TOOL), enabled=True) as both:
        link = both.link.enable()
        monkeypatch.setattr(type(link.left), "gripping", True)  # by the robot's sensors
        there = link.left.q + 0.1 * np.eye(7)[0]
        moves = min_jerk(link.left.arm, link.left.q, there, 1.0)
        hand = TaughtHand(TOOL, opening=link.left.opening, gripping=False)
        lesson = Lesson(moves, hands={"left": hand})
        with pytest.raises(RefusedError, match="was empty when the lesson began, and holds") as no:
            lesson.replay(link)
        assert no.value.reason == "payload"
        known = World()
        known.add_box("bar", (0.02, 0.1, 0.03), np.eye(4), mass=0.3)
        known.attach("bar", "left", np.eye(4))
        link.scene = link.scene.replace(world=known)
        assert lesson.replay(link)


def test_a_tool_that_the_robot_announces_later_counts_for_lessons() -> None:
    """They asked the model that the link was made with."""
    with in_process(Twin(), enabled=True) as both:
        link = both.link.enable()
        here = link.left.q
        with link.teach(name="before") as before:
            link.move_to(left=here + 0.1 * np.eye(7)[0])
        assert before.hands["left"].tool == "hand"
        name, kind = topics.limb("left", "gripper_properties")
        said = both.graph.node("changer").advertise(name, kind, latch=True)
        said.publish(kind(ui_type=2, properties="{}"))
        link.wait(0.1)
        with pytest.raises(RefusedError, match=r"with 'hand' .* wears 'electric_gripper'") as no:
            before.replay(link)
        assert no.value.reason == "tool"
        with link.teach(name="after") as after:
            link.move_to(left=here)
        assert after.hands["left"].tool == "electric_gripper"
        assert after.replay(link)


def test_a_payload_that_is_not_known_is_no_other_one(tmp_path: Path) -> None:
    """A recorder's file does not tell of one; it counted as 0 kg."""
    arm = Arm("left", payload=Payload(0.5))
    q = arm.configuration("untuck")
    path = save_playback(tmp_path / "wave.csv", min_jerk(arm, q, q + 0.1 * np.eye(7)[0], 2.0))
    lesson = Lesson.from_recorder(path, "left")
    kept = Lesson.load(lesson.save(tmp_path / "wave.json"))
    twin = Twin(Baxter(arm, Arm("right"))).enable()
    for one in (lesson, kept, kept.mirrored().mirrored()):
        assert one.hands["left"].payload is None
    assert kept.replay(twin)
    with pytest.raises(RefusedError, match="a payload of 0 kg"):
        replace(kept, hands={"left": TaughtHand(None, 0.0)}).replay(twin)


def test_a_lesson_of_the_recorder_is_replayed_with_the_tool_that_is_there(tmp_path: Path) -> None:
    twin = Twin(tool=TOOL).enable()
    moves = min_jerk(twin.left.arm, twin.left.q, twin.left.q + 0.2 * np.eye(7)[0], 2.0)
    path = save_playback(tmp_path / "pick.csv", moves.with_grippers(left=[(0.0, 1.0), (1.9, 0.0)]))
    assert Lesson.from_recorder(path).replay(twin)
    assert twin.left.opening == 0.0
    bare = Twin().enable()
    with pytest.raises(RefusedError, match=r"the lesson moves the left gripper.*with_grippers\(\)"):
        Lesson.from_recorder(path).replay(bare)
    assert np.abs(bare.left.q - moves.start).max() < 0.01
    still = save_playback(tmp_path / "still.csv", moves.with_grippers(left=1.0))
    assert Lesson.from_recorder(still).replay(bare)  # a hand without fingers is recorded so
    named = Lesson(moves, hands={"left": TaughtHand(TOOL)})  # by its short name
    assert named.replay(twin)


def test_a_gripper_that_is_not_calibrated_is_refused_before_anything_moves() -> None:
    with in_process(Twin(tool=TOOL)) as both:
        link = both.link.enable()
        here = link.left.q
        there = here + 0.2 * np.eye(7)[0]
        moves = min_jerk(link.left.arm, here, there, 1.0).then(
            min_jerk(link.left.arm, there, here, 1.0)
        )
        hand = TaughtHand(TOOL, opening=link.left.opening)
        grips = moves.with_grippers(left=[(1.0, 0.0)])
        for lesson in (
            Lesson(grips, hands={"left": hand}),
            Lesson(moves, hands={"left": replace(hand, opening=0.3)}),
        ):
            with pytest.raises(RefusedError, match=r"nothing was sent: .* is not calibrated"):
                lesson.replay(link)
            assert np.abs(link.left.q - here).max() < 0.01
        link.left.calibrate_gripper()
        assert Lesson(grips, hands={"left": hand}).replay(link)


class Fingers:
    """Where an arm is when its fingers are told the openings of a lesson, one after the other."""

    def __init__(self, both: InProcess, side: str, lesson: Lesson) -> None:
        self._limb, self._robot = both.twin.limb(side), both.robot
        self._due = lesson.motion.grippers[side].opening.tolist()
        self.seen: list[np.ndarray] = []

    def __enter__(self) -> Fingers:
        self._robot.after_state.append(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        self._robot.after_state.remove(self._look)

    def _look(self, _stamp: int) -> None:
        fingers = self._limb._fingers
        assert fingers is not None
        if len(self.seen) < len(self._due) and fingers.goal == self._due[len(self.seen)]:
            self.seen.append(self._limb.truth.q)


def late(lesson: Lesson, seen: list[np.ndarray], side: str) -> float:
    """How far grips were from their places on the path, in time of the path [s].

    A pause is one place: there the arm waits until the gripper is there.
    """
    t = np.arange(0.0, lesson.duration, 0.002)
    path, grips = lesson.motion.sample(t).q, lesson.motion.grippers[side].t
    assert len(seen) == len(grips)
    worst = 0.0
    for q, due in zip(seen, grips, strict=True):
        off = np.abs(path - q).max(axis=1)
        near = t[off < off.min() + 0.001]
        a, b = next((x for x in pauses(lesson.motion) if x[0] <= due <= x[1]), (due, due))
        worst = max(worst, float(np.maximum(np.maximum(a - near, near - b), 0.0).min()))
    return worst


@pytest.mark.acceptance
def test_twenty_of_twenty_picks_are_taught_and_replayed(tmp_path: Path) -> None:
    """Cartons at twenty places, taught by hand over ROS, saved, loaded, replayed; the mirror image
    of each with the other arm of another robot."""
    rng, done, other, worst, latest = np.random.default_rng(0), 0, 0, 0.0, 0.0
    for number in range(20):
        pick = (0.65 + rng.uniform(-0.05, 0.08), 0.25 + rng.uniform(-0.08, 0.08))
        place = (pick[0] + rng.uniform(-0.05, 0.05), pick[1] + rng.uniform(0.15, 0.3))
        with in_process(Twin(tool=TOOL, world=world(pick), seed=int(rng.integers(1000)))) as both:
            both.link.enable().left.calibrate_gripper()
            both.twin.place(left=ready_pose(both.twin.left.arm, pick))
            both.clock.sleep(0.3)
            teacher = Teacher(both, "left")
            with both.link.teach() as taught:
                teach_pick(teacher, pick, place)
            teacher.close()
            again(both)
            lesson = Lesson.load(taught.save(tmp_path / f"pick{number}.json"))
            with Fingers(both, "left", lesson) as fingers:
                ok = bool(lesson.replay(both.link))
            latest = max(latest, late(lesson, fingers.seen, "left"))
            off = float(np.abs(carton(both) - [*place, TABLE + 0.06]).max())
            worst, done = max(worst, off), done + (ok and off < 0.01)
        with in_process(Twin(tool=TOOL, world=world((pick[0], -pick[1])))) as both:
            both.link.enable().right.calibrate_gripper()
            with Fingers(both, "right", lesson.mirrored()) as fingers:
                ok = bool(lesson.mirrored().replay(both.link))
            latest = max(latest, late(lesson.mirrored(), fingers.seen, "right"))
            off = float(np.abs(carton(both) - [place[0], -place[1], TABLE + 0.06]).max())
            worst, other = max(worst, off), other + (ok and off < 0.01)
    print(f"{done} and, mirrored, {other} of 20, worst {1e3 * worst:.1f} mm, {1e3 * latest:.0f} ms")
    assert (done, other) == (20, 20)
    assert latest <= 0.05


@pytest.mark.parametrize("when", ["at the start", "on the path"])
def test_fingers_that_would_touch_something_are_found_before_anything_moves(when: str) -> None:
    """They opened beside a post: the arm went there, and was refused then."""
    with in_process(Twin(tool=TOOL)) as both:
        link = both.link.enable()
        link.left.calibrate_gripper()
        link.left.move_gripper(0.0)
        here, arm = link.left.q, link.left.arm
        there = here + 0.3 * np.eye(7)[0]
        T = arm.fk(there)
        world = World()
        post = T[:3, 3] + 0.052 * T[:3, 1] - 0.03 * T[:3, 2]
        world.add_sphere("post", 0.008, post)
        link.scene = link.scene.replace(world=world)
        end = there - 0.2 * np.eye(7)[5]
        if when == "at the start":
            motion = Trajectory.from_points([0.0, 0.5, 2.0], [there, there, end], side="left")
            opening = 1.0
        else:
            q, rest = [here, there, there, end], np.zeros((4, 7))
            motion = Trajectory.from_points([0.0, 2.0, 3.0, 5.0], q, rest, rest, side="left")
            motion, opening = motion.with_grippers(left=[(2.5, 1.0)]), 0.0
        before = both.twin.left.truth.q.copy()
        with pytest.raises(RefusedError, match=r"nothing was sent: .* left_fingers touches post"):
            Lesson(motion, hands={"left": TaughtHand(TOOL, opening=opening)}).replay(link)
        assert np.abs(both.twin.left.truth.q - before).max() < 1e-3
