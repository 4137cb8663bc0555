"""Self-motion: curves that hold the tip still, their feasible parts, and the best point of them."""

from __future__ import annotations

import ik_sets
import numpy as np
import pytest
from tolerances import IK_POSE

from baxterkit import Arm, native, spatial
from baxterkit.ik import IkStatus, exact
from baxterkit.ik.self_motion import SelfMotion, margin

needs_native = pytest.mark.skipif(native.load() is None, reason="the extension was not built")

SPLIT = np.array(
    [[-0.91862038528545731, 0.14336262858912407, 2.3273857229774926, 0.14357669314442068,
      1.3358284439915717, -0.38087372304451428, -1.8098875392550902],
     [-0.016627364803265765, -0.27393476175618625, 0.79340220417539697, 0.25446069516766545,
      -3.0368322811418009, 1.6291531963055319, 0.7558893049103359],
     [-0.64249567675628994, -1.6168296286760162, -2.4228785743098085, 1.7225047064365671,
      -1.7267957869800867, 1.4924415319161146, -1.4022663021315338]]
)  # fmt: skip
"""On closed curves that leave the limits only between two solutions known of them; the last one's
e0 turns back 1e-6 rad behind one of the values that the search starts from."""


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm("left")


@pytest.fixture(scope="module")
def motions(arm: Arm) -> list[SelfMotion]:
    q = np.concatenate([make(arm, 12) for make in ik_sets.IK_SETS.values()])
    return [arm.self_motion(T) for T in ik_sets.poses(arm, q)]


@needs_native
def test_every_point_reaches_the_pose(arm: Arm, motions: list[SelfMotion]) -> None:
    for motion in motions:
        assert motion.curves
        for curve in motion.curves:
            distance, angle = spatial.pose_error(arm.fk(curve.q), motion.T)
            assert max(distance.max(), angle.max()) < 1e-8
        assert motion.feasible
        distance, angle = spatial.pose_error(arm.fk(motion.samples()), motion.T)
        assert max(distance.max(), angle.max()) < 1e-8
        assert (margin(motion.samples(), arm.limits) >= 0.0).all()


@needs_native
def test_curves_are_continuous_and_closed(motions: list[SelfMotion]) -> None:
    closed = total = 0
    for motion in motions:
        for curve in motion.curves:
            assert np.abs(np.diff(curve.q, axis=0)).max() < 1.5
            total += 1
            closed += bool(np.abs(exact.wrap(curve.q[-1] - curve.q[0])).max() < 1e-6)
    assert closed / total > 0.98


@needs_native
def test_segments_end_at_a_limit(arm: Arm, motions: list[SelfMotion]) -> None:
    ends = at_limit = 0
    for motion in motions:
        for segment in motion.feasible:
            if segment.closed:
                continue
            ends += 2
            at_limit += int((margin(segment.q[[0, -1]], arm.limits) < 1e-9).sum())
    assert ends > 100
    assert at_limit / ends > 0.97


@needs_native
def test_every_solution_within_the_limits_lies_in_an_interval(arm: Arm) -> None:
    q = ik_sets.uniform(arm, 150, "intervals")
    for T, generating in zip(ik_sets.poses(arm, q), q, strict=True):
        intervals = arm.self_motion(T).e0_intervals
        assert any(low - 1e-6 <= generating[2] <= high + 1e-6 for low, high in intervals)


@needs_native
def test_native_and_reference_agree_on_the_intervals(arm: Arm) -> None:
    slow = Arm("left", backend="numpy")
    for T in ik_sets.poses(arm, ik_sets.uniform(arm, 1, "reference")):
        fast, reference = arm.self_motion(T), slow.self_motion(T)
        assert len(fast.curves) == len(reference.curves)
        a, b = np.array(fast.e0_intervals), np.array(reference.e0_intervals)
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=0.0, atol=2e-3)


def test_out_of_reach_has_no_curves(arm: Arm) -> None:
    T = np.eye(4)
    T[0, 3] = 5.0
    motion = arm.self_motion(T)
    assert motion.curves == ()
    assert motion.feasible == ()
    assert motion.samples().shape == (0, 7)
    assert repr(motion) == "SelfMotion(0 curves, 0 segments within the limits)"


COSTS = {
    "nearest": lambda arm, seed: lambda q: np.sum((q - seed) ** 2, axis=-1),
    "limits": lambda arm, seed: (
        lambda q: -margin((q - arm.limits.lower) / (arm.limits.upper - arm.limits.lower), UNIT)
    ),
    "manipulability": lambda arm, seed: lambda q: -np.asarray(arm.manipulability(q)),
    "gravity": lambda arm, seed: lambda q: np.linalg.norm(arm.gravity(q), axis=-1),
}


class UNIT:
    lower = np.zeros(7)
    upper = np.ones(7)


@needs_native
@pytest.mark.parametrize("objective", COSTS)
def test_objectives_are_global_optima(arm: Arm, objective: str) -> None:
    q = ik_sets.uniform(arm, 30, objective)
    seeds = ik_sets.uniform(arm, 30, "seeds")
    T = ik_sets.poses(arm, q)
    result = arm.ik(T, seed=seeds, objective=objective)
    assert result.solved.all()
    assert max(result.position_error.max(), result.orientation_error.max()) <= IK_POSE
    e0 = np.linspace(arm.limits.lower[2], arm.limits.upper[2], 400)
    for i in range(30):
        cost = COSTS[objective](arm, seeds[i])
        rows = arm.ik_all(np.broadcast_to(T[i], (400, 4, 4)), e0)
        others = rows[~np.isnan(rows[..., 0])]
        best = float(np.min(cost(others))) if len(others) else np.inf
        assert float(cost(result.q[i])) <= best + 1e-6


@needs_native
def test_a_function_is_minimised_like_a_named_objective(arm: Arm) -> None:
    q = ik_sets.uniform(arm, 8, "function")
    T = ik_sets.poses(arm, q)
    named = arm.ik(T, objective="manipulability")
    own = arm.ik(T, objective=lambda x: -np.asarray(arm.manipulability(x)))
    np.testing.assert_allclose(
        arm.manipulability(named.q), arm.manipulability(own.q), rtol=1e-6, atol=0.0
    )
    one = arm.ik(T[0], objective=lambda x: (x[:, 5] - 0.5) ** 2)
    assert one.status is IkStatus.SOLVED


@needs_native
def test_an_error_in_the_function_comes_through(arm: Arm) -> None:
    def wrong(q: np.ndarray) -> np.ndarray:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        arm.ik(arm.fk(arm.configuration("neutral")), objective=wrong)


@needs_native
def test_the_function_may_use_inverse_kinematics_itself(arm: Arm) -> None:
    T = arm.fk(arm.limits.middle + 0.2)
    other = arm.fk(arm.limits.middle - 0.3)

    def cost(q: np.ndarray) -> np.ndarray:
        assert arm.ik(other).solved
        assert arm.self_motion(other).curves
        return -np.asarray(arm.manipulability(q))

    plain = arm.ik(T, objective=lambda q: -np.asarray(arm.manipulability(q)))
    assert (arm.ik(T, objective=cost).q == plain.q).all()


@needs_native
def test_nearest_recovers_a_seed_that_solves(arm: Arm) -> None:
    q = ik_sets.uniform(arm, 100, "recover")
    found = arm.ik(ik_sets.poses(arm, q), seed=q, objective="nearest").q
    assert np.linalg.norm(found - q, axis=-1).max() < 1e-5


@needs_native
def test_e0_intervals_reach_to_where_e0_turns_back() -> None:
    # Beyond the ends of the intervals there is no solution with that e0, however near.
    arm = Arm("left")
    q = ik_sets.uniform(arm, 60, "e0 intervals")
    beyond = 0
    for T in ik_sets.poses(arm, q):
        ends = np.array(arm.self_motion(T).e0_intervals)
        e0 = np.concatenate([[ends[:, 0] - off, ends[:, 1] + off] for off in (1e-6, 1e-4, 1e-3)])
        e0 = e0.ravel()
        outside = ~((e0[:, None] >= ends[:, 0] - 1e-9) & (e0[:, None] <= ends[:, 1] + 1e-9)).any(1)
        e0 = e0[outside & (e0 > arm.limits.lower[2]) & (e0 < arm.limits.upper[2])]
        found = arm.ik_all(np.broadcast_to(T, (len(e0), 4, 4)), e0)
        assert np.isnan(found).all()
        beyond += len(e0)
    assert beyond > 200


@needs_native
def test_segments_end_on_limits() -> None:
    # A closed curve whose nodes are inside, and that leaves the limits in between, is one segment.
    arm = Arm("left")
    q = np.concatenate([SPLIT, ik_sets.uniform(arm, 60, "ends")])
    for T in ik_sets.poses(arm, q):
        motion = arm.self_motion(T)
        assert motion.complete
        for segment in motion.feasible:
            if segment.closed or len(segment.q) == 1:
                continue
            for end in segment.q[[0, -1]]:
                gap = np.minimum(np.abs(end - arm.limits.lower), np.abs(arm.limits.upper - end))
                assert gap.min() < 1e-9
