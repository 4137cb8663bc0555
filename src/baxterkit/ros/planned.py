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
from baxterkit.model.model import ArmModel
from baxterkit.model.names import SIDES
from baxterkit.model.shape import Solid
from baxterkit.planning.result import PlanResult
from baxterkit.robot.motions import Motion

if TYPE_CHECKING:
    from baxterkit.ros.link import RobotLink

ALIKE = 1e-6
"""Sizes and poses of solids that differ by less are the same [m], [1]."""
PAYLOAD = 0.05
"""A payload that is greater by more is another one [kg]."""


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
    _check_hands(link, motion)
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


def _check_hands(link: RobotLink, plan: PlanResult) -> None:
    """Refuses a plan whose hands wear or carry what the gate does not know."""
    for side in SIDES:
        planned = plan.robot.arm(side).model
        # The plan may be of the model, or of `link.scene`, where the tool may be another one.
        known: list[ArmModel] = [one.arm(side).model for one in (link.robot, link.tools.robot)]
        ours = known[0]
        same = [one for one in known if one.tool.name == planned.tool.name]
        if planned.tool.shape and not any(
            _alike(planned.tool.shape, one.tool.shape) for one in same
        ):
            if not same:
                raise InputError(
                    f"the plan was made for a robot with the tool {planned.tool.name!r} in its "
                    f"{side} hand, and the link's has {ours.tool.name!r}; make the link with that "
                    "robot: RobotLink(robot=...)"
                )
            raise InputError(
                f"the plan was made with another shape of the tool {planned.tool.name!r} in the "
                f"{side} hand than the link's; plan in link.scene, or make the link with that "
                "robot: RobotLink(robot=...)"
            )
        _check_payload(link, plan, planned, ours)


def _check_payload(link: RobotLink, plan: PlanResult, planned: ArmModel, ours: ArmModel) -> None:
    """Refuses a payload of the plan's model that the gate neither carries nor avoids with."""
    payload, side = planned.payload, planned.side
    if payload is None:
        return
    # The same body may be an object in the hand here.
    held = [x for x in link.scene.world.state if x.held == side and x.name not in plan.scene.world]
    mass = 0.0 if ours.payload is None else float(ours.payload.mass)
    way_out = (
        "make the link with that robot: RobotLink(robot=...), or plan with the object in the hand: "
        f"world.attach(name, {side!r}, T), link.scene = link.scene.replace(world=world)"
    )
    if not float(payload.mass) <= mass + sum(x.mass for x in held) + PAYLOAD:
        raise InputError(
            f"the plan was made with a payload of {payload.mass:g} kg in the {side} hand, and the "
            f"link's robot has {mass:g} kg; {way_out}"
        )
    shape = () if ours.payload is None else ours.payload.shape
    if payload.shape and not held and not _alike(payload.shape, shape):
        raise InputError(
            f"the plan was made with a payload in the {side} hand whose shape the link's robot "
            f"does not have; {way_out}"
        )


def _alike(one: tuple[Solid, ...], other: tuple[Solid, ...]) -> bool:
    """Whether bodies have the same shape."""
    return len(one) == len(other) and all(
        a.kind == b.kind
        and np.allclose(a.size, b.size, rtol=0.0, atol=ALIKE)
        and np.allclose(a.T, b.T, rtol=0.0, atol=ALIKE)
        for a, b in zip(one, other, strict=True)
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
