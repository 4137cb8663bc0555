"""Boundary checks: what passes, and what each refusal says."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

from baxterkit import errors, types
from baxterkit.checks import arrays
from baxterkit.errors import InputError, ShapeError


def message(text: str) -> str:
    return f"^{re.escape(text)}$"


@pytest.mark.parametrize("shape", [(7,), (1, 7), (3, 1, 2, 7), (0, 7)])
def test_joint_array_takes_any_batch(shape: tuple[int, ...]) -> None:
    assert arrays.joint_array(np.zeros(shape)).shape == shape


def test_joint_array_converts_and_does_not_copy_needlessly() -> None:
    q = np.zeros(7)
    assert arrays.joint_array(q) is q
    assert arrays.joint_array([0] * 7).dtype == np.float64
    assert arrays.joint_array(np.zeros(7, np.float32)).dtype == np.float64


@pytest.mark.parametrize(
    ("q", "error", "text"),
    [
        (
            np.zeros(6),
            ShapeError,
            "q must have 7 values (s0 s1 e0 e1 w0 w1 w2) on its last axis, got shape (6,)",
        ),
        (
            0.5,
            ShapeError,
            "q must have 7 values (s0 s1 e0 e1 w0 w1 w2) on its last axis, got shape ()",
        ),
        ([0, 0, np.nan, 0, 0, 0, 0], InputError, "q[2] = nan; every value of q must be finite"),
        (
            [[0] * 7, [0, 0, 0, 0, 0, 0, -np.inf]],
            InputError,
            "q[1, 6] = -inf; every value of q must be finite",
        ),
        (["a"] * 7, InputError, "q must hold real numbers, got the text 'a'"),
        (np.zeros(7, complex), InputError, "q must hold real numbers, got dtype complex128"),
        (np.zeros(7, bool), InputError, "q must hold real numbers, got dtype bool"),
        (None, InputError, "q must hold real numbers, got None"),
        ([0.0, None], InputError, "q must hold real numbers, got None"),
        ([0.0, "up"], InputError, "q must hold real numbers, got the text 'up'"),
        (object(), InputError, "q must hold real numbers, got an object of type object"),
        (
            [[0.0], [0.0, 1.0]],
            ShapeError,
            "q is ragged: its rows must have equal length; "
            "q[0] has shape (1,), q[1] has shape (2,)",
        ),
    ],
)
def test_joint_array_refuses(q: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=message(text)):
        arrays.joint_array(q)  # type: ignore[arg-type]


def test_joint_array_of_another_arm_does_not_name_baxters_joints() -> None:
    with pytest.raises(
        ShapeError, match=message("x must have 6 values on its last axis, got shape (7,)")
    ):
        arrays.joint_array(np.zeros(7), "x", 6)


def test_vector_array_refuses_a_wrong_length() -> None:
    with pytest.raises(
        ShapeError, match=message("p must have 3 values on its last axis, got shape (2,)")
    ):
        arrays.vector_array([1.0, 2.0], "p")


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda T: T[:3], ShapeError, "T must have shape (..., 4, 4), got (3, 4)"),
        (
            lambda T: T + np.eye(4)[3] * np.eye(4)[3][:, None],
            InputError,
            "T must end in the row 0 0 0 1, got 0 0 0 2",
        ),
        (
            lambda T: T * np.diag([1.01, 1.0, 1.0, 1.0]).diagonal(),
            InputError,
            "T does not hold a rotation: max |R^T R - 1| = 2.01e-02, at most 1e-06 is accepted; "
            "project it with baxterkit.spatial.nearest_rotation(R)",
        ),
        (
            lambda T: T * [-1.0, 1.0, 1.0, 1.0],
            InputError,
            "T does not hold a rotation: it mirrors (determinant not positive); "
            "project it with baxterkit.spatial.nearest_rotation(R)",
        ),
        (
            lambda T: np.where(np.arange(4) == 3, np.nan, T),
            InputError,
            "T[0, 3] = nan; every value of T must be finite",
        ),
    ],
)
def test_transform_array_refuses(change: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=message(text)):
        arrays.transform_array(change(np.eye(4)))  # type: ignore[operator]


def test_transform_array_finds_the_bad_one_in_a_batch() -> None:
    T = np.tile(np.eye(4), (3, 2, 1, 1))
    assert arrays.transform_array(T) is T
    T[1, 1, 3, 0] = 5.0
    with pytest.raises(InputError, match=message("T must end in the row 0 0 0 1, got 5 0 0 1")):
        arrays.transform_array(T)


def test_rotation_array_refuses_shape_and_scale() -> None:
    assert arrays.rotation_array(np.eye(3)).shape == (3, 3)
    with pytest.raises(ShapeError, match=message("R must have shape (..., 3, 3), got (4, 4)")):
        arrays.rotation_array(np.eye(4))
    with pytest.raises(InputError, match=r"max \|R\^T R - 1\| = 3\.00e\+00"):
        arrays.rotation_array(2.0 * np.eye(3))


def test_absurdly_large_matrices_are_refused_without_warnings() -> None:
    with pytest.raises(InputError, match="does not hold a rotation"):
        arrays.rotation_array(1e200 * np.eye(3))


def test_an_empty_batch_of_transforms_passes() -> None:
    assert arrays.transform_array(np.zeros((0, 4, 4))).shape == (0, 4, 4)


def test_frozen_copies_and_locks() -> None:
    x = np.zeros(3)
    locked = types.frozen(x)
    x[0] = 1.0
    assert locked[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        locked[0] = 1.0


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (errors.UrdfError("bad", "joint 'a'", 3), "line 3, joint 'a': bad"),
        (errors.UrdfError("bad", None, 3), "line 3: bad"),
        (errors.UrdfError("bad", "link 'b'"), "link 'b': bad"),
        (errors.UrdfError("bad"), "bad"),
        (
            errors.UnknownNameError("tool", "claw", ("hand", "vacuum")),
            "unknown tool 'claw'; available: hand, vacuum",
        ),
        (
            errors.MissingExtraError("Simulation", "MuJoCo", "sim"),
            "Simulation needs MuJoCo: pip install '.[sim]' in a clone of baxterkit",
        ),
    ],
)
def test_errors_carry_fields_say_so_and_survive_pickling(error: Exception, text: str) -> None:
    assert str(error) == text
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == text
    assert vars(again) == vars(error)


def test_every_error_is_one_of_the_family_and_a_builtin() -> None:
    for name in ("ShapeError", "InputError", "ModelError", "UnknownNameError"):
        error = getattr(errors, name)
        assert issubclass(error, errors.BaxterkitError)
        assert issubclass(error, ValueError)
    assert issubclass(errors.UrdfError, errors.ModelError)
    assert issubclass(errors.MissingExtraError, ImportError)
