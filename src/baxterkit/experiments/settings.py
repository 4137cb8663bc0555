"""Settings of experiments: folder of recordings, thoroughness, progress."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from baxterkit.errors import InputError

VARIABLE = "BAXTERKIT_DATA"
URDF_VARIABLE = "BAXTERKIT_URDF"
"""Folder of Rethink's URDF files, named as baxter_v1.2.0.urdf."""


def _silent(_text: str, _part: float) -> None:
    """Ignores progress."""


@dataclass(frozen=True)
class Settings:
    """Settings of a run.

    Attributes:
        data: Folder of the recordings; that of the environment variable BAXTERKIT_DATA if None.
        quick: Whether to use fewer samples, for a first look.
        seed: Seed of every random choice.
        ros: Address of the ROS master of a robot to run on, "" for ROS_MASTER_URI; None for the
            twin in this process.
        patience: How old that robot's states may be, and how long this process may be held up,
            until a motion ends [s]; as in `ros.Rules` if None.
        progress: Called with a description of the current step, and the share done, 0 to 1.
    """

    data: Path | None = None
    quick: bool = False
    seed: int = 0
    ros: str | None = None
    patience: float | None = None
    progress: Callable[[str, float], None] = _silent

    def __post_init__(self) -> None:
        if self.data is not None and not Path(self.data).is_dir():
            raise InputError(f"{self.data} is no folder; --data names the folder of the recordings")
        if self.patience is not None and not 0.0 < self.patience <= 10.0:
            raise InputError(f"patience = {self.patience} s; it must be above 0 and at most 10")

    @property
    def folder(self) -> Path | None:
        """The folder of the recordings, or None if there is none."""
        if self.data is not None:
            return Path(self.data)
        named = os.environ.get(VARIABLE)
        return Path(named) if named and Path(named).is_dir() else None

    @property
    def urdf(self) -> Path | None:
        """Rethink's URDF in the folder that BAXTERKIT_URDF names, or None if there is none."""
        named = os.environ.get(URDF_VARIABLE)
        files = sorted(Path(named).glob("baxter_v*.urdf")) if named else []
        return files[-1] if files else None

    def find(self, pattern: str) -> list[Path]:
        """Files of the recordings, sorted: `settings.find("torque/*.csv.gz")`; none if no data."""
        return [] if self.folder is None else sorted(self.folder.glob(pattern))

    def missing(self, what: str) -> str:
        """The note for missing recordings."""
        place = f"{self.folder} holds none" if self.folder else f"{VARIABLE} is not set"
        return (
            f"No recordings ({what}; {place}): this ran on a small synthetic recording instead. "
            f"Point to real ones with --data DIR or {VARIABLE}=DIR."
        )
