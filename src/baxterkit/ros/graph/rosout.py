"""The node `rosout`, which roscore starts beside a master: all logs on one topic."""

from __future__ import annotations

from baxterkit.messages import message_class
from baxterkit.ros.graph.node import TcpNode

Log = message_class("rosgraph_msgs/Log")
QUEUE = 100
"""Logs that wait for a slow listener."""


class Rosout:
    """Passes what comes on `/rosout` on to `/rosout_agg`.

    Args:
        master: Address of the master.
    """

    def __init__(self, master: str) -> None:
        self._node = TcpNode("rosout", master, exact=True)
        self._all = self._node.advertise("/rosout_agg", Log, queue=QUEUE)
        self._node.subscribe("/rosout", Log, lambda message, _: self._all.publish(message))

    def close(self) -> None:
        """Ends it."""
        self._node.close()

    def __enter__(self) -> Rosout:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
