"""The whole robot: relative motion of the two tips, and the head."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import problems
import pytest
from components import require
from hypothesis import given
from strategies import angles, joint_arrays
from tolerances import CENTRAL_DIFFERENCE, FK_ENGINE, JACOBIAN_ENGINE, RELATIVE_POSE, assert_close

from baxterkit import Arm, Baxter, spatial
from baxterkit.errors import InputError, ModelError, ShapeError, UnknownNameError

ROBOT = Baxter(Arm("left", "electric_standard"), Arm("right", "vacuum"))
N = 100


def samples() -> tuple[np.ndarray, np.ndarray]:
    return problems.uniform(ROBOT.left, N), problems.beyond_limits(ROBOT.right, N)


def test_relative_pose_leads_from_the_left_tip_to_the_right_one() -> None:
    q_left, q_right = samples()
    T = ROBOT.hands.relative_pose(q_left, q_right)
    assert_close(ROBOT.left.fk(q_left) @ T, ROBOT.right.fk(q_right), RELATIVE_POSE)


def test_relative_jacobian_matches_central_differences() -> None:
    q_left, q_right = samples()
    q = np.concatenate([q_left, q_right], axis=-1)
    J = ROBOT.hands.relative_jacobian(q_left, q_right)
    assert J.shape == (N, 6, 14)
    T = ROBOT.hands.relative_pose(q_left, q_right)
    h = 1e-6
    for joint in range(14):
        step = h * np.eye(14)[joint]
        plus, minus = q + step, q - step
        rate = (
            ROBOT.hands.relative_pose(plus[:, :7], plus[:, 7:])
            - ROBOT.hands.relative_pose(minus[:, :7], minus[:, 7:])
        ) / (2.0 * h)
        W = rate[:, :3, :3] @ np.swapaxes(T[:, :3, :3], -1, -2)
        w = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=-1)
        expected = np.concatenate([rate[:, :3, 3], w], axis=-1)
        assert_close(J[:, :, joint], expected, CENTRAL_DIFFERENCE)


def test_relative_twist_is_the_jacobian_times_all_velocities() -> None:
    q_left, q_right = samples()
    qd = problems.generator("fourteen").standard_normal((N, 14))
    J = ROBOT.hands.relative_jacobian(q_left, q_right)
    V = ROBOT.hands.relative_twist(q_left, q_right, qd[:, :7], qd[:, 7:])
    assert_close(V, np.einsum("nij,nj->ni", J, qd), JACOBIAN_ENGINE)


@given(joint_arrays(), joint_arrays(), joint_arrays(bound=2.0), joint_arrays(bound=2.0))
def test_relative_twist_is_what_an_observer_on_the_left_tip_sees(
    q_left: np.ndarray, q_right: np.ndarray, qd_left: np.ndarray, qd_right: np.ndarray
) -> None:
    # Velocity of the right tip minus that of the left tip's body at the same point, in left axes.
    T_left, T_right = ROBOT.left.fk(q_left), ROBOT.right.fk(q_right)
    V_left, V_right = ROBOT.left.twist(q_left, qd_left), ROBOT.right.twist(q_right, qd_right)
    lever = T_right[:3, 3] - T_left[:3, 3]
    v = V_right[:3] - V_left[:3] - np.cross(V_left[3:], lever)
    w = V_right[3:] - V_left[3:]
    R = T_left[:3, :3].T
    expected = np.concatenate([R @ v, R @ w])
    assert_close(ROBOT.hands.relative_twist(q_left, q_right, qd_left, qd_right), expected, 1e-13)


def test_arms_that_move_as_one_body_leave_the_relative_pose_alone() -> None:
    # Both tips follow the same rigid motion of space: joint velocities from the same body twist.
    q_left, q_right = ROBOT.left.configuration("untuck"), ROBOT.right.configuration("untuck")
    spin = np.array([0.1, -0.2, 0.3, 0.2, 0.1, -0.3])  # [v; w] of space, at the base origin
    rates = []
    for arm, q in ((ROBOT.left, q_left), (ROBOT.right, q_right)):
        p = arm.fk(q)[:3, 3]
        V = np.concatenate([spin[:3] + np.cross(spin[3:], p), spin[3:]])
        rates.append(arm.joint_velocity(q, V))
    assert_close(ROBOT.hands.relative_twist(q_left, q_right, *rates), np.zeros(6), 1e-12)


@pytest.mark.parametrize(
    ("left", "right"), [((), ()), ((), (3,)), ((3,), ()), ((2, 1), (1, 3)), ((0,), (1,))], ids=str
)
def test_relative_quantities_broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    shape = np.broadcast_shapes(left, right)
    q_left = np.full((*left, 7), 0.2)
    q_right = np.full((*right, 7), -0.3)
    assert ROBOT.hands.relative_pose(q_left, q_right).shape == (*shape, 4, 4)
    assert ROBOT.hands.relative_jacobian(q_left, q_right).shape == (*shape, 6, 14)
    assert ROBOT.hands.relative_twist(q_left, q_right, q_left, q_right).shape == (*shape, 6)


def test_mirrored_arms_have_mirrored_relative_pose() -> None:
    robot = Baxter()
    q = robot.left.configuration("untuck")
    mirrored = q * np.array([-1, 1, -1, 1, -1, 1, -1])
    T = robot.hands.relative_pose(q, mirrored)
    assert abs(np.linalg.norm(T[:3, 3]) - 2.0 * abs(robot.left.fk(q)[1, 3])) <= FK_ENGINE


@given(angles(1.3963))
def test_head_turns_about_the_vertical(pan: float) -> None:
    T = ROBOT.head.fk(pan)
    assert_close(T[:3, :3], spatial.rpy_to_matrix([0.0, 0.0, pan]), FK_ENGINE)
    assert_close(T[:3, 3], ROBOT.head.fk(0.0)[:3, 3], FK_ENGINE)


def test_head_of_a_batch_and_its_frames() -> None:
    pans = np.linspace(-1.0, 1.0, 6).reshape(2, 3)
    for frame in ("head", "screen", "camera"):
        T = ROBOT.head.fk(pans, frame)
        assert T.shape == (2, 3, 4, 4)
        fixed = spatial.inverse(ROBOT.head.fk(pans)) @ T
        assert_close(fixed, np.broadcast_to(fixed[0, 0], fixed.shape), FK_ENGINE)


def test_head_equals_pinocchio_on_rethinks_file(urdf_dir: object) -> None:
    require("pinocchio")
    import pinocchio as pin

    model = pin.buildModelFromUrdf(f"{urdf_dir}/baxter_v1.2.0.urdf")
    data = model.createData()
    q = pin.neutral(model)
    base = model.getFrameId("base")
    names = {"head": "head", "screen": "screen", "camera": "head_camera"}
    for pan in (-1.2, 0.0, 0.4):
        q[model.joints[model.getJointId("head_pan")].idx_q] = pan
        pin.framesForwardKinematics(model, data, q)
        for ours, theirs in names.items():
            T = data.oMf[base].inverse() * data.oMf[model.getFrameId(theirs, pin.FrameType.BODY)]
            # The file writes 1.5708 and the like where we have exact right angles.
            assert_close(ROBOT.head.fk(pan, ours), T.homogeneous, 1e-5)


def test_head_refuses_unknown_frames_and_values() -> None:
    with pytest.raises(UnknownNameError) as unknown:
        ROBOT.head.fk(0.0, "nose")
    assert str(unknown.value) == "unknown head frame 'nose'; available: head, screen, camera"
    with pytest.raises(InputError) as bad:
        ROBOT.head.fk([0.0, np.nan])
    assert str(bad.value) == "pan[1] = nan; every value of pan must be finite"
    with pytest.raises(InputError) as outside:
        ROBOT.head.check(1.5)
    assert str(outside.value) == (
        "head_pan = 1.5000 rad is above its limit 1.3963 rad; the head turns from -1.3963 to "
        "1.3963 rad"
    )


def test_repr_shows_both_arms() -> None:
    assert repr(Baxter()) == (
        "Baxter(left=Arm('left', tool='hand', backend='native'), "
        "right=Arm('right', tool='hand', backend='native'))"
    )


def test_from_urdf_takes_each_arms_own_mount(urdf_dir: object) -> None:
    robot = Baxter.from_urdf(f"{urdf_dir}/baxter_calibrated_robot_a.urdf")
    for arm, nominal in ((robot.left, Baxter().left), (robot.right, Baxter().right)):
        assert arm.side == nominal.side
        distance, angle = spatial.pose_error(arm.model.T_base_s0, nominal.model.T_base_s0)
        assert 1e-3 < distance < 0.02
        assert angle < 0.03


def test_arms_must_be_on_their_own_side() -> None:
    with pytest.raises(InputError, match="left must be the left arm, got Arm\\('right'"):
        Baxter(left=Arm("right"))
    with pytest.raises(InputError, match="right must be an Arm, got int"):
        Baxter(right=3)  # type: ignore[arg-type]


def test_relative_motion_is_checked_and_delivered() -> None:
    robot, q = Baxter(), np.zeros((3, 7))
    out = np.empty((3, 6, 14))
    assert robot.hands.relative_jacobian(q, q[0], out=out) is out
    with pytest.raises(InputError, match=r"qd_right\[2\] = nan"):
        robot.hands.relative_twist(q[0], q[0], q[0], [0, 0, np.nan, 0, 0, 0, 0])
    with pytest.raises(ShapeError, match="leading axes do not broadcast: q_left"):
        robot.hands.relative_pose(q, np.zeros((2, 7)))


def test_arms_of_a_robot_file(tmp_path: Path) -> None:
    mount = spatial.transform(spatial.rpy_to_matrix([0.01, 0.0, 0.7]), [0.06, -0.25, 0.13])
    right = Arm("right", "vacuum", mount).with_effects(coulomb=np.full(7, 0.5))
    right.to_file(tmp_path / "robot.toml")
    robot = Baxter.from_file(tmp_path / "robot.toml")
    q = right.configuration("untuck")
    assert_close(robot.right.fk(q), right.fk(q), FK_ENGINE)
    assert robot.right.effects is not None
    assert (robot.left.tool.name, robot.left.effects) == ("hand", None)
    Arm("left", "electric_standard").to_file(tmp_path / "robot.toml")
    robot = Baxter.from_file(str(tmp_path / "robot.toml"))
    assert [arm.tool.name for arm in (robot.left, robot.right)] == [
        "electric_standard_narrow",
        "vacuum",
    ]
    with pytest.raises(ModelError, match=r"there is no file .*nothing.toml"):
        Baxter.from_file(tmp_path / "nothing.toml")
