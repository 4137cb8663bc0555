"""A better path until the time is up: search again, shorten, and keep the shortest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from baxterkit.clock import Deadline
from baxterkit.planning.connect import connect
from baxterkit.planning.request import Request
from baxterkit.planning.result import Search
from baxterkit.planning.rounding import smooth
from baxterkit.planning.settings import MOST_SEED
from baxterkit.types import Array

LEAST_TIME = 1e-3
"""Time below which another search is not begun [s]."""


def connect_anytime(
    request: Request, start: Array, goals: Array, seconds: float
) -> tuple[Array | None, Search, str]:
    """The shortest of the paths that RRT-Connect finds with one seed after the other.

    Each is shortened as for a motion. The straight line to a goal ends the search: nothing is
    shorter than that to the nearest.
    """
    deadline = Deadline(seconds)
    best: Array | None = None
    least, search, why, turn = np.inf, Search(), "", 0
    nearest = float(np.linalg.norm(goals - start, axis=-1).min())
    while best is None or deadline.left > LEAST_TIME:
        seed = (request.search.seed + turn) % MOST_SEED
        again = replace(request, search=replace(request.search, seed=seed))
        left = max(deadline.left, LEAST_TIME)
        found, took, why = connect(again, start, goals, left)
        search = search + replace(took, goals=0 if turn else took.goals)
        turn += 1
        if found is None:
            break
        if len(found) > 1:
            found, _ = smooth(request.checks, found, seed)
        length = float(np.linalg.norm(np.diff(found, axis=0), axis=-1).sum())
        if length < least:
            best, least = found, length
        if least <= nearest * (1.0 + 1e-12):
            break
    return best, search, "" if best is not None else why
