from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from baxterkit.viewer.shield import is_own_page, sensible, shield


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
    shield(SimpleNamespace())
    shield(SimpleNamespace(_websock_server=SimpleNamespace()))


@pytest.mark.parametrize(
    ("own", "headers"),
    [
        (True, {"Host": "127.0.0.1:8080"}),  # no page: a program on this machine
        (True, {"Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:8080"}),
        (True, {"Host": "localhost:9000", "Origin": "http://localhost:9000"}),  # forwarded
        (False, {"Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:3000"}),
        (False, {"Host": "127.0.0.1:8080", "Origin": "https://elsewhere.example"}),
        (False, {"Host": "elsewhere.example:8080", "Origin": "http://elsewhere.example:8080"}),
        (False, {"Host": "127.0.0.1:8080", "Origin": "null"}),
    ],
)
def test_only_the_viewers_own_page_may_speak(own: bool, headers: dict[str, str]) -> None:
    assert is_own_page(headers) is own
