"""A no is true: it is cross-checked by a numeric search that knows nothing of the exact solver."""

from __future__ import annotations

import dataclasses

import ik_sets
import numpy as np
import pytest
from problems import generator

from baxterkit import Arm, spatial
from baxterkit.ik import IkStatus


def unlimited(arm: Arm) -> Arm:
    """The same arm with every joint free to turn once round."""
    joints = tuple(
        dataclasses.replace(joint, lower=-np.pi, upper=np.pi) for joint in arm.model.joints
    )
    return Arm.from_model(dataclasses.replace(arm.model, joints=joints))


def blocked_targets(arm: Arm, n: int) -> np.ndarray:
    """Poses that joints beyond the limits reach, and none within."""
    T = ik_sets.poses(arm, ik_sets.beyond(arm, 4 * n))
    return T[np.asarray(arm.ik(T).status == IkStatus.LIMITS)][:n]


def unreachable_targets(arm: Arm, n: int) -> np.ndarray:
    """Random poses near the edge of the workspace that nothing reaches."""
    rng = generator("unreachable")
    R = spatial.quaternion_to_matrix(rng.standard_normal((40 * n, 4)))
    p = arm.model.T_base_s0[:3, 3] + rng.uniform(-1.1, 1.1, (40 * n, 3))
    T = spatial.transform(R, p)
    return T[np.asarray(arm.ik(T).status == IkStatus.OUT_OF_REACH)][:n]


def check_limits(arm: Arm, count: int, restarts: int) -> None:
    T = blocked_targets(arm, count)
    assert len(T) == count
    search = arm.ik(T, method="lm", restarts=restarts)
    assert not search.solved.any(), "the search found what the exact solver denied"


def check_unreachable(arm: Arm, count: int, restarts: int) -> None:
    T = unreachable_targets(arm, count)
    assert len(T) == count
    search = unlimited(arm).ik(T, method="lm", restarts=restarts)
    assert not search.solved.any(), "the search found what the exact solver denied"


def test_limits_is_never_said_of_a_target_that_a_search_solves() -> None:
    check_limits(Arm("left"), 40, 25)


def test_out_of_reach_is_never_said_of_a_target_that_a_search_solves() -> None:
    check_unreachable(Arm("left"), 40, 25)


def test_a_target_is_within_the_limits_or_its_limits_are_in_the_way() -> None:
    # Free the joints: what was blocked is solved, and the reverse does not happen.
    arm = Arm("left")
    T = ik_sets.poses(arm, ik_sets.beyond(arm, 500))
    status = arm.ik(T).status
    assert not (status == IkStatus.OUT_OF_REACH).any()
    assert unlimited(arm).ik(T).solved.all()


def test_narrowed_limits_turn_solved_into_blocked_just_past_the_solution() -> None:
    # The least violation is how far the limits would have to move.
    arm = Arm("left")
    T = blocked_targets(arm, 30)
    result = arm.ik(T)
    assert result.violation is not None
    for i, violation in enumerate(result.violation):
        worst = float(np.abs(violation).max()) + 1e-9
        joints = tuple(
            dataclasses.replace(joint, lower=joint.lower - worst, upper=joint.upper + worst)
            for joint in arm.model.joints
        )
        wider = Arm.from_model(dataclasses.replace(arm.model, joints=joints))
        assert wider.ik(T[i]).solved


def test_limits_are_closed() -> None:
    arm = Arm("left")
    q = np.where(generator("corners").random((200, 7)) < 0.5, arm.limits.lower, arm.limits.upper)
    result = arm.ik(ik_sets.poses(arm, q), seed=q)
    assert result.solved.all()
    assert (result.q >= arm.limits.lower).all()
    assert (result.q <= arm.limits.upper).all()


@pytest.mark.acceptance
def test_statuses_against_a_thousand_restarts() -> None:
    arm = Arm("left")
    check_limits(arm, 1000, 1000)
    check_unreachable(arm, 1000, 1000)
