"""The NumPy reference serves any serial chain: other geometry, other joint counts, sliders."""

from __future__ import annotations

import dataclasses

import numpy as np
import problems
import pytest
from tolerances import BIAS_ENGINE, JACOBIAN_ENGINE, PROJECTOR, PSEUDOINVERSE, assert_close

from baxterkit import Arm, kinematics, spatial
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.model import ArmModel, Inertial, Joint, Tool

STEP = 1e-30
KINDS = {
    "6R": "rrrrrr",
    "scara": "rrpr",
    "7 with sliders": "rprrprr",
    "9R": "rrrrrrrrr",
}


def chain(kinds: str) -> ArmModel:
    """A chain with axes and offsets drawn at random; r is a revolute joint, p a slider."""
    rng = problems.generator(kinds)
    joints = tuple(
        Joint(
            f"j{i}",
            "revolute" if kind == "r" else "prismatic",
            np.eye(4) if i == 0 else problems.random_transform(rng),
            rng.standard_normal(3),
        )
        for i, kind in enumerate(kinds)
    )
    body = Inertial(1.0, np.zeros(3), np.eye(3))
    return ArmModel(
        side="left",
        joints=joints,
        inertials=(body,) * len(kinds),
        T_base_s0=problems.random_transform(rng),
        T_last_hand=problems.random_transform(rng),
        tool=Tool("custom", problems.random_transform(rng)),
    )


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def arm(request: pytest.FixtureRequest) -> Arm:
    return Arm.from_model(chain(request.param))


def positions(arm: Arm, n: int = 50) -> np.ndarray:
    return problems.generator("chains").uniform(-2.0, 2.0, (n, arm.model.dof))


def test_other_geometry_is_served_by_numpy(arm: Arm) -> None:
    assert arm.backend == "numpy"


def test_a_baxter_with_one_joint_moved_is_served_by_numpy() -> None:
    model = Arm("left").model
    T = model.joints[3].T_parent_joint.copy()
    T[0, 3] += 1e-6
    joints = list(model.joints)
    joints[3] = dataclasses.replace(joints[3], T_parent_joint=T)
    moved = Arm.from_model(dataclasses.replace(model, joints=tuple(joints)))
    assert moved.backend == "numpy"
    q = problems.uniform(Arm("left"), 10)
    distance = np.linalg.norm((moved.fk(q) - Arm("left").fk(q))[:, :3, 3], axis=-1)
    assert_close(distance, np.full(10, 1e-6), JACOBIAN_ENGINE)


def test_jacobian_of_any_chain_equals_complex_step(arm: Arm) -> None:
    q = positions(arm)
    n = arm.model.dof
    rate = kinematics.forward_kinematics(arm.model, q[:, None] + 1j * STEP * np.eye(n)).imag / STEP
    T = arm.fk(q)
    W = rate[..., :3, :3] @ np.swapaxes(T[:, None, :3, :3], -1, -2)
    w = np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)
    expected = np.swapaxes(np.concatenate([rate[..., :3, 3], w], axis=-1), -1, -2)
    assert_close(arm.jacobian(q), expected, JACOBIAN_ENGINE)


def test_bias_acceleration_of_any_chain_equals_complex_step(arm: Arm) -> None:
    q = positions(arm)
    qd = problems.generator("rates").standard_normal(q.shape)
    rate = kinematics.jacobian(arm.model, q + 1j * STEP * qd).imag / STEP
    expected = np.einsum("nij,nj->ni", rate, qd)
    assert_close(arm.bias_acceleration(q, qd), expected, 10.0 * BIAS_ENGINE)


def test_velocity_and_null_space_of_any_chain(arm: Arm) -> None:
    q = positions(arm)
    n = arm.model.dof
    J = arm.jacobian(q)
    qd = problems.generator("rates").standard_normal(q.shape)
    N = arm.nullspace(q)
    assert N.shape == (len(q), n, n)
    assert_close(J @ N, np.zeros_like(J), PROJECTOR)
    rank = min(6, n)
    assert_close(np.trace(N, axis1=-2, axis2=-1), np.full(len(q), float(n - rank)), PROJECTOR)
    V = arm.twist(q, qd)  # a twist that a chain with fewer than six joints can reach
    back = arm.joint_velocity(q, V, warn_below=0.0)
    assert_close(arm.twist(q, back), V, PSEUDOINVERSE)


def test_manipulability_of_any_chain_is_the_product_of_singular_values(arm: Arm) -> None:
    q = positions(arm)
    values = np.linalg.svd(arm.jacobian(q), compute_uv=False)
    np.testing.assert_allclose(arm.manipulability(q), values.prod(axis=-1), rtol=1e-12, atol=0.0)


def test_null_vector_is_for_seven_joints() -> None:
    q = np.zeros(6)
    with pytest.raises(InputError) as caught:
        Arm.from_model(chain("rrrrrr")).null_vector(q)
    assert str(caught.value) == "the null vector is defined for arms with 7 joints; this one has 6"


def test_shape_message_counts_the_joints_of_the_chain() -> None:
    with pytest.raises(ShapeError) as caught:
        Arm.from_model(chain("rrpr")).fk(np.zeros(7))
    assert str(caught.value) == "q must have 4 values on its last axis, got shape (7,)"


def test_a_slider_moves_the_tip_along_its_axis() -> None:
    arm = Arm.from_model(chain("rrpr"))
    q = positions(arm, 1)[0]
    moved = q + 0.25 * np.eye(4)[2]
    axis = arm.link_poses(q)[2, :3, :3] @ arm.model.joints[2].axis
    T = arm.fk(q)
    expected = spatial.transform(T[:3, :3], T[:3, 3] + 0.25 * axis)
    assert_close(arm.fk(moved), expected, JACOBIAN_ENGINE)
