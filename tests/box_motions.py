"""Random motions of a box between both hands, and a dense search for joint paths of one arm."""

from __future__ import annotations

import numpy as np

from baxterkit import Arm, spatial


def box_path(rng: np.random.Generator, n: int) -> np.ndarray:
    """Poses of a box in front of the robot, smooth from one random pose to the next, (n, 4, 4)."""
    stops = 3
    place = rng.uniform([0.35, -0.15, 0.0], [0.65, 0.15, 0.45])
    p = place + rng.uniform(-0.12, 0.12, (stops, 3))
    turn = rng.uniform(-0.5, 0.5, (stops, 3))
    s = np.linspace(0.0, stops - 1.0, n)
    i = np.minimum(s.astype(int), stops - 2)
    part = (s - i)[:, None]
    part = part * part * (3.0 - 2.0 * part)
    return spatial.transform(
        spatial.so3_exp(turn[i] * (1.0 - part) + turn[i + 1] * part),
        p[i] * (1.0 - part) + p[i + 1] * part,
    )


def grasps(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """T_box_left and T_box_right: the hands on opposite faces, turned alike."""
    half, tilt, roll = rng.uniform(0.05, 0.2), rng.uniform(0.0, 0.6), rng.uniform(-1.0, 1.0)
    inward = spatial.rpy_to_matrix([np.pi / 2, 0.0, 0.0])  # the hand's z axis along -y
    R = spatial.rpy_to_matrix([tilt, 0.0, 0.0]) @ inward @ spatial.rpy_to_matrix([0.0, 0.0, roll])
    left = spatial.transform(R, [0.0, half, 0.0])
    return left, spatial.mirrored(left)


def dense_path(arm: Arm, Ts: np.ndarray, values: int, most: float) -> bool:
    """Whether a chain of solutions at many values of e0 goes through all poses."""
    e0 = np.linspace(arm.limits.lower[2], arm.limits.upper[2], values)
    found = arm.ik_all(Ts[:, None], e0).reshape(len(Ts), -1, 7)
    reached: np.ndarray | None = None
    for row in found:
        q = row[~np.isnan(row[:, 0])]
        if reached is not None and len(q):
            near = np.abs(q[:, None] - reached[None]).max(axis=-1) <= most
            q = q[near.any(axis=1)]
        if not len(q):
            return False
        reached = q
    return True
