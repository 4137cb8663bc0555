"""Transforms between any two frames of the robot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import problems
import pytest
from components import require
from tolerances import (
    CENTRAL_DIFFERENCE,
    FRAMES_OWN_URDF,
    FRAMES_URDF,
    IK_FREE,
    IK_POSE,
    JACOBIAN_ENGINE,
    RELATIVE_POSE,
    assert_close,
)

from baxterkit import Arm, Baxter, Payload
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.ik import Pointing, Position

ROBOT = Baxter()


@pytest.fixture(params=["native", "numpy"])
def arm(request: pytest.FixtureRequest) -> Arm:
    return Arm("left", "electric_standard", mount="pykdl_robot", backend=request.param)


LEFT, RIGHT = (problems.uniform(arm, 5) for arm in (ROBOT.left, ROBOT.right))


def poses_by_pinocchio(path: Path, n: int) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Poses of every frame of a description in `base`, and the states: left, right, head."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    rng = np.random.default_rng(7)
    states = [
        problems.uniform(ROBOT.left, n),
        problems.uniform(ROBOT.right, n),
        rng.uniform(-1, 1, n),
    ]
    names = [*ROBOT.left.joint_names, *ROBOT.right.joint_names, "head_pan"]
    where = [model.joints[model.getJointId(name)].idx_q for name in names]
    found: dict[str, Any] = {frame.name: np.empty((n, 4, 4)) for frame in model.frames}
    for k in range(n):
        q = pin.neutral(model)
        q[where] = np.concatenate([states[0][k], states[1][k], [states[2][k]]])
        pin.framesForwardKinematics(model, data, q)
        base = data.oMf[model.getFrameId("base")].inverse()
        for i, frame in enumerate(model.frames):
            found[frame.name][k] = (base * data.oMf[i]).homogeneous
    return found, states


def test_every_frame_is_where_rethinks_description_has_it() -> None:
    require("pinocchio")
    require("urdf")
    import os

    path = Path(os.environ["BAXTERKIT_URDF"]) / "baxter_v1.2.0.urdf"
    expected, (left, right, head) = poses_by_pinocchio(path, 1000)
    robot = Baxter.from_urdf(path)
    compared = [name for name in robot.frames if not name.endswith("_tip")]
    assert len(compared) == 42
    for name in compared:
        T = robot.transform("base", name, left, right, head)
        assert_close(np.broadcast_to(T, (1000, 4, 4)), expected[name], FRAMES_URDF)
    camera, gripper = "left_hand_camera", "right_gripper"
    T = robot.transform(camera, gripper, left, right)
    assert_close(T, np.linalg.inv(expected[camera]) @ expected[gripper], FRAMES_URDF)


def test_every_frame_of_the_urdf_that_we_write_is_in_its_place(tmp_path: Path) -> None:
    require("pinocchio")
    robot = Baxter(
        Arm(
            "left",
            "electric_standard",
            mount="pykdl_robot",
            payload=Payload(0.5, [0.0, 0.01, 0.02]),
        ),
        Arm("right", "vacuum"),
    )
    path = tmp_path / "robot.urdf"
    path.write_text(robot.to_urdf(), encoding="utf-8")
    expected, (left, right, head) = poses_by_pinocchio(path, 1000)
    assert set(robot.frames) <= set(expected)
    for name in robot.frames:
        T = robot.transform("base", name, left, right, head)
        assert_close(np.broadcast_to(T, (1000, 4, 4)), expected[name], FRAMES_OWN_URDF)


def test_masses_of_the_urdf_that_we_write_are_the_arms(tmp_path: Path) -> None:
    require("pinocchio")
    import pinocchio as pin

    robot = Baxter(Arm("left", "electric_standard", payload=Payload(0.5)), Arm("right", "vacuum"))
    path = tmp_path / "robot.urdf"
    path.write_text(robot.to_urdf(), encoding="utf-8")
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    q = pin.neutral(model)
    for arm, rows in ((robot.left, LEFT), (robot.right, RIGHT)):
        where = [model.joints[model.getJointId(name)].idx_q for name in arm.joint_names]
        q[where] = rows[0]
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        assert_close(M[np.ix_(where, where)], arm.inertia(rows[0]), 1e-12)
    again = Arm.from_urdf(path, "left")
    assert_close(again.fk(LEFT, of="left_hand"), robot.left.fk(LEFT, of="left_hand"), 1e-12)
    assert again.tool.inertial is not None
    assert again.tool.inertial.mass == robot.left.tool.inertial.mass


def test_a_way_there_and_back_is_no_way() -> None:
    for frame in ROBOT.frames:
        there = ROBOT.transform(frame, "left_hand_range", LEFT, RIGHT, 0.3)
        back = ROBOT.transform("left_hand_range", frame, LEFT, RIGHT, 0.3)
        assert_close(there @ back, np.broadcast_to(np.eye(4), (5, 4, 4)), RELATIVE_POSE)


def test_tips_and_grippers_are_the_tools() -> None:
    robot = Baxter(Arm("left", "electric_standard"), Arm("right"))
    for name in ("left_tip", "left_gripper"):
        assert_close(robot.transform("base", name, LEFT), robot.left.fk(LEFT), RELATIVE_POSE)
    assert_close(
        robot.transform("base", "right_tip", q_right=RIGHT), robot.right.fk(RIGHT), RELATIVE_POSE
    )
    beyond = robot.transform("right_hand", "right_gripper", q_right=RIGHT[0])
    assert_close(beyond[:3, 3], np.array([0.0, 0.0, 0.025]), RELATIVE_POSE)
    T = robot.transform("left_tip", "right_tip", LEFT, RIGHT)
    assert_close(T, robot.hands.relative_pose(LEFT, RIGHT), RELATIVE_POSE)


def test_the_mount_of_a_robot_counts() -> None:
    measured = Baxter(Arm("left", mount="pykdl_robot"))
    moved = measured.transform("base", "left_arm_mount") - ROBOT.transform("base", "left_arm_mount")
    assert 0.01 < np.abs(moved).max() < 0.03


@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 2), (0,)])
def test_batches(batch: tuple[int, ...]) -> None:
    q = np.broadcast_to(LEFT[0], (*batch, 7))
    pan = np.zeros(batch)
    T = ROBOT.transform("head_camera", "left_hand_camera", q, head=pan)
    assert T.shape == (*batch, 4, 4)
    one = ROBOT.transform("head_camera", "left_hand_camera", LEFT[0])
    np.testing.assert_array_equal(T, np.broadcast_to(one, T.shape))
    out = np.empty_like(T)
    assert ROBOT.transform("head_camera", "left_hand_camera", q, out=out) is out


def test_names_of_other_descriptions_and_joints_by_name() -> None:
    q = {**ROBOT.left.named(LEFT[0]), **ROBOT.right.named(RIGHT[0])}
    T = ROBOT.transform("left_hand_camera_link", "right_hand_link", q, q)
    np.testing.assert_array_equal(
        T, ROBOT.transform("left_hand_camera", "right_hand", LEFT[0], RIGHT[0])
    )


def test_mistakes_are_named() -> None:
    with pytest.raises(UnknownNameError, match=r"left_camera.*left_hand_camera"):
        ROBOT.transform("left_camera", "base")
    with pytest.raises(InputError, match="right_wrist moves with the right arm; give q_right"):
        ROBOT.transform("base", "right_wrist", LEFT)
    with pytest.raises(ShapeError, match=r"left_tip \(5,\), right_tip \(3,\)"):
        ROBOT.transform("left_tip", "right_tip", LEFT, RIGHT[:3])
    with pytest.raises(ShapeError, match="q_left must have 7 values"):
        ROBOT.transform("base", "left_tip", [1.0])


def test_pose_and_jacobian_of_any_frame_of_an_arm(arm: Arm) -> None:
    robot = Baxter.of_arm(arm)
    q = problems.uniform(arm, 4)
    names = [name for name in robot.frames if name.startswith("left_") and "torso" not in name]
    names.remove("left_arm_mount")
    h = 1e-6
    for name in names:
        T = arm.fk(q, of=name)
        assert_close(T, robot.transform("base", name, q), RELATIVE_POSE)
        J, J_frame = arm.jacobian(q, of=name), arm.jacobian(q, "tip", of=name)
        R = T[:, :3, :3]
        assert_close(R @ J_frame[:, :3], J[:, :3], RELATIVE_POSE)
        assert_close(R @ J_frame[:, 3:], J[:, 3:], RELATIVE_POSE)
        for joint in range(7):
            ahead, behind = (arm.fk(q + s * h * np.eye(7)[joint], of=name) for s in (1, -1))
            v = (ahead - behind)[:, :3, 3] / (2 * h)
            turn = (ahead - behind)[:, :3, :3] @ np.swapaxes(R, 1, 2) / (2 * h)
            w = np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=-1)
            assert_close(J[:, :3, joint], v, CENTRAL_DIFFERENCE)
            assert_close(J[:, 3:, joint], w, CENTRAL_DIFFERENCE)
    assert_close(arm.fk(q, of="left_tip"), arm.fk(q), RELATIVE_POSE)
    assert_close(arm.jacobian(q, of="left_tip"), arm.jacobian(q), JACOBIAN_ENGINE)
    out = np.empty((4, 4, 4))
    assert arm.fk(q, of="left_hand", out=out) is out
    np.testing.assert_array_equal(arm.fk(q, of=None), arm.fk(q))
    assert arm.jacobian(arm.named(q[0]), of="left_lower_elbow")[:, 4:].tolist() == [[0.0] * 3] * 6


def test_inverse_kinematics_of_the_camera(arm: Arm) -> None:
    camera = "left_hand_camera"
    T = arm.fk(arm.configuration("untuck"), of=camera)
    found = arm.ik(T, of=camera)
    assert found.solved
    assert_close(arm.fk(found.q, of=camera), T, IK_POSE)
    q = arm.ik_all(T, found.q[2], of=camera)[0]
    assert_close(arm.fk(q, of=camera), T, IK_POSE)
    assert_close(arm.fk(arm.ik_track(T, found.q, of=camera).q, of=camera), T, IK_POSE)


def test_paths_and_objectives_of_the_camera() -> None:
    arm, camera = Arm("left", "electric_standard"), "left_hand_camera"
    T = arm.fk(arm.configuration("untuck"), of=camera)
    assert_close(arm.fk(arm.ik_path([T, T], of=camera).q[1], of=camera), T, IK_POSE)
    assert arm.self_motion(T, of=camera).curves
    two = arm.ik([T, T], objective="nearest", seed=arm.configuration("untuck"), of=camera)
    assert two.solved.all()


def test_a_camera_looks_at_a_point(arm: Arm) -> None:
    place, seen = np.array([0.6, 0.3, 0.3]), np.array([0.75, 0.1, -0.1])
    found = arm.ik(Pointing(place, seen - place), of="left_hand_camera")
    assert found.solved
    T = arm.fk(found.q, of="left_hand_camera")
    assert_close(T[:3, 3], place, IK_FREE)
    sight = np.linalg.inv(T) @ np.append(seen, 1.0)  # on the camera's z axis
    assert_close(sight[:2], np.zeros(2), IK_FREE)
    assert sight[2] > 0.0
    spot = arm.ik(Position(place), of="left_hand_range")
    assert_close(arm.fk(spot.q, of="left_hand_range")[:3, 3], place, IK_FREE)


def test_frames_that_do_not_fit_are_refused(arm: Arm) -> None:
    with pytest.raises(InputError, match="right_hand is on the right arm, and this is the left"):
        arm.fk(np.zeros(7), of="right_hand")
    for fixed in ("left_arm_mount", "head_camera", "base"):
        with pytest.raises(InputError, match=rf"{fixed} does not move with .*robot\.transform"):
            arm.fk(np.zeros(7), of=fixed)
    with pytest.raises(UnknownNameError, match=r"left_camera.*left_hand_camera"):
        arm.fk(np.zeros(7), of="left_camera")
    with pytest.raises(InputError, match=r"left_lower_elbow is not rigid to the hand.*left_hand,"):
        arm.ik(np.eye(4), of="left_lower_elbow")
    with pytest.raises(UnknownNameError, match="frame"):
        arm.jacobian(np.zeros(7), "hand", of="left_hand")
    with pytest.raises(ShapeError, match="q must have 7 values"):
        arm.fk(np.zeros(3), of="left_hand")
