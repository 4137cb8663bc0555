"""Foxglove's protocol, spoken by a client of our own: topics, definitions, messages."""

from __future__ import annotations

import json
import struct
import time

import components
import pytest
from ros_masters import PATIENCE
from twin_process import linked

from baxterkit.errors import InputError
from baxterkit.messages import message_class
from baxterkit.ros import OwnMaster, TwinRobot
from baxterkit.sim import Twin

pytestmark = pytest.mark.real_clock
JointState = message_class("sensor_msgs/JointState")


def test_what_the_robot_says_is_shown_live() -> None:
    components.require("foxglove")
    components.require("viser")  # brings websockets
    from websockets.sync.client import connect

    with (
        OwnMaster(0) as master,
        TwinRobot(Twin(), master.uri),
        linked(master.uri) as link,
        link.foxglove(0) as server,
    ):
        with pytest.raises(InputError, match="cannot listen on"):
            link.foxglove(server.port)
        with connect(server.address, subprotocols=["foxglove.sdk.v1"]) as socket:  # type: ignore[list-item]
            known: dict[str, dict[str, object]] = {}
            end = time.monotonic() + PATIENCE
            while not {"/robot/joint_states", "/tf", "/robot/ref_joint_states"} <= set(known):
                text = socket.recv(timeout=PATIENCE)
                if isinstance(text, str) and json.loads(text)["op"] == "advertise":
                    known |= {c["topic"]: c for c in json.loads(text)["channels"]}
                assert time.monotonic() < end, set(known)
            channel = known["/robot/joint_states"]
            assert (channel["encoding"], channel["schemaEncoding"]) == ("ros1", "ros1msg")
            assert channel["schema"] == JointState.TEXT
            wish = {"op": "subscribe", "subscriptions": [{"id": 7, "channelId": channel["id"]}]}
            socket.send(json.dumps(wish))
            data = b""
            while not (isinstance(data, bytes) and data[:1] == b"\x01"):
                data = socket.recv(timeout=PATIENCE)  # type: ignore[assignment]
            assert struct.unpack_from("<I", data, 1) == (7,)
            names = JointState.decode(data[13:]).name
            assert "left_s0" in names or "gripper" in names[0]
        server.close()
        assert link.left.published.age < PATIENCE  # the link goes on
