"""Plans on the robot: the gate must know what the plan knew of the world and of the hands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.model.names import SIDES
from baxterkit.planning.result import PlanResult
from baxterkit.robot.motions import Motion

if TYPE_CHECKING:
    from baxterkit.ros.link import RobotLink


@contextmanager
def world_of(link: RobotLink, motion: Motion) -> Iterator[None]:
    """Tells the gate, for a while, what a plan knew besides the link's world.

    Of two obstacles of one name that of the link counts. What two plans under way have brought
    stays until both are over.
    """
    if not isinstance(motion, PlanResult):
        yield
        return
    motion.raise_if_failed()
    _check_tools(link, motion)
    planned, brought = motion.scene.world.state, link._brought
    mine: list[Obstacle] = []

    def join(known: World) -> World:
        have = _joined(planned, known)
        before = set(known.state)
        ours = (have[obstacle.name] for obstacle in planned)
        mine.extend(one for one in ours if one in brought or one not in before)
        brought.update(mine)
        return World.of(have.values()) if len(have) > len(known) else known

    def leave(known: World) -> World:
        brought.subtract(mine)
        over = {one for one in mine if not brought[one]}
        for one in over:
            del brought[one]
        left = [one for one in known.state if one not in over]
        return World.of(left) if len(left) < len(known) else known

    try:
        link._gate.change_world(join)
        yield
    finally:
        link._gate.change_world(leave)


def _check_tools(link: RobotLink, plan: PlanResult) -> None:
    for side in SIDES:
        planned, ours = (getattr(robot, side).model.tool for robot in (plan.robot, link.robot))
        if planned.shape and planned.name != ours.name:
            raise InputError(
                f"the plan was made for a robot with the tool {planned.name!r} in its {side} hand, "
                f"and the link's has {ours.name!r}; make the link with that robot: "
                "RobotLink(robot=...)"
            )


def _joined(obstacles: tuple[Obstacle, ...], known: World) -> dict[str, Obstacle]:
    """What the link knows, and copies of what the plan knew besides, by name.

    They are copies, so that an obstacle that somebody else sets meanwhile is not taken for ours.
    """
    have = {obstacle.name: obstacle for obstacle in known.state}
    for obstacle in obstacles:
        ours = have.get(obstacle.name, obstacle)
        if ours.held != obstacle.held:
            raise InputError(
                f"the plan was made with {obstacle.name!r} {_where(obstacle)}, and in link.scene "
                f"it is {_where(ours)}; set link.scene, or plan again"
            )
        if obstacle.held and not np.array_equal(ours.T, obstacle.T):
            raise InputError(
                f"the plan was made with {obstacle.name!r} gripped at another place than "
                "link.scene says; set link.scene, or plan again"
            )
        have.setdefault(obstacle.name, copy(obstacle))
    for side in SIDES:
        held = [obstacle.name for obstacle in have.values() if obstacle.held == side]
        if len(held) > 1:
            raise InputError(
                f"the plan was made with {held[-1]!r} in the {side} hand, and in link.scene "
                f"that holds {held[0]!r}; set link.scene, or plan again"
            )
    return have


def _where(obstacle: Obstacle) -> str:
    return f"in the {obstacle.held} hand" if obstacle.held else "standing free"
