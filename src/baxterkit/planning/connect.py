"""RRT-Connect from one configuration to several, by the extension."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from baxterkit.planning.compiled import compiled_planner
from baxterkit.planning.request import Request
from baxterkit.planning.result import Search
from baxterkit.types import Array, frozen

RANGE = 1.2
"""Longest edge of a tree [rad], Euclidean over the joints."""
STEP = 0.1
"""Between the configurations of an edge that are looked at while trees grow [rad]."""
ONE_ARM = 0.06
"""Share of the random steps that one arm takes alone, where both may move."""
PATIENCE = {"left": 20, "right": 20, "both": 0}
"""Blocked steps in a row after which a tree takes steps of half that length, and after four times
as many of a quarter, until one is free; 0: never."""
FOUND, SAMPLES, TIME = 0, 1, 2


def connect(
    request: Request, start: Array, goals: Array, seconds: float
) -> tuple[Array | None, Search, str]:
    """A path from a free configuration to one of several free ones.

    Args:
        request: The problem.
        start: Joint positions of both arms [rad], shape (14,).
        goals: The same at the goals, shape (n, 14).
        seconds: Time limit.

    Returns:
        The corners, shape (k, 14), or None; what it took; why there is no path.
    """
    moves = {"left": 1, "right": 2, "both": 3}[request.group]
    arguments = (
        np.ascontiguousarray(start),
        np.ascontiguousarray(goals),
        request.limits,
        moves,
        request.scene.head,
        request.scene.margin,
        RANGE,
        request.search.samples,
        seconds,
        request.search.seed,
        STEP,
        ONE_ARM,
        PATIENCE[request.group],
        request.search.keep_tree,
    )
    answer = compiled_planner(request.checks.checker).connect(*arguments)
    end, _, points, samples, verdicts, proofs, _, at_start, at_goals, *edges = answer
    search = Search(samples, (at_start, at_goals), verdicts, proofs, len(goals))
    if request.search.keep_tree:
        rows = (frozen(edges[0].reshape(-1, 2, 14)), frozen(edges[1].reshape(-1, 2, 14)))
        search = replace(search, edges=rows)
    if end == FOUND:
        return points, search, ""
    limit = (
        f"the time limit of {request.search.timeout:g} s" if end == TIME else "the limit of samples"
    )
    several = "goal" if len(goals) == 1 else f"{len(goals)} goals"
    why = (
        f"no path to the {several} in {samples} samples ({limit}); the start led to "
        f"{at_start - 1} configurations, the {several} to {at_goals - len(goals)}"
    )
    return None, search, why
