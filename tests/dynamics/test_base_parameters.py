from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tolerances as tol
from dynamics_engines import loaded_arm, nominal_arm, random_states, strange_arm

from baxterkit.dynamics import newton_euler as ne
from baxterkit.dynamics.regressor import base_regressor, regressor
from baxterkit.equations import base_parameters as bp
from baxterkit.model.model import ArmModel


@pytest.fixture(params=[nominal_arm, loaded_arm, strange_arm], ids=["nominal", "loaded", "strange"])
def arm(request: pytest.FixtureRequest) -> ArmModel:
    made: ArmModel = request.param()
    return made


def test_torques_are_linear_in_link_and_base_parameters(arm: ArmModel) -> None:
    s = random_states(50, seed=50, dof=arm.dof)
    tau = ne.inverse_dynamics(arm, s.q, s.qd, s.qdd)
    full = regressor(arm, s.q, s.qd, s.qdd) @ bp.link_parameters(arm)
    tol.assert_close(full, tau, tol.TORQUE_ENGINE)
    base = base_regressor(arm, s.q, s.qd, s.qdd) @ bp.base_parameters(arm)
    tol.assert_close(base, tau, tol.REGRESSOR)


def test_map_has_a_right_inverse(arm: ArmModel) -> None:
    product = bp.base_parameter_map(arm) @ bp.link_parameters_of_base(arm)
    tol.assert_close(product, np.eye(len(product)), tol.INERTIA_ENGINE)


def test_every_torque_factors_through_the_base_parameters(arm: ArmModel) -> None:
    s = random_states(30, seed=51, dof=arm.dof)
    Y = regressor(arm, s.q, s.qd, s.qdd)
    base = base_regressor(arm, s.q, s.qd, s.qdd)
    tol.assert_close(base @ bp.base_parameter_map(arm), Y, tol.REGRESSOR)


def rank(Y: np.ndarray) -> int:
    """Rank of stacked regressors, columns scaled to unit length."""
    A = Y.reshape(-1, Y.shape[-1])
    lengths = np.linalg.norm(A, axis=0)
    seen = lengths > 1e-10 * lengths.max()  # the others are rounding errors
    values = np.linalg.svd(A[:, seen] / lengths[seen], compute_uv=False)
    count = int((values > 1e-10 * values[0]).sum())
    assert values[count - 1] > 1e-4 * values[0], "no plain gap in the singular values"
    return count


def test_forty_five_parameters_are_seen_under_general_gravity() -> None:
    arm, s = loaded_arm(), random_states(200, seed=52)
    assert rank(regressor(arm, s.q, s.qd, s.qdd)) == 45
    assert rank(base_regressor(arm, s.q, s.qd, s.qdd)) == 45
    assert len(bp.base_parameters(arm)) == 45
    assert bp.parameters_without_effect(arm) == ()


def test_forty_three_are_seen_if_gravity_is_parallel_to_the_first_axis() -> None:
    arm, s = nominal_arm(), random_states(200, seed=53)
    assert rank(regressor(arm, s.q, s.qd, s.qdd)) == 43
    without = bp.parameters_without_effect(arm)
    assert [bp.base_parameter_names(7)[k] for k in without] == ["hx_1", "hy_1"]
    Y = base_regressor(arm, s.q, s.qd, s.qdd)
    tol.assert_close(Y[..., list(without)], np.zeros((200, 7, 2)), tol.REGRESSOR)
    assert rank(np.delete(Y, without, axis=-1)) == 43


def test_strange_arm_has_all_its_base_parameters() -> None:
    arm = strange_arm()
    s = random_states(200, seed=54, dof=6)
    assert rank(regressor(arm, s.q, s.qd, s.qdd)) == 7 * 6 - 4


def test_map_does_not_depend_on_mount_tool_and_payload() -> None:
    loaded = loaded_arm()
    bare = replace(nominal_arm(), joints=loaded.joints)
    assert (bp.base_parameter_map(loaded) == bp.base_parameter_map(bare)).all()
    assert bp.chain_of(loaded) == bp.chain_of(nominal_arm())


def test_chain_of_baxter_is_exact() -> None:
    chain = bp.chain_of(nominal_arm())
    assert chain.length == 0.069
    for joint in chain.joints:
        assert all(abs(x) in (0, 1) for row in joint.A for x in row)
    offsets = [tuple(x * chain.length for x in joint.P) for joint in chain.joints]
    expected = [(0, 0), (0.069, 0.27035), (0, 0), (0.069, 0.36442), (0, 0), (0.01, 0.37429), (0, 0)]
    for (x, y, z), (a, d) in zip(offsets, expected, strict=True):
        assert y == 0
        tol.assert_close([x, z], [a, d], tol.ROUND_TRIP)
