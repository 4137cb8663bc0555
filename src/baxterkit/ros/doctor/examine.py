"""`diagnose`: the whole examination, in bounded time; it listens and sends nothing."""

from __future__ import annotations

from collections.abc import Iterator

from baxterkit.baxter import Baxter
from baxterkit.errors import InputError
from baxterkit.ros import topics
from baxterkit.ros.doctor import body, machine, network, others, streams
from baxterkit.ros.doctor.diagnosis import Diagnosis, Finding
from baxterkit.ros.doctor.ears import Ears
from baxterkit.ros.doctor.network import Network
from baxterkit.ros.doctor.streams import Publishers
from baxterkit.ros.errors import MasterError, RosError
from baxterkit.ros.graph.local import LocalGraph, LocalNode
from baxterkit.ros.graph.node import TcpNode
from baxterkit.ros.link import RobotLink
from baxterkit.ros.node import Node
from baxterkit.ros.states import States
from baxterkit.ros.waiting import seconds as wait_time

LONGEST = 60.0
"""Longest time to listen [s]."""


def diagnose(
    where: str | LocalGraph | RobotLink | None = None,
    *,
    seconds: float = 3.0,
    timeout: float = 3.0,
) -> Diagnosis:
    """Examines a robot, its network and this computer; sends nothing, and nothing moves.

    Args:
        where: Address of the master, as for `connect`; ROS_MASTER_URI if None. Or a link, whose
            own commands do not count as another program's, or a graph of this process.
        seconds: Time to listen [s], at most 60.
        timeout: Time for each answer of the network [s]. All together takes less than
            `seconds` and ten times `timeout`.

    Returns:
        What was found; true if that is nothing.

    Raises:
        InputError: If an argument is none of these.
    """
    if not 0.5 <= wait_time(seconds, "seconds") <= LONGEST:
        raise InputError(f"seconds = {seconds:g}; the doctor listens for 0.5 to {LONGEST:g} s")
    if wait_time(timeout) <= 0.0:
        raise InputError(f"timeout = {timeout:g} s; it must be above 0 s")
    own: frozenset[str] = frozenset()
    model = None
    if isinstance(where, RobotLink):
        link, node = where, where._gate._node
        model = link.robot if link._given else None
        own = frozenset({node.name})
        where = node.graph if isinstance(node, LocalNode) else _uri(node)
        if link._listener.closed:
            raise InputError("this link is closed; give the address of its master")
    if isinstance(where, LocalGraph):
        found = Network(uri="this process")
        return _examined(found, where.node("doctor"), own, model, seconds, timeout)
    if where is not None and not isinstance(where, str):
        raise InputError(
            f"where must be the address of a master, a link or a graph, got {type(where).__name__}"
        )
    found = network.look_for_master(where, timeout)
    if not found.uri:
        return Diagnosis(str(where or ""), tuple(found.findings), {})
    try:
        network.look_at_nodes(found, timeout)
        node = TcpNode("doctor", found.uri)
    except MasterError:
        return _lost(found, {})
    return _examined(found, node, own, model, seconds, timeout)


def _uri(node: Node) -> str:
    assert isinstance(node, TcpNode)
    return node.master.uri


def _lost(found: Network, facts: dict[str, str]) -> Diagnosis:
    kept = [finding for finding in found.findings if finding.name != "states_stopped"]
    lost = Finding("master_lost", f"the master at {found.uri} has answered, and no longer does")
    return Diagnosis(found.uri, (*kept, lost), facts)


def _examined(
    found: Network,
    node: Node,
    own: frozenset[str],
    model: Baxter | None,
    seconds: float,
    timeout: float,
) -> Diagnosis:
    """The examination by a node that is open; closes it."""
    facts: dict[str, str] = {"master": found.uri}
    publishers: Publishers = found.heard_from
    try:
        if isinstance(node, TcpNode):
            network.look_back(found, node, timeout)
        else:
            publishers = node.publishers_of
        heard = _listened(node, own, model, publishers, seconds, timeout, facts)
        found.findings += machine.that_it_can_tell(list(heard))
    except RosError:
        return _lost(found, facts)
    finally:
        node.close()
    return Diagnosis(found.uri, tuple(dict.fromkeys(found.findings)), facts)


def _listened(
    node: Node,
    own: frozenset[str],
    model: Baxter | None,
    publishers: Publishers,
    seconds: float,
    timeout: float,
    facts: dict[str, str],
) -> Iterator[Finding]:
    """Listens for a while; then gives the findings."""
    ears = Ears(node, own | {node.name})
    ears.listen()
    states = None if ears.refused else States(node)
    if publishers(topics.of_robot("joint_states").name):
        _wait_for_states(node, ears, timeout)
    loop = machine.Loop(node.clock)
    loop.run(seconds)
    end = node.clock.now()
    yield from streams.check(ears, publishers, end, loop, facts)
    yield from body.check(node, ears, facts, model)
    yield from others.check(ears)
    gate = None if states is None else machine.gate_time(node, states)
    yield from machine.check(loop, gate, facts)


def _wait_for_states(node: Node, ears: Ears, timeout: float) -> None:
    """Waits until joints have been heard, at most `timeout` [s]."""
    end = node.clock.now() + timeout
    while not ears.joints.arrived and node.clock.now() < end:
        node.clock.sleep(0.02)
