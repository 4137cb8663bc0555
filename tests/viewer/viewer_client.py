"""A client that speaks the viewer's language without a browser, and waiting with patience."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import components

from baxterkit.clock import SimulatedClock
from baxterkit.viewer import Viewer
from baxterkit.viewer.app import RATE

PATIENCE = 180.0  # s; a busy machine with a software renderer
SOCKETS = {"client", "named", "chromium"}
"""Fixtures with a client of the server or a browser: they know the machine's clock alone."""
CANVAS = "canvas[data-engine]"  # the scene; a second canvas over it is for labels


class StillViewer(Viewer):
    """A viewer on simulated time: it goes on while the test waits, in the test's thread."""

    threads = False
    now: StillViewer | None = None

    def __init__(self, **options: Any) -> None:
        self.clock = SimulatedClock()
        super().__init__(**options)

    def advance(self) -> None:
        self.clock.sleep(1.0 / RATE)
        self.turn()


@contextmanager
def opened(request: Any, **options: Any) -> Iterator[Viewer]:
    """A viewer on a free port; on simulated time, unless the test has a client or a browser."""
    components.require("viser")
    kind = Viewer if SOCKETS & set(request.fixturenames) else StillViewer
    with kind(port=0, **options) as viewer:
        with going_on(viewer):
            yield viewer
        assert viewer.failures == 0


@contextmanager
def going_on(viewer: Viewer) -> Iterator[None]:
    """Lets a viewer on simulated time go on while the test waits."""
    StillViewer.now = viewer if isinstance(viewer, StillViewer) else None
    yield
    StillViewer.now = None


def wait_for(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    """Polls until a condition holds, and returns what it gave."""
    still = StillViewer.now
    while still is not None and still.clock.now() < seconds:
        if value := condition():
            return value
        still.advance()
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what}: not within {seconds:g} s"
        time.sleep(0.02)


def do(viewer: Viewer, action: Any) -> None:
    """Lets the viewer's thread do something, and waits until it has."""
    done: list[Any] = []
    viewer.mailbox.post(object(), lambda: done.append(action()))
    wait_for(lambda: done, "the action is done")


class Client:
    """A client without a browser: it speaks viser's protocol over a websocket.

    Args:
        viewer: The viewer to connect to.
        origin: The page that a browser would name; no page if None.
        host: The name that a browser would have asked for; the viewer's address if None.
    """

    def __init__(self, viewer: Viewer, origin: Any = None, host: str | None = None) -> None:
        import viser
        from websockets.sync.client import connect

        place = (viewer.server.get_host(), viewer.server.get_port())
        self.socket = connect(
            viewer.address.replace("http", "ws") if host is None else f"ws://{host}:{place[1]}",
            sock=socket.create_connection(place, timeout=10),
            subprotocols=[f"viser-v{viser.__version__}"],
            max_size=None,
            compression=None,
            close_timeout=0.2,
            origin=origin,
        )
        self.received = 0

    def send(self, kind: str, **fields: Any) -> None:
        """Sends one message of a kind, as a browser would."""
        import msgspec

        self.socket.send(msgspec.msgpack.encode({"type": kind, **fields}))

    def hello(self) -> None:
        """Tells where the camera is: from then on the server counts this as a client."""
        self.send(
            "ViewerCameraMessage",
            wxyz=(1.0, 0.0, 0.0, 0.0),
            position=(2.0, 0.0, 1.0),
            fov=0.8,
            near=0.01,
            far=100.0,
            image_height=600,
            image_width=800,
            look_at=(0.0, 0.0, 0.0),
            up_direction=(0.0, 0.0, 1.0),
        )

    def drag(self, side: str, position: Any, wxyz: Any = (0.0, 1.0, 0.0, 0.0)) -> None:
        """Moves a hand's gizmo."""
        self.send(
            "TransformControlsUpdateMessage",
            name=f"/hand/{side}",
            position=tuple(float(x) for x in position),
            wxyz=tuple(float(x) for x in wxyz),
            owner="",
        )

    def release(self, side: str) -> None:
        """Lets a hand go."""
        self.send("TransformControlsDragEndMessage", name=f"/hand/{side}", owner="")

    def read(self, timeout: float = 0.5) -> bytes | None:
        """The next frame that the server sends, or None."""
        try:
            frame = self.socket.recv(timeout=timeout)
        except TimeoutError:
            return None
        assert isinstance(frame, bytes)
        self.received += len(frame)
        return frame

    def close(self) -> None:
        self.socket.close()
