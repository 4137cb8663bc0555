"""Recording the twin: what it publishes at 100 Hz, of both arms, for as long as it is open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from baxterkit import disk
from baxterkit.errors import InputError, RecordingError
from baxterkit.model.names import SIDES, check_side
from baxterkit.recording.mcap_file import write_mcap
from baxterkit.recording.recording import Recording
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.sim.twin import Twin


class TwinRecorder:
    """Keeps the published states of both arms while it is open.

    Args:
        twin: The twin.
        path: MCAP file of both arms to write at the end; none if None.

    Raises:
        InputError: If the path ends otherwise.
        FileError: If it cannot be written.
    """

    def __init__(self, twin: Twin, path: str | Path | None = None) -> None:
        self._twin, self._open = twin, True
        self._path = None if path is None else disk.as_path(path)
        if self._path is not None:
            if self._path.suffix != ".mcap":
                raise InputError(f"{path}: the twin is recorded as .mcap; over ROS also as .bag")
            disk.check_target(self._path)  # now: at the end of a run it would be too late
        self._t: list[float] = []
        self._rows: dict[str, list[Array]] = {side: [] for side in SIDES}
        twin._taps.append(self._keep)

    def __len__(self) -> int:
        return len(self._t)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the recording of the twin, and writes its file."""
        if self._open:
            self._open = False
            self._twin._taps.remove(self._keep)
            if self._path is not None:
                write_mcap(self.recording("left"), self._path, self.recording("right"))

    def recording(self, side: str) -> Recording:
        """One arm as a `Recording`, time 0 at its first row.

        Raises:
            RecordingError: If no time has passed.
        """
        rows = self._rows[check_side(side)]
        if not rows:
            raise RecordingError(f"no states of the {side} arm came while recording")
        q, qd, tau = np.moveaxis(np.array(rows), 1, 0)
        t = np.array(self._t)
        return Recording(t=t - t[0], q=q, qd=qd, tau=tau, side=side, source="twin")

    def _keep(self) -> None:
        self._t.append(self._twin.t)
        for limb in self._twin.limbs:
            self._rows[limb.side].append(limb._published.copy())
