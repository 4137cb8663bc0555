"""Recordings of the robot: one type, readers for every file that Baxters leave behind.

>>> from baxterkit import recording
>>> rec = recording.load("arm.csv", side="left")
>>> rec.filtered(5.0).with_acceleration()
"""

from __future__ import annotations

from baxterkit.errors import RecordingError
from baxterkit.recording.loading import load
from baxterkit.recording.recording import Recording

__all__ = ["Recording", "RecordingError", "load"]
