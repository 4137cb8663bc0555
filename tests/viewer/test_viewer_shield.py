from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from viewer_client import Client, wait_for

from baxterkit.viewer import Viewer
from baxterkit.viewer.server.gate import AccessGate
from baxterkit.viewer.server.shield import sensible, shield


def message(kind: str, **fields: Any) -> Any:
    return type(kind, (SimpleNamespace,), {})(**fields)


@pytest.mark.parametrize(
    ("good", "kind", "fields"),
    [
        (True, "GuiUpdateMessage", {"uuid": "a", "updates": {"value": 0.5}}),
        (True, "GuiUpdateMessage", {"uuid": "a", "updates": {"value": "vacuum"}}),
        (True, "GuiUpdateMessage", {"uuid": "a", "updates": {"value": True}}),
        (False, "GuiUpdateMessage", {"uuid": "a", "updates": {"value": float("inf")}}),
        (False, "GuiUpdateMessage", {"uuid": "a", "updates": {"value": [1.0, float("nan")]}}),
        (False, "GuiUpdateMessage", {"uuid": "a", "updates": {"value": 1.0, "removed": True}}),
        (False, "GuiUpdateMessage", {"uuid": "a", "updates": None}),
        (True, "Pose", {"position": (0.1, 0.2, 0.3), "wxyz": (1.0, 0.0, 0.0, 0.0)}),
        (False, "Pose", {"position": (0.1, 0.2), "wxyz": (1.0, 0.0, 0.0, 0.0)}),
        (False, "Pose", {"position": (0.1, 0.2, None), "wxyz": (1.0, 0.0, 0.0, 0.0)}),
        (False, "Pose", {"position": (0.1, 0.2, 0.3), "wxyz": (0.0, 0.0, 0.0, 0.0)}),
        (False, "Pose", {"position": "abc", "wxyz": (1.0, 0.0, 0.0, 0.0)}),
        (False, "Pose", {"position": (0.1, 0.2, 1e9), "wxyz": (1.0, 0.0, 0.0, 0.0)}),
        (True, "ShareUrlRequest", {}),
    ],
)
def test_only_sensible_messages_pass(good: bool, kind: str, fields: dict[str, Any]) -> None:
    assert sensible(message(kind, **fields)) is good


def test_a_server_without_the_table_is_left_alone() -> None:
    gate = AccessGate("127.0.0.1")
    shield(SimpleNamespace(), gate, print)
    shield(SimpleNamespace(_websock_server=SimpleNamespace()), gate, print)


@pytest.mark.parametrize("kind", ["GuiFormDirtyMessage", "GuiFormSubmitMessage"])
def test_messages_for_which_there_is_no_use_are_not_kept(
    viewer: Viewer, client: Client, kind: str
) -> None:
    """viser would send each of them to everybody who connects later."""
    buffer = viewer.server._websock_server.get_message_buffer()
    before = len(buffer.message_from_id)
    for i in range(500):
        client.send(kind, uuid=f"{i}")
    limb = viewer.session.limb("left")
    goal = limb.T_base_tip[:3, 3] + [0.0, 0.0, 0.02]
    client.drag("left", goal, viewer.stage.gizmos["left"].wxyz)
    wait_for(lambda: viewer.updates == 1, "what came after them was handled")
    kinds = {type(message).__name__ for message in buffer.message_from_id.values()}
    assert kind not in kinds
    assert len(buffer.message_from_id) < before + 100
