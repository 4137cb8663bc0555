"""Hand poses and joint angles that people type or paste into the panels."""

from __future__ import annotations

import re

import numpy as np

from baxterkit.errors import InputError
from baxterkit.model.names import JOINTS
from baxterkit.poses import from_quaternion
from baxterkit.spatial.formulas import rpy_to_matrix, transform
from baxterkit.types import Array, JointVector, Rotation, Transform

HAND_FORMS = "x y z [m], or x y z and roll pitch yaw [deg], or x y z and quaternion x y z w"
JOINT_FORM = "s0 s1 e0 e1 w0 w1 w2 [rad]"
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_LETTERS = re.compile(r"[^\W\d_]")
_NAMED = re.compile(rf"(?:left_|right_)?([sew][012])\W*[:=]\s*({_NUMBER.pattern})")


def typed_hand(text: str, R_now: Rotation) -> Transform:
    """The pose that a text describes.

    Args:
        text: 3 numbers: a position, the orientation stays; 6: position and roll, pitch, yaw
            [deg]; 7: position and quaternion x y z w; 12 or 16: rows of a 3×4 or 4×4 matrix.
            Brackets, commas, semicolons and line ends may stand between them.
        R_now: The present orientation, shape (3, 3).

    Returns:
        T_base_tip, shape (4, 4).

    Raises:
        InputError: If it is something else; says what is expected.
    """
    numbers = _numbers(text)
    if len(numbers) == 3:
        return transform(R_now, numbers)
    if len(numbers) == 6:
        return transform(rpy_to_matrix(np.radians(numbers[3:])), numbers[:3])
    if len(numbers) == 7:
        return from_quaternion(numbers, order="xyzw")
    if len(numbers) in (12, 16):
        matrix = np.concatenate([numbers, [0.0, 0.0, 0.0, 1.0]])[:16].reshape(4, 4)
        return matrix
    raise InputError(f"a hand pose is {HAND_FORMS}; got {len(numbers)} numbers")


def typed_joints(text: str) -> JointVector:
    """Seven joint angles [rad] from a list, or from pairs `name: angle` in any order.

    Raises:
        InputError: If there are not seven numbers, or a joint is missing.
    """
    named = dict(_NAMED.findall(text))
    if named:
        missing = [name for name in JOINTS if name not in named]
        if missing:
            raise InputError(f"the joints {', '.join(missing)} are missing")
        return np.array([float(named[name]) for name in JOINTS])
    numbers = _numbers(text)
    if len(numbers) != 7:
        raise InputError(f"seven joint angles are needed, {JOINT_FORM}; got {len(numbers)}")
    return numbers


def _numbers(text: str) -> Array:
    text = re.sub(r"\b(?:np\.)?array\b", " ", text)
    rest = _NUMBER.sub(" ", text)
    strange = _LETTERS.search(rest)
    if strange is not None:
        word = rest[strange.start() :].split()[0]
        raise InputError(f"{word!r} is no number")
    return np.array([float(number) for number in _NUMBER.findall(text)])
