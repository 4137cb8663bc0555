"""Our node on a master: topics, services, parameters, and what is refused."""

from __future__ import annotations

import contextlib
import logging
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import components
import pytest
from ros_masters import PATIENCE, eventually, start_master, stop

from baxterkit.errors import InputError
from baxterkit.messages import Message, message_class, service_type
from baxterkit.ros.errors import MasterError, MessageError, NoReplyError, RosError
from baxterkit.ros.graph.master import Master
from baxterkit.ros.graph.node import TcpNode
from baxterkit.ros.graph.own_master import OwnMaster
from baxterkit.ros.graph.publisher import TcpPublisher
from baxterkit.ros.graph.wire import MOST_HEADER, frame, read_frame, read_header, write_header

pytestmark = pytest.mark.real_clock
String = message_class("std_msgs/String")
Float64 = message_class("std_msgs/Float64")
Cameras = service_type("baxter_core_msgs/ListCameras")
Close = service_type("baxter_core_msgs/CloseCamera")


@pytest.fixture
def nodes(master: str) -> Iterator[tuple[TcpNode, TcpNode]]:
    with TcpNode("one", master) as one, TcpNode("two", master) as two:
        yield one, two


def test_messages_arrive_in_order_with_their_publisher(nodes: tuple[TcpNode, TcpNode]) -> None:
    one, two = nodes
    seen: list[tuple[Message, str]] = []
    two.subscribe("/words", String, lambda message, who: seen.append((message, who)))
    publisher = one.advertise("/words", String, queue=200)
    eventually(lambda: publisher.subscribers)
    for i in range(100):
        publisher.publish(String(data=str(i)))
    eventually(lambda: len(seen) == 100)
    assert [message.data for message, _ in seen] == [str(i) for i in range(100)]
    assert {who for _, who in seen} == {one.name}
    assert two.publishers_of("/words") == (one.name,)


def test_a_latched_message_reaches_who_comes_later(nodes: tuple[TcpNode, TcpNode]) -> None:
    one, two = nodes
    one.advertise("/latched", String, latch=True).publish(String(data="still here"))
    seen: list[str] = []
    two.subscribe("/latched", String, lambda message, _: seen.append(message.data))
    eventually(lambda: seen == ["still here"])


def test_a_subscriber_that_does_not_read_costs_no_memory_and_gets_whole_messages(
    nodes: tuple[TcpNode, TcpNode],
) -> None:
    one, _ = nodes
    publisher = one.advertise("/slow", String, queue=3)
    with _connection(one) as connection:
        _listen(connection, "/slow", publisher)
        started = time.monotonic()
        for i in range(200):
            publisher.publish(String(data=f"{i:03d}" + "x" * 100_000))
        assert time.monotonic() - started < PATIENCE
        (link,) = publisher._links
        assert len(link._waiting) <= 3
        numbers = []
        while not numbers or numbers[-1] != 199:  # the newest is kept
            text = String.decode(read_frame(connection)).data
            assert text[3:] == "x" * 100_000
            numbers.append(int(text[:3]))
        assert numbers == sorted(set(numbers))
        assert len(numbers) < 200
    eventually(lambda: publisher.subscribers == 0)


def test_a_message_goes_out_from_the_thread_that_publishes_it(
    nodes: tuple[TcpNode, TcpNode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for no other thread of ours: that cost milliseconds on a busy machine."""
    one, _ = nodes
    monkeypatch.setattr("baxterkit.ros.graph.publisher._Link._send", lambda self: None)
    publisher = one.advertise("/direct", String)
    with _connection(one) as connection:
        _listen(connection, "/direct", publisher)
        publisher.publish(String(data="at once"))
        assert String.decode(read_frame(connection)).data == "at once"


def _listen(connection: socket.socket, topic: str, publisher: TcpPublisher) -> None:
    """Makes the connection a subscriber."""
    write_header(connection, {"topic": topic, "md5sum": "*", "type": "*", "callerid": "/test"})
    read_header(connection, PATIENCE)
    eventually(lambda: publisher.subscribers)


def test_services_answer_fail_and_are_waited_for(nodes: tuple[TcpNode, TcpNode]) -> None:
    one, two = nodes
    threading.Timer(
        0.1, one.serve, ("/cameras", Cameras, lambda _: Cameras.Response(cameras=["head"]))
    ).start()
    assert two.call("/cameras", Cameras, Cameras.Request(), PATIENCE).cameras == ["head"]

    def fails(_: Message) -> Message:
        raise ValueError("lens cap on")

    one.serve("/close", Close, fails)
    with pytest.raises(RosError, match="/close failed: lens cap on"):
        two.call("/close", Close, Close.Request(name="head"))
    with pytest.raises(NoReplyError, match=r"no service /nothing within 0\.2 s"):
        two.call("/nothing", Close, Close.Request(), 0.2)
    one.serve("/sleeps", Cameras, lambda _: time.sleep(1.0) or Cameras.Response())  # type: ignore[func-returns-value]
    with pytest.raises(NoReplyError, match=r"/sleeps has not answered within 0\.2 s"):
        two.call("/sleeps", Cameras, Cameras.Request(), 0.2)
    with pytest.raises(MessageError, match="refuses: /cameras is a"):
        two.call("/cameras", Close, Close.Request())


def test_parameters_are_kept(nodes: tuple[TcpNode, TcpNode]) -> None:
    one, two = nodes
    one.set_parameter("/robot/name", "Ellie")
    one.set_parameter("/robot/joints", ["s0", "s1"])
    assert two.parameter("/robot/name") == "Ellie"
    assert two.parameter("/robot") == {"name": "Ellie", "joints": ["s0", "s1"]}
    assert two.parameter("/robot/age") is None


def test_a_wrong_type_is_refused_and_said(
    nodes: tuple[TcpNode, TcpNode], caplog: pytest.LogCaptureFixture
) -> None:
    one, two = nodes
    seen: list[Message] = []
    with caplog.at_level(logging.WARNING, "baxterkit.ros"):
        one.advertise("/mixed", String, latch=True).publish(String(data="text"))
        two.subscribe("/mixed", Float64, lambda message, _: seen.append(message))
        eventually(lambda: "expects md5" in caplog.text)
    assert not seen
    with pytest.raises(MessageError, match="/mixed carries std_msgs/String"):
        one._publishers["/mixed"].publish(Float64(data=1.0))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (struct.pack("<I", 2**31), "a frame of 2147483648 bytes is refused"),
        (struct.pack("<I", MOST_HEADER + 1), "bytes is refused"),
        (frame(struct.pack("<I", 500) + b"topic=/x"), "malformed"),
        (frame(frame(b"no equals sign")), "malformed"),
        (frame(frame(b"topic=\xff")), "not UTF-8"),
        (frame(frame(b"topic=/nowhere")), "does not publish"),
        (frame(frame(b"service=/nowhere")), "does not serve"),
        (b"GET / HTTP/1.1\r\n\r\n", "is refused"),
    ],
)
def test_a_bad_header_is_refused_and_logged(
    nodes: tuple[TcpNode, TcpNode], caplog: pytest.LogCaptureFixture, data: bytes, words: str
) -> None:
    one, _ = nodes
    with caplog.at_level(logging.WARNING, "baxterkit.ros"), _connection(one) as connection:
        connection.sendall(data)
        eventually(lambda: words in caplog.text)
        with contextlib.suppress(ConnectionError):  # closed with bytes of ours unread
            while connection.recv(1000):
                pass


def test_a_truncated_or_oversized_message_is_refused_and_reading_goes_on_elsewhere(
    nodes: tuple[TcpNode, TcpNode], caplog: pytest.LogCaptureFixture
) -> None:
    """A hostile publisher: its connection is dropped; what other publishers send still arrives."""
    one, two = nodes
    seen: list[float] = []
    with (
        caplog.at_level(logging.WARNING, "baxterkit.ros"),
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        host, port = server.getsockname()[:2]
        bad = [frame(b"\0\0"), struct.pack("<I", 2**30), frame(b"\0" * 9)]

        def hostile() -> None:
            for data in bad:
                connection, _ = server.accept()
                with connection:
                    read_header(connection, PATIENCE)
                    write_header(connection, {"md5sum": Float64.MD5, "callerid": "/hostile"})
                    connection.sendall(data)
                    connection.recv(10)

        threading.Thread(target=hostile, daemon=True).start()
        one._offer_original = one._offer  # type: ignore[attr-defined]
        one._offer = lambda topic, _: (  # type: ignore[method-assign]
            ["TCPROS", host, port] if topic == "/data" else one._offer_original(topic, _)  # type: ignore[attr-defined]
        )
        two.subscribe("/data", Float64, lambda message, _: seen.append(message.data))
        one.advertise("/data", Float64)
        with TcpNode("three", two.master.uri) as three:
            publisher = three.advertise("/data", Float64)
            eventually(lambda: "expected" in caplog.text and "1073741824 bytes" in caplog.text)
            eventually(lambda: publisher.subscribers)
            publisher.publish(Float64(data=2.0))
            eventually(lambda: seen == [2.0])


def test_a_callback_that_fails_does_not_end_the_connection(
    nodes: tuple[TcpNode, TcpNode], caplog: pytest.LogCaptureFixture
) -> None:
    one, two = nodes
    seen: list[str] = []

    def fussy(message: Message, _: str) -> None:
        if message.data == "bad":
            raise ValueError("not that")
        seen.append(message.data)

    two.subscribe("/fussy", String, fussy)
    publisher = one.advertise("/fussy", String)
    eventually(lambda: publisher.subscribers)
    for word in ("bad", "good"):
        publisher.publish(String(data=word))
    eventually(lambda: seen == ["good"])
    assert "a callback of /fussy failed" in caplog.text


def test_closing_unregisters(master: str) -> None:
    with TcpNode("watcher", master) as watcher:
        node = TcpNode("short", master)
        node.advertise("/short", String)
        node.serve("/short_service", Cameras, lambda _: Cameras.Response())
        assert watcher.publishers_of("/short") == (node.name,)
        node.close()
        node.close()
        assert watcher.publishers_of("/short") == ()
        with pytest.raises(NoReplyError):
            watcher.call("/short_service", Cameras, Cameras.Request(), 0.1)


def test_a_node_that_got_the_port_of_one_that_ended_has_its_own_name() -> None:
    with OwnMaster(0) as master:
        port = "http://127.0.0.1:12345"
        first, second = Master(master.uri, "/first"), Master(master.uri, "/second")
        first.call("registerPublisher", "/topic", "std_msgs/String", port)
        first.call("unregisterPublisher", "/topic", port)
        second.call("registerPublisher", "/topic", "std_msgs/String", port)
        assert first.publishers("/topic") == ("/second",)


def test_a_process_that_ends_unregisters(master: str) -> None:
    code = (
        "from baxterkit.ros.graph.node import TcpNode;"
        "from baxterkit.messages import message_class;"
        f"n = TcpNode('brief', '{master}'); n.advertise('/brief', message_class('std_msgs/Bool'));"
        "print(n.publishers_of('/brief')); raise SystemExit(3)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.returncode == 3, run.stderr
    assert "/brief_" in run.stdout
    with TcpNode("after", master) as node:
        assert node.publishers_of("/brief") == ()


def test_no_master_is_said_at_once() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(MasterError, match=f"no ROS master answers at http://127.0.0.1:{port} "):
        TcpNode("alone", f"http://127.0.0.1:{port}")
    with pytest.raises(InputError, match="no address of a ROS master"):
        TcpNode("alone", "robot.local:11311")
    with pytest.raises(InputError, match="letters, digits"):
        TcpNode("no spaces", "http://127.0.0.1:1")


def test_a_new_master_is_told_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baxterkit.ros.graph.watch.PERIOD", 0.05)
    first = OwnMaster(0)
    port = int(first.uri.rpartition(":")[2])
    with TcpNode("one", first.uri) as one, TcpNode("two", first.uri) as two:
        seen: list[str] = []
        publisher = one.advertise("/words", String)
        two.subscribe("/words", String, lambda message, _: seen.append(message.data))
        eventually(lambda: publisher.subscribers)
        one.serve("/cameras", Cameras, lambda _: Cameras.Response(cameras=["a"]))
        first.close()
        eventually(lambda: one._watch.lost and two._watch.lost)
        publisher.publish(String(data="without a master"))
        eventually(lambda: seen == ["without a master"])
        with OwnMaster(port) as second:
            eventually(lambda: not one._watch.lost and not two._watch.lost)
            with TcpNode("three", second.uri) as three:
                assert three.publishers_of("/words") == (one.name,)
                assert three.call("/cameras", Cameras, Cameras.Request()).cameras == ["a"]
                late = three.advertise("/words", String)
                eventually(lambda: late.subscribers)
            publisher.publish(String(data="again"))
            eventually(lambda: seen[-1] == "again")


@pytest.mark.ros
def test_a_real_master_that_is_restarted_is_told_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    components.require("ros")
    monkeypatch.setattr("baxterkit.ros.graph.watch.PERIOD", 0.05)
    process, uri = start_master()
    try:
        with TcpNode("one", uri) as one:
            one.advertise("/words", String)
            stop(process)
            eventually(lambda: one._watch.lost)
            process, _ = start_master(int(uri.rpartition(":")[2]))
            eventually(lambda: not one._watch.lost)
            assert one.publishers_of("/words") == (one.name,)
    finally:
        stop(process)


def _connection(node: TcpNode) -> socket.socket:
    return socket.create_connection(("127.0.0.1", node._tcp.port), timeout=PATIENCE)


def test_nodes_of_a_process_have_names_of_their_own(nodes: tuple[TcpNode, TcpNode]) -> None:
    """Names by the object's address met, and roscore ends the older node of two."""
    made = [TcpNode("link", nodes[0].master.uri) for _ in range(4)]
    names = {node.name for node in made}
    for node in made:
        node.close()
    with TcpNode("link", nodes[0].master.uri) as later:
        assert len({later.name, *names}) == 5  # nor the name of one that has ended
