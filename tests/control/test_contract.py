"""What all controllers promise: finite commands within limits, or an error and no memory of it."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from controllers import ARM, EVERY, NEUTRAL, TORQUE, swinging
from hypothesis import given, settings
from hypothesis import strategies as st

from baxterkit import control
from baxterkit.control import Controller, Reference, State
from baxterkit.errors import InputError, ShapeError

every = pytest.mark.parametrize("name", EVERY)
FIELDS = ("state.q", "state.qd", "reference.q", "reference.qd", "reference.qdd")


def disturbed(field: str, value: float) -> tuple[State, Reference]:
    state, reference = State(NEUTRAL.copy(), np.zeros(7)), swinging(0.2)
    where, what = field.split(".")
    array = getattr(state if where == "state" else reference, what)
    array[3] = value
    return state, reference


def warmed_up(name: str) -> Controller:
    controller = EVERY[name]()
    for t in (0.0, 0.001, 0.002):
        r = swinging(t)
        controller.update(State(r.q - 0.01, r.qd + 0.02), r, 1e-3)
    return controller


@every
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_raises_and_leaves_no_trace(
    name: str, field: str, value: float
) -> None:
    controller, untouched = warmed_up(name), warmed_up(name)
    state, reference = disturbed(field, value)
    message = rf"^{field}\[3\] = {value}; every value of {field} must be finite$"
    with pytest.raises(InputError, match=message):
        controller.update(state, reference, 1e-3)
    r = swinging(0.003)
    after = [c.update(State(r.q, r.qd), r, 1e-3) for c in (controller, untouched)]
    np.testing.assert_array_equal(after[0], after[1])


def test_infinities_of_both_signs_are_found_too() -> None:
    q = NEUTRAL.copy()
    q[1], q[2] = np.inf, -np.inf
    with pytest.raises(InputError, match=r"^state.q\[1\] = inf; every value of state.q"):
        control.PdGravity(ARM).update(State(q, np.zeros(7)), Reference(np.ones(7)), 1e-3)


@every
@pytest.mark.parametrize("dt", [0.0, -1e-3, np.nan, np.inf, None])
def test_a_period_that_is_none_raises(name: str, dt: float) -> None:
    r = swinging(0.0)
    with pytest.raises(InputError, match=f"^dt = {dt} s; a time step must be positive and finite$"):
        EVERY[name]().update(State(r.q, r.qd), r, dt)


@every
def test_wrong_shapes_raise(name: str) -> None:
    r = swinging(0.0)
    with pytest.raises(ShapeError, match=r"^state.q must have 7 values .* got shape \(6,\)$"):
        EVERY[name]().update(State(r.q[:6], r.qd), r, 1e-3)
    with pytest.raises(ShapeError, match=r"^reference.qd must have shape \(7,\), one at a time"):
        EVERY[name]().update(State(r.q, r.qd), Reference(r.q, r.qd[None]), 1e-3)


@every
def test_lists_and_whole_numbers_serve_as_arrays_do(name: str) -> None:
    r = Reference(np.full(7, 1.0), np.zeros(7), np.zeros(7))
    whole = Reference([1] * 7, [0] * 7, [0] * 7)  # type: ignore[arg-type]
    a = EVERY[name]().update(State(np.zeros(7), np.zeros(7)), r, 1e-3)
    b = EVERY[name]().update(State([0] * 7, [0] * 7), whole, 1e-3)  # type: ignore[arg-type]
    np.testing.assert_array_equal(a, b)


@every
def test_anything_with_q_and_qd_is_a_state(name: str) -> None:
    r = swinging(0.1)
    limb = SimpleNamespace(q=NEUTRAL, qd=r.qd, tau=None)
    a = EVERY[name]().update(limb, r, 1e-3)
    np.testing.assert_array_equal(a, EVERY[name]().update(State(NEUTRAL, r.qd), r, 1e-3))


@every
def test_the_state_and_reference_are_not_written_to(name: str) -> None:
    r = swinging(0.1)
    arrays = [NEUTRAL.copy(), r.qd.copy(), r.q, r.qd, r.qdd]
    for array in arrays:
        array.setflags(write=False)
    before = [array.copy() for array in arrays]
    EVERY[name]().update(State(arrays[0], arrays[1]), r, 1e-3)
    np.testing.assert_array_equal(arrays, before)


@every
def test_a_reset_controller_does_what_a_new_one_does(name: str) -> None:
    used, fresh = warmed_up(name), EVERY[name]()
    used.reset()
    for t in (0.0, 0.001):
        r = swinging(t)
        state = State(r.q - 0.01, r.qd + 0.02)
        np.testing.assert_array_equal(used.update(state, r, 1e-3), fresh.update(state, r, 1e-3))


numbers = st.floats(-1e3, 1e3) | st.sampled_from([0.0, 1e12, -1e12, 1e150, -1e300, 5e-324])
rows = st.lists(numbers, min_size=7, max_size=7).map(np.array)


@pytest.mark.filterwarnings("ignore::baxterkit.errors.UnitsWarning")  # numbers of any size
@pytest.mark.parametrize("name", TORQUE)
@settings(max_examples=60, deadline=None)
@given(q=rows, qd=rows, q_r=rows, qd_r=rows, qdd_r=rows, dt=st.floats(1e-6, 1.0))
def test_only_finite_torques_within_the_limits_leave(
    name: str, q: np.ndarray, qd: np.ndarray, q_r: np.ndarray, qd_r: np.ndarray,
    qdd_r: np.ndarray, dt: float,
) -> None:  # fmt: skip
    controller = TORQUE[name]()
    for _ in range(3):
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                tau = controller.update(State(q, qd), Reference(q_r, qd_r, qdd_r), dt)
        except InputError:
            continue  # numbers so large that they overflow: refused, and not remembered
        assert tau.shape == (7,)
        assert (np.abs(tau) <= ARM.limits.effort).all()
    r = swinging(0.0)
    tau = controller.update(State(r.q, r.qd), r, 1e-3)
    assert (np.abs(tau) <= ARM.limits.effort).all()


@pytest.mark.filterwarnings("ignore::baxterkit.errors.UnitsWarning")
@settings(max_examples=60, deadline=None)
@given(q=rows, q_r=rows, qd_r=rows, dt=st.floats(1e-6, 1.0))
def test_only_finite_velocities_within_the_limits_leave(
    q: np.ndarray, q_r: np.ndarray, qd_r: np.ndarray, dt: float
) -> None:
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            qd = control.ResolvedRate(ARM).joint_velocity(State(q, q), Reference(q_r, qd_r), dt)
    except InputError:
        return
    assert (np.abs(qd) <= ARM.limits.velocity * (1.0 + 1e-15)).all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_model_that_fails_raises(value: float) -> None:
    controller = control.ComputedTorque(lambda q, qd, qdd: np.full(7, value))
    r = swinging(0.0)
    with pytest.raises(InputError, match=r"^the controller's torque\[0\] = (nan|inf); every"):
        controller.update(State(r.q, r.qd), r, 1e-3)


def test_a_model_of_another_shape_raises() -> None:
    controller = control.ComputedTorque(lambda q, qd, qdd: np.zeros((7, 1)))
    r = swinging(0.0)
    with pytest.raises(
        ShapeError, match=r"^the model's torques must have shape \(7,\), got \(7, 7\)"
    ):
        controller.update(State(r.q, r.qd), r, 1e-3)


@every
def test_nothing_at_all_raises(name: str) -> None:
    message = "^a controller needs a state with q and qd, and a reference; got None$"
    with pytest.raises(InputError, match=message):
        EVERY[name]().update(None, swinging(0.0), 1e-3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message):
        EVERY[name]().update(State(NEUTRAL, np.zeros(7)), None, 1e-3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["cartesian_impedance", "resolved_rate"])
@pytest.mark.parametrize(
    ("T", "message"),
    [
        (np.zeros((4, 4)), "reference.T must end in the row 0 0 0 1, got 0 0 0 0"),
        (np.diag([2.0, 2.0, 2.0, 1.0]), "reference.T"),
        (np.eye(4)[None], "reference.T must have shape (4, 4), one at a time, got (1, 4, 4)"),
        (np.full((4, 4), np.nan), "reference.T[0, 0] = nan; every value of reference.T must be"),
        (np.eye(3), "reference.T must have shape (..., 4, 4), got (3, 3)"),
    ],
)
def test_a_reference_pose_must_be_one(name: str, T: np.ndarray, message: str) -> None:
    with pytest.raises((InputError, ShapeError), match=f"^{re.escape(message)}"):
        EVERY[name]().update(State(NEUTRAL, np.zeros(7)), Reference(NEUTRAL, T=T), 1e-3)


def test_a_reference_twist_must_be_one() -> None:
    with pytest.raises(ShapeError, match=r"^reference.twist must have shape \(6,\), one at a"):
        control.ResolvedRate(ARM).joint_velocity(
            State(NEUTRAL, np.zeros(7)), Reference(NEUTRAL, twist=np.zeros((2, 6))), 1e-3
        )


def test_after_a_long_break_little_is_learned() -> None:
    r = Reference(NEUTRAL + 0.01)
    controller, patient = control.Adaptive(ARM), control.Adaptive(ARM)
    controller.update(State(NEUTRAL, np.zeros(7)), r, 1e6)
    patient.update(State(NEUTRAL, np.zeros(7)), r, 0.02)
    np.testing.assert_array_equal(controller.parameters, patient.parameters)
    assert 0.0 < controller.distance < 1.0


def test_effort_limits_are_the_arms_or_as_told() -> None:
    np.testing.assert_array_equal(control.PdGravity(ARM).effort, ARM.limits.effort)
    np.testing.assert_array_equal(control.PdGravity(ARM.gravity).effort, ARM.limits.effort)
    weak = control.PdGravity(ARM, effort=2.0)
    tau = weak.update(State(NEUTRAL, np.zeros(7)), Reference(NEUTRAL + 1.0), 1e-3)
    np.testing.assert_array_equal(tau, np.full(7, 2.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: control.PdGravity(ARM, kp=-1.0), "kp must not be negative, got -1"),
        (
            lambda: control.PdGravity(ARM, kd=[1, 2]),
            "kd must be one number or have shape (7,), got (2,)",
        ),
        (lambda: control.PdGravity(ARM, kp=np.nan), "kp = nan; every value of kp must be finite"),
        (
            lambda: control.PdGravity(3),  # type: ignore[arg-type]
            "a controller computes with an Arm or a callable gravity(q), got int",
        ),
        (
            lambda: control.ComputedTorque(None),  # type: ignore[arg-type]
            "a controller computes with an Arm or a callable inverse_dynamics(q, qd, qdd), "
            "got NoneType",
        ),
        (
            lambda: control.SlidingMode(ARM, boundary=0.0),
            "boundary must be positive, got 0; a layer without width makes torques chatter",
        ),
        (
            lambda: control.Adaptive(ARM.regressor),
            "a regressor needs parameters and their spread, shape (p,) each",
        ),
        (
            lambda: control.Adaptive(ARM, parameters=np.zeros((2, 45))),
            "parameters must have shape (p,), got (2, 45)",
        ),
        (
            lambda: control.Smoothed(control.PdGravity(ARM), 0.0),
            "cutoff must be above 0 Hz; a filter of 0 Hz would pass nothing",
        ),
    ],
)  # fmt: skip
def test_wrong_arguments_say_what_is_right(make: object, message: str) -> None:
    with pytest.raises((InputError, ShapeError)) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message
