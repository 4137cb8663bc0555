"""The twin touches with the body of `baxterkit.collision`."""

from __future__ import annotations

import numpy as np
import problems
import pytest

from baxterkit import Arm, Baxter
from baxterkit.collision import LINKS
from baxterkit.sim import Twin

ROBOT = Baxter(Arm("left", "electric_extended"), Arm("right", "electric_extended"))
SURE = 1e-4
"""Clearance beyond which MuJoCo's distances and ours must give the same verdict [m]."""
OVERLAP = 0.005
"""How far bodies may overlap in contact [m]."""


def test_contacts_are_those_of_the_body() -> None:
    twin, rng = Twin(ROBOT).enable(), problems.generator("twin body")
    limits = ROBOT.left.limits
    agreed = 0
    for q in rng.uniform(np.tile(limits.lower, 2), np.tile(limits.upper, 2), (150, 14)):
        near = ROBOT.nearest(q[:7], q[7:])
        if abs(near.clearance) < SURE:
            continue
        twin.place(q[:7], q[7:])
        touching = {frozenset(pair) for pair in twin.contacts}
        assert bool(touching) == bool(near.clearance < 0.0), (q, near, touching)
        assert all(set(pair) <= set(LINKS) for pair in touching)
        if touching:
            assert frozenset(near.names) in touching
            agreed += 1
    assert agreed > 30


@pytest.mark.parametrize(
    "motions", [6, pytest.param(400, marks=pytest.mark.acceptance)], ids=["few", "many"]
)
def test_bodies_hardly_overlap_while_the_arms_push(motions: int) -> None:
    """Both arms are sent to random configurations, straight through each other and the torso."""
    twin, rng = Twin(ROBOT, noise=0.0).enable(), problems.generator("twin soak")
    limits = ROBOT.left.limits
    deepest, touched = 0.0, 0
    for _ in range(motions):
        left, right = rng.uniform(limits.lower, limits.upper, (2, 7))
        for _ in range(40):
            twin.left.command_position(left)
            twin.right.command_position(right)
            twin.step(25)
            gap = ROBOT.clearance(twin.left.truth.q, twin.right.truth.q)
            deepest, touched = min(deepest, float(gap)), touched + bool(gap < 0.0)
    assert touched > 10
    assert deepest > -OVERLAP
