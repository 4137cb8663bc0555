"""A link that is used wrongly: it says so, hangs nowhere, and leaves nothing behind."""

from __future__ import annotations

import http.server
import os
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from link_scene import LocalScene, Scene
from ros_masters import eventually
from twin_process import linked

from baxterkit import Arm
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.ros import LocalGraph, MasterError, NoReplyError, RefusedError, RobotLink
from baxterkit.ros import gate as gate_module
from baxterkit.ros.graph.master import Master

NAN = float("nan")


def listeners(graph: LocalGraph) -> int:
    """How many publishers and subscribers a graph has."""
    topics = graph._topics.values()
    return sum(len(topic.publishers) + len(topic.subscribers) for topic in topics)


def registered(uri: str) -> set[str]:
    """Names of our links that the master knows."""
    state = Master(uri, "/test").call("getSystemState")
    return {node for kind in state for _, nodes in kind for node in nodes if "baxterkit" in node}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"timeout": NAN}, "timeout"),
        ({"timeout": -1.0}, r"timeout = -1 s; it must be from 0 to 86400 s"),
        ({"timeout": float("inf")}, "timeout"),
        ({"timeout": "long"}, "timeout must hold real numbers"),
        ({"robot": Arm("left")}, r"robot must be a Baxter, got Arm; of one arm: Baxter\.of_arm"),
        ({"rules": {}}, r"rules must be ros\.Rules, got dict"),
    ],
)
def test_a_link_of_wrong_arguments_is_none(
    local: LocalScene, options: dict[str, object], says: str
) -> None:
    before = listeners(local.graph)
    with pytest.raises(InputError, match=says):
        RobotLink(local.graph, **options)  # type: ignore[arg-type]
    assert listeners(local.graph) == before


def test_no_call_waits_for_ever(local: LocalScene) -> None:
    """A time that is no number would never be over."""
    link = local.link
    calls: list[Callable[[object], object]] = [
        lambda t: link.enable(t), lambda t: link.disable(t),
        lambda t: link.stop(t), lambda t: link.cancel(t), lambda t: link.pan_head(0.5, timeout=t),
        lambda t: link.mount("left", "tf", t), lambda t: link.left.calibrate_gripper(t),
        lambda t: link.left.move_gripper(0.5, timeout=t),
        lambda t: link.move_to("untuck", timeout=t), lambda t: link.move_to("untuck", tolerance=t),
        lambda t: link.move_to("untuck", path_tolerance=t),
    ]  # fmt: skip
    for call in calls:
        for value in (NAN, "soon"):
            with pytest.raises(InputError):
                call(value)
    assert link.enabled
    assert not link.stopped


def test_a_closed_link_says_so_and_registers_nothing(local: LocalScene) -> None:
    before = listeners(local.graph)
    link = RobotLink(local.graph)
    link.take_control()
    link.close()
    link.close()
    calls: list[Callable[[], object]] = [
        lambda: link.left.command_velocity(np.zeros(7)), link.take_control, link.stop,
        lambda: link.pan_head(0.5), lambda: link.left.move_gripper(0.1), link.disable,
        lambda: link.mount("left", "tf", 1.0), lambda: link.record("/tmp/never.bag"),
        lambda: link.left.q, lambda: link.right.tip,
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(BaxterkitError, match="was closed; make a new one"):
            call()
    link.left.hold()
    link.release_control()
    assert listeners(local.graph) == before


@pytest.mark.real_clock
def test_a_process_that_is_forked_off_cannot_send_and_leaves_the_link_alone(scene: Scene) -> None:
    link = scene.link
    name = link._listener.name
    read, write = os.pipe()
    child = os.fork()
    if not child:  # nothing of pytest may run here
        try:
            link.left.command_velocity(np.zeros(7))
            os.write(write, b"sent")
        except RefusedError as error:
            os.write(write, f"{error.reason}: {error}".encode())
            link.left.hold()
            link.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with os.fdopen(read) as answer:
        assert answer.read().startswith("closed: not sent: the link was closed; make a new one (a ")
    assert name in registered(scene.master)
    assert not link._listener.closed
    link.left.command_velocity(np.zeros(7))
    eventually(lambda: scene.received)


@pytest.mark.real_clock
def test_a_robot_that_cannot_reach_us_is_said(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its states come; but it does not know the name by which we offer our commands."""
    monkeypatch.setattr(gate_module, "CONNECT", 0.3)
    monkeypatch.setenv("ROS_HOSTNAME", "no-such-host.invalid")
    with linked(scene.master) as link:
        with pytest.raises(NoReplyError, match=r"nobody listens to our .*; set ROS_IP to this"):
            link.take_control()
        assert not link.in_control
        with pytest.raises(RefusedError, match=r"call enable\(\)"):
            link.left.command_velocity(np.zeros(7))


@pytest.fixture
def web_server() -> Iterator[http.server.HTTPServer]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            body = b"<html>It works!<br></html>"
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.real_clock
def test_a_web_server_is_no_master(web_server: http.server.HTTPServer) -> None:
    with pytest.raises(MasterError, match="no ROS master answers at"):
        RobotLink(f"http://127.0.0.1:{web_server.server_port}")


@pytest.mark.parametrize("uri", ["http://[::1", "http://127.0.0.1:99999", "robot:11311", 11311])
def test_an_address_that_is_none_is_said(uri: object) -> None:
    with pytest.raises(InputError, match="http://"):
        RobotLink(uri)  # type: ignore[arg-type]


def test_what_is_missing_of_a_robot_is_said(local: LocalScene) -> None:
    local.robot.paused.set()
    began = local.clock.now()
    with pytest.raises(NoReplyError, match="joint_states has not told of both arms within 0"):
        RobotLink(local.graph, timeout=0.2)
    assert local.clock.now() - began == pytest.approx(0.2)
