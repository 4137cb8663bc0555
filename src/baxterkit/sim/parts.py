"""The robot's look by the bodies of its models in MuJoCo: which mesh moves with which body."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from baxterkit.look.colors import Color
from baxterkit.look.meshes import GLASS_SIZE, RobotMeshes, find_meshes, load_meshes
from baxterkit.look.robot import arm_parts, face_parts, hand_parts, head_parts, torso_parts
from baxterkit.look.shapes import Mesh
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.sim.build import finger_names

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter


class BodyPart(NamedTuple):
    """One coloured mesh that moves with a body.

    Attributes:
        body: Name of the body; "world" for torso and pedestal.
        name: Its own name; parts of both arms have the same ones.
        mesh: Its mesh in the body's frame.
        color: Its colour.
    """

    body: str
    name: str
    mesh: Mesh
    color: Color


def body_parts(
    robot: Baxter, meshes: str | Path | None = "auto", *, fingers: bool = True
) -> Iterator[BodyPart]:
    """The robot's parts.

    Args:
        robot: Both arms with their tools, and the head.
        meshes: Folder of a `baxter_description` with Rethink's meshes; "auto" takes them from the
            package `example-robot-data` if it is installed, None gives our own look.
        fingers: Whether fingers are bodies that slide; otherwise they are open, and move with w2.

    Raises:
        InputError: If a mesh is missing or cannot be read.
    """
    folder = find_meshes() if meshes == "auto" else meshes
    look = None if folder is None else load_meshes(folder, robot.head)
    for name, mesh, color in torso_parts() if look is None else look.torso:
        yield BodyPart("world", name, mesh, color)
    for name, mesh, color in _head(look):
        yield BodyPart("head", name, mesh, color)
    for side in SIDES:
        model = robot.arm(side).model
        for part in arm_parts(model) if look is None else [*look.arm, *hand_parts(model)]:
            body, name = f"{side}_{JOINTS[part.frame]}_link", f"{JOINTS[part.frame]} {part.name}"
            if part.slide is None or not fingers:
                yield BodyPart(body, name, part.at(1.0), part.color)
            else:
                body = finger_names(side)[0 if part.slide[1] > 0.0 else 1]
                yield BodyPart(body, name, part.mesh, part.color)


def _head(look: RobotMeshes | None) -> list[tuple[str, Mesh, Color]]:
    if look is None:
        return [*head_parts(), *face_parts()]
    return [*look.head, *face_parts(look.T_head_glass, GLASS_SIZE)]
