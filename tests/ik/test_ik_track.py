"""Following a moving target: every step exact, near and within limits, or a reason why not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tolerances as tol

from baxterkit import Arm, native, spatial
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik import IkStatus

BACKENDS = [
    pytest.param("native", marks=pytest.mark.skipif(native.load() is None, reason="no extension")),
    "numpy",
]


@pytest.fixture(scope="module", params=BACKENDS)
def arm(request: pytest.FixtureRequest) -> Arm:
    return Arm("left", tool="electric_standard", backend=request.param)


def steps_of(arm: Arm, native_steps: int, numpy_steps: int) -> int:
    return native_steps if arm.backend == "native" else numpy_steps


def circle(arm: Arm, n: int, radius: float = 0.08) -> np.ndarray:
    """A closed circle of poses from "neutral" on, the last one the first, (n + 1, 4, 4)."""
    T = arm.fk(arm.configuration("neutral"))
    Ts = np.tile(T, (n + 1, 1, 1))
    angle = np.linspace(0.0, 2.0 * np.pi, n + 1)
    Ts[:, 0, 3] += radius * (np.cos(angle) - 1.0)
    Ts[:, 1, 3] += radius * np.sin(angle)
    return Ts


def follow(arm: Arm, Ts: np.ndarray, q: np.ndarray, **options: object) -> np.ndarray:
    """Joint positions of every step; each must be solved."""
    way = []
    for T in Ts:
        result = arm.ik_track(T, q, **options)  # type: ignore[arg-type]
        assert result.status is IkStatus.SOLVED
        assert result.method == "track"
        q = result.q
        way.append(q)
    return np.array(way)


def assert_exact(arm: Arm, Ts: np.ndarray, q: np.ndarray) -> None:
    distance, angle = spatial.pose_error(arm.fk(q), Ts)
    assert max(np.max(distance), np.max(angle)) <= tol.IK_DEGENERATE
    assert arm.limits.contains(q, 0.0).all()


def test_every_step_is_exact_and_small(arm: Arm) -> None:
    Ts = circle(arm, steps_of(arm, 200, 24))
    way = follow(arm, Ts, arm.configuration("neutral"))
    assert_exact(arm, Ts, way)
    moved = np.linalg.norm(np.diff(way, axis=0), axis=-1)
    tip = np.linalg.norm(np.diff(Ts[:, :3, 3], axis=0), axis=-1)
    assert (moved < 20.0 * tip).all()  # rad per metre: no jump to another branch


def test_steps_are_the_shortest_to_first_order(arm: Arm) -> None:
    q = arm.configuration("neutral")
    T = arm.fk(q)
    T[:3, 3] += [2e-4, -1e-4, 3e-4]
    shortest = np.linalg.pinv(arm.jacobian(q)) @ [2e-4, -1e-4, 3e-4, 0.0, 0.0, 0.0]
    moved = arm.ik_track(T, q).q - q
    np.testing.assert_allclose(moved, shortest, rtol=0.0, atol=1e-2 * np.abs(shortest).max())


def test_a_held_elbow_stays_and_comes_back(arm: Arm) -> None:
    Ts = circle(arm, steps_of(arm, 200, 24))
    start = arm.configuration("neutral")
    way = follow(arm, Ts, start, hold_elbow=True)
    assert_exact(arm, Ts, way)
    assert (way[:, 2] == start[2]).all()
    np.testing.assert_allclose(way[-1], start, rtol=0.0, atol=tol.IK_JOINT)


def test_limits_turn_the_elbow_instead_of_stopping_the_hand(arm: Arm) -> None:
    """Drawn in, the arm would leave its range if e0 stayed; the redundancy keeps it inside."""
    q = arm.configuration("untuck")
    T = arm.fk(q)
    Ts = np.tile(T, (steps_of(arm, 300, 60), 1, 1))
    Ts[:, 0, 3] -= np.linspace(0.0, 0.3, len(Ts))
    assert len(arm.ik_all(Ts[-1], float(q[2]))) == 0
    assert_exact(arm, Ts, follow(arm, Ts, q))


def test_the_hand_is_followed_to_the_edge_of_reach(arm: Arm) -> None:
    q = arm.configuration("neutral")
    T = arm.fk(q)
    Ts = np.tile(T, (steps_of(arm, 300, 40), 1, 1))
    Ts[:, 0, 3] += np.linspace(0.0, 0.2, len(Ts))
    for T in Ts:
        step = arm.ik_track(T, q)
        if not step.solved:
            break
        assert_exact(arm, T, step.q)
        q = step.q
    assert step.status is IkStatus.OUT_OF_REACH
    assert Arm("left", tool="electric_standard").ik(T).status is IkStatus.OUT_OF_REACH


def test_most_steps_of_random_motions_within_the_limits_are_followed(arm: Arm) -> None:
    rng = np.random.default_rng(5)
    limits = arm.limits
    followed = total = 0
    for _ in range(steps_of(arm, 40, 3)):
        a, b = (rng.uniform(0.8 * limits.lower, 0.8 * limits.upper) for _ in range(2))
        b = a + 0.3 * (b - a)
        q = a
        for T in arm.fk(a + np.linspace(0.0, 1.0, 25)[:, None] * (b - a)):
            result = arm.ik_track(T, q)
            total += 1
            if not result.solved:
                break
            assert_exact(arm, T, result.q)
            assert np.abs(result.q - q).max() <= 0.5 + tol.IK_JOINT
            followed += 1
            q = result.q
    assert followed >= 0.95 * total


def test_no_joint_moves_more_than_it_may(arm: Arm) -> None:
    q = arm.configuration("neutral")
    T = arm.fk(q)
    T[:3, 3] += [0.02, 0.0, 0.02]
    free = np.abs(arm.ik_track(T, q).q - q)
    bounded = arm.ik_track(T, q, max_step=1.05 * free.max())
    assert bounded.solved
    assert np.abs(bounded.q - q).max() <= 1.05 * free.max()
    assert not arm.ik_track(T, q, max_step=0.02 * free.max()).solved
    each = np.where(np.arange(7) == 2, 1e-3, 0.5)
    assert abs(arm.ik_track(T, q, max_step=each).q[2] - q[2]) <= 1e-3 + 1e-12


def test_targets_that_are_not_near_get_a_status(arm: Arm) -> None:
    q = arm.configuration("untuck")
    far = arm.fk(q)
    far[:3, 3] = [5.0, 0.0, 0.0]
    result = arm.ik_track(far, q)
    assert result.status is IkStatus.OUT_OF_REACH
    assert np.isnan(result.q).all()
    assert np.isnan(result.position_error)
    elsewhere = arm.ik_track(arm.fk(q), arm.limits.upper)
    assert elsewhere.status is IkStatus.NOT_CONVERGED
    assert arm.ik(arm.fk(q)).solved


def test_a_singular_configuration_is_left_and_entered(arm: Arm) -> None:
    """Stretched elbow: the Jacobian has lost a rank, and the way leads inwards."""
    q = np.array([0.2, -0.3, 0.1, 0.0, 0.3, 0.9, 0.1])
    inwards = np.array([0.2, -0.3, 0.1, 0.05, 0.3, 0.9, 0.1])
    T = arm.fk(inwards)
    result = arm.ik_track(T, q)
    assert result.solved
    assert_exact(arm, T, result.q)
    back = arm.ik_track(arm.fk(q), inwards)
    assert back.solved
    assert_exact(arm, arm.fk(q), back.q)


def test_batches_broadcast_and_answer_like_single_calls(arm: Arm) -> None:
    Ts = circle(arm, 12)[:6]
    q = arm.configuration("neutral")
    batch = arm.ik_track(Ts.reshape(2, 3, 4, 4), q)
    assert batch.q.shape == (2, 3, 7)
    assert batch.status.shape == (2, 3)
    for i, T in enumerate(Ts):
        one = arm.ik_track(T, q)
        assert (one.q == batch.q.reshape(-1, 7)[i]).all()
        assert one.status == batch.status.flat[i]
        assert one.position_error == batch.position_error.flat[i]
    assert arm.ik_track(Ts[:0], q).q.shape == (0, 7)


def test_joints_may_be_beyond_a_turn_where_limits_are_wide(arm: Arm) -> None:
    joints = tuple(replace(joint, lower=-20.0, upper=20.0) for joint in arm.model.joints)
    free = Arm.from_model(replace(arm.model, joints=joints), arm.backend)
    q = arm.configuration("neutral") + 2.0 * np.pi * np.array([1, 0, -1, 0, 1, 0, 1])
    T = free.fk(q)
    T[:3, 3] += [0.005, 0.005, 0.0]
    result = free.ik_track(T, q)
    assert result.solved
    assert np.abs(result.q - q).max() < 0.1
    held = free.ik_track(T, q, hold_elbow=True)
    assert held.q[2] == q[2]
    assert np.abs(held.q - q).max() < 0.1


@pytest.mark.skipif(native.load() is None, reason="no extension")
def test_backends_take_steps_of_the_same_length() -> None:
    compiled, plain = (Arm("right", backend=name) for name in ("native", "numpy"))
    rng = np.random.default_rng(8)
    q = rng.uniform(0.7 * compiled.limits.lower, 0.7 * compiled.limits.upper, (40, 7))
    Ts = compiled.fk(q + rng.normal(scale=2e-3, size=q.shape))
    lengths = []
    for arm in (compiled, plain):
        result = arm.ik_track(Ts, q)
        assert result.solved.all()
        assert_exact(arm, Ts, result.q)
        lengths.append(np.linalg.norm(result.q - q, axis=-1))
    np.testing.assert_allclose(lengths[0], lengths[1], rtol=0.02, atol=0.0)


def test_refusals_name_the_value_and_the_way_out(arm: Arm) -> None:
    q = arm.configuration("neutral")
    T = arm.fk(q)
    with pytest.raises(ShapeError, match=r"T must have shape"):
        arm.ik_track(np.zeros(3), q)
    with pytest.raises(ShapeError, match=r"q must have 7 values"):
        arm.ik_track(T, q[:6])
    with pytest.raises(InputError, match=r"q holds 1e\+07 rad"):
        arm.ik_track(T, np.full(7, 1e7))
    with pytest.raises(ShapeError, match=r"do not broadcast: T \(2,\), q \(3,\)"):
        arm.ik_track(np.stack([T, T]), np.stack([q, q, q]))
    with pytest.raises(InputError, match="max_step must be positive, got 0"):
        arm.ik_track(T, q, max_step=0.0)
    with pytest.raises(ShapeError, match=r"max_step must be one number or seven, got shape \(3,\)"):
        arm.ik_track(T, q, max_step=[0.1, 0.1, 0.1])
    with pytest.raises(InputError, match="T must end in the row 0 0 0 1, got 0 0 0 2"):
        arm.ik_track(2.0 * T, q)


def test_another_geometry_is_refused() -> None:
    other = Arm.from_urdf(Arm("left").to_urdf().replace("0.069", "0.079"), "left")
    assert not other.model.is_baxter_geometry
    with pytest.raises(InputError, match="ik_track is for Baxter's geometry"):
        other.ik_track(other.fk(np.zeros(7)), np.zeros(7))
