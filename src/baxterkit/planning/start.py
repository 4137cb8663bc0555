"""From the arguments of `plan` to a planning problem, checked: the scene, the start, what moves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.checks.arrays import both_arms_array, finite_array, joint_array, one
from baxterkit.checks.named import Given, has_names, named_value
from baxterkit.checks.units import warn_if_degrees
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.model.names import SIDES, joint_names, other_side
from baxterkit.planning.constraints import SameGrasp, TipConstraint
from baxterkit.planning.request import ONE_ARM, Request, refuse_text
from baxterkit.planning.settings import SearchSettings
from baxterkit.scene.scene import SceneLike, as_scene
from baxterkit.types import Array, JointsLike, frozen

if TYPE_CHECKING:
    from baxterkit.baxter import Baxter
    from baxterkit.model.model import ArmModel

GROUPS = ("left", "right", "both")
TURNS = 4.0 * np.pi
"""How far from the start a joint without limits may turn, to either side [rad]."""


def make_request(
    scene: SceneLike,
    start: JointsLike,
    group: str,
    other: JointsLike | None,
    constraints: tuple[TipConstraint | SameGrasp, ...],
    search: SearchSettings,
) -> Request:
    """Checks the arguments of `plan`."""
    scene = as_scene(scene)
    if not isinstance(group, str) or group not in GROUPS:
        raise UnknownNameError("group", group, GROUPS)
    robot = scene.robot
    q = start_of_both(robot, start, group, other)
    limits = _limits(robot.left.model, robot.right.model)
    if np.count_nonzero(np.isinf(limits)):
        lower, upper = limits
        low = np.where(np.isinf(lower), np.minimum(q, upper) - TURNS, lower)
        limits = np.stack([low, np.where(np.isinf(upper), np.maximum(q, lower) + TURNS, upper)])
    request = Request(scene, group, q, limits, search, constraints)
    inside = request.within_limits(request.start, request.columns, "start")
    object.__setattr__(request, "start", inside)
    for n, side in enumerate(SIDES):
        if side not in request.sides:  # its limits are not asked: it stays
            warn_if_degrees(q[7 * n : 7 * n + 7], "other", scene.arm(side).model)
    return request


@lru_cache(maxsize=8)
def _limits(left: ArmModel, right: ArmModel) -> Array:
    rows = [[*left.limits.lower, *right.limits.lower], [*left.limits.upper, *right.limits.upper]]
    return frozen(rows)


def start_of_both(robot: Baxter, start: Given, group: str, other: JointsLike | None) -> Array:
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


def _of_named(robot: Baxter, start: Given, group: str, other: JointsLike | None) -> Array:
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


def _beside(robot: Baxter, own: Array, group: str, other: JointsLike | None) -> Array:
    """The arm that moves and the one that stays; untucked if None."""
    rest = other_side(group)
    if other is None:
        still = robot.arm(rest).configuration("untuck")
    else:
        still = one(joint_array(other, "other", names=joint_names(rest)), "other")
    return np.concatenate([own, still] if group == "left" else [still, own])
