"""Planners of OMPL (extra `[plan]`), on the same body and the same swept edges.

OMPL checks every configuration and every edge through Python, and that takes longer than the checks
themselves: for speed use our own planner. Planners that optimise use all of their time.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from baxterkit.errors import UnknownNameError
from baxterkit.extras import load_extra
from baxterkit.planning.outcome import Search
from baxterkit.planning.request import Request
from baxterkit.types import Array

PREFIX = "ompl:"
"""Start of the name of a planner of OMPL; its class in `ompl.geometric` follows."""

Ompl: TypeAlias = Any
"""A module or object of OMPL, which has no types."""


def ompl_planner(
    name: str,
) -> Callable[[Request, Array, Array, float], tuple[Array | None, Search, str]]:
    """A function that plans with a planner of OMPL, as in `planner.Method`.

    Args:
        name: Class of the planner, as "RRTConnect".

    Raises:
        MissingExtraError: If OMPL is not installed.
        UnknownNameError: If it has no such planner.
    """

    def load(part: str) -> Ompl:
        return load_extra(
            f"ompl.{part}", feature=f"The planner {name}", package="OMPL", extra="plan"
        )

    base, geometric, util = load("base"), load("geometric"), load("util")
    classes = {x: y for x, y in vars(geometric).items() if isinstance(y, type)}
    known = [f"{PREFIX}{x}" for x, y in classes.items() if issubclass(y, base.Planner)]
    if f"{PREFIX}{name}" not in known:
        raise UnknownNameError("method", f"{PREFIX}{name}", known)

    def run(
        request: Request, start: Array, goals: Array, seconds: float
    ) -> tuple[Array | None, Search, str]:
        util.setLogLevel(util.LogLevel.LOG_NONE)
        util.RNG.setSeed(request.search.seed % (1 << 31) + 1)
        problem = _Problem(base, geometric, request, start)
        straight = problem.straight(goals)
        if straight is not None:
            return straight, Search(0, (1, len(goals)), 0, problem.proofs, len(goals)), ""
        return problem.solve(name, goals, seconds)

    return run


class _Problem:
    def __init__(self, base: Ompl, geometric: Ompl, request: Request, start: Array) -> None:
        self.base, self.geometric, self.request = base, geometric, request
        self.start = start
        self.first, self.joints = request.columns.start, 7 * len(request.sides)
        self.verdicts = self.proofs = 0
        space = base.RealVectorStateSpace(self.joints)
        bounds = base.RealVectorBounds(self.joints)
        for j in range(self.joints):
            bounds.setLow(j, float(request.lower[self.first + j]))
            bounds.setHigh(j, float(request.upper[self.first + j]))
        space.setBounds(bounds)
        self.space, self.info = space, base.SpaceInformation(space)
        # What OMPL holds must not hold OMPL: it would never be freed.
        me = weakref.proxy(self)
        self.info.setStateValidityChecker(lambda state: me.is_free(state))
        self.info.setMotionValidator(_edges(base)(self.info, me))
        self.info.setup()

    def straight(self, goals: Array) -> Array | None:
        """The straight line to the nearest goal, if it is free.

        There is nothing left to optimise then, and planners that draw samples only where a shorter
        path could be would look for one for ever.
        """
        goal = goals[np.argmin(np.linalg.norm(goals - self.start, axis=-1))]
        self.proofs += 1
        request = self.request
        if not request.checks.edge_free(self.start, goal):
            return None
        return _exact_ends(np.stack([self.start, goal]), self.start, goals)

    def solve(self, name: str, goals: Array, seconds: float) -> tuple[Array | None, Search, str]:
        """Plans until the time is up, or a planner that does not optimise has a path."""
        definition = self.base.ProblemDefinition(self.info)
        definition.addStartState(self.state(self.start))
        aims = self.base.GoalStates(self.info)
        # PRM takes further goals on a thread of its own. That waits for the GIL while it holds the
        # graph, and the planner waits for the graph, for ever. So it gets the nearest goal alone.
        for goal in goals[:1] if "PRM" in name else goals:
            aims.addState(self.state(goal))
        definition.setGoal(aims)
        planner = getattr(self.geometric, name)(self.info)
        planner.setProblemDefinition(definition)
        planner.setup()
        # Not a condition in Python: PRM asks for it on a thread of its own, without the GIL.
        planner.solve(self.base.timedPlannerTerminationCondition(seconds))
        search = Search(0, (0, 0), self.verdicts, self.proofs, len(goals))
        if not definition.hasExactSolution():
            why = f"{name} found no path in {seconds:.3g} s and {self.verdicts} configurations"
            return None, search, why
        path = definition.getSolutionPath()
        points = np.stack(
            [self.configuration(path.getState(k)) for k in range(path.getStateCount())]
        )
        return _exact_ends(points, self.start, goals), search, ""

    def state(self, q: Array) -> Ompl:
        """A state of the joints that move."""
        state = self.space.allocState()
        for j in range(self.joints):
            state[j] = float(q[self.first + j])
        return state

    def configuration(self, state: Ompl) -> Array:
        """Joint positions of both arms."""
        q = self.start.copy()
        for j in range(self.joints):
            q[self.first + j] = state[j]
        return q

    def is_free(self, state: Ompl) -> bool:
        """Whether a state is free."""
        self.verdicts += 1
        q, request = self.configuration(state), self.request
        return not request.checks.in_collision(q[:7], q[7:])

    def edge_free(self, one: Ompl, other: Ompl) -> bool:
        """Whether all between two states is free; the end is looked at first."""
        if not self.is_free(other):
            return False
        self.proofs += 1
        request = self.request
        return bool(request.checks.edge_free(self.configuration(one), self.configuration(other)))


def _edges(base: Ompl) -> Ompl:
    """The class of motion validators that sweep edges."""

    class Edges(base.MotionValidator):  # type: ignore[misc]
        def __init__(self, info: Ompl, problem: _Problem) -> None:
            super().__init__(info)
            self.problem = problem

        def checkMotion(self, one: Ompl, other: Ompl, *_: Ompl) -> bool:
            return self.problem.edge_free(one, other)

    return Edges


def _exact_ends(points: Array, start: Array, goals: Array) -> Array:
    """The path with the start and the nearest goal to the last bit, without repeated corners."""
    points[0] = start
    points[-1] = goals[np.argmin(np.linalg.norm(goals - points[-1], axis=-1))]
    moved = np.any(np.diff(points, axis=0) != 0.0, axis=-1)
    return np.ascontiguousarray(points[np.concatenate([[True], moved])])
