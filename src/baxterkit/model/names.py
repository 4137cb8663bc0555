"""Joint names and their order.

Arrays in this library are in canonical order, s0 s1 e0 e1 w0 w1 w2: from the shoulder outwards. The
robot's messages are alphabetical and hold both arms and the head: never assume an order, go by
name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import joint_array
from baxterkit.checks.named import JOINTS, SIDES, choose_joints, named_values
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.types import Array, JointVector

__all__ = [
    "ARM_COLUMNS",
    "JOINTS",
    "SIDES",
    "check_side",
    "from_message",
    "joint_index",
    "joint_names",
    "message_names",
    "other_side",
    "to_message",
]


ARM_COLUMNS = {"left": slice(0, 7), "right": slice(7, 14), "both": slice(0, 14)}
"""Where the joints of an arm, or of both, are among those of both, left then right."""
_NAMES = {side: tuple(f"{side}_{joint}" for joint in JOINTS) for side in SIDES}


def check_side(side: str, kind: str = "side") -> str:
    """Returns `side` if it is "left" or "right", else raises UnknownNameError about this kind."""
    if not isinstance(side, str) or side not in SIDES:
        raise UnknownNameError(kind, side, SIDES)
    return side


def other_side(side: str) -> str:
    """The arm beside this one."""
    return "right" if side == "left" else "left"


def joint_names(side: str) -> tuple[str, ...]:
    """Names of an arm's joints in canonical order: left_s0, left_s1, ..."""
    return _NAMES[check_side(side)]


def message_names(side: str | None = None) -> tuple[str, ...]:
    """Arm joint names in the robot's alphabetical order: left_e0, left_e1, left_s0, ...

    Args:
        side: One arm, or both (left first) if None.
    """
    sides = SIDES if side is None else (check_side(side),)
    return tuple(sorted(name for one in sides for name in joint_names(one)))


def joint_index(name: str) -> int:
    """Index of a joint in the canonical order; accepts both `e1` and `left_e1`."""
    short = name.removeprefix("left_").removeprefix("right_")
    if short not in JOINTS:
        raise UnknownNameError("joint", name, JOINTS)
    return JOINTS.index(short)


def from_message(
    side: str, names: Sequence[str] | Mapping[str, float], values: ArrayLike | None = None
) -> JointVector:
    """Picks one arm's values out of a message, in canonical order.

    Args:
        side: "left" or "right".
        names: The message's joint names in any order, or a mapping from name to value. Other names
            (the other arm, head_pan, grippers) are ignored; short names (s0) serve if no long one
            is there.
        values: Values in the order of `names`, shape (*batch, len(names)); not with a mapping.

    Returns:
        The arm's values, shape (*batch, 7), order s0 s1 e0 e1 w0 w1 w2.

    Raises:
        InputError: If a joint of the arm is missing or named twice.
        ShapeError: If `names` and `values` differ in length.
    """
    wanted, name = joint_names(side), "message"
    if isinstance(names, Mapping):
        if values is not None:
            raise InputError("names is a mapping and holds the values already; leave values out")
        return joint_array(named_values(names, name, wanted), name)
    if values is None:
        raise InputError("values is missing; pass a mapping, or names and values")
    found, array = list(names), np.asanyarray(values)
    if array.ndim == 0 or array.shape[-1] != len(found):
        raise ShapeError(f"{len(found)} names do not match values of shape {array.shape}")
    chosen = choose_joints(found, name, wanted)
    picked = np.take(array, [found.index(joint) for joint in chosen], axis=-1)
    return joint_array(picked, name)


def to_message(side: str, q: ArrayLike) -> tuple[tuple[str, ...], Array]:
    """One arm's values in the robot's alphabetical order, with the names.

    Args:
        side: "left" or "right".
        q: Values in canonical order, shape (*batch, 7).

    Returns:
        Names, and the values in their order, shape (*batch, 7).
    """
    array = joint_array(q, "q")
    names = message_names(side)
    canonical = joint_names(side)
    return names, np.take(array, [canonical.index(name) for name in names], axis=-1)
