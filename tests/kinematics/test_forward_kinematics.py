"""Where the tip and the links are: against recordings, engines, and other derivations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import problems
import pytest
from components import require
from hypothesis import given
from oracles import dh, kumar
from strategies import BATCH_SHAPES, angles, joint_arrays
from tolerances import (
    FK_ENGINE,
    FK_GOLDEN_ANGLE,
    FK_GOLDEN_POSITION,
    NATIVE_FK,
    ROUNDING,
    assert_close,
)

from baxterkit import Arm, spatial

ARM = Arm("left")
MANY, FEW = 2000, 200  # rows for our own backends, and for engines that we loop over


def sample_sets() -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "samples", problems.SAMPLE_SETS.values(), ids=lambda f: f.__name__
    )


def rotation_z(angle: float) -> np.ndarray:
    return spatial.transform(spatial.rpy_to_matrix([0.0, 0.0, angle]), np.zeros(3))


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_fk_reproduces_the_golden_poses(data_dir: Path, backend: str) -> None:
    folder = data_dir / "golden_fk"
    q = np.loadtxt(folder / "configurations.txt", delimiter=",")
    poses = np.loadtxt(folder / "poses.txt", delimiter=",")
    assert len(q) == len(poses) == 4999
    golden = spatial.transform(spatial.quaternion_to_matrix(poses[:, 3:]), poses[:, :3])
    T = Arm("left", tool="electric_extended", backend=backend).fk(q)
    position, angle = spatial.pose_error(T, golden)
    assert position.max() <= FK_GOLDEN_POSITION
    assert angle.max() <= FK_GOLDEN_ANGLE


@pytest.mark.parametrize("tool", problems.TOOLS)
@pytest.mark.parametrize("side", problems.SIDES)
def test_fk_equals_pinocchio_for_every_side_and_tool(side: str, tool: str) -> None:
    require("pinocchio")
    from oracles.pinocchio_arm import PinocchioArm

    arm = Arm(side, tool)
    q = np.concatenate([f(arm, FEW) for f in problems.SAMPLE_SETS.values()])
    assert_close(arm.fk(q), PinocchioArm(arm).fk(q), FK_ENGINE)


def test_fk_and_link_poses_equal_pinocchio_for_any_mount_and_tool() -> None:
    require("pinocchio")
    from oracles.pinocchio_arm import PinocchioArm

    for arm in problems.random_arms(8):
        q = problems.uniform(arm, FEW)
        theirs = PinocchioArm(arm)
        assert_close(arm.fk(q), theirs.fk(q), FK_ENGINE)
        assert_close(arm.link_poses(q), theirs.link_poses(q), FK_ENGINE)


@pytest.mark.parametrize("arm", [Arm("left"), Arm("right", "vacuum"), *problems.random_arms(2)])
def test_fk_equals_mujoco(arm: Arm) -> None:
    require("mujoco")
    from oracles.mujoco_arm import MujocoArm

    q = np.concatenate([f(arm, FEW) for f in problems.SAMPLE_SETS.values()])
    assert_close(arm.fk(q), MujocoArm(arm).fk(q), FK_ENGINE)


@sample_sets()
@pytest.mark.parametrize("side", problems.SIDES)
def test_native_fk_equals_numpy(side: str, samples: object) -> None:
    for tool in problems.TOOLS:
        arm = Arm(side, tool)
        q = samples(arm, MANY)  # type: ignore[operator]
        assert arm.backend == "native"
        assert_close(arm.fk(q), problems.numpy_twin(arm).fk(q), NATIVE_FK)
        assert_close(arm.link_poses(q), problems.numpy_twin(arm).link_poses(q), NATIVE_FK)


def test_native_fk_equals_numpy_for_any_mount_and_tool() -> None:
    for arm in problems.random_arms(20):
        q = problems.beyond_limits(arm, FEW)
        assert_close(arm.fk(q), problems.numpy_twin(arm).fk(q), NATIVE_FK)


@pytest.mark.parametrize("size", [1e4, 1e5, 1e6, 1e15, 1e300])
def test_fk_holds_at_huge_angles(size: float) -> None:
    mpmath = pytest.importorskip("mpmath")
    q = problems.generator("huge").uniform(-size, size, (50, 7))
    with mpmath.workdps(400):
        turn = 2 * mpmath.pi
        small = [[float(mpmath.mpf(x) - turn * mpmath.nint(mpmath.mpf(x) / turn)) for x in row]
                 for row in q.tolist()]  # fmt: skip
    assert_close(ARM.fk(q), ARM.fk(small), FK_ENGINE)


@sample_sets()
def test_fk_equals_product_of_dh_matrices(samples: object) -> None:
    for side in problems.SIDES:
        arm = Arm(side)
        q = samples(arm, MANY)  # type: ignore[operator]
        assert_close(arm.fk(q), arm.model.T_base_s0 @ dh.hand_in_s0(q), FK_ENGINE)


@sample_sets()
def test_position_equals_kumars_closed_form(samples: object) -> None:
    for side in problems.SIDES:
        arm = Arm(side)
        q = samples(arm, MANY)  # type: ignore[operator]
        T_s0_hand = spatial.inverse(arm.model.T_base_s0) @ arm.fk(q)
        assert_close(T_s0_hand[:, :3, 3], kumar.hand_position(q), FK_ENGINE)


def test_kumars_printed_upper_arm_is_70_micrometres_short() -> None:
    q = problems.uniform(ARM, FEW)
    shift = kumar.hand_position(q) - kumar.hand_position(q, kumar.L2_AS_PRINTED)
    assert_close(np.linalg.norm(shift, axis=-1), np.full(FEW, 7e-5), ROUNDING)


def test_last_link_pose_is_the_tip() -> None:
    q = problems.uniform(ARM, FEW)
    assert_close(ARM.link_poses(q)[:, -1], ARM.fk(q), NATIVE_FK)


def test_a_link_moves_with_its_own_and_earlier_joints_only() -> None:
    q = problems.uniform(ARM, FEW)
    poses = ARM.link_poses(q)
    for joint in range(7):
        moved = q.copy()
        moved[:, joint] += 0.5
        changed = np.abs(ARM.link_poses(moved) - poses).max(axis=(0, 2, 3)) > 1e-3
        assert changed.tolist() == [link >= joint for link in range(7)] + [True]


def test_zero_configuration_is_known_from_the_drawing() -> None:
    # At q = 0 the arm is stretched forward from s0: upper arm 0.069 + 0.36442, forearm 0.37429,
    # wrist to hand 0.229525, each offset across the arm (0.069, 0.010) pointing down.
    T = spatial.inverse(ARM.model.T_base_s0) @ ARM.fk(np.zeros(7))
    along = 0.069 + 0.36442 + 0.37429 + 0.229525
    assert_close(T[:3, 3], [along, 0.0, 0.27035 - 0.069 - 0.010], FK_ENGINE)
    assert_close(T[:3, 2], [1.0, 0.0, 0.0], FK_ENGINE)


@pytest.mark.parametrize("shape", BATCH_SHAPES)
def test_fk_of_a_batch_is_fk_of_its_rows(shape: tuple[int, ...]) -> None:
    q = problems.uniform(ARM, int(np.prod(shape, dtype=int))).reshape(*shape, 7)
    for backend in ("native", "numpy"):
        arm = Arm("right", backend=backend)
        T = arm.fk(q)
        assert T.shape == (*shape, 4, 4)
        for index in np.ndindex(shape):
            assert_close(T[index], arm.fk(q[index]), ROUNDING)


@given(joint_arrays())
def test_fk_is_a_rigid_transform(q: np.ndarray) -> None:
    T = ARM.fk(q)
    assert_close(T[:3, :3] @ T[:3, :3].T, np.eye(3), FK_ENGINE)
    assert abs(np.linalg.det(T[:3, :3]) - 1.0) <= FK_ENGINE
    assert T[3].tolist() == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.filterwarnings("ignore::baxterkit.errors.UnitsWarning")
@given(joint_arrays(bound=np.pi))
def test_full_turns_change_nothing(q: np.ndarray) -> None:
    turns = 2.0 * np.pi * np.array([1, -1, 2, -2, 3, -3, 1])
    assert_close(ARM.fk(q + turns), ARM.fk(q), FK_ENGINE)


@given(joint_arrays(), angles())
def test_s0_turns_the_whole_arm_about_the_mount(q: np.ndarray, turn: float) -> None:
    mount = ARM.model.T_base_s0
    moved = q.copy()
    moved[0] += turn
    expected = mount @ rotation_z(turn) @ spatial.inverse(mount) @ ARM.fk(q)
    assert_close(ARM.fk(moved), expected, FK_ENGINE)


@given(joint_arrays(), angles())
def test_w2_turns_the_hand_about_its_own_axis(q: np.ndarray, turn: float) -> None:
    moved = q.copy()
    moved[6] += turn
    assert_close(ARM.fk(moved), ARM.fk(q) @ rotation_z(turn), FK_ENGINE)


@given(joint_arrays())
def test_mount_and_tool_stand_before_and_after_the_chain(q: np.ndarray) -> None:
    (arm,) = problems.random_arms(1)
    bare = Arm("left", mount=np.eye(4)).fk(q)
    assert_close(arm.fk(q), arm.model.T_base_s0 @ bare @ arm.model.T_hand_tip, FK_ENGINE)


@given(joint_arrays())
def test_left_and_right_mirror_each_other(q: np.ndarray) -> None:
    # Mirroring at the plane y = 0 turns every joint about its axis the other way where the axis
    # lies in the plane at q = 0 (s0, e0, w0, w2), and leaves s1, e1, w1 as they are.
    mirror = np.diag([1.0, -1.0, 1.0, 1.0])
    mirrored = q * np.array([-1, 1, -1, 1, -1, 1, -1])
    expected = mirror @ Arm("left").fk(q) @ mirror
    assert_close(Arm("right").fk(mirrored), expected, FK_ENGINE)
