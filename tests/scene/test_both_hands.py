"""Both arms as one: pairs of poses, pairs of paths, hands that meet, mirror images."""

from __future__ import annotations

import os

import box_motions
import numpy as np
import pytest
from problems import generator, numpy_twin, uniform

from baxterkit import Arm, Baxter, native, spatial
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik import IkError, IkStatus

KEPT = 1e-9
"""How well the hands keep their relative pose [m, rad]."""
STEP = 0.5
"""What a joint may move from pose to pose [rad], unless told otherwise."""
needs_native = pytest.mark.skipif(native.load() is None, reason="the extension was not built")


@pytest.fixture(scope="module")
def robot() -> Baxter:
    return Baxter(Arm("left", "electric_standard"), Arm("right", "electric_standard"))


@pytest.fixture(scope="module")
def held(robot: Baxter) -> np.ndarray:
    """T_left_right of two hands on a box."""
    left, right = box_motions.grasps(generator("held"))
    return spatial.inverse(left) @ right


def box(robot: Baxter, n: int) -> np.ndarray:
    """A box that is lifted and turned in front of the robot, (n, 4, 4)."""
    s = np.linspace(0.0, 1.0, n)[:, None]
    turn = 0.3 * s * [0.0, 0.0, 1.0]
    return spatial.transform(spatial.so3_exp(turn), [0.45, 0.0, 0.1] + s * [0.05, 0.1, 0.2])


def assert_kept(robot: Baxter, q_left: np.ndarray, q_right: np.ndarray, T: np.ndarray) -> None:
    distance, angle = spatial.pose_error(robot.hands.relative_pose(q_left, q_right), T)
    assert max(distance.max(), angle.max()) <= KEPT
    assert robot.left.limits.contains(q_left, 0.0).all()
    assert robot.right.limits.contains(q_right, 0.0).all()


@needs_native
def test_box_is_carried_with_both_hands(robot: Baxter) -> None:
    left, right = box_motions.grasps(generator("carry"))
    Ts = box(robot, 80)
    path = robot.hands.ik_path(Ts @ left, Ts @ right)
    assert path.solved
    assert (path.status, path.broken_arm, path.reason) == (IkStatus.SOLVED, None, "")
    assert_kept(robot, path.q_left, path.q_right, spatial.inverse(left) @ right)
    distance, angle = spatial.pose_error(robot.left.fk(path.q_left), Ts @ left)
    assert max(distance.max(), angle.max()) <= KEPT
    fine = robot.hands.ik_path(box(robot, 800) @ left, box(robot, 800) @ right)
    assert fine.largest_step < 0.2 * path.largest_step  # a jump would keep its size
    assert path.raise_if_failed() is path


@needs_native
def test_constant_and_changing_relative_poses_lead_the_other_hand(
    robot: Baxter, held: np.ndarray
) -> None:
    left, _ = box_motions.grasps(generator("held"))
    Ts = box(robot, 40) @ left
    by_left = robot.hands.ik_path(Ts, relative=held)
    assert_kept(robot, by_left.q_left, by_left.q_right, held)
    by_right = robot.hands.ik_path(Ts_right=Ts @ held, relative=held)
    np.testing.assert_allclose(by_right.q_left, by_left.q_left, rtol=0, atol=1e-9)
    apart = np.repeat(held[None], 40, axis=0)
    apart[:, 2, 3] += np.linspace(0.1, 0.0, 40)  # the right hand comes nearer
    assert_kept(robot, *_joints(robot.hands.ik_path(Ts, relative=apart)), apart)


def _joints(path: object) -> tuple[np.ndarray, np.ndarray]:
    return path.q_left, path.q_right  # type: ignore[attr-defined]


@needs_native
def test_a_message_of_the_whole_robot_is_a_seed_and_a_posture(robot: Baxter) -> None:
    q = {side: getattr(robot, side).configuration("untuck") for side in ("left", "right")}
    T_left, T_right = robot.left.fk(q["left"]), robot.right.fk(q["right"])
    message = {**robot.right.named(q["right"]), **robot.left.named(q["left"]), "head_pan": 0.2}
    found = robot.hands.ik(T_left, T_right, message, "nearest", posture=message)
    np.testing.assert_allclose(found.q_left, q["left"], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(found.q_right, q["right"], rtol=0.0, atol=1e-9)
    path = robot.hands.ik_path(T_left[None], T_right[None], message)
    np.testing.assert_allclose(path.q_right[0], q["right"], rtol=0.0, atol=1e-9)
    met = robot.hands.ik(seed=message, relative=robot.hands.relative_pose(message, message))
    np.testing.assert_allclose(met.q_left, q["left"], rtol=0.0, atol=1e-9)


@needs_native
def test_paths_start_at_seeds_and_keep_to_speeds(robot: Baxter, held: np.ndarray) -> None:
    left, _ = box_motions.grasps(generator("held"))
    Ts = box(robot, 60) @ left
    start = robot.hands.ik(Ts[0], relative=held)
    seed = (start.q_left, start.q_right)
    times = np.linspace(0.0, 3.0, 60)
    path = robot.hands.ik_path(Ts, relative=held, seed=seed, times=times)
    assert path.solved
    for q, q0, arm in ((path.q_left, seed[0], robot.left), (path.q_right, seed[1], robot.right)):
        assert (q[0] == q0).all()
        assert (np.abs(np.diff(q, axis=0)) <= np.diff(times)[:, None] * arm.limits.velocity).all()


@needs_native
def test_a_path_that_breaks_says_where_which_arm_and_why(robot: Baxter) -> None:
    left, right = box_motions.grasps(generator("carry"))
    Ts = box(robot, 50)
    far = Ts.copy()
    far[30:, 1, 3] -= np.linspace(0.0, 1.5, 20)  # to the right, where that arm gives up first
    path = robot.hands.ik_path(far @ left, far @ right)
    assert not path.solved
    assert path.broken_arm == "right"
    assert path.broken_at is not None
    assert 30 < path.broken_at < 50
    assert path.reason.startswith("right arm: ")
    assert np.isfinite(path.q_right[: path.broken_at]).all()
    with pytest.raises(IkError, match=rf"^the path breaks at pose {path.broken_at}: right arm: "):
        path.raise_if_failed()
    mirror = robot.hands.ik_path(spatial.mirrored(far @ right), spatial.mirrored(far @ left))
    assert (mirror.broken_arm, mirror.broken_at) == ("left", path.broken_at)


def test_a_pair_of_poses_is_solved_by_both_arms(robot: Baxter) -> None:
    q_left, q_right = uniform(robot.left, 50), uniform(robot.right, 50)[::-1]
    T_left, T_right = robot.left.fk(q_left), robot.right.fk(q_right)
    T_left[7, :3, 3] += 3.0
    result = robot.hands.ik(T_left, T_right, seed=(q_left, None))
    assert result.solved.shape == (50,)
    assert not result.solved[7]
    assert result.status[7] == IkStatus.OUT_OF_REACH
    assert not result
    assert np.delete(result.solved, 7).all()
    with pytest.raises(IkError, match=r"^left arm: exact: 1 of 50 targets are not solved"):
        result.raise_if_failed()
    one = robot.hands.ik(T_left[0], T_right[0], objective="limits")
    assert one.solved is True
    assert one.status is IkStatus.SOLVED
    assert (one.q_left == robot.left.ik(T_left[0], objective="limits").q).all()


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_hands_meet_where_only_their_relative_pose_is_given(backend: str) -> None:
    if backend == "native" and native.load() is None:
        pytest.skip("the extension was not built")
    robot = Baxter(Arm("left", backend=backend), Arm("right", backend=backend))
    facing = spatial.transform(spatial.rpy_to_matrix([np.pi, 0.0, 0.3]), [0.01, 0.0, 0.15])
    seed = (robot.left.configuration("untuck"), robot.right.configuration("untuck"))
    result = robot.hands.ik(relative=facing, seed=seed)
    assert result.solved
    assert_kept(robot, result.q_left, result.q_right, facing)
    again = robot.hands.ik(relative=facing, seed=(result.q_left, result.q_right))
    assert (again.q_left == result.q_left).all()
    apart = spatial.transform(np.eye(3), [0.0, 0.0, 5.0])
    failed = robot.hands.ik(relative=apart, seed=seed)
    assert failed.status is IkStatus.NOT_CONVERGED
    assert np.isnan(failed.q_right).all()


def test_mirror_image_of_the_left_hand_is_the_right_hands(robot: Baxter) -> None:
    q = uniform(robot.left, 100)
    signs = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    image = spatial.mirrored(robot.left.fk(q))
    np.testing.assert_allclose(image, robot.right.fk(signs * q), rtol=0, atol=1e-12)


def test_both_backends_agree_on_a_pair(robot: Baxter) -> None:
    twin = Baxter(numpy_twin(robot.left), numpy_twin(robot.right))
    left, right = box_motions.grasps(generator("carry"))
    T = box(robot, 1)[0]
    result = twin.hands.ik(T @ left, T @ right)
    assert result.solved
    relative = spatial.inverse(left) @ right
    assert_kept(twin, result.q_left, result.q_right, relative)


def test_what_does_not_determine_both_hands_is_refused(robot: Baxter) -> None:
    T = np.eye(4)
    for arguments in ({}, {"Ts_left": T[None]}, {"Ts_left": T, "Ts_right": T, "relative": T}):
        with pytest.raises(InputError, match="give the poses of both hands, or that of one"):
            robot.hands.ik_path(**arguments)
    with pytest.raises(ShapeError, match="shapes do not go together: T_left"):
        robot.hands.ik(np.stack([T, T]), np.stack([T, T, T]))
    with pytest.raises(InputError, match="seed must be a pair"):
        robot.hands.ik(T, T, seed=np.zeros(7))
    with pytest.raises(InputError, match="seed of the right arm holds joints of the left arm"):
        robot.hands.ik(T, T, seed=robot.left.named(np.zeros(7)))
    for more in ({"objective": "limits"}, {"posture": "elbow_up"}):
        with pytest.raises(InputError, match="objective and posture need the pose of a hand"):
            robot.hands.ik(relative=T, **more)
    with pytest.raises(ShapeError, match="relative= alone takes one pose"):
        robot.hands.ik(relative=np.stack([T, T]))


@needs_native
@pytest.mark.parametrize(
    "count", [6, pytest.param(1000, marks=pytest.mark.acceptance)], ids=["few", "many"]
)
def test_what_a_dense_search_finds_is_found(robot: Baxter, count: int) -> None:
    values, poses = (48, 30) if count < 100 else (96, 60)
    rng = generator(f"box motions {count}")
    found = dense = 0
    for _ in range(int(os.environ.get("BAXTERKIT_BOX_MOTIONS", count))):
        Ts = box_motions.box_path(rng, poses)
        left, right = box_motions.grasps(rng)
        path = robot.hands.ik_path(Ts @ left, Ts @ right)
        if path.solved:
            assert_kept(robot, path.q_left, path.q_right, spatial.inverse(left) @ right)
            assert path.largest_step <= STEP
        pairs = ((robot.left, Ts @ left), (robot.right, Ts @ right))
        if all(box_motions.dense_path(arm, hands, values, STEP) for arm, hands in pairs):
            dense += 1
            found += path.solved
    assert dense >= count // 3
    assert found >= 0.95 * dense
