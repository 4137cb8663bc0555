"""Runs the tests of optional parts as a machine without those parts would.

    pytest --note-optional=FILE             writes which tests use an optional part, one a line
    BAXTERKIT_HIDE=all pytest --only=FILE   runs those, with all optional parts hidden

A part (`tests/components.py`) counts as used if the test asks for it with `require`, imports it,
looks for its program or starts it, or opens a file in its folder, itself or in a Python child.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import components
import pytest

sys.path.insert(0, str(components.ROOT / "tests" / "hooks"))

import part_hooks

HOOKS = components.ROOT / "tests" / "hooks"


def hide() -> None:
    """Hides what `BAXTERKIT_HIDE` names, from this process and from its children."""
    hidden = components.hidden()
    if not hidden:
        return
    for component in hidden & components.FOLDERS.keys():
        os.environ.pop(components.FOLDERS[component], None)
    programs = {components.programs()[name] for name in hidden & components.programs().keys()}
    if "octave-cli" in programs:
        programs.add("octave")
    os.environ["PATH"] = _path_without(programs)
    modules = {components.MODULES[name] for name in hidden & components.MODULES.keys()}
    if "kdl" in hidden:
        modules.add("PyKDL")
    os.environ["BAXTERKIT_HIDDEN_MODULES"] = ",".join(sorted(modules))
    _let_children_load_hooks()
    part_hooks.hide_modules(modules)


def _path_without(programs: set[str]) -> str:
    """The PATH, with a copy (of links) in place of each folder that has one of the programs."""
    folders = []
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if any(os.path.exists(os.path.join(folder, name)) for name in programs):
            copy = tempfile.mkdtemp(prefix="baxterkit-path-")
            atexit.register(shutil.rmtree, copy, ignore_errors=True)
            for entry in os.scandir(folder):
                if entry.name not in programs:
                    os.symlink(entry.path, os.path.join(copy, entry.name))
            folders.append(copy)
        else:
            folders.append(folder)
    return os.pathsep.join(folders)


def _let_children_load_hooks() -> None:
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if str(HOOKS) not in others:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(HOOKS), *others])


class Noter:
    """Appends to a file the name of each test (or test file) that uses an optional part."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._used: set[str] = set()
        with tempfile.NamedTemporaryFile(prefix="baxterkit-notes-", delete=False) as file:
            self._of_children = Path(file.name)
        atexit.register(self._of_children.unlink, missing_ok=True)
        optional = components.checks().keys() - components.ALWAYS
        programs = {v: k for k, v in components.programs().items() if k in optional}
        modules = {v: k for k, v in components.MODULES.items() if k in optional}
        folders = {
            os.environ[variable]: part
            for part, variable in components.FOLDERS.items()
            if os.environ.get(variable)
        }
        watched = {
            "modules": {**modules, "PyKDL": "kdl"},
            "programs": programs,
            "folders": folders,
        }
        os.environ["BAXTERKIT_NOTES"] = str(self._of_children)
        os.environ["BAXTERKIT_WATCHED"] = json.dumps(watched)
        _let_children_load_hooks()
        part_hooks.watch(self._used.add, **watched)
        components.asked = lambda part: self._used.update({part} & optional)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, object, object]:
        return (yield from self._noting(collector.nodeid, isinstance(collector, pytest.Module)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        return (yield from self._noting(item.nodeid))

    def _noting(self, name: str, counts: bool = True) -> Generator[None, object, object]:
        self._used.clear()
        result = yield
        children = self._of_children.read_text(encoding="utf-8")
        if counts and (self._used or children):
            with self._path.open("a", encoding="utf-8") as file:
                file.write(name + "\n")
        if children:
            self._of_children.write_text("", encoding="utf-8")
        return result


def select(items: list[pytest.Item], path: Path) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Those of the items that a file names, by themselves or by their test file, and the others."""
    names = set(path.read_text(encoding="utf-8").splitlines())
    chosen = [i for i in items if i.nodeid in names or i.nodeid.partition("::")[0] in names]
    return chosen, [item for item in items if item not in set(chosen)]
