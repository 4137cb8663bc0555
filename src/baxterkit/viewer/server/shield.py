"""Keeps invalid messages of clients away from the server's state.

Anyone who can reach the port can send anything. viser passes a message's values on as they are: a
NaN in a slider would go to all other clients, a made-up property name would overwrite the server's
own bookkeeping, and endless parts of files would fill the memory. It also keeps what it passes on,
for later clients. Messages are therefore checked before viser sees them, and kinds that the viewer
does not use are dropped.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from baxterkit.viewer.server.gate import AccessGate
from baxterkit.viewer.server.uploads import Uploads
from baxterkit.viewer.server.viser_types import Viser

LARGEST = 1e6
"""Numbers beyond this are invalid in any control or pose."""
USED = frozenset(
    {
        "TransformControlsUpdateMessage",
        "TransformControlsDragStartMessage",
        "TransformControlsDragEndMessage",
        "SceneNodeClickMessage",
        "SceneNodeDragMessage",
        "GuiUpdateMessage",
        "FileTransferStartUpload",
        "FileTransferPart",
    }
)
"""Kinds of messages that the viewer uses."""
_VALUE_ONLY = "GuiUpdateMessage"


def shield(server: Viser, gate: AccessGate, tell: Callable[[str], None]) -> Uploads:
    """Puts a check in front of every handler of a `ViserServer`.

    It depends on a few internal names of viser; where a version lacks them, messages pass with
    viser's own protection alone.

    Args:
        server: The server.
        gate: The admission of connections, checked once more here.
        tell: Called with a message for the user about a refused upload.

    Returns:
        The uploads under way.
    """
    sockets: Viser = getattr(server, "_websock_server", None)
    table = getattr(sockets, "_incoming_handlers", {})
    connections = getattr(sockets, "_live_connections", {})

    def drop(transfer: str) -> None:
        getattr(server.gui, "_current_file_upload_states", {}).pop(transfer, None)

    uploads = Uploads(drop, tell)

    def admits(client_id: Viser, message: Viser) -> bool:
        connection = connections.get(client_id)
        if connection is not None and gate.refusal(connection.request.headers):
            return False
        kind = type(message).__name__
        if not sensible(message):
            return False
        if kind == "FileTransferStartUpload":
            _forget_answers(sockets)
            return uploads.starts(client_id, message)
        return kind != "FileTransferPart" or uploads.continues(client_id, message)

    for kind, handlers in table.items():
        used = handlers if kind.__name__ in USED else []
        table[kind] = [_guarded(handler, admits) for handler in used]
    if hasattr(sockets, "on_client_disconnect"):
        sockets.on_client_disconnect(lambda client: uploads.forget(client.client_id))
    return uploads


def _forget_answers(sockets: Viser) -> None:
    """Drops the answers to parts of earlier uploads, which viser keeps for clients to come."""
    sockets.get_message_buffer().remove_from_buffer(
        lambda message: type(message).__name__ == "FileTransferPartAck"
    )


def sensible(message: Viser) -> bool:
    """Whether a client's message may be acted on: numbers are finite, controls get values only."""
    fields = vars(message)
    if type(message).__name__ == _VALUE_ONLY:
        updates = fields.get("updates")
        return isinstance(updates, dict) and set(updates) <= {"value"} and _finite(updates)
    vectors = [(name, size) for name, size in (("wxyz", 4), ("position", 3)) if name in fields]
    if any(not _vector(fields[name], size) for name, size in vectors):
        return False
    return _finite(list(fields.values()))


def _guarded(handler: Viser, admits: Callable[[Viser, Viser], bool]) -> Viser:
    async def checked(client_id: Viser, message: Viser) -> None:
        try:
            if not admits(client_id, message):
                return
            result = handler(client_id, message)
            if hasattr(result, "__await__"):
                await result
        except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
            return  # a message that viser itself cannot decode

    return checked


def _vector(value: object, size: int) -> bool:
    if not isinstance(value, tuple | list) or len(value) != size:
        return False
    if not all(isinstance(x, int | float) for x in value) or not _finite(value):
        return False
    return size != 4 or math.hypot(*value) > 1e-3


def _finite(value: object) -> bool:
    if isinstance(value, dict):
        return all(_finite(x) for x in value.values())
    if isinstance(value, list | tuple):
        return all(_finite(x) for x in value)
    if isinstance(value, float):
        return math.isfinite(value) and abs(value) < LARGEST
    return True
