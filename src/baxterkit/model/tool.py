"""`Tool`: what is mounted at the hand."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.units import warn_if_millimetres
from baxterkit.errors import InputError, ModelError, UnknownNameError, UrdfError
from baxterkit.model.inertial import Inertial
from baxterkit.model.parts import Frozen, check_type, rigid, set_field
from baxterkit.model.shape import Solid
from baxterkit.types import Transform

SHORT = {
    "electric_standard": "electric_standard_narrow",
    "electric_extended": "electric_extended_narrow",
}
"""Short names of tools."""
ANY_ELECTRIC = "electric_gripper"
"""Name of an electric gripper whose fingers are not known."""
ANY_GRIPPER = "gripper"
"""Name of a gripper of which nothing is known but where its tip is."""
CUP, CUP_YIELDS = "vacuum", 0.015
"""The tool with a suction cup, and how far the cup yields [m]; chosen here."""
ToolLike: TypeAlias = "str | Tool | ArrayLike"
"""A tool's name, a `Tool`, or a 4 by 4 `T_hand_tip`."""


@dataclass(frozen=True, eq=False)
class Tool(Frozen):
    """A tool, fixed to the hand.

    Attributes:
        name: Name, or "custom"; printable, since files that are written hold it.
        T_hand_tip: Tip in the hand's frame, shape (4, 4).
        inertial: Mass, in the hand's frame, or None if it weighs nothing.
        shape: Solids that contain it, in the hand's frame; none if that is not known.
    """

    name: str
    T_hand_tip: Transform
    inertial: Inertial | None = None
    shape: tuple[Solid, ...] = ()

    @classmethod
    def from_urdf(
        cls,
        source: str | os.PathLike[str],
        links: Mapping[str, str] | None = None,
        T_hand_base: ArrayLike | None = None,
        *,
        name: str | None = None,
        shape: bool = True,
    ) -> Tool:
        """The tool that a URDF file describes: its mass, its tip and its collision geometry.

        Joints, as those of fingers, are at zero. Meshes become the boxes around them (extra
        `[mesh]`).

        Args:
            source: A path, or the text itself; a gripper alone, or a robot with one.
            links: Which links have a role: "base", the link that is bolted to the hand (the
                file's root if not given), and "tip", the frame of the tip (the last link if there
                is one only, or the only one with "tip", "tcp", "tool", "endpoint" or "grasp" in
                its name).
            T_hand_base: Pose of the base link in the hand's frame, shape (4, 4); the same frame if
                None.
            name: What it is called; the robot's name in the file if None.
            shape: Whether to read the collision geometry.

        Raises:
            UrdfError: If the file is not a valid URDF; names element and line.
            InputError: If it is not clear which link is the tip.
            UnknownNameError: If there is no such link.
        """
        from baxterkit.model.tool_files import tool_from_urdf

        fields = tool_from_urdf(source, links, T_hand_base, name, shape)
        try:
            return cls(*fields)
        except ModelError as error:
            raise UrdfError(str(error)) from error

    @classmethod
    def from_mesh(
        cls,
        path: str | os.PathLike[str],
        *,
        density: float | None = None,
        mass: float | None = None,
        T_hand_mesh: ArrayLike | None = None,
        T_hand_tip: ArrayLike | None = None,
        scale: float = 1.0,
        hull: bool = False,
        name: str | None = None,
    ) -> Tool:
        """The tool of a mesh that is filled evenly: mass, inertia, tip and the box around it.

        Args:
            path: A file that trimesh reads: .stl, .obj, .ply, .dae and others (extra `[mesh]`).
            density: Density [kg/m^3]; or give `mass`.
            mass: Mass [kg].
            T_hand_mesh: Pose of the mesh's frame in the hand's, shape (4, 4); the same frame if
                None.
            T_hand_tip: Tip in the hand's frame, shape (4, 4); on the hand's z axis, at the end of
                the mesh, if None.
            scale: Metres in a unit of the file: 0.001 if it is in millimetres.
            hull: Whether to fill the convex hull: for a surface that is not closed.
            name: What it is called; the file's name if None.

        Raises:
            InputError: If the file is not a mesh, its surface is not closed, or it is larger than
                3 m.
            MissingExtraError: If trimesh is not installed.
        """
        from baxterkit.model.tool_files import tool_from_mesh

        return cls(*tool_from_mesh(path, density, mass, T_hand_mesh, T_hand_tip, scale, hull, name))

    def __post_init__(self) -> None:
        name = self.name
        if not (isinstance(name, str) and name and name.isprintable() and name == name.strip()):
            raise ModelError(
                f"a tool's name must be printable text without spaces around it, got {name!r}"
            )
        set_field(self, "T_hand_tip", rigid(self.T_hand_tip, "T_hand_tip"))
        if self.inertial is not None:
            check_type(self.inertial, Inertial, f"inertial of tool {self.name}")
            self.inertial.check(f"tool {self.name}")
        for solid in self.shape:
            check_type(solid, Solid, f"shape of tool {self.name}")
        set_field(self, "shape", tuple(self.shape))


def full_name(name: str) -> str:
    """A tool's name in full: "electric_standard" is short for "electric_standard_narrow"."""
    return SHORT.get(name, name)


def resolve_tool(tool: ToolLike, known: Mapping[str, Tool]) -> Tool:
    """Turns a name or a 4 by 4 into a `Tool`.

    Args:
        tool: A name in `known` or short for one, a `Tool`, or `T_hand_tip`, shape (4, 4), which
            weighs nothing.
        known: The named tools.

    Raises:
        UnknownNameError: If the name is not known; lists the choices.
        InputError: If it is None, or a 4 by 4 that is not rigid.
    """
    if isinstance(tool, Tool):
        return tool
    if isinstance(tool, str):
        name = full_name(tool)
        if name not in known:
            raise UnknownNameError("tool", tool, (*known, *SHORT))
        return known[name]
    if tool is None:
        raise InputError('tool is None; give tool="hand" for the bare hand, or another tool')
    T = np.asanyarray(tool)
    if T.shape == (4, 4) and T.dtype.kind == "f":
        warn_if_millimetres(T[:3, 3], "T_hand_tip")
    return Tool("custom", T)


def lump_parts(parts: list[tuple[float, float]], inertia: ArrayLike) -> Inertial:
    """One body from point masses on the z axis.

    Args:
        parts: Pairs of mass [kg] and place along z [m]; at least one.
        inertia: Inertia to add to that of the point masses [kg m^2], shape (3, 3).
    """
    bodies = [Inertial(mass, np.array([0.0, 0.0, z]), np.zeros((3, 3))) for mass, z in parts]
    total = Inertial(0.0, np.zeros(3), np.asarray(inertia))
    for body in bodies:
        total = total.combine(body)
    return total
