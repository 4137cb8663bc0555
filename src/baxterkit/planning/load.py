"""What hands hold has weight: arms with their load, and whether they can hold it still."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.scene.held import with_held
from baxterkit.scene.scene import Scene
from baxterkit.types import Array

STEP = 0.05
"""Between the configurations of a path at which the load is held [rad]."""


def loaded_arm(scene: Scene, side: str) -> Arm:
    """An arm of the scene with the masses of the objects that its hand holds."""
    return with_held(scene.arm(side), scene.world)


def holding(scene: Scene, sides: Sequence[str]) -> tuple[str, ...]:
    """Those of some arms whose hands hold an object that has a mass."""
    heavy = {item.held for item in scene.world.state if item.mass}
    return tuple(side for side in sides if side in heavy)


def hold_torques(arm: Arm, q: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Torques at rest [N m], shape (n, 7), and where a limit does not allow them, shape (n,)."""
    with unwarned():
        tau = arm.inverse_dynamics(q, np.zeros_like(q), np.zeros_like(q))
    return tau, np.asarray((np.abs(tau) >= arm.limits.effort).any(axis=-1))


def bearable(scene: Scene, sides: Sequence[str], q: Array) -> NDArray[np.bool_]:
    """At which configurations of both arms (n, 14) they can hold what their hands hold."""
    fine = np.ones(len(q), dtype=bool)
    for side in holding(scene, sides):
        fine &= ~hold_torques(loaded_arm(scene, side), q[:, ARM_COLUMNS[side]])[1]
    return fine


def too_heavy(scene: Scene, side: str, q: Array) -> str | None:
    """Why an arm cannot hold still what its hand holds; None if it can everywhere.

    Args:
        scene: The robot among its obstacles.
        side: "left" or "right".
        q: Joint positions of that arm [rad], shape (n, 7).

    Returns:
        A joint, its torque and its limit, at the first configuration where one is exceeded.
    """
    arm = loaded_arm(scene, side)
    tau, weak = hold_torques(arm, q)
    if not weak.any():
        return None
    needed, limits = tau[np.argmax(weak)], arm.limits.effort
    joint = int(np.argmax(np.abs(needed) - limits))
    held = [item.name for item in scene.world.state if item.held == side and item.mass]
    load = "the arm" if arm.model.payload is None else f"{arm.model.payload.mass:g} kg"
    return (
        f"{arm.joint_names[joint]} cannot hold {load}{f' ({held[0]})' if held else ''} still: "
        f"{abs(needed[joint]):.2f} N m are needed, and its limit is {limits[joint]:.2f} N m; carry "
        "less, or hold it nearer to the body"
    )


def between(path: Array) -> Array:
    """Configurations of a path (n, 14), with others between them, shape (m, 14)."""
    parts = [path[:1]]
    for q0, q1 in pairwise(path):
        steps = max(1, int(np.ceil(np.abs(q1 - q0).max() / STEP)))
        parts.append(q0 + np.arange(1, steps + 1)[:, None] / steps * (q1 - q0))
    return np.concatenate(parts)
