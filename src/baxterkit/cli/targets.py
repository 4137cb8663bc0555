"""Targets of the tip from words of the command line: positions, poses, joint angles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import click
import numpy as np

from baxterkit import Arm
from baxterkit.cli.reading import read_joints
from baxterkit.cli.words import plain
from baxterkit.errors import InputError
from baxterkit.poses import from_quaternion, pose_array
from baxterkit.spatial.formulas import rpy_to_matrix, transform
from baxterkit.types import Array, Transform, Vector3

Function = TypeVar("Function", bound=Callable[..., object])


def orientation_options(function: Function) -> Function:
    """Adds --rpy and --quat."""
    rpy = click.option("--rpy", nargs=3, metavar="R P Y", help="Orientation: roll, pitch, yaw.")
    quat = click.option("--quat", nargs=4, metavar="X Y Z W", help="Orientation: quaternion.")
    return rpy(quat(function))


def read_target(
    arm: Arm,
    words: Sequence[str],
    rpy: Sequence[str] | None,
    quat: Sequence[str] | None,
    deg: bool,
) -> Transform:
    """A pose: X Y Z with an orientation, or the pose of joint angles or of a named configuration.

    Args:
        arm: The arm.
        words: Three numbers, or seven, or the name of a configuration.
        rpy: Words of --rpy.
        quat: Words of --quat.
        deg: Whether angles are in degrees.

    Returns:
        T_base_tip, shape (4, 4).
    """
    if rpy is not None or quat is not None:
        return read_pose(words, rpy, quat, deg)
    if len(words) == 3:
        raise click.UsageError("a pose needs an orientation: give --rpy or --quat")
    given = read_joints(arm, words, deg)
    if given.is_batch:
        raise click.UsageError("one pose is drawn, not a batch")
    return arm.fk(given.q)


def read_pose(
    words: Sequence[str], rpy: Sequence[str] | None, quat: Sequence[str] | None, deg: bool
) -> Transform:
    """A pose from a position and one orientation, shape (4, 4)."""
    p = read_position(words)
    if rpy is not None and quat is not None:
        raise click.UsageError("give one of --rpy and --quat")
    if rpy is not None:
        scale = np.pi / 180.0 if deg else 1.0
        return transform(rpy_to_matrix(scale * numbers_of(rpy, "--rpy")), p)
    return pose_of_row(np.concatenate([p, numbers_of(quat or (), "--quat")]))


def read_whole_pose(words: Sequence[str], order: str | None) -> Transform | None:
    """A pose that is whole in itself: 16 numbers, a 4x4 row by row, or 7 with the order named.

    Args:
        words: The numbers; commas may stand between them.
        order: "xyzw" or "wxyz", of the last four of seven.

    Returns:
        T_base_tip, shape (4, 4); None if it is neither seven nor sixteen numbers.
    """
    parts = [part for word in words for part in plain(str(word)).replace(",", " ").split()]
    if len(parts) == 16:
        return pose_array(numbers_of(parts, "the pose").reshape(4, 4), "the pose")
    if len(parts) != 7:
        return None
    if order is None:
        raise click.UsageError(
            "seven numbers are a position and a quaternion, whose order must be said: --order xyzw "
            "(ROS) or --order wxyz"
        )
    return from_quaternion(numbers_of(parts, "the pose"), order=order)


def read_position(words: Sequence[str]) -> Vector3:
    """A position [m], shape (3,)."""
    p = numbers_of(words, "the position")
    if p.shape != (3,):
        raise InputError(f"the position is 3 numbers, got {len(p)}")
    return p


def pose_of_row(row: Array) -> Transform:
    """A pose from x y z qx qy qz qw."""
    return from_quaternion(row, order="xyzw")


def numbers_of(words: Sequence[str], name: str) -> Array:
    """Numbers from words; the command line hides minus signs from the option parser."""
    values = []
    for word in words:
        try:
            values.append(float(plain(str(word))))
        except ValueError:
            raise InputError(f"{name}: {word!r} is not a number") from None
    return np.array(values)
