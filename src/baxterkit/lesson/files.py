"""Lessons in files: one JSON object with the motion, waypoints, hands and notes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from baxterkit import disk
from baxterkit.errors import FileError, InputError, MissingFileError, ShapeError, shortened
from baxterkit.trajectory.pieces import content_of, from_content, plain
from baxterkit.trajectory.trajectory import Trajectory

Stored: TypeAlias = Mapping[str, str | float | bool | None]
"""A hand in a file."""
FORMAT = "baxterkit lesson 1"
MOST = 32 * 2**20
"""Longest file that is read [bytes]."""


def save(
    path: str | Path,
    motion: Trajectory,
    waypoints: tuple[float, ...],
    hands: Mapping[str, Stored],
    notes: tuple[str, ...],
) -> Path:
    """Writes a lesson; see `Lesson.save`."""
    path = lesson_path(path)
    content = {
        "format": FORMAT,
        "waypoints": list(waypoints),
        "hands": hands,
        "notes": list(notes),
        "motion": plain(content_of(motion)),
    }
    disk.write_text(path, json.dumps(content) + "\n")
    return path


def load(
    path: str | Path,
) -> tuple[Trajectory, tuple[float, ...], dict[str, Stored], tuple[str, ...]]:
    """Motion, waypoints, hands and notes of a file; see `Lesson.load`."""
    path = lesson_path(path)
    try:
        raw = disk.read_bytes(path, MOST, "cut the lesson into shorter ones")
    except MissingFileError:
        raise
    except FileError as error:
        raise InputError(str(error)) from error
    try:
        content = json.loads(raw.decode())
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InputError(f"it is no lesson (no format {FORMAT!r})")
        motion = from_content(content["motion"], path.stem, Trajectory)
        waypoints = tuple(float(t) for t in content.get("waypoints", ()))
        hands: dict[str, Stored] = {
            str(side): dict(hand) for side, hand in content.get("hands", {}).items()
        }
        notes = tuple(str(note) for note in content.get("notes", ()))
    except (InputError, ShapeError) as error:
        raise InputError(f"{path}: {error}") from error
    except (
        ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError,
    ) as error:  # fmt: skip
        reason = shortened(" ".join(str(error).split()), 200)
        raise InputError(f"{path} is no lesson: {reason}") from error
    return motion, waypoints, hands, notes


def lesson_path(place: str | Path) -> Path:
    """The path of a lesson's file.

    Raises:
        InputError: If it does not end in .json.
    """
    path = disk.as_path(place)
    if path.suffix != ".json":
        raise InputError(f"{path}: a lesson's file ends in .json")
    return path
