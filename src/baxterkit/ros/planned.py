"""Plans on the robot: the gate must know what the plan knew of the world and of the hands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.collision.world import Obstacle, World
from baxterkit.errors import InputError
from baxterkit.model.names import SIDES
from baxterkit.planning.result import PlanResult
from baxterkit.robot.motions import Motion

if TYPE_CHECKING:
    from baxterkit.ros.link import RobotLink


@contextmanager
def world_of(link: RobotLink, motion: Motion) -> Iterator[None]:
    """Tells the gate, for a while, what a plan knew besides the link's world.

    Of two obstacles of one name that of the link counts.
    """
    if not isinstance(motion, PlanResult):
        yield
        return
    motion.raise_if_failed()
    _check_tools(link, motion)
    before = link.scene
    during = before.replace(world=_joined(motion.scene.world.state, before.world))
    link.scene = during
    try:
        yield
    finally:
        if link.scene.world is during.world:  # else somebody has set another meanwhile
            link.scene = link.scene.replace(world=before.world)


def _check_tools(link: RobotLink, plan: PlanResult) -> None:
    for side in SIDES:
        planned, ours = (getattr(robot, side).model.tool for robot in (plan.robot, link.robot))
        if planned.shape and planned.name != ours.name:
            raise InputError(
                f"the plan was made for a robot with the tool {planned.name!r} in its {side} hand, "
                f"and the link's has {ours.name!r}; make the link with that robot: "
                "RobotLink(robot=...)"
            )


def _joined(things: tuple[Obstacle, ...], known: World) -> World:
    """What the link knows, and what the plan knew besides."""
    have = {thing.name: thing for thing in known.state}
    for thing in things:
        ours = have.get(thing.name, thing)
        if ours.held != thing.held:
            raise InputError(
                f"the plan was made with {thing.name!r} {_where(thing)}, and in link.scene "
                f"it is {_where(ours)}; set link.scene, or plan again"
            )
        if thing.held and not np.array_equal(ours.T, thing.T):
            raise InputError(
                f"the plan was made with {thing.name!r} gripped at another place than "
                "link.scene says; set link.scene, or plan again"
            )
        have.setdefault(thing.name, thing)
    for side in SIDES:
        held = [thing.name for thing in have.values() if thing.held == side]
        if len(held) > 1:
            raise InputError(
                f"the plan was made with {held[-1]!r} in the {side} hand, and in link.scene "
                f"that holds {held[0]!r}; set link.scene, or plan again"
            )
    return World.of(have.values())


def _where(thing: Obstacle) -> str:
    return f"in the {thing.held} hand" if thing.held else "standing free"
