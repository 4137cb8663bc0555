"""Kinematic calibration: an arm with known errors is found again, from any kind of tracker."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from baxterkit import Arm, Baxter, identify
from baxterkit.errors import InputError, NoAnswerError, ShapeError, UnknownNameError
from baxterkit.identify.chain_errors import COUNT, NAMES, Chain
from baxterkit.spatial import inverse, se3_exp

Array = NDArray[np.float64]
TRACKER = 2e-4  # m
POSES = 60


def real(seed: int, side: str = "left") -> Chain:
    """An arm with errors of 7 mrad and a marker somewhere on the hand, seen by a tracker."""
    rng, model = np.random.default_rng(seed), Arm(side).model
    world = se3_exp([1.0, 0.5, 0.2, 0.3, -0.2, 1.0])
    links = np.hstack([rng.normal(0.0, 3e-4, (7, 3)), rng.normal(0.0, 3e-4, (7, 3))])
    marker = model.T_hand_tip @ se3_exp([0.02, 0.01, 0.03, 0.1, 0.0, 0.2])
    return Chain(model, world @ model.T_base_s0, rng.normal(0.0, 7e-3, 7), links, marker)


@cache
def planned(side: str) -> Array:
    return identify.planned_poses(Baxter(), side, POSES)


def elsewhere(side: str) -> Array:
    limits = Arm(side).limits
    rng = np.random.default_rng(9)
    q: Array = 0.9 * rng.uniform(limits.lower, limits.upper, (100, 7))
    return q


def noisy(poses: Array, seed: int = 1) -> Array:
    rng = np.random.default_rng(seed)
    size = [TRACKER] * 3 + [1e-3] * 3
    return np.stack([T @ se3_exp(rng.normal(0.0, size)) for T in poses])


def test_the_nominal_chain_is_the_arm_and_its_derivatives_are_true() -> None:
    arm, q = Arm("right"), elsewhere("right")[:3]
    chain = Chain.nominal(arm.model, arm.model.T_base_s0, arm.model.T_hand_tip)
    assert np.abs(chain.poses(q) - arm.fk(q)).max() < 1e-14
    chain = real(3, "right")
    linear, angular = chain.derivatives(q)
    assert linear.shape == angular.shape == (3, 3, COUNT)
    h = 1e-6
    for k in range(COUNT):
        ahead, behind = (chain.moved(s * h * np.eye(COUNT)[k]).poses(q) for s in (1.0, -1.0))
        slope = (ahead - behind)[:, :3, 3] / (2.0 * h)
        # Twists of links are added to errors that are not zero: equal to first order in these.
        assert np.abs(slope - linear[..., k]).max() < 5e-3, NAMES[k]


@pytest.mark.parametrize("side", ["left", "right"])
def test_left_out_poses_are_predicted_to_half_a_millimetre(side: str) -> None:
    before = []
    for seed in range(4):
        true, q = real(seed, side), planned(side)
        seen = noisy(true.poses(q), seed)[:, :3, 3]
        fit = identify.kinematics(q, seen, Arm(side))
        left = elsewhere(side)
        miss = np.linalg.norm((fit.predict(left) - true.poses(left))[:, :3, 3], axis=1)
        assert np.sqrt(np.mean(miss**2)) < 3e-4
        assert miss.max() < 5e-4
        before.append(np.sqrt(np.mean(fit.before**2)))
        z = (fit.offsets - true.offsets)[1:6] / fit.std[7:12]
        assert np.abs(z).max() < 3.0
        assert fit.advice == ()
        tip = fit.arm.fk(fit.corrected(left))
        assert np.linalg.norm((tip - true.poses(left))[:, :3, 3], axis=1).max() < 5e-3
    assert np.mean(before) > 4.5e-3


@pytest.mark.parametrize("setup", ["outside", "hand"])
def test_hand_and_eye_are_the_same_fit(setup: str) -> None:
    """Noise is that of what the camera sees: the board's position in its frame, and orientation."""
    true, q = real(2), planned("left")
    poses = true.poses(q)
    fit = identify.kinematics(
        q, noisy(poses if setup == "outside" else inverse(poses)), setup=setup
    )
    left = elsewhere("left")
    wanted = true.poses(left) if setup == "outside" else inverse(true.poses(left))
    miss = fit.predict(left) - wanted
    assert np.linalg.norm(miss[:, :3, 3], axis=1).mean() < 3e-4
    assert np.linalg.norm(miss[:, :3, 3], axis=1).max() < 1e-3
    assert np.abs(miss[:, :3, :3]).max() < 3e-3
    assert np.abs(fit.T_hand_marker[:3, 3] - true.T_hand_marker[:3, 3]).max() < 1e-3
    assert np.sqrt(np.mean(fit.after**2)) < 5e-4


def test_planned_poses_touch_nothing_and_tell_more_than_random_ones() -> None:
    robot, q = Baxter(), planned("left")
    assert q.shape == (POSES, 7)
    assert not np.any(robot.scene(margin=0.03).in_collision(q, robot.right.configuration("untuck")))
    true = real(1)
    errors = []
    for chosen in (q, 0.3 * elsewhere("left")[:POSES]):
        fit = identify.kinematics(chosen, noisy(true.poses(chosen))[:, :3, 3])
        errors.append(fit.std[7:12].mean())
    assert errors[0] < 0.9 * errors[1]
    inside = np.array([-1.09, 0.22, -0.28, 2.01, -0.05, 1.52, 1.94])  # its hand in the torso
    mirrored = inside * [-1, 1, -1, 1, -1, 1, -1]
    with pytest.raises(NoAnswerError, match="free of collisions; move the other arm, or"):
        identify.planned_poses(robot, "left", 1, other=mirrored)
    with pytest.raises(InputError, match="count must be 1 or more, got 0"):
        identify.planned_poses(robot, "left", 0)


def test_wrong_rows_hardly_count_and_what_is_not_told_stays_nominal() -> None:
    true, q = real(0), planned("left")
    seen = noisy(true.poses(q))[:, :3, 3]
    seen[[5, 20, 41]] += 0.05
    fit = identify.kinematics(q, seen)
    assert (fit.weights[[5, 20, 41]] < 0.5).all()
    assert "3 poses do not fit the others" in fit.advice[-1]
    left = elsewhere("left")
    miss = np.linalg.norm((fit.predict(left) - true.poses(left))[:, :3, 3], axis=1)
    assert miss.max() < 1.5e-3
    few = q[:8].copy()
    few[:, 3] = few[0, 3]  # e1 does not move
    told = identify.kinematics(few, noisy(true.poses(few))[:, :3, 3]).observability()
    assert told["s0 offset"] < 0.01
    assert told["e0 offset"] > 0.5


def test_bad_measurements_are_refused() -> None:
    q = planned("left")
    with pytest.raises(ShapeError, match=r"measured \(n, 3\) or \(n, 4, 4\), got \(60, 7\) and"):
        identify.kinematics(q, np.zeros((5, 3)))
    with pytest.raises(InputError, match="3 poses are too few; measure 4 or more, better 60"):
        identify.kinematics(q[:3], np.zeros((3, 3)))
    with pytest.raises(UnknownNameError):
        identify.kinematics(q, np.zeros((60, 3)), setup="head")
    with pytest.raises(InputError, match="a camera in the hand needs poses of the board"):
        identify.kinematics(q, np.zeros((60, 3)), setup="hand")
    with pytest.raises(InputError, match="the positions lie on a line; spread the poses"):
        identify.kinematics(np.tile(q[0], (6, 1)), np.zeros((6, 3)))


def test_measurements_that_no_arm_fits_are_refused() -> None:
    q = planned("left")
    poses = real(0).poses(q)
    seen = poses[:, :3, 3]
    with pytest.raises(InputError, match=r"half of them are \d+ mm off .* give metres"):
        identify.kinematics(q, 1e3 * seen)
    with pytest.raises(InputError, match="far beyond their limits: give radians"):
        identify.kinematics(np.degrees(q), seen)
    for wrong in (seen[::-1], inverse(poses)):  # another order; a camera in the hand
        with pytest.raises(InputError, match=r"in the same order.*is the setup right"):
            identify.kinematics(q, wrong)
