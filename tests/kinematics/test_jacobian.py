"""How the tip moves when the joints do: Jacobians, twist, and dJ/dt qd."""

from __future__ import annotations

import numpy as np
import problems
import pytest
from components import require
from hypothesis import given
from hypothesis import strategies as st
from strategies import BATCH_SHAPES, joint_arrays
from tolerances import (
    BIAS_ENGINE,
    CENTRAL_DIFFERENCE,
    FK_ENGINE,
    JACOBIAN_ENGINE,
    ROUNDING,
    SUBNORMAL,
    assert_close,
)

from baxterkit import Arm, kinematics, spatial

ARM = Arm("left", "electric_standard")
STEP = 1e-30  # of the complex step: its square vanishes, so there is no truncation error
FEW = 200


def sample_sets() -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "samples", problems.SAMPLE_SETS.values(), ids=lambda f: f.__name__
    )


def arms() -> list[Arm]:
    return [Arm("left"), Arm("right", "electric_extended"), *problems.random_arms(3)]


def twist_of(T: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """[v; w] from poses and their derivatives, both (*batch, 4, 4)."""
    W = rate[..., :3, :3] @ np.swapaxes(T[..., :3, :3], -1, -2)
    w = 0.5 * np.stack(
        [W[..., 2, 1] - W[..., 1, 2], W[..., 0, 2] - W[..., 2, 0], W[..., 1, 0] - W[..., 0, 1]], -1
    )
    return np.concatenate([rate[..., :3, 3], w], axis=-1)


def complex_step_jacobian(arm: Arm, q: np.ndarray) -> np.ndarray:
    shifted = q[:, None, :] + 1j * STEP * np.eye(7)
    rate = kinematics.forward_kinematics(arm.model, shifted).imag / STEP
    T = kinematics.forward_kinematics(arm.model, q)[:, None]
    return np.swapaxes(twist_of(T, rate), -1, -2)


@sample_sets()
@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_jacobian_equals_complex_step_of_fk(samples: object, backend: str) -> None:
    for nominal in arms():
        arm = Arm.from_model(nominal.model, backend)
        q = samples(arm, FEW)  # type: ignore[operator]
        assert_close(arm.jacobian(q), complex_step_jacobian(arm, q), JACOBIAN_ENGINE)


@sample_sets()
@pytest.mark.parametrize("frame", ["base", "tip"])
def test_jacobian_equals_pinocchio(samples: object, frame: str) -> None:
    require("pinocchio")
    from oracles.pinocchio_arm import PinocchioArm

    for arm in arms():
        q = samples(arm, FEW)  # type: ignore[operator]
        theirs = PinocchioArm(arm).jacobian(q, frame)
        assert_close(arm.jacobian(q, frame), theirs, JACOBIAN_ENGINE)


def test_jacobian_equals_mujoco() -> None:
    require("mujoco")
    from oracles.mujoco_arm import MujocoArm

    for arm in arms():
        q = problems.uniform(arm, FEW)
        assert_close(arm.jacobian(q), MujocoArm(arm).jacobian(q), JACOBIAN_ENGINE)


@sample_sets()
def test_jacobian_matches_central_differences(samples: object) -> None:
    for arm in arms():
        q = samples(arm, FEW)  # type: ignore[operator]
        h = 1e-6
        shift = h * np.eye(7)
        rate = (arm.fk(q[:, None] + shift) - arm.fk(q[:, None] - shift)) / (2.0 * h)
        J = np.swapaxes(twist_of(arm.fk(q)[:, None], rate), -1, -2)
        assert_close(arm.jacobian(q), J, CENTRAL_DIFFERENCE)


@sample_sets()
def test_native_jacobians_equal_numpy(samples: object) -> None:
    for arm in arms():
        twin = problems.numpy_twin(arm)
        q, qd = samples(arm, FEW), problems.velocities(FEW)  # type: ignore[operator]
        qd = qd[: len(q)]
        for frame in ("base", "tip"):
            assert_close(arm.jacobian(q, frame), twin.jacobian(q, frame), FK_ENGINE)
        assert_close(arm.twist(q, qd), twin.twist(q, qd), JACOBIAN_ENGINE)
        assert_close(arm.bias_acceleration(q, qd), twin.bias_acceleration(q, qd), BIAS_ENGINE)


def test_body_jacobian_is_the_jacobian_in_tip_axes() -> None:
    for arm in arms():
        q = problems.uniform(arm, FEW)
        R_tip_base = np.swapaxes(arm.fk(q)[:, :3, :3], -1, -2)
        J = arm.jacobian(q)
        expected = np.concatenate([R_tip_base @ J[:, :3], R_tip_base @ J[:, 3:]], axis=-2)
        assert_close(arm.jacobian(q, "tip"), expected, JACOBIAN_ENGINE)
        assert_close(arm.jacobian(q, frame="tip"), expected, JACOBIAN_ENGINE)


def test_angular_rows_are_the_joint_axes() -> None:
    for arm in arms():
        q = problems.uniform(arm, FEW)
        axes = arm.link_poses(q)[:, :7, :3, 2]  # every link frame turns about its own z
        assert_close(arm.jacobian(q)[:, 3:], np.swapaxes(axes, -1, -2), FK_ENGINE)


@pytest.mark.parametrize("shape", BATCH_SHAPES)
def test_jacobian_of_a_batch_is_that_of_its_rows(shape: tuple[int, ...]) -> None:
    q = problems.uniform(ARM, int(np.prod(shape, dtype=int))).reshape(*shape, 7)
    for arm in (ARM, problems.numpy_twin(ARM)):
        for frame in ("base", "tip"):
            J = arm.jacobian(q, frame)
            assert J.shape == (*shape, 6, 7)
            for index in np.ndindex(shape):
                assert_close(J[index], arm.jacobian(q[index], frame), ROUNDING)


@given(joint_arrays(), joint_arrays(bound=10.0))
def test_twist_is_jacobian_times_velocity(q: np.ndarray, qd: np.ndarray) -> None:
    assert_close(ARM.twist(q, qd), ARM.jacobian(q) @ qd, JACOBIAN_ENGINE)


@given(joint_arrays(bound=np.pi), joint_arrays(bound=2.0))
def test_jacobian_integrates_to_fk(q: np.ndarray, qd: np.ndarray) -> None:
    # Simpson's rule on the body twist over a short time gives the relative motion of the tip.
    h = 1e-3
    steps = np.array([0.0, 0.5, 1.0])[:, None] * h * qd
    V = (ARM.jacobian(q + steps, "tip") @ qd)[:, :]
    mean = h * (V[0] + 4.0 * V[1] + V[2]) / 6.0
    motion = spatial.se3_log(spatial.inverse(ARM.fk(q)) @ ARM.fk(q + h * qd))
    # What is left is the commutator of the first and last twist, of third order in h.
    assert_close(motion, mean, 1e-6 * max(1.0, float(np.abs(qd).max())) ** 3)


@sample_sets()
def test_bias_acceleration_equals_complex_step_of_jacobian(samples: object) -> None:
    for arm in arms():
        q = samples(arm, FEW)  # type: ignore[operator]
        qd = problems.velocities(len(q))
        J_rate = kinematics.jacobian(arm.model, q + 1j * STEP * qd).imag / STEP
        expected = np.einsum("nij,nj->ni", J_rate, qd)
        assert_close(arm.bias_acceleration(q, qd), expected, BIAS_ENGINE)


def test_bias_acceleration_equals_pinocchios_classical_acceleration() -> None:
    require("pinocchio")
    from oracles.pinocchio_arm import PinocchioArm

    for arm in arms():
        q, qd = problems.uniform(arm, FEW), problems.velocities(FEW)
        theirs = PinocchioArm(arm).bias_acceleration(q, qd)
        assert_close(arm.bias_acceleration(q, qd), theirs, BIAS_ENGINE)


@given(joint_arrays(), joint_arrays(bound=2.0), st.sampled_from([-2.0, -1.0, 0.0, 0.5, 4.0]))
def test_bias_acceleration_is_quadratic_in_velocity(
    q: np.ndarray, qd: np.ndarray, factor: float
) -> None:
    once = ARM.bias_acceleration(q, qd)
    scaled = ARM.bias_acceleration(q, factor * qd)
    # Powers of two: exact, but for products so small that they lose digits.
    assert_close(scaled, factor**2 * once, SUBNORMAL)


@given(joint_arrays())
def test_one_moving_joint_gives_centripetal_acceleration(q: np.ndarray) -> None:
    # Joint i alone: a = w x (w x r) points from the tip to the axis, and there is no alpha.
    for joint in range(7):
        qd = np.eye(7)[joint]
        A = ARM.bias_acceleration(q, qd)
        v, w = ARM.jacobian(q)[:3, joint], ARM.jacobian(q)[3:, joint]
        assert_close(A, np.concatenate([np.cross(w, v), np.zeros(3)]), JACOBIAN_ENGINE)
