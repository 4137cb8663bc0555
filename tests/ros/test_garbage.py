"""Garbage on every topic, from any publisher: no warning, no traceback, no growth."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from fake_robot import FakeRobot, Header, JointState
from ros_masters import PATIENCE

from baxterkit.errors import BaxterkitError
from baxterkit.messages import Message, message_class
from baxterkit.messages.definitions import TEXTS
from baxterkit.ros import InProcess, MessageError, RefusedError, RosError, in_process
from baxterkit.ros.graph import server as server_module
from baxterkit.ros.graph.node import TcpNode
from baxterkit.ros.graph.own_master import OwnMaster
from baxterkit.ros.graph.wire import write_header
from baxterkit.sim import Twin

pytestmark = pytest.mark.filterwarnings("error")
NUMBERS = (0.0, 1.0, -2.5, 0.2, 1e308, -1e308, np.inf, -np.inf, np.nan, 1e-320, 1e200, 1e17)
WORDS = ("", "base", "left_s0", "go", "calibrate", "configure", "x" * 500, "ß", "\0", "[" * 2000,
         '{"position": 1e999}', '{"position": "a"}', '{"holding_force": NaN}')  # fmt: skip
LONG = (200).to_bytes(4, "little")
"""Length of a header that does not come."""
JOINTS = [f"{s}_{j}" for s in ("left", "right") for j in ("s0", "s1", "e0", "e1", "w0", "w1", "w2")]


def garbage(kind: type[Message], rng: np.random.Generator) -> Message:
    """A message of any values."""
    message = kind()
    for name, _ in kind._fields:
        setattr(message, name, _value(getattr(message, name), kind, name, rng))
    return message


def _value(value: object, kind: type[Message], name: str, rng: np.random.Generator) -> object:
    some = int(rng.choice([0, 1, 2, 7, 7, 7, 17]))
    if isinstance(value, Message):
        return garbage(type(value), rng)
    if isinstance(value, np.ndarray):
        numbers = NUMBERS if value.dtype.kind == "f" else (0, 1)
        with np.errstate(over="ignore"):
            return rng.choice(numbers, some).astype(value.dtype)
    if isinstance(value, list):
        line = next(x for x in TEXTS[kind.TYPE].splitlines() if x.endswith(f" {name}"))
        inner = line.split("[")[0]
        if inner == "string":
            names = [JOINTS[:7], JOINTS[7:], JOINTS, [str(rng.choice(WORDS)) for _ in range(some)]]
            return names[rng.integers(4)]
        full = next(x for x in TEXTS if x.endswith(f"/{inner.rpartition('/')[2]}"))
        return [garbage(message_class(full), rng) for _ in range(min(some, 3))]
    if isinstance(value, str):
        return str(rng.choice(WORDS))
    if isinstance(value, float):
        return float(rng.choice(NUMBERS))
    return rng.choice([0, 1, 2, 3, 4, 5, 100, 10**9]).item() if isinstance(value, int) else value


@pytest.fixture
def both() -> Iterator[InProcess]:
    with in_process(Twin(start="untuck"), enabled=True) as made:
        made.link.take_control()
        yield made


@pytest.mark.parametrize("seed", [1, 2])
def test_garbage_on_every_topic_is_dropped_without_a_word_too_many(
    both: InProcess, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    """From every topic to the twin and to the link; commands in between pass or are refused."""
    rng = np.random.default_rng(seed)
    node = both.graph.node("garbage")
    open_topics = {
        name: node.advertise(name, topic.kind) for name, topic in both.graph._topics.items()
    }
    names = list(open_topics)
    commands = [name for name in names if name.endswith(("joint_command", "joint_states"))]
    for i in range(1500):
        name = str(rng.choice(commands if i % 3 == 0 else names))
        with contextlib.suppress(MessageError):
            open_topics[name].publish(garbage(both.graph._topics[name].kind, rng))
        if i % 5 == 0:
            both.clock.sleep(0.003)
            both.robot.assembly.press(False)
            both.robot.assembly.stopped, both.robot.assembly.enabled = False, True
            with contextlib.suppress(RosError, RefusedError):
                both.link.left.command_velocity(rng.uniform(-0.1, 0.1, 7))
            with contextlib.suppress(BaxterkitError):
                both.link.left.endpoint  # noqa: B018
    assert not [record for record in caplog.records if record.exc_info]
    assert np.isfinite(both.twin.left.q).all()
    assert len(both.link.joints) <= 19 + 64


def test_a_publisher_of_ever_new_joints_does_not_grow_the_link() -> None:
    robot = FakeRobot()
    for i in range(300):
        names = [f"joint_{i}_{j}" for j in range(200)]
        message = JointState(header=Header(stamp=robot.stamp), name=names, position=np.zeros(200))
        robot.node.callbacks["/robot/joint_states"](message, f"/node_{i}")
    assert len(robot.states.joints) <= 19 + 64
    assert set(JOINTS) <= set(robot.states.joints)
    huge = JointState(name=["x"] * 10**5, position=np.zeros(10**5))
    dropped = robot.states.dropped
    robot.node.callbacks["/robot/joint_states"](huge, "/huge")
    assert robot.states.dropped == dropped + 1
    for i in range(1000):
        robot.tell(who=f"/{i}")
    assert len(robot.states.state_sources.seen) <= 64


@pytest.mark.parametrize("value", [1e308, 1e5, np.nan])
def test_states_that_no_joint_has_are_dropped(value: float) -> None:
    robot = FakeRobot()
    robot.gate.take_control()
    before, dropped = robot.reading("left").copy(), robot.states.dropped
    robot.qd["left"][3] = value
    robot.tell()
    assert robot.states.dropped == dropped + 1
    assert (robot.reading("left") == before).all()
    Head = message_class("baxter_core_msgs/HeadState")
    robot.node.callbacks["/robot/head/head_state"](Head(pan=value), "/realtime_loop")
    assert robot.states.head == 0.0
    robot.gate.joints("left", "velocity", np.zeros(7))


@pytest.mark.slow
@pytest.mark.real_clock
def test_connections_that_drip_hold_no_place(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """More of them than there are places; a subscriber is served all the same, and they end."""
    monkeypatch.setattr(server_module, "HANDSHAKE", 1.0)
    monkeypatch.setattr(server_module, "MOST_CONNECTIONS", 20)
    caplog.set_level(logging.ERROR)
    Bool = message_class("std_msgs/Bool")
    stop = threading.Event()
    with OwnMaster(0) as master, TcpNode("served", master.uri) as node:
        publisher = node.advertise("/x", Bool, latch=True)
        publisher.publish(Bool(data=True))
        drips = [socket.create_connection(("127.0.0.1", node._tcp.port)) for _ in range(30)]
        for connection in drips:
            connection.send(LONG)

        def drip() -> None:
            while not stop.wait(0.2):
                for connection in drips:
                    with contextlib.suppress(OSError):
                        connection.send(b"\0")

        threading.Thread(target=drip, daemon=True).start()
        heard = threading.Event()
        with TcpNode("other", master.uri) as other:
            other.subscribe("/x", Bool, lambda *_: heard.set())
            assert heard.wait(PATIENCE)
        end = time.monotonic() + PATIENCE
        while node._tcp._places._taken and time.monotonic() < end:
            time.sleep(0.05)
        stop.set()
        assert not node._tcp._places._taken
        for connection in drips:
            connection.close()


@pytest.mark.slow
@pytest.mark.real_clock
def test_a_header_that_drips_ends_at_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "HANDSHAKE", 0.5)
    with OwnMaster(0) as master, TcpNode("served", master.uri) as node:
        with socket.create_connection(
            ("127.0.0.1", node._tcp.port), timeout=PATIENCE
        ) as connection:
            began = time.monotonic()
            connection.send(LONG)
            connection.setblocking(False)
            closed = False
            while not closed and time.monotonic() - began < PATIENCE:
                try:
                    connection.send(b"\1")
                    closed = connection.recv(1000) == b""
                except BlockingIOError:
                    pass
                except OSError:
                    closed = True
                time.sleep(0.1)  # each byte comes in time
            assert closed
        with socket.create_connection(
            ("127.0.0.1", node._tcp.port), timeout=PATIENCE
        ) as connection:
            write_header(connection, {"topic": "/none"})  # who is quick is answered
            assert connection.recv(1000)
