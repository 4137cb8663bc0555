"""Names and addresses, both ways: the master, the robot's nodes, and this computer."""

from __future__ import annotations

import ipaddress
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlparse

from baxterkit.clock import Deadline
from baxterkit.errors import InputError
from baxterkit.model.names import SIDES
from baxterkit.ros import topics
from baxterkit.ros.connecting import address
from baxterkit.ros.doctor.diagnosis import Finding
from baxterkit.ros.errors import MasterError, MessageError
from baxterkit.ros.graph.echo import is_called_back
from baxterkit.ros.graph.master import Caller, Master
from baxterkit.ros.graph.node import TcpNode, master_uri
from baxterkit.ros.graph.subscriber import data_address, greet

NAME = "/baxterkit_doctor"
TRIES = 5
"""Calls whose round trip is measured."""
SLOW = 0.1
"""Shortest round trip of a call that is reported [s]."""
MOST_NODES = 64
T = TypeVar("T")


def topics_needed() -> tuple[topics.Topic, ...]:
    """Topics without which there is no motion."""
    ends = (topics.limb(side, "endpoint") for side in SIDES)
    return (topics.of_robot("joint_states"), topics.of_robot("state"), *ends)


@dataclass
class Network:
    """What is known of a master and its nodes.

    Attributes:
        uri: The master's address; "" if there is none.
        findings: Troubles.
        blocked: Names of nodes that this computer cannot listen to, and topics.
        gone: Names of nodes that have ended.
        publishers: Topic -> names of the nodes that the master lists.
    """

    uri: str = ""
    findings: list[Finding] = field(default_factory=list)
    blocked: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    publishers: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, name: str, seen: str) -> None:
        """Notes a finding, once."""
        finding = Finding(name, seen)
        if finding not in self.findings:
            self.findings.append(finding)

    def heard_from(self, topic: str) -> tuple[str, ...] | None:
        """Nodes that a topic could be heard from; None if a finding tells already why not."""
        nodes = self.publishers.get(topic, ())
        there = tuple(node for node in nodes if node not in self.gone)
        known = topic in self.blocked or not self.blocked.isdisjoint(there)
        return None if known or (nodes and not there) else there


def look_for_master(where: str | None, timeout: float) -> Network:
    """The master at an address, or that of ROS_MASTER_URI; findings if there is none."""
    network = Network()
    text = master_uri(where)
    source = (
        ""
        if where
        else (
            " (ROS_MASTER_URI)"
            if os.environ.get("ROS_MASTER_URI")
            else " (ROS_MASTER_URI is not set)"
        )
    )
    bare = text.removeprefix("http://").removeprefix("https://")
    if bare.startswith("[") or bare.count(":") > 1:
        network.add("master_ipv6", f"{text!r}{source} is an IPv6 address")
        return network
    try:
        uri = address(text)
    except InputError:
        network.add("master_address", f"{text!r}{source} is no address of a ROS master")
        return network
    host = urlparse(uri).hostname or ""
    try:
        families = resolve(host, timeout)
    except OSError as error:
        network.add(
            "master_name", f"this computer cannot resolve {host!r}{source}: {reason(error)}"
        )
        return network
    if socket.AF_INET not in families:
        network.add("master_ipv6", f"{host!r}{source} resolves to IPv6 addresses only")
        return network
    try:
        pid = Caller(uri, NAME, timeout).call("getPid")
        network.publishers = {
            str(topic): tuple(str(node) for node in nodes)
            for topic, nodes in Caller(uri, NAME, timeout).call("getSystemState")[0]
        }
        assert isinstance(pid, int)
    except (MasterError, TypeError, ValueError, IndexError, AssertionError) as error:
        network.add(
            "no_master",
            f"no ROS master answers at {uri}{source}: {reason(error.__cause__ or error)}",
        )
        return network
    network.uri = uri
    return network


def look_at_nodes(network: Network, timeout: float) -> None:
    """Whether the nodes that publish what is needed can be reached; adds findings."""
    master = Master(network.uri, NAME, timeout)
    wanted: dict[str, list[topics.Topic]] = {}
    for topic in topics_needed():
        for node in network.publishers.get(topic.name, ()):
            wanted.setdefault(node, []).append(topic)
    work = [
        threading.Thread(
            target=_look_at, args=(network, master, node, needed, timeout), daemon=True
        )
        for node, needed in list(wanted.items())[:MOST_NODES]
    ]
    for thread in work:
        thread.start()
    end = Deadline(4.0 * timeout)
    for thread in work:
        thread.join(max(end.left, 0.0))


def look_back(network: Network, node: TcpNode, timeout: float) -> None:
    """Whether the master can call this computer; adds a finding if not."""
    if not is_called_back(node, timeout):
        host = urlparse(node.uri).hostname or ""
        network.add(
            "own_address",
            f"the robot cannot reach this computer at {host!r}"
            f"{_own_trouble(host, network.uri)}: it would hear no command",
        )


def resolve(host: str, timeout: float) -> set[socket.AddressFamily]:
    """Address families of a name.

    Raises:
        OSError: If it cannot be resolved within `timeout` [s].
    """
    found = _within(timeout, lambda: socket.getaddrinfo(host, None, type=socket.SOCK_STREAM))
    return {family for family, *_ in found}


def reason(error: BaseException) -> str:
    """Why a connection failed, in a few words."""
    if isinstance(error, ConnectionRefusedError):
        return "the connection is refused"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, socket.gaierror):
        return "the name is not known"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{error!s:.120}"


def is_loopback(host: str) -> bool:
    """Whether an address means the computer that uses it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _look_at(
    network: Network, master: Master, node: str, needed: list[topics.Topic], timeout: float
) -> None:
    """Adds the findings on one node."""
    before = len(network.findings)
    try:
        uri = str(master.call("lookupNode", node))
        host = urlparse(uri).hostname or ""
        _look_at_address(network, node, uri, host, timeout)
        if len(network.findings) == before:
            _look_at_data(network, node, uri, needed, timeout)
    except MasterError as error:
        network.add("node_gone", f"the master lists {node}, but not its address: {error}")
        network.gone.add(node)


def _look_at_address(network: Network, node: str, uri: str, host: str, timeout: float) -> None:
    def blocked(name: str, seen: str) -> None:
        network.blocked.add(node)
        network.add(name, seen)

    try:
        resolve(host, timeout)
    except OSError as error:
        blocked("node_name", f"{node} is at {uri}, and this computer cannot resolve that name: "
                f"{reason(error)}")  # fmt: skip
        return
    if is_loopback(host) and not is_loopback(urlparse(network.uri).hostname or ""):
        blocked("node_address", f"{node} gives its address as {uri}, which only its own computer "
                "can reach")  # fmt: skip
        return
    trips = []
    try:
        for _ in range(TRIES):
            start = time.perf_counter()
            Caller(uri, NAME, timeout).call("getPid")
            trips.append(time.perf_counter() - start)
            if sum(trips) > timeout:
                break
    except (MasterError, InputError) as error:
        cause = error.__cause__ or error
        gone = isinstance(cause, ConnectionRefusedError)
        (network.gone if gone else network.blocked).add(node)
        network.add(
            "node_gone" if gone else "node_address",
            f"the master lists {node}, but it does not answer at {uri}: {reason(cause)}",
        )
        return
    if min(trips) > SLOW:
        network.add(
            "slow_network",
            f"{node} takes {min(trips):.2f} s to answer a call; {SLOW:g} s are tolerated",
        )


def _look_at_data(
    network: Network, node: str, uri: str, needed: list[topics.Topic], timeout: float
) -> None:
    """Adds the findings on the ports and types of a node's topics."""
    for topic in needed:
        try:
            host, port = data_address(uri, topic.name, NAME)
            with socket.create_connection((host, port), timeout) as connection:
                greet(connection, topic.name, topic.kind, NAME)
        except MessageError as error:
            network.blocked.add(topic.name)
            network.add("message_type", f"{topic.name} of {node} cannot be read: {error}")
        except (MasterError, OSError) as error:
            network.blocked.add(node)
            network.add(
                "data_port",
                f"{node} answers calls, but no connection for its messages can be made: "
                f"{reason(error.__cause__ or error)}",
            )
            return


def _own_trouble(host: str, uri: str) -> str:
    """Why our own address may be wrong, as far as it shows here."""
    source = next((name for name in ("ROS_HOSTNAME", "ROS_IP") if os.environ.get(name)), "")
    told = f" ({source})" if source else " (ROS_IP is not set)"
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind((socket.gethostbyname(host), 0))
    except socket.gaierror:
        return f"{told}, a name that is not known here"
    except OSError:
        return f"{told}, which is no address of this computer"
    if is_loopback(host) and not is_loopback(urlparse(uri).hostname or ""):
        return f"{told}, which only this computer can reach"
    return told


def _within(timeout: float, act: Callable[[], T]) -> T:
    """The result of a call that cannot be told to end; its thread is left behind if it does not.

    Raises:
        TimeoutError: If it has not ended in time.
    """
    results: list[T] = []
    errors: list[OSError] = []

    def run() -> None:
        try:
            results.append(act())
        except OSError as error:
            errors.append(error)
        except UnicodeError as error:  # no valid name
            errors.append(OSError(0, str(error)))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no answer within {timeout:g} s")
    return results[0]
