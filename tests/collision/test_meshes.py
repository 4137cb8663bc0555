"""The body against the robot's meshes: what touches is not missed, little that is free is lost."""

from __future__ import annotations

import numpy as np
import problems
import pytest
from components import require
from tolerances import BODY_MISS, BODY_REJECTS

from baxterkit import Baxter

ROBOT = Baxter()
PAIRS = 537
"""Pairs of visual meshes that the truth consists of."""


@pytest.fixture(scope="module")
def meshes():  # type: ignore[no-untyped-def]
    require("pinocchio")
    require("meshes")
    from oracles.mesh_robot import MeshRobot

    return MeshRobot()


@pytest.mark.parametrize(
    "n", [20_000, pytest.param(1_000_000, marks=pytest.mark.acceptance)], ids=str
)
def test_the_body_contains_the_meshes_and_little_more(meshes, n: int) -> None:  # type: ignore[no-untyped-def]
    assert len(meshes.shapes.collisionPairs) == PAIRS
    rng = problems.generator("body")
    limits = ROBOT.left.limits
    touching = free = missed = rejected = 0
    for _ in range(n // 10_000):
        q = rng.uniform(np.tile(limits.lower, 2), np.tile(limits.upper, 2), (10_000, 14))
        truth = meshes.touches(q)
        gap = ROBOT.clearance(q[:, :7], q[:, 7:])
        assert not (truth & (gap > BODY_MISS)).any(), q[truth & (gap > BODY_MISS)][0]
        touching, free = touching + truth.sum(), free + (~truth).sum()
        missed, rejected = (
            missed + (truth & (gap >= 0)).sum(),
            rejected + (~truth & (gap < 0)).sum(),
        )
    print(f"{n} postures: {missed} of {touching} missed, {rejected} of {free} rejected")
    assert missed <= 1e-4 * touching
    assert rejected <= BODY_REJECTS * free


@pytest.mark.parametrize("pose", ["neutral", "untuck", "tuck", "zero"])
def test_named_poses_are_free_as_by_the_meshes(meshes, pose: str) -> None:  # type: ignore[no-untyped-def]
    zero = np.zeros(7)
    left, right = (
        (zero, zero) if pose == "zero" else (ROBOT.left.pose(pose), ROBOT.right.pose(pose))
    )
    assert not meshes.touches(np.concatenate([left, right])[None])[0]
    assert not ROBOT.in_collision(left, right)
