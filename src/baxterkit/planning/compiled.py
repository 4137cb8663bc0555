"""The extension's searches and smoothing: NumPy has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baxterkit.collision.checker import Checker
from baxterkit.errors import ExtensionError

if TYPE_CHECKING:
    from baxterkit._native import BodyChecker


def compiled_planner(checker: Checker) -> BodyChecker:
    """The extension's checks, searches and smoothing.

    Raises:
        ExtensionError: If NumPy computes: a plan would take minutes.
    """
    if checker.native is None:
        raise ExtensionError(
            "planning needs the compiled extension, and NumPy computes here; use "
            'Arm(..., backend="native"), or install a C++ compiler and baxterkit again'
        )
    return checker.native
