"""The twin as it is drawn: meshes of the robot's look, posed like the twin's bodies.

They are a second model of MuJoCo, without joints and contacts, so that what is drawn costs the
simulation nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.look.colors import Color
from baxterkit.look.meshes import GLASS_SIZE, RobotMeshes, find_meshes, load_meshes
from baxterkit.look.robot import arm_parts, face_parts, hand_parts, head_parts, torso_parts
from baxterkit.look.shapes import Mesh
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.sim.build import TOUCHES, Mujoco, add_surroundings, finger_names, load_mujoco

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter
    from baxterkit.sim.twin import Twin


class Drawn:
    """Meshes of the robot, and what is around it.

    Args:
        twin: The twin.
        meshes: Folder of a `baxter_description` with Rethink's meshes; "auto" takes them from the
            package `example-robot-data` if it is installed, None draws our own look.

    Attributes:
        model: The model to draw.
        data: Its poses.
    """

    def __init__(self, twin: Twin, meshes: str | Path | None = "auto") -> None:
        mujoco = load_mujoco()
        folder = find_meshes() if meshes == "auto" else meshes
        look = None if folder is None else load_meshes(folder, twin.robot.head)
        spec = mujoco.MjSpec()
        add_surroundings(mujoco, spec)
        self._bodies = []
        for n, (body, mesh, color) in enumerate(_parts(twin.robot, look)):
            name = f"part{n}"
            spec.add_mesh(
                name=name,
                uservert=mesh.vertices.ravel(),
                userface=mesh.faces.ravel(),
                inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
            )
            self._bodies.append(twin.model.body(body).id)
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom.mjGEOM_MESH,
                meshname=name,
                rgba=[*np.array(color) / 255.0, 1.0],
                contype=0,
                conaffinity=0,
            )
        made = twin.model
        is_object = (made.geom_contype == TOUCHES["object"]) & (made.geom_bodyid > 0)
        self._objects = np.flatnonzero(is_object)
        for geom in self._objects:
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom(int(made.geom_type[geom])),
                size=made.geom_size[geom],
                rgba=made.geom_rgba[geom],
                contype=0,
                conaffinity=0,
            )
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_kinematics(self.model, self.data)
        # MuJoCo moves a mesh to its middle: these are the poses that bring it back.
        first = self.model.ngeom - len(self._objects) - len(self._bodies)
        self._parts = slice(first, first + len(self._bodies))
        self._p = self.data.geom_xpos[self._parts].copy()
        self._R = self.data.geom_xmat[self._parts].reshape(-1, 3, 3).copy()

    def place(self, data: Mujoco) -> None:
        """Moves everything to where it is in a state of the twin."""
        R = data.xmat[self._bodies].reshape(-1, 3, 3)
        here = self.data
        here.geom_xpos[self._parts] = np.einsum("nij,nj->ni", R, self._p) + data.xpos[self._bodies]
        here.geom_xmat[self._parts] = (R @ self._R).reshape(-1, 9)
        rest = slice(self._parts.stop, None)
        here.geom_xpos[rest] = data.geom_xpos[self._objects]
        here.geom_xmat[rest] = data.geom_xmat[self._objects]


def _parts(robot: Baxter, look: RobotMeshes | None) -> Iterator[tuple[str, Mesh, Color]]:
    """The robot's parts: the body of the twin that each moves with, its mesh, its colour."""
    for _, mesh, color in torso_parts() if look is None else look.torso:
        yield "world", mesh, color
    if look is None:
        head = (*head_parts(), *face_parts())
    else:
        head = (*look.head, *face_parts(look.T_head_glass, GLASS_SIZE))
    for _, mesh, color in head:
        yield "head", mesh, color
    for side in SIDES:
        model = getattr(robot, side).model
        shells = arm_parts(model) if look is None else [*look.arm, *hand_parts(model)]
        for part in shells:
            body = f"{side}_{JOINTS[part.frame]}_link"
            if part.slide is not None:
                body = finger_names(side)[0 if part.slide[1] > 0.0 else 1]
            yield body, part.mesh, part.color
