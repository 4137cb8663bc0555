"""Kumar's closed form: wrong as printed, 10 mm off as corrected, exact with the offset."""

from __future__ import annotations

import ik_sets
import numpy as np
import pytest
from tolerances import IK_POSE

from baxterkit import Arm, spatial
from baxterkit.errors import InputError, ShapeError, UnitsWarning
from baxterkit.ik import IkStatus, exact, locked


def hands(arm: Arm, n: int) -> np.ndarray:
    q = ik_sets.uniform(arm, n, "six")
    q[:, 2] = 0.0
    return spatial.inverse(arm.model.T_base_s0) @ arm.fk(q) @ spatial.inverse(arm.model.T_hand_tip)


def test_corrected_form_is_off_by_the_offset_it_leaves_out() -> None:
    T = hands(Arm("left"), 300)
    q = locked.six_dof(T)
    real = ~np.isnan(q[..., 0])
    # Without the offset the arm is a little shorter: the edge of reach is lost.
    assert real.any(axis=1).mean() > 0.97
    assert (q[..., 2][real] == 0.0).all()
    reached = exact.hand_pose(q[real])
    wished = np.repeat(T[:, None], 8, axis=1)[real]
    distance, angle = spatial.pose_error(reached, wished)
    np.testing.assert_allclose(distance, locked.OFFSET, rtol=0.0, atol=1e-12)
    assert angle.max() < 1e-11


def test_printed_form_is_off_by_69_mm() -> None:
    # Eq. 8 without the elbow's angle: the elbow is put at the end of L_h along θ2 itself.
    th2, th4 = 0.4, 0.9
    printed = np.array(
        [
            locked.L1 + locked.LH * np.cos(th2) + locked.L4 * np.cos(th2 + th4),
            -locked.LH * np.sin(th2) - locked.L4 * np.sin(th2 + th4),
        ]
    )
    elbow = th2 + locked.GAMMA
    corrected = np.array(
        [
            locked.L1 + locked.LH * np.cos(elbow) + locked.L4 * np.cos(th2 + th4),
            -locked.LH * np.sin(elbow) - locked.L4 * np.sin(th2 + th4),
        ]
    )
    q = np.array([[0.0, th2, 0.0, th4, 0.0, 0.0, 0.0]])
    frame = exact.link_frames(q)[4][0]
    wrist = frame[:3, 3] - exact.A5 * frame[:3, 0]  # without the offset
    np.testing.assert_allclose(corrected, [wrist[0], wrist[2] - exact.D1], rtol=0.0, atol=1e-14)
    assert abs(np.linalg.norm(printed - corrected) - 0.0693) < 1e-4


def test_eight_branches_where_the_paper_has_two() -> None:
    arm = Arm("left")
    q = locked.six_dof(hands(arm, 200))
    counts = (~np.isnan(q[..., 0])).sum(axis=1)
    assert counts.max() == 8
    assert set(counts.tolist()) <= {0, 4, 8}


def test_method_says_what_it_misses() -> None:
    arm = Arm("left", tool="vacuum")
    q = ik_sets.uniform(arm, 50, "six")
    q[:, 2] = 0.0
    T = ik_sets.poses(arm, q)
    printed = arm.ik(T, seed=q, method="six_dof")
    np.testing.assert_allclose(
        printed.position_error[printed.solved], locked.OFFSET, rtol=0.0, atol=1e-12
    )
    strict = arm.ik(T, seed=q, method="six_dof", tolerance=1e-3)
    assert not strict.solved.any()
    right = arm.ik(T, seed=q, method="six_dof_exact", e0=0.0)
    assert right.solved.all()
    assert right.position_error.max() <= IK_POSE
    assert np.abs(right.q - q).max() < 1e-6


def test_values_of_e0_broadcast_with_the_targets() -> None:
    arm = Arm("left")
    q = ik_sets.uniform(arm, 12, "six e0").reshape(3, 4, 7)
    T, e0 = ik_sets.poses(arm, q), q[..., 2]
    found = arm.ik(T, seed=q, method="six_dof_exact", e0=e0)
    assert found.solved.all()
    assert np.abs(found.q - q).max() < 1e-6
    of_one = arm.ik(T[0, 0], seed=q[0, 0], method="six_dof_exact", e0=e0[0])
    assert of_one.q.shape == (4, 7)
    np.testing.assert_array_equal(of_one.q[0], found.q[0, 0])


def test_values_of_e0_that_do_not_fit_are_refused_in_words() -> None:
    arm, T = Arm("left"), np.broadcast_to(np.eye(4), (3, 4, 4, 4))
    with pytest.raises(ShapeError, match=r"do not broadcast: T \(3, 4\), seed \(\), e0 \(3,\)"):
        arm.ik(T, method="six_dof_exact", e0=np.zeros(3))
    with pytest.raises(InputError, match="e0"):
        arm.ik(T, method="six_dof_exact", e0=np.nan)
    with pytest.warns(UnitsWarning, match="e0 is 40 rad"):
        arm.ik(T[0, 0], method="six_dof_exact", e0=40.0)


@pytest.mark.parametrize("method", ["six_dof", "six_dof_exact"])
def test_a_closed_form_does_not_advise_more_iterations(method: str) -> None:
    arm = Arm("left")
    q = np.random.default_rng(3).uniform(arm.limits.lower, arm.limits.upper, (20, 7))
    result = arm.ik(arm.fk(q), method=method)
    codes = np.asarray(result.status)
    assert set(codes.tolist()) == {IkStatus.SOLVED, IkStatus.LOCKED}
    assert "iterations" not in IkStatus.LOCKED.advice
    assert "e0" in IkStatus.LOCKED.advice
