"""Grips of a replay over ROS: what the gate's world becomes, and what may be near meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from teacher import TABLE, over, world

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.lesson import Lesson, TaughtHand
from baxterkit.lesson.rehearsal import INSIDE, Taking, rehearse
from baxterkit.robot import RefusedError
from baxterkit.ros import InProcess, Rules, in_process
from baxterkit.ros.link import RobotLink
from baxterkit.ros.near import Near
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory
from baxterkit.trajectory.checks import ContactError

PICK, TOOL = (0.65, 0.25), "electric_standard"
LOW, HIGH = 0.08, 0.2
ROBOT = Baxter(Arm("left", tool=TOOL), Arm("right", tool=TOOL))
Events = list[tuple[float, float]]


def heights(*z: float) -> np.ndarray:
    """Joint positions above the carton, one after the other."""
    arm = ROBOT.left
    seed, rows = arm.configuration("untuck"), []
    for each in z:
        seed = arm.ik(over(PICK, each), seed=seed, posture="elbow_out").raise_if_failed().q
        rows.append(seed)
    return np.array(rows)


def through(t: list[float], z: list[float], events: Events) -> Trajectory:
    """From height to height above the carton, at rest at each; openings of the left gripper."""
    rows = heights(*z)
    zero = np.zeros_like(rows)
    moves = Trajectory.from_points(t, rows, zero, zero, limits=ROBOT.left.limits, side="left")
    return moves.with_grippers(left=events)


def lesson_of(motion: Trajectory) -> Lesson:
    return Lesson(motion, hands={"left": TaughtHand(TOOL, 0.0, 1.0, False)})


@pytest.fixture(scope="module")
def pick() -> Lesson:
    """Down, close at rest, up."""
    return lesson_of(through([0.0, 2.0, 3.0, 5.0], [HIGH, LOW, LOW, HIGH], [(2.5, 0.0)]))


@pytest.fixture(scope="module")
def snatch() -> Lesson:
    """Down and up; it closes as the hand turns round, at rest for an instant only."""
    return lesson_of(through([0.0, 3.0, 6.0], [HIGH, LOW, HIGH], [(3.0, 0.0)]))


@contextmanager
def ready(known: World | None = None) -> Iterator[InProcess]:
    rules = Rules(graspable=("carton",))
    twin = Twin(tool=TOOL, world=world(PICK))
    with in_process(twin, world=world(PICK) if known is None else known, rules=rules) as both:
        both.link.enable().left.calibrate_gripper()
        both.twin.place(left=heights(HIGH)[0])
        both.clock.sleep(0.3)
        yield both


@contextmanager
def once(both: InProcess, when: Callable[[], bool], act: Callable[[], None]) -> Iterator[None]:
    """Does something as soon as something is so."""
    done: list[bool] = []

    def look() -> None:
        if not done and when():
            done.append(True)
            act()

    task = both.clock.every(0.02, look, "look")
    yield
    task.close()
    assert done


def off(both: InProcess) -> float:
    """How far the carton of `link.scene` is from the real one [m]."""
    one = both.link.scene.world["carton"]
    T = both.link.left.tip @ one.T if one.held else one.T
    return float(np.abs(T[:3, 3] - both.twin.object_pose("carton")[:3, 3]).max())


def moved(known: World, by: float) -> World:
    """The same with the carton elsewhere."""
    T = known["carton"].T.copy()
    T[1, 3] += by
    return World.of(replace(x, T=T) if x.name == "carton" else x for x in known.state)


@pytest.mark.parametrize("abort", [False, True])
def test_a_grip_in_motion_is_known_at_once_where_it_was(abort: bool, snatch: Lesson) -> None:
    """It was told at the end of the part: elsewhere in the hand, and never if the part failed."""
    with ready() as both:
        link = both.link
        if abort:
            lifted = lambda: bool(both.twin.object_pose("carton")[2, 3] > TABLE + 0.1)  # noqa: E731
            cancel = lambda: both.clock.call_at(both.clock.now() + 0.01, link.cancel)  # noqa: E731
            with once(both, lifted, cancel), pytest.raises(RefusedError) as no:
                snatch.replay(link)
            assert no.value.reason == "cancelled"
        else:
            assert snatch.replay(link)
        assert link.left.gripping
        assert link.scene.world["carton"].held == "left"
        assert off(both) < 0.01


@pytest.mark.slow
def test_what_is_left_in_motion_is_known_where_it_was_left() -> None:
    """The world had it where the hand was at the end of the part."""
    motion = through(
        [0.0, 2.0, 3.0, 5.0, 7.0, 9.0],
        [HIGH, LOW, LOW, 0.15, LOW + 0.002, HIGH],
        [(2.5, 0.0), (7.0, 1.0)],
    )
    with ready() as both:
        result = lesson_of(motion).replay(both.link).raise_if_failed()
        assert [one.taken for one in result.taken] == [True, False]
        assert both.link.scene.world["carton"].held is None
        both.clock.sleep(0.5)
        assert off(both) < 0.01


@pytest.mark.slow
def test_pauses_in_which_nothing_is_taken_do_not_end_a_path_around() -> None:
    """A gripper that moves just above its object: the next part was refused, with the arm there."""
    motion = through(
        [0.0, 2.0, 3.0, 4.0, 5.0, 7.0],
        [HIGH, LOW + 0.012, LOW + 0.012, LOW, LOW, HIGH],
        [(2.5, 0.93), (4.5, 0.0)],
    )
    with ready() as both:
        result = lesson_of(motion).replay(both.link).raise_if_failed()
        assert [(one.taken, one.t) for one in result.taken] == [(True, 4.5)]
        assert off(both) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pick", "snatch"])
def test_a_hand_that_closes_on_nothing_ends_the_replay(
    name: str, request: pytest.FixtureRequest
) -> None:
    """The scene had it in the hand, and the gate no longer where it stood."""
    lesson: Lesson = request.getfixturevalue(name)
    with ready() as both:
        both.link.scene = both.link.scene.replace(world=world(PICK))
        body = both.twin.model.body("carton")
        first = both.twin.model.jnt_qposadr[body.jntadr[0]]
        both.twin.data.qpos[first + 1] += 0.4
        with pytest.raises(RefusedError, match="closed on nothing: 'carton' is not where") as no:
            lesson.replay(both.link)
        assert no.value.reason == "payload"
        assert both.link.scene.world["carton"].held is None
        assert np.allclose(both.link.scene.world["carton"].T, world(PICK)["carton"].T)


def test_a_grip_that_misses_as_the_replay_is_cancelled_leaves_the_object_where_it_was() -> None:
    rows, limits = heights(HIGH, LOW, HIGH), ROBOT.left.limits
    dip = Trajectory.from_points([0.0, 1.0, 2.0], rows, limits=limits, side="left")
    snatch = lesson_of(dip.with_grippers(left=[(1.0, 0.0)]))
    with ready() as both:
        link, body = both.link, both.twin.model.body("carton")
        both.twin.data.qpos[both.twin.model.jnt_qposadr[body.jntadr[0]] + 1] += 0.4
        told = lambda: link.scene.world["carton"].held == "left"  # noqa: E731
        cancel = lambda: both.clock.call_at(both.clock.now() + 0.05, link.cancel)  # noqa: E731
        with once(both, told, cancel), pytest.raises(RefusedError) as no:
            snatch.replay(link, speed=0.4)
        assert no.value.reason == "cancelled"
        assert link.scene.world["carton"].held is None
        assert np.allclose(link.scene.world["carton"].T, world(PICK)["carton"].T)


@pytest.mark.parametrize("opens", [0.8, 0.83, 0.86])
def test_fingers_may_touch_the_object_that_they_leave(opens: float) -> None:
    motion = through(
        [0.0, 2.0, 3.0, 4.0, 5.0, 7.0],
        [HIGH, LOW, LOW, LOW, LOW, HIGH],
        [(1.0, opens), (2.5, 0.0), (4.5, 1.0)],
    )
    for margin in (0.0, 0.005):
        scene = ROBOT.scene(world(PICK), margin=margin)
        still = {"right": ROBOT.right.configuration("untuck")}
        found = rehearse(scene, motion, still, ("carton",))
        assert [one.taken for one in found] == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["moved", "removed", "set"])
def test_the_scene_may_be_set_while_a_hand_goes_to_its_object(what: str, pick: Lesson) -> None:
    """Pairs that may be near hold for the objects that were rehearsed, and are not in the scene."""
    with ready() as both:
        link = both.link

        def act() -> None:
            known = link.scene.world
            assert link.scene.without == ()
            made = {
                "moved": moved(known, 0.03),
                "removed": World.of(x for x in known.state if x.name != "carton"),
                "set": World.of(known.state),
            }[what]
            link.scene = link.scene.replace(world=made)

        with once(both, lambda: bool(link._gate._judge.near._of), act):
            if what == "set":
                assert pick.replay(link)
                assert link.scene.world["carton"].held == "left"
                return
            with pytest.raises(RefusedError) as no:
                pick.replay(link)
        assert no.value.reason == ("collision" if what == "moved" else "payload")
        if what == "moved":
            assert link.scene.clearance(link.left.q, link.right.q) > 0.005


def near(link: RobotLink, least: float) -> tuple[Near, ...]:
    return (Near(("left_fingers", "carton"), least, (link.scene.world["carton"],)),)


def test_pairs_that_may_be_near_keep_a_least_distance() -> None:
    """They were left out: fingers around an object could be driven through it."""
    with ready() as both:
        link, judge = both.link, both.link._gate._judge
        both.twin.place(left=heights(LOW)[0])
        both.clock.sleep(0.3)

        def sideways() -> str:
            for _ in range(200):
                both.clock.sleep(0.01)
                J = link.left.arm.jacobian(link.left.q)
                try:
                    link.left.command_velocity(np.linalg.pinv(J) @ [0.0, 0.04, 0.0, 0.0, 0.0, 0.0])
                except RefusedError as error:
                    return str(error)
            return "never refused"

        judge.near.tell(link, near(link, -INSIDE))
        assert "inside each other; at most 7 mm are right" in sideways()
        link.left.hold()
        both.clock.sleep(0.5)
        q = link.left.q
        alone = link.scene.replace(world=World.of([link.scene.world["carton"]]), opening=1.0)
        assert alone.clearance(q, link.right.q) > -INSIDE


def test_pairs_of_two_calls_do_not_end_each_other() -> None:
    with ready() as both:
        link, pairs = both.link, both.link._gate.near
        known = link.scene.world
        pairs.tell(one := object(), near(link, -0.007))
        pairs.tell(other := object(), near(link, -0.001))
        assert pairs.within(known) == {("left_fingers", "carton"): -0.007}
        pairs.tell(one, ())
        assert pairs.within(known) == {("left_fingers", "carton"): -0.001}
        assert pairs.within(moved(known, 0.03)) == {}
        pairs.tell(other, ())
        assert pairs.within(known) == {}


def rehearsed(motion: Trajectory, known: World) -> list[Taking]:
    scene = ROBOT.scene(known, margin=0.005, opening=1.0)
    return rehearse(scene, motion, {"right": ROBOT.right.configuration("untuck")}, ("carton",))


@pytest.mark.parametrize("opens", [0.9, 1.0])
def test_to_open_above_the_last_opening_leaves_the_object(opens: float) -> None:
    """It was left only where the hand became as open as before it closed."""
    t, z = [0.0, 2.0, 3.0, 5.0, 7.0, 8.0, 10.0], [HIGH, LOW, LOW, HIGH, LOW, LOW, HIGH]
    found = rehearsed(through(t, z, [(2.5, 0.0), (7.5, opens)]), world(PICK))
    assert [one.taken for one in found] == [True, False]
    assert np.array(found[1].around[0].pair).tolist() == ["left_w1", "carton"]


def test_fingers_that_stop_before_an_object_do_not_take_it() -> None:
    motion = through([0.0, 2.0, 3.0, 5.0], [HIGH, LOW, LOW, HIGH], [(2.5, 0.93)])
    with pytest.raises(ContactError, match="left_fingers touches carton"):
        rehearsed(motion, world(PICK))


def test_a_wrist_may_not_be_inside_the_object() -> None:
    """Fingers stand off what they hold; the palm was let in as deep."""
    tall = World()
    tall.add_table("table", height=TABLE)
    tall.add_box("carton", (0.04, 0.04, 0.166), (*PICK, TABLE + 0.083), mass=0.2)
    motion = through([0.0, 2.0, 3.0, 5.0], [0.25, LOW, LOW, 0.25], [(2.5, 0.0)])
    with pytest.raises(ContactError, match="left_w2 touches carton"):
        rehearsed(motion, tall)
