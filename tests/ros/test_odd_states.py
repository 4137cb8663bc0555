"""States that lack something, are old, or come from a clock that drifts or is set back."""

from __future__ import annotations

import numpy as np
import pytest
from fake_robot import FakeRobot, Header, JointState

from baxterkit.clock import SimulatedClock
from baxterkit.messages import message_class
from baxterkit.ros import RefusedError, Rules
from baxterkit.ros import safety as safety_module

Torques = message_class("baxter_core_msgs/SEAJointState")
NAMES = [f"left_{joint}" for joint in ("s0", "s1", "e0", "e1", "w0", "w1", "w2")]


@pytest.fixture
def robot() -> FakeRobot:
    made = FakeRobot()
    made.gate.take_control()
    return made


def tell_torques(robot: FakeRobot, names: list[str], gravity: np.ndarray) -> None:
    zero = np.zeros(len(names))
    message = Torques(
        name=names, actual_effort=zero, gravity_model_effort=gravity, hysteresis_model_effort=zero,
        crosstalk_model_effort=zero,
    )  # fmt: skip
    topic = "/robot/limb/left/gravity_compensation_torques"
    robot.node.callbacks[topic](message, "/realtime_loop")


def test_states_without_velocities_do_not_say_that_an_arm_rests(robot: FakeRobot) -> None:
    robot.qd["left"][:] = 0.3
    robot.tell()
    dropped = robot.states.dropped
    for velocity in (np.zeros(0), np.zeros(3), np.zeros(9)):
        message = JointState(
            header=Header(stamp=robot.stamp + 10**7), name=NAMES, position=robot.q["left"],
            velocity=velocity, effort=np.zeros(7),
        )  # fmt: skip
        robot.node.callbacks["/robot/joint_states"](message, "/realtime_loop")
    state = robot.states.arm("left")
    assert state is not None
    assert (state.qd == 0.3).all()
    assert robot.states.dropped == dropped + 3


@pytest.mark.parametrize(
    ("names", "gravity"),
    [([], np.zeros(0)), (NAMES, np.zeros(3)), (NAMES, np.full(7, np.nan)), (["x"] * 7, np.ones(7))],
)
def test_torques_that_lack_something_are_dropped(
    robot: FakeRobot, names: list[str], gravity: np.ndarray
) -> None:
    tell_torques(robot, names, gravity)
    assert robot.states.torques("left") is None
    robot.gate.joints("left", "torque", np.zeros(7))
    tell_torques(robot, NAMES[::-1], np.arange(7.0))
    tell_torques(robot, names, gravity)
    told = robot.states.torques("left")
    assert told is not None
    assert told.gravity.tolist() == [6, 5, 4, 3, 2, 1, 0]


def test_gravity_of_another_configuration_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = FakeRobot(Rules(stale=0.5))
    robot.gate.take_control()
    tell_torques(robot, NAMES, np.zeros(7))
    assert robot.states.torques("left", 60.0) is not None
    robot.clock.sleep(0.02)
    assert robot.states.torques("left", 0.01) is None
    asked: list[float] = []
    whole = robot.states.torques
    monkeypatch.setattr(
        robot.states, "torques", lambda side, oldest=np.inf: asked.append(oldest) or whole(side)
    )
    robot.tell()
    robot.gate.joints("left", "torque", np.zeros(7))
    assert asked == [0.5]


def test_a_process_that_stands_still_while_it_checks_sends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robot = FakeRobot(Rules(stale=0.3))
    robot.gate.take_control()
    monkeypatch.setattr(safety_module, "box_is_clear", lambda *_: robot.clock.sleep(0.35) or True)
    robot.tell()
    with pytest.raises(RefusedError, match=r"0\.\d+ s (old|after the states were measured)"):
        robot.gate.joints("left", "velocity", np.full(7, 0.01))
    assert not robot.commands()


def test_a_clock_that_drifts_is_followed_for_hours() -> None:
    """50 ppm are 0.18 s an hour: no robot would obey after half of that."""
    clock = SimulatedClock()
    robot = FakeRobot(clock=clock)
    robot.stamp += 10 * 10**9
    robot.tell()
    for _ in range(2 * 3600):
        clock.sleep(1.00005)
        robot.tell(later=1.0)
    state = robot.states.arm("left")
    assert state is not None
    assert state.age < 0.01
    clock.sleep(1.3)  # but one that comes late is late
    robot.tell(later=1.0)
    state = robot.states.arm("left")
    assert state is not None
    assert state.age == pytest.approx(0.3, abs=0.01)


def test_a_clock_that_is_set_back_a_little_is_followed_again() -> None:
    clock = SimulatedClock()
    robot = FakeRobot(clock=clock)

    def pass_time(seconds: float) -> None:
        for _ in range(round(100 * seconds)):
            clock.sleep(0.01)
            robot.tell(later=0.01)

    robot.stamp += 10 * 10**9
    pass_time(1.0)
    for step in (0.8, -0.5, -0.9):
        robot.stamp += int(step * 1e9)
        pass_time(0.1)
        robot.states.arm("left")
        pass_time(0.3)
        state = robot.states.arm("left")
        assert state is not None
        assert state.age < 0.02, f"after a step of {step} s"
        assert state.t == pytest.approx(robot.stamp * 1e-9)
    robot.tell(later=-0.05)  # a single one that is older is dropped
    state = robot.states.arm("left")
    assert state is not None
    assert state.t == pytest.approx(robot.stamp * 1e-9 + 0.05)


def test_numbers_of_numpy_are_openings(robot: FakeRobot) -> None:
    for opening in (np.float32(50.0), np.int64(50), np.array(50.0), 50):
        robot.gate.gripper("left", "go", opening)
    sent = [message for topic, message in robot.node.sent if topic.endswith("gripper/command")]
    assert [message.args for message in sent] == ['{"position": 50.0}'] * 4
    with pytest.raises(RefusedError, match="must hold real numbers"):
        robot.gate.gripper("left", "go", "wide")  # type: ignore[arg-type]
