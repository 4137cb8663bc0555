"""Optional dependencies: imported when first needed, and named with their extra when missing."""

from __future__ import annotations

import importlib
from types import ModuleType

from baxterkit.errors import MissingExtraError


def load_extra(module: str, *, feature: str, package: str, extra: str) -> ModuleType:
    """Import an optional module.

    Args:
        module: Dotted name of the module, such as "scipy.signal".
        feature: What needs it, for the start of the message: "Simulation".
        package: Its name for people: "MuJoCo".
        extra: The extra of this package that installs it: "sim".

    Returns:
        The module.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError(feature, package, extra) from error
