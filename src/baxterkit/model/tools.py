"""Tools: named grippers, or any rigid tip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.units import warn_if_millimetres
from baxterkit.errors import UnknownNameError
from baxterkit.model.inertial import Inertial
from baxterkit.model.tool import Tool

SHORT = {
    "electric_standard": "electric_standard_narrow",
    "electric_extended": "electric_extended_narrow",
}
"""Short names of tools."""
ANY_ELECTRIC = "electric_gripper"
"""Name of an electric gripper whose fingers are not known."""
ANY_GRIPPER = "gripper"
"""Name of a gripper of which nothing is known but where its tip is."""

ToolLike: TypeAlias = "str | Tool | ArrayLike"
"""A tool's name, a `Tool`, or a 4 by 4 `T_hand_tip`."""


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
        InputError: If the 4 by 4 is not rigid.
    """
    if isinstance(tool, Tool):
        return tool
    if isinstance(tool, str):
        name = full_name(tool)
        if name not in known:
            raise UnknownNameError("tool", tool, known)
        return known[name]
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
