"""Hides optional modules from a process and its children, or notes which of them it uses.

Loaded by `tests/optional_parts.py`, and in Python children through `sitecustomize.py` beside this
file, which `PYTHONPATH` makes them find. What to do is in the environment:

    BAXTERKIT_HIDDEN_MODULES   modules that cannot be imported, comma-separated
    BAXTERKIT_NOTES            file to which parts in use are appended, one a line
    BAXTERKIT_WATCHED          what is looked for: JSON of {"modules", "programs", "folders"}, each
                               name (a folder: path) with the part that it belongs to
"""

from __future__ import annotations

import builtins
import importlib.machinery
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from typing import Any


def install() -> None:
    """Does what the environment says."""
    hidden = os.environ.get("BAXTERKIT_HIDDEN_MODULES", "")
    if hidden:
        hide_modules(hidden.split(","))
    notes = os.environ.get("BAXTERKIT_NOTES")
    if notes:
        watched = json.loads(os.environ["BAXTERKIT_WATCHED"])
        noted: set[str] = set()

        def note(part: str) -> None:
            if part not in noted:
                noted.add(part)
                with open(notes, "a", encoding="utf-8") as file:
                    file.write(part + "\n")

        watch(note, **watched)


def hide_modules(names: Iterable[str]) -> None:
    """Makes modules look as if they were not installed, also where they are loaded by path."""
    hidden = frozenset(names)
    for name in [name for name in sys.modules if name.partition(".")[0] in hidden]:
        del sys.modules[name]
    finder: Any = importlib.machinery.PathFinder
    loader: Any = importlib.machinery.ExtensionFileLoader
    find, create = finder.find_spec, loader.create_module

    def find_spec(cls: Any, name: str, path: Any = None, target: Any = None) -> Any:
        return None if name.partition(".")[0] in hidden else find(name, path, target)

    def create_module(self: Any, spec: Any) -> Any:
        if spec.name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {spec.name!r} (hidden)", name=spec.name)
        return create(self, spec)

    finder.find_spec = classmethod(find_spec)  # bound, as pytest keeps it in a class of its own
    loader.create_module = create_module


def watch(
    note: Callable[[str], None],
    modules: dict[str, str],
    programs: dict[str, str],
    folders: dict[str, str],
) -> None:
    """Calls `note(part)` whenever a part is used: imported, looked for, started or opened."""
    real = builtins.__import__

    def seen_import(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] in modules:  # also where it has been imported before
            note(modules[name.partition(".")[0]])
        return real(name, *rest, **named)

    def audit(event: str, args: tuple[Any, ...]) -> None:
        if event == "import" and isinstance(args[0], str):
            name = args[0].partition(".")[0]
            if name in modules:
                note(modules[name])
        elif event == "open" and isinstance(args[0], str):
            for folder, part in folders.items():
                if args[0].startswith(folder):
                    note(part)
        elif event == "subprocess.Popen":
            name = os.path.basename(os.fsdecode(args[0] or args[1][0]))
            if name in programs:
                note(programs[name])

    which = shutil.which

    def seen_which(command: Any, *args: Any, **options: Any) -> str | None:
        name = os.path.basename(os.fsdecode(command))
        if name in programs:
            note(programs[name])
        return which(command, *args, **options)

    builtins.__import__ = seen_import
    shutil.which = seen_which
    sys.addaudithook(audit)
