"""The arms that the native kernels are tested on, and random states within their limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from dynamics_engines import ACCELERATION, Array, States, loaded_arm

from baxterkit import spatial
from baxterkit.model.library import baxter_arm
from baxterkit.model.model import ArmModel


def loaded_left_arm() -> ArmModel:
    """The left counterpart of `loaded_arm`: mount tilted alike, same tool, payload, floor."""
    loaded, right, left = loaded_arm(), baxter_arm("right"), baxter_arm("left")
    tilt = loaded.T_base_s0 @ spatial.inverse(right.T_base_s0)
    return replace(
        left,
        T_base_s0=tilt @ left.T_base_s0,
        tool=loaded.tool,
        payload=loaded.payload,
        gravity=loaded.gravity,
    )


ARMS: dict[str, ArmModel] = {
    "left": baxter_arm("left"),
    "right": baxter_arm("right"),
    "loaded left": loaded_left_arm(),
    "loaded right": loaded_arm(),
}


def states_of(model: ArmModel, count: int, seed: int) -> States:
    """Anywhere within the limits of position and velocity."""
    rng = np.random.default_rng(seed)
    limits, shape = model.limits, (count, model.dof)
    return States(
        rng.uniform(limits.lower, limits.upper, shape),
        rng.uniform(-limits.velocity, limits.velocity, shape),
        rng.uniform(-ACCELERATION, ACCELERATION, shape),
    )


def wrenches(count: int, seed: int) -> Array:
    """Forces and moments on the tip, some 20 N and 20 N m."""
    return np.random.default_rng(seed).normal(0.0, 20.0, (count, 6))
