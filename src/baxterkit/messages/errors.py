"""Errors of messages."""

from __future__ import annotations

from baxterkit.errors import BaxterkitError


class RosError(BaxterkitError, RuntimeError):
    """Base of the errors of `baxterkit.messages` and `baxterkit.ros`."""


class MessageError(RosError, ValueError):
    """A message, or a header of a connection, is not what its definition says."""
