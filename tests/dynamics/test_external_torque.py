"""External torques are found again where they are known, and nothing is where there is none."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray
from tolerances import (
    OBSERVER_LIVE,
    OBSERVER_NOTHING,
    OBSERVER_STEP,
    OBSERVER_WRENCH_FORCE,
    OBSERVER_WRENCH_MOMENT,
    TORQUE_ENGINE,
    assert_close,
)

from baxterkit import Arm, Payload, estimate_external_torque
from baxterkit.dynamics.contact import Contact, ContactDetector, detect_contacts
from baxterkit.dynamics.external_torque import MomentumObserver, tip_wrench
from baxterkit.errors import InputError, ShapeError

Array = NDArray[np.float64]
Q_STEP, QD_STEP, TAU_STEP = 2.0 * np.pi / 16384, np.pi / 8000, 0.004
WRENCH = np.array([4.0, -6.0, 12.0, 0.3, -0.2, 0.4])
PUSH = (2.0, 3.0)  # s


@functools.cache
def pushed(effects: bool = False, payload: float = 0.0) -> tuple[Arm, SimpleNamespace]:
    """An arm that swings under a spring and damper, and is pushed for a second.

    Integrated and recorded every millisecond (4th order).
    """
    arm = Arm("right", payload=Payload(payload) if payload else None)
    if effects:
        arm = arm.with_effects(
            coulomb=[1.0] * 4 + [0.05, 0.05, 0.01],
            viscous=[0.5] * 4 + [0.02, 0.02, 0.01],
            bias=[0.2] * 7,
        )
    home = np.array([0.3, -0.6, 0.4, 1.4, -0.3, 0.9, 0.2])
    sway = np.array([0.15, 0.1, 0.2, 0.15, 0.3, 0.2, 0.3])

    def command(t: float, q: Array, qd: Array) -> Array:
        wished = home + sway * np.sin(2.0 * t)
        tau: Array = arm.gravity(q) + np.array([60, 60, 30, 30, 5, 5, 1]) * (wished - q)
        return tau - np.array([10, 10, 5, 5, 0.3, 0.3, 0.05]) * qd

    def push(t: float) -> Array:
        return WRENCH if PUSH[0] <= t < PUSH[1] else np.zeros(6)

    h, rows = 1e-3, []
    q, qd = home, sway * 2.0
    for k in range(4000):
        t = k * h
        w = push(t + 0.5 * h)
        rows.append((t, q, qd, command(t, q, qd)))

        def rate(t: float, q: Array, qd: Array, w: Array = w) -> Array:
            return arm.forward_dynamics(q, qd, command(t, q, qd), w)

        a1 = rate(t, q, qd)
        v2 = qd + 0.5 * h * a1
        a2 = rate(t + 0.5 * h, q + 0.5 * h * qd, v2)
        v3 = qd + 0.5 * h * a2
        a3 = rate(t + 0.5 * h, q + 0.5 * h * v2, v3)
        v4 = qd + h * a3
        a4 = rate(t + h, q + h * v3, v4)
        q = q + h / 6.0 * (qd + 2.0 * v2 + 2.0 * v3 + v4)
        qd = qd + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    t, q, qd, tau = (np.array(x) for x in zip(*rows, strict=True))
    return arm, SimpleNamespace(t=t, q=q, qd=qd, tau=tau)


def stepped(rec: SimpleNamespace, every: int = 10) -> SimpleNamespace:
    """What the robot would report: every tenth row, in the steps of its sensors."""
    steps = {"q": Q_STEP, "qd": QD_STEP, "tau": TAU_STEP}
    fields = {k: step * np.round(getattr(rec, k)[::every] / step) for k, step in steps.items()}
    return SimpleNamespace(t=rec.t[::every], **fields)


@pytest.mark.parametrize("effects", [False, True])
@pytest.mark.parametrize("payload", [0.0, 1.0])
def test_a_known_wrench_is_found_again(effects: bool, payload: float) -> None:
    arm, rec = pushed(effects, payload)
    gain = 200.0
    estimate = estimate_external_torque(arm, rec, gain=gain)
    settled = (rec.t > PUSH[0] + 0.4) & (rec.t < PUSH[1])
    w = estimate.tip_wrench().wrench[settled]
    assert np.abs(w[:, :3] - WRENCH[:3]).max() < OBSERVER_WRENCH_FORCE
    assert np.abs(w[:, 3:] - WRENCH[3:]).max() < OBSERVER_WRENCH_MOMENT
    # Nothing but the filter lies between the estimate and the truth.
    acting = (rec.t > PUSH[0]) & (rec.t <= PUSH[1] + 5e-4)
    true = np.where(acting[:, None], np.einsum("nij,i->nj", arm.jacobian(rec.q), WRENCH), 0.0)
    filtered, keep = np.zeros_like(true), np.exp(-gain * 1e-3)
    for k in range(1, len(true)):
        filtered[k] = keep * filtered[k - 1] + (1.0 - keep) * true[k]
    assert np.abs(estimate.torque - filtered).max() < OBSERVER_STEP


def test_without_a_push_there_is_nothing() -> None:
    arm, rec = pushed(True)
    estimate = estimate_external_torque(arm, rec)
    before = rec.t < PUSH[0]
    assert np.abs(estimate.torque[before]).max() < OBSERVER_NOTHING


def test_the_estimate_rises_like_a_filter_of_first_order() -> None:
    arm, rec = pushed()
    gain = 20.0
    estimate = estimate_external_torque(arm, rec, gain=gain).torque
    k = int(np.searchsorted(rec.t, PUSH[0] + 1.0 / gain))
    true = np.einsum("nij,i->nj", arm.jacobian(rec.q), WRENCH)
    big = np.abs(true[k]) > 1.0
    assert big.sum() >= 3
    assert np.abs(estimate[k][big] / true[k][big] - (1.0 - np.exp(-1.0))).max() < 0.05


def test_live_and_recorded_are_one() -> None:
    arm, rec = pushed(True)
    live = MomentumObserver(arm)
    rows = slice(1500, 2600)
    t, q, qd, tau = (getattr(rec, k)[rows] for k in ("t", "q", "qd", "tau"))
    steps = np.diff(t, prepend=t[0] - 1.0)
    found = [live.update(*row) for row in zip(q, qd, tau, steps.tolist(), strict=True)]
    whole = estimate_external_torque(arm, (t, q, qd, tau))
    assert_close(found, whole.torque, OBSERVER_LIVE)
    assert_close(live.torque, found[-1], 0.0)
    live.reset()
    assert_close(live.update(q[0], qd[0], tau[0], 0.01), np.zeros(7), 0.0)


def test_friction_with_a_memory_counts_live_and_recorded() -> None:
    from baxterkit.dynamics.joint_effects import Hysteresis, JointEffects

    memory = Hysteresis(np.full(7, 0.8), np.full(7, 0.05), np.zeros(7), np.full(7, 0.1))
    arm = Arm("left").with_effects(JointEffects(hysteresis=memory))
    t = np.arange(0.0, 1.5, 0.01)
    q = 0.3 * np.sin(2.0 * t)[:, None] * np.ones(7)
    qd = 0.6 * np.cos(2.0 * t)[:, None] * np.ones(7)
    qdd = -1.2 * np.sin(2.0 * t)[:, None] * np.ones(7)
    assert arm.effects is not None
    tau = Arm("left").inverse_dynamics(q, qd, qdd) + arm.effects.torque_along(q, qd)
    whole = estimate_external_torque(arm, (t, q, qd, tau))
    assert np.abs(whole.torque).max() < 0.02
    live = MomentumObserver(arm)
    found = [live.update(*row, 0.01) for row in zip(q, qd, tau, strict=True)]
    assert_close(found, whole.torque, OBSERVER_LIVE)


def test_the_wrench_explains_torques_that_a_wrench_gives() -> None:
    arm = Arm("left")
    rng = np.random.default_rng(3)
    q = rng.uniform(arm.limits.lower, arm.limits.upper, (200, 7))
    w = rng.normal(size=(200, 6))
    J = arm.jacobian(q)
    clear = arm.condition_number(q) < 100.0
    found = tip_wrench(arm, q, np.einsum("nij,ni->nj", J, w))
    assert clear.sum() > 100
    assert_close(found.wrench[clear], w[clear], 100 * 100 * TORQUE_ENGINE)
    assert np.abs(found.unexplained[clear]).max() < TORQUE_ENGINE
    assert_close(found.condition, arm.condition_number(q), 1e-6 * found.condition.max())
    # A push along the self-motion is no wrench at the tip.
    n = arm.null_vector(q[0]) / np.linalg.norm(arm.null_vector(q[0]))
    elbow = tip_wrench(arm, q[0], 5.0 * n)
    assert_close(elbow.wrench, np.zeros(6), 1e-10)
    assert_close(elbow.unexplained, 5.0 * n, 1e-12)


def test_a_direction_that_cannot_be_seen_is_named() -> None:
    arm = Arm("left")
    # Stretched out, it carries a push along the line from shoulder to wrist without any torque.
    stretched = np.arctan2(0.069, 0.36442) - np.arctan2(0.010, 0.37429)
    q = np.array([0.3, 0.2, 0.0, stretched, 0.0, 0.7, 0.0])
    J = arm.jacobian(q)
    found = tip_wrench(arm, q, J.T @ np.ones(6))
    assert found.rank == 5
    assert found.condition > 1e6
    assert np.linalg.norm(J.T @ found.weakest) < 1e-9
    assert found.wrench @ found.weakest == pytest.approx(0.0, abs=1e-9)
    seen = np.eye(6) - np.outer(found.weakest, found.weakest)
    assert_close(found.wrench, seen @ np.ones(6), 1e-9)


def test_a_push_is_a_contact_and_noise_is_none() -> None:
    arm, rec = pushed(True)
    sensed = stepped(rec)
    estimate = estimate_external_torque(arm, sensed)
    (contact,) = estimate.contacts()
    assert abs(contact.start - PUSH[0]) < 0.1
    assert abs(contact.end - PUSH[1]) < 0.35
    assert "s1" in contact.joints
    quiet = sensed.t < PUSH[0]
    rows = tuple(getattr(sensed, k)[quiet] for k in ("t", "q", "qd", "tau"))
    assert estimate_external_torque(arm, rows).contacts() == []


def test_no_contact_is_seen_in_the_steps_of_the_sensors_over_minutes() -> None:
    arm = Arm("right")
    t = np.arange(0.0, 180.0, 0.01)
    sway, home = np.array([0.2, 0.1, 0.2, 0.2, 0.3, 0.2, 0.4]), arm.limits.middle
    phase = 0.7 * t[:, None] + np.arange(7)
    q, qd = home + sway * np.sin(phase), 0.7 * sway * np.cos(phase)
    tau = arm.inverse_dynamics(q, qd, -0.49 * sway * np.sin(phase))
    rng = np.random.default_rng(0)
    rec = SimpleNamespace(t=t, q=q, qd=qd + rng.normal(0.0, QD_STEP, q.shape), tau=tau)
    rec.tau = rec.tau + rng.normal(0.0, 5 * TAU_STEP, q.shape)
    assert estimate_external_torque(arm, stepped(rec, 1)).contacts() == []


def test_thresholds_adapt_to_each_joint() -> None:
    rng = np.random.default_rng(1)
    spread = np.array([2.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    detector = ContactDetector(floor=0.0)
    offset = np.array([0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    for _ in range(2000):
        assert not detector.update(offset + rng.normal(0.0, spread), 0.01)
    assert np.abs(detector.threshold / (6.0 * spread) - 1.0).max() < 0.5
    assert np.abs(detector.mean - offset).max() < 1.0
    touched = [detector.update(offset + np.array([2.0] + [0.0] * 6), 0.01) for _ in range(20)]
    assert not any(touched)  # within the noise of s0
    touched = [detector.update(offset + np.array([0.0, 2.0] + [0.0] * 5), 0.01) for _ in range(20)]
    assert touched[-1]
    assert touched.index(True) == 4  # 50 ms later


def test_a_short_spike_is_no_contact_and_a_wavering_one_is_one() -> None:
    t = np.arange(0.0, 6.0, 0.01)
    tau = np.zeros((600, 7))
    tau[200:203, 3] = 9.0  # 30 ms
    tau[300:400, 3] = 1.5 + 0.7 * np.sin(t[300:400] * 30.0)  # about the floor of 1 N m
    tau[600:, 3] = 0.0
    (contact,) = detect_contacts(t, tau)
    assert contact.joints == ("e1",)
    assert contact.start == pytest.approx(3.0, abs=0.02)
    assert contact.end == pytest.approx(4.05, abs=0.03)
    assert contact.peak[3] == pytest.approx(2.2, abs=0.05)
    assert (
        repr(contact)
        == f"Contact({contact.start:.2f} to {contact.end:.2f} s, e1, peak 2.20 N m at e1)"
    )


def test_a_contact_that_does_not_end_is_reported() -> None:
    t = np.arange(0.0, 4.0, 0.01)
    tau = np.where(t[:, None] > 2.0, 3.0, 0.0) * np.ones(7)
    (contact,) = detect_contacts(t, tau)
    assert isinstance(contact, Contact)
    assert contact.end == t[-1]
    assert contact.joints == ("s0", "s1", "e0", "e1", "w0", "w1", "w2")


@pytest.mark.parametrize(
    ("recording", "message"),
    [
        (SimpleNamespace(t=[0, 1], q=np.zeros((2, 7))), "external torques need t, q, qd and tau; "
         "the recording has no qd"),
        ((1, 2, 3), "a tuple of t, q, qd and tau is needed, got 3 values"),
        (([0.0, 0.0], *[np.zeros((2, 7))] * 3), "t must increase, and have at least two times"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(recording: object, message: str) -> None:
    with pytest.raises(InputError) as error:
        estimate_external_torque(Arm("left"), recording)
    assert str(error.value) == message


def test_bad_settings_are_refused() -> None:
    arm = Arm("left")
    with pytest.raises(InputError, match=r"^gain must be positive, got -1$"):
        MomentumObserver(arm, gain=-1.0)
    observer = MomentumObserver(arm)
    observer.update(np.zeros(7), np.zeros(7), np.zeros(7), 0.0)
    with pytest.raises(InputError, match=r"^dt must be positive, got 0 s$"):
        observer.update(np.zeros(7), np.zeros(7), np.zeros(7), 0.0)
    with pytest.raises(InputError, match=r"^q\[2\] = nan; every value of q must be finite$"):
        observer.update([0, 0, np.nan, 0, 0, 0, 0], np.zeros(7), np.zeros(7), 0.01)
    with pytest.raises(InputError, match="off must be positive and less than on, got 7 and 6"):
        ContactDetector(off=7.0)
    with pytest.raises(ShapeError, match=r"t must have shape \(n,\) and torque \(n, 7\)"):
        detect_contacts([0.0, 1.0], np.zeros((3, 7)))


def test_it_runs_on_the_recordings(data_dir: Path) -> None:
    """Without the joints' effects the springs of s1 show; nothing else is large."""
    from baxterkit import recording

    path = sorted((data_dir / "torque").glob("*.csv.gz"))[0]
    estimate = estimate_external_torque(Arm("left"), recording.load(path, side="left"))
    largest = np.abs(estimate.torque).max(axis=0)
    assert largest[1] > 20.0
    assert (np.delete(largest, 1) < 6.0).all()
    assert np.isfinite(estimate.tip_wrench().wrench).all()


@pytest.mark.acceptance
def test_pushes_on_a_real_arm_are_found_and_nothing_else(data_dir: Path) -> None:
    """Fitted on every other recording; pushes of 10 N are added to the torques of the others."""
    from baxterkit import identify, recording

    paths = sorted((data_dir / "torque").glob("*.csv.gz"))
    recordings = [recording.load(path, side="left") for path in paths]
    arm = identify.dynamics(recordings[::2]).arm
    rng = np.random.default_rng(0)
    starts = np.arange(5.0, 52.0, 6.0)
    for rec in recordings[1::2]:
        clean = estimate_external_torque(arm, rec)
        assert clean.contacts() == []
        force = clean.tip_wrench().wrench[100:, :3]
        assert np.sqrt((force**2).mean(axis=0)).max() < 2.0
        assert rec.qd is not None
        assert rec.tau is not None
        J, tau = arm.jacobian(rec.q), rec.tau.copy()
        for start in starts:
            direction = rng.normal(size=3)
            push = 10.0 * direction / np.linalg.norm(direction)
            during = (rec.t >= start) & (rec.t < start + 1.0)
            tau[during] -= np.einsum("nij,i->nj", J[during][:, :3], push)
        contacts = estimate_external_torque(arm, (rec.t, rec.q, rec.qd, tau)).contacts()
        assert len(contacts) == len(starts)
        for contact, start in zip(contacts, starts, strict=True):
            assert 0.0 <= contact.start - start < 0.2
            assert -0.2 < contact.end - (start + 1.0) < 0.5


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_weight_that_the_model_does_not_know_pulls_the_tip_down(side: str) -> None:
    """In base axes, with the sign of what acts on the tip, at any configuration that sees it."""
    arm = Arm(side)
    rng = np.random.default_rng(5)
    t, still = 0.01 * np.arange(100), np.zeros((100, 7))
    for configuration in rng.uniform(arm.limits.lower, arm.limits.upper, (5, 7)):
        q = np.tile(configuration, (100, 1))
        tau = arm.replace(payload=Payload(1.0)).inverse_dynamics(q, still, still)
        tip = estimate_external_torque(arm, (t, q, still, tau), gain=100.0).tip_wrench()
        assert tip.rank[-1] == 6
        assert_close(tip.wrench[-1], [0.0, 0.0, -9.81, 0.0, 0.0, 0.0], 1e-6)


def test_uneven_steps_and_gaps_are_no_contact() -> None:
    arm, rec = pushed(True)
    rows = [np.arange(0, 1000), np.arange(1000, 1990, 7), np.arange(3500, 4000)]
    k = np.concatenate(rows)
    part = tuple(getattr(rec, name)[k] for name in ("t", "q", "qd", "tau"))
    estimate = estimate_external_torque(arm, part)
    calm = np.ones(len(k), dtype=bool)
    calm[len(rows[0]) + len(rows[1]) :] = False
    assert np.abs(estimate.torque[calm]).max() < 10 * OBSERVER_NOTHING
    assert np.abs(estimate.torque[~calm]).max() < 10 * OBSERVER_NOTHING
    live = MomentumObserver(arm)
    steps = np.diff(part[0], prepend=part[0][0] - 1.0).tolist()
    found = [live.update(*row) for row in zip(*part[1:], steps, strict=True)]
    assert_close(found, estimate.torque, OBSERVER_LIVE)
    with pytest.raises(InputError) as error:
        estimate_external_torque(arm, tuple(x[::500] for x in part[:1] + part[1:]))
    assert str(error.value).endswith("s apart; external torques need 0.25 s or less")


def test_one_row_is_no_contact_whatever_the_time_before_it() -> None:
    rng = np.random.default_rng(2)
    tau = rng.normal(0.0, 0.02, (600, 7))
    tau[300] += 3.0
    after_a_gap = np.concatenate([np.arange(300) * 0.01, 10.0 + np.arange(300) * 0.01])
    assert detect_contacts(after_a_gap, tau) == []
    assert detect_contacts(0.1 * np.arange(600), tau) == []
    tau[300:303] += 3.0
    assert len(detect_contacts(0.1 * np.arange(600), tau)) == 1


def test_a_refused_update_changes_nothing() -> None:
    from baxterkit.dynamics.joint_effects import Hysteresis, JointEffects

    memory = Hysteresis(np.full(7, 0.8), np.full(7, 0.05), np.zeros(7), np.full(7, 0.1))
    arm = Arm("left").with_effects(JointEffects(hysteresis=memory))
    rows = [(0.1 * k * np.ones(7), np.ones(7), np.zeros(7)) for k in range(3)]
    a, b = MomentumObserver(arm), MomentumObserver(arm)
    for row in rows:
        a.update(*row, 0.01)
        b.update(*row, 0.01)
        with pytest.raises(InputError):
            b.update(np.ones(7), np.ones(7), np.ones(7), np.nan)
    assert_close(a.torque, b.torque, 0.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MomentumObserver(Arm("left")).update(*[np.zeros((3, 7))] * 3, 0.01),
         "q must have shape (7,), one at a time, got (3, 7)"),
        (lambda: ContactDetector().update(np.zeros((3, 7)), 0.01),
         "torque must have shape (7,), one at a time, got (3, 7)"),
        (lambda: ContactDetector(floor=[1.0, 2.0]),
         "floor must be one number or have shape (7,), and not be negative, got [1.0, 2.0]"),
        (lambda: ContactDetector(floor=-1.0),
         "floor must be one number or have shape (7,), and not be negative, got -1.0"),
        (lambda: ContactDetector(duration=np.nan), "duration and settle must not be negative, and "
         "memory must be positive, got nan, 1 and 2 s"),
    ],
)  # fmt: skip
def test_more_bad_settings(call: Callable[[], object], message: str) -> None:
    with pytest.raises((InputError, ShapeError)) as error:
        call()
    assert str(error.value) == message


def test_a_recording_of_the_other_arm_is_refused() -> None:
    arm, rec = pushed()
    assert arm.side == "right"
    with pytest.raises(InputError) as error:
        estimate_external_torque(arm, SimpleNamespace(**vars(rec), side="left"))
    assert str(error.value) == "the recording is of the left arm, the model is of the right one"
    for side in ("right", None):
        estimate_external_torque(arm, SimpleNamespace(**vars(rec), side=side))


def test_the_zero_of_the_sensors_is_followed_and_a_contact_does_not_pull_it_along() -> None:
    arm = Arm("left")
    q, still = arm.configuration("neutral"), np.zeros(7)
    drift = np.array([0.3, -0.4, 0.2, 0.1, 0.05, -0.05, 0.03])
    push = arm.jacobian(q).T @ [0.0, 0.0, 20.0, 0.0, 0.0, 0.0]
    tau = arm.inverse_dynamics(q, still, still)
    observer = MomentumObserver(arm, adapt=10.0)
    fixed = MomentumObserver(arm)
    for _ in range(6000):
        observer.update(q, still, tau + drift, 0.01)
    assert_close(observer.offset, drift, 0.01)
    assert np.abs(observer.torque).max() < 0.01
    before = observer.offset
    for _ in range(2000):
        observer.update(q, still, tau + drift - push, 0.01)
        fixed.update(q, still, tau - push, 0.01)
    assert np.abs(observer.offset - before).max() < 0.005
    assert_close(observer.torque, fixed.torque, 0.02)
    assert (fixed.offset == 0.0).all()
    with pytest.raises(InputError, match="adapt must be 1 s or more, or None, got 0"):
        MomentumObserver(arm, adapt=0.0)
