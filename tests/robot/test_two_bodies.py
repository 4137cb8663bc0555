"""One program, two bodies: the twin and the link to it do the same, to milliradians."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from resting import CREEP, creep
from tolerances import SAME_MOTION

import baxterkit
from baxterkit import Arm, Baxter, identify, planning, recording
from baxterkit.control import ComputedTorque
from baxterkit.errors import (
    BaxterkitError,
    InputError,
    ModelWarning,
    ResultError,
    UnitsWarning,
    UnknownNameError,
)
from baxterkit.robot import Limb, MotionResult, RefusedError, Robot
from baxterkit.sim import Twin, with_known_effects
from baxterkit.trajectory import Trajectory, both_arms, min_jerk
from baxterkit.types import JointVector

S0 = np.eye(7)[0]
HEAD = 0.15
"""The link leaves the head as near as the robot's own programs do [rad]."""
GRIPPERS = ("electric_standard", "electric_extended_wide")


def body(kind: str, tool: str = "hand") -> Robot:
    twin = Twin(tool=tool, noise=0.0)
    return twin if kind == "twin" else baxterkit.connect(twin)


@pytest.fixture(params=["twin", "link"])
def robot(request: pytest.FixtureRequest) -> Iterator[Robot]:
    with body(request.param) as made:
        yield made


def nudge(limb: Limb, size: float = 0.1, duration: float = 0.8) -> Trajectory:
    return min_jerk(limb.arm, limb.q, limb.q + size * S0, duration)


def test_a_motion_may_be_shorter_than_the_time_between_two_states(robot: Robot) -> None:
    robot.enable()
    for mode in ("velocity", "position", "raw position"):
        for settle in (0.0, 0.2):
            motion = Trajectory.from_points([0.0, 1e-3], [robot.left.q] * 2, side="left")
            done = robot.follow(motion, mode=mode, settle=settle)
            assert done
            assert len(done["left"].t) >= 1


def test_a_motion_that_begins_or_ends_at_speed_is_not_streamed(robot: Robot) -> None:
    robot.enable()
    q, qd = robot.left.q, 0.2 * S0
    t, zero = [0.0, 1.0], np.zeros(7)
    ends = Trajectory.from_points(t, [q, q + 0.1 * S0], [zero, qd], [zero, zero], side="left")
    begins = Trajectory.from_points(t, [q, q + 0.1 * S0], [qd, zero], [zero, zero], side="left")
    for motion, when in ((ends, "ends"), (begins, "begins")):
        with pytest.raises(InputError, match=f"the motion {when} at speed, left_s0 at 0.200 rad/s"):
            robot.follow(motion)
    assert np.abs(robot.left.q - q).max() < 0.01


def test_a_plan_of_another_robot_tells_that_the_hand_ends_elsewhere(robot: Robot) -> None:
    robot.enable()
    mount = robot.left.arm.model.T_base_s0.copy()
    mount[1, 3] += 0.03
    goal = robot.left.q + 0.2 * S0
    for other, says in (
        (Baxter(Arm("left", mount=mount), Arm("right")), "its left hand, .* ends 30 mm from"),
        (
            Baxter(Arm("left", "vacuum"), Arm("right")),
            "with the tool 'vacuum', ends .* with 'hand'",
        ),
    ):
        start = robot.left.q
        plan = planning.plan(other, start, goal, group="left", other=robot.right.q)
        with pytest.warns(ModelWarning, match=says) as said:
            robot.follow(plan)
        assert {w.filename for w in said} == {__file__}
        goal = start
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan = planning.plan(robot.scene, robot.left.q, goal, group="left", other=robot.right.q)
        if len(plan.path) > 1:
            robot.follow(plan)
        unmoved = Baxter(Arm("left"), Arm("right", "vacuum"))  # that arm stays
        plan = planning.plan(unmoved, robot.left.q, robot.left.q - 0.1 * S0, group="left")
        robot.follow(plan)


def program(robot: Robot) -> list[MotionResult]:
    """What a program does on either body; the same lines."""
    robot.enable()
    left, right = robot.left, robot.right
    done = [
        robot.move_to(left=left.q + 0.1 * S0),
        robot.move_to(left.arm.configuration("untuck"), right.q - 0.1 * S0, speed=0.4),
        robot.follow(nudge(right)),
        robot.follow(both_arms(nudge(left), nudge(right, -0.05, 0.6)), mode="raw position"),
        robot.follow({"right": nudge(right, 0.05)}, mode="position", speed=0.7),
    ]
    here = np.concatenate([left.q, right.q])
    plan = planning.plan(robot.robot.scene(margin=0.01), here, left.q - 0.1 * S0, group="left")
    done.append(robot.follow(plan, speed=0.5))
    arm = with_known_effects(left.arm)
    done.append(robot.follow(nudge(left), ComputedTorque(arm, kp=8.0**2)))
    robot.pan_head(0.3)
    return [*done, robot.untuck(speed=0.5)]


def positions(followed: baxterkit.robot.Followed, t: np.ndarray) -> JointVector:
    return np.stack([np.interp(t, followed.t, column) for column in followed.q.T], axis=-1)


def test_the_same_program_does_the_same_on_both_bodies() -> None:
    runs = []
    for kind in ("twin", "link"):
        with body(kind) as robot:
            runs.append((program(robot), robot.left.q, robot.right.q, robot.head_pan))
            assert robot.enabled
    (twin, *ends), (link, *others) = runs
    for one, other in zip(twin, link, strict=True):
        assert one.raise_if_failed().arrived
        assert other.raise_if_failed().arrived
        assert one.reason == other.reason == ""
        assert list(one) == list(other)
        for side in one:
            t = other[side].t
            off = positions(one[side], t) - other[side].q
            assert np.abs(off).max() < SAME_MOTION
            assert np.abs(one[side].reference.q[0] - other[side].reference.q[0]).max() < SAME_MOTION
            assert other[side].tau.shape == other[side].q.shape
    for a, b in zip(ends, others, strict=True):
        assert np.abs(np.asarray(a) - b).max() < (SAME_MOTION if np.ndim(a) else HEAD)


def test_nothing_moves_before_it_is_enabled(robot: Robot) -> None:
    before, motion = robot.left.q.copy(), nudge(robot.left)
    acts: list[Callable[[], object]] = [
        lambda: robot.move_to("neutral"),
        lambda: robot.follow(motion),
        lambda: robot.follow(motion, ComputedTorque(robot.left.arm)),
        lambda: robot.left.command_position(before),
        lambda: robot.left.command_velocity(np.zeros(7)),
        lambda: robot.left.command_torque(np.zeros(7)),
        lambda: robot.pan_head(0.3),
        lambda: robot.left.move_gripper(0.0),
        robot.tuck,
    ]
    for act in acts:
        with pytest.raises(RefusedError, match=r"call enable\(\) first"):
            act()
    robot.wait(0.1)
    assert not robot.enabled
    assert np.abs(robot.left.q - before).max() < 1e-3
    assert robot.enable() is robot
    robot.left.command_position(before)


def test_a_stop_in_the_middle_ends_the_motion(robot: Robot) -> None:
    class Stopping(ComputedTorque):
        def __init__(self) -> None:
            super().__init__(with_known_effects(robot.left.arm), kp=8.0**2)
            self.time = 0.0

        def update(self, state: object, reference: object, dt: float) -> JointVector:
            self.time += dt
            if self.time > 0.3 and not robot.stopped:
                robot.stop()
            return super().update(state, reference, dt)  # type: ignore[arg-type]

    robot.enable()
    with pytest.raises(RefusedError, match=r"the robot was stopped; .*enable\(\)") as refusal:
        robot.follow(nudge(robot.left, 0.2, 2.0), Stopping())
    assert refusal.value.reason == "stopped"
    assert (robot.stopped, robot.enabled) == (True, False)
    robot.wait(1.0)
    assert creep(robot, robot.left) < CREEP
    with pytest.raises(RefusedError, match=r"call enable\(\)"):
        robot.move_to("untuck")
    robot.enable()
    assert robot.move_to("untuck").arrived
    robot.disable()
    assert (robot.stopped, robot.enabled) == (False, False)


def test_the_result_says_what_went_wrong(robot: Robot) -> None:
    robot.enable()
    done = robot.move_to(left=robot.left.q + 0.05 * S0, tolerance=0.0)
    assert not done
    assert not done.arrived
    assert not done.succeeded
    assert done["left"].succeeded  # every command was taken
    assert done.reason.startswith("left_")
    assert "rad from the end of the motion; 0 are allowed" in done.reason
    with pytest.raises(ResultError) as error:
        done.raise_if_failed()
    assert error.value.result is done
    assert done.largest >= done.rms() > 0.0
    with pytest.raises(UnknownNameError, match="unknown arm that moved 'right'; available: left"):
        done["right"]
    assert "not a success" in repr(done)


def test_what_cannot_be_followed_is_refused(robot: Robot) -> None:
    robot.enable()
    left, unknown = nudge(robot.left), Trajectory.from_points([0.0, 1.0], np.zeros((2, 7)))
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: robot.follow({"right": left}), "is the left arm's, not the right arm's"),
        (lambda: robot.follow(unknown), "does not name its arm"),
        (lambda: robot.follow({}), "no arm to move"),
        (lambda: robot.follow(3), "a motion is a Trajectory, a plan, or"),  # type: ignore[arg-type]
        (lambda: robot.follow({"middle": left}), "unknown side 'middle'"),
        (lambda: robot.follow(left, speed=0.0), "speed = 0.0; it must be above 0"),
        (lambda: robot.follow(left, speed=2.0), "at most 1; 1 is the motion's own speed"),
        (lambda: robot.follow(left, mode="force"), "unknown mode 'force'"),
        (
            lambda: robot.follow(left, path_tolerance=-1.0),
            "path_tolerance = -1.0 rad; it must be above 0",
        ),
        (lambda: robot.follow(left, settle=-1.0), "settle = -1"),
        (lambda: robot.follow(left, ComputedTorque), "ComputedTorque is a class; make"),  # type: ignore[arg-type]
        (lambda: robot.follow(left, 7), "int is not a controller"),  # type: ignore[arg-type]
        (lambda: robot.follow(left, {}), "the left arm moves, and has no controller"),
        (lambda: robot.move_to(), "give the goal of an arm"),
        (
            lambda: robot.move_to(left=robot.right.arm.named(np.zeros(7))),
            "holds joints of the right",
        ),
        (lambda: robot.move_to("neutral", timeout=0.1), "more than timeout = 0.1 s"),
        (lambda: robot.limb("middle"), "unknown side 'middle'"),
        (lambda: robot.tuck(speed=2.0), "speed = 2.0; it must be above 0"),
    ]
    for act, says in wrong:
        with pytest.raises(BaxterkitError) as error:
            act()
        assert says in str(error.value), says
    for far in (left.then(nudge_from(robot, left.end)).of("left"), left):
        shifted = Trajectory.from_points([0.0, 1.0], [far.end + 0.3 * S0, far.end], side="left")
        with pytest.raises(RefusedError, match="go there by move_to first"):
            robot.follow(shifted)


def nudge_from(robot: Robot, q: JointVector) -> Trajectory:
    return min_jerk(robot.left.arm, q, q + 0.05 * S0, 1.0)


def test_degrees_are_noticed(robot: Robot) -> None:
    robot.enable()
    degrees = np.degrees(robot.left.arm.configuration("neutral"))
    with pytest.warns(UnitsWarning, match="degrees"), pytest.raises(InputError, match="limit"):
        robot.move_to(left=degrees)


@pytest.mark.parametrize("kind", ["twin", "link"])
@pytest.mark.parametrize("tool", ["hand", "vacuum"])
def test_a_tool_without_fingers_cannot_be_opened(kind: str, tool: str) -> None:
    with body(kind, tool) as robot:
        robot.enable()
        robot.wait(0.2)
        for side in ("left", "right"):
            limb = robot.limb(side)
            assert limb.opening is None
            for act in (limb.calibrate_gripper, lambda limb=limb: limb.move_gripper(0.5)):
                with pytest.raises(InputError, match=f"the {side} arm's tool '{tool}' has no"):
                    act()


@pytest.mark.parametrize("kind", ["twin", "link"])
@pytest.mark.parametrize("tool", GRIPPERS)
def test_grippers_move_and_arms_move_with_closed_ones(kind: str, tool: str) -> None:
    with body(kind, tool) as robot:
        limb = robot.enable().right
        limb.calibrate_gripper()
        assert limb.opening == pytest.approx(1.0, abs=0.05)
        for opening in (0.3, 0.0):
            limb.move_gripper(opening)
            robot.wait(0.2)
            assert limb.opening == pytest.approx(opening, abs=0.05)
        assert limb.gripping is False
        for wrong in (-0.1, 20.0, np.nan):
            with pytest.raises(InputError, match="opening"):
                limb.move_gripper(wrong)
        assert robot.move_to(right=limb.q + 0.05 * S0).arrived


def test_a_recording_is_read_by_identify(robot: Robot, tmp_path: Path) -> None:
    robot.enable()
    path = tmp_path / "run.mcap"
    with robot.record(path) as session:
        robot.follow(both_arms(nudge(robot.left), nudge(robot.right)))
    for side in ("left", "right"):
        kept, read = session.recording(side), recording.load(path, side=side)
        assert len(kept) > 100
        assert np.abs(read.q[0] - kept.q[0]).max() < 1e-9
        assert abs(len(read) - len(kept)) <= 1
        assert read.rate == pytest.approx(100.0, rel=0.02)
        score = identify.score(robot.limb(side).arm, read)
        assert np.isfinite(score.mae).all()
    with pytest.raises(InputError, match="recorded as"):
        robot.record(tmp_path / "run.txt")


def test_both_bodies_are_robots(robot: Robot) -> None:
    assert isinstance(robot, Robot)
    for limb in (robot.left, robot.right):
        assert limb.q.shape == limb.qd.shape == limb.tau.shape == (7,)
        assert np.abs(limb.tip - limb.arm.fk(limb.q)).max() < 2e-3
        assert limb.speed_ratio == 0.3
    robot.enable()
    robot.left.speed_ratio = 0.2
    assert robot.left.speed_ratio == 0.2
    robot.hold()
    robot.close()
    robot.close()
    with pytest.raises(RefusedError):
        robot.left.command_velocity(np.zeros(7))
