"""Arguments that must be an arm."""

from __future__ import annotations

from baxterkit.checks.named import SIDES
from baxterkit.errors import InputError


def need_arm(arm: object, name: str = "arm") -> None:
    """Refuses what is not an `Arm`, with what to give instead.

    Args:
        arm: What was given.
        name: The argument's name, for the message.

    Raises:
        InputError: If it is not an arm.
    """
    if hasattr(arm, "model") and hasattr(arm, "fk"):
        return
    hint = ""
    if isinstance(arm, str) and arm in SIDES:
        hint = f"; Arm({arm!r}) makes one"
    elif hasattr(arm, "left") and hasattr(arm, "right"):
        hint = "; give one of its arms, as robot.left"
    raise InputError(f"{name} must be an Arm, got {type(arm).__name__}{hint}")
