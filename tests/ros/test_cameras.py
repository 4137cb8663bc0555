"""The twin's cameras over sockets: opened, closed and listed as on the robot, and what they see."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from ros_masters import PATIENCE, eventually

from baxterkit.collision import World
from baxterkit.messages import Message, message_class, service_type
from baxterkit.ros import OwnMaster, TwinRobot
from baxterkit.ros.graph.node import TcpNode
from baxterkit.ros.robot.camera_models import FOCAL
from baxterkit.ros.robot.camera_process import CameraProcess
from baxterkit.ros.robot.cameras import serve_cameras
from baxterkit.ros.robot.components import CAMERAS
from baxterkit.ros.robot.shared_state import SharedState
from baxterkit.sim import Camera, RenderError, Twin, opengl

pytestmark = pytest.mark.real_clock
Image = message_class("sensor_msgs/Image")
CameraInfo = message_class("sensor_msgs/CameraInfo")
Settings = message_class("baxter_core_msgs/CameraSettings")
Control = message_class("baxter_core_msgs/CameraControl")
List = service_type("baxter_core_msgs/ListCameras")
Open = service_type("baxter_core_msgs/OpenCamera")
Close = service_type("baxter_core_msgs/CloseCamera")


@pytest.fixture(scope="module")
def node() -> Iterator[TcpNode]:
    try:
        Camera(Twin(rigid=True), 32, 32)
    except RenderError as error:
        pytest.skip(str(error))
    world = World()
    world.add_table("table", -0.2)
    with (
        OwnMaster(0) as master,
        TwinRobot(Twin(world=world, start="neutral", rigid=True), master.uri) as robot,
        CameraProcess(robot, master.uri),
        TcpNode("program", master.uri) as node,
    ):
        yield node


def listed(node: TcpNode) -> list[str]:
    answer = node.call("/cameras/list", List, List.Request(), PATIENCE)
    return sorted(answer.cameras)


def opened(node: TcpNode, name: str, width: int = 320, height: int = 200, flip: int = 0) -> int:
    controls = [Control(id=107, value=flip), Control(id=108, value=flip)]
    settings = Settings(width=width, height=height, fps=20.0, controls=controls)
    request = Open.Request(name=name, settings=settings)
    return int(node.call("/cameras/open", Open, request, PATIENCE).err)


def closed(node: TcpNode, name: str) -> int:
    return int(node.call("/cameras/close", Close, Close.Request(name=name), PATIENCE).err)


@pytest.mark.slow
def test_two_cameras_are_open_at_a_time(node: TcpNode) -> None:
    eventually(lambda: listed(node) == ["left_hand_camera", "right_hand_camera"])
    assert opened(node, "head_camera") == errno.EBUSY
    assert closed(node, "left_hand_camera") == 0
    assert closed(node, "left_hand_camera") == errno.EINVAL
    assert listed(node) == sorted(CAMERAS)
    assert opened(node, "head_camera") == 0
    assert listed(node) == ["head_camera", "right_hand_camera"]
    assert opened(node, "head_camera", 641, 400) == errno.EINVAL
    assert opened(node, "nose_camera") == errno.EINVAL
    assert not node.publishers_of("/cameras/left_hand_camera/image")
    assert node.publishers_of("/cameras/head_camera/image") == ("/camera_server",)


def test_pictures_come_with_their_intrinsics(node: TcpNode) -> None:
    assert opened(node, "right_hand_camera", 320, 200) == 0
    pictures: list[Message] = []
    told: list[Message] = []
    name = "/cameras/right_hand_camera"
    subscribers = [
        node.subscribe(f"{name}/image", Image, lambda m, _: pictures.append(m)),
        node.subscribe(f"{name}/camera_info", CameraInfo, lambda m, _: told.append(m)),
    ]
    eventually(lambda: len(pictures) >= 3 and told)
    for subscriber in subscribers:
        subscriber.close()
    picture = pictures[-1]
    assert (picture.width, picture.height, picture.step) == (320, 200, 1280)
    assert picture.encoding == "bgra8"
    assert picture.header.frame_id == "right_hand_camera"
    pixels = np.frombuffer(picture.data, np.uint8).reshape(200, 320, 4)
    assert len(np.unique(pixels[:, :, :3].reshape(-1, 3), axis=0)) > 10
    assert told[-1].K.tolist()[0] == pytest.approx(FOCAL / 4.0)
    stamps = [one.header.stamp for one in pictures]
    assert stamps == sorted(set(stamps))


def test_a_flipped_and_mirrored_picture_is_turned_by_half(node: TcpNode) -> None:
    seen: list[np.ndarray] = []
    for flip in (0, 1):
        assert opened(node, "right_hand_camera", 320, 200, flip) == 0
        pictures: list[Message] = []
        subscriber = node.subscribe(
            "/cameras/right_hand_camera/image", Image, lambda m, _, p=pictures: p.append(m)
        )
        eventually(lambda p=pictures: len(p) >= 4)
        subscriber.close()
        seen.append(np.frombuffer(pictures[-1].data, np.uint8).reshape(200, 320, 4))
    straight, turned = (one[:, :, :3].astype(int) for one in seen)
    assert np.abs(turned[::-1, ::-1] - straight).mean() < 2.0
    assert np.abs(turned - straight).mean() > 2.0


def test_without_opengl_the_cameras_are_there_and_the_reason_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(opengl, "INSTALL", {"egl": "apt install libegl1"})
    monkeypatch.setattr(opengl, "import_module", lambda name: 1 / 0)
    twin = Twin(rigid=True)
    state, stop = SharedState(twin.model.nq), threading.Event()

    def told() -> list[str]:  # a loaded machine may be told of too
        return [text for text in caplog.messages if "cameras" in text]

    state.write(1, twin.data.qpos)
    with OwnMaster(0) as master, TcpNode("camera_server", master.uri, exact=True) as server:
        serving = threading.Thread(target=serve_cameras, args=(server, twin, state, stop))
        serving.start()
        with TcpNode("program", master.uri) as node:
            name = "/cameras/left_hand_camera/image"
            node.subscribe(name, Image, lambda *_: None)
            eventually(told)
            assert listed(node) == ["left_hand_camera", "right_hand_camera"]
        stop.set()
        serving.join(PATIENCE)
    state.close()
    assert len(told()) == 1
    assert told()[0].startswith(
        "the twin's cameras give no pictures: pictures of the twin need off-screen OpenGL, and "
        "none works here (egl: division by zero)"
    )
    assert "apt install libegl1" in told()[0]


def test_a_shared_state_is_read_as_it_was_written() -> None:
    one = SharedState(5)
    other = SharedState(5, one.path)
    assert other.read() is None
    one.write(7, np.arange(5.0))
    state = other.read()
    assert state is not None
    assert state[0] == 7
    assert state[1].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    one.close()
