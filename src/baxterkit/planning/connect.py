"""RRT-Connect from one configuration to several, by the extension."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from baxterkit.clock import Deadline
from baxterkit.planning.compiled import compiled_planner
from baxterkit.planning.outcome import Search
from baxterkit.planning.request import Request
from baxterkit.planning.rounding import smooth
from baxterkit.planning.settings import MOST_SEED
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
LEAST_TIME = 1e-3
"""What a search has at least [s]; below it, another one is not begun."""


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
    found = compiled_planner(request.checks.checker).connect(
        start=np.ascontiguousarray(start),
        goals=np.ascontiguousarray(goals),
        limits=request.limits,
        moves={"left": 1, "right": 2, "both": 3}[request.group],
        head=request.scene.head,
        margin=request.scene.margin,
        range=RANGE,
        samples=request.search.samples,
        seconds=seconds,
        seed=request.search.seed,
        step=STEP,
        one_arm=ONE_ARM,
        patience=PATIENCE[request.group],
        keep_trees=request.search.keep_tree,
    )
    nodes = (found.nodes_at_start, found.nodes_at_goals)
    search = Search(found.samples, nodes, found.verdicts, found.proofs, len(goals))
    if request.search.keep_tree:
        edges = (frozen(found.edges_at_start), frozen(found.edges_at_goals))
        search = replace(search, edges=edges)
    if found.end == FOUND:
        return found.points, search, ""
    limit = (
        f"the time limit of {request.search.timeout:g} s"
        if found.end == TIME
        else "the limit of samples"
    )
    several = "goal" if len(goals) == 1 else f"{len(goals)} goals"
    why = (
        f"no path to the {several} in {found.samples} samples ({limit}); the start led to "
        f"{nodes[0] - 1} configurations, the {several} to {nodes[1] - len(goals)}"
    )
    return None, search, why


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
