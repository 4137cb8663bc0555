"""The papers' solvers: each does what it says, and says so where it does not."""

from __future__ import annotations

import dataclasses

import ik_sets
import numpy as np
import pytest
from tolerances import IK_FREE

from baxterkit import Arm, spatial
from baxterkit.ik import IkOptions, IkStatus, Pointing, Position, Trace
from baxterkit.ik.iterate import Budget
from baxterkit.ik.methods import AUTO_ANY_GEOMETRY, ITERATIVE, METHODS

LEAST = {
    "pseudoinverse": 0.55,
    "pseudoinverse_restarts": 0.95,
    "lm": 1.0,
    "ccd": 0.05,
    "ccd_pseudoinverse": 0.45,
    "nullspace": 0.95,
}
"""Rate that each solves at least, of 60 random targets from the middle of the range."""


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm("left")


@pytest.fixture(scope="module")
def T(arm: Arm) -> np.ndarray:
    return ik_sets.poses(arm, ik_sets.uniform(arm, 60, "iterative"))


@pytest.mark.slow
@pytest.mark.parametrize("method", ITERATIVE)
def test_what_counts_as_solved_is_solved(arm: Arm, T: np.ndarray, method: str) -> None:
    result = arm.ik(T, method=method)
    assert result.solved.mean() >= LEAST[method]
    tolerance = ITERATIVE[method].budget.tolerance
    q = result.q[result.solved]
    assert arm.limits.contains(q, 0.0).all()
    distance, angle = spatial.pose_error(arm.fk(q), T[result.solved])
    assert distance.max() <= tolerance
    assert angle.max() <= tolerance
    assert (result.position_error[result.solved] == distance).all()
    assert np.isnan(result.q[~result.solved]).all()
    assert set(result.status.tolist()) <= {IkStatus.SOLVED, IkStatus.NOT_CONVERGED}
    (attempt,) = result.attempts
    assert (attempt.method, attempt.targets) == (method, 60)
    assert attempt.solved == int(result.solved.sum())
    assert bool(attempt.reason) == (attempt.solved < 60)


@pytest.mark.slow
@pytest.mark.parametrize("method", ITERATIVE)
def test_answers_repeat_and_do_not_depend_on_the_batch(
    arm: Arm, T: np.ndarray, method: str
) -> None:
    whole = arm.ik(T[:6], method=method)
    again = arm.ik(T[:6], method=method)
    assert whole.q.tobytes() == again.q.tobytes()
    for i in (0, 3, 5):
        one = arm.ik(T[i], method=method)
        assert one.status == whole.status[i]
        if one.solved:
            assert np.abs(one.q - whole.q[i]).max() < 1e-6


def test_restarts_follow_their_seed(arm: Arm, T: np.ndarray) -> None:
    a = arm.ik(T[:15], method="pseudoinverse_restarts", random_seed=1)
    b = arm.ik(T[:15], method="pseudoinverse_restarts", random_seed=2)
    assert not np.array_equal(a.q, b.q, equal_nan=True)


def test_algorithm_1_as_printed_oscillates_and_the_corrected_one_converges(arm: Arm) -> None:
    T = arm.fk(arm.configuration("neutral"))
    seed = arm.configuration("neutral") + 0.3
    printed = arm.ik(T, seed, method="pseudoinverse", shorten=False, step=0.05, trace=True)
    assert printed.status is IkStatus.NOT_CONVERGED
    assert isinstance(printed.trace, Trace)
    size = np.hypot(printed.trace.position_error, printed.trace.orientation_error)
    # Never much nearer than half a step, to and fro until the end.
    assert size[-50:].min() > 0.01
    assert size[-50:].max() < 0.08
    corrected = arm.ik(T, seed, method="pseudoinverse", step=0.05, trace=True)
    assert corrected.solved
    assert isinstance(corrected.trace, Trace)
    assert len(corrected.trace) < 60


def test_trace_starts_at_the_seed_and_ends_at_the_answer(arm: Arm, T: np.ndarray) -> None:
    seed = arm.limits.middle
    result = arm.ik(T[:5], method="pseudoinverse_restarts", trace=True)
    assert isinstance(result.trace, tuple)
    for i, trace in enumerate(result.trace):
        assert (trace.q[0] == seed).all()
        assert trace.restart[0]
        if result.solved[i]:
            assert np.abs(spatial.pose_error(arm.fk(trace.q[-1]), T[i])).max() <= IK_FREE
    assert isinstance(result[0].trace, Trace)


def test_levenberg_marquardt_converges_faster_than_linearly(arm: Arm) -> None:
    T = arm.fk(arm.configuration("neutral"))
    result = arm.ik(T, arm.configuration("neutral") + 0.2, method="lm", trace=True)
    assert isinstance(result.trace, Trace)
    error = result.trace.position_error + result.trace.orientation_error
    assert error[-1] < 0.05 * error[-2] < 0.05 * 0.3 * error[-3]


def test_ccd_never_gets_worse(arm: Arm, T: np.ndarray) -> None:
    result = arm.ik(Position(T[:20, :3, 3]), method="ccd", trace=True)
    assert isinstance(result.trace, tuple)
    for trace in result.trace:
        assert (np.diff(trace.position_error) <= 1e-12).all()


def test_nullspace_ends_nearer_to_the_middle_than_it_began(arm: Arm) -> None:
    half = 0.5 * (arm.limits.upper - arm.limits.lower)

    def crowding(q: np.ndarray) -> np.ndarray:
        return np.sum(((q - arm.limits.middle) / half) ** 2, axis=-1)

    q = ik_sets.uniform(arm, 40, "nullspace")
    result = arm.ik(ik_sets.poses(arm, q), seed=q, method="nullspace", restarts=0)
    kept = result.solved
    assert kept.mean() > 0.8
    assert (crowding(result.q[kept]) <= crowding(q[kept]) + 1e-9).all()
    assert np.median(crowding(q[kept]) - crowding(result.q[kept])) > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "lm", "pseudoinverse_restarts"])
def test_position_and_pointing_targets_are_met(arm: Arm, T: np.ndarray, method: str) -> None:
    p, x_axis = T[:, :3, 3], T[:, :3, 0]
    position = arm.ik(Position(p), method=method)
    assert position.solved.mean() > 0.95
    found = arm.fk(position.q[position.solved])
    assert np.linalg.norm(found[:, :3, 3] - p[position.solved], axis=-1).max() <= IK_FREE
    pointing = arm.ik(Pointing(p, 3.0 * x_axis, axis="x"), method=method)
    assert pointing.solved.mean() > 0.95
    found = arm.fk(pointing.q[pointing.solved])
    kept = pointing.solved
    assert np.linalg.norm(found[:, :3, 3] - p[kept], axis=-1).max() <= IK_FREE
    cosine = np.sum(found[:, :3, 0] * x_axis[kept], axis=-1)
    assert np.arccos(np.clip(cosine, -1.0, 1.0)).max() <= 1e-7
    if method == "auto":
        assert kept.all()
        assert position.solved.all()


def test_free_targets_out_of_reach_are_said_to_be() -> None:
    arm = Arm("right", tool="vacuum")
    assert arm.ik(Position([3.0, 0.0, 0.0])).status is IkStatus.OUT_OF_REACH
    result = arm.ik(Pointing([[3.0, 0.0, 0.0], [0.6, -0.3, 0.2]], [0.0, 0.0, -1.0]))
    assert result.status.tolist() == [IkStatus.OUT_OF_REACH, IkStatus.SOLVED]


def test_exact_solver_serves_where_iteration_fails(arm: Arm) -> None:
    # One iteration without restarts cannot do it.
    T = arm.fk(arm.configuration("neutral"))
    seed = arm.limits.lower
    result = arm.ik(Pointing(T[:3, 3], T[:3, 2]), seed, max_iterations=1, restarts=0)
    assert result.solved
    assert result.method == "exact"
    assert [attempt.method for attempt in result.attempts] == ["lm", "exact"]
    result = arm.ik(Position(T[:3, 3]), seed, max_iterations=1, restarts=0)
    assert result.solved
    assert result.position_error < 1e-11


def another_arm() -> Arm:
    """An arm whose joints are not Baxter's: a longer upper arm."""
    model = Arm("left").model
    longer = model.joints[2].T_parent_joint.copy()
    longer[:3, 3] *= 1.1
    joints = list(model.joints)
    joints[2] = dataclasses.replace(joints[2], T_parent_joint=longer)
    return Arm.from_model(dataclasses.replace(model, joints=tuple(joints)))


def test_another_geometry_is_served_by_iteration() -> None:
    arm = another_arm()
    assert not arm.model.is_baxter_geometry
    T = ik_sets.poses(arm, ik_sets.uniform(arm, 25))
    result = arm.ik(T)
    assert result.solved.all()
    assert np.abs(arm.fk(result.q) - T).max() < 1e-8
    assert result.attempts[0].method == AUTO_ANY_GEOMETRY[0]


def test_exact_methods_refuse_another_geometry() -> None:
    arm = another_arm()
    T = arm.fk(arm.limits.middle)
    for call in (
        lambda: arm.ik(T, method="exact"),
        lambda: arm.ik_all(T),
        lambda: arm.self_motion(T),
        lambda: arm.ik_path([T]),
    ):
        with pytest.raises(ValueError, match="is for Baxter's geometry, and this arm has another"):
            call()


def test_every_method_has_a_name_and_a_line() -> None:
    assert METHODS[0] == "auto"
    assert all(method.about for method in ITERATIVE.values())


def test_every_option_of_a_method_is_typed() -> None:
    budget = {field.name for field in dataclasses.fields(Budget)}
    own = {name for method in ITERATIVE.values() for name in method.options}
    assert set(IkOptions.__annotations__) == budget | own | {"e0"}
