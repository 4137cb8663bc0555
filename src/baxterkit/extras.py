"""Imports that wait until they are needed: optional packages, and names of a package of ours."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

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


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package.

    Args:
        package: The package's `__name__`.
        modules: Name -> the module of the package that has it, such as "dh"; a module's own name ->
            "".

    Returns:
        A function that imports a name, and stores it in the package.
    """

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        path = f"{package}.{modules[name] or name}"
        module = importlib.import_module(path)
        value = getattr(module, name) if modules[name] else module
        setattr(sys.modules[package], name, value)
        return value

    return load
