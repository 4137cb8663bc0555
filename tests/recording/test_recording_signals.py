"""Filters, derivatives, resampling and the time base."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import RESAMPLED, assert_close

from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.library import load_baxter
from baxterkit.recording import Recording
from baxterkit.recording.signals import correlation_step
from baxterkit.spatial import matrix_to_quaternion, pose_error, rotation_angle, so3_exp
from baxterkit.types import Array


def sines(t: Array, hz: float) -> tuple[Array, Array, Array]:
    """Seven sines with their first two derivatives, shape (n, 7)."""
    w = 2.0 * np.pi * hz
    phase = w * t[:, None] + np.arange(7)
    return np.sin(phase), w * np.cos(phase), -w * w * np.sin(phase)


def test_low_pass_keeps_slow_motion_in_place_and_removes_fast_motion() -> None:
    t = np.arange(2000) / 100.0
    slow, fast = sines(t, 0.5)[0], sines(t, 30.0)[0]
    smooth = Recording(t=t, q=slow + fast).filtered(5.0)
    middle = slice(200, -200)
    # No lag: a delay of one row alone would differ by 0.03.
    assert_close(smooth.q[middle], slow[middle], 1e-3)


def test_the_cut_off_leaves_half_the_power_of_each_pass() -> None:
    t = np.arange(4000) / 100.0
    q = sines(t, 5.0)[0]
    smooth = Recording(t=t, q=q).filtered(5.0).q[1000:-1000]
    amplitude = np.sqrt(2.0 * np.mean(smooth**2, axis=0))
    assert_close(amplitude, np.full(7, 0.5), 2e-3)


def test_both_directions_of_time_are_filtered_alike() -> None:
    rng = np.random.default_rng(0)
    t = np.arange(500) / 100.0
    q = rng.normal(size=(500, 7)) * np.hanning(500)[:, None]
    forwards = Recording(t=t, q=q).filtered(8.0).q
    backwards = Recording(t=t, q=q[::-1]).filtered(8.0).q[::-1]
    assert_close(forwards, backwards, 1e-4)  # the ends differ a little


@pytest.mark.parametrize("hz", [0.0, 50.0, 80.0])
def test_a_cut_off_beyond_half_the_rate_is_refused(hz: float) -> None:
    rec = Recording(t=np.arange(100) / 100.0, q=np.zeros((100, 7)))
    with pytest.raises(InputError) as caught:
        rec.filtered(hz)
    assert str(caught.value) == (
        f"cut-off {hz:g} Hz must lie above 0 and below half the rate of 100 Hz, 50 Hz"
    )


def test_nothing_reaches_across_a_gap() -> None:
    t = np.concatenate([np.arange(100), np.arange(200, 300)]) / 100.0
    q = np.where(t[:, None] < 1.5, 0.0, 1.0) * np.ones(7)
    rec = Recording(t=t, q=q, qd=q)
    assert rec.segments == (slice(0, 100), slice(100, 200))
    assert_close(rec.filtered(3.0).q, q, 1e-9)
    for method in ("smooth", "difference"):
        assert_close(rec.with_acceleration(method).qdd, np.zeros((200, 7)), 1e-9)
    even = rec.resampled(50.0)
    assert not ((even.t > 0.99 + 1e-9) & (even.t < 2.0 - 1e-9)).any()


def test_smooth_derivative_is_exact_on_parabolas_and_close_on_sines() -> None:
    t = np.arange(300) / 100.0
    qd = (0.3 * t**2 - t)[:, None] * np.ones(7)
    rec = Recording(t=t, q=np.zeros((300, 7)), qd=qd).with_acceleration()
    assert_close(rec.qdd, (0.6 * t - 1.0)[:, None] * np.ones(7), 1e-9)
    q, qd, qdd = sines(t, 1.0)
    found = Recording(t=t, q=q, qd=qd).with_acceleration().qdd
    assert_close(found[20:-20], qdd[20:-20], 0.01 * np.abs(qdd).max())


def test_smooth_derivative_is_quieter_than_the_first_difference() -> None:
    t = np.arange(3000) / 100.0
    q, qd, qdd = sines(t, 0.5)
    step = load_baxter().sensor_step["velocity"]
    rec = Recording(t=t, q=q, qd=np.round(qd / step) * step)
    errors = {
        method: float(np.sqrt(np.mean((rec.with_acceleration(method).qdd - qdd) ** 2)))
        for method in ("smooth", "difference")
    }
    assert errors["smooth"] < 0.3 * errors["difference"]


def test_first_difference_is_smiths() -> None:
    t = np.array([0.0, 0.02, 0.04, 0.07])
    qd = np.array([0.0, 1.0, 3.0, 6.0])[:, None] * np.ones(7)
    qdd = Recording(t=t, q=np.zeros((4, 7)), qd=qd).with_acceleration("difference").qdd
    assert_close(qdd[:, 0], [50.0, 50.0, 100.0, 100.0], 1e-9)


def test_velocity_is_made_from_positions_where_it_was_not_recorded() -> None:
    t = np.arange(400) / 100.0
    q, qd, qdd = sines(t, 0.4)
    rec = Recording(t=t, q=q).with_acceleration()
    assert_close(rec.qd[30:-30], qd[30:-30], 1e-3 * np.abs(qd).max())
    assert_close(rec.qdd[30:-30], qdd[30:-30], 1e-2 * np.abs(qdd).max())


def test_an_unknown_method_is_named() -> None:
    rec = Recording(t=np.arange(9.0), q=np.zeros((9, 7)))
    with pytest.raises(UnknownNameError) as caught:
        rec.with_acceleration("magic")
    assert str(caught.value) == "unknown method 'magic'; available: smooth, difference"


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_very_short_recordings_are_differentiated(rows: int) -> None:
    t = np.arange(rows) / 100.0
    rec = Recording(t=t, q=np.ones((rows, 7)), qd=3.0 * t[:, None] * np.ones(7))
    for method in ("smooth", "difference"):
        slope = 3.0 if rows > 1 else 0.0
        assert_close(rec.with_acceleration(method).qdd, np.full((rows, 7), slope), 1e-9)
    assert len(rec.resampled(1000.0)) == 10 * (rows - 1) + 1


def test_what_is_shorter_than_the_filter_is_not_filtered() -> None:
    rec = Recording(t=np.arange(5) / 100.0, q=np.ones((5, 7)))
    assert_close(rec.filtered(10.0).q, rec.q, 1e-9)
    with pytest.raises(InputError) as caught:
        rec.filtered(5.0)
    assert str(caught.value) == ("0.04 s are too short for a cut-off of 5 Hz, which needs 0.08 s")
    # Between gaps, a short run stays as it is: filtering it would make its noise larger.
    t = np.concatenate([np.arange(200), [300, 301, 302]]) / 100.0
    q = np.random.default_rng(0).normal(size=(203, 7))
    smooth = Recording(t=t, q=q).filtered(5.0).q
    np.testing.assert_array_equal(smooth[200:], q[200:])
    assert np.abs(smooth[:200]).max() < 0.6 * np.abs(q[:200]).max()


def test_a_stretch_at_a_lower_rate_passes_a_cut_off_above_its_own() -> None:
    t = np.concatenate([np.arange(150) / 100.0, 5.0 + np.arange(40) / 40.0])
    q = sines(t, 1.0)[0]
    smooth = Recording(t=t, q=q).filtered(30.0)
    np.testing.assert_array_equal(smooth.q[150:], q[150:])


@pytest.mark.parametrize("order", [0, -1, 2.5, 11])
def test_other_orders_of_the_filter_are_refused(order: float) -> None:
    rec = Recording(t=np.arange(100) / 100.0, q=np.zeros((100, 7)))
    with pytest.raises(InputError) as caught:
        rec.filtered(5.0, order)  # type: ignore[arg-type]
    assert str(caught.value) == f"order must be a whole number from 1 to 10, got {order}"


@pytest.mark.parametrize("window", [0.0, -1.0, np.nan])
def test_a_window_without_width_is_refused(window: float) -> None:
    rec = Recording(t=np.arange(100) / 100.0, q=np.zeros((100, 7)))
    with pytest.raises(InputError) as caught:
        rec.with_acceleration(window=window)
    assert str(caught.value) == f"window must be a positive number of seconds, got {window}"


def test_dropped_rows_do_not_disturb_the_time_base() -> None:
    t = np.arange(300) / 100.0
    q, qd, _ = sines(t, 0.3)
    kept = np.delete(np.arange(300), np.arange(5, 300, 12))
    step, _ = correlation_step(q[kept], qd[kept], kept)
    assert abs(step - 0.01) < 1e-6
    assert abs(correlation_step(q[kept], qd[kept])[0] - 0.01) > 1e-4
    nothing_whole, _ = correlation_step(q[::2], qd[::2], np.arange(0, 300, 2))
    assert np.isnan(nothing_whole)


def test_uneven_steps_are_filtered_on_their_own_times() -> None:
    rng = np.random.default_rng(1)
    t = np.cumsum(rng.uniform(0.006, 0.014, 2000))
    slow = sines(t, 0.3)[0]
    smooth = Recording(t=t, q=slow + 0.2 * sines(t, 25.0)[0]).filtered(4.0)
    assert_close(smooth.q[300:-300], slow[300:-300], 0.02)


def test_resampling_goes_through_the_rows_and_keeps_straight_motion() -> None:
    t = np.cumsum(np.random.default_rng(2).uniform(0.01, 0.02, 60))
    q = (3.0 * t + 1.0)[:, None] * np.ones(7)
    even = Recording(t=t, q=q).resampled(200.0)
    assert_close(np.diff(even.t), np.full(len(even) - 1, 0.005), RESAMPLED)
    assert_close(even.q[:, 0], 3.0 * even.t + 1.0, RESAMPLED)
    same = Recording(t=np.arange(50) / 100.0, q=np.ones((50, 7)))
    assert_close(same.resampled(100.0).t, same.t, RESAMPLED)


def test_rotations_are_resampled_the_short_way_whatever_their_signs() -> None:
    t = np.arange(21) / 10.0
    R = so3_exp(np.outer(t, [0.3, -1.1, 2.0]))
    quaternion = matrix_to_quaternion(R) * np.where(np.arange(21) % 3 == 0, -1.0, 1.0)[:, None]
    rec = Recording(t=t, q=np.zeros((21, 7)), position=np.zeros((21, 3)), quaternion=quaternion)
    even = rec.resampled(40.0)
    wanted = so3_exp(np.outer(even.t, [0.3, -1.1, 2.0]))
    angle = rotation_angle(np.swapaxes(wanted, 1, 2) @ even.T_base_tip[:, :3, :3])
    assert float(angle.max()) < 1e-3
    assert_close(pose_error(rec.T_base_tip, rec[:].T_base_tip)[1], np.zeros(21), 0.0)


@pytest.mark.parametrize("rate", [0.0, -5.0, float("nan")])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    rec = Recording(t=np.arange(9.0), q=np.zeros((9, 7)))
    with pytest.raises(InputError, match=r"rate \[Hz\] = .*"):
        rec.resampled(rate)


@pytest.mark.parametrize("step", [0.002, 0.01, 0.0303])
def test_the_time_step_is_found_from_positions_and_velocities(step: float) -> None:
    t = np.arange(4000) * step
    q, qd, _ = sines(t, 0.2)
    quanta = load_baxter().sensor_step
    q = np.round(q / quanta["position"]) * quanta["position"]
    qd = np.round(qd / quanta["velocity"]) * quanta["velocity"]
    qd[::97] = 0.0  # rows that do not fit
    found, error = correlation_step(q, qd)
    assert abs(found - step) < 5e-3 * step
    assert error < 1e-3 * step
