"""The papers' models: corrected they are `Arm`, printed they are the paper, digit by digit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import tolerances as tol
from numpy.typing import NDArray

from baxterkit import Arm, papers
from baxterkit.errors import InputError, ShapeError, SingularityWarning, UnknownNameError
from baxterkit.papers import ju, kumar, smith
from baxterkit.spatial import inverse, so3_exp, transform

Array = NDArray[np.float64]
SIDES = ("left", "right")
DYNAMIC = (kumar, smith)


def states(arm: Arm, shape: tuple[int, ...], seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    q = rng.uniform(arm.limits.lower, arm.limits.upper, (*shape, 7))
    return q, rng.normal(size=q.shape), rng.normal(size=q.shape)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("paper", DYNAMIC, ids=["kumar", "smith"])
@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2)], ids=str)
def test_corrected_dynamics_are_those_of_the_arm(paper, side: str, shape: tuple[int, ...]) -> None:  # type: ignore[no-untyped-def]
    arm, model = Arm(side), paper.corrected
    q, qd, qdd = states(arm, shape)
    tol.assert_close(model.inertia(q), arm.inertia(q), tol.PAPER_MODEL)
    moved = (arm.coriolis(q, qd) @ qd[..., None])[..., 0]
    tol.assert_close(model.coriolis(q, qd), moved, tol.PAPER_MODEL)
    tol.assert_close(model.gravity(q), arm.gravity(q), tol.PAPER_MODEL)
    tau = arm.inverse_dynamics(q, qd, qdd)
    tol.assert_close(model.torques(q, qd, qdd), tau, tol.PAPER_MODEL)
    energy = model.kinetic_energy(q, qd)
    tol.assert_close(energy, np.asarray(arm.kinetic_energy(q, qd)), tol.PAPER_MODEL)
    assert model.inertia(q).shape == (*shape, 7, 7)


@pytest.mark.parametrize("side", SIDES)
def test_corrected_kinematics_are_those_of_the_arm_in_the_papers_frames(side: str) -> None:
    arm = Arm(side)
    q = states(arm, (50,))[0]
    T_base_s0 = arm.model.T_base_s0
    R = T_base_s0[:3, :3]
    J = arm.jacobian(q)
    J_s0 = np.concatenate([R.T @ J[:, :3], R.T @ J[:, 3:]], axis=1)
    for model in (kumar.corrected, smith.corrected):
        assert (model.frame_0, model.frame_n) == ("s0", "hand")
        tol.assert_close(model.fk(q), inverse(T_base_s0) @ arm.fk(q), tol.PAPER_MODEL)
        tol.assert_close(model.jacobian(q), J_s0, tol.PAPER_MODEL)
        tol.assert_close(model.frames(q, side)[:, -1], arm.fk(q), tol.PAPER_MODEL)
    model = ju.corrected.of_side(side)
    assert model.frame_0 == "base"
    tol.assert_close(model.fk(q), arm.fk(q), tol.PAPER_MODEL)
    tol.assert_close(model.jacobian(q), J, tol.PAPER_MODEL)
    tol.assert_close(model.points(q, [0.0, 0.0, 0.0, 1.0]), arm.fk(q)[:, :, 3], tol.PAPER_MODEL)


@pytest.mark.parametrize("model", [kumar.printed, kumar.corrected], ids=["printed", "corrected"])
def test_kumars_closed_position_is_the_product_of_its_table(model: kumar.Kumar) -> None:
    q = states(Arm("left"), (50,))[0]
    tol.assert_close(model.position(q), model.fk(q)[:, :3, 3], tol.FK_ENGINE)


def test_kumars_velocity_equations() -> None:
    arm, model = Arm("left"), kumar.corrected
    q, qd, wish = states(arm, (20,), seed=3)
    V = model.tip_velocity(q, qd)
    R = arm.model.T_base_s0[:3, :3]
    twist = arm.twist(q, qd)
    tol.assert_close(V, np.concatenate([twist[:, :3] @ R, twist[:, 3:] @ R], 1), tol.PAPER_MODEL)
    tol.assert_close(model.tip_velocity(q, model.joint_velocity(q, V)), V, tol.PAPER_MODEL)
    tol.assert_close(model.tip_velocity(q, model.joint_velocity(q, V, wish)), V, tol.PAPER_MODEL)
    tol.assert_close(model.manipulability(q), np.asarray(arm.manipulability(q)), tol.PAPER_MODEL)


def test_kumars_jacobian_warns_near_a_singularity() -> None:
    singular = np.array([0.0, -np.pi / 2, 0.0, 0.0, 0.0, 0.0, 0.0])
    with pytest.warns(SingularityWarning, match=r"manipulability .* is below 0.001"):
        kumar.corrected.jacobian(singular)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kumar.corrected.jacobian(singular, warn_below=0.0)
        kumar.corrected.jacobian(Arm("left").configuration("neutral"))
        assert kumar.corrected.manipulability(singular) < 1e-15


def test_kumars_closed_form_corrected_has_every_branch_and_only_the_ten_millimetres() -> None:
    """L5 = 0 costs 10 mm at every pose; orientations are exact, and up to eight branches exist."""
    model, short = kumar.corrected, kumar.corrected.misprinted("L_5 = 0")
    q = states(Arm("left"), (200,), seed=5)[0]
    q[:, 2] = 0.0
    T = model.fk(q)
    exact = model.locked_ik(T)
    solved = np.isfinite(exact).all(axis=-1)
    assert solved.any(axis=-1).all()
    reached = model.fk(np.where(solved[..., None], exact, 0.0))
    assert np.abs(reached - T[:, None])[solved].max() < tol.PAPER_MODEL
    found = short.locked_ik(T)
    there = ~np.isnan(found).any(axis=-1)
    assert found.shape == (200, 8, 7)
    assert set(there.sum(axis=-1).tolist()) <= {0, 4, 8}
    back = model.fk(np.where(there[..., None], found, 0.0))
    off = np.linalg.norm(back[..., :3, 3] - T[:, None, :3, 3], axis=-1)[there]
    assert off == pytest.approx(0.01, abs=1e-12)
    turned = np.abs(back - T[:, None])[..., :3, :3][there]
    assert turned.max() < tol.PAPER_MODEL


def test_kumars_closed_form_as_printed_reaches_no_pose() -> None:
    q = states(Arm("left"), (300,), seed=6)[0]
    q[:, 2] = 0.0
    T = kumar.corrected.fk(q)
    found = kumar.printed.locked_ik(T)
    assert found.shape == (300, 2, 7)
    there = ~np.isnan(found).any(axis=-1)
    back = kumar.corrected.fk(np.where(there[..., None], found, 0.0))
    pose_off = np.linalg.norm(back - T[:, None], axis=(-2, -1))[there]
    assert pose_off.min() > 0.1
    # With eq. 8's two mistakes alone put right it is a wrist, still no pose of the hand.
    wrist_only = kumar.corrected.misprinted("L_5 = 0", "eq. 8, end effector").locked_ik(T)
    some = ~np.isnan(wrist_only).any(axis=-1)
    apart = np.linalg.norm(
        kumar.corrected.fk(np.where(some[..., None], wrist_only, 0.0))[..., :3, 3]
        - T[:, None, :3, 3],
        axis=-1,
    )[some]
    assert apart == pytest.approx(0.2295, abs=0.011)


def test_equation_8_without_l1_is_a_shoulder_height_off() -> None:
    """Kumar eq. 8 leaves out l1 = 0.27035 m and the elbow's angle: 200 mm and more in all."""
    q = states(Arm("left"), (2000,), seed=7)[0]
    q[:, 2] = 0.0
    printed, true = kumar.printed.wrist(q), kumar.corrected.misprinted("L_5 = 0").wrist(q)
    w1 = kumar.corrected.frames(q)[:, 6, :3, 3]
    tol.assert_close(kumar.corrected.wrist(q), w1, tol.FK_ENGINE)
    assert np.linalg.norm(true - w1, axis=-1) == pytest.approx(0.01, abs=1e-12)
    off = np.linalg.norm(printed - true, axis=-1)
    assert 0.2 < off.min() < 0.21
    assert 0.3 < off.max() < 0.345
    height = kumar.corrected.misprinted("eq. 8, l1", "L_5 = 0").wrist(q) - true
    tol.assert_close(height, np.broadcast_to([0.0, 0.0, -0.27035], height.shape), tol.FK_ENGINE)
    # The paper's own Z contains l1.
    Z = kumar.printed.position(np.zeros(7))[2]
    assert Z - kumar.printed.wrist(np.zeros(7))[2] == pytest.approx(0.27035 - 0.069, abs=0.011)


def test_equation_10_with_the_inverse_transform_is_no_potential_of_this_arm() -> None:
    q = states(Arm("left"), (2000,), seed=8)[0]
    G = Arm("left").gravity(q)
    tol.assert_close(kumar.corrected.gravity_of_energy(q), G, tol.PAPER_MODEL)
    printed = kumar.corrected.misprinted("eq. 10")
    off = np.abs(printed.gravity_of_energy(q) - G).max(axis=-1)
    assert off.max() > 70.0  # N m
    assert 30.0 < off.mean() < 45.0
    # It is the derivative of the printed energy.
    x, step = q[0], 1e-6 * np.eye(7)
    slope = (printed.potential_energy(x + step) - printed.potential_energy(x - step)) / 2e-6
    assert np.abs(slope - printed.gravity_of_energy(x)).max() < 1e-6


def test_smiths_tables_are_printed_digit_by_digit() -> None:
    model = smith.printed
    table = model.dh()
    assert table[:, 1].tolist() == [0.2703, 0.0, 0.3644, 0.0, 0.3743, 0.0, 0.2295]
    assert (table[:, 0] == 0.0).all()
    assert model.tensors()[6, 0].tolist() == [0.0008162135, 0.000128440, 0.00018969891]
    assert model.centres()[2].tolist() == [-0.07176, 0.08149, 0.00132]
    assert model.masses().sum() == pytest.approx(19.71082)
    # Eq. 12 with Table III as it stands: the tensor's own off-diagonal entries.
    J = model.pseudo_inertias()
    assert J[0, 0, 1] == -0.0061487003
    assert np.trace(J[0, :3, :3]) == pytest.approx(0.5 * np.trace(model.tensors()[0]))


def test_smiths_equation_5_has_the_gravity_that_equation_8_has_not() -> None:
    q = states(Arm("right"), (5,))[0]
    zero = np.zeros_like(q)
    one = smith.corrected.misprinted("eq. 8")
    tol.assert_close(one.torques(q, zero, zero), Arm("right").gravity(q), tol.PAPER_MODEL)
    assert np.abs(one.gravity(q) - Arm("right").gravity(q)).max() > 10.0
    text = smith.corrected.misprinted("text after eq. 1").kinetic_part(q, q, zero)
    assert np.abs(text - smith.corrected.kinetic_part(q, q, zero)).max() > 0.1


def test_jus_printed_forms() -> None:
    left, right = ju.printed, ju.printed.of_side("right")
    assert (left.dh()[6, 1], right.dh()[6, 1]) == (0.28, 0.275)
    assert left.dh()[4, 1] == 0.104 + 0.271
    q = np.full(7, 0.3)
    R = left.link_transforms(q)[0, :3, :3]
    assert R[1, 0] == R[0, 0] == np.cos(0.3)
    distance = np.linalg.norm(left.T_0()[:3, 3] - ju.corrected.T_0()[:3, 3])
    assert distance == pytest.approx(0.2506, abs=1e-4)
    turned = ju.corrected.fk(q) @ transform(so3_exp([0.0, 0.0, 0.01]), np.zeros(3))
    deviation = ju.corrected.deviation(q, turned)
    assert np.linalg.norm(deviation[:3]) < 1e-15
    assert 0.001 < np.abs(deviation[3:]).max() < 0.1


@pytest.mark.parametrize("paper", [kumar, smith, ju], ids=["kumar", "smith", "ju"])
def test_a_model_keeps_the_misprints_that_it_names(paper) -> None:  # type: ignore[no-untyped-def]
    assert not paper.corrected.misprinted_names
    name = next(iter(paper.misprints))
    assert paper.corrected.misprinted(name).keeps(name)
    assert paper.misprints[name].printed != paper.misprints[name].true
    with pytest.raises(UnknownNameError, match=r"unknown misprint 'eq\. 99'; .*available: "):
        paper.corrected.misprinted("eq. 99")


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="side = 'middle'; it is 'left' or 'right'"):
        ju.corrected.of_side("middle")
    with pytest.raises(ShapeError, match="q must have 7 values"):
        smith.corrected.inertia(np.zeros(6))
    assert papers.kumar is kumar
