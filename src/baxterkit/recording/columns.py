"""Names of columns: the quantity, arm and component of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baxterkit.checks.column_units import PIECES, is_degrees, unit_of, without_unit, wrong_time
from baxterkit.errors import RecordingError
from baxterkit.model.names import JOINTS, SIDES, check_side
from baxterkit.types import Array

FIELDS: dict[str, tuple[int, ...]] = {
    "q": (7,),
    "qd": (7,),
    "qdd": (7,),
    "tau": (7,),
    "position": (3,),
    "quaternion": (4,),
    "twist": (6,),
    "wrench": (6,),
    "jacobian": (6, 7),
    "actuator": (7,),
    "gravity": (7,),
    "hysteresis": (7,),
    "crosstalk": (7,),
    "opening": (),
    "gripping": (),
}
"""Quantities of a recording, with the shape of one row."""
GRIPPER = ("opening", "gripping")
"""Those of the gripper."""
PERCENT = "gripper"
"""The column in which Rethink's recorder writes the opening [%]."""
TIME = frozenset(("t", "time", "stamp", "timestamp", "sec", "secs", "seconds", "time_s"))
POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
"""Columns of a pose of the tip in tables of poses."""
OWN = "baxterkit recording, angles in radians"
"""The comment by which a CSV of ours is known."""
_JOINT_WORDS = {
    "q": ("q", "pos", "position", "ang", "angle", "theta"),
    "qd": ("qd", "dq", "vel", "velocity"),
    "qdd": ("qdd", "ddq", "acc", "acceleration"),
    "tau": ("tau", "torq", "torque", "eff", "effort"),
    "actuator": ("actuator",),
    "gravity": ("gravity",),
    "hysteresis": ("hysteresis",),
    "crosstalk": ("crosstalk",),
}
_TIP_WORDS = {
    "position": ("position", "poselinear", "pos", "p"),
    "quaternion": ("quaternion", "poseangle", "orientation", "quat"),
    "twist": ("twist",),
    "twist_linear": ("twistlinear",),
    "twist_angular": ("twistangular",),
    "wrench": ("wrench",),
    "wrench_force": ("wrenchforce",),
    "wrench_torque": ("wrenchtorque",),
}
_JOINT_FIELD = {word: name for name, words in _JOINT_WORDS.items() for word in words}
_TIP_FIELD = {word: name for name, words in _TIP_WORDS.items() for word in words}
_AXES = {"x": 0, "y": 1, "z": 2, "w": 3}
_SECOND_HALF = {"twist_angular": 3, "wrench_torque": 3}
_SIX = {"vx": 0, "vy": 1, "vz": 2, "wx": 3, "wy": 4, "wz": 5}
_SIX |= {"fx": 0, "fy": 1, "fz": 2, "mx": 3, "my": 4, "mz": 5}


@dataclass(frozen=True)
class Column:
    """Content of a column: a quantity of `FIELDS` or "t", the arm if named, the component."""

    field: str
    side: str | None
    component: int


def read_name(name: str) -> Column | None:
    """The content of a column with this name; None if a recording does not keep it.

    Understands `time`, `left_s0`, `ang_left_s0`, `vel_left_s0`, `torq_left_s0`, `q_s0`, `tau_s0`,
    `poselinear_left_x`, `twistangular_left_z`, `quaternion_w` and similar names.
    """
    words = [word for word in re.split(r"[_./: \[\]]+", without_unit(name)) if word]
    side = next((word for word in words if word in SIDES), None)
    rest = [word for word in words if word not in SIDES]
    if "_".join(rest) in TIME or (rest and rest[0] in TIME and len(rest) <= 2):
        return Column("t", None, 0)
    if len(rest) == 1 and rest[0] in (*GRIPPER, PERCENT):
        return Column(rest[0], side, 0)
    if len(rest) == 1 and rest[0] in JOINTS:
        return Column("q", side, JOINTS.index(rest[0]))
    if len(rest) != 2:
        return None
    joint = [word for word in rest if word in JOINTS]
    if joint:
        other = rest[1 - rest.index(joint[0])]
        field = _JOINT_FIELD.get(other)
        return None if field is None else Column(field, side, JOINTS.index(joint[0]))
    head, tail = rest
    if head == "jacobian" and re.fullmatch(r"[0-5][0-6]", tail):
        return Column("jacobian", side, 7 * int(tail[0]) + int(tail[1]))
    field = _TIP_FIELD.get(head)
    if field is None:
        return None
    place = _AXES.get(tail, _SIX.get(tail))
    return (
        None
        if place is None
        else Column(field.split("_")[0], side, place + _SECOND_HALF.get(field, 0))
    )


def is_gripper(column: Column | None) -> bool:
    """Whether a column is a gripper's, which may lack values."""
    return column is not None and column.field in (*GRIPPER, PERCENT)


def with_poses_named(names: Sequence[str]) -> tuple[str, ...]:
    """The names of columns, those of poses as `baxterkit fk` prints them in ours: `position_x`."""
    ours = dict(zip(POSE, (*column_names("position"), *column_names("quaternion")), strict=True))
    plain = [without_unit(name) for name in names]
    if not all(plain.count(name) == 1 for name in POSE):
        return tuple(names)
    return tuple(ours.get(short, name) for short, name in zip(plain, names, strict=True))


def check_angles(
    names: Sequence[str], angles: str, source: str, comments: Sequence[str] = ()
) -> None:
    """Refuses columns of joints whose names say another unit than they are read in.

    A motion or a recording that this package wrote is in radians.

    Args:
        names: Names of the columns.
        angles: The unit that they are read in, "rad" or "deg".
        source: Name of the file, for messages.
        comments: Its comments, without their marks.

    Raises:
        RecordingError: If one is in the other unit.
    """
    if OWN in map(str.strip, comments):
        need_radians(angles, source)
    if angles == "deg" and any(name.startswith(PIECES) for name in names):
        raise RecordingError(
            "baxterkit wrote this motion in radians; leave out angles='deg'", source
        )
    for name in names:
        column, unit = read_name(name), unit_of(name)
        if column is None or column.field not in ("q", "qd", "qdd") or not unit:
            continue
        if is_degrees(unit) and angles == "rad":
            remedy = "is in degrees; read it with load(..., angles='deg')"
        elif not is_degrees(unit) and angles == "deg":
            remedy = "is in radians; leave out angles='deg'"
        else:
            continue
        raise RecordingError(f"the column {name} {remedy}", source)


def need_radians(angles: str, source: str, why: str = "baxterkit wrote this recording in") -> None:
    """Refuses to read in degrees what is in radians for certain.

    Args:
        angles: The unit that the file is read in, "rad" or "deg".
        source: Name of the file, for messages.
        why: Why it is in radians: the words before that one.

    Raises:
        RecordingError: If it is read in degrees.
    """
    if angles == "deg":
        raise RecordingError(f"{why} radians; leave out angles='deg'", source)


def check_time(names: Sequence[str], source: str) -> None:
    """Refuses a column of time whose name says another unit than the second.

    Raises:
        RecordingError: If there is one.
    """
    for name in names:
        column = read_name(name)
        wrong = wrong_time(name)
        if column is not None and column.field == "t" and wrong:
            raise RecordingError(wrong, source)


def column_names(field: str) -> list[str]:
    """The names that this package writes for a quantity, one per component."""
    if field in ("position", "quaternion"):
        return [f"{field}_{axis}" for axis in "xyzw"[: FIELDS[field][0]]]
    if field == "twist":
        return [f"twist_{part}" for part in ("vx", "vy", "vz", "wx", "wy", "wz")]
    if field == "wrench":
        return [f"wrench_{part}" for part in ("fx", "fy", "fz", "mx", "my", "mz")]
    if field in GRIPPER:
        return [field]
    if field == "jacobian":
        return [f"jacobian_{row}{column}" for row in range(6) for column in range(7)]
    return [f"{field}_{joint}" for joint in JOINTS]


def choose_side(found: set[str], side: str | None, source: str) -> str | None:
    """The arm to read, among those that a file holds.

    Raises:
        RecordingError: If it holds both and none was asked for, or not the one asked for.
    """
    if side is not None:
        check_side(side)
        if found and side not in found:
            raise RecordingError(
                f"the file holds the {next(iter(found))} arm only, not the {side} one", source
            )
        return side
    if len(found) > 1:
        raise RecordingError("the file holds both arms; say side='left' or side='right'", source)
    return next(iter(found), None)


def pick(
    names: Sequence[str], values: Array, side: str | None, source: str
) -> tuple[dict[str, Array], str | None]:
    """Sorts columns into quantities.

    Args:
        names: Names of the columns.
        values: Numbers, shape (n, columns).
        side: The arm that is wanted, or None.
        source: Name of the file, for messages.

    Returns:
        Quantity -> values, shape (n, ...), with "t" of shape (n,) if there is one; and the arm.

    Raises:
        RecordingError: If a joint or component is missing or named twice, or the arm is not clear.
    """
    columns = [read_name(name) for name in names]
    found = {
        column.side
        for column in columns
        if column is not None and column.side is not None and not is_gripper(column)
    }
    side = choose_side(found, side, source)
    places: dict[str, dict[int, int]] = {}
    for i, column in enumerate(columns):
        if column is None or (column.side is not None and column.side != side):
            continue
        place = places.setdefault(column.field, {})
        if column.component in place:
            first = names[place[column.component]]
            raise RecordingError(f"columns {first} and {names[i]} hold the same quantity", source)
        place[column.component] = i
    result: dict[str, Array] = {}
    for field, place in places.items():
        shape = FIELDS.get(field, ())  # none: time, and percents of a gripper
        size = int(np.prod(shape))
        missing = [i for i in range(size) if i not in place]
        if missing:
            wanted = column_names(field)
            raise RecordingError(
                f"{field} lacks {', '.join(wanted[i] for i in missing)}; "
                f"a recording needs all of {', '.join(wanted)}",
                source,
            )
        block = values[:, [place[i] for i in range(size)]]
        result[field] = block.reshape(len(values), *shape)
    if PERCENT in result:
        percent = result.pop(PERCENT)
        result.setdefault("opening", 0.01 * percent)
    return result, side
