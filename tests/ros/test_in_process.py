"""A link and the twin in one process on a simulated clock: exact, repeatable, no sockets."""

from __future__ import annotations

import time

import numpy as np
import pytest
from link_scene import bump
from tolerances import FOLLOWED

from baxterkit.control import ComputedTorque
from baxterkit.errors import InputError
from baxterkit.messages import message_class, service_type
from baxterkit.robot import RefusedError
from baxterkit.ros import (
    InProcess,
    LocalGraph,
    MasterError,
    NoReplyError,
    RosError,
    TwinRobot,
    in_process,
)
from baxterkit.ros.errors import MessageError
from baxterkit.sim import Twin, with_known_effects
from baxterkit.trajectory import min_jerk

Bool, Float = message_class("std_msgs/Bool"), message_class("std_msgs/Float64")


def ready(**options: object) -> InProcess:
    both = in_process(Twin(start="untuck"), enabled=True, **options)  # type: ignore[arg-type]
    both.link.take_control()
    return both


def test_a_motion_is_tracked_to_milliradians_and_repeats_bit_by_bit() -> None:
    runs = []
    for _ in range(2):
        with ready() as both:
            began = both.clock.now()
            done = both.link.follow({"left": bump(both.link, "left", 0.3, 3.0)})["left"]
            assert both.clock.now() - began == pytest.approx(3.5, abs=0.011)
            assert len(done.t) == 300
            assert np.abs(done.error).max() < FOLLOWED
            runs.append(done)
    for one, other in (runs, [run.reference for run in runs]):
        for name in one.fields:
            assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.slow
@pytest.mark.parametrize(("joint", "end"), [(6, "upper"), (5, "lower")])
def test_a_motion_that_ends_at_a_joint_limit_slows_down_before_it(
    joint: int, end: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The gate refuses a speed from which an arm may pass its limit; so the motion is slower."""
    with ready() as both:
        arm = both.link.left.arm
        there = both.link.left.q.copy()
        there[joint] = getattr(arm.limits, end)[joint]
        here = there.copy()
        here[joint] -= np.sign(there[joint]) * 0.8
        both.link.move_to(left=here).raise_if_failed()
        done = both.link.follow(min_jerk(arm, both.link.left.q, there, 1.0)).raise_if_failed()
        assert np.abs(done.off["left"]).max() < 0.002
        assert np.abs(done["left"].error).max() < 0.015, "it stays on its path"
        assert 0.2 < done["left"].delay < 1.0
        assert "longer: it slowed down before a joint limit" in caplog.text


@pytest.mark.slow
def test_a_joint_that_rests_at_its_limit_slows_nothing() -> None:
    with ready() as both:
        arm, there = both.link.left.arm, both.link.left.q.copy()
        there[6] = arm.limits.upper[6]
        both.link.move_to(left=there).raise_if_failed()
        there = both.link.left.q
        turn = min_jerk(arm, there, there + 0.8 * np.eye(7)[0], 1.5)
        done = both.link.follow(turn).raise_if_failed()["left"]
        assert done.delay == 0.0
        assert np.abs(done.error).max() < FOLLOWED


def test_controllers_track_on_simulated_time_too() -> None:
    with ready() as both:
        controller = ComputedTorque(with_known_effects(both.link.right.arm), kp=8.0**2)
        motion = bump(both.link, "right", 0.15, 1.5)
        done = both.link.follow(motion, controller, settle=1.0)["right"]
        assert np.abs(done.error).max() < 0.02
        assert np.abs(both.link.right.qd).max() < 0.05


def test_states_are_stamped_with_simulated_time() -> None:
    """Every 10 ms exactly, whatever the machine does."""
    with ready() as both:
        with both.link.record() as recorder:
            both.clock.sleep(1.0)
        stamps, _ = recorder.stamped("left")
        assert len(stamps) == 100
        assert set(np.diff(stamps)) == {10_000_000}
        both.robot.paused.set()
        both.clock.sleep(0.5)
        both.robot.paused.clear()
        with both.link.record() as recorder:
            both.clock.sleep(0.1)
        later, _ = recorder.stamped("left")
        assert later[0] - stamps[-1] == pytest.approx(5.1e8, abs=2.1e7)


def test_a_tucked_robot_is_enabled_and_untucked_faster_than_the_clock() -> None:
    with in_process(Twin(start="tuck")) as both:
        both.link.take_control()
        began = time.process_time()
        both.link.enable()
        assert both.link.untuck(speed=1.0)
        assert both.clock.now() > 5.0
        assert time.process_time() - began < both.clock.now()
        assert not both.twin.contacts


def test_a_command_acts_from_the_time_when_it_comes() -> None:
    """The same command 4 ms later: the arm is behind by 4 ms of motion, not by a whole period."""
    moved = []
    for pause in (0.001, 0.005):
        with ready(latency=0.0) as both:
            both.clock.sleep_until(1.0)
            both.clock.sleep(pause)
            both.link.left.command_velocity([0.0] * 6 + [0.5])
            both.clock.sleep_until(1.02)
            moved.append(float(both.twin.left.truth.q[6]))
    assert moved[0] - moved[1] == pytest.approx(0.5 * 0.004, rel=0.3)


def test_messages_come_after_the_latency_in_the_order_of_sending() -> None:
    graph, seen = LocalGraph(latency=0.25), list[tuple[float, float, str]]()
    with graph.node("a") as a, graph.node("b") as b:
        publisher = a.advertise("/x", Float)
        assert publisher.subscribers == 0
        subscriber = b.subscribe(
            "/x", Float, lambda m, who: seen.append((graph.clock.now(), m.data, who))
        )
        assert (publisher.subscribers, subscriber.publishers) == (1, 1)
        assert b.publishers_of("/x") == (a.name,)
        for i in range(3):
            publisher.publish(Float(data=i))
        assert seen == []
        graph.clock.sleep(1.0)
        assert seen == [(0.25, float(i), a.name) for i in range(3)]
        publisher.publish(Float(data=9.0))
        subscriber.close()
        graph.clock.sleep(1.0)
        assert len(seen) == 3
    assert a.publishers_of("/x") == ()
    with pytest.raises(RosError, match="was closed"):
        a.advertise("/y", Float)


def test_a_closed_link_says_nothing_of_the_robot() -> None:
    with ready() as both:
        link = both.link
        link.close()
        assert repr(link) == "<RobotLink: closed>"
        with pytest.raises(RefusedError, match="the link was closed; make a new one"):
            _ = link.enabled


def test_a_late_subscriber_gets_what_is_latched() -> None:
    graph, seen = LocalGraph(), list[bool]()
    graph.node("a").advertise("/x", Bool, latch=True).publish(Bool(data=True))
    graph.node("b").subscribe("/x", Bool, lambda m, _: seen.append(m.data))
    graph.clock.sleep(0.1)
    assert seen == [True]


def test_what_is_wrong_is_said_as_by_the_other_nodes() -> None:
    graph = LocalGraph()
    node = graph.node("a")
    publisher = node.advertise("/x", Bool)
    for act, kind, says in (
        (lambda: publisher.publish(Float(data=1.0)), MessageError, "carries std_msgs/Bool"),
        (lambda: node.subscribe("/x", Float, lambda *_: None), MessageError, "carries"),
        (lambda: node.advertise("/x", Bool), InputError, "publishes /x already"),
        (lambda: LocalGraph(latency=-1.0), InputError, "latency = -1 s"),
        (lambda: node.call("/s", service_type("std_srvs/Empty"), Bool(), 1.0), NoReplyError, "/s"),
    ):
        with pytest.raises(kind, match=says):
            act()  # type: ignore[no-untyped-call]
    with in_process() as both, pytest.raises(MasterError, match="has a robot already"):
        TwinRobot(None, both.graph)
