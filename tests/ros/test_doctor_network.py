"""The doctor on a network: every trouble is one sentence, in bounded time."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ros_masters import PATIENCE
from twin_process import twin_process

from baxterkit.errors import InputError
from baxterkit.ros import Behaviour, Diagnosis, OwnMaster, TwinRobot, diagnose
from baxterkit.ros.doctor import network
from baxterkit.ros.graph.node import TcpNode
from baxterkit.ros.robot.faults import FAULTS

SOCKETS = [name for name, fault in FAULTS.items() if fault.sockets]
pytestmark = pytest.mark.real_clock


def told(found: Diagnosis) -> list[str]:
    return [f"{finding.name}: {finding.seen}" for finding in found.findings]


@contextmanager
def silent_server() -> Iterator[str]:
    """Something that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def other_server(answer: bytes) -> Iterator[str]:
    """Something that answers everything with the same bytes."""
    server = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.recv(4096)
                connection.sendall(answer)

    threading.Thread(target=run, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}"
    server.close()


@pytest.mark.parametrize(
    ("where", "name", "seen"),
    [
        ("", "no_master", "(ROS_MASTER_URI)"),
        ("http://127.0.0.1:1", "no_master", "the connection is refused"),
        ("127.0.0.1:1", "no_master", "no ROS master answers at http://127.0.0.1:1"),
        ("robot.invalid", "master_name", "cannot resolve 'robot.invalid': the name is not known"),
        ("http://[::1]:11311", "master_ipv6", "is an IPv6 address"),
        ("fe80::1", "master_ipv6", "'fe80::1' is an IPv6 address"),
        ("http://robot local:11311", "master_address", "is no address of a ROS master"),
        ("http://robot.local:99999", "master_address", "is no address of a ROS master"),
        ("ftp://robot.local", "master_address", "is no address of a ROS master"),
    ],
)
def test_a_wrong_address_is_one_finding(
    where: str, name: str, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_MASTER_URI", "http://127.0.0.1:1")
    found = diagnose(where or None, timeout=2.0)
    assert found.names == (name,), told(found)
    assert seen in found.findings[0].seen


def test_without_an_address_the_usual_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROS_MASTER_URI", raising=False)
    monkeypatch.setattr(network, "resolve", lambda *_: set())
    found = diagnose()
    assert found.names == ("master_ipv6",)
    assert "'localhost' (ROS_MASTER_URI is not set) resolves to IPv6" in found.findings[0].seen


def test_what_is_no_master_is_told_in_time() -> None:
    with silent_server() as uri:
        start = time.monotonic()
        found = diagnose(uri, timeout=0.5)
        assert time.monotonic() - start < PATIENCE
        assert found.names == ("no_master",)
        assert "no answer in time" in found.findings[0].seen
    for answer in (b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.0 200 OK\r\n\r\n<html></html>"):
        with other_server(answer) as uri:
            assert diagnose(uri, timeout=2.0).names == ("no_master",)


def test_names_that_hang_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: threading.Event().wait(20.0))
    found = diagnose("http://slow.example:11311", timeout=0.2)
    assert found.names == ("master_name",)
    assert found.findings[0].seen.endswith("no answer in time")


def test_a_master_without_a_robot() -> None:
    with OwnMaster(0) as master:
        found = diagnose(master.uri, seconds=0.5, timeout=2.0)
    # The doctor tells of a busy computer too, and the one that runs the tests may be busy.
    assert set(found.names) - {"loop_late"} == {
        "joints_missing", "state_missing", "software_unknown", "no_description",
    }, told(found)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "value", "seen"),
    [
        ("ROS_HOSTNAME", "nowhere.invalid", "'nowhere.invalid' (ROS_HOSTNAME), a name that is not"),
        ("ROS_IP", "192.0.2.9", "'192.0.2.9' (ROS_IP), which is no address of this computer"),
    ],
)
def test_the_way_back_is_tried(
    variable: str, value: str, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ROS_IP", raising=False)
    monkeypatch.setenv(variable, value)
    with OwnMaster(0) as master:
        found = network.Network(uri=master.uri)
        with TcpNode("doctor", master.uri) as node:
            network.look_back(found, node, 1.0)
    assert [finding.name for finding in found.findings] == ["own_address"]
    assert seen in found.findings[0].seen


def test_a_robot_that_names_its_own_loopback_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = network.Network(uri="http://10.0.0.5:11311")
    network._look_at_address(found, "/realtime_loop", "http://localhost:4000/", "localhost", 1.0)
    assert [finding.name for finding in found.findings] == ["node_address"]
    assert "which only its own computer can reach" in found.findings[0].seen


@pytest.mark.acceptance
@pytest.mark.parametrize("name", SOCKETS)
def test_a_fault_of_the_network_is_found_by_its_name(name: str) -> None:
    behaviour = Behaviour(faults=(name,))
    with OwnMaster(0) as master, TwinRobot(None, master.uri, behaviour=behaviour):
        found = diagnose(master.uri, seconds=1.5)
    assert found.names == (name,), told(found)


@pytest.mark.acceptance
@pytest.mark.parametrize("name", [name for name in FAULTS if name not in SOCKETS])
def test_every_other_fault_is_found_over_sockets_too(name: str) -> None:
    behaviour = Behaviour(faults=(name,))
    with OwnMaster(0) as master, TwinRobot(None, master.uri, behaviour=behaviour):
        found = diagnose(master.uri, seconds=2.5)
    assert found.names == (name,), told(found)


def test_a_fault_of_the_master_takes_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from baxterkit.ros.robot import faults

    monkeypatch.setattr(faults, "own_master", lambda uri: None)
    with OwnMaster(0) as master, pytest.raises(InputError, match="leave out --master"):
        TwinRobot(None, master.uri, behaviour=Behaviour(faults=("own_address",)))


@pytest.mark.slow
def test_a_master_that_ends_meanwhile_is_told() -> None:
    master = OwnMaster(0)
    robot = TwinRobot(None, master.uri)
    threading.Timer(1.0, master.close).start()
    try:
        found = diagnose(master.uri, seconds=2.0, timeout=2.0)
    finally:
        robot.close()
    assert found.names == ("master_lost",), told(found)


@pytest.mark.acceptance
def test_a_robot_that_is_killed_meanwhile_is_told() -> None:
    with OwnMaster(0) as master, twin_process(master.uri) as process:
        threading.Timer(2.0, process.kill).start()
        found = diagnose(master.uri, seconds=4.0)
    assert found.names == ("states_stopped",), told(found)


@pytest.mark.acceptance
def test_the_verb_is_for_scripts() -> None:
    """Exit status 0 for a healthy twin, 1 for a fault; a list of all faults."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "baxterkit", "ros", *words],
            capture_output=True, text=True, timeout=PATIENCE,
            env={**os.environ, "ROS_IP": "127.0.0.1"},
        )  # fmt: skip

    listed = run("twin", "--fault", "list")
    assert all(name in listed.stdout for name in FAULTS)
    for faults, status in (((), 0), (("--fault", "stopped", "--fault", "gaps"), 1)):
        with OwnMaster(0) as master, twin_process(master.uri, *faults):
            done = run("doctor", "--master", master.uri)
            assert done.returncode == status, done.stdout + done.stderr
            assert ("stopped:" in done.stdout) == ("gaps:" in done.stdout) == bool(status)
