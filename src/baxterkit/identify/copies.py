"""Recordings that hold the rows of another one: given twice, copied, or cut out of it.

They say nothing new, but count as if they did; and a copy that is left out of a fit is predicted
by a fit to the same rows, so its score is that of the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from baxterkit.recording import Recording

MOST_EQUAL = 0.5
"""A recording is a copy if more of its rows than this share are rows of another one: two takes of
one motion have hardly a row in common, whose 14 numbers are measured."""


def grouped(recordings: Sequence[Recording]) -> list[list[int]]:
    """Numbers of the recordings, those with equal rows in one group, in the order of the first.

    Args:
        recordings: Recordings with torques; without, only positions are compared.
    """
    groups: list[list[int]] = []
    rows = [_rows(one) for one in recordings]
    for k in range(len(rows)):
        alike = [group for group in groups if any(_are_copies(rows[k], rows[i]) for i in group)]
        merged = [i for group in alike for i in group] + [k]
        groups = [group for group in groups if group not in alike]
        groups.append(sorted(merged))
    return sorted(groups)


def copies(recordings: Sequence[Recording]) -> list[str]:
    """A sentence for each group of recordings with equal rows: advice of a fit to them."""
    return [
        f"{_listed(recordings, group[1:])} {'holds' if len(group) == 2 else 'hold'} the rows of "
        f"{_listed(recordings, group[:1])} again: they count twice, and a score of recordings left "
        "out would be that of the fit; give every recording once"
        for group in grouped(recordings)
        if len(group) > 1
    ]


def _listed(recordings: Sequence[Recording], numbers: Sequence[int]) -> str:
    """Recordings by their numbers, counted from 1, and their files."""
    names = []
    for k in numbers:
        file = Path(recordings[k].source).name
        names.append(f"recording {k + 1}" + (f" ({file})" if file else ""))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _rows(recording: Recording) -> frozenset[bytes]:
    """The rows of positions and torques as bytes."""
    parts = [recording.q] if recording.tau is None else [recording.q, recording.tau]
    table = np.concatenate(parts, axis=1) + 0.0  # no negative zeros
    width = table.shape[1] * table.itemsize
    return frozenset(np.ascontiguousarray(table).view(f"V{width}").ravel().tolist())


def _are_copies(a: frozenset[bytes], b: frozenset[bytes]) -> bool:
    return len(a & b) > MOST_EQUAL * min(len(a), len(b))
