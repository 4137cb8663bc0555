"""Arguments that must be of one type of this package."""

from __future__ import annotations

from baxterkit.errors import InputError


def need(value: object, kind: type, name: str, advice: str = "") -> None:
    """Refuses a value of another type.

    Args:
        value: What was given.
        kind: The type that is wanted; its subclasses serve too.
        name: The argument's name, for the message.
        advice: Where such a value comes from, for the message.

    Raises:
        InputError: If it is of another type.
    """
    if isinstance(value, kind):
        return
    if value is kind:
        raise InputError(f"{name} must be of type {kind.__name__}, got the class itself")
    given = "None" if value is None else type(value).__name__
    ending = f"; {advice}" if advice else ""
    raise InputError(f"{name} must be of type {kind.__name__}, got {given}{ending}")
