"""A ROS 1 node on the standard library: master, topics, services and parameters over TCPROS."""

from __future__ import annotations

from baxterkit.ros.graph.node import TcpNode

__all__ = ["TcpNode"]
