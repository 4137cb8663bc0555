"""Recordings of the robot: one type, and readers for all its file formats.

>>> from baxterkit import recording
>>> rec = recording.load("arm.csv", side="left")
>>> rec.filtered(5.0).with_acceleration()

From a file to a `Recording`: `loading` chooses the reader (`bag`, `mcap_file`, `mat_file`,
`parquet`, `text_files`, each with the modules named after it), `assemble` checks the
reader's output.
"""

from __future__ import annotations

from baxterkit.errors import RecordingError
from baxterkit.recording.loading import find, load
from baxterkit.recording.recording import Recording
from baxterkit.recording.transforms import FixedFrames, fixed_frames, mount_from_tf

__all__ = [
    "FixedFrames",
    "Recording",
    "RecordingError",
    "find",
    "fixed_frames",
    "load",
    "mount_from_tf",
]
