"""Arms made from Baxter's numbers."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.units import warn_at_caller, warn_if_millimetres
from baxterkit.errors import ModelError, ModelWarning, UnknownNameError
from baxterkit.model.baxter_data import BaxterData, geometry_difference, load_baxter
from baxterkit.model.model import GRAVITY, ArmModel, Joint, Payload
from baxterkit.model.names import check_side, other_side
from baxterkit.model.tool import ToolLike, resolve_tool
from baxterkit.types import JointVector, Transform

__all__ = [
    "BaxterData",
    "baxter_arm",
    "geometry_difference",
    "load_baxter",
    "named_configuration",
    "nominal_geometry",
    "resolve_mount",
    "warn_if_other_mount",
]

NOMINAL_TOLERANCE = 1e-4
"""Largest deviation [m, rad] of a description's joints that still counts as Baxter's."""
OTHER_MOUNT = 0.1
"""A mount this near to the other arm's nominal one [m] is taken to be that arm's."""


def baxter_arm(
    side: str,
    tool: ToolLike = "hand",
    mount: str | ArrayLike | None = None,
    payload: Payload | None = None,
    gravity: ArrayLike = GRAVITY,
) -> ArmModel:
    """One of Baxter's arms.

    Args:
        side: "left" or "right".
        tool: A tool's name ("hand", "vacuum", "electric_standard_narrow" or short
            "electric_standard", "electric_extended_wide" ...), a `Tool`, or a 4 by 4 `T_hand_tip`.
        mount: `T_base_s0`, shape (4, 4), as measured on a robot; or the name of one: "nominal",
            "pykdl_robot". Nominal if None.
        payload: Body that the tip carries.
        gravity: Gravity in base axes [m/s^2], shape (3,).

    Raises:
        UnknownNameError: If side, tool or mount is not known.
        InputError: If mount or tool is not a rigid transform.
    """
    data = load_baxter()
    check_side(side)
    return ArmModel(
        side=side,
        joints=_sided_joints(side),
        inertials=data.inertials,
        T_base_s0=resolve_mount(mount, side),
        T_last_hand=data.T_last_hand,
        tool=resolve_tool(tool, data.tools),
        payload=payload,
        gravity=np.asanyarray(gravity),
    )


def resolve_mount(mount: str | ArrayLike | None, side: str) -> Transform:
    """`T_base_s0` of a named mount, or `mount` itself; the nominal one if None."""
    if mount is None or isinstance(mount, str):
        mounts = load_baxter().mounts
        name = "nominal" if mount is None else mount
        if name not in mounts:
            raise UnknownNameError("mount", name, mounts)
        return mounts[name][side]
    T = np.asanyarray(mount)
    if T.shape == (4, 4) and T.dtype.kind == "f":
        warn_if_millimetres(T[:3, 3], "mount")
        warn_if_other_mount(T, side)
    return T


def warn_if_other_mount(T_base_s0: Transform, side: str) -> None:
    """Warns with `ModelWarning` where an arm's mount is at that of the other arm.

    Mounts farther than 0.1 m from the other arm's are those of other robots, and are not warned of.
    """
    mounts, other = load_baxter().mounts["nominal"], other_side(side)
    own, near = (
        float(np.linalg.norm(T_base_s0[:3, 3] - mounts[each][:3, 3])) for each in (side, other)
    )
    if near < min(own, OTHER_MOUNT):
        warn_at_caller(
            f"the mount of the {side} arm is {near:.3g} m from the nominal one of the {other} arm, "
            f"and {own:.3g} m from its own: are the arms swapped? The {side} arm's mount has "
            f"y = {mounts[side][1, 3]:.3g} m, the {other} arm's y = {mounts[other][1, 3]:.3g} m",
            ModelWarning,
        )


def named_configuration(name: str, side: str) -> JointVector:
    """Joint positions [rad] of a named configuration ("neutral", "tuck", "untuck"), shape (7,)."""
    known = load_baxter().configurations
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError("configuration", name, known)
    return known[name][check_side(side)]


def nominal_geometry(model: ArmModel) -> ArmModel:
    """The same arm with Baxter's exact joints and hand; everything else, the mount too, stays.

    For descriptions printed with few digits: a real robot's dump has 1.5708 for pi/2, although its
    joints are nominal and only its mount is individual.

    Raises:
        ModelError: If a joint is more than 1e-4 (m or rad) away from Baxter's.
    """
    difference = geometry_difference(model)
    if not difference <= NOMINAL_TOLERANCE:
        raise ModelError(
            f"this is not a Baxter arm: its joints differ by {difference:.2g} from the nominal "
            f"ones, at most {NOMINAL_TOLERANCE:g} is put down to rounding"
        )
    data = load_baxter()
    joints = tuple(
        dataclasses.replace(joint, T_parent_joint=nominal.T_parent_joint, axis=nominal.axis)
        for joint, nominal in zip(model.joints, data.joints, strict=True)
    )
    return dataclasses.replace(model, joints=joints, T_last_hand=data.T_last_hand)


@lru_cache(maxsize=2)
def _sided_joints(side: str) -> tuple[Joint, ...]:
    return tuple(
        dataclasses.replace(joint, name=f"{side}_{joint.name}", link=f"{side}_{joint.link}")
        for joint in load_baxter().joints
    )
