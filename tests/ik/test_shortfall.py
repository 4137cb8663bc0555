"""How far a target is out of reach: nothing that inverse kinematics solves is nearer."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import SHORTFALL

from baxterkit import Arm
from baxterkit.errors import ShapeError
from baxterkit.ik import IkError, Pointing, Position

ARM = Arm("left", "electric_standard")
FAR = [(1.5, 0.4, 0.2), (0.9, 1.2, 0.6), (-0.5, -0.5, 0.1)]


def pose(p: tuple[float, ...], number: int) -> np.ndarray:
    """A position with a random orientation."""
    q = np.random.default_rng(number).uniform(ARM.limits.lower, ARM.limits.upper)
    T = ARM.fk(q)
    T[:3, 3] = p
    return T


@pytest.mark.parametrize("number", range(len(FAR)))
def test_no_pose_nearer_to_the_target_is_reached(number: int) -> None:
    T = pose(FAR[number], number)
    short = ARM.shortfall(T)
    assert short.distance > 0.05
    assert short.angle < SHORTFALL
    assert ARM.limits.contains(short.q)
    np.testing.assert_allclose(ARM.fk(short.q), short.T_base_tip, rtol=0.0, atol=1e-12)
    apart = np.linalg.norm(short.T_base_tip[:3, 3] - T[:3, 3])
    assert apart == pytest.approx(short.distance)
    rng = np.random.default_rng(9)
    steps = rng.normal(size=(5000, 3))
    steps *= rng.uniform(size=(5000, 1)) ** (1 / 3) / np.linalg.norm(steps, axis=-1, keepdims=True)
    nearer = np.tile(T, (5000, 1, 1))
    nearer[:, :3, 3] += (short.distance - SHORTFALL) * steps
    assert not ARM.ik(nearer).solved.any()


def test_positions_and_directions_are_nearer_than_poses() -> None:
    T = pose(FAR[0], 0)
    free = ARM.shortfall(Position(T[:3, 3]))
    along = ARM.shortfall(Pointing(T[:3, 3], T[:3, 2]))
    assert free.distance <= along.distance <= ARM.shortfall(T).distance + SHORTFALL
    q = np.random.default_rng(2).uniform(ARM.limits.lower, ARM.limits.upper, (20_000, 7))
    apart = np.linalg.norm(ARM.fk(q)[:, :3, 3] - T[:3, 3], axis=-1)
    assert free.distance <= apart.min()


def test_what_is_reached_falls_short_by_nothing() -> None:
    short = ARM.shortfall(ARM.fk(ARM.configuration("untuck")), seed=ARM.configuration("neutral"))
    assert short.distance < SHORTFALL
    assert "the tip comes within 0.000 m of it, at 0.578 0.183 0.151 m" in str(short)


def test_errors_tell_of_it() -> None:
    with pytest.raises(IkError, match=r"OUT_OF_REACH.*arm\.shortfall\(T\) says how far"):
        ARM.ik(pose(FAR[0], 0)).raise_if_failed()
    with pytest.raises(ShapeError, match=r"one target, got a batch \(2,\)"):
        ARM.shortfall(np.stack([pose(p, 0) for p in FAR[:2]]))
