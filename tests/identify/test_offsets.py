"""The zero of the torque sensors on another day: found, bounded, kept and dated."""

from __future__ import annotations

import dataclasses
import datetime
import re
from pathlib import Path

import numpy as np
import pytest
from known_robot import recording, robot

from baxterkit import Arm, Baxter, identify
from baxterkit.dynamics.external_torque import MomentumObserver
from baxterkit.dynamics.tare import Tare
from baxterkit.errors import InputError, ResultError, ShapeError, TareWarning
from baxterkit.recording import Recording
from baxterkit.sim import Twin

ZERO = np.array([1.5, -0.8, 0.4, -0.3, 0.1, -0.15, 0.3])


def drifted(rec: Recording, zero: np.ndarray = ZERO) -> Recording:
    return dataclasses.replace(rec, tau=rec.required("tau") + zero)


def standing(q: np.ndarray, seconds: float = 3.0, state: float = 0.0) -> Recording:
    """The robot at rest; friction holds `state` of all that it can."""
    t = np.arange(round(100 * seconds)) / 100.0
    still = np.zeros(7)
    memory = robot().effects.hysteresis  # type: ignore[union-attr]
    assert memory is not None
    held = state * (np.maximum(memory.torque + memory.slope * q, 0.0) + memory.coulomb)
    tau = robot().inverse_dynamics(q, still, still) + held
    noise = np.random.default_rng(3).normal(0.0, 0.01, (len(t), 7))
    rows = (len(t), 1)
    return Recording(
        t=t, q=np.tile(q, rows), qd=np.zeros((len(t), 7)), tau=tau + noise, side="left"
    )


def test_three_seconds_of_motion_tell_the_zero_and_its_error() -> None:
    cover = []
    for start in np.arange(4.0, 55.0, 1.7):
        found = identify.offsets(robot(), drifted(recording(1)).slice(start, start + 3.0))
        cover.append((found.low <= ZERO) & (found.high >= ZERO))
        assert not found.still.any()
        assert np.abs(found.friction - 1.0).max() < 0.15
    assert np.mean(cover) > 0.9
    assert np.abs(found.tau - ZERO).max() < 0.1
    assert (found.standard_error[:4] < 0.1).all()
    assert (found.standard_error[4:] < 0.07).all()  # the load of the day is not known either


def test_the_arm_of_the_day_predicts() -> None:
    rec = drifted(recording(2))
    today = identify.offsets(robot(), rec.slice(4.0, 7.0)).arm
    before, after = (identify.score(arm, rec).rmse for arm in (robot(), today))
    assert (after < 0.5 * before).all()
    assert np.abs(identify.score(today, rec).mean).max() < 0.05


def test_a_contact_does_not_pull_the_zero_along() -> None:
    rec = drifted(recording(1)).slice(10.0, 13.0)
    free = identify.offsets(robot(), rec)
    tau = rec.required("tau").copy()
    touched = (rec.t > 10.8) & (rec.t < 11.8)
    tau[touched] += [6.0, 8.0, 5.0, 4.0, 1.0, 1.0, 0.5]
    found = identify.offsets(robot(), dataclasses.replace(rec, tau=tau))
    assert (np.abs(found.tau - free.tau) < 2.0 * free.standard_error).all()


@pytest.mark.parametrize("state", [-0.9, 0.0, 0.9])
def test_an_arm_at_rest_tells_an_interval(state: float) -> None:
    q = robot().configuration("neutral")
    found = identify.offsets(robot(), drifted(standing(q, state=state)))
    assert found.still.all()
    assert ((found.low <= ZERO) & (found.high >= ZERO)).all()
    moving = identify.offsets(robot(), drifted(recording(1)).slice(4.0, 7.0))
    wider = (found.high - found.low) > (moving.high - moving.low)
    assert wider.all()
    assert (found.friction == 1.0).all()
    assert found.advice[0].startswith("s0 stood still: its zero is known to ±0.")
    assert found.interval[0] is found.low


def test_friction_remembered_from_before_the_start_is_not_taken_for_a_zero() -> None:
    """The arm stands for a second, held by friction, and moves then."""
    whole = identify.simulated_recording(robot(), identify.exciting_motion(robot(), 8.0, seed=4))
    q = whole.q[0]
    wait = standing(q, 1.0, state=1.0)
    rec = Recording(
        t=np.concatenate([wait.t, whole.t + 1.0]),
        q=np.concatenate([wait.q, whole.q]),
        qd=np.concatenate([wait.required("qd"), whole.required("qd")]),
        tau=np.concatenate([wait.required("tau"), whole.required("tau")]) + ZERO,
        side="left",
    )
    found = identify.offsets(robot(), rec.slice(0.0, 5.0))
    assert ((found.low <= ZERO) & (found.high >= ZERO)).all()


def test_a_tare_is_kept_beside_the_model(tmp_path: Path) -> None:
    path, today = tmp_path / "robot.toml", datetime.date.today().isoformat()
    robot().to_file(path, {"note": "the model"})
    Arm("right").to_file(path)
    first = identify.offsets(robot(), drifted(recording(1)).slice(4.0, 7.0))
    first.save(path)
    text = path.read_text()
    assert "[left.tare]" in text
    assert f'date = "{today}"' in text
    assert 'note = "the model"' in text
    q, still = robot().configuration("neutral"), np.zeros(7)
    for arm in (Arm.from_file(path, "left"), Baxter.from_file(path).left):
        assert arm.effects is not None
        assert np.abs(arm.effects.bias - first.arm.effects.bias).max() < 1e-15  # type: ignore[union-attr]
        ours, kept = (a.inverse_dynamics(q, still, still) for a in (first.arm, arm))
        assert np.abs(ours - kept).max() < 1e-12
    # Another day, starting from the tared arm: the file holds the sum, the model is as it was.
    again = identify.offsets(Arm.from_file(path, "left"), recording(1).slice(4.0, 7.0))
    again.save(path)
    from baxterkit import robot_file

    kept_arm = robot_file.read(path, "left")
    assert kept_arm.tare is not None
    assert kept_arm.effects is not None
    assert np.abs(kept_arm.tare.tau).max() < 0.1
    assert (kept_arm.effects.bias == robot().effects.bias).all()  # type: ignore[union-attr]


def test_a_load_of_the_day_is_found_and_kept(tmp_path: Path) -> None:
    """A few grams more at the hand: predicted after ten seconds, and in the robot file."""
    path, moment = tmp_path / "robot.toml", np.array([0.002, -0.004, 0.008])
    robot().to_file(path)
    today = Arm.from_model(Tare(ZERO, moment=moment).carried(robot().model))
    loaded = today.with_effects(robot().effects)
    rec = drifted(
        identify.simulated_recording(loaded, identify.exciting_motion(robot(), 30.0, seed=1))
    )
    found = identify.offsets(robot(), rec.slice(4.0, 14.0))
    assert np.linalg.norm(found.moment - moment) < 0.6 * np.linalg.norm(moment)
    assert "load of the day [g m]:" in str(found)
    unloaded = robot().with_effects(found.arm.effects)
    with_it, without = (identify.score(arm, rec).rmse[4:6] for arm in (found.arm, unloaded))
    assert (with_it < 0.7 * without).all()
    found.save(path)
    kept = Arm.from_file(path)
    assert np.abs(kept.model.inertials[-1].com - found.arm.model.inertials[-1].com).max() < 1e-15
    q, still = robot().configuration("neutral"), np.zeros(7)
    ours, theirs = (a.inverse_dynamics(q, still, still) for a in (found.arm, kept))
    assert np.abs(ours - theirs).max() < 1e-12


def test_a_load_that_no_day_adds_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"tare moment 0\.3 kg m is above 0\.1 kg m; a load of that"
    ):
        Tare(ZERO, moment=[0.0, 0.3, 0.0])
    with pytest.raises(ShapeError, match=r"tare moment must have shape \(3,\), got \(7,\)"):
        Tare(ZERO, moment=np.zeros(7))


def test_an_old_tare_is_warned_about(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    robot().to_file(path)
    found = identify.offsets(robot(), drifted(recording(1)).slice(4.0, 7.0))
    found.save(path, date="2020-01-01")
    with pytest.warns(TareWarning, match=r"left arm: .* of 2020-01-01, \d+ days old; measure it"):
        Arm.from_file(path)
    with pytest.warns(TareWarning, match="baxterkit identify --tare"):
        Baxter.from_file(path)
    day = datetime.date(2020, 1, 2)
    assert Tare(ZERO, date="2020-01-01T10:00:00").stale(day) is None
    assert Tare(ZERO).stale(day) == "the zero of the torque sensors has no date"
    assert "of 3 days ahead" in str(Tare(ZERO, date="2020-01-05").stale(day))
    with pytest.raises(InputError, match="'yesterday' is not a date; write it as 2026-11-16"):
        Tare(ZERO, date="yesterday")
    with pytest.raises(InputError, match=r"tare friction\[2\] = 0 must be above zero"):
        Tare(ZERO, friction=[1, 1, 0, 1, 1, 1, 1])


def test_what_cannot_be_tared_is_refused() -> None:
    rec = recording(1).slice(4.0, 7.0)
    with pytest.raises(InputError, match="the recording is of the left arm, the model is of the"):
        identify.offsets(Arm("right"), rec)
    with pytest.raises(InputError, match=r"0\.29 s are too short .* record 0\.5 s or more"):
        identify.offsets(robot(), rec.slice(4.0, 4.3))
    with pytest.raises(InputError, match="holds no tau"):
        identify.offsets(robot(), dataclasses.replace(rec, tau=None))


def test_faulty_signals_are_named_with_joint_and_row() -> None:
    rec = recording(1).slice(4.0, 8.0)
    stuck = rec.required("tau").copy()
    stuck[100:250, 5] = stuck[100, 5]
    with pytest.raises(InputError, match=r"the torque of w1 stays at \S+ N m from row 100 to 249"):
        identify.offsets(robot(), dataclasses.replace(rec, tau=stuck))
    clipped = np.clip(rec.required("tau"), None, np.quantile(rec.required("tau"), 0.7, axis=0))
    with pytest.raises(InputError, match=r"the torque of s0 stays at .* stuck or saturated\?"):
        identify.offsets(robot(), dataclasses.replace(rec, tau=clipped))
    q = rec.q.copy()
    q[200:, 2] += 0.5
    with pytest.raises(InputError, match=r"e0 leaps by 0\.\d\d rad at row 200"):
        identify.offsets(robot(), dataclasses.replace(rec, q=q))


def test_another_payload_is_noticed() -> None:
    rec = recording(1).slice(4.0, 9.0)
    heavier = identify.simulated_recording(
        robot().replace(payload=None), identify.exciting_motion(robot(), 60.0, seed=1)
    ).slice(4.0, 9.0)
    assert identify.offsets(robot(), rec).advice == ()
    found = identify.offsets(robot(), heavier)
    assert any(
        re.fullmatch(
            r"the torques of w1 do not fit \(residual \S+ N m, most at row \d+\): was the arm "
            r"touched, or does it carry something else than the model\?",
            text,
        )
        for text in found.advice
    ), found.advice


def test_a_zero_that_explains_nothing_is_not_kept_unless_accepted(tmp_path: Path) -> None:
    model, path = robot(), tmp_path / "robot.toml"
    model.to_file(path)
    rec = recording(1).slice(2.0, 5.0)
    turning = 3.0 * np.sin(8.0 * rec.t)[:, None] * (np.arange(7) == 1)
    found = identify.offsets(model, dataclasses.replace(rec, tau=rec.required("tau") + turning))
    assert [text[:26] for text in found.doubts] == ["the torques of s1 do not f"]
    assert set(found.doubts) <= set(found.advice)
    before = path.read_text(encoding="utf-8")
    with pytest.raises(ResultError, match=r"the torques of s1 do not fit \(residual "):
        found.save(path)
    assert path.read_text(encoding="utf-8") == before
    found.save(path, accept=True)
    assert "tare" in path.read_text(encoding="utf-8")


def test_a_clock_that_jumps_is_told_with_its_row() -> None:
    rec = recording(1).slice(4.0, 9.0)
    late = np.where(np.arange(len(rec)) >= 300, rec.t + 2.0, rec.t)
    found = identify.offsets(robot(), dataclasses.replace(rec, t=late))
    assert found.advice == ("the clock of simulated exciting motion 1 jumps by 2.01 s at row 300",)


@pytest.mark.slow
def test_a_zero_that_drifts_within_a_run_is_followed_and_a_push_is_not() -> None:
    """A twin moves for a minute while the zero of its sensors drifts; at its end it is pushed."""
    arm = robot()
    motion = identify.exciting_motion(arm, 60.0, part=0.4, seed=2)
    twin = Twin(arm, seed=1).enable()
    twin.record_rate = 100.0
    twin.place_at({"left": motion})
    run = twin.follow({"left": motion}, mode="velocity", path_tolerance=np.inf, settle=0.0)["left"]
    qd, tau = run.required("qd"), run.required("tau")
    drift = np.linspace(0.0, 1.0, len(run))[:, None] * [0.4, -0.4, 0.3, 0.3, 0.06, -0.06, 0.05]
    following, fixed = MomentumObserver(arm, adapt=10.0), MomentumObserver(arm)
    force = np.array([0.0, 0.0, 15.0, 0.0, 0.0, 0.0])
    torques, quiet, end = [], [], len(run) - 300
    for k in range(len(run)):
        push = arm.jacobian(run.q[k]).T @ force if k >= end else np.zeros(7)
        torques.append(following.update(run.q[k], qd[k], tau[k] + drift[k] - push, 0.01))
        quiet.append(fixed.update(run.q[k], qd[k], tau[k] - push, 0.01))
        if k == end - 1:
            before = following.offset
    seen, true = np.array(torques), np.array(quiet)
    late = slice(end - 1000, end)
    assert np.abs((seen - true)[late].mean(axis=0)).max() < 0.12
    assert (np.abs(before - drift[end]) < 0.25 * np.abs(drift[end]) + 0.02).all(), before
    assert np.abs(following.offset - before).max() < 0.02
    assert np.abs(seen[-1] - true[-1]).max() < 0.15
    assert np.abs(seen[-1]).max() > 2.0
