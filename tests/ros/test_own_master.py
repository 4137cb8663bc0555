"""Our own master as rospy, roslaunch and killed programs treat one."""

from __future__ import annotations

import logging
import threading
import time
import xmlrpc.client
from collections.abc import Iterator

import pytest
from ros_masters import PATIENCE, eventually

from baxterkit.messages import message_class
from baxterkit.ros import MasterError, OwnMaster
from baxterkit.ros.graph.master import Caller, Master
from baxterkit.ros.graph.node import TcpNode
from baxterkit.ros.graph.rosout import Rosout
from baxterkit.ros.graph.server import NodeServer

pytestmark = pytest.mark.real_clock
Bool = message_class("std_msgs/Bool")
Log = message_class("rosgraph_msgs/Log")
NOWHERE = "http://127.0.0.1:9/"


@pytest.fixture
def master() -> Iterator[OwnMaster]:
    with OwnMaster(0) as made:
        yield made


def test_several_calls_in_one_unregister_as_rospy_does_at_its_end(master: OwnMaster) -> None:
    old = Caller(master.uri, "/old_program")
    old.call("registerPublisher", "/robot/set_super_enable", Bool.TYPE, NOWHERE)
    assert Master(master.uri, "/test").publishers("/robot/set_super_enable") == ("/old_program",)
    with xmlrpc.client.ServerProxy(master.uri) as proxy:
        calls = xmlrpc.client.MultiCall(proxy)
        calls.unregisterPublisher("/old_program", "/robot/set_super_enable", NOWHERE)
        calls.unregisterSubscriber("/old_program", "/robot/state", NOWHERE)
        assert [answer[0] for answer in calls()] == [1, 1]
    assert Master(master.uri, "/test").publishers("/robot/set_super_enable") == ()


def test_what_a_killed_program_has_left_goes_when_it_comes_again(master: OwnMaster) -> None:
    node = Caller(master.uri, "/realtime_loop")
    for uri in (NOWHERE, "http://127.0.0.1:10/"):
        node.call("registerSubscriber", "/robot/set_super_stop", "std_msgs/Empty", uri)
        node.call("registerPublisher", "/robot/state", "baxter_core_msgs/AssemblyState", uri)
        node.call("registerService", "/ik", "rosrpc://127.0.0.1:9", uri)
    sources = Caller(master.uri, "/test").call(
        "registerSubscriber", "/robot/state", "*", "http://127.0.0.1:11/"
    )
    assert sources == ["http://127.0.0.1:10/"]
    state = Master(master.uri, "/test").call("getSystemState")
    assert ["/robot/set_super_stop", ["/realtime_loop"]] in state[1]


def test_an_address_that_is_used_again_has_the_new_name(master: OwnMaster) -> None:
    for name in ("/ended", "/new"):
        Caller(master.uri, name).call("registerPublisher", "/flag", Bool.TYPE, NOWHERE)
    assert Master(master.uri, "/test").publishers("/flag") == ("/new",)


def test_parameters_are_a_tree(master: OwnMaster) -> None:
    there = Master(master.uri, "/test")
    there.set_parameter("/robot_description", "<robot/>")
    there.set_parameter("/robot", {"limb": {"left": 1, "right": 2}, "name": "x"})
    assert there.parameter("/robot/limb/left") == 1
    assert there.parameter("/robot") == {"limb": {"left": 1, "right": 2}, "name": "x"}
    there.set_parameter("/robot/limb", {"left": 3})  # in place of the old one
    assert there.parameter("/robot/limb") == {"left": 3}
    there.call("deleteParam", "/robot/limb")
    assert there.parameter("/robot") == {"name": "x"}
    assert there.parameter("/robot/limb") is None
    assert there.parameter("/") == {"robot_description": "<robot/>", "robot": {"name": "x"}}
    with pytest.raises(MasterError, match="is not set"):
        there.call("deleteParam", "/nothing")


def test_a_publisher_that_stays_away_is_told_of_once(
    master: OwnMaster, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("baxterkit.ros.graph.subscriber.RETRY", 0.01)
    monkeypatch.setattr("baxterkit.ros.graph.subscriber.LONGEST_RETRY", 0.03)
    Caller(master.uri, "/killed").call("registerPublisher", "/flag", Bool.TYPE, NOWHERE)
    caplog.set_level(logging.INFO, "baxterkit.ros")
    with TcpNode("listener", master.uri) as node:
        node.subscribe("/flag", Bool, lambda *_: None)

        def told() -> list[int]:
            return [r.levelno for r in caplog.records if "/flag from" in r.getMessage()]

        eventually(lambda: len(told()) >= 4)
        assert told().count(logging.WARNING) == 1


def test_a_parameter_is_searched_for_from_the_callers_place_upwards(master: OwnMaster) -> None:
    there = Master(master.uri, "/lab/arm/node")
    there.set_parameter("/gain", 1)
    there.set_parameter("/lab/gain", 2)
    assert there.call("searchParam", "gain") == "/lab/gain"
    assert Master(master.uri, "/other").call("searchParam", "gain") == "/gain"
    with pytest.raises(MasterError, match="is not set"):
        there.call("searchParam", "nothing")


def test_who_follows_a_parameter_is_told_of_its_values(master: OwnMaster) -> None:
    told: list[tuple[str, object]] = []
    server = NodeServer(
        {"paramUpdate": lambda _, name, value: told.append((name, value)) or 0}, "127.0.0.1"
    )
    uri = f"http://127.0.0.1:{server.port}/"
    there = Master(master.uri, "/follower")
    assert there.call("subscribeParam", uri, "/robot/gain") == {}
    there.set_parameter("/robot/gain", 3)
    eventually(lambda: ("/robot/gain/", 3) in told)
    there.set_parameter("/robot", {"gain": 4, "name": "x"})
    eventually(lambda: ("/robot/gain/", 4) in told)
    there.set_parameter("/other", 1)
    there.call("deleteParam", "/robot/gain")
    eventually(lambda: ("/robot/gain/", {}) in told)
    assert there.call("unsubscribeParam", uri, "/robot/gain") == 1
    assert there.call("unsubscribeParam", uri, "/robot/gain") == 0
    assert len(told) == 3
    server.close()


def test_all_logs_are_on_one_topic(master: OwnMaster) -> None:
    heard: list[str] = []
    with Rosout(master.uri), TcpNode("program", master.uri) as node:
        node.subscribe("/rosout_agg", Log, lambda message, _: heard.append(message.msg))
        out = node.advertise("/rosout", Log, latch=True)
        out.publish(Log(msg="hello"))
        eventually(lambda: out.subscribers)

        def said() -> bool:
            out.publish(Log(msg="again"))
            return "again" in heard

        eventually(said)


def test_a_node_that_is_killed_ends_and_tells_its_program(master: OwnMaster) -> None:
    ended = threading.Event()
    node = TcpNode("victim", master.uri, exact=True)
    node.on_shutdown = ended.set
    assert Caller(node.uri, "/rosnode").call("shutdown", "user request") == 0
    assert ended.wait(PATIENCE)
    eventually(lambda: node.closed)


def test_the_last_list_of_publishers_that_a_subscriber_hears_is_the_latest(
    master: OwnMaster,
) -> None:
    """Also if it is slow to take the first: told in threads, the oldest arrived last."""
    heard: list[list[str]] = []

    def update(_caller: str, _topic: str, uris: list[str]) -> int:
        time.sleep(0.2 if len(uris) == 1 else 0.0)
        heard.append(uris)
        return 0

    node = NodeServer({"publisherUpdate": update}, "127.0.0.1", 0)
    try:
        uri = f"http://127.0.0.1:{node.port}/"
        Caller(master.uri, "/slow").call("registerSubscriber", "/flag", Bool.TYPE, uri)
        all_of_them = [f"http://127.0.0.1:{port}/" for port in range(1, 9)]
        for k, source in enumerate(all_of_them):
            Caller(master.uri, f"/p{k}").call("registerPublisher", "/flag", Bool.TYPE, source)
        eventually(lambda: all_of_them in heard)
        time.sleep(0.3)
        assert heard[-1] == all_of_them
    finally:
        node.close()
