"""Joint values with names: mappings, tables, and messages such as ROS's JointState.

Named values are read by name, in any order; arrays and lists have no names, and are read in the
order s0 s1 e0 e1 w0 w1 w2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from baxterkit.errors import InputError, ShapeError
from baxterkit.types import Given as Given

SIDES = ("left", "right")
JOINTS = ("s0", "s1", "e0", "e1", "w0", "w1", "w2")

FIELDS = {
    "qd": "velocity",
    "qd_null": "velocity",
    "velocity command": "velocity",
    "tau": "effort",
    "torque": "effort",
    "torque command": "effort",
}
"""Argument → field of a JointState that holds it; other arguments are positions."""
PREFIXES = {
    "q": ("q", "ang", "angle", "pos", "position"),
    "seed": ("q", "ang", "angle", "pos", "position"),
    "qd": ("qd", "dq", "vel", "velocity"),
    "qdd": ("qdd", "ddq", "acc", "acceleration"),
    "tau": ("tau", "torq", "torque", "eff", "effort"),
}
"""Argument → what names of columns of recordings begin with that hold it."""


def named_values(x: Given, argument: str, names: Sequence[str] | None = None) -> Given:
    """The values of `x` in the order of the joints, if `x` names them.

    Args:
        x: A mapping from joint name to value or column of values; a pandas Series or DataFrame, or
            another table with `columns`; an array with named fields; a message with `name` and
            `position`, `velocity` and `effort`; or a sequence of mappings or messages, one per row.
            Anything else has no names.
        argument: The argument's name, for messages, and for the choice of a message's field.
        names: The joints, for example "left_s0"; None: those of the arm that `x` holds.

    Returns:
        An array, the joints on its last axis; `x` itself if it names no joints.

    Raises:
        InputError: If a joint is missing or named twice, if the names are those of the other arm,
            or if `names` is None and both arms are there.
    """
    columns = _columns(x, argument)
    if columns is None:
        if isinstance(x, list | tuple) and x and _columns(x[0], argument) is not None:
            return np.array([named_values(row, argument, names) for row in x])
        return x
    found = [name for name, _ in columns]
    chosen = choose_joints(found, argument, names)
    values = dict(columns)
    try:
        rows = np.broadcast_arrays(*(_plain(values[name]) for name in chosen))
    except ValueError as error:
        raise ShapeError(f"{argument}: the columns of the joints differ in length") from error
    return np.stack(rows, axis=-1)


def named_value(x: Given, argument: str, name: str) -> Given:
    """The value or the column of one joint, if `x` names joints; else `x` itself.

    Args:
        x: As in `named_values`.
        argument: The argument's name, for messages.
        name: The joint, for example "head_pan".

    Raises:
        InputError: If the joint is missing or named twice.
    """
    columns = _columns(x, argument)
    if columns is None:
        if isinstance(x, list | tuple) and x and _columns(x[0], argument) is not None:
            return np.array([named_value(row, argument, name) for row in x])
        return x
    choose_joints([label for label, _ in columns], argument, [name])
    return _plain(dict(columns)[name])


def has_names(x: Given) -> bool:
    """Whether `x` names joints, in a form that `named_values` reads."""
    first = x[0] if isinstance(x, list | tuple) and x else x
    return _columns(first, "q") is not None


def _plain(values: Given) -> Given:
    """A column of objects, which a table with a column of text has, as numbers."""
    array = np.asarray(values)
    return np.array(array.tolist()) if array.dtype.kind == "O" else array


def _columns(x: Given, argument: str) -> list[tuple[str, Given]] | None:
    """Names with their values, one or a column each; None if `x` has no names."""
    if isinstance(x, Mapping):
        return [(str(name), value) for name, value in x.items()]
    if isinstance(x, np.ndarray):
        return None if x.dtype.names is None else [(name, x[name]) for name in x.dtype.names]
    if hasattr(x, "name") and hasattr(x, "position"):
        return _message_columns(x, argument)
    if hasattr(x, "columns") and hasattr(x, "to_numpy"):
        return _table_columns(list(x.columns), np.asarray(x.to_numpy()), argument)
    if hasattr(x, "index") and hasattr(x, "to_numpy"):
        return _table_columns(list(x.index), np.asarray(x.to_numpy()), argument)
    return None


def _message_columns(x: Given, argument: str) -> list[tuple[str, Given]]:
    names = list(x.name)
    short = argument.rpartition(".")[2].removesuffix("_left").removesuffix("_right")
    if short == "qdd":
        raise InputError(f"{argument}: a message has no accelerations; give an array or a mapping")
    field = FIELDS.get(short, "position")
    values = list(getattr(x, field, ()))
    if len(values) != len(names):
        raise InputError(
            f"{argument}: the message has {len(names)} names and {len(values)} values in {field}"
        )
    return list(zip(names, values, strict=True))


def _table_columns(
    labels: list[Given], values: np.ndarray[Given, Given], argument: str
) -> list[tuple[str, Given]] | None:
    if all(isinstance(label, str) for label in labels):
        return [(label, values[..., i]) for i, label in enumerate(labels)]
    if labels == list(range(len(labels))):
        return None  # labels 0, 1, ...: a plain array in a pandas object
    raise InputError(
        f"{argument} is a table with the labels {_listed(map(str, labels))}; label it by joints "
        f"({', '.join(JOINTS)}, or left_s0, ...), or give its values as an array"
    )


def choose_joints(found: list[str], argument: str, names: Sequence[str] | None) -> list[str]:
    """The names in `found` that stand for the joints, in order.

    Args:
        found: Names of any joints, in any order.
        argument: What holds them, for messages.
        names: The joints, for example "left_s0"; None: those of the arm in `found`.

    Raises:
        InputError: If a joint is missing or named twice; see `named_values`.
    """
    if names is None:
        sides = [side for side in SIDES if any(name.startswith(f"{side}_") for name in found)]
        whole = [side for side in sides if all(f"{side}_{joint}" in found for joint in JOINTS)]
        if len(whole) > 1:
            raise InputError(
                f"{argument} holds both arms; give one, as "
                f"{{name: value for name, value in {argument}.items() if 'left' in name}}"
            )
        side = (whole or sides or [""])[0]
        names = [f"{side}_{joint}" if side else joint for joint in JOINTS]
    short = [name.partition("_")[2] or name for name in names]
    wanted = short if not set(names) & set(found) and set(short) & set(found) else list(names)
    for name in wanted:
        if found.count(name) > 1:
            raise InputError(f"{argument} names the joint {name} twice")
    for name, brief in zip(names, short, strict=True):
        if name != brief and {name, brief} <= set(found):
            raise InputError(f"{argument} names the joint {name} twice, as {name!r} and {brief!r}")
    missing = [name for name in wanted if name not in found]
    if missing:
        _refuse_missing(missing, wanted, found, argument)
    return wanted


def _refuse_missing(missing: list[str], wanted: list[str], found: list[str], argument: str) -> None:
    side = wanted[0].partition("_")[0]
    other = {"left": "right", "right": "left"}.get(side)
    if other and len(missing) == len(wanted) and any(n.startswith(f"{other}_") for n in found):
        raise InputError(
            f"{argument} holds joints of the {other} arm ({_listed(found)}), and this is the "
            f"{side} arm"
        )
    raise InputError(
        f"{argument} lacks {'the joint' if len(missing) == 1 else 'the joints'} "
        f"{', '.join(missing)}; it has {_listed(found) or 'none'}{_remedy(wanted, found, argument)}"
    )


def _remedy(wanted: Sequence[str], found: Sequence[str], argument: str) -> str:
    """What to do where the joints' names have this quantity before them, or a unit after them."""
    short = [name.partition("_")[2] or name for name in wanted]
    for names in (wanted, short):
        for start in (f"{word}_" for word in PREFIXES.get(argument, ())):
            if all(start + name in found for name in names):
                bare = f"{{name.removeprefix({start!r}): x for name, x in {argument}.items()}}"
                file = f", or of its file recording.load(...).{argument}"
                return f"; give {bare}{file if argument in ('q', 'qd', 'qdd', 'tau') else ''}"
        units = (name.removeprefix(names[0]) for name in found if name.startswith(f"{names[0]} ["))
        for unit in units:
            if all(name + unit in found for name in names):
                bare = f"{{name.removesuffix({unit!r}): x for name, x in {argument}.items()}}"
                return f"; give {bare}, in rad, rad/s and N m"
    return ""


def _listed(names: Iterable[str], most: int = 8) -> str:
    listed = list(names)
    return ", ".join(listed[:most]) + (", ..." if len(listed) > most else "")
