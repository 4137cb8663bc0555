"""Newton-Euler torques by Corke's Robotics Toolbox, which Smith et al. used for their RN-E."""

from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec

import numpy as np

from baxterkit.arm import Arm
from baxterkit.codegen.exports import export
from baxterkit.types import Array

PACKAGE = "roboticstoolbox-python"


def toolbox_version() -> str | None:
    """The version of the Robotics Toolbox for Python; None if it is not installed."""
    try:
        found = find_spec("roboticstoolbox") is not None
        return metadata.version(PACKAGE) if found else None
    except (ModuleNotFoundError, metadata.PackageNotFoundError):
        return None


def toolbox_torques(arm: Arm, q: Array, qd: Array, qdd: Array) -> Array:
    """Torques of a motion by the toolbox's `rne`, for the arm that `baxterkit export` gives it.

    Args:
        arm: The arm. The toolbox takes rigid links only; joint effects are added to its torques.
        q: Joint positions [rad], shape (n, 7).
        qd: Joint velocities [rad/s], shape (n, 7).
        qdd: Joint accelerations [rad/s²], shape (n, 7).

    Returns:
        Torques [N m], shape (n, 7).
    """
    names: dict[str, object] = {}
    text = export("dh", "rtb", arm.with_effects(None), name="toolbox_arm")
    exec(compile(text, "toolbox_arm", "exec"), names)  # our own export, as a user runs it
    robot = names["toolbox_arm"]
    tau: Array = np.asarray(robot.rne(q, qd, qdd))  # type: ignore[attr-defined]
    return tau if arm.effects is None else tau + arm.effects.torque(q, qd)
