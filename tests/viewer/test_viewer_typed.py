"""Poses and joint angles that people type or paste."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from baxterkit import Arm
from baxterkit.errors import InputError
from baxterkit.spatial import matrix_to_quaternion, matrix_to_rpy
from baxterkit.viewer.state.typed import typed_hand, typed_joints

ARM = Arm("left")
Q = np.array([0.1, -0.9, -0.8, 1.3, 0.5, 1.2, 0.2])
T = ARM.fk(Q)
NOW = np.eye(3)


def words(*parts: object) -> str:
    return " ".join(f"{x!r}" for part in parts for x in np.ravel(part).tolist())


@pytest.mark.parametrize(
    "text",
    [
        words(T[:3, 3], np.degrees(matrix_to_rpy(T[:3, :3]))),
        words(T[:3, 3], matrix_to_quaternion(T[:3, :3])),
        words(T[:3, 3], 1.004 * matrix_to_quaternion(T[:3, :3])),
        repr(T.tolist()),
        np.array_repr(T, precision=17),
        words(T[:3]),
        words(T[:3, 3], matrix_to_quaternion(T[:3, :3])).replace(" ", ", "),
    ],
)
def test_every_form_of_a_pose_is_understood(text: str) -> None:
    assert_allclose(typed_hand(text, NOW), T, rtol=0.0, atol=1e-14)


def test_a_position_keeps_the_orientation() -> None:
    found = typed_hand("0.6, -0.2; .1", T[:3, :3])
    assert_array_equal(found[:3, :3], T[:3, :3])
    assert_array_equal(found[:3, 3], [0.6, -0.2, 0.1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a hand pose is x y z .* got 0 numbers"),
        ("0.6 0.3", "got 2 numbers"),
        (
            "0.6 0.3 0.2 0.5 0 0 0",
            "the quaternion 0.5 0 0 0 has length 0.5; that",
        ),
        ("0.6 0.3 up", "'up' is no number"),
        ("nan 0 0", "'nan' is no number"),
    ],
)
def test_what_is_no_pose_is_told_what_one_is(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        typed_hand(text, NOW)


@pytest.mark.parametrize(
    "text",
    [
        words(Q),
        repr(Q.tolist()),
        np.array_repr(Q, precision=17),
        repr({f"left_{name}": x for name, x in sorted(ARM.named(Q).items())}),
        "w2=0.2 w1=1.2 w0=0.5 e1=1.3 e0=-0.8 s1=-0.9 s0=0.1",
    ],
)
def test_joint_angles_are_understood_by_order_and_by_name(text: str) -> None:
    assert_array_equal(typed_joints(text), Q)


def test_joints_that_are_missing_are_named() -> None:
    with pytest.raises(InputError, match="the joints e1, w2 are missing"):
        typed_joints("s0: 0.1, s1: 0, e0: 0, w0: 0, w1: 0")
    with pytest.raises(InputError, match=r"seven joint angles are needed, s0 s1 .*; got 6"):
        typed_joints("1 2 3 4 5 6")
