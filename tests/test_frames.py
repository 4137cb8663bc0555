"""Transforms between any two frames of the robot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import problems
import pytest
from components import require
from tolerances import FRAMES_URDF, RELATIVE_POSE, assert_close

from baxterkit import Arm, Baxter
from baxterkit.errors import InputError, ShapeError, UnknownNameError

ROBOT = Baxter()
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
    assert_close(T, robot.relative_pose(LEFT, RIGHT), RELATIVE_POSE)


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
