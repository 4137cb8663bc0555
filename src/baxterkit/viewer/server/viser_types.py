"""Objects of viser, which carry no types that could be checked."""

from __future__ import annotations

from typing import Any, TypeAlias

Viser: TypeAlias = Any
"""A server, a scene node, a control, an event or a message of viser."""
