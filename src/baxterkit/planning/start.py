"""Where a motion starts: joint positions of both arms, from arrays, pairs or named values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import both_arms_array, finite_array, joint_array, one
from baxterkit.checks.named import Given, has_names, named_value
from baxterkit.errors import InputError, ShapeError, shortened
from baxterkit.model.names import SIDES, joint_names, other_side
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter


ONE_ARM = '; to plan for one arm: group="left" or group="right"'


def refuse_text(value: Given, name: str, arm: str) -> None:
    """Says what to give instead of the name of a configuration.

    Raises:
        InputError: If it is a text.
    """
    if isinstance(value, str):
        raise InputError(
            f"{name} = {shortened(repr(value))} is a text; give the joint positions of a named "
            f"configuration, such as robot.{arm}.pose('untuck')"
        )


def both_arms(robot: Baxter, start: Given, group: str, other: ArrayLike | None) -> Array:
    """The start as joint positions of both arms, shape (14,)."""
    refuse_text(start, "start", "left" if group == "both" else group)
    if isinstance(start, Mapping) and set(start) == set(SIDES):
        start = (start["left"], start["right"])
    if isinstance(start, tuple | list) and len(start) == 2 and other is None:
        pair = zip(start, SIDES, strict=True)
        arms = [
            one(joint_array(q, f"start of {side}", names=joint_names(side)), "start")
            for q, side in pair
        ]
        return np.concatenate(arms)
    if type(start) is not np.ndarray and has_names(start):
        return _of_named(robot, start, group, other)
    values = finite_array(start, "start")
    if group != "both" and values.shape[-1:] != (14,):
        return _beside(robot, one(joint_array(values, "start"), "start"), group, other)
    if other is not None:
        raise InputError("start holds both arms already; leave `other` out")
    if values.shape != (14,):
        raise ShapeError(
            "start must have 14 values, joints of the left arm, then of the right one"
            f"{'' if group == 'both' else ', or 7 of the arm that moves'}; got shape {values.shape}"
            f"{ONE_ARM if group == 'both' and values.shape == (7,) else ''}"
        )
    return values.copy()


def _of_named(robot: Baxter, start: Given, group: str, other: ArrayLike | None) -> Array:
    """The start of named values: a mapping, or the robot's message. It may name both arms."""
    if group == "both":
        if other is not None:
            raise InputError("start holds both arms already; leave `other` out")
        return one(both_arms_array(start, "start"), "start")
    own = one(joint_array(start, "start", names=joint_names(group)), "start")
    names = joint_names(other_side(group))
    if other is None:
        try:
            named_value(start, "start", names[0])
        except InputError:  # one arm alone
            pass
        else:
            other = joint_array(start, "start", names=names)
    return _beside(robot, own, group, other)


def _beside(robot: Baxter, own: Array, group: str, other: ArrayLike | None) -> Array:
    """The arm that moves and the one that stays; untucked if None."""
    rest = other_side(group)
    if other is None:
        still = (robot.left if rest == "left" else robot.right).pose("untuck")
    else:
        still = one(joint_array(other, "other", names=joint_names(rest)), "other")
    return np.concatenate([own, still] if group == "left" else [still, own])
