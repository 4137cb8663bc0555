"""A robot whose every parameter is known, and recordings of it."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np

from baxterkit import Arm, Payload, identify
from baxterkit.dynamics.joint_effects import Hysteresis, JointEffects
from baxterkit.recording import Recording

TILT = 0.02
LOAD = Payload(0.6, [0.02, 0.0, 0.05], 1e-3 * np.eye(3))
EFFECTS = JointEffects(
    bias=[0.2, 5.0, 0.1, 0.0, 0.05, 0.1, -0.05],
    coulomb=[0.5, 0.7, 0.4, 0.3, 0.1, 0.08, 0.1],
    viscous=[0.2, 0.8, 0.2, 0.1, 0.04, 0.02, 0.02],
    speed=[0.03] * 7,
    spring_sin=[[0.0], [15.0], [0.0], [0.0], [0.0], [0.0], [-0.1]],
    spring_cos=[[0.0], [10.0], [0.0], [0.0], [0.0], [0.0], [0.0]],
    hysteresis=Hysteresis(
        torque=[0.0, 0.5, 0.1, 0.0, 0.05, 0.0, 0.04],
        distance=[0.03] * 7,
        coulomb=[0.5, 0.3, 0.3, 0.3, 0.05, 0.08, 0.06],
        viscous=[0.2, 0.4, 0.1, 0.1, 0.03, 0.02, 0.01],
    ),
)


@cache
def robot() -> Arm:
    """Links some per cent off the nominal ones, a tilted mount, a load, springs and friction."""
    rng = np.random.default_rng(5)
    nominal = Arm("left")
    links = tuple(
        dataclasses.replace(body, mass=body.mass * part, com=body.com + moved, inertia=body.inertia)
        for body, part, moved in zip(
            nominal.model.inertials,
            rng.uniform(0.95, 1.05, 7),
            rng.normal(0.0, 0.004, (7, 3)),
            strict=True,
        )
    )
    model = dataclasses.replace(
        nominal.model,
        inertials=links,
        payload=LOAD,
        gravity=9.81 * np.array([np.sin(TILT), 0.0, -np.cos(TILT)]),
    )
    return Arm.from_model(model, effects=EFFECTS)


@cache
def recording(seed: int, seconds: float = 60.0, part: float = 0.6) -> Recording:
    """What the robot recorded on one exciting motion."""
    motion = identify.exciting_motion(robot(), seconds, part=part, seed=seed)
    return identify.simulated_recording(robot(), motion, seed=seed)


@cache
def fit() -> identify.DynamicsFit:
    """The robot identified from two minutes."""
    return identify.dynamics([recording(1), recording(2)])
