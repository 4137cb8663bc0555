"""Arguments that choose between kernels by name, as `frame` of the Jacobian."""

from __future__ import annotations

from baxterkit.errors import UnknownNameError


def chosen(name: str, value: object) -> str:
    """The kernel that an argument of the kernel `name` chooses.

    Raises:
        UnknownNameError: If the argument has no such value.
    """
    from baxterkit.kernels.table import BY_NAME  # the table itself is for the generator

    choice = BY_NAME[name].choice
    assert choice is not None
    if not isinstance(value, str) or value not in choice.kernels:
        raise UnknownNameError(choice.name, value, tuple(choice.kernels))
    return choice.kernels[value]
