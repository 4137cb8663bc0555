"""The robot's three cameras as programs know them: resolutions, intrinsics, settings."""

from __future__ import annotations

from dataclasses import dataclass

from baxterkit.messages import Message, message_class
from baxterkit.sim.eye import Pinhole

CameraInfo = message_class("sensor_msgs/CameraInfo")
Header = message_class("std_msgs/Header")
RESOLUTIONS = ((1280, 800), (960, 600), (640, 400), (480, 300), (384, 240), (320, 200))
"""Width and height of the pictures that the robot's cameras make [pixel]."""
FOCAL = 810.0
"""Focal length at 1280 pixels [pixel]; chosen here, about that of calibrated hand cameras. The twin
scales pictures where the robot cuts them, so the field of view is one."""
MOST_FPS = 30.0
FLIP, MIRROR = 107, 108
"""Controls that turn a picture upside down, and swap left and right."""


@dataclass(frozen=True)
class Settings:
    """How a camera is open.

    Attributes:
        width: Width of its pictures [pixel].
        height: Height of its pictures [pixel].
        fps: Pictures a second, at most.
        flip: Whether the picture is upside down.
        mirror: Whether left and right are swapped.
    """

    width: int = 640
    height: int = 400
    fps: float = 25.0
    flip: bool = False
    mirror: bool = False

    @property
    def pinhole(self) -> Pinhole:
        """Its intrinsics."""
        return Pinhole(self.width, self.height, FOCAL * self.width / RESOLUTIONS[0][0])


def settings_of(message: Message) -> Settings | None:
    """The settings of a baxter_core_msgs/CameraSettings; None if there is no such resolution."""
    if (message.width, message.height) not in RESOLUTIONS:
        return None
    controls = {control.id: control.value for control in message.controls}
    fps = message.fps if 0.0 < message.fps <= MOST_FPS else MOST_FPS
    flip, mirror = bool(controls.get(FLIP, 0)), bool(controls.get(MIRROR, 0))
    return Settings(message.width, message.height, float(fps), flip, mirror)


def info(name: str, settings: Settings, stamp: int) -> Message:
    """The camera_info of a picture."""
    K = settings.pinhole.K
    P = [*K[0], 0.0, *K[1], 0.0, *K[2], 0.0]
    return CameraInfo(
        header=Header(stamp=stamp, frame_id=name),
        height=settings.height,
        width=settings.width,
        distortion_model="plumb_bob",
        D=[0.0] * 5,
        K=K.ravel(),
        R=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        P=P,
    )
