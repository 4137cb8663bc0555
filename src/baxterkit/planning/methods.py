"""Planners by name: our RRT-Connect, the paper's RRT, and those of OMPL."""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.errors import UnknownNameError
from baxterkit.planning.connect import connect, connect_anytime
from baxterkit.planning.ompl_planners import PREFIX, ompl_planner
from baxterkit.planning.pseudo_inverse import rrt_pseudo_inverse
from baxterkit.planning.request import Request
from baxterkit.planning.result import Search
from baxterkit.types import Array

Method = Callable[[Request, Array, Array, float], tuple[Array | None, Search, str]]
"""From the request, a start (14,), goals (n, 14) and a time limit [s] to the corners of a path
(k, 14) or None, what it took, and why there is no path."""

_OWN: dict[str, Method] = {
    "rrt_connect": connect,
    "rrt_connect_anytime": connect_anytime,
    "rrt_pseudo_inverse": rrt_pseudo_inverse,
}
METHODS = tuple(_OWN)
"""Names of our planners; those of OMPL are "ompl:RRTstar" and so on (extra `[plan]`)."""


def check_method(name: str) -> None:
    """Raises UnknownNameError if no planner can have this name."""
    if not isinstance(name, str) or not (name in _OWN or name.startswith(PREFIX)):
        raise UnknownNameError("method", name, (*METHODS, f"{PREFIX}RRTConnect"))


def choose_method(name: str) -> Method:
    """The planner of this name.

    Raises:
        UnknownNameError: If there is none.
    """
    check_method(name)
    return _OWN[name] if name in _OWN else ompl_planner(name.removeprefix(PREFIX))
