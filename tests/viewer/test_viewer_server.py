from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from typing import Any

import components
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from viewer_client import Client, wait_for

from baxterkit.errors import InputError
from baxterkit.viewer import Viewer


def test_only_this_machine_can_connect_unless_told_otherwise(viewer: Viewer) -> None:
    assert viewer.server.get_host() == "127.0.0.1"
    port = viewer.server.get_port()
    sockets = subprocess.run(["cat", "/proc/net/tcp"], capture_output=True, text=True).stdout
    listening = [line.split()[1] for line in sockets.splitlines()[1:] if line.split()[3] == "0A"]
    assert [entry for entry in listening if entry.endswith(f":{port:04X}")] == [
        f"0100007F:{port:04X}"
    ]


def test_page_is_served_from_this_machine_alone(viewer: Viewer) -> None:
    with urllib.request.urlopen(viewer.address, timeout=10) as answer:
        text = answer.read().decode()
    assert "<html" in text
    assert 'src="http' not in text  # works without the internet


def test_a_taken_port_is_passed_over(viewer: Viewer) -> None:
    with Viewer(port=viewer.server.get_port()) as second:
        assert second.address != viewer.address


def test_an_address_of_another_machine_is_refused() -> None:
    components.require("viser")
    with pytest.raises(InputError) as caught:
        Viewer(host="192.0.2.1", port=8080)
    assert str(caught.value) == (
        "cannot listen on 192.0.2.1, port 8080: Cannot assign requested address"
    )
    with pytest.raises(InputError) as caught:
        Viewer(host="nowhere.invalid", port=8080)
    assert re.fullmatch(
        r"cannot listen on nowhere.invalid, port 8080: [^()\[\]]+", str(caught.value)
    )
    with pytest.raises(InputError, match=r"^port must be between 0 and 65535, got 70000$"):
        Viewer(port=70000)


@pytest.mark.real_clock
def test_stopping_leaves_no_thread_and_no_socket() -> None:
    components.require("viser")
    before = set(threading.enumerate())
    viewer = Viewer(port=0)
    port = viewer.server.get_port()
    client = Client(viewer)
    viewer.stop()
    viewer.stop()  # a second time does nothing
    with pytest.raises(InputError, match="this viewer was stopped; make another one"), viewer:
        pass
    wait_for(
        lambda: all(
            "ThreadPoolExecutor" in thread.name for thread in set(threading.enumerate()) - before
        ),
        "no thread of the viewer is left",
    )
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=2)
    client.close()


def test_dragging_a_gizmo_moves_the_joints(viewer: Viewer, client: Client) -> None:
    limb = viewer.session.limb("left")
    before, T = limb.q, limb.T_base_tip
    goal = T[:3, 3] + [0.05, 0.05, 0.05]
    wxyz = viewer.stage.gizmos["left"].wxyz
    client.send("TransformControlsDragStartMessage", name="/hand/left", owner="")
    client.drag("left", goal, wxyz)
    wait_for(lambda: np.abs(limb.T_base_tip[:3, 3] - goal).max() < 1e-6, "the hand follows")
    assert np.abs(limb.q - before).max() > 0.01
    client.release("left")
    wait_for(lambda: limb.target is None, "the hand is let go")
    assert_array_equal(
        viewer.session.limb("right").q, viewer.session.limb("right").arm.configuration("untuck")
    )


def test_the_latest_of_many_updates_counts(viewer: Viewer, client: Client) -> None:
    limb = viewer.session.limb("right")
    start, wxyz = limb.T_base_tip[:3, 3], viewer.stage.gizmos["right"].wxyz
    for part in np.linspace(0.0, 1.0, 500):
        client.drag("right", start + part * np.array([0.0, -0.1, 0.05]), wxyz)
    goal = np.add(start, [0.0, -0.1, 0.05])
    wait_for(lambda: np.abs(limb.T_base_tip[:3, 3] - goal).max() < 1e-6, "the hand is there")


@pytest.mark.acceptance  # of a quiet machine
@pytest.mark.timing
def test_a_dragged_arm_is_sent_at_least_60_times_a_second(viewer: Viewer, client: Client) -> None:
    """Browsers report a gizmo 20 times a second; the arm in between goes on by itself."""
    limb = viewer.session.limb("left")
    start, wxyz = limb.T_base_tip[:3, 3], viewer.stage.gizmos["left"].wxyz
    rates = []
    for _ in range(4):  # a busy machine has its better moments
        seen: list[Any] = []
        begin = time.monotonic()
        last = 0.0
        while time.monotonic() - begin < 1.0:
            if time.monotonic() - last > 0.05:
                last = time.monotonic()
                angle = 2.0 * np.pi * (last - begin)
                client.drag(
                    "left", start + 0.08 * np.array([np.sin(angle), 0.0, np.cos(angle)]), wxyz
                )
            if not seen or limb.q is not seen[-1]:
                seen.append(limb.q)
            time.sleep(0.002)
        rates.append(len(seen))
        if rates[-1] >= 60:
            return
    raise AssertionError(f"updates in a second: {rates}")


@pytest.mark.slow
def test_ten_clients_are_served_at_once(viewer: Viewer) -> None:
    clients = [Client(viewer) for _ in range(10)]
    try:
        for client in clients:
            client.hello()
        wait_for(lambda: len(viewer.server.get_clients()) == 10, "all are known")
        for client in clients:
            wait_for(lambda client=client: client.read() and client.received > 50_000, "the scene")
        for client in clients:
            while client.read(timeout=0.2):
                pass
            client.received = 0
        viewer.mailbox.post("pose", lambda: viewer.session.go_to_configuration("neutral"))
        for client in clients:
            wait_for(lambda client=client: client.read() and client.received > 1000, "the motion")
    finally:
        for client in clients:
            client.close()


BAD = [
    ("GuiUpdateMessage", {"updates": {"value": float("nan")}}),
    ("GuiUpdateMessage", {"updates": {"value": "left"}}),
    ("GuiUpdateMessage", {"updates": {"value": 1e300}}),
    ("GuiUpdateMessage", {"updates": {"update_cb": 5}}),
    ("GuiUpdateMessage", {"updates": 3}),
    ("GuiUpdateMessage", {}),
]


@pytest.mark.parametrize("bad", range(len(BAD)))
def test_a_bad_value_for_a_slider_does_no_harm(viewer: Viewer, client: Client, bad: int) -> None:
    kind, fields = BAD[bad]
    slider = viewer.controls.arms["left"].sliders[1]
    before = slider.value
    client.send(kind, uuid=slider._impl.uuid, **fields)
    other = Client(viewer)
    other.hello()
    wait_for(lambda: len(viewer.server.get_clients()) >= 1, "a client is served")
    other.send("GuiUpdateMessage", uuid=slider._impl.uuid, updates={"value": -0.5})
    wait_for(lambda: viewer.session.limb("left").q[1] == -0.5, "the slider works")
    assert np.isfinite(before)
    other.close()


@pytest.mark.filterwarnings(
    "ignore:.*does not match annotation"
)  # by viser, which drops the client
@pytest.mark.parametrize(
    "fields",
    [
        {"position": (float("nan"), 0.0, 0.0), "wxyz": (1.0, 0.0, 0.0, 0.0)},
        {"position": (0.5, 0.2), "wxyz": (1.0, 0.0, 0.0, 0.0)},
        {"position": (0.5, 0.2, 0.2), "wxyz": (0.0, 0.0, 0.0, 0.0)},
        {"position": (1e30, 0.2, 0.2), "wxyz": (1.0, 0.0, 0.0, 0.0)},
        {"position": ("a", "b", "c"), "wxyz": (1.0, 0.0, 0.0, 0.0)},
    ],
)
def test_a_bad_gizmo_pose_does_no_harm(viewer: Viewer, client: Client, fields: Any) -> None:
    from websockets.exceptions import ConnectionClosed

    limb = viewer.session.limb("left")
    before = limb.q
    client.send("TransformControlsUpdateMessage", name="/hand/left", owner="", **fields)
    with contextlib.suppress(ConnectionClosed):  # the first message may have ended it already
        client.send("TransformControlsUpdateMessage", name="/no/such", owner="", **fields)
    second = Client(viewer)
    second.hello()
    goal = limb.T_base_tip[:3, 3] + [0.0, 0.0, 0.05]
    second.drag("left", goal, viewer.stage.gizmos["right"].wxyz)
    wait_for(lambda: limb.q is not before, "the gizmo still works")
    assert np.isfinite(limb.q).all()
    second.close()


@pytest.mark.parametrize("frame", [b"", b"\xff\x00nonsense", b"\x80" * 1000, "text", b"\xc1"])
def test_noise_closes_its_own_connection_only(
    viewer: Viewer, client: Client, frame: Any, caplog: pytest.LogCaptureFixture
) -> None:
    noisy = Client(viewer)
    noisy.socket.send(frame)
    goal = viewer.session.limb("left").T_base_tip[:3, 3] + [0.0, 0.0, 0.03]
    before = viewer.session.limb("left").q
    client.drag("left", goal, viewer.stage.gizmos["left"].wxyz)
    wait_for(lambda: viewer.session.limb("left").q is not before, "the others are served")
    noisy.close()


def test_no_client_can_have_the_robot_published(viewer: Viewer, client: Client) -> None:
    client.send("ShareUrlRequest")
    client.drag("left", (0.6, 0.3, 0.2), viewer.stage.gizmos["left"].wxyz)
    wait_for(lambda: viewer.updates == 1, "the message after it was handled")
    assert viewer.server._share_tunnel is None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_command_and_leave_no_process(number: int) -> None:
    components.require("viser")
    command = [sys.executable, "-m", "baxterkit", "view", "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("Baxter is at http://127.0.0.1:")
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_a_configuration_from_outside_is_shown(viewer: Viewer) -> None:
    left = viewer.session.limb("left").arm.configuration("neutral") + 0.05
    right = viewer.session.limb("right").arm.configuration("neutral") - 0.05
    viewer.show_robot(left, right, 0.3)
    wait_for(lambda: viewer.session.pan == 0.3, "the configuration to be shown")
    assert_array_equal(viewer.session.limb("left").q, left)
    assert_array_equal(viewer.session.limb("right").q, right)
