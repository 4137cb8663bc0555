"""Joint names and order: the robot's messages are alphabetical, arrays are not."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.model.names import (
    JOINTS,
    from_message,
    joint_index,
    joint_names,
    message_names,
    to_message,
)

# Names of one real /robot/joint_states message.
JOINT_STATES = [
    "head_nod", "head_pan", "left_e0", "left_e1", "left_s0", "left_s1", "left_w0", "left_w1",
    "left_w2", "right_e0", "right_e1", "right_s0", "right_s1", "right_w0", "right_w1", "right_w2",
    "torso_t0",
]  # fmt: skip


def message(text: str) -> str:
    return f"^{re.escape(text)}$"


def test_message_order_is_the_robots() -> None:
    arms = [name for name in JOINT_STATES if name[:4] in ("left", "righ")]
    assert list(message_names()) == arms
    assert list(message_names("right")) == arms[7:]


@given(st.permutations(JOINT_STATES), st.sampled_from(["left", "right"]))
def test_values_follow_their_names_in_any_order(names: list[str], side: str) -> None:
    value_of = {name: float(i) for i, name in enumerate(JOINT_STATES)}
    values = [value_of[name] for name in names]
    expected = [value_of[f"{side}_{joint}"] for joint in JOINTS]
    assert from_message(side, names, values).tolist() == expected
    batch = np.array([values, values])
    assert from_message(side, names, batch).tolist() == [expected, expected]
    assert from_message(side, dict(zip(names, values, strict=True))).tolist() == expected


@pytest.mark.parametrize("side", ["left", "right"])
def test_to_message_and_back_is_the_identity(side: str) -> None:
    q = np.arange(14.0).reshape(2, 7)
    names, values = to_message(side, q)
    assert names[:3] == (f"{side}_e0", f"{side}_e1", f"{side}_s0")
    assert values[0].tolist() == [2.0, 3.0, 0.0, 1.0, 4.0, 5.0, 6.0]
    assert (from_message(side, names, values) == q).all()


def test_other_joints_may_hold_anything() -> None:
    names = [*joint_names("left"), "head_pan"]
    assert from_message("left", names, [0.0] * 7 + [np.nan]).tolist() == [0.0] * 7


def test_joint_index_takes_short_and_full_names() -> None:
    assert [joint_index(name) for name in JOINTS] == list(range(7))
    assert joint_index("left_e1") == joint_index("right_e1") == 3
    text = "unknown joint 'head_pan'; available: s0, s1, e0, e1, w0, w1, w2"
    with pytest.raises(UnknownNameError, match=message(text)):
        joint_index("head_pan")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (
            (joint_names("left")[1:], [0.0] * 6),
            InputError,
            "message lacks the joint left_s0; it has left_s1, left_e0, left_e1, left_w0, "
            "left_w1, left_w2",
        ),
        (
            ([*joint_names("left"), "left_e1"], [0.0] * 8),
            InputError,
            "message names the joint left_e1 twice",
        ),
        (
            ({"left_s0": 1.0},),
            InputError,
            "message lacks the joints left_s1, left_e0, left_e1, left_w0, left_w1, left_w2; "
            "it has left_s0",
        ),
        (
            (joint_names("left"), [0.0] * 6),
            ShapeError,
            "7 names do not match values of shape (6,)",
        ),
        (
            (joint_names("left"),),
            InputError,
            "values is missing; pass a mapping, or names and values",
        ),
        (
            ({"left_s0": 1.0}, [1.0]),
            InputError,
            "names is a mapping and holds the values already; leave values out",
        ),
        (
            (joint_names("left"), [0.0] * 6 + [np.nan]),
            InputError,
            "message[6] = nan; every value of message must be finite",
        ),
    ],
)
def test_bad_messages_are_refused(
    arguments: tuple[object, ...], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=message(text)):
        from_message("left", *arguments)  # type: ignore[arg-type]


def test_sides_are_checked() -> None:
    for call in (joint_names, message_names, lambda side: from_message(side, {})):
        with pytest.raises(UnknownNameError, match="unknown side 'up'; available: left, right"):
            call("up")
