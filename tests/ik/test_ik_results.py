"""Results: statuses, shapes, words; and bad input, refused in words."""

from __future__ import annotations

import pickle

import ik_sets
import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik import IkError, IkResult, IkStatus, Pointing, Position


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm("left")


@pytest.fixture(scope="module")
def T(arm: Arm) -> np.ndarray:
    return np.asarray(arm.fk(arm.configuration("neutral")))


@pytest.fixture(scope="module")
def far(T: np.ndarray) -> np.ndarray:
    pose = T.copy()
    pose[0, 3] = 4.0
    return pose


def test_a_solved_result_reads_well(arm: Arm, T: np.ndarray) -> None:
    text = repr(arm.ik(T))
    assert text.startswith("IkResult(SOLVED, q=[0.0000 -0.5500 0.0000 0.7500 ")
    assert text.endswith("rad, method='exact')")


def test_an_unsolved_result_reads_well(arm: Arm, far: np.ndarray) -> None:
    result = arm.ik(far)
    assert repr(result) == "IkResult(OUT_OF_REACH, method='exact')"
    assert result.status is IkStatus.OUT_OF_REACH
    assert not result.solved
    assert not result
    assert np.isnan(result.q).all()
    assert np.isnan(result.position_error)


def test_a_batch_reads_well(arm: Arm, T: np.ndarray, far: np.ndarray) -> None:
    result = arm.ik(np.stack([T, far, T]))
    text = repr(result)
    assert text.startswith("IkResult(3 targets: SOLVED 2, OUT_OF_REACH 1, worst errors ")
    assert result.status.tolist() == [IkStatus.SOLVED, IkStatus.OUT_OF_REACH, IkStatus.SOLVED]
    assert (result.status == IkStatus.OUT_OF_REACH).tolist() == [False, True, False]
    assert np.isnan(result.q[1]).all()


def test_parts_of_a_batch_are_results(arm: Arm, T: np.ndarray, far: np.ndarray) -> None:
    result = arm.ik(np.stack([T, far, T]))
    assert result[1].status is IkStatus.OUT_OF_REACH
    assert isinstance(result[0].position_error, float)
    assert [part.solved for part in result] == [True, False, True]
    assert len(result[:2]) == 2
    with pytest.raises(IndexError, match="one target; it has no parts"):
        result[0][0]
    with pytest.raises(TypeError, match="one target; it has no length"):
        len(result[0])


def test_raise_if_failed_names_target_and_reason(arm: Arm, T: np.ndarray, far: np.ndarray) -> None:
    assert arm.ik(T).raise_if_failed().solved
    with pytest.raises(IkError, match=r"^exact: OUT_OF_REACH: No joint angles reach the target"):
        arm.ik(far).raise_if_failed()
    with pytest.raises(IkError) as caught:
        arm.ik(np.stack([T, far])).raise_if_failed()
    assert str(caught.value).startswith(
        "exact: 1 of 2 targets are not solved; the first is [1]: OUT_OF_REACH"
    )
    assert caught.value.result is not None


def test_limits_status_names_joints_and_amounts(arm: Arm) -> None:
    q = ik_sets.beyond(arm, 400)
    results = [arm.ik(T) for T in ik_sets.poses(arm, q)]
    blocked = [result for result in results if result.status is IkStatus.LIMITS]
    assert len(blocked) > 50
    for result in blocked:
        assert result.nearest is not None
        assert result.violation is not None
        outside = np.maximum(result.nearest - arm.limits.upper, 0.0)
        outside -= np.maximum(arm.limits.lower - result.nearest, 0.0)
        assert np.abs(outside - result.violation).max() < 1e-12
        assert result.violations
        assert set(result.violations) <= set(arm.joint_names)
        name, excess = next(iter(result.violations.items()))
        where = "above" if excess > 0.0 else "below"
        assert f"nearest solution violates {name} by {abs(excess):.4f} rad {where}" in repr(result)
    batch = arm.ik(ik_sets.poses(arm, q))
    assert batch.violation is not None
    first = int(np.flatnonzero(batch.status == IkStatus.LIMITS)[0])
    assert batch[first].violations == results[first].violations


def test_nearest_solution_beyond_the_limits_reaches_the_target(arm: Arm) -> None:
    T = ik_sets.poses(arm, ik_sets.beyond(arm, 200))
    result = arm.ik(T)
    blocked = result.status == IkStatus.LIMITS
    assert result.nearest is not None
    assert np.abs(arm.fk(result.nearest[blocked]) - T[blocked]).max() < 1e-9
    assert np.isnan(result.nearest[~blocked]).all()


def test_status_is_code_name_and_advice() -> None:
    assert [int(status) for status in IkStatus] == list(range(7))
    assert str(IkStatus.SOLVED) == "SOLVED: Solved within tolerance."
    assert "method=" in IkStatus.NOT_CONVERGED.advice


def test_results_pickle(arm: Arm, far: np.ndarray) -> None:
    result = pickle.loads(pickle.dumps(arm.ik(far)))
    assert isinstance(result, IkResult)
    assert result.status is IkStatus.OUT_OF_REACH
    with pytest.raises(IkError) as caught:
        result.raise_if_failed()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda T: T[:3], "T must have shape (..., 4, 4), got (3, 4)"),
        (
            lambda T: T[:3, 3],
            "T must have shape (..., 4, 4), got (3,); for a position alone pass Position(p), for a "
            "position and a direction Pointing(p, direction)",
        ),
        (lambda T: T * np.nan, "T[0, 0] = nan; every value of T must be finite"),
        (lambda T: np.diag([1.0, 1.0, 1.0, 2.0]), "T must end in the row 0 0 0 1, got 0 0 0 2"),
        (
            lambda T: np.diag([1.0, 1.0, -1.0, 1.0]),
            "T does not hold a rotation: it mirrors (determinant not positive); project it with "
            "baxterkit.spatial.nearest_rotation(R)",
        ),
        (
            lambda T: np.diag([1.0, 1.0, 1.1, 1.0]),
            "T does not hold a rotation: max |R^T R - 1| = 2.10e-01, at most 1e-06 is accepted; "
            "project it with baxterkit.spatial.nearest_rotation(R)",
        ),
        (lambda T: "pose", "T must hold real numbers, got the text 'pose'"),
    ],
)
@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_targets_that_are_no_pose_are_refused(
    T: np.ndarray, change: object, message: str, backend: str
) -> None:
    arm = Arm("left", backend=backend)
    assert callable(change)
    bad = change(T)
    for call in (arm.ik, arm.ik_all, arm.self_motion):
        with pytest.raises((InputError, ShapeError)) as caught:
            call(bad)
        expected = message if call == arm.ik else message.split("; for a position")[0]
        assert str(caught.value) == expected


def test_a_bad_pose_in_a_batch_is_refused(arm: Arm, T: np.ndarray) -> None:
    batch = np.stack([T] * 300)
    batch[257, 1, 1] += 0.5
    with pytest.raises(InputError, match="T does not hold a rotation"):
        arm.ik(batch)
    batch[257] = T
    batch[12, 0, 3] = np.inf
    with pytest.raises(InputError, match=r"T\[12, 0, 3\] = inf"):
        arm.ik(batch)


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (np.zeros(6), "seed must have 7 values (s0 s1 e0 e1 w0 w1 w2) on its last axis, got shape"),
        ([0.0] * 6 + [np.nan], "seed[6] = nan; every value of seed must be finite"),
        (np.zeros((3, 7)), "leading axes do not broadcast: T (2,), seed (3,)"),
    ],
)
def test_bad_seeds_are_refused(arm: Arm, T: np.ndarray, seed: object, message: str) -> None:
    with pytest.raises((InputError, ShapeError)) as caught:
        arm.ik(np.stack([T, T]), seed=seed)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("backend", ["native", "numpy"])
@pytest.mark.parametrize("size", [2e6, 1e150, 1.7e308])
def test_seeds_that_are_no_angles_are_refused(T: np.ndarray, size: float, backend: str) -> None:
    arm = Arm("left", backend=backend)
    seed = np.zeros(7)
    seed[3] = -size
    message = f"seed holds {-size:g} rad; distances are measured from joint positions within"
    for call in (
        lambda: arm.ik(T, seed=seed),
        lambda: arm.ik(np.stack([T, T]), seed=np.stack([seed, seed])),
        lambda: arm.ik(T, seed=seed, objective="nearest"),
        lambda: arm.ik_path(np.stack([T, T]), seed=seed),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value).startswith(message)
    assert arm.ik(T, seed=np.full(7, 1e6)).solved


@pytest.mark.parametrize(
    ("size", "backend"),
    [(1e100, "native"), (1e154, "native"), (1e200, "native"), (1.7e308, "native"),
     (1e154, "numpy"), (1.7e308, "numpy")],
)  # fmt: skip
def test_targets_however_far_are_out_of_reach(T: np.ndarray, size: float, backend: str) -> None:
    arm = Arm("left", backend=backend)
    far = np.stack([T, T, T])
    far[0, :3, 3], far[1, :3, 3], far[2, :3, 3] = size, (size, -size, 0.0), (0.0, 0.0, -size)
    p = far[0, :3, 3]
    with np.errstate(all="raise"):
        for x in far:
            assert arm.ik(x).status == IkStatus.OUT_OF_REACH
        assert (arm.ik(far).status == IkStatus.OUT_OF_REACH).all()
        assert arm.ik(far[0], objective="nearest").status == IkStatus.OUT_OF_REACH
        assert arm.ik_all(far[0], 0.3).shape == (0, 7)
        if backend == "numpy":  # whose iterations take their time
            return
        assert len(arm.self_motion(far[0]).curves) == 0
        assert arm.ik(Position(p)).status == IkStatus.OUT_OF_REACH
        assert arm.ik(Pointing(p, [0.0, 0.0, -size])).status == IkStatus.OUT_OF_REACH
        assert arm.ik_path(np.stack([T, far[0]])).status == IkStatus.OUT_OF_REACH


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_limits_of_ik_all_are_any_truth(T: np.ndarray, backend: str) -> None:
    arm = Arm("left", backend=backend)
    inside, every = arm.ik_all(T, 1.0), arm.ik_all(T, 1.0, limits=False)
    assert 0 < len(inside) < len(every)
    for yes, no in ((np.True_, np.False_), (1, 0)):
        assert arm.ik_all(T, 1.0, yes).tobytes() == inside.tobytes()
        assert arm.ik_all(T, 1.0, no).tobytes() == every.tobytes()
        assert arm.ik_all(np.stack([T, T]), 1.0, yes).shape == (2, len(inside), 7)


def test_a_seed_beyond_the_limits_is_a_seed(arm: Arm, T: np.ndarray) -> None:
    for method in ("auto", "lm", "pseudoinverse_restarts"):
        result = arm.ik(T, seed=arm.limits.upper + 3.0, method=method)
        assert result.solved
        assert arm.limits.contains(result.q)


def test_unknown_names_list_the_known_ones(arm: Arm, T: np.ndarray) -> None:
    with pytest.raises(UnknownNameError, match="unknown method 'kdl'; available: auto, exact"):
        arm.ik(T, method="kdl")
    with pytest.raises(UnknownNameError, match="unknown objective 'best'; available: quick, near"):
        arm.ik(T, objective="best")
    for nothing in (5, None, 1.5):
        with pytest.raises(UnknownNameError, match=f"unknown objective {nothing}; available: qui"):
            arm.ik(T, objective=nothing)  # type: ignore[arg-type]
        with pytest.raises(UnknownNameError, match=f"unknown objective {nothing}; available: qui"):
            arm.ik(np.stack([T, T]), objective=nothing)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="method 'lm' has no option 'step'; it has: max_iter"):
        arm.ik(T, method="lm", step=1.0)
    with pytest.raises(InputError, match="method 'exact' has no option 'restarts'; it has none"):
        arm.ik(T, restarts=3)
    with pytest.raises(InputError, match="max_iterations must be at least 1, got 0"):
        arm.ik(T, method="lm", max_iterations=0)
    with pytest.raises(InputError, match="restarts must not be negative, got -1"):
        arm.ik(T, method="lm", restarts=-1)
    with pytest.raises(InputError, match="tolerance must be positive, got 0"):
        arm.ik(T, method="lm", tolerance=0.0)


def test_combinations_that_make_no_sense_are_refused(arm: Arm, T: np.ndarray) -> None:
    p = T[:3, 3]
    with pytest.raises(InputError, match="objective 'nearest' needs the exact solver on poses"):
        arm.ik(T, method="lm", objective="nearest")
    with pytest.raises(InputError, match="objective 'nearest' needs the exact solver on poses"):
        arm.ik(Position(p), objective="nearest")
    with pytest.raises(InputError, match="method 'six_dof' takes poses; use auto"):
        arm.ik(Pointing(p, [0, 0, 1]), method="six_dof")
    with pytest.raises(InputError, match="all_solutions is for poses"):
        arm.ik(Position(p), all_solutions=True)
    with pytest.raises(ShapeError, match=r"self_motion takes one pose of shape \(4, 4\)"):
        arm.self_motion(np.stack([T, T]))


def test_every_status_has_a_code_of_its_own() -> None:
    names = list(IkStatus.__members__)
    assert [IkStatus(code).name for code in range(len(names))] == names
