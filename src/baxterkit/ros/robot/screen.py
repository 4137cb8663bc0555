"""The screen on the head: pictures that programs send to `/robot/xdisplay`.

The twin hands a picture on, for those who come later: viewers, and the process of its cameras.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from baxterkit.messages import Message, message_class
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.node import Node, Subscriber
from baxterkit.ros.robot.outlet import Outlet, listen
from baxterkit.ros.topics import Topic
from baxterkit.sim.twin import Twin

SHOWN = Topic("/baxterkit/twin/screen", message_class("sensor_msgs/Image"))
"""The twin's own topic; a robot has none of the kind."""
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
        twin: The twin, whose `screen` is the picture from then on.
    """

    def __init__(self, node: Node, twin: Twin) -> None:
        self._twin = twin
        self._shown = Outlet(node, SHOWN, latch=True)
        listen(node, "/robot/xdisplay", self._show)

    @property
    def picture(self) -> NDArray[np.uint8] | None:
        """The picture, shape (600, 1024, 3), red first; None if nobody has sent one."""
        return self._twin.screen

    def _show(self, message: Message) -> None:
        try:
            self._twin.screen = on_screen(message)
        except ValueError as error:
            LOG.warning("a picture for the screen is refused: %s", error)
            return
        self._shown.send(message)


def watch_screen(
    node: Node, show: Callable[[NDArray[np.uint8]], None], topic: str = SHOWN.name
) -> Subscriber:
    """Calls `show` with each picture that a robot's screen shows, shape (600, 1024, 3).

    Args:
        node: The node that listens.
        show: Called in the node's thread.
        topic: The twin's own, which has the last picture too; or `/robot/xdisplay`.
    """

    def hear(message: Message, _who: str) -> None:
        with suppress(ValueError):  # the robot shows none of these either
            show(on_screen(message))

    return node.subscribe(topic, SHOWN.kind, hear)


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
