"""The fitted mount: exact on made-up robots, to the digits of the files on real ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tolerances import (
    MOUNT_EXACT,
    MOUNT_ROUNDED,
    MOUNT_SINGLE,
    RECORDED_JACOBIAN,
    RECORDED_TWIST,
    assert_close,
)

from baxterkit import Arm, identify, recording
from baxterkit.errors import InputError, ResultError, UnknownNameError
from baxterkit.experiments import pose_recording
from baxterkit.experiments.ju_paper import PAPER_MAX, PAPER_MEAN, pose_errors
from baxterkit.recording import Recording
from baxterkit.spatial import matrix_to_quaternion, pose_error, se3_exp, so3_exp, transform
from baxterkit.types import Array


def made_up(
    side: str = "left",
    tool: object = "vacuum",
    n: int = 60,
    spread: float = 0.6,
    noise: float = 0.0,
    with_rotation: bool = True,
    seed: int = 0,
) -> tuple[Arm, Recording]:
    """An arm with a mount of its own, and a recording of it."""
    rng = np.random.default_rng(seed)
    nominal = Arm(side, tool)  # type: ignore[arg-type]
    mount = se3_exp(rng.normal(0.0, 0.02, 6)) @ nominal.model.T_base_s0
    arm = nominal.replace(mount=mount)
    middle = 0.5 * (arm.limits.lower + arm.limits.upper)
    q = middle + spread * rng.uniform(-1.0, 1.0, (n, 7))
    T = arm.fk(q)
    position = T[:, :3, 3] + noise * rng.normal(size=(n, 3))
    R = T[:, :3, :3] @ so3_exp(noise * rng.normal(size=(n, 3)))
    quaternion = matrix_to_quaternion(R) if with_rotation else None
    t = np.arange(float(n))
    return arm, Recording(t=t, q=q, position=position, quaternion=quaternion, side=side)


@pytest.mark.parametrize("with_rotation", [True, False])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    ("tool", "found"),
    [
        ("hand", "hand"),
        ("vacuum", "vacuum"),
        ("electric_standard_narrow", "electric_gripper"),
        ("electric_extended_wide", "electric_gripper"),
    ],
)
def test_the_mount_and_the_tools_name_are_found(
    side: str, tool: str, found: str, with_rotation: bool
) -> None:
    """The tip does not tell narrow fingers from wide ones: each may be there."""
    arm, rec = made_up(side, tool, with_rotation=with_rotation)
    fit = identify.mount(rec)
    assert (fit.tool.name, fit.tool_is_fitted, fit.arm.side) == (found, False, side)
    np.testing.assert_array_equal(fit.tool.T_hand_tip, arm.tool.T_hand_tip)
    assert identify.mount(rec, tool).tool.name == tool  # unless it is named
    assert_close(fit.T_base_s0, arm.model.T_base_s0, MOUNT_EXACT)
    assert float(fit.position_error.max()) < MOUNT_EXACT
    assert fit.is_reliable, fit.advice


@pytest.mark.parametrize("tool", ["auto", "fitted"])
def test_an_unknown_tool_is_fitted(tool: str) -> None:
    T_hand_tip = transform(so3_exp([0.1, -0.2, 0.3]), [0.02, -0.01, 0.21])
    arm, rec = made_up(tool=T_hand_tip)
    fit = identify.mount(rec, tool)
    assert fit.tool_is_fitted
    assert_close(fit.tool.T_hand_tip, T_hand_tip, MOUNT_EXACT)
    assert_close(fit.T_base_s0, arm.model.T_base_s0, MOUNT_EXACT)
    positions_only = identify.mount(dataclasses.replace(rec, quaternion=None), tool)
    assert_close(positions_only.tool.T_hand_tip[:3, 3], T_hand_tip[:3, 3], MOUNT_EXACT)


def test_several_recordings_are_fitted_together() -> None:
    arm, rec = made_up(noise=1e-3, n=400)
    parts = [rec[:200], rec[200:]]
    together, whole = identify.mount(parts), identify.mount(rec)
    assert_close(together.T_base_s0, whole.T_base_s0, 1e-12)
    assert len(together.position_error) == 400
    assert arm.side == together.arm.side


@pytest.mark.slow
def test_standard_errors_cover_the_truth() -> None:
    inside = []
    for seed in range(40):
        arm, rec = made_up(noise=1e-3, n=100, seed=seed)
        fit = identify.mount(rec, "vacuum")
        error = fit.T_base_s0[:3, 3] - arm.model.T_base_s0[:3, 3]
        inside.append(np.abs(error) < fit.position_std)
    # One standard error covers 68 % of normal errors; 120 draws leave some room.
    assert 0.5 < np.mean(inside) < 0.85


def test_the_expected_error_elsewhere_is_that_of_configurations_not_recorded() -> None:
    ratios = []
    for seed in range(20):
        arm, rec = made_up(noise=1e-3, n=40, spread=0.3, seed=seed)
        fit = identify.mount(rec, "vacuum")
        q = np.random.default_rng(9).uniform(arm.limits.lower, arm.limits.upper, (300, 7))
        distance, _ = pose_error(arm.fk(q), fit.arm.fk(q))
        ratios.append(float(np.sqrt(np.mean(distance**2))) / fit.elsewhere)
    assert 0.6 < np.sqrt(np.mean(np.square(ratios))) < 1.5


def test_rows_that_do_not_fit_are_found_and_spared() -> None:
    arm, rec = made_up(noise=1e-4, n=200)
    position = np.array(rec.position)
    position[::20] += 0.05
    fit = identify.mount(dataclasses.replace(rec, position=position), "vacuum")
    np.testing.assert_array_equal(np.flatnonzero(fit.outliers), np.arange(0, 200, 20))
    assert_close(fit.T_base_s0[:3, 3], arm.model.T_base_s0[:3, 3], 1e-3)


@pytest.mark.parametrize("part", [0.1, 0.2, 0.3])
def test_many_wrong_rows_to_one_side_move_the_mount_little(part: float) -> None:
    arm, rec = made_up(noise=1e-3, n=200)
    position = np.array(rec.position)
    count = int(part * 200)
    position[:count, 0] += 0.05
    fit = identify.mount(dataclasses.replace(rec, position=position), "vacuum")
    np.testing.assert_array_equal(np.flatnonzero(fit.outliers), np.arange(count))
    error = fit.T_base_s0[:3, 3] - arm.model.T_base_s0[:3, 3]
    assert (np.abs(error) < 4.0 * fit.position_std).all()
    assert float(np.abs(error).max()) < 1e-3


def misread(kind: str) -> Recording:
    """A recording with something wrong that a fit alone does not show."""
    rec = made_up(noise=1e-3)[1]
    assert rec.position is not None
    assert rec.quaternion is not None
    return {
        "side": dataclasses.replace(rec, side="right"),
        "base": dataclasses.replace(rec, position=rec.position + np.eye(3)[2]),
        "mirrored": dataclasses.replace(rec, position=rec.position * [1, -1, 1], quaternion=None),
        "joints": dataclasses.replace(rec, q=rec.q[:, ::-1]),
        "quaternions": dataclasses.replace(rec, quaternion=np.roll(rec.quaternion, 1, axis=1)),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "start", "end"),
    [
        ("side", "the mount is 516 mm and 90° from the right", ": it is that of the left arm"),
        ("base", "the mount is 1014 mm and 1° from the left", ": is `base` the robot's own?"),
        ("mirrored", "positions miss the fit by ", "or are joints in another order?"),
        ("joints", "positions miss the fit by ", "or are joints in another order?"),
        ("quaternions", "orientations miss the fit by ", "and of the same rows as the joints"),
    ],
)
def test_a_recording_that_was_misread_is_not_called_reliable(
    kind: str, start: str, end: str
) -> None:
    fit = identify.mount(misread(kind))
    assert not fit.is_reliable
    assert fit.advice[0].startswith(start)
    assert fit.advice[0].endswith(end)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda p: p[:, [1, 0, 2]], "are axes exchanged or reversed"),
        (lambda p: p[::-1], "in another order of rows"),
        (lambda p: np.roll(p, 20, axis=0), "poses later than the joints"),
        (lambda p: 0.1 * p, "metres another unit"),
        (lambda p: p * [1.0, 1.0, -1.0], "axes exchanged or reversed"),
        (lambda p: p + np.eye(3)[2], "is `base` the robot's own?"),
    ],
    ids=["exchanged", "reversed", "late", "unit", "mirrored", "frame"],
)
@pytest.mark.parametrize("with_rotation", [True, False])
def test_a_mount_that_does_not_fit_is_not_saved(
    change: Callable[[Array], Array], told: str, with_rotation: bool, tmp_path: Path
) -> None:
    rec = pose_recording("left")
    assert rec.position is not None
    wrong = dataclasses.replace(rec, position=change(rec.position))
    if not with_rotation:
        wrong = dataclasses.replace(wrong, quaternion=None)
    path = tmp_path / "robot.toml"
    fit = identify.robot(wrong)
    assert fit.mount is not None
    assert fit.doubts == fit.mount.doubts
    for one in (fit, fit.mount):
        with pytest.raises(ResultError, match=r"robot\.toml was not written: .* \d+ mm") as caught:
            one.save(path)
        assert told in str(caught.value)
        assert str(caught.value).endswith("; accept=True writes it nevertheless")
        with pytest.raises(ResultError, match=r" \d+ mm"):
            one.raise_if_failed()
        assert not path.exists()
    assert fit.save(path, accept=True) == path
    assert path.exists()


@pytest.mark.parametrize("noise", [0.0, 5e-4, 2e-3])
def test_noise_of_an_instrument_is_no_doubt(noise: float) -> None:
    fit = identify.mount(made_up(noise=noise, n=200)[1])
    assert fit.raise_if_failed() is fit


@pytest.mark.parametrize("digits", [(3, 16), (6, 16), (7, 16), (16, 6), (16, 3)])
def test_standard_errors_are_finite_where_one_kind_is_more_exact(digits: tuple[int, int]) -> None:
    """Positions of seven digits beside exact orientations gave NaN, others a mount called open."""
    _, rec = made_up(tool="electric_standard_narrow", n=100)
    assert rec.position is not None
    assert rec.quaternion is not None
    rounded = dataclasses.replace(
        rec,
        position=np.round(rec.position, digits[0]),
        quaternion=np.round(rec.quaternion, digits[1]),
    )
    for tool in ("auto", "fitted"):
        fit = identify.mount(rounded, tool)
        assert np.isfinite([*fit.position_std, *fit.rotation_std, fit.elsewhere]).all()
        assert fit.position_std.min() > 0.0
        assert "nan" not in str(fit)


def test_standard_errors_of_computed_poses_are_finite(data_dir: Path) -> None:
    path = data_dir / "torque/Random_ang_vel_torq.csv.gz"
    rec = recording.load(path, side="left", rate=100.0)[::10]
    T = Arm("left", "electric_standard_narrow").fk(rec.q)
    rotations = matrix_to_quaternion(T[:, :3, :3])
    position = np.round(T[:, :3, 3], 7)
    fit = identify.mount(dataclasses.replace(rec, position=position, quaternion=rotations))
    assert "nan" not in str(fit)
    assert fit.position_std.min() > 0.0


def test_real_mounts_are_not_doubted(data_dir: Path) -> None:
    files = sorted(data_dir.glob("endpoint_naist/*JA.csv"))
    real = [recording.load(file, side) for file in files for side in ("left", "right")]
    real += [recording.load(file) for file in data_dir.glob("endpoint_mit/*.mat")]
    for rec in real:
        assert identify.mount(rec).doubts == ()


def test_coming_back_to_a_configuration_makes_no_new_one() -> None:
    _, rec = made_up(n=4)
    order = np.arange(400) % 4
    rng = np.random.default_rng(0)
    assert rec.position is not None
    again = Recording(
        t=np.arange(400.0),
        q=rec.q[order] + 1e-3 * rng.normal(size=(400, 7)),
        position=rec.position[order] + 1e-3 * rng.normal(size=(400, 3)),
        side="left",
    )
    fit = identify.mount(again, "vacuum")
    assert fit.configurations == 4
    assert fit.advice[0].startswith("only 4 configurations further than 0.1 rad from each other")
    assert identify.mount(made_up(n=60)[1]).configurations == 60


def test_tools_that_fit_alike_are_named_even_where_they_fit_exactly() -> None:
    _, rec = made_up(n=20, spread=1e-8)
    fit = identify.mount(rec)
    assert any("fits nearly as well as" in text for text in fit.advice)


def test_poor_data_is_said_to_be_poor() -> None:
    _, rec = made_up(n=30, spread=0.01, noise=1e-3)
    fit = identify.mount(rec)
    assert not fit.is_reliable
    assert fit.configurations == 1
    assert fit.advice[0] == (
        "only 1 configuration further than 0.1 rad from each other; record 10 or more, all over "
        "the workspace"
    )
    assert fit.advice[1].startswith("the hand turns by ")
    assert fit.advice[1].endswith(
        "° at most, so tool and mount can hardly be told apart; turn the wrist while recording"
    )
    assert any("fits nearly as well as" in text for text in fit.advice)
    assert "note: only 1 configuration" in str(fit)
    assert repr(fit).startswith("<MountFit: left arm, tool ")
    assert repr(fit).endswith(" mm, weak data>")


def straight(n: int = 20) -> Recording:
    """Only w2 turns: the tip stays where it is."""
    arm = Arm("left", "vacuum")
    q = np.tile(arm.configuration("neutral"), (n, 1))
    q[:, 6] += np.linspace(-1.0, 1.0, n)
    return Recording(t=np.arange(float(n)), q=q, position=arm.fk(q)[:, :3, 3], side="left")


@pytest.mark.parametrize(
    ("rec", "message"),
    [
        (
            straight(),
            "these 20 rows leave the mount open, mostly its rotation about ",
        ),
        (
            made_up(n=2)[1],
            "2 rows are too few to fit a mount; record 10 or more configurations that put the "
            "tip at different places and turn the hand",
        ),
        (
            made_up(n=1)[1],
            "1 row is too few to fit a mount; record 10 or more configurations",
        ),
        (
            Recording(
                t=np.arange(50.0), q=np.zeros((50, 7)), position=np.ones((50, 3)), side="left"
            ),
            "50 rows are too few to fit a mount (1 different); record 10 or more configurations",
        ),
        (
            Recording(t=np.arange(3.0), q=np.zeros((3, 7)), side="left", source="x.csv"),
            "x.csv holds no tip position; record endpoint_state beside the joints, or name the "
            "columns position_x ... position_z, and quaternion_x ... quaternion_w (it has q)",
        ),
        (
            dataclasses.replace(made_up()[1], side=None),
            "the recordings do not say which arm they are of; load them with side='left' or "
            "'right', or give side=",
        ),
        (
            [made_up("left")[1], made_up("right")[1]],
            "the recordings are of both arms; identify one at a time: load them with side='left' "
            "or 'right'",
        ),
        ([], "no recording was given"),
    ],
)
def test_what_cannot_be_fitted_is_refused(rec: Recording, message: str) -> None:
    with pytest.raises(InputError) as caught:
        identify.mount(rec)
    assert str(caught.value).startswith(message)


def test_an_unknown_tool_name_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown tool 'hammer'"):
        identify.mount(made_up()[1], "hammer")


def test_the_side_may_be_told() -> None:
    arm, rec = made_up("right")
    fit = identify.mount(dataclasses.replace(rec, side=None), side="right")
    assert_close(fit.T_base_s0, arm.model.T_base_s0, MOUNT_EXACT)


def test_a_fitted_tool_is_saved_with_its_mount(tmp_path: Path) -> None:
    T_hand_tip = transform(so3_exp([0.1, -0.2, 0.3]), [0.02, -0.01, 0.21])
    fit = identify.mount(made_up(tool=T_hand_tip)[1])
    path = tmp_path / "robot.toml"
    fit.save(path)
    arm = Arm.from_file(path, "left")
    q = arm.configuration("neutral")
    np.testing.assert_array_equal(arm.fk(q), fit.arm.fk(q))


def test_a_saved_fit_is_the_arm_again(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    fits = {side: identify.mount(made_up(side)[1]) for side in ("left", "right")}
    for fit in fits.values():
        fit.save(path)
    for side, fit in fits.items():
        arm = Arm.from_file(path, side)
        q = arm.configuration("neutral")
        np.testing.assert_array_equal(arm.fk(q), fit.arm.fk(q))
        assert arm.tool.name == "vacuum"


@pytest.mark.parametrize(
    ("day", "bound"), [("2022_08_21", MOUNT_EXACT), ("2022_08_25", MOUNT_SINGLE)]
)
def test_mit_positions_are_met_to_their_digits(data_dir: Path, day: str, bound: float) -> None:
    rec = recording.load(next(data_dir.glob(f"endpoint_mit/{day}*.mat")))
    fit = identify.mount(rec)
    assert fit.tool.name == "electric_gripper"
    assert float(np.median(fit.position_error)) < bound
    assert_close(fit.arm.jacobian(rec.q), rec.jacobian, RECORDED_JACOBIAN)
    if day == "2022_08_21":
        assert float(fit.position_error.max()) < bound
        assert_close(fit.arm.twist(rec.q, rec.qd), rec.twist, RECORDED_TWIST)
        assert fit.nominal_position_error.mean() > 0.01
        assert not fit.is_reliable  # it hardly moves


def test_positions_alone_are_enough(data_dir: Path) -> None:
    rec = recording.load(next(data_dir.glob("endpoint_mit/2022_08_21*.mat")))
    fit = identify.mount(dataclasses.replace(rec, jacobian=None))
    assert float(fit.position_error.max()) < MOUNT_EXACT
    assert_close(fit.arm.twist(rec.q, rec.qd), rec.twist, RECORDED_TWIST)


def test_a_recorded_jacobian_tells_the_rotation_where_positions_do_not() -> None:
    arm, rec = made_up(n=20, spread=1e-7, with_rotation=False)
    with_jacobian = dataclasses.replace(rec, jacobian=arm.jacobian(rec.q))
    fit = identify.mount(with_jacobian, "vacuum")
    assert_close(fit.T_base_s0, arm.model.T_base_s0, MOUNT_EXACT)
    assert fit.orientation_error is None


def test_the_mount_of_one_day_is_that_of_another(data_dir: Path) -> None:
    first, last = (recording.load(file) for file in sorted(data_dir.glob("endpoint_mit/*.mat")))
    fit = identify.mount(last)
    distance = np.linalg.norm(fit.arm.fk(first.q)[:, :3, 3] - first.position, axis=1)
    assert float(distance.max()) < MOUNT_SINGLE


def held_out(data_dir: Path, side: str) -> tuple[Array, Array]:
    """Distances [m] and Ju's errors of every naist file, mount fitted on the others."""
    files = sorted(data_dir.glob("endpoint_naist/*JA.csv"))
    recordings = [recording.load(file, side) for file in files]
    distance, errors = [], []
    for i, rec in enumerate(recordings):
        fit = identify.mount([*recordings[:i], *recordings[i + 1 :]])
        assert fit.tool.name == "electric_gripper"
        distance.append(np.linalg.norm(fit.arm.fk(rec.q)[:, :3, 3] - rec.position, axis=1))
        errors.append(pose_errors(fit.arm, rec))
    return np.concatenate(distance), np.concatenate(errors)


@pytest.mark.parametrize("side", ["left", "right"])
def test_naist_poses_are_met_and_every_number_of_ju_beaten(data_dir: Path, side: str) -> None:
    distance, errors = held_out(data_dir, side)
    assert float(distance.mean()) < MOUNT_ROUNDED
    assert (np.abs(errors).max(axis=0) < np.abs(PAPER_MAX[side])).all()
    assert (np.abs(errors.mean(axis=0)) < np.abs(PAPER_MEAN[side])).all()
    # Stricter than the paper's signed means, in which errors of both signs cancel.
    assert (np.abs(errors).mean(axis=0) < np.abs(PAPER_MEAN[side])).all()
