"""Whether other computers can call a node: it publishes a topic of its own, and listens to it."""

from __future__ import annotations

from baxterkit.clock import SYSTEM, Deadline
from baxterkit.messages import message_class
from baxterkit.ros.graph.node import TcpNode

EMPTY = message_class("std_msgs/Empty")


def is_called_back(node: TcpNode, timeout: float) -> bool:
    """Whether the master calls the node within `timeout` [s], to tell it of its own topic."""
    topic = f"/baxterkit/doctor{node.name}"
    subscriber = node.subscribe(topic, EMPTY, lambda *_: None)
    node.advertise(topic, EMPTY)
    end = Deadline(timeout)
    while not (there := subscriber.publishers > 0) and not end.passed:
        SYSTEM.sleep(0.02)
    node.unadvertise(topic)
    subscriber.close()
    return there
