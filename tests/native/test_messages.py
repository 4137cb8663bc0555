"""Every way to pass a wrong argument, and the words that come back; both backends say the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import problems
import pytest
from kernel_calls import ARM

from baxterkit import Arm, _native, kinematics
from baxterkit.errors import BaxterkitError, InputError, ShapeError, UnknownNameError

BACKENDS = {"native": ARM, "numpy": problems.numpy_twin(ARM)}
backends = pytest.mark.parametrize("arm", BACKENDS.values(), ids=BACKENDS.keys())


def bad(shape: tuple[int, ...], index: tuple[int, ...], value: float) -> np.ndarray:
    q = np.zeros(shape)
    q[index] = value
    return q


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "six values": (
        np.zeros(6),
        ShapeError,
        "q must have 7 values (s0 s1 e0 e1 w0 w1 w2) on its last axis, got shape (6,)",
    ),
    "transposed": (
        np.zeros((7, 3)),
        ShapeError,
        "q must have 7 values (s0 s1 e0 e1 w0 w1 w2) on its last axis, got shape (7, 3)",
    ),
    "number": (
        1.0,
        ShapeError,
        "q must have 7 values (s0 s1 e0 e1 w0 w1 w2) on its last axis, got shape ()",
    ),
    "empty": (
        [],
        ShapeError,
        "q must have 7 values (s0 s1 e0 e1 w0 w1 w2) on its last axis, got shape (0,)",
    ),
    "ragged": (
        [[1.0, 2.0], [3.0]],
        ShapeError,
        "q is ragged: its rows must have equal length; q[0] has shape (2,), q[1] has shape (1,)",
    ),
    "NaN": (
        bad((7,), (3,), np.nan),
        InputError,
        "q[3] = nan; every value of q must be finite",
    ),
    "infinity in a list": (
        [0.0, 0.0, np.inf, 0.0, 0.0, 0.0, 0.0],
        InputError,
        "q[2] = inf; every value of q must be finite",
    ),
    "minus infinity in a batch": (
        bad((100, 3, 7), (41, 2, 6), -np.inf),
        InputError,
        "q[41, 2, 6] = -inf; every value of q must be finite",
    ),
    "NaN in the last row": (
        bad((5001, 7), (5000, 0), np.nan),
        InputError,
        "q[5000, 0] = nan; every value of q must be finite",
    ),
    "complex": (np.zeros(7, complex), InputError, "q must hold real numbers, got dtype complex128"),
    "boolean": (np.zeros(7, bool), InputError, "q must hold real numbers, got dtype bool"),
    "text": (
        "neutral",
        InputError,
        "q is the text 'neutral'; joint positions by name: arm.configuration('untuck')",
    ),
    "None": (None, InputError, "q must hold real numbers, got None"),
    "object": (
        np.zeros(7, object),
        InputError,
        "q must hold real numbers, got dtype object",
    ),
    "dates": (
        np.zeros(7, "M8[s]"),
        InputError,
        "q must hold real numbers, got dtype datetime64[s]",
    ),
}


@backends
@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_wrong_q_is_refused_in_plain_words(
    arm: Arm, case: tuple[Any, type[Exception], str], isa: str
) -> None:
    value, error, message = case
    methods = (arm.fk, arm.link_poses, arm.jacobian, arm.null_vector, arm.manipulability)
    for method in (*methods, arm.nullspace, arm.condition_number, arm.smallest_singular_value):
        with pytest.raises(error) as caught:
            method(value)
        assert str(caught.value) == message
        assert isinstance(caught.value, BaxterkitError)
        assert isinstance(caught.value, ValueError)


@backends
def test_the_argument_at_fault_is_named(arm: Arm) -> None:
    q = np.zeros(7)
    cases = [
        (arm.twist, (q, np.zeros(3)), ShapeError, "qd must have 7 values"),
        (arm.twist, (q, bad((7,), (5,), np.nan)), InputError, "qd[5] = nan; every value of qd"),
        (arm.bias_acceleration, (q, bad((2, 7), (1, 0), np.inf)), InputError, "qd[1, 0] = inf;"),
        (arm.joint_velocity, (q, np.zeros(7)), ShapeError, "twist must have 6 values"),
        (arm.joint_velocity, (q, bad((6,), (1,), np.nan)), InputError, "twist[1] = nan;"),
        (arm.joint_velocity, (q, np.zeros(6), np.zeros(2)), ShapeError, "qd_null must have 7"),
        (arm.joint_velocity, (q, np.zeros(6), None, "x"), InputError, "damping must hold real"),
        (arm.joint_velocity, (q, np.zeros(6), None, np.nan), InputError, "damping = nan;"),
    ]
    for method, arguments, error, words in cases:
        with pytest.raises(error) as caught:
            method(*arguments)
        assert str(caught.value).startswith(words)


@backends
def test_negative_damping_is_refused(arm: Arm) -> None:
    with pytest.raises(InputError) as caught:
        arm.joint_velocity(np.zeros((2, 7)), np.zeros(6), damping=[0.1, -0.5])
    assert str(caught.value) == "damping must not be negative, got -0.5"


@backends
def test_shapes_that_do_not_broadcast_are_all_shown(arm: Arm) -> None:
    with pytest.raises(ShapeError) as caught:
        arm.twist(np.zeros((3, 7)), np.zeros((2, 7)))
    assert str(caught.value) == "leading axes do not broadcast: q (3, 7), qd (2, 7)"
    with pytest.raises(ShapeError) as caught:
        arm.joint_velocity(np.zeros((3, 7)), np.zeros((2, 6)), warn_below=0.0)
    assert str(caught.value) == (
        "leading axes do not broadcast: q (3, 7), twist (2, 6), qd_null (7,), damping (1,)"
    )


@backends
@pytest.mark.parametrize("frame", ["tool", "", "BASE", None, 3])
def test_unknown_frame_lists_the_choices(arm: Arm, frame: Any) -> None:
    with pytest.raises(UnknownNameError) as caught:
        arm.jacobian(np.zeros(7), frame)
    meant = "did you mean 'base'? " if frame == "BASE" else ""
    assert str(caught.value) == f"unknown frame {frame!r}; {meant}available: base, tip"
    with pytest.raises(UnknownNameError):
        arm.jacobian(np.zeros(7), frame=frame)


def test_wrong_calls_of_the_native_methods_raise_type_errors() -> None:
    q = np.zeros(7)
    cases = [
        (lambda: ARM.fk(), "fk() misses the argument 'q'"),
        (lambda: ARM.fk(q, q), "fk() takes 1 array argument (2 given); give out by keyword"),
        (lambda: ARM.fk(q, q=q), "fk() got multiple values for argument 'q'"),
        (lambda: ARM.fk(q, qd=q), "fk() got an unexpected keyword argument 'qd'"),
        (lambda: ARM.twist(q), "twist() misses the argument 'qd'"),
        (
            lambda: ARM.twist(q, q, q),
            "twist() takes 2 array arguments (3 given); give out by keyword",
        ),
        (lambda: ARM.jacobian(), "jacobian() misses the argument 'q'"),
        (
            lambda: ARM.jacobian(q, "tip", q),
            "jacobian() takes 1 array argument and a frame (3 given); give out by keyword",
        ),
        (
            lambda: ARM.jacobian(q, "tip", frame="tip"),
            "jacobian() got multiple values for argument 'frame'",
        ),
        (lambda: ARM.jacobian(q, qd=q), "jacobian() got an unexpected keyword argument 'qd'"),
    ]
    for call, message in cases:
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == message


def test_failed_calls_leave_out_unused_or_fully_defined() -> None:
    # A refused q never half-fills an array that the caller then takes for a result.
    out = np.full((3, 4, 4), 7.0)
    with pytest.raises(ShapeError):
        ARM.fk(np.zeros((3, 6)), out=out)
    assert (out == 7.0).all()


def test_wrong_kernel_parameters_are_refused() -> None:
    fine: dict[str, Any] = {
        "mount": np.zeros((3, 4)),
        "tool": np.zeros((3, 4)),
        "beta": np.zeros(45),
        "gravity": np.zeros(3),
        "mount_energy": 0.0,
    }

    def refused(error: type[Exception], words: str, **changes: Any) -> None:
        with pytest.raises(error) as caught:
            _native.ArmKernels(**{**fine, **changes})
        assert str(caught.value) == f"ArmKernels: {words}"

    array = "must be a C-contiguous float64 array of shape"
    refused(
        ValueError, f"mount {array} (3, 4), not float64 of shape (3, 3)", mount=np.zeros((3, 3))
    )
    refused(
        ValueError, f"tool {array} (3, 4), not float32 of shape (3, 4)", tool=np.zeros((3, 4), "f4")
    )
    refused(ValueError, f"beta {array} (45,), not float64 of shape (44,)", beta=np.zeros(44))
    refused(TypeError, f"gravity {array} (3,), not <class 'list'>", gravity=[0.0, 0.0, 0.0])
    refused(
        ValueError,
        f"mount {array} (3, 4), not float64 of shape (3, 4)",
        mount=np.zeros((3, 8))[:, ::2],
    )
    refused(TypeError, "mount_energy must be a number, not <class 'str'>", mount_energy="1")
    with pytest.raises(TypeError, match=r"^ArmKernels misses the argument 'tool'$"):
        _native.ArmKernels(np.zeros((3, 4)))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^ArmKernels got an unexpected or repeated argument 'x'$"):
        _native.ArmKernels(**fine, x=1)
    with pytest.raises(TypeError, match=r"an object is made once$"):
        _native.ArmKernels(**fine).__init__(**fine)  # type: ignore[misc]
    with pytest.raises(TypeError, match="has not been initialised"):
        _native.ArmKernels.__new__(_native.ArmKernels).fk(np.zeros(7))


def test_unknown_instruction_set_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^instruction set 'sse9' is not available here$"):
        _native.use_isa("sse9")
    with pytest.raises(ValueError, match=r"^use_isa: name must be a str, not 3$"):
        _native.use_isa(3)  # type: ignore[arg-type]


def test_native_thread_count_is_checked() -> None:
    words = "^set_threads: count must be an integer from 1 to 4096, not "
    for count in (0, 4097, 10**30, -1):
        with pytest.raises(ValueError, match=f"{words}{count}$"):
            _native.set_threads(count)


def test_reference_functions_take_complex_angles() -> None:
    T = kinematics.forward_kinematics(ARM.model, np.zeros(7) + 1e-30j)
    assert np.iscomplexobj(T)
