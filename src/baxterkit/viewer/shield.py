"""Keeps senseless messages of clients away from the server's state.

Everybody who can reach the port can send anything. viser hands a message's values on as they are:
a NaN in a slider would go to all other clients, and a made-up property name would overwrite the
server's own bookkeeping. Messages are therefore looked at before viser sees them. And a web page
from elsewhere, open in the user's own browser, can connect to this machine's ports too: while the
server is for this machine only, such pages may not speak.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

LARGEST = 1e6
"""Numbers beyond this make no sense in any control or pose here."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_VALUE_ONLY = "GuiUpdateMessage"


def shield(server: Any) -> None:
    """Puts a check in front of every handler of a `ViserServer`.

    It rests on two names inside viser; where a version lacks them, messages pass unchecked, and
    viser's own protection is what there is.
    """
    sockets = getattr(server, "_websock_server", None)
    table = getattr(sockets, "_incoming_handlers", {})
    connections = getattr(sockets, "_live_connections", {})
    local = getattr(sockets, "_host", "") in LOOPBACK

    def may_speak(client_id: Any) -> bool:
        connection = connections.get(client_id)
        return connection is None or not local or is_own_page(connection.request.headers)

    for kind, handlers in table.items():
        table[kind] = [_guarded(handler, may_speak) for handler in handlers]


def is_own_page(headers: Mapping[str, str]) -> bool:
    """Whether a connection comes from a page that this machine served, or from no page at all.

    Args:
        headers: Of the request that opened it.
    """
    origin, host = headers.get("Origin"), headers.get("Host", "")
    if origin is None:
        return True
    return urlsplit(origin).netloc == host and urlsplit(f"//{host}").hostname in LOOPBACK


def sensible(message: Any) -> bool:
    """Whether a client's message may be acted on: numbers are finite, controls get values only."""
    fields = vars(message)
    if type(message).__name__ == _VALUE_ONLY:
        updates = fields.get("updates")
        return isinstance(updates, dict) and set(updates) <= {"value"} and _finite(updates)
    vectors = [(name, size) for name, size in (("wxyz", 4), ("position", 3)) if name in fields]
    if any(not _vector(fields[name], size) for name, size in vectors):
        return False
    return _finite(list(fields.values()))


def _guarded(handler: Any, may_speak: Callable[[Any], bool]) -> Any:
    async def checked(client_id: Any, message: Any) -> None:
        if not may_speak(client_id) or not sensible(message):
            return
        try:
            result = handler(client_id, message)
            if hasattr(result, "__await__"):
                await result
        except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
            return  # a message that viser itself cannot make sense of

    return checked


def _vector(value: Any, size: int) -> bool:
    if not isinstance(value, tuple | list) or len(value) != size:
        return False
    if not all(isinstance(x, int | float) for x in value) or not _finite(value):
        return False
    return size != 4 or math.hypot(*value) > 1e-3


def _finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_finite(x) for x in value.values())
    if isinstance(value, list | tuple):
        return all(_finite(x) for x in value)
    if isinstance(value, float):
        return math.isfinite(value) and abs(value) < LARGEST
    return True
