"""Planners by name: our RRT-Connect, the paper's RRT, and those of OMPL."""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.errors import UnknownNameError
from baxterkit.planning.anytime import connect_anytime
from baxterkit.planning.connect import connect
from baxterkit.planning.ompl_planners import OMPL, ompl_planner
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
METHODS = (*_OWN, *OMPL)
"""Names of the planners; those of OMPL need the extra `[plan]`."""


def choose_method(name: str) -> Method:
    """The planner of this name.

    Raises:
        UnknownNameError: If there is none.
    """
    if name in _OWN:
        return _OWN[name]
    if name in OMPL:
        return ompl_planner(name)
    raise UnknownNameError("method", name, METHODS)
