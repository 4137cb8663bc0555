"""Limits of any position and width: beyond half a turn, narrow, wider than a turn, infinite."""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import pytest
import restarts
from problems import generator, numpy_twin
from tolerances import IK_DEGENERATE, IK_JOINT

from baxterkit import Arm, native, spatial
from baxterkit.ik import IkStatus
from baxterkit.ik.exact import place, turn_middles

pytestmark = pytest.mark.filterwarnings("ignore::baxterkit.errors.UnitsWarning")
needs_native = pytest.mark.skipif(native.load() is None, reason="the extension was not built")

JOINTS = ("s0", "s1", "e0", "e1", "w0", "w1", "w2")
FREE = (-np.inf, np.inf)
CASES: dict[str, dict[str, tuple[float, float]]] = {
    "e0 beyond half a turn": {"e0": (3.2, 4.0)},
    "e1 across half a turn": {"e1": (0.0, 3.3)},
    "w2 from 0 to a turn": {"w2": (0.0, 6.28)},
    "s0 across half a turn": {"s0": (2.0, 5.0)},
    "w1 a turn further": {"w1": (-1.57 + 2 * np.pi, 2.09 + 2 * np.pi)},
    "e0 free": {"e0": FREE},
    "w2 for several turns": {"w2": (-20.0, 20.0)},
    "s1 and w0 half free": {"s1": (-np.inf, 1.0), "w0": (4.0, np.inf)},
    "all free": dict.fromkeys(JOINTS, FREE),
    "narrow and far": {"e0": (6.9, 7.0), "w0": (-9.1, -9.0)},
    "hundreds of radians away": {
        "s0": (500.0, 503.0),
        "e1": (-900.0, -897.0),
        "w2": (800.0, 806.0),
    },
}


def with_limits(limits: dict[str, tuple[float, float]]) -> Arm:
    model = Arm("left").model
    joints = []
    for joint in model.joints:
        lower, upper = limits.get(joint.name.split("_")[-1], (joint.lower, joint.upper))
        joints.append(dataclasses.replace(joint, lower=lower, upper=upper))
    return Arm.from_model(dataclasses.replace(model, joints=tuple(joints)))


def witnesses(arm: Arm, n: int, rng: np.random.Generator) -> np.ndarray:
    """Joint positions within the limits, of infinite ones the part next to 0."""
    lower = np.maximum(arm.limits.lower, np.minimum(-8.0, arm.limits.upper - 8.0))
    upper = np.minimum(arm.limits.upper, np.maximum(8.0, lower + 8.0))
    return rng.uniform(lower, upper, (n, 7))


def random_limits(rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    """One limit set: as they are, shifted by turns, narrow, wide, half or wholly infinite."""
    standard = Arm("left").limits
    limits = {}
    for i, name in enumerate(JOINTS):
        kind, middle = rng.integers(0, 7), rng.uniform(-5.0, 5.0)
        turns = 2.0 * np.pi * rng.integers(-3, 4)
        half = (10.0 ** rng.uniform(-4.0, 0.0), rng.uniform(0.5, 3.2), rng.uniform(3.1, 12.0))
        limits[name] = [
            (standard.lower[i], standard.upper[i]),
            (standard.lower[i] + turns, standard.upper[i] + turns),
            *((middle - h, middle + h) for h in half),
            FREE,
            (-np.inf, middle) if rng.random() < 0.5 else (middle, np.inf),
        ][kind]
    return limits


def check(arm: Arm, q: np.ndarray, objective: str, seed: np.ndarray | None = None) -> np.ndarray:
    T = np.ascontiguousarray(arm.fk(q))
    result = arm.ik(T, objective=objective, seed=seed)
    assert result.solved.all(), q[~result.solved][0].tolist()
    assert (result.q >= arm.limits.lower).all()
    assert (result.q <= arm.limits.upper).all()
    distance, angle = spatial.pose_error(arm.fk(result.q), T)
    assert max(distance.max(), angle.max()) <= IK_DEGENERATE
    found: np.ndarray = result.q
    return found


@needs_native
@pytest.mark.parametrize("name", CASES)
def test_targets_are_solved_within_any_limits(name: str) -> None:
    arm = with_limits(CASES[name])
    q = witnesses(arm, 150, generator(name))
    for objective in ("quick", "nearest", "limits", "manipulability", "gravity"):
        check(arm, q, objective)
    assert np.abs(check(arm, q, "nearest", q) - q).max() < IK_JOINT
    for x in q[:10]:
        motion = arm.self_motion(arm.fk(x))
        samples = motion.samples()
        assert len(samples)
        assert arm.limits.contains(samples).all()
        found = arm.ik_all(arm.fk(x), float(x[2]))
        turns = (found - x) / (2.0 * np.pi)
        assert (np.abs(turns - np.round(turns)).max(axis=-1) < IK_JOINT).any()


@needs_native
def test_random_limit_sets() -> None:
    rng = generator("limit sets")
    for _ in range(25):
        arm = with_limits(random_limits(rng))
        q = witnesses(arm, 20, rng)
        check(arm, q, "quick", rng.uniform(-10.0, 10.0, q.shape))
        check(arm, q[:5], "nearest")


@needs_native
def test_a_solution_next_to_the_end_of_a_turn() -> None:
    # e0 is free, and its turn, around that of the seed, ends at -0.09; w2 has 0.0014 rad.
    arm = with_limits(
        {
            "s0": (-2.9162763218996126, np.inf), "s1": FREE, "e0": FREE,
            "e1": (-16.74318555595196, 7.0735658329253885),
            "w0": (-3.6768905117245176, -3.6262176127402967),
            "w1": (-20.420352248328758, -16.755555921538758),
            "w2": (-0.7205412369699842, -0.7191013861348787),
        }
    )  # fmt: skip
    q = [2.077069201033174, 3.670280484999777, 6.3233935845209395, -3.8153524231243603,
         -3.63629603222322, -17.92253415227748, -0.7196722017961983]  # fmt: skip
    seed = [3.888527504603834, -6.019127483497641, 3.0508358516813257, 4.0731141031858265,
            -0.3212194886648163, -0.04552001523739513, 3.0881104441210905]  # fmt: skip
    check(arm, np.array([q]), "quick", np.array(seed))


@needs_native
def test_free_joints_leave_no_gap_in_e0() -> None:
    arm = with_limits(CASES["all free"])
    low, high = arm.self_motion(
        arm.fk(np.array([0.3, -0.5, 0.4, 1.2, 0.1, 0.9, 0.2]))
    ).e0_intervals[0]
    assert low == pytest.approx(-np.pi)
    assert high == pytest.approx(np.pi)


@pytest.mark.slow
def test_the_reference_takes_any_limits() -> None:
    for name in ("e0 beyond half a turn", "s0 across half a turn", "all free"):
        arm = numpy_twin(with_limits(CASES[name]))
        q = witnesses(arm, 1, generator(name))
        check(arm, q, "quick")
        # near the edge of reach, where curves are short
        x = np.array([2.3, -0.5, 0.1, 0.3, 0.1, 0.9, 0.2])
        x = np.clip(x, arm.limits.lower + 0.1, arm.limits.upper - 0.1)
        motion = arm.self_motion(arm.fk(x))
        assert arm.limits.contains(motion.samples()).all()
        assert np.abs(motion.samples() - x).max(axis=-1).min() < 0.1


def test_turns_lie_within_the_limits() -> None:
    rng = generator("turns")
    for _ in range(60):
        arm = with_limits(random_limits(rng))
        seed = rng.uniform(-20.0, 20.0, 7)
        q = witnesses(arm, 1, rng)[0]
        placed = place(q + 2.0 * np.pi * rng.integers(-5, 6, 7), turn_middles(arm.limits, seed))
        assert arm.limits.contains(placed)
        # no other turn within the limits is nearer to the seed
        for turns in (-2.0 * np.pi, 2.0 * np.pi):
            other = placed + turns
            inside = (other >= arm.limits.lower) & (other <= arm.limits.upper)
            assert (np.abs(other - seed) >= np.abs(placed - seed) - 1e-9)[inside].all()


def bounded(limits: dict[str, tuple[float, float]]) -> Arm:
    """An arm that reaches the same poses, with finite limits: two turns of what is infinite."""
    turns = 4.0 * np.pi
    finite = {}
    for name, (lower, upper) in limits.items():
        low = (
            lower if np.isfinite(lower) else (upper if np.isfinite(upper) else 0.5 * turns) - turns
        )
        finite[name] = (low, upper if np.isfinite(upper) else low + turns)
    return with_limits(finite)


RESTARTS = 500
"""Random starts that have to confirm a "no"."""


def test_restarts_find_what_is_there() -> None:
    """What confirms a "no" would find a solution, mostly."""
    arm = Arm("left")
    rng = generator("restarts")
    q = witnesses(arm, 20, rng)
    found = restarts.find(arm, np.ascontiguousarray(arm.fk(q)), 50, rng)
    assert np.isfinite(found).all()
    assert arm.limits.contains(found, 0.0).all()
    distance, angle = spatial.pose_error(arm.fk(found), arm.fk(q))
    assert max(distance.max(), angle.max()) < 10.0 * restarts.ARRIVED
    far = arm.fk(q)
    far[:, 0, 3] += 3.0
    assert np.isnan(restarts.find(arm, far, 10, rng)).all()


@pytest.mark.acceptance
def test_a_thousand_limit_sets() -> None:
    rng = generator("a thousand limit sets" + os.environ.get("BAXTERKIT_SEED", ""))
    sets = max(1, round(1000 * float(os.environ.get("BAXTERKIT_SHARE", "1"))))
    denied = control = 0
    for i in range(sets):
        limits = random_limits(rng)
        arm, finite = with_limits(limits), bounded(limits)
        q = witnesses(arm, 100, rng)
        check(arm, q, "quick", rng.uniform(-10.0, 10.0, (100, 7)))
        free = rng.uniform(-np.pi, np.pi, (20, 7))
        T = np.ascontiguousarray(arm.fk(free))
        status = arm.ik(T).status
        assert not (status == IkStatus.NOT_CONVERGED).any()
        blocked = T[np.asarray(status != IkStatus.SOLVED)]
        denied += len(blocked)
        found = restarts.find(finite, blocked, RESTARTS, rng)
        solved = np.isfinite(found[:, 0])
        assert not solved.any(), (i, limits, blocked[solved][0].tolist(), found[solved][0].tolist())
        control += np.isfinite(restarts.find(finite, arm.fk(q[:1]), RESTARTS, rng)).all()
    print(
        f"{sets} limit sets: {100 * sets} witnesses solved, {denied} of {20 * sets} denied; ",
        end="",
    )
    print(f"{RESTARTS} restarts solved none of these, but {control} of {sets} witnesses")
    assert control > 0.8 * sets  # (the others have narrow limits)
