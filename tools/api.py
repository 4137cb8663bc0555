"""Compares the public interface with that of the newest release, and the changelog with both.

Usage: python tools/api.py            names what changed and is not in CHANGELOG.md under Unreleased
       python tools/api.py --write    keeps today's interface, as a part of a release

The interface: names in `__all__` of the package and its parts, with their arguments, members and
attributes, and the command line's verbs and options.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import click

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "tests" / "golden" / "api.txt"
CHANGELOG = ROOT / "CHANGELOG.md"
PRIVATE = {"backend", "checks", "cli", "disk", "display", "extras", "facade", "kernels", "lazy"}
PRIVATE |= {"look", "messages", "native", "robot_tables", "version", "equations", "types"}
"""Parts that are not for users."""
SIMPLE = (bool, int, float, str, bytes, type(None))
WAY_OUT = "name them in CHANGELOG.md under Unreleased (at a release: python tools/api.py --write)"


def interface() -> dict[str, str]:
    """Public name -> its arguments, or what it is."""
    return dict(sorted([*_python(), *_command_line()]))


def _python() -> Iterator[tuple[str, str]]:
    seen: dict[int, str] = {}
    modules = [*_modules()]
    for module in modules:
        for name in sorted(getattr(module, "__all__", ())):
            value = getattr(module, name)
            path = f"{module.__name__}.{name}"
            if isinstance(value, ModuleType):
                if value not in modules:
                    modules.append(value)
                continue
            if id(value) in seen and callable(value):
                yield path, f"is {seen[id(value)]}"
                continue
            seen[id(value)] = path
            yield path, _described(value)
            if inspect.isclass(value):
                yield from _members(path, value)


def _modules() -> Iterator[ModuleType]:
    """The package and its parts."""
    package = importlib.import_module("baxterkit")
    yield package
    folder = Path(str(package.__file__)).parent
    files = {path.stem for path in folder.glob("*.py")}
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}
    for name in sorted((files | folders) - PRIVATE):
        if not name.startswith("_"):
            yield importlib.import_module(f"baxterkit.{name}")


def _members(path: str, kind: type) -> Iterator[tuple[str, str]]:
    ours = [one for one in kind.__mro__ if one.__module__.startswith("baxterkit")]
    found: dict[str, object] = {}
    for one in reversed(ours):
        found |= dict.fromkeys(getattr(one, "__annotations__", {}), None)
        found |= vars(one)
    for name in sorted(found):
        if not name.startswith("_"):
            value = inspect.getattr_static(kind, name, None)
            if isinstance(value, (staticmethod, classmethod)):
                value = value.__func__
            yield f"{path}.{name}", _described(value)


def _described(value: object) -> str:
    if inspect.isclass(value) and issubclass(value, (enum.Enum, Exception)):
        return "enum" if issubclass(value, enum.Enum) else "error"
    if callable(value) and not isinstance(value, (enum.Enum, property)):
        try:
            return _arguments(inspect.signature(value))
        except (TypeError, ValueError):
            return "callable"
    return "value"


def _arguments(signature: inspect.Signature) -> str:
    """Names, kinds and defaults: no types, which every Python writes differently."""
    parameters = []
    for one in signature.parameters.values():
        default = one.default
        if default is not one.empty:
            is_plain = isinstance(default, SIMPLE) and not isinstance(default, enum.Enum)
            default = default if is_plain else ...
        parameters.append(one.replace(annotation=one.empty, default=default))
    kept = signature.replace(parameters=parameters, return_annotation=signature.empty)
    return str(kept).replace("Ellipsis", "...")


def _command_line() -> Iterator[tuple[str, str]]:
    app = importlib.import_module("baxterkit.cli.app")
    yield from _verb("$ baxterkit", app.group)


def _verb(path: str, command: click.Command) -> Iterator[tuple[str, str]]:
    takes = [one.name or "" for one in command.params if isinstance(one, click.Argument)]
    yield path, " ".join(takes) or "verb"
    for one in command.params:
        if isinstance(one, click.Option):
            for name in (*one.opts, *one.secondary_opts):
                yield f"{path} {name}", "option"
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            assert inner is not None
            yield from _verb(f"{path} {name}", inner)


def kept() -> dict[str, str]:
    """The interface of the newest release."""
    lines = KEPT.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


def unnamed(before: Mapping[str, str], now: Mapping[str, str], notes: str) -> list[str]:
    """What changed between two interfaces and is not named in a text; a sentence each."""
    changed = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    found = []
    for name in changed:
        whole = name.rpartition(" " if name.startswith("$") else ".")[0]
        if (whole in before) != (whole in now):
            continue  # the class or verb came or went, which is what must be named
        word = re.split(r"[. ]", name)[-1]
        if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", notes):
            what = "is new" if name not in before else "is gone" if name not in now else "changed"
            found.append(f"{name} {what}: {before.get(name, '-')} -> {now.get(name, '-')}")
    return found


def notes(text: str) -> str:
    """The changelog's section of what is not released."""
    return text.partition("## [Unreleased]")[2].partition("\n## [")[0]


def main(arguments: list[str]) -> int:
    """Compares or writes; returns 1 if something is missing in the changelog."""
    now = interface()
    if arguments == ["--write"]:
        text = "".join(f"{name}\t{what}\n" for name, what in now.items())
        KEPT.write_text(text, encoding="utf-8")
        return 0
    missing = unnamed(kept(), now, notes(CHANGELOG.read_text(encoding="utf-8")))
    for line in missing:
        print(line)
    if missing:
        print(f"{len(missing)} changes of the interface are not in the changelog: {WAY_OUT}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
