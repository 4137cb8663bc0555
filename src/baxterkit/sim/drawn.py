"""The twin as it is drawn: meshes of the robot's look, posed like the twin's bodies.

They are a second model of MuJoCo, without joints and contacts, so that what is drawn costs the
simulation nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from baxterkit.look.meshes import GLASS_SIZE, find_meshes, glass_of
from baxterkit.look.robot import GLASS_SIZE as OWN_SIZE
from baxterkit.look.robot import T_HEAD_GLASS, face_parts
from baxterkit.sim.build import TOUCHES, Mujoco, add_surroundings
from baxterkit.sim.opengl import load_mujoco
from baxterkit.sim.parts import body_parts
from baxterkit.types import Transform

if TYPE_CHECKING:
    from baxterkit.sim.twin import Twin


SCREEN = (1024, 600)
"""Width and height of the picture on the head's screen [pixel]."""
BEFORE = 0.006
"""How far that picture is before the middle of the glass [m]."""


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
        spec = mujoco.MjSpec()
        add_surroundings(mujoco, spec)
        self._bodies = []
        for n, part in enumerate(body_parts(twin.robot, meshes)):
            name = f"part{n}"
            spec.add_mesh(
                name=name,
                uservert=part.mesh.vertices.ravel(),
                userface=part.mesh.faces.ravel(),
                inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
            )
            self._bodies.append(twin.model.body(part.body).id)
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom.mjGEOM_MESH,
                meshname=name,
                rgba=[*np.array(part.color) / 255.0, 1.0],
                contype=0,
                conaffinity=0,
            )
        made = twin.model
        is_object = (made.geom_contype & TOUCHES["object"] > 0) & (made.geom_bodyid > 0)
        self._objects = np.flatnonzero(is_object)
        for geom in self._objects:
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom(int(made.geom_type[geom])),
                size=made.geom_size[geom],
                rgba=made.geom_rgba[geom],
                contype=0,
                conaffinity=0,
            )
        self._head = twin.model.body("head").id
        own = (find_meshes() if meshes == "auto" else meshes) is None
        glass = T_HEAD_GLASS if own else glass_of(twin.robot.head)
        self._T_screen = _add_screen(mujoco, spec, glass, own)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_kinematics(self.model, self.data)
        # MuJoCo moves a mesh to its middle: these are the poses that bring it back.
        first = self.model.ngeom - 1 - len(self._objects) - len(self._bodies)
        self._parts = slice(first, first + len(self._bodies))
        head = first + max(np.flatnonzero(np.array(self._bodies) == self._head)) + 1
        self._face = slice(head - len(face_parts()), head)
        self.texture = self.model.texture("screen").id
        self._p = self.data.geom_xpos[self._parts].copy()
        self._R = self.data.geom_xmat[self._parts].reshape(-1, 3, 3).copy()

    def place(self, data: Mujoco) -> None:
        """Moves everything to where it is in a state of the twin."""
        R = data.xmat[self._bodies].reshape(-1, 3, 3)
        here = self.data
        here.geom_xpos[self._parts] = np.einsum("nij,nj->ni", R, self._p) + data.xpos[self._bodies]
        here.geom_xmat[self._parts] = (R @ self._R).reshape(-1, 9)
        rest = slice(self._parts.stop, -1)
        here.geom_xpos[rest] = data.geom_xpos[self._objects]
        here.geom_xmat[rest] = data.geom_xmat[self._objects]
        R_head, T = data.xmat[self._head].reshape(3, 3), self._T_screen
        here.geom_xpos[-1] = R_head @ T[:3, 3] + data.xpos[self._head]
        here.geom_xmat[-1] = (R_head @ T[:3, :3]).ravel()

    def show(self, picture: NDArray[np.uint8] | None) -> None:
        """Puts a picture on the head's screen, shape (600, 1024, 3); the face if None.

        The texture is to be uploaded after that.
        """
        self.model.geom_rgba[-1, 3] = picture is not None
        self.model.geom_rgba[self._face, 3] = picture is None
        if picture is not None:
            begin = int(self.model.tex_adr[self.texture])
            self.model.tex_data[begin : begin + picture.size] = picture.ravel()


def _add_screen(mujoco: Mujoco, spec: Mujoco, T_head_glass: Transform, own: bool) -> Transform:
    """A picture before the glass of the head, hidden at first, as the last shape.

    Args:
        mujoco: The module.
        spec: Where it is added.
        T_head_glass: Middle of the glass in the head's frame.
        own: Whether the head is of our own look.

    Returns:
        Its pose on the head.
    """
    T, size = np.array(T_head_glass), OWN_SIZE if own else GLASS_SIZE
    T[:3, 3] += BEFORE * T[:3, 2]
    width, height = SCREEN
    flat, kind = mujoco.mjtBuiltin.mjBUILTIN_FLAT, mujoco.mjtTexture.mjTEXTURE_2D
    spec.add_texture(name="screen", type=kind, builtin=flat, width=width, height=height)
    material = spec.add_material(name="screen", emission=0.6, specular=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "screen"
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0.5 * size[0], 0.5 * size[1], 0.01],
        material="screen",
        rgba=[1.0, 1.0, 1.0, 0.0],
        contype=0,
        conaffinity=0,
    )
    return T
