"""The ring of twelve sonars on the head, and the halo of lamps around it."""

from __future__ import annotations

import numpy as np

from baxterkit.messages import Message, message_class
from baxterkit.ros.node import Node
from baxterkit.ros.robot.outlet import listen, outlet
from baxterkit.ros.robot.sensing import cast_ray
from baxterkit.sim.twin import Twin
from baxterkit.types import Vector3

Header = message_class("std_msgs/Header")
Point = message_class("geometry_msgs/Point32")
Channel = message_class("sensor_msgs/ChannelFloat32")
SONARS = 12
"""How many; from the front on, counterclockwise seen from above, which is chosen here."""
RADIUS = 0.16
"""Radius of the ring [m]; rays start there; chosen here, outside of the head's body."""
LONGEST_RANGE = 3.0
"""What a sonar hears [m]; chosen here."""
EVERY = (1 << SONARS) - 1
HALO = "/robot/sonar/head_sonar/"
OVERRIDE = 0x8000
"""Bit of `set_lights` with which a program takes the lamps above the sonars over (Rethink's API
reference); without it the robot lights those whose sonar hears something."""
LASTS = 0.2
"""Time for which such a message counts [s]; chosen here: programs send it at 100 Hz, or the robot
takes the lamps back."""


class Sonar:
    """Sonars and halo.

    Args:
        node: The node that publishes them.
        twin: The twin.
    """

    def __init__(self, node: Node, twin: Twin) -> None:
        self._twin, self._clock = twin, node.clock
        self.enabled, self._lamps, self._until = EVERY, 0, -1.0
        self.green, self.red = 100.0, 0.0  # chosen here, as all that no program has set
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
        heard = self._listen() if self._cloud or self._lights else {}
        if self._cloud:
            self._publish_cloud(stamp, heard)
        if self._enabled:
            self._enabled(data=self.enabled)
        if self._lights:
            by_program = self._clock.now() < self._until
            self._lights(data=self._lamps if by_program else sum(1 << n for n in heard))
        for topic, level in ((self._green, self.green), (self._red, self.red)):
            if topic:
                topic(data=level)

    def _listen(self) -> dict[int, tuple[Vector3, float]]:
        """What the sonars hear: direction in the ring's frame and distance [m], by number."""
        ring = self._twin.robot.transform("base", "sonar_ring")
        found = {}
        for n in range(SONARS):
            angle = 2.0 * np.pi * n / SONARS
            local = np.array([np.cos(angle), np.sin(angle), 0.0])
            start = ring[:3, 3] + ring[:3, :3] @ (RADIUS * local)
            if self.enabled >> n & 1:
                away = cast_ray(self._twin, start, ring[:3, :3] @ local)
                if away <= LONGEST_RANGE:
                    found[n] = local, away
        return found

    def _publish_cloud(self, stamp: int, heard: dict[int, tuple[Vector3, float]]) -> None:
        places = [((RADIUS + away) * local).tolist() for local, away in heard.values()]
        self._cloud(
            header=Header(stamp=stamp, frame_id="sonar_ring"),
            points=[Point(x=x, y=y, z=z) for x, y, z in places],
            channels=[
                Channel(name="SensorId", values=[float(n) for n in heard]),
                Channel(name="Distance", values=[away for _, away in heard.values()]),
            ],
        )

    def _enable(self, message: Message) -> None:
        self.enabled = int(message.data) & EVERY

    def _light(self, message: Message) -> None:
        self._lamps = int(message.data) & (OVERRIDE | EVERY)
        self._until = self._clock.now() + LASTS if self._lamps & OVERRIDE else -1.0

    def _set_green(self, message: Message) -> None:
        if np.isfinite(message.data):
            self.green = float(np.clip(message.data, 0.0, 100.0))

    def _set_red(self, message: Message) -> None:
        if np.isfinite(message.data):
            self.red = float(np.clip(message.data, 0.0, 100.0))
