"""The cameras of the twin: services to open and close them, and their pictures.

They are drawn by a process of their own, `camera_process`, at a lower priority than the robot's
states: where the machine is slow, there are fewer pictures, each with the stamp of the state that
it shows. As on the robot, two cameras are open at a time.
"""

from __future__ import annotations

import errno
import threading
import time

import numpy as np
from numpy.typing import NDArray

from baxterkit.errors import BaxterkitError
from baxterkit.messages import Message, message_class, service_type
from baxterkit.ros.graph.node import TcpNode
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.robot.camera_models import Settings, info, settings_of
from baxterkit.ros.robot.components import CAMERAS
from baxterkit.ros.robot.screen import watch_screen
from baxterkit.ros.robot.shared_state import SharedState
from baxterkit.sim.eye import Eye, Pinhole
from baxterkit.sim.physics import ARMS
from baxterkit.sim.twin import Twin

Image = message_class("sensor_msgs/Image")
CameraInfo = message_class("sensor_msgs/CameraInfo")
Header = message_class("std_msgs/Header")
List = service_type("baxter_core_msgs/ListCameras")
Open = service_type("baxter_core_msgs/OpenCamera")
Close = service_type("baxter_core_msgs/CloseCamera")
Reset = service_type("std_srvs/Empty")
AT_A_TIME = 2
AT_BOOT = ("left_hand_camera", "right_hand_camera")
REST = 0.5
"""Pause after a picture, as a share of the time that it took: others need the processor too."""
IDLE = 0.02
"""Pause while nobody looks [s]."""
SUFFIXES = ("image", "camera_info", "camera_info_std")


class CameraServer:
    """Serves the cameras of a twin that another process steps.

    Args:
        node: The node `camera_server`.
        twin: A twin of the same robot and world.
        state: Where its bodies are.
    """

    def __init__(self, node: TcpNode, twin: Twin, state: SharedState) -> None:
        self._node, self._twin, self._state = node, twin, state
        self._lock = threading.Lock()
        self._open: dict[str, Settings] = {}
        self._eyes: dict[Pinhole, Eye] = {}
        self._due: dict[str, float] = {}
        self._shown: dict[str, int] = {}
        watch_screen(node, self._put_on_screen)
        node.serve("/cameras/list", List, lambda _: List.Response(cameras=self.known()))
        node.serve("/cameras/open", Open, self._open_camera)
        node.serve("/cameras/close", Close, self._close_camera)
        node.serve("/cameras/reset", Reset, lambda _: self._reset())
        self._reset()

    def known(self) -> list[str]:
        """Cameras that have power: those that are open, and while one may be opened, all."""
        with self._lock:
            return list(self._open) if len(self._open) >= AT_A_TIME else list(CAMERAS)

    def open(self, name: str, settings: Settings) -> int:
        """Opens a camera, or changes its settings; returns 0, or why not as an `errno`."""
        if name not in CAMERAS:
            return errno.EINVAL
        with self._lock:
            if name not in self._open and len(self._open) >= AT_A_TIME:
                return errno.EBUSY
            if name not in self._open:
                for suffix, kind in zip(SUFFIXES, (Image, CameraInfo, CameraInfo), strict=True):
                    self._node.advertise(f"/cameras/{name}/{suffix}", kind, queue=2)
            self._open[name], self._shown[name] = settings, 0
        return 0

    def close_camera(self, name: str) -> int:
        """Closes a camera; returns 0, or EINVAL if it is not open."""
        with self._lock:
            if self._open.pop(name, None) is None:
                return errno.EINVAL
            for suffix in SUFFIXES:
                self._node.unadvertise(f"/cameras/{name}/{suffix}")
        return 0

    def run(self, stop: threading.Event) -> None:
        """Draws pictures until `stop` is set, in this thread: OpenGL is one thread's.

        Raises:
            RenderError: If there is no off-screen OpenGL; only once somebody looks.
        """
        while not stop.is_set():
            began = time.perf_counter()
            drawn = [name for name in CAMERAS if self._step(name, began)]
            took = time.perf_counter() - began
            stop.wait(REST * took if drawn else IDLE)

    def _step(self, name: str, now: float) -> bool:
        """Publishes a picture of a camera, if it is open, watched and due."""
        with self._lock:
            settings = self._open.get(name)
            if settings is None or now < self._due.get(name, 0.0):
                return False
            topics = [self._node.publisher(f"/cameras/{name}/{suffix}") for suffix in SUFFIXES]
        if not any(topic.subscribers for topic in topics):
            return False
        state = self._state.read()
        if state is None or state[0] == self._shown.get(name):
            return False
        self._due[name] = now + 1.0 / settings.fps
        self._shown[name] = state[0]
        picture = self.picture(name, settings, state[1]) if topics[0].subscribers else None
        told = info(name, settings, state[0])
        if picture is not None:
            topics[0].publish(_image(picture, name, state[0]))
        for topic in topics[1:]:
            topic.publish(told)
        return True

    def picture(self, name: str, settings: Settings, positions: np.ndarray) -> NDArray[np.uint8]:
        """What a camera sees with the twin's bodies at these positions, (height, width, 3)."""
        twin, pinhole = self._twin, settings.pinhole
        twin.data.qpos[:] = positions
        if pinhole not in self._eyes:
            self._eyes[pinhole] = Eye(twin, pinhole)
        q = positions
        T = twin.robot.transform("base", name, q[:7], q[7:ARMS], float(q[ARMS]))
        pixels = self._eyes[pinhole].seen_from(T)
        pixels = pixels[::-1] if settings.flip else pixels
        return pixels[:, ::-1] if settings.mirror else pixels

    def _put_on_screen(self, picture: NDArray[np.uint8]) -> None:
        self._twin.screen = picture

    def _open_camera(self, request: Message) -> Message:
        settings = settings_of(request.settings)
        code = errno.EINVAL if settings is None else self.open(request.name, settings)
        return Open.Response(err=code)

    def _close_camera(self, request: Message) -> Message:
        return Close.Response(err=self.close_camera(request.name))

    def _reset(self) -> Message:
        for name in CAMERAS:
            self.close_camera(name)
        for name in AT_BOOT:
            self.open(name, Settings())
        return Reset.Response()


def serve_cameras(node: TcpNode, twin: Twin, state: SharedState, stop: threading.Event) -> None:
    """Serves the cameras until `stop` is set; says why where pictures cannot be drawn."""
    server = CameraServer(node, twin, state)
    try:
        server.run(stop)
    except BaxterkitError as error:
        LOG.warning("the twin's cameras give no pictures: %s", error)
        stop.wait()


def _image(pixels: NDArray[np.uint8], name: str, stamp: int) -> Message:
    """A picture as the robot sends it: blue first, and a byte that says nothing."""
    height, width, _ = pixels.shape
    data = np.full((height, width, 4), 255, np.uint8)
    data[:, :, :3] = pixels[:, :, ::-1]
    return Image(
        header=Header(stamp=stamp, frame_id=name),
        height=height,
        width=width,
        encoding="bgra8",
        step=4 * width,
        data=data.tobytes(),
    )
