"""Objectives: no other solution within the limits is better, anywhere on the self-motion."""

from __future__ import annotations

from typing import Any

import ik_sets
import numpy as np
import pytest
from problems import generator
from tolerances import IK_CROSSING, IK_OBJECTIVE, IK_POSE, IK_STATIONARY

from baxterkit import Arm, native
from baxterkit.errors import InputError

pytestmark = pytest.mark.skipif(native.load() is None, reason="the extension was not built")

SETS = {**ik_sets.IK_SETS, **ik_sets.SMALL_LOOPS}
OBJECTIVES = ("nearest", "limits", "manipulability", "gravity")


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm("left")


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_no_solution_of_the_self_motion_is_better(arm: Arm, objective: str, name: str) -> None:
    n = 15
    seeds = ik_sets.uniform(arm, n, objective + name)
    Ts = ik_sets.poses(arm, SETS[name](arm, n, objective))
    found = arm.ik(Ts, seed=seeds, objective=objective)
    assert found.solved.all()
    assert max(found.position_error.max(), found.orientation_error.max()) <= IK_POSE
    assert arm.limits.contains(found.q, 0.0).all()
    for T, seed, q in zip(Ts, seeds, found.q, strict=True):
        others = arm.self_motion(T).samples()
        value = float(ik_sets.costs(arm, objective, q[None], seed)[0])
        assert value <= float(ik_sets.costs(arm, objective, others, seed).min()) + IK_OBJECTIVE


BEHIND_A_TURN = np.array(
    [[-1.3110802243221715, -0.13604144594670212, -1.1398982149514127, 0.1604174761926404,
      -1.2810488684643374e-06, -0.41985095405771217, 2.828076549202082],
     [0.3945827903307295, -0.8310271287173923, -2.308444029852425, 2.5143724622305146,
      2.7545897773864665, 1.3154214234127464, -1.6811481374111232]]
)  # fmt: skip
"""Joint positions and a seed: of the best ones w0 has come across its stops, from 3.14 to -3.06."""

BY_THE_AXIS = np.array(
    [-0.14838237982520996, 0.5417690346447044, -1.9997075956913103e-12, 2.2318814056868743,
     3.0578138966726196, 0.026710897021642196, -0.18712676528743985]
)  # fmt: skip
"""The wrist 0.8 mm from the s0 axis: s0 turns far while e0 hardly moves."""


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("place", ["behind a turn", "by the axis"])
def test_curves_that_leave_the_limits_and_come_back(arm: Arm, objective: str, place: str) -> None:
    q, seed = BEHIND_A_TURN if place == "behind a turn" else (BY_THE_AXIS, arm.limits.middle)
    T = np.asarray(arm.fk(q))
    found = arm.ik(T, seed=seed, objective=objective).q
    others = arm.self_motion(T).samples()
    value = float(ik_sets.costs(arm, objective, found[None], seed)[0])
    assert value <= float(ik_sets.costs(arm, objective, others, seed).min()) + IK_OBJECTIVE


IN_CORNERS = np.array(
    [[[1.70167993871897, 1.0469999999288453, -3.0541799387369992, 1.4490651345084302,
       -2.4743946355057647, -1.5707963266859712, 3.059],
      [-0.03123511243430377, -0.205487458540349, 2.1517987090669184, 0.68662284714549,
       -1.2540040220243454, 1.5292336033273677, -2.763599621168326]],
     [[1.616238559318561, 1.047, -5.22225955591371e-11, 1.0340328420023217,
       -1.4132670210670652e-10, -0.5102365153382465, -1.633897052250554],
      [-0.6989859410865464, -1.5426782107152521, 2.4635910681502144, -0.03139526479710022,
       -2.2318216241554394, -1.129789043423447, 3.0064698955245888]],
     [[0.4434052512526918, -2.147, 6.535401774601868e-11, 0.742158665469245,
       -2.458117391279374e-11, -0.16595499198704391, 1.1180242757516046],
      [-1.0304047126393134, -1.5808567959784137, -2.451616336062416, 2.1540225476779344,
       0.633829679307909, -0.5353944738278542, 1.9795136198791017]]]
)  # fmt: skip
"""Joint positions and seeds: five joints on their stops, and two curves that keep to the stop of s1
to within 2e-10 rad, so that rounding decides which points of them are inside."""


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("case", range(len(IN_CORNERS)))
def test_solutions_in_corners_of_the_limits_count(arm: Arm, objective: str, case: int) -> None:
    q, seed = IN_CORNERS[case]
    T = np.asarray(arm.fk(q))
    found = arm.ik(T, seed=seed, objective=objective)
    assert found.solved
    others = np.concatenate([arm.self_motion(T).samples(), arm.limits.clip(q)[None]])
    least = float(ik_sets.costs(arm, objective, others, seed).min())
    value = float(ik_sets.costs(arm, objective, found.q[None], seed)[0])
    assert value <= least + IK_CROSSING * abs(least)


NEARER = np.array(
    [[[-0.9117, 0.8664, -2.2062, 2.4616, 3.0355, 0.2248, 3.059],
      [-1.22, -0.68, -1.19, 0.77, 1.03, 0.51, 2.57]],
     [[0.7658, 0.6566, -1.546, 1.8704, -3.059, -0.7064, -3.0517],
      [-0.4, -0.45, -2.49, 1.97, -2.52, -0.48, -1.72]],
     [[1.0133, 0.2742, 1.7834, 1.3843, -3.0505, -0.4485, -3.059],
      [-1.27, -1.7, -0.63, 1.71, -3.03, -0.22, -3.04]],
     [[0.3015, 0.253, -0.1304, 2.0657, -3.0421, 2.0269, 3.059],
      [0.02, -0.19, -2.71, 0.15, -2.16, 0.42, 2.11]],
     [[-1.6918, -0.4989, -2.7384, 2.0178, -1.0358, 2.094, 0.6914],
      [-0.1, -1.42, -0.76, 2.49, 1.06, 0.13, 2.32]],
     [[-0.5633, -1.8119, 1.5367, 2.5915, 2.1732, -1.5707, -1.6286],
      [-0.38, -2.12, 2.83, 2.04, 0.66, -1.13, -0.55]],
     [[-1.7016, 0.5808, 0.2926, 1.9508, -1.9961, -1.5343, -2.1699],
      [-0.56, -0.07, -0.1, 2.37, -1.42, -0.76, -1.23]],
     [[-1.04, 0.9201, 1.5317, 2.6068, -1.3617, -1.5707, -1.5115],
      [-0.92, -1.9, 2.59, 1.52, 0.72, -1.18, -2.0]]]
)  # fmt: skip
"""Joint positions and seeds. The curve through the first four is within the limits for hundredths
of a radian, between the ends of turns of w0 and w2; through the others it is so steep in e0 that
solutions of the slices next to it are up to 1.1 rad outside the limits."""


@pytest.mark.parametrize("case", range(len(NEARER)))
def test_short_and_steep_parts_of_curves_count(arm: Arm, case: int) -> None:
    q, seed = NEARER[case]
    found = arm.ik(arm.fk(q), seed=seed, objective="nearest")
    assert np.sum((found.q - seed) ** 2) <= np.sum((q - seed) ** 2) + IK_OBJECTIVE


NEXT_TO_NODES = np.array(
    [[[0.6763, 0.50361, -1.39866, 2.23478, -0.87908, 1.78389, -2.73862],
      [1.1656, 0.9648, 0.0405, 0.3342, 1.0938, 1.8176, -1.0283]],
     [[-0.61307, -1.22393, 2.44171, 1.40434, 3.05122, -0.76431, -0.47729],
      [-1.138, -1.0833, 1.4612, 1.1893, 1.9466, 0.9497, -1.8724]],
     [[-0.13743, -0.43934, 2.35422, 2.38864, 0.06816, 1.66805, -0.40075],
      [0.3022, 0.1523, 2.9722, 1.3566, -0.4291, -0.0237, -1.4259]],
     [[-0.73892, -0.97524, 2.89086, 1.74404, 1.05022, 1.50232, 0.87638],
      [-0.0096, -1.6703, 2.0776, 2.2028, 2.079, 1.5963, 0.0055]]]
)  # fmt: skip
"""Joint positions and seeds: next to the nearest ones begins a piece of curve that rises away."""


@pytest.mark.parametrize("case", range(len(NEXT_TO_NODES)))
def test_the_best_point_may_lie_right_behind_the_beginning_of_a_piece(arm: Arm, case: int) -> None:
    q, seed = NEXT_TO_NODES[case]
    found = arm.ik(arm.fk(q), seed=seed, objective="nearest").q
    assert abs(np.sum(arm.null_vector(found) * (found - seed))) < IK_STATIONARY


BETWEEN_SAMPLES = np.array(
    [[-0.6128632242716415, 0.478354953299246, -0.7535366837713036, 2.3019540618398335,
      -1.0423851795272843, -1.1366718915882768, -1.207463888203566],
     [-1.4913, 0.8495, -0.0131, 1.4737, 0.1429, 1.4422, 2.1997]]
)  # fmt: skip


@pytest.mark.parametrize("best", BETWEEN_SAMPLES)
def test_the_branches_of_a_cost_with_kinks_may_meet_between_samples(
    arm: Arm, best: np.ndarray
) -> None:
    # the distance to the limits is level at two samples of the curve, and larger between them
    found = arm.ik(arm.fk(best), objective="limits")
    value, expected = ik_sets.costs(arm, "limits", np.array([found.q, best]), best)
    assert found.solved
    assert value <= expected + IK_OBJECTIVE


def test_a_seed_that_is_a_solution_is_the_nearest_one(arm: Arm) -> None:
    for make in SETS.values():
        q = make(arm, 15, "nearest")
        found = arm.ik(ik_sets.poses(arm, q), seed=q, objective="nearest").q
        assert np.sum((found - q) ** 2, axis=-1).max() < IK_OBJECTIVE


def test_angles_beyond_a_turn_count_as_they_come_out(arm: Arm) -> None:
    # w0 and w2 near their limits of +-3.06: next to them the same pose is reached a turn away.
    rng = generator("objectives_turn")
    q = ik_sets.uniform(arm, 20, "turn")
    q[:, [4, 6]] = np.where(rng.random((20, 2)) < 0.5, -1.0, 1.0) * rng.uniform(3.0, 3.059, (20, 2))
    Ts = ik_sets.poses(arm, q)
    for T, seed in zip(Ts, -q, strict=True):
        seed = arm.limits.clip(seed)
        best = arm.ik(T, seed=seed, objective="nearest").q
        others = arm.self_motion(T).samples()
        least = np.sum((others - seed) ** 2, axis=-1).min()
        assert np.sum((best - seed) ** 2) <= least + IK_OBJECTIVE


def test_a_function_gets_many_positions_at_once(arm: Arm) -> None:
    sizes = []

    def cost(q: np.ndarray) -> np.ndarray:
        sizes.append(q.shape)
        return np.abs(q[:, 1] + 0.5)

    T = arm.fk(arm.configuration("neutral"))
    found = arm.ik(T, objective=cost)
    others = arm.self_motion(T).samples()
    assert abs(found.q[1] + 0.5) <= np.abs(others[:, 1] + 0.5).min() + IK_OBJECTIVE
    assert max(shape[0] for shape in sizes) > 8
    assert {shape[1:] for shape in sizes} == {(7,)}


@pytest.mark.parametrize(
    ("given", "what"), [(0.0, "1 values"), ("high", "str"), (None, "NoneType")]
)
def test_a_function_that_gives_no_number_for_each_row_is_refused(
    given: Any, what: str, arm: Arm
) -> None:
    T = arm.fk(arm.configuration("neutral"))
    says = rf"the objective got \d+ joint positions and gave {what}; it takes an array \(n, 7\)"
    with pytest.raises(InputError, match=says):
        arm.ik(T, objective=lambda q: given)
    with pytest.raises(InputError, match=says):
        arm.ik_path(np.stack([T, T]), objective=lambda q: given)


def test_of_two_mirror_images_the_one_nearer_to_the_seed_is_taken() -> None:
    # Straight ahead of the shoulder, hand down: the elbow may swing to either side, equally well.
    arm = Arm("left")
    T = np.asarray(arm.fk([0.0, -0.3, 0.0, 1.2, 0.0, 0.67, 0.0]))
    for side in (-1.0, 1.0):
        seed = arm.limits.middle + side * np.array([0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.0])
        q = arm.ik(T, seed=seed, objective="manipulability").q
        assert side * q[2] > 0.1


@pytest.mark.parametrize("no", [np.nan, np.inf])
def test_solutions_without_a_finite_cost_are_chosen_last(no: float) -> None:
    arm = Arm("left")
    T = arm.fk(arm.configuration("untuck"))

    def cost(q: np.ndarray) -> np.ndarray:
        return np.where(q[:, 2] >= 0.3, (q[:, 2] - 0.6) ** 2, no)

    assert arm.ik(T, objective=cost).q[2] == pytest.approx(0.6, abs=1e-3)
    assert arm.ik(T, objective=lambda q: np.full(len(q), no)).solved
