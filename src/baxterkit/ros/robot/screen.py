"""The screen on the head: pictures that programs send to `/robot/xdisplay`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from baxterkit.messages import Message
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.node import Node
from baxterkit.ros.robot.outlet import listen

WIDTH, HEIGHT = 1024, 600
"""Size of the screen [pixel]."""
_ORDER: dict[str, tuple[int, ...]] = {
    "bgr8": (2, 1, 0), "rgb8": (0, 1, 2), "bgra8": (2, 1, 0), "rgba8": (0, 1, 2),
    "mono8": (0, 0, 0), "8UC3": (2, 1, 0), "8UC1": (0, 0, 0), "8UC4": (2, 1, 0),
}  # fmt: skip
_CHANNELS = {name: 1 if name in ("mono8", "8UC1") else 4 if "4" in name or "a8" in name else 3
             for name in _ORDER}  # fmt: skip


class Screen:
    """What the screen shows.

    Args:
        node: The node that listens.

    Attributes:
        picture: The picture, shape (600, 1024, 3), red first; None if nobody has sent one.
        changed: Called with every new picture.
    """

    def __init__(self, node: Node) -> None:
        self.picture: NDArray[np.uint8] | None = None
        self.changed: Callable[[NDArray[np.uint8]], None] = lambda _: None
        listen(node, "/robot/xdisplay", self._show)

    def _show(self, message: Message) -> None:
        try:
            self.picture = on_screen(message)
        except ValueError as error:
            LOG.warning("a picture for the screen is refused: %s", error)
            return
        self.changed(self.picture)


def on_screen(message: Message) -> NDArray[np.uint8]:
    """A picture as the screen shows it: from its upper left corner, black where there is none.

    Raises:
        ValueError: If its encoding is not known, or bytes are missing.
    """
    if message.encoding not in _ORDER:
        raise ValueError(f"encoding {message.encoding!r}; known: {', '.join(_ORDER)}")
    channels, order = _CHANNELS[message.encoding], _ORDER[message.encoding]
    height, width, step = message.height, message.width, message.step
    if step < width * channels or len(message.data) < height * step:
        raise ValueError(
            f"{len(message.data)} bytes in rows of {step} are no {width} x {height} pixels of "
            f"{channels} bytes"
        )
    rows = np.frombuffer(message.data, np.uint8)[: height * step].reshape(height, step)
    pixels = rows[:, : width * channels].reshape(height, width, channels)[:, :, list(order)]
    shown = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    shown[: min(height, HEIGHT), : min(width, WIDTH)] = pixels[:HEIGHT, :WIDTH]
    return shown
