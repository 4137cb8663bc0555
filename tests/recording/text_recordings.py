"""Texts of recordings, made up: joint_recorder's CSV, and tables of any columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from baxterkit.model.names import JOINTS, joint_names
from baxterkit.types import Array

N = 200


def motion(n: int = N, step: float = 0.01) -> tuple[Array, Array, Array, Array]:
    """Time, positions, velocities and torques of a made-up motion, e1 within its limits."""
    t = np.arange(n) * step
    phase = 2.0 * t[:, None] + np.arange(7)
    middle = 0.8 * (np.arange(7) == JOINTS.index("e1"))
    return t, middle + 0.7 * np.sin(phase), 1.4 * np.cos(phase), 5.0 * np.sin(phase + 1.0)


def table(columns: dict[str, Array], separator: str = ",") -> str:
    """Columns as text with a header."""
    rows = np.stack(list(columns.values()), axis=1).tolist()
    lines = [separator.join(columns), *(separator.join(map(repr, row)) for row in rows)]
    return "\n".join(lines) + "\n"


def joint_recorder(n: int = N) -> str:
    """What Rethink's joint_recorder writes: time, both arms, grippers."""
    t, q, _, _ = motion(n)
    columns = {"time": t}
    for side, offset in (("left", 0.0), ("right", 0.1)):
        columns |= dict(zip(joint_names(side), (q + offset).T, strict=True))
        columns[f"{side}_gripper"] = np.full(n, 100.0)
    return table(columns)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
