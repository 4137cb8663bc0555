"""What a hand holds has weight: the arm with the masses of the objects in its hand."""

from __future__ import annotations

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
from baxterkit.collision.world import World
from baxterkit.model.inertial import Payload, uniform


def with_held(arm: Arm, world: World) -> Arm:
    """The arm with the masses of the objects that its hand holds, beside a payload of its own.

    An object counts as a solid of uniform density, where it is in the hand.

    Args:
        arm: The arm.
        world: The objects, some of them held.
    """
    payload = arm.model.payload
    for item in world.state:
        if item.held != arm.side or not item.mass:
            continue
        body = uniform(item, item.mass)
        if payload is not None:
            body = payload.inertial.combine(body)
        shape = () if payload is None else payload.shape
        with unwarned():  # what was given has been looked at
            payload = Payload(body.mass, body.com, body.inertia, shape)
    return arm if payload is arm.model.payload else arm.replace(payload=payload)
