"""Another program that commands an arm: our motion ends, and names it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import pytest
from link_scene import bump
from ros_masters import eventually
from twin_process import linked

from baxterkit.messages import Message
from baxterkit.ros import InProcess, RefusedError, RobotLink, Rules, TwinRobot, in_process, topics
from baxterkit.ros.graph.own_master import OwnMaster
from baxterkit.sim import Twin

SIDES = ("left", "right")
INWARDS = {
    "left": np.array([0.0, -1.0, 0.0, 0.0, 0.0, 0.0]),
    "right": np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
}


def still(side: str) -> Message:
    """A command that leaves an arm where it is."""
    name = [f"{side}_{joint}" for joint in ("s0", "s1", "e0", "e1", "w0", "w1", "w2")]
    kind = topics.limb(side, "command").kind
    return kind(mode=topics.MODES["velocity"], command=np.zeros(7), names=name)


@pytest.fixture
def both() -> Iterator[InProcess]:
    with in_process(Twin(start="untuck"), enabled=True) as made:
        made.link.take_control()
        yield made


def test_a_rival_on_the_same_arm_ends_the_motion_and_is_named(both: InProcess) -> None:
    link, clock = both.link, both.clock
    rival = both.graph.node("rival")
    publisher = rival.advertise(*topics.limb("left", "command"))
    motion = bump(link, "left", 0.2, 3.0)
    link.follow(
        {"left": bump(link, "left", 0.02, 0.5)}
    )  # one that could, and does not, is no rival
    clock.call_at(clock.now() + 1.0, publisher.publish, still("left"))
    began = clock.now()
    with pytest.raises(RefusedError, match=f"{rival.name} has commanded the left arm too") as no:
        link.follow({"left": motion})
    assert no.value.reason == "rival"
    assert clock.now() - began < 2.1  # at the next command, and at rest a little later
    assert np.abs(link.left.qd).max() < 0.03
    clock.sleep(0.2)
    link.follow(
        {"left": bump(link, "left", 0.05, 1.0)}
    )  # it was one command: the arm is ours again


def test_a_program_that_holds_the_other_arm_is_no_rival(both: InProcess) -> None:
    publisher = both.graph.node("beside").advertise(*topics.limb("right", "command"))
    stream = both.clock.every(0.01, lambda: publisher.publish(still("right")), "beside")
    done = both.link.follow({"left": bump(both.link, "left", 0.1, 1.0)})["left"]
    stream.close()
    assert np.abs(done.error).max() < 0.01
    with pytest.raises(RefusedError, match="has commanded the right arm too"):
        both.link.right.command_velocity(np.zeros(7))


def towards(link: RobotLink, side: str, speed: float) -> np.ndarray:
    """Velocities that take a hand towards the other one [rad/s]."""
    limb = link.limb(side)
    J = limb.arm.jacobian(limb.q)
    return np.linalg.pinv(J) @ (speed * INWARDS[side])


def test_two_programs_do_not_lead_the_arms_into_each_other(both: InProcess) -> None:
    """Each has checked its motion with the other arm at rest; both were let through."""
    ours, twin = both.link, both.twin
    poses = {}
    for side, x in (("left", np.array([0.0, -1.0, 0.0])), ("right", np.array([0.0, 1.0, 0.0]))):
        poses[side] = np.eye(4)
        poses[side][:3, :3] = np.stack([[0.0, 0.0, -1.0], np.cross(x, [0.0, 0.0, -1.0]), x], axis=1)
        poses[side][:3, 3] = [0.65, -0.11 * x[1], 0.2]
    found = ours.robot.scene().ik_pair(poses["left"], poses["right"])
    twin.place(found.q_left, found.q_right)
    both.clock.sleep(0.3)
    with RobotLink(both.graph) as theirs:
        theirs.take_control()
        begun = ours.scene.clearance(ours.left.q, ours.right.q)
        ours.left.command_velocity(towards(ours, "left", 0.6))
        theirs.right.command_velocity(towards(theirs, "right", 0.6))  # at the same instant
        both.clock.sleep(0.01)
        words = f"{ours._listener.name} has moved the left arm"
        with pytest.raises(RefusedError, match=words) as no:
            theirs.right.command_velocity(towards(theirs, "right", 0.6))
        assert no.value.reason == "rival"
        theirs.right.command_velocity(np.zeros(7))  # to stop is always allowed
        for _ in range(100):
            both.clock.sleep(0.01)
            q = twin.left.truth.q, twin.right.truth.q
            assert twin.robot.scene().clearance(*q) > begun - 0.01
        theirs.right.command_velocity(towards(theirs, "right", 0.1))  # the left arm rests by now


@pytest.mark.parametrize("mode", ["velocity", "position", "raw position"])
def test_a_motion_ends_when_another_program_moves_the_other_arm(both: InProcess, mode: str) -> None:
    link, clock = both.link, both.clock
    rival = both.graph.node("beside")
    publisher = rival.advertise(*topics.limb("right", "command"))
    message = still("right")
    message.mode, message.command = topics.MODES["position"], link.right.q  # to stay is no motion
    clock.call_at(clock.now() + 0.5, publisher.publish, message)
    away = still("right")
    away.command = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2])
    clock.call_at(clock.now() + 1.0, publisher.publish, away)
    began = clock.now()
    with pytest.raises(RefusedError, match=f"{rival.name} has moved the right arm") as no:
        link.follow({"left": bump(link, "left", 0.2, 3.0)}, mode=mode)
    assert no.value.reason == "rival"
    assert 1.0 < clock.now() - began < 1.7
    assert np.abs(link.left.qd).max() < 0.03


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "fastest"), [("raw position", 0.3), ("raw position", 0.5), ("position", 0.1)]
)
def test_a_stream_of_positions_moves_the_other_arm(
    both: InProcess, mode: str, fastest: float
) -> None:
    """Each of its commands is within 0.02 rad of the measured positions."""
    link, clock = both.link, both.clock
    publisher = both.graph.node("beside").advertise(*topics.limb("right", "command"))
    name, kind = topics.limb("right", "speed_ratio")
    both.graph.node("ratio").advertise(name, kind).publish(kind(data=1.0))
    message, here, began = still("right"), link.right.q, clock.now()
    message.mode, far = topics.MODES[mode], 0.25

    def send() -> None:
        s = min((clock.now() - began) / (1.875 * far / fastest), 1.0)  # rests at its end
        message.command = here - far * s**3 * (10.0 - 15.0 * s + 6.0 * s * s) * np.eye(7)[0]
        publisher.publish(message)

    with contextlib.closing(clock.every(0.01, send, "stream")):
        with pytest.raises(RefusedError, match="has moved the right arm"):
            link.follow({"left": bump(link, "left", 0.1, 3.0)})
        assert np.abs(link.right.q - here).max() < 0.1  # at rest a little later
        clock.sleep(0.3)
        with pytest.raises(RefusedError, match="has moved the right arm"):
            link.left.command_velocity(0.1 * np.ones(7))  # it is still going on
        clock.sleep(1.875 * far / fastest)
        assert np.abs(link.right.q - here).max() > 0.2
        link.follow({"left": bump(link, "left", 0.05, 1.0)})  # the stream rests


def test_positions_that_keep_ahead_of_the_other_arm_move_it(both: InProcess) -> None:
    link, clock = both.link, both.clock
    publisher = both.graph.node("beside").advertise(*topics.limb("right", "command"))
    message, here = still("right"), link.right.q
    message.mode = topics.MODES["raw position"]

    def send() -> None:
        message.command = link.right.q - 0.019 * np.eye(7)[0]
        publisher.publish(message)

    refused = []
    with contextlib.closing(clock.every(0.01, send, "stream")):
        for _ in range(100):
            clock.sleep(0.01)
            try:
                link.left.command_velocity(0.05 * np.eye(7)[0])
            except RefusedError as error:
                refused.append((error.reason, np.abs(link.right.q - here).max()))
    assert {reason for reason, _ in refused} == {"rival"}
    assert len(refused) > 80
    assert refused[0][1] < 0.03


def test_the_other_arm_counts_for_as_long_as_the_robot_obeys(both: InProcess) -> None:
    node, velocity = both.graph.node("beside"), np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2])
    name, kind = topics.limb("right", "timeout")
    node.advertise(name, kind).publish(kind(data=0.8))
    message = still("right")
    message.command = velocity
    node.advertise(*topics.limb("right", "command")).publish(message)
    for wait in (0.01, 0.7):
        both.clock.sleep(wait)
        with pytest.raises(RefusedError, match="has moved the right arm"):
            both.link.left.command_velocity(velocity)
    both.clock.sleep(0.1)
    both.link.left.command_velocity(velocity)


@pytest.mark.parametrize("release", [False, True])
def test_a_timeout_that_our_motion_has_left_counts_for_the_other_arm(
    both: InProcess, release: bool
) -> None:
    """The robot keeps it, and obeys another program for that long."""
    link, clock, velocity = both.link, both.clock, 0.2 * np.eye(7)[6]
    link.rules = Rules(timeout=1.0)
    link.right.command_velocity(0.1 * velocity)
    clock.sleep(0.05)
    link.right.hold()
    if release:
        link.release_control()
    clock.sleep(1.5)
    link.take_control()
    link.rules = Rules()
    message = still("right")
    message.command = 2.0 * velocity
    both.graph.node("beside").advertise(*topics.limb("right", "command")).publish(message)
    for wait in (0.1, 0.4, 0.45):
        clock.sleep(wait)
        assert np.abs(both.twin.right.truth.qd).max() > 0.3
        with pytest.raises(RefusedError, match="has moved the right arm"):
            link.left.command_velocity(velocity)
    clock.sleep(0.1)
    link.left.command_velocity(velocity)


def test_a_timeout_of_another_program_does_not_stay(both: InProcess) -> None:
    """The robot would obey the last command for a second, where the gate predicted 0.2 s."""
    link, clock, limb = both.link, both.clock, both.twin.left
    stranger = both.graph.node("stranger")
    publisher = stranger.advertise(*topics.limb("left", "timeout"))
    kind = topics.limb("left", "timeout").kind
    velocity = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5])
    for _ in range(20):
        link.left.command_velocity(velocity)
        clock.sleep(0.01)
    publisher.publish(kind(data=1.0))
    clock.sleep(0.01)  # no command comes any more, and the robot brakes as predicted all the same
    assert limb.command_timeout == link.rules.timeout
    words = f"{stranger.name} has set the command timeout of the left arm"
    with pytest.raises(RefusedError, match=words):
        link.left.command_velocity(velocity)
    clock.sleep(0.22)
    assert limb.mode == "hold"
    link.left.command_velocity(velocity)  # it was one message: the arm is ours again
    link.right.command_velocity(velocity)


def test_a_timeout_that_was_missed_is_set_right_with_the_commands(both: InProcess) -> None:
    velocity = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5])
    for _ in range(20):
        both.link.left.command_velocity(velocity)
        both.clock.sleep(0.01)
    both.twin.left.command_timeout = 1.0  # as if the message had gone to the robot alone
    for _ in range(11):
        both.link.left.command_velocity(velocity)
        both.clock.sleep(0.01)
    assert both.twin.left.command_timeout == both.link.rules.timeout


def test_two_links_do_not_answer_each_other_for_ever(both: InProcess) -> None:
    heard = []
    both.graph.node("ear").subscribe(*topics.limb("left", "timeout"), lambda m, _: heard.append(m))
    with RobotLink(both.graph) as rival:
        rival.take_control()
        rival.left.command_velocity(np.zeros(7))
        with contextlib.suppress(RefusedError):
            both.link.left.command_velocity(np.zeros(7))
        both.clock.sleep(0.5)
        heard.clear()
        both.clock.sleep(0.5)
        assert not heard


@pytest.mark.slow
@pytest.mark.real_clock
def test_a_second_link_over_sockets_is_a_rival() -> None:
    with (
        OwnMaster(0) as master, TwinRobot(Twin(), master.uri, enabled=True),
        linked(master.uri) as link, linked(master.uri) as rival,
    ):  # fmt: skip
        link.take_control()
        rival.take_control()
        for _ in range(5):  # ours do not count as another's
            link.right.command_velocity(np.zeros(7))
            link.clock.sleep(0.01)

        def refused() -> str:
            rival.left.command_velocity(np.zeros(7))
            link.clock.sleep(0.02)
            try:
                link.left.command_velocity(np.zeros(7))
            except RefusedError as error:
                return f"{error.reason}: {error}"
            link.clock.sleep(0.3)  # theirs would be refused for ours otherwise
            return ""

        eventually(lambda: refused().startswith(f"rival: not sent: {rival._listener.name}"))
        link.right.command_velocity(np.zeros(7))
