"""The face on Baxter's screen: two eyes, drawn with NumPy."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from baxterkit.look.robot import GLASS, IRIS, PUPIL, WHITE


@cache
def face(width: int = 432, height: int = 272) -> NDArray[np.uint8]:
    """A friendly face, shape (height, width, 3), the first row at the bottom; read-only."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    picture = np.broadcast_to(np.array(GLASS, dtype=np.float64), (height, width, 3)).copy()

    def disc(cx: float, cy: float, rx: float, ry: float, color: tuple[int, int, int]) -> None:
        distance = np.hypot((x - cx * width) / rx, (y - cy * height) / ry)
        cover = np.clip((1.0 - distance) * min(rx, ry) / 1.5, 0.0, 1.0)[..., None]
        picture[:] = (1.0 - cover) * picture + cover * np.array(color, dtype=np.float64)

    for side in (-1.0, 1.0):
        cx = 0.5 + 0.2 * side
        disc(cx, 0.46, 58.0, 66.0, WHITE)
        disc(cx, 0.50, 30.0, 32.0, IRIS)
        disc(cx, 0.50, 15.0, 16.0, PUPIL)
        disc(cx + 0.018, 0.455, 6.0, 6.0, WHITE)
        disc(cx, 0.13, 62.0, 26.0, GLASS)  # the lid
    drawn = np.ascontiguousarray(picture[::-1].astype(np.uint8))
    drawn.flags.writeable = False
    return drawn
