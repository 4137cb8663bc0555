"""Targets at degenerate places: every one that joints within the limits reach is solved."""

from __future__ import annotations

import degenerate
import numpy as np
import pytest
from problems import SIDES, TOOLS, generator, numpy_twin
from tolerances import IK_DEGENERATE, IK_JOINT

from baxterkit import Arm, native, spatial
from baxterkit.ik import IkStatus, exact

needs_native = pytest.mark.skipif(native.load() is None, reason="the extension was not built")

OBJECTIVES = ("quick", "nearest", "limits", "manipulability", "gravity")

SLOW = np.array([0.205821428615097, -1.7454427937625203, 0.0, -0.05, 0.0,
                 0.22464646696762358, -1.2944390101098542])  # fmt: skip
"""Wrist on the s0 axis, elbow on its stop along the whole self-motion."""
ALONG = np.array([0.4661299113927555, -2.147, 0.0, 0.7421586653618002, 0.0,
                  -0.1659549921566974, -1.4084448851926414])  # fmt: skip
"""Wrist on the s0 axis and the hand along it: e0 is the same all along the self-motion."""
STOPS = [
    [-1.70167993878, -0.18712676528892125, np.pi / 2, 2.618, -np.pi / 2, 0.026710897023179497,
     np.pi / 4],
    [-1.70167993878, -0.008695103654408953, -1.354214677393454, 0.21345373991826216, 3.059,
     -0.9797230558016196, -3.059],
]  # fmt: skip
"""On stops and at special angles; for the right arm with the electric gripper."""

ONE_OF_MILLIONS = {
    "two joints on stops, the hand along the forearm": (
        "right", "vacuum",
        [1.70167993878, 1.047, 1.5707963268661735, 1.570796326820133, 0.026710896953139045,
         1.3465196452831306e-10, 3.059]),
    "stretched, the wrist on the s0 axis, the hand nearly along it": (
        "left", "hand",
        [1.2616278281201796, -1.8505252751313113, 1.4738141067468623e-11, 0.16019996371657227,
         -6.8630788985873375e-12, 0.08755510798044742, 0.8111685947519235]),
    "five joints within 1e-9 rad of stops": (
        "left", "electric_standard",
        [-0.24255631087534596, 1.0469999988715937, -0.7344932048826849, 2.6179999997463823,
         3.0589999993994184, 2.094, -3.0589999989086927]),
    "stretched in one plane to rounding": (
        "left", "vacuum",
        [-0.008616665551303236, -1.8506840030286185, -1.3011663860895174e-13, 0.16041586826574908,
         5.832627850713532e-14, -1.104347246827438, 0.2252256032846836]),
}  # fmt: skip
"""Those of ten million that were not solved at first: side, tool, joint positions."""

TOUCHING = np.array([0.02671089702463811, -0.026710897022052402, 2.3496828402812156e-12,
                     0.16041586826345836, 2.5581092976204463e-13, 2.0939999999987386,
                     1.5707963267953557])  # fmt: skip
"""Stretched, on a curve of 1e-6 rad with w1 on its stop all along: cuts at the limits run out."""

RARE = np.array([1.70167993878, 1.047, 1.3154345042509952, 1.513574655792875, 1.5708082414534572,
                 0.026719721772927613, 0.7853836843466299])  # fmt: skip
"""Two joints on their stops where the others are singular: of a hundred thousand such targets the
one whose first solution could not be made exact."""


def assert_solved(arm: Arm, q: np.ndarray, objective: str) -> None:
    T = np.ascontiguousarray(arm.fk(q))
    result = arm.ik(T, objective=objective)
    missed = np.flatnonzero(~np.atleast_1d(result.solved))
    assert not missed.size, (len(missed), np.atleast_2d(q)[missed[0]].tolist())
    assert (result.q >= arm.limits.lower).all()
    assert (result.q <= arm.limits.upper).all()
    distance, angle = spatial.pose_error(arm.fk(result.q), T)
    assert np.max(distance) <= IK_DEGENERATE
    assert np.max(angle) <= IK_DEGENERATE


@needs_native
@pytest.mark.parametrize("name", degenerate.DEGENERATE)
def test_degenerate_targets_are_solved(name: str) -> None:
    for i, (side, tool) in enumerate(zip(SIDES, TOOLS, strict=False)):
        arm = Arm(side, tool=tool)
        q = degenerate.sample(arm, name, 450, generator(f"degenerate {name} {i}"))
        assert_solved(arm, q, "quick")
        for objective in OBJECTIVES[1:]:
            assert_solved(arm, q[:60], objective)


@needs_native
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_joint_on_its_stop_all_along_the_self_motion(objective: str) -> None:
    assert_solved(Arm("left"), SLOW, objective)
    for q in STOPS:
        assert_solved(Arm("right", tool="electric_standard"), np.array(q), objective)
    assert_solved(Arm("right", tool="electric_extended"), TOUCHING, objective)


@needs_native
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", ONE_OF_MILLIONS)
def test_targets_that_one_run_of_millions_has_missed(name: str, objective: str) -> None:
    side, tool, q = ONE_OF_MILLIONS[name]
    assert_solved(Arm(side, tool=tool), np.array(q), objective)


@needs_native
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_another_solution_where_one_cannot_be_made_exact(objective: str) -> None:
    assert_solved(Arm("left"), RARE, objective)


@needs_native
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("off", [0.0, 1e-13, 1e-11, 1e-7])
def test_the_hand_along_the_s0_axis(objective: str, off: float) -> None:
    arm = Arm("left")
    rng = generator("along the axis")
    q = np.tile(ALONG, (10, 1))
    q[:, 0], q[:, 6] = rng.uniform(-1.5, 1.5, 10), rng.uniform(-1.5, 1.5, 10)
    q = np.clip(q + off * rng.standard_normal(q.shape), arm.limits.lower, arm.limits.upper)
    assert_solved(arm, q, objective)


@needs_native
@pytest.mark.parametrize("size", [1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5])
def test_the_stretched_arm(size: float) -> None:
    arm = Arm("left")
    rng = generator(f"stretched by {size}")
    q = rng.uniform(arm.limits.lower, arm.limits.upper, (300, 7))
    q[:, [2, 4]] = 0.0
    q[:, 3] = degenerate.STRETCHED - degenerate.WRIST
    assert_solved(arm, q + size * rng.standard_normal(q.shape) * [1, 0, 1, 1, 1, 0, 1], "quick")


@needs_native
def test_the_self_motion_along_the_axis_is_the_turn_of_s0_against_w2() -> None:
    arm = Arm("left")
    motion = arm.self_motion(arm.fk(ALONG))
    through = [s for s in motion.feasible if np.abs(s.q[:, 3] - ALONG[3]).max() < 1e-6]
    assert len(through) == 1
    turned = through[0].q
    assert np.ptp(turned[:, 0] - turned[:, 6]) < 1e-9 or np.ptp(turned[:, 0] + turned[:, 6]) < 1e-9
    assert np.ptp(turned[:, 2]) < 1e-9
    # from one stop of s0 or w2 to the next
    ends = np.abs(turned[[0, -1]][:, [0, 6]])
    assert (np.abs(ends - arm.limits.upper[[0, 6]]).min(axis=-1) < 1e-9).all()


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_a_continuum_with_e0_held_is_given_by_some_of_its_points(backend: str) -> None:
    arm = Arm("left") if backend == "native" else numpy_twin(Arm("left"))
    T = arm.fk(ALONG)
    found = arm.ik_all(T, e0=0.0, limits=False)
    assert np.abs(arm.fk(found) - T).max() < 1e-9
    like = found[np.abs(exact.wrap(found - ALONG)[:, [1, 3, 5]]).max(axis=-1) < 1e-6]
    gaps = np.diff(np.sort(like[:, 0]), append=np.sort(like[:, 0])[:1] + 2.0 * np.pi)
    assert len(like) >= 6
    assert gaps.max() < np.pi / 2


def test_the_reference_solves_along_the_axis() -> None:
    arm = numpy_twin(Arm("left"))
    assert arm.ik(arm.fk(ALONG)).status is IkStatus.SOLVED


@needs_native
def test_solutions_held_at_limits_reach_the_target_to_rounding() -> None:
    arm = Arm("left")
    q = degenerate.sample(arm, "folded", 300, generator("held"))
    result = arm.ik(arm.fk(q), objective="nearest")
    assert np.max(result.position_error) <= IK_DEGENERATE
    on_stop = (result.q == arm.limits.lower) | (result.q == arm.limits.upper)
    assert on_stop.any(axis=-1).sum() > 100


@needs_native
@pytest.mark.filterwarnings("ignore::baxterkit.errors.UnitsWarning")  # far ones diverge
def test_every_solution_is_on_the_self_motion() -> None:
    arm = Arm("left")
    q = generator("on the self-motion").uniform(arm.limits.lower, arm.limits.upper, (200, 7))
    for x in q:
        segments = arm.self_motion(arm.fk(x)).feasible
        assert min(_distance(arm, segment.q, x) for segment in segments) < IK_JOINT


def _distance(arm: Arm, points: np.ndarray, q: np.ndarray) -> float:
    """Of q from a curve through these points: the nearest point of the polygon, made exact."""
    if len(points) == 1:
        return float(np.abs(points[0] - q).max())
    step = np.diff(points, axis=0)
    along = np.sum((q - points[:-1]) * step, axis=-1) / np.sum(step * step + 1e-300, axis=-1)
    foot = points[:-1] + np.clip(along, 0.0, 1.0)[:, None] * step
    nearest = int(np.argmin(np.abs(foot - q).max(axis=-1)))
    direction = step[nearest] / np.linalg.norm(step[nearest])
    x = foot[nearest]
    for _ in range(6):  # onto the self-motion, at the height of q along the chord
        J = np.vstack([arm.jacobian(x), direction])
        now, wished = arm.fk(x), arm.fk(q)
        turn = spatial.so3_log(wished[:3, :3] @ now[:3, :3].T)
        gap = np.concatenate([wished[:3, 3] - now[:3, 3], turn, [direction @ (q - x)]])
        x = x + np.linalg.lstsq(J, gap, rcond=None)[0]
    return float(np.abs(x - q).max())


@needs_native
@pytest.mark.parametrize("side", ["left", "right"])
def test_an_arm_stretched_in_one_plane_to_rounding(side: str) -> None:
    arm = Arm(side)
    e0, w0 = 2.9966812950459514e-13, 1.2523847384975046e-12
    q = [0.51541232170195517, -1.8506510661726796, e0, 0.16041586826512433, w0]
    q += [-1.3695599741872644, -1.4225852991081851]
    assert arm.ik(arm.fk(q)).solved
