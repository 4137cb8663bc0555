"""Identification of dynamics: what is known is found again, through noise, faults and contact."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import known_robot
import numpy as np
import pytest
from known_robot import EFFECTS, LOAD, TILT, recording, robot

from baxterkit import Arm, identify
from baxterkit.dynamics.joint_effects import Sensing
from baxterkit.equations.base_parameters import base_parameters
from baxterkit.errors import InputError, ResultError, ShapeError, UnitsWarning
from baxterkit.identify.preparation import prepare
from baxterkit.identify.stages import _with_links
from baxterkit.model.model import Inertial, Tool
from baxterkit.recording import Recording
from baxterkit.types import Array


@pytest.fixture(scope="module")
def fit() -> identify.DynamicsFit:
    return known_robot.fit()


@pytest.fixture(scope="module")
def unseen() -> Recording:
    return recording(9, 40.0)


def test_unseen_motion_is_predicted_to_the_noise(
    fit: identify.DynamicsFit, unseen: Recording
) -> None:
    scores = fit.score(unseen)
    assert (scores.r2 > [0.999, 0.999, 0.999, 0.999, 0.999, 0.999, 0.99]).all()
    nominal = identify.score(Arm("left"), unseen)
    assert (nominal.mae > 5 * scores.mae).all()
    assert (fit.score(unseen, memory=False).mae >= scores.mae - 2e-3).all()


def test_true_arm_has_no_better_score(fit: identify.DynamicsFit, unseen: Recording) -> None:
    true = identify.score(robot(), unseen)
    assert (fit.score(unseen).rmse < 2.0 * true.rmse).all()


def test_rigid_torques_are_found_apart_from_what_joints_add(
    fit: identify.DynamicsFit, unseen: Recording
) -> None:
    # A spring at s1 looks like gravity of the upper arm, and bias like a spring: the sum counts.
    motion = identify.smooth_motion(unseen)
    assert motion.qd is not None
    assert motion.qdd is not None
    moving = (motion.q, motion.qd, motion.qdd)
    at_rest = (motion.q, 0 * motion.qd, 0 * motion.qdd)
    true, found = robot().with_effects(None), fit.arm.with_effects(None)
    inertial = true.inverse_dynamics(*moving) - true.inverse_dynamics(*at_rest)
    error = found.inverse_dynamics(*moving) - found.inverse_dynamics(*at_rest) - inertial
    assert (np.abs(error).mean(axis=0) < 0.05 * np.abs(inertial).max(axis=0)).all()


def test_friction_tilt_and_load_are_found(fit: identify.DynamicsFit) -> None:
    found, true = fit.effects.hysteresis, EFFECTS.hysteresis
    assert found is not None
    assert true is not None
    assert np.abs(found.torque - true.torque).max() < 0.05
    assert np.abs(found.coulomb - true.coulomb).max() < 0.06
    assert np.abs(found.viscous - true.viscous).max() < 0.08
    assert abs(fit.tilt - TILT) < 3e-3
    assert abs(fit.load.mass - LOAD.mass) < 2 * fit.load.mass_std
    assert np.abs(fit.load.moment - LOAD.mass * LOAD.com).max() < 0.045
    assert np.abs(np.array(fit.delays) - 0.013).max() < 1.5e-3


@pytest.mark.parametrize("sharper", [False, True])
def test_recordings_that_were_filtered_before_keep_their_own_cutoff(
    unseen: Recording, sharper: bool
) -> None:
    def dry(motion: Recording) -> Array:
        return np.sign(motion.required("qd"))

    slow = unseen.filtered(2.0)
    both, alone = prepare([unseen, slow]), prepare([slow])
    np.testing.assert_array_equal(
        both.filtered(dry, sharper)[both.split(1)], alone.filtered(dry, sharper)
    )


def test_intervals_hold_the_truth_most_of_the_time(fit: identify.DynamicsFit) -> None:
    beta = base_parameters(robot().model)
    inside = np.abs(fit.beta - beta) < 1.96 * fit.beta_std
    assert inside.mean() > 0.8
    low, high = fit.interval("bias")
    middle = 0.5 * (low + high)
    assert np.abs(middle - fit.effects.bias).max() < 1e-12
    assert ((low <= EFFECTS.bias) & (EFFECTS.bias <= high)).sum() >= 5
    assert (fit.beta_std > 0.0).all()


def test_links_are_bodies_and_cost_little(fit: identify.DynamicsFit) -> None:
    for body in fit.arm.model.inertials:
        body.check()
        assert identify.is_consistent(body)
        moments = np.linalg.eigvalsh(body.inertia)
        assert body.mass > 0.0
        assert moments[0] > 0.0
        assert moments[0] + moments[1] >= moments[2]
    lost = fit.scores["free"].r2 - fit.scores["consistent"].r2
    assert (lost < 2e-3).all()


@pytest.mark.slow
def test_contact_and_faults_are_left_out(fit: identify.DynamicsFit, unseen: Recording) -> None:
    rng = np.random.default_rng(0)
    spoilt = []
    for seed in (1, 2):
        clean = recording(seed)
        assert clean.tau is not None
        tau = clean.tau.copy()
        for start in rng.integers(300, len(tau) - 500, 4):  # someone holds the hand, 1.5 s each
            J = robot().jacobian(clean.q[start : start + 150])
            tau[start : start + 150] -= np.einsum("nij,i->nj", J, [15.0, -10.0, 20.0, 0, 0, 0])
        lost = rng.integers(0, len(tau), 30)
        tau[lost] = rng.normal(0.0, 50.0, (30, 7))
        spoilt.append(dataclasses.replace(clean, tau=tau))
    robust = identify.dynamics(spoilt)
    trusting = identify.dynamics(spoilt, robust=False)
    clean_rmse = fit.score(unseen).rmse
    assert (robust.score(unseen).rmse < 2.0 * clean_rmse + 0.01).all()
    assert (trusting.score(unseen).rmse > 1.5 * robust.score(unseen).rmse).any()
    assert robust.rejected.max() > 0.05
    assert any("was it touched?" in text for text in robust.advice)


def test_a_still_joint_is_named(fit: identify.DynamicsFit) -> None:
    rec = recording(1, 30.0)
    assert rec.qd is not None
    q, qd = rec.q.copy(), rec.qd.copy()
    q[:, 4] = 0.3
    qd[:, 4] = 0.0
    still = identify.dynamics(dataclasses.replace(rec, q=q, qd=qd))
    assert "w0 moves through 0.00 rad; let it move 0.5 rad or more" in still.advice
    assert "0.5 min of motion is little; record 2 min or more" in still.advice
    assert still.excitation.learnt.min() >= 0.0
    assert fit.condition < 100.0


def in_degrees(rec: Recording) -> Recording:
    with pytest.warns(UnitsWarning, match="are these degrees"):
        return dataclasses.replace(rec, q=np.degrees(rec.q), qd=np.degrees(rec.qd))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("misread", "advice"),
    [
        (
            lambda rec: dataclasses.replace(rec, tau=rec.tau[:, [0, 1, 2, 3, 5, 4, 6]]),
            r"no model explains the torques of w1 \(R² = -\d+\.\d\d\): are joints, signs and units "
            r"right, and is the torque saturated\?",
        ),
        (
            lambda rec: dataclasses.replace(rec, tau=-rec.tau),
            r"no model explains the torques of s0 .*",
        ),
        (
            lambda rec: dataclasses.replace(rec, tau=np.clip(rec.tau, -8.0, 8.0)),
            r"no model explains the torques of e1 .*",
        ),
        (
            in_degrees,
            r"s0 moves from -\d+\.\d\d to \d+\.\d\d rad, its limits are -1\.70 and 1\.70: are "
            r"joints and units right\?",
        ),
        (
            lambda rec: dataclasses.replace(rec, tau=rec.tau * [1, 1, 1, 1, 1, 1, 0]),
            r"the torque of w2 never changes: is its sensor on, or saturated\?",
        ),
    ],
    ids=["swapped", "negative", "saturated", "degrees", "dead"],
)
def test_misread_recordings_are_named(
    fit: identify.DynamicsFit, misread: Callable[[Recording], Recording], advice: str
) -> None:
    found = identify.dynamics(misread(recording(1)))
    assert any(re.fullmatch(advice, text) for text in found.advice)
    assert not any(re.fullmatch(advice, text) for text in fit.advice)
    assert (found.scores["consistent"].r2 > -1e4).all()
    assert any(re.fullmatch(advice, text) for text in found.doubts)
    assert fit.doubts == ()


@pytest.mark.slow
def test_a_model_that_explains_nothing_is_not_saved(tmp_path: Path) -> None:
    rec = recording(1)
    assert rec.tau is not None
    swapped = dataclasses.replace(rec, tau=rec.tau[:, [0, 1, 3, 2, 4, 5, 6]])
    fit = identify.robot(swapped)
    path = tmp_path / "robot.toml"
    for one in (fit, fit.dynamics):
        assert one is not None
        with pytest.raises(ResultError, match=r"torques of e1 \(R² = -?\d+\.\d\d\)") as caught:
            one.save(path)
        assert caught.value.result is one
        assert not path.exists()
    assert fit.save(path, accept=True) == path
    assert path.exists()


def test_what_is_no_recording_is_refused() -> None:
    message = "recordings must be of type Recording, got str; recording.load reads files"
    with pytest.raises(InputError) as caught:
        identify.dynamics(["motion.bag"])  # type: ignore[list-item]
    assert str(caught.value) == message
    short: list[list[Recording]] = [[], [recording(1)[:80]]]
    for recordings in short:
        with pytest.raises(InputError) as caught:
            identify.score(robot(), recordings)
        assert str(caught.value) == (
            "a score needs a recording with a stretch longer than 1 s without a gap"
        )
    with pytest.raises(InputError) as caught:
        identify.cross_validate([recording(1), recording(2)], folds=[[2]])
    assert str(caught.value) == "folds name recording 2; there are 2, counted from 0"


@pytest.mark.slow
def test_a_known_load_is_taken_from_the_arm_given(fit: identify.DynamicsFit) -> None:
    loaded = identify.dynamics([recording(1), recording(2)], Arm("left", payload=LOAD))
    assert abs(loaded.load.mass) < 2 * loaded.load.mass_std
    assert loaded.arm.model.payload is None
    mass = loaded.arm.model.inertials[-1].mass
    assert abs(mass - fit.arm.model.inertials[-1].mass) < 0.3


def test_the_tool_stays_a_tool_that_can_be_changed(tmp_path: Path) -> None:
    given = Arm("left", "electric_standard")
    fitted = identify.dynamics(recording(3), given)
    fitted.save(tmp_path / "robot.toml", date="2026-01-01")
    arm = Arm.from_file(tmp_path / "robot.toml")
    gripper = given.tool.inertial
    assert gripper is not None
    assert arm.tool.inertial is not None
    assert arm.tool.inertial.mass == gripper.mass
    q, zero = arm.configuration("untuck"), np.zeros(7)
    for one in (fitted.arm, arm):
        again = one.replace(tool="electric_standard")
        difference = again.inverse_dynamics(q, zero, zero) - one.inverse_dynamics(q, zero, zero)
        assert np.abs(difference).max() < 1e-12
        whole, bare = (
            sum(body.mass for body in a.model.link_inertials())
            for a in (one, one.replace(tool="hand"))
        )
        assert whole - bare == pytest.approx(gripper.mass, abs=1e-12)


def test_a_tool_that_the_arm_cannot_have_gets_no_mass() -> None:
    heavy = Tool("anvil", np.eye(4), Inertial(8.0, np.zeros(3), 0.1 * np.eye(3)))
    links = Arm("left").model.inertials
    arm = _with_links(Arm("left", heavy), links, np.zeros(2))
    assert (arm.tool.name, arm.tool.inertial) == ("anvil", None)
    assert arm.model.inertials[-1].mass == links[-1].mass


def test_without_memory_no_hysteresis_is_found() -> None:
    plain = identify.dynamics(recording(1), with_memory=False)
    assert plain.effects.hysteresis is None
    assert (plain.scores["consistent"].r2 - plain.scores["memoryless"].r2 < 0.01).all()


def test_fit_is_saved_and_read(fit: identify.DynamicsFit, tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    fit.save(path, date="2016-09-08")
    arm = Arm.from_file(path)
    q = recording(1).q[:50]
    tau = arm.inverse_dynamics(q, 0.1 * q, q)
    assert (tau == fit.arm.inverse_dynamics(q, 0.1 * q, q)).all()
    text = path.read_text()
    assert 'date = "2016-09-08"' in text
    assert "[left.provenance.dynamics.scores.consistent]" in text
    assert str(fit).startswith("left arm: 2,362 rows of 2 recordings")


@pytest.mark.slow
def test_cross_validation_predicts_what_was_left_out() -> None:
    scores = identify.cross_validate([recording(1), recording(2)])
    assert (scores["memory"].r2[:6] > 0.999).all()
    assert (scores["before"].mae > scores["memory"].mae).all()
    with pytest.raises(InputError) as caught:
        identify.cross_validate([recording(1)])
    assert str(caught.value) == "cross-validation needs a recording to fit and one to predict"


@pytest.mark.slow
def test_velocities_are_not_needed(unseen: Recording) -> None:
    rec = dataclasses.replace(recording(1), qd=None)
    found = identify.dynamics([rec, dataclasses.replace(recording(2), qd=None)])
    assert (found.score(dataclasses.replace(unseen, qd=None)).r2[:6] > 0.99).all()
    assert found.delays == (0.0, 0.0)


@pytest.mark.parametrize(
    ("recordings", "arm", "message"),
    [
        ([], Arm("left"), "identification needs at least one recording with torques"),
        (
            [dataclasses.replace(recording(1), tau=None)],
            None,
            "simulated exciting motion 1 holds no torques (tau); it has q, qd",
        ),
        (
            [dataclasses.replace(recording(1), side=None)],
            None,
            "the recordings do not say which arm they are of; load them with side='left' or "
            "'right', or give arm=",
        ),
        (
            [recording(1)],
            Arm("right"),
            "the recording is of the left arm, the model is of the right one",
        ),
        (
            [recording(1), dataclasses.replace(recording(2), side="right")],
            None,
            "the recordings are of both arms; identify one at a time: load them with side='left' "
            "or 'right'",
        ),
        (
            [recording(1)[:80]],
            None,
            "simulated exciting motion 1 has no stretch longer than 1 s without a gap; "
            "it lasts 0.79 s",
        ),
    ],
)
def test_unusable_recordings_are_refused(
    recordings: list[Recording], arm: Arm | None, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        identify.dynamics(recordings, arm)
    assert str(caught.value) == message


def test_a_fit_keeps_blas_to_one_thread_and_gives_the_others_back() -> None:
    import scipy.linalg  # noqa: F401  # its BLAS is another one; let it be loaded by now
    from threadpoolctl import threadpool_info, threadpool_limits

    def threads() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    seen: list[set[int]] = []
    with threadpool_limits(2, "blas"):
        assert threads() == {2}
        identify.dynamics(recording(1, 20.0), progress=lambda *_: seen.append(threads()))
        assert threads() == {2}
    assert len(seen) > 3
    assert all(one == {1} for one in seen)


def test_friction_of_a_filtered_motion_is_filtered_and_late_velocities_are_aligned() -> None:
    smooth = recording(1).filtered(5.0).with_acceleration()
    sharp = dataclasses.replace(smooth, cutoff=np.inf)  # as if nobody had filtered it
    errors = [
        np.std((one.required("tau") - identify.predict(robot(), one))[50:-50], axis=0)
        for one in (smooth, sharp)
    ]
    assert (errors[0] < 0.8 * errors[1]).all(), errors


@pytest.mark.slow
def test_crosstalk_and_lag_of_the_sensors_are_found_and_kept(tmp_path: Path) -> None:
    """s0 shows a share of e0's torque, and e1 shows all of it late."""
    crosstalk, lag = np.zeros((7, 7)), np.zeros(7)
    crosstalk[0, 2], lag[3] = 0.2, 0.006
    effects = robot().effects
    assert effects is not None
    loud = robot().with_effects(effects.replace(sensing=Sensing(crosstalk, np.zeros(7), lag)))
    heard = []
    for seed in (1, 2):
        smooth = dataclasses.replace(identify.smooth_motion(recording(seed), 15.0), cutoff=np.inf)
        added = identify.predict(loud, smooth) - identify.predict(robot(), smooth)
        heard.append(
            dataclasses.replace(recording(seed), tau=recording(seed).required("tau") + added)
        )
    found = identify.dynamics(heard)
    sensing = found.effects.sensing
    assert sensing is not None
    assert abs(sensing.crosstalk[0, 2] - 0.2) < 0.05
    assert abs(sensing.lag[3] - 0.006) < 0.002
    plain = found.arm.with_effects(found.effects.replace(sensing=None))
    rmse, without = (identify.score(arm, heard).rmse for arm in (found.arm, plain))
    assert rmse[0] < 0.7 * without[0]
    found.save(tmp_path / "robot.toml")
    kept = Arm.from_file(tmp_path / "robot.toml").effects
    assert kept is not None
    assert kept.sensing is not None
    for name in ("crosstalk", "level", "lag", "shaking", "drag"):
        assert (getattr(kept.sensing, name) == getattr(sensing, name)).all()
    with pytest.raises(ShapeError, match=r"sensing level must have shape \(7,\), got \(3,\)"):
        Sensing(crosstalk, np.zeros(3), lag)
