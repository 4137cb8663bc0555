"""Statuses of a map, read chunk by chunk: the part that is needed, within a limit on memory."""

from __future__ import annotations

import errno
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from baxterkit.errors import FileError
from baxterkit.workspace.store import Index, MapStore, checksum

MOST_BYTES = 2**26
"""How much of the chunks that were read is kept."""

Ints = NDArray[np.int64]


class Statuses:
    """The statuses of a map's poses; each chunk is checked when it is read."""

    def __init__(self, store: MapStore) -> None:
        self._store = store
        self._marks: NDArray[np.uint64] | None = None
        self._kept: OrderedDict[Index, NDArray[np.uint8]] = OrderedDict()
        self._bytes = 0

    def at(self, arm: int, cells: Ints, which: Ints) -> Ints:
        """Statuses of poses: arm, indices of cells (n, 3), numbers of orientations (n,)."""
        edge = self._store.settings.chunk
        shape = self._store.settings.chunks[1:]
        chunks = cells // edge
        flat = np.ravel_multi_index(tuple(chunks.T), shape)
        found = np.empty(len(cells), dtype=np.int64)
        order = np.argsort(flat, kind="stable")
        first = np.flatnonzero(np.diff(flat[order], prepend=-1))
        for rows in np.split(order, first[1:]) if len(order) else ():
            x, y, z = chunks[rows[0]].tolist()
            values = self.chunk((arm, x, y, z))
            i, j, k = (cells[rows] - edge * chunks[rows]).T
            found[rows] = values[i, j, k, which[rows]]
        return found

    def chunk(self, index: Index) -> NDArray[np.uint8]:
        """Statuses of one chunk, axes x, y, z and orientation.

        Raises:
            FileError: If it does not hold what was written.
        """
        if index in self._kept:
            self._kept.move_to_end(index)
            return self._kept[index]
        if self._marks is None:
            self._marks = self._store.done()
        arrays = self._store.read(index)
        if checksum(arrays) != int(self._marks[index]):
            raise FileError(
                errno.EINVAL,
                f"the map is damaged (chunk {index}); make it again with --repair",
                str(self._store.path),
            )
        values: NDArray[np.uint8] = arrays["status"]
        self._kept[index] = values
        self._bytes += values.nbytes
        while self._bytes > MOST_BYTES and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._bytes -= gone.nbytes
        return values
