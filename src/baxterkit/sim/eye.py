"""Pictures of the twin's scene through a pinhole, from any frame: the robot's own cameras."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from baxterkit.errors import InputError
from baxterkit.sim.build import Mujoco
from baxterkit.sim.render import Camera
from baxterkit.types import Array, Transform

if TYPE_CHECKING:
    from baxterkit.sim.twin import Twin

NEAR, FAR = 0.02, 20.0
"""Nearest and farthest point that is drawn [m]."""


@dataclass(frozen=True)
class Pinhole:
    """A camera without distortion; x is to the right in the picture, y down, z ahead.

    Attributes:
        width: Width of its pictures [pixel].
        height: Height of its pictures [pixel].
        focal: Focal length [pixel].
    """

    width: int
    height: int
    focal: float

    def __post_init__(self) -> None:
        if not self.focal > 0.0:
            raise InputError(f"focal = {self.focal} pixels; it must be above 0")

    @property
    def K(self) -> Array:
        """The camera matrix, shape (3, 3): the middle of the picture is its principal point."""
        cx, cy = 0.5 * self.width, 0.5 * self.height
        return np.array([[self.focal, 0.0, cx], [0.0, self.focal, cy], [0.0, 0.0, 1.0]])


class Eye(Camera):
    """Draws what a frame of the robot sees; the frame's z looks ahead, its y is down.

    Args:
        twin: The twin.
        pinhole: Size of the pictures, and focal length.
        look: As of `Camera`.

    Raises:
        MissingExtraError: If PyOpenGL is not installed.
        RenderError: If neither EGL nor OSMesa works.
    """

    def __init__(self, twin: Twin, pinhole: Pinhole, look: str | Path = "auto") -> None:
        super().__init__(twin, pinhole.width, pinhole.height, look=look)
        self._pinhole = pinhole
        self._T: Transform = np.eye(4)

    def seen_from(self, T_base_camera: Transform) -> NDArray[np.uint8]:
        """The picture from a pose in base, shape (height, width, 3)."""
        self._T = T_base_camera
        return self.picture()

    def free(self) -> None:
        """Gives the memory of its pictures back."""
        self._context.free()
        self._gl.free()

    def _aim(self, scene: Mujoco) -> None:
        p = self._pinhole
        scale = NEAR / p.focal
        for view in (scene.camera[0], scene.camera[1]):
            view.pos[:] = self._T[:3, 3]
            view.forward[:], view.up[:] = self._T[:3, 2], -self._T[:3, 1]
            view.orthographic = 0
            view.frustum_center, view.frustum_width = 0.0, 0.5 * p.width * scale
            view.frustum_bottom, view.frustum_top = -0.5 * p.height * scale, 0.5 * p.height * scale
            view.frustum_near, view.frustum_far = NEAR, FAR
