"""What the gate's world becomes when a hand takes an object, or leaves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baxterkit.collision.world import World
from baxterkit.lesson.rehearsal import held_by
from baxterkit.spatial import inverse

if TYPE_CHECKING:
    from baxterkit.ros.link import RobotLink


def taken(known: World, link: RobotLink, side: str, name: str | None) -> World:
    """The known world after a hand has taken an object, or left what it held (None)."""
    world = World.of(known.state)
    T, held = link.limb(side).tip, held_by(world, side)
    if name is None:
        if held is not None:
            world.detach(held, T @ world[held].T)
    elif name in world and held is None:
        world.attach(name, side, inverse(T) @ world[name].T)
    return world
