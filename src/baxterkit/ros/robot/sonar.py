"""The ring of twelve sonars on the head, and the halo of lamps around it."""

from __future__ import annotations

import numpy as np

from baxterkit.messages import Message, message_class
from baxterkit.ros.node import Node
from baxterkit.ros.robot.outlet import listen, outlet
from baxterkit.ros.robot.sensing import cast_ray
from baxterkit.sim.twin import Twin

Header = message_class("std_msgs/Header")
Point = message_class("geometry_msgs/Point32")
Channel = message_class("sensor_msgs/ChannelFloat32")
SONARS = 12
RADIUS = 0.16
"""Radius of the ring [m]; rays start there; chosen here, outside of the head's body."""
FARTHEST = 3.0
"""What a sonar hears [m]; chosen here."""
EVERY = (1 << SONARS) - 1
HALO = "/robot/sonar/head_sonar/"
BY_ITSELF = 0x8000
"""State of the lamps above the sonars: shown by the robot itself, bit 15, not by a program."""


class Sonar:
    """Sonars and halo.

    Args:
        node: The node that publishes them.
        twin: The twin.
    """

    def __init__(self, node: Node, twin: Twin) -> None:
        self._twin = twin
        self.enabled, self.lights = EVERY, BY_ITSELF
        self.green, self.red = 100.0, 0.0
        self._cloud = outlet(node, f"{HALO}state")
        self._enabled = outlet(node, f"{HALO}sonars_enabled")
        self._lights = outlet(node, f"{HALO}lights/state")
        self._green = outlet(node, f"{HALO}lights/green_level")
        self._red = outlet(node, f"{HALO}lights/red_level")
        listen(node, f"{HALO}set_sonars_enabled", self._enable)
        listen(node, f"{HALO}lights/set_lights", self._light)
        listen(node, f"{HALO}lights/set_green_level", self._set_green)
        listen(node, f"{HALO}lights/set_red_level", self._set_red)

    def publish(self, stamp: int) -> None:
        """Publishes the echoes that have listeners."""
        if self._cloud:
            self._publish_cloud(stamp)
        for topic, value in ((self._enabled, self.enabled), (self._lights, self.lights)):
            if topic:
                topic(data=value)
        for topic, level in ((self._green, self.green), (self._red, self.red)):
            if topic:
                topic(data=level)

    def _publish_cloud(self, stamp: int) -> None:
        ring = self._twin.robot.transform("base", "sonar_ring")
        points, numbers, distances = [], [], []
        for n in range(SONARS):
            if not self.enabled >> n & 1:
                continue
            angle = 2.0 * np.pi * n / SONARS
            local = np.array([np.cos(angle), np.sin(angle), 0.0])
            start = ring[:3, 3] + ring[:3, :3] @ (RADIUS * local)
            away = cast_ray(self._twin, start, ring[:3, :3] @ local)
            if away <= FARTHEST:
                x, y, z = ((RADIUS + away) * local).tolist()
                points.append(Point(x=x, y=y, z=z))
                numbers.append(float(n))
                distances.append(away)
        self._cloud(
            header=Header(stamp=stamp, frame_id="sonar_ring"),
            points=points,
            channels=[
                Channel(name="SensorId", values=numbers),
                Channel(name="Distance", values=distances),
            ],
        )

    def _enable(self, message: Message) -> None:
        self.enabled = int(message.data) & EVERY

    def _light(self, message: Message) -> None:
        self.lights = int(message.data)

    def _set_green(self, message: Message) -> None:
        if np.isfinite(message.data):
            self.green = float(np.clip(message.data, 0.0, 100.0))

    def _set_red(self, message: Message) -> None:
        if np.isfinite(message.data):
            self.red = float(np.clip(message.data, 0.0, 100.0))
