"""Plans on the robot: the gate must know what the plan knew of the world and of the hands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from baxterkit.collision.world import Obstacle, World
from baxterkit.errors import InputError
from baxterkit.model.names import SIDES
from baxterkit.ros.following import Followed

if TYPE_CHECKING:
    from baxterkit.ros.link import RobotLink

__all__ = ["go"]


def go(link: RobotLink, plan: Any, speed: float, mode: str) -> dict[str, Followed]:
    """Follows a plan; see `RobotLink.go`."""
    if not hasattr(plan, "trajectory") or not hasattr(plan, "things"):
        raise InputError(f"plan must be a result of planning.plan, got {type(plan).__name__}")
    plan.raise_if_failed()
    _check_tools(link, plan)
    world = _joined(plan.things, link.rules.world)
    timed = plan.trajectory().stretched(1.0 / speed)
    slow = {side: timed.of(side) for side in timed.sides}
    before = link.rules
    during = link.rules = replace(before, world=world)
    try:
        return link.follow(slow.get("left"), slow.get("right"), mode=mode)
    finally:
        if link.rules is during:  # else somebody has set others meanwhile
            link.rules = before


def _check_tools(link: RobotLink, plan: Any) -> None:
    for side in SIDES:
        planned, ours = (getattr(robot, side).model.tool for robot in (plan.robot, link.robot))
        if planned.shape and planned.name != ours.name:
            raise InputError(
                f"the plan was made for a robot with the tool {planned.name!r} in its {side} hand, "
                f"and the link's has {ours.name!r}; make the link with that robot: "
                "RobotLink(robot=...)"
            )


def _joined(things: tuple[Obstacle, ...], known: World | None) -> World | None:
    """What the link knows, and what the plan knew besides."""
    if known is None and not things:
        return None
    have = {} if known is None else {thing.name: thing for thing in known.state}
    for thing in things:
        ours = have.get(thing.name, thing)
        if ours.held != thing.held:
            raise InputError(
                f"the plan was made with {thing.name!r} {_where(thing)}, and in link.rules.world "
                f"it is {_where(ours)}; set link.rules, or plan again"
            )
        if thing.held and not np.array_equal(ours.T, thing.T):
            raise InputError(
                f"the plan was made with {thing.name!r} gripped at another place than "
                "link.rules.world says; set link.rules, or plan again"
            )
        have.setdefault(thing.name, thing)
    for side in SIDES:
        held = [thing.name for thing in have.values() if thing.held == side]
        if len(held) > 1:
            raise InputError(
                f"the plan was made with {held[-1]!r} in the {side} hand, and in link.rules.world "
                f"that holds {held[0]!r}; set link.rules, or plan again"
            )
    return World.of(have.values())


def _where(thing: Obstacle) -> str:
    return f"in the {thing.held} hand" if thing.held else "standing free"
