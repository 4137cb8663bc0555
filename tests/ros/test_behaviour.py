"""Choices of the twin where robots and their programs differ."""

from __future__ import annotations

import numpy as np
import pytest
from action_client import ActionClient

from baxterkit.messages import Message, message_class
from baxterkit.ros import LocalGraph, TwinRobot, topics
from baxterkit.ros.robot.behaviour import Behaviour
from baxterkit.ros.robot.trajectory_action import ABORTED, PATH, SUCCEEDED
from baxterkit.sim import Twin

StatusArray = message_class("actionlib_msgs/GoalStatusArray")
Bool = message_class("std_msgs/Bool")
STATUS = topics.ACTION.format(side="left") + "/status"


@pytest.mark.parametrize("enables", [False, True])
def test_a_plain_request_to_enable_tucked_arms(enables: bool) -> None:
    graph = LocalGraph()
    behaviour = Behaviour(enables_tucked=enables)
    with TwinRobot(Twin(start="tuck", rigid=True), graph, behaviour=behaviour) as robot:
        request = graph.node("enable_robot").advertise(*topics.of_robot("enable"))
        for _ in range(20):
            request.publish(Bool(data=True))
            graph.clock.sleep(0.05)
        assert robot.assembly.enabled is enables


def test_the_twin_leaves_the_action_to_another_server_and_takes_it_up_again() -> None:
    client = ActionClient()
    said: list[str] = []
    client.graph.node("listener").subscribe(STATUS, StatusArray, lambda _, who: said.append(who))
    rival = client.graph.node("rsdk_server")
    status = rival.advertise(STATUS, StatusArray)
    for _ in range(5):
        status.publish(StatusArray())
        client.clock.sleep(0.2)
    said.clear()
    q = client.robot.twin.left.published.q
    client.send("theirs", [0.5], q + 0.05)
    status.publish(StatusArray())
    client.clock.sleep(1.0)
    assert client.ends("theirs") == []
    assert set(said) == {rival.name}
    assert np.abs(client.robot.twin.left.published.q - q).max() < 0.01
    rival.close()
    client.clock.sleep(2.5)
    client.send("ours", [0.5], q)
    assert client.result("ours")[0] == SUCCEEDED
    client.close()


def test_no_action_is_served_if_none_is_wanted() -> None:
    graph = LocalGraph()
    with TwinRobot(Twin(rigid=True), graph, behaviour=Behaviour(trajectory_action=False)):
        assert graph.publishers(STATUS) == ()
    with TwinRobot(Twin(rigid=True), LocalGraph()) as robot:
        assert set(robot.actions) == {"left", "right"}


@pytest.mark.parametrize("strict", [False, True])
def test_a_start_far_off_is_an_error_to_a_strict_server(strict: bool) -> None:
    client = ActionClient(Behaviour(strict_action=strict))
    q = client.robot.twin.left.published.q
    far = q + np.array([0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    client.send("far", [0.0, 1.0], np.array([far, far]), path=0.0)
    status, code, _ = client.result("far")
    assert (status, code) == ((ABORTED, PATH) if strict else (SUCCEEDED, 0))
    near = client.robot.twin.left.published.q
    client.send("near", [0.0, 1.0], np.array([near, near + 0.05]), path=0.0)
    assert client.result("near")[0] == SUCCEEDED
    client.close()


def test_the_sequence_of_headers_counts() -> None:
    graph = LocalGraph()
    counts: list[int] = []
    endpoints: list[int] = []
    with TwinRobot(Twin(rigid=True), graph):
        node = graph.node("listener")

        def note(into: list[int]):  # type: ignore[no-untyped-def]
            def hear(message: Message, who: str) -> None:
                if who == "/realtime_loop":
                    into.append(message.header.seq)

            return hear

        node.subscribe(*topics.of_robot("joint_states"), note(counts))
        graph.clock.sleep(0.1)
        node.subscribe(*topics.limb("left", "endpoint"), note(endpoints))
        graph.clock.sleep(0.1)
    assert counts == list(range(1, len(counts) + 1))
    assert endpoints == list(range(1, len(endpoints) + 1))
    assert len(counts) > len(endpoints) > 5
