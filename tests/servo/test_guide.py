"""The references of hands that follow a target: bounded, clear of everything, as near as can be."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import SERVO_ARRIVED, SERVO_ROUNDING

from baxterkit import Arm, Baxter, Scene
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.servo import Goal, ServoSettings
from baxterkit.servo.guide import Guide
from baxterkit.servo.result import Log
from baxterkit.servo.targets import Targets
from baxterkit.trajectory.joint_space import ACCELERATION
from baxterkit.types import Array, Transform

DT = 0.01
ROBOT = Baxter()
LIMITS = (ROBOT.left.limits.lower, ROBOT.left.limits.upper)
UNTUCKED = {side: getattr(ROBOT, side).configuration("untuck") for side in ("left", "right")}


def posts(count: int = 7) -> World:
    world = World()
    for i, y in enumerate(np.linspace(-0.2, 1.0, count)):
        world.add_box(f"post {i}", (0.05, 0.05, 1.2), (0.8, y, 0.2))
    return world


def guide(log: Log, *sides: str, settings: ServoSettings | None = None) -> Guide:
    arms = {side: getattr(ROBOT, side) for side in sides or ("left",)}
    return Guide(arms, UNTUCKED, settings or ServoSettings(), log)


def walk(hands: Guide, goals: dict[str, Transform | None], scene: Scene, ticks: int) -> Array:
    """Follows targets that stay; returns the reference of the left hand, (ticks, 7)."""
    rows = []
    for k in range(ticks):
        hands.step(DT * k, goals, UNTUCKED, scene, DT)
        rows.append(next(iter(hands.hands.values())).q)
    return np.array(rows)


def shifted(arm: Arm, by: tuple[float, float, float], q: Array | None = None) -> Transform:
    T = arm.fk(arm.configuration("untuck") if q is None else q).copy()
    T[:3, 3] += by
    return T


def test_a_hand_arrives_at_its_target_and_rests_there() -> None:
    hands, goal = guide(Log()), shifted(ROBOT.left, (-0.05, 0.15, 0.1))
    walk(hands, {"left": goal}, ROBOT.scene(), 200)
    hand = hands.hands["left"]
    assert np.linalg.norm(ROBOT.left.fk(hand.q) - goal) < SERVO_ARRIVED
    assert np.abs(hand.qd).max() < SERVO_ARRIVED


@pytest.mark.parametrize("seed", range(4))
def test_references_never_jump_and_keep_clear_whatever_the_target_does(seed: int) -> None:
    """Targets anywhere, behind posts, in the body, out of reach, gone: 360 ticks each."""
    rng, settings = np.random.default_rng(seed), ServoSettings(clearance=0.03)
    hands = guide(Log(), settings=settings)
    hand, scene = hands.hands["left"], ROBOT.scene(posts())
    rows, goal = [], None
    for k in range(360):
        if k % 45 == 0:
            goal = None if rng.random() < 0.1 else ROBOT.left.fk(rng.uniform(*LIMITS)).copy()
            if goal is not None:
                goal[:3, 3] = rng.uniform([-0.2, -0.5, -0.5], [1.6, 1.4, 1.2])
        before = hand.qd
        hands.step(DT * k, {"left": goal}, UNTUCKED, scene, DT)
        assert (np.abs(hand.qd - before) <= ACCELERATION * DT + SERVO_ROUNDING).all()
        assert (np.abs(hand.qd) <= 0.5 * ROBOT.left.limits.velocity + SERVO_ROUNDING).all()
        rows.append(hand.q)
    path = np.array(rows)
    assert (np.abs(np.diff(path, axis=0)) <= 0.5 * ROBOT.left.limits.velocity * DT + 1e-9).all()
    assert (path >= ROBOT.left.limits.lower).all()
    assert (path <= ROBOT.left.limits.upper).all()
    assert np.ptp(path, axis=0).max() > 0.3  # it moved
    gap = scene.of_arm("left").clearance(path, UNTUCKED["right"])
    assert gap.min() > 0.03 - 1e-3


def test_the_self_motion_leads_the_elbow_aside() -> None:
    """A ball beside the elbow: the hand stays within a millimetre, and the arm moves away."""
    hands, goal = guide(Log()), shifted(ROBOT.left, (0.0, 0.0, 0.0))
    elbow = ROBOT.left.link_poses(UNTUCKED["left"])[3, :3, 3]
    world = World()
    world.add_sphere("ball", 0.05, tuple(elbow + np.array([0.0, 0.17, 0.0])))
    scene = ROBOT.scene(world)
    before = float(scene.of_arm("left").clearance(*UNTUCKED.values()))
    path = walk(hands, {"left": goal}, scene, 300)
    after = float(scene.of_arm("left").clearance(path[-1], UNTUCKED["right"]))
    assert before < 0.1
    assert after > before + 0.02
    off = np.linalg.norm(ROBOT.left.fk(path)[:, :3, 3] - goal[:3, 3], axis=1)
    assert off.max() < 1e-3


def test_a_target_out_of_reach_is_followed_as_far_as_the_arm_goes() -> None:
    log = Log()
    hands = guide(log)
    goal = shifted(ROBOT.left, (1.0, 0.3, 0.2))
    walk(hands, {"left": goal}, ROBOT.scene(), 450)
    away = np.linalg.norm(ROBOT.left.fk(hands.hands["left"].q)[:3, 3] - goal[:3, 3])
    assert away < ROBOT.left.shortfall(goal).distance + 0.01
    assert [note.kind for note in log.notes] == ["out of reach"]
    assert "out of reach" in str(log.notes[0])


def test_both_hands_stop_before_each_other() -> None:
    log, scene = Log(), ROBOT.scene()
    hands = guide(log, "left", "right")
    middle = {side: shifted(getattr(ROBOT, side), (0.0, 0.0, 0.0)) for side in UNTUCKED}
    for T in middle.values():
        T[:3, 3] = 0.75, 0.0, 0.1
    rows = []
    for k in range(300):
        hands.step(DT * k, middle, UNTUCKED, scene, DT)
        rows.append(np.concatenate([hand.q for hand in hands.hands.values()]))
    path = np.array(rows)
    assert scene.clearance(path[:, :7], path[:, 7:]).min() > 0.02 - 1e-3
    assert {note.kind for note in log.notes} == {"blocked"}
    assert max(np.abs(hand.qd).max() for hand in hands.hands.values()) < 0.05


def test_a_hand_that_starts_nearer_than_it_should_comes_no_nearer_and_gets_away() -> None:
    near, world = UNTUCKED["left"], World()
    tip = ROBOT.left.fk(near)[:3, 3]
    world.add_box("wall", (0.02, 0.6, 0.6), (tip[0] + 0.095, tip[1], tip[2]))
    scene = ROBOT.scene(world)
    start = float(scene.of_arm("left").clearance(near, UNTUCKED["right"]))
    assert 0.0 < start < 0.02
    hands = Guide({"left": ROBOT.left}, {**UNTUCKED, "left": near}, ServoSettings(), Log())
    path = walk(hands, {"left": shifted(ROBOT.left, (0.2, 0.0, 0.0), near)}, scene, 100)
    assert scene.of_arm("left").clearance(path, UNTUCKED["right"]).min() > start - 1e-3
    away = walk(hands, {"left": shifted(ROBOT.left, (-0.1, 0.0, 0.0), near)}, scene, 200)
    assert scene.of_arm("left").clearance(away[-1], UNTUCKED["right"]) > start + 0.03


def test_targets_that_are_none_are_left_out_and_told_once() -> None:
    log, good = Log(), ROBOT.left.fk(UNTUCKED["left"])
    bad = np.where(np.eye(4) > 0, np.nan, good)
    sent: list[object] = [good, bad, "north", good, bad, np.full((4, 4), 1e9), None]
    targets = Targets(lambda t: sent[round(t / DT)], ("left",), 0.25, log)  # type: ignore[arg-type, return-value]
    for k in range(len(sent)):
        poses, openings = targets.read(DT * k) or ({}, {})
        assert poses["left"] is good or np.array_equal(poses["left"], good)  # type: ignore[arg-type]
        assert openings == {}
    assert [note.kind for note in log.notes] == ["not a pose", "not a pose"]


def test_a_silent_source_makes_the_hand_brake_and_a_word_wakes_it() -> None:
    log, good = Log(), ROBOT.left.fk(UNTUCKED["left"])
    targets = Targets(lambda t: good if t < 0.1 or t > 0.6 else None, ("left",), 0.25, log)
    fresh = [targets.read(DT * k)[0]["left"] is not None for k in range(80)]  # type: ignore[index]
    assert all(fresh[:34])
    assert not any(fresh[36:60])
    assert all(fresh[62:])
    assert str(log.notes[0]).endswith("no target for 0.26 s; the hand holds until the next one")
    silent = Targets(lambda t: None, ("left",), 0.25, log)
    assert silent.read(0.0) == ({"left": None}, {})


def test_a_source_that_never_gives_a_target_is_told() -> None:
    log = Log()
    targets = Targets(lambda t: None, ("left",), 0.25, log)
    assert all(targets.read(5.0 + DT * k) == ({"left": None}, {}) for k in range(100))
    assert [note.kind for note in log.notes] == ["silent"]
    assert str(log.notes[0]).endswith("no target for 0.26 s; the hand holds until the next one")


def test_goals_bring_openings_once_and_the_source_can_end() -> None:
    T = ROBOT.left.fk(UNTUCKED["left"])
    sent = iter([{"left": Goal(T, 1.0)}, {"left": Goal(T, 1.0)}, {"right": Goal(None, 0.0)}])
    targets = Targets(lambda t: next(sent), ("left", "right"), 0.25, Log())  # type: ignore[arg-type, return-value]
    answers = [targets.read(DT * k) for k in range(4)]
    assert [answer and answer[1] for answer in answers] == [{"left": 1.0}, {}, {"right": 0.0}, None]


def test_what_is_no_source_or_no_setting_is_refused() -> None:
    with pytest.raises(InputError, match="target must be a function of the time that gives poses"):
        Targets(np.eye(4), ("left",), 0.25, Log())  # type: ignore[arg-type]
    one = Targets(lambda t: np.eye(4), ("left", "right"), 0.25, Log())
    with pytest.raises(InputError, match=r"must be \{'left': pose, 'right': pose\}"):
        one.read(0.0)
    for name, value in (("speed", 0.0), ("turn", 9.0), ("clearance", -0.1), ("silence", np.nan)):
        with pytest.raises(InputError, match=name):
            ServoSettings(**{name: value})


def test_a_trouble_that_comes_and_goes_is_told_once() -> None:
    log = Log()
    for k in range(300):
        if k % 7 == 0 and not 100 < k < 250:
            log.note(DT * k, "left", "refused", "slower")
        else:
            log.calmed(DT * k, "left", "refused")
    assert [round(note.t, 2) for note in log.notes] == [0.0, 2.52]
