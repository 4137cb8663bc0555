"""Names of a package that are imported on first use, so that importing it is fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


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
