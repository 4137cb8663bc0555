"""Objects of viser, which carry no types that could be checked."""

from __future__ import annotations

from typing import Any, TypeAlias

Viser: TypeAlias = Any
"""A server, a scene node, a control, an event or a message of viser."""


def put(handle: Viser, **wanted: object) -> None:
    """Sets what differs of a control or a scene node: each assignment goes to all pages."""
    for name, value in wanted.items():
        shown = getattr(handle, name)
        if (tuple(shown) if isinstance(value, tuple) else shown) != value:
            setattr(handle, name, value)
