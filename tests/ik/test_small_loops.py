"""Closed solution curves smaller than the spacing of the e0 values, and roots that only touch."""

from __future__ import annotations

import dataclasses

import curves
import ik_sets
import numpy as np
import pytest
from tolerances import IK_JOINT

from baxterkit import Arm, native
from baxterkit.ik import IkStatus, exact
from baxterkit.ik.self_motion import SelfMotion

pytestmark = pytest.mark.skipif(native.load() is None, reason="the extension was not built")

TINY = np.array(
    [-0.09677846923762523, 0.03465930512693793, -0.08614531820983107, 0.19662480485048991,
     1.9448421517843082, 1.2669003350847787, -0.19044459593265817]
)  # fmt: skip
"""All its pose has is one loop at the edge of reach, 0.005 rad wide in e0."""

FLAT = np.array(
    [-0.38147685406863863, -1.3182786674149312, -2.0753905547918472, 0.0061588236148118584,
     2.6086881057141493, -0.0014453528763898188, 1.7053496621605282]
)  # fmt: skip
"""Its pose has a loop from e0 = 1.42 to 1.57, with w1 near 0 and the elbow nearly stretched."""

SHORT = np.array(
    [-0.055109983375298599, -0.46997147441309545, 1.6296418542254851, 0.16932112855708303,
     -1.8031422504381542, 0.028125330544326189, 1.2599315288358417]
)  # fmt: skip
"""On a loop of 0.11 rad in e0 where the hand points along the line from elbow to wrist."""

ALONG_LINE = np.array(
    [[0.08493509957046742, 0.07397640613603745, -1.5440404707092816, 1.6622179095831435,
      -1.0471536532049355, 0.02671088406865476, -1.1396903661226268],
     [-1.2757604166771659, 0.012295800161493233, -1.5707963267949023, 2.228947628614332,
      -0.4091649329926841, 0.026710897023369064, 1.4365388391388259],
     [-1.1130355291899756, 0.5083008223518659, 1.570796326796051, 2.177181268372803,
      -2.4062158488457346, 0.026710897023594214, 0.43257018126058044]]
)  # fmt: skip
"""The hand along the line from elbow to wrist, and e0 near +-pi/2: w0 and w2 go once round while e0
hardly moves. The curves of the last two cross others at singular configurations."""


def distance_to_curves(motion: SelfMotion, q: np.ndarray) -> float:
    """Largest joint difference between q and the nearest point of the curves, as polygons."""
    least = np.inf
    for curve in motion.curves:
        step = np.diff(curve.q, axis=0)
        to_q = exact.wrap(q - curve.q[:-1])
        along = np.sum(to_q * step, axis=-1) / np.maximum(np.sum(step * step, axis=-1), 1e-30)
        gap = to_q - np.clip(along, 0.0, 1.0)[:, None] * step
        least = min(least, float(np.abs(gap).max(axis=-1).min()))
    return least


def free(arm: Arm) -> Arm:
    """The same arm with every joint free to turn once round."""
    joints = tuple(
        dataclasses.replace(joint, lower=-np.pi, upper=np.pi) for joint in arm.model.joints
    )
    return Arm.from_model(dataclasses.replace(arm.model, joints=joints))


@pytest.mark.parametrize("q", [TINY, FLAT, SHORT], ids=["tiny", "flat", "short"])
@pytest.mark.parametrize("objective", ["quick", "nearest", "limits"])
def test_poses_of_small_loops_are_solved(q: np.ndarray, objective: str) -> None:
    arm = Arm("left")
    assert arm.ik(arm.fk(q), objective=objective).status is IkStatus.SOLVED


@pytest.mark.parametrize("q", [TINY, FLAT, SHORT], ids=["tiny", "flat", "short"])
def test_the_self_motion_passes_through_the_generating_solution(q: np.ndarray) -> None:
    arm = Arm("left")
    assert distance_to_curves(arm.self_motion(arm.fk(q)), q) < 0.02


@pytest.mark.parametrize("q", ALONG_LINE)
def test_curves_along_which_e0_hardly_moves_are_found(q: np.ndarray) -> None:
    arm = Arm("left")
    assert curves.distances(arm, [arm.self_motion(arm.fk(q))], q[None])[0] < IK_JOINT


def test_every_solution_beside_a_small_loop_lies_on_a_curve() -> None:
    arm = Arm("left")
    T = arm.fk(FLAT)
    motion, loop = arm.self_motion(T), 0
    for e0 in np.linspace(1.43, 1.56, 14):
        for q in free(arm).ik_all(T, e0):
            assert distance_to_curves(motion, q) < 0.03
            loop += bool(abs(q[5]) < 0.02 and 0.2 < q[4] < 0.7)
    assert loop == 28, "two solutions of the loop at each e0"


@pytest.mark.parametrize("name", ik_sets.SMALL_LOOPS)
def test_targets_with_small_loops_are_solved(name: str) -> None:
    arm = Arm("left")
    q = ik_sets.SMALL_LOOPS[name](arm, 4000)
    T = ik_sets.poses(arm, q)
    assert arm.ik(T).solved.all()
    motions = [arm.self_motion(x) for x in T[:100]]
    far = [distance_to_curves(m, x) for m, x in zip(motions, q, strict=False)]
    assert max(far) < 0.05


@pytest.mark.parametrize(("w0", "lost"), [(None, 0.0), (np.pi / 2, 0.04), (-np.pi / 2, 0.04)])
def test_a_root_that_only_touches_is_found_with_e0_given(w0: float | None, lost: float) -> None:
    # The elbow exactly stretched, e0 = 0: there the curve of elbows ends. With w0 = +-pi/2 too it
    # only touches, which rounding may put out of sight of ik_all; ik does not need it.
    arm = Arm("left")
    q = ik_sets.uniform(arm, 500, "touching")
    q[:, 2] = 0.0
    if w0 is not None:
        q[:, 4] = w0
    q[:, 3] = ik_sets.STRETCHED - np.arctan2(exact.A5 * np.cos(q[:, 4]), exact.D5)
    T = ik_sets.poses(arm, q)
    found = arm.ik_all(T, 0.0)
    gap = np.nan_to_num(np.abs(exact.wrap(found - q[:, None])).max(axis=-1), nan=9.0)
    assert (gap.min(axis=-1) > 10 * IK_JOINT).mean() <= lost
    assert arm.ik(T).solved.all()


def test_the_least_violation_is_that_of_the_whole_self_motion() -> None:
    # A no looks only where the limits might be met, or violated least.
    arm = Arm("left")
    T = ik_sets.poses(arm, ik_sets.beyond(arm, 300, "least"))
    result = arm.ik(T)
    blocked = np.flatnonzero(result.status == IkStatus.LIMITS)
    assert len(blocked) > 80
    assert result.violation is not None
    for i in blocked:
        curves = np.concatenate([exact.wrap(curve.q) for curve in arm.self_motion(T[i]).curves])
        outside = np.maximum(arm.limits.lower - curves, curves - arm.limits.upper).max(axis=-1)
        assert np.abs(result.violation[i]).max() <= outside.min() + 1e-9
