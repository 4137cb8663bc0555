"""Bounds for files that browsers send, checked before viser keeps a part of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from baxterkit.clock import SYSTEM
from baxterkit.viewer.server.viser_types import Viser

LARGEST_UPLOAD = 128 * 2**20
"""Largest number of bytes of all uploads under way together."""
SMALLEST_PART = 64 * 2**10
"""Browsers send parts of 512 KiB; many smaller ones would be answered one by one."""
LONGEST_NAME = 255
PATIENCE = 30.0
"""Time without progress after which another upload may replace one [s]."""


@dataclass
class Transfer:
    """An upload under way: its client, the announced and received sizes, and the time."""

    client: Viser
    size: int
    parts: int
    last: float
    received: int = 0
    indices: set[int] = field(default_factory=set)


class Uploads:
    """Admits uploads, and parts of those that were admitted.

    Args:
        drop: Called with the name of a transfer that ends early, to discard its data.
        tell: Called with a message for the user about a refusal.
        limit: Most bytes of all uploads under way.
        clock: Monotonic clock [s].
    """

    def __init__(
        self,
        drop: Callable[[str], None],
        tell: Callable[[str], None],
        limit: int = LARGEST_UPLOAD,
        clock: Callable[[], float] = SYSTEM.now,
    ) -> None:
        self._drop, self._tell, self._limit, self._clock = drop, tell, limit, clock
        self._transfers: dict[str, Transfer] = {}

    def starts(self, client: Viser, message: Viser) -> bool:
        """Whether an upload may begin."""
        name, size, parts = message.filename, message.size_bytes, message.part_count
        key = message.transfer_uuid
        if not (isinstance(name, str) and isinstance(key, str) and key not in self._transfers):
            return False
        if not all(type(number) is int and number >= 0 for number in (size, parts)):
            return False
        if len(name) > LONGEST_NAME or parts > 1 + size // SMALLEST_PART:
            return False
        if size > self._limit:
            self._tell(
                f"{name} has {size / 2**20:.0f} MB; browsers may send up to "
                f"{self._limit / 2**20:.0f} MB. Start with baxterkit view --play FILE instead."
            )
            return False
        now = self._clock()
        for other, transfer in list(self._transfers.items()):
            if now - transfer.last > PATIENCE:
                self._end(other)
        if sum(t.size for t in self._transfers.values()) + size > self._limit:
            self._tell(f"{name} has to wait: another upload is under way.")
            return False
        if parts:  # an empty file is complete at once
            self._transfers[key] = Transfer(client, size, parts, now)
        return True

    def continues(self, client: Viser, message: Viser) -> bool:
        """Whether a part belongs to an upload of this client, within what it announced."""
        transfer = self._transfers.get(message.transfer_uuid)
        if transfer is None or transfer.client != client:
            return False
        index, content = message.part_index, message.content
        if not isinstance(content, bytes) or type(index) is not int:
            return False
        if not 0 <= index < transfer.parts or index in transfer.indices:
            return False
        transfer.indices.add(index)
        transfer.received += len(content)
        transfer.last = self._clock()
        if transfer.received > transfer.size:
            self._end(message.transfer_uuid)
            return False
        if len(transfer.indices) == transfer.parts:
            del self._transfers[message.transfer_uuid]
        return True

    def forget(self, client: Viser) -> None:
        """Ends the uploads of a client that has gone."""
        for key in [key for key, t in self._transfers.items() if t.client == client]:
            self._end(key)

    def _end(self, key: str) -> None:
        del self._transfers[key]
        self._drop(key)
