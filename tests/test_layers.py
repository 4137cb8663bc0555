"""Imports go one way, as the map in DEVELOPMENT.md says.

The sources are parsed, not run, so imports inside functions count too.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path

import components
import pytest

PACKAGE = components.ROOT / "src" / "baxterkit"
ROW = re.compile(r"^\| `([\w/]+)` \| (.+?) \|(.*)\|$", re.MULTILINE)
EVERYTHING = "everything"


def read_map(text: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The table of DEVELOPMENT.md: part -> its question, and the parts right below it.

    What those may import, it may import too. A part is a folder, or a module outside of folders;
    a folder's own rows, as `viewer/page`, stand for what is in them.
    """
    section = text.partition("\n## Map\n")[2].partition("\n## ")[0]
    return {
        part: (question, tuple(below.replace("`", "").split()))
        for part, question, below in ROW.findall(section)
    }


MAP = read_map((components.ROOT / "DEVELOPMENT.md").read_text(encoding="utf-8"))
BELOW = {part: below for part, (_, below) in MAP.items()}
# The command line is written with click and rich, the room of learners with gymnasium; everything
# else imports NumPy alone at top level.
THIRD_PARTY = {"cli": {"numpy", "click", "rich"}, "learn": {"numpy", "gymnasium"}}
CORE_THIRD_PARTY = {"numpy"}


@cache
def reachable(part: str) -> set[str]:
    """The parts that `part` may import, itself included."""
    if EVERYTHING in BELOW[part]:
        return set(BELOW)
    found = {part}
    for below in BELOW[part]:
        found |= reachable(below)
    return found


def part_of(names: tuple[str, ...]) -> str | None:
    """The part that a module or a name belongs to: the longest row of the map that leads to it."""
    for count in range(len(names), 0, -1):
        if "/".join(names[:count]) in BELOW:
            return "/".join(names[:count])
    return None


def imported(node: ast.AST, path: Path, package: Path) -> Iterator[str]:
    """Full dotted names that one import statement brings in, relative imports resolved."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            here = [package.name, *path.relative_to(package).with_suffix("").parts]
            base = ".".join([*here[: len(here) - node.level], *([base] if base else [])])
        # `from baxterkit import model` names a module in its last part, `from x import f` does not.
        yield from (f"{base}.{alias.name}" for alias in node.names)


def at_run_time(tree: ast.Module, functions: bool = True) -> Iterator[ast.AST]:
    """Nodes that run, not those under TYPE_CHECKING; without functions, those that import runs."""
    queue: list[ast.AST] = list(tree.body)
    while queue:
        node = queue.pop()
        if not functions and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        queue.extend(ast.iter_child_nodes(node))


def violations(package: Path) -> list[str]:
    """Every import of the package that breaks a rule, as `file:line: what`."""
    found = []
    for path in sorted(package.rglob("*.py")):
        part = part_of(path.relative_to(package).with_suffix("").parts)
        where = path.relative_to(package.parent)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if part is None:
            found.append(f"{where}:1: '{path.stem}' has no row in the map of DEVELOPMENT.md")
            continue
        for node in at_run_time(tree):
            for name in imported(node, path, package):
                parts = name.split(".")
                if parts[0] != package.name:
                    continue
                # A name that is no module of ours is one that the package itself exports.
                target = part_of(tuple(parts[1:])) or "__init__"
                if target not in reachable(part):
                    found.append(f"{where}:{node.lineno}: {part} imports {target}")
        allowed = THIRD_PARTY.get(part, CORE_THIRD_PARTY) | {package.name} | sys.stdlib_module_names
        for node in at_run_time(tree, functions=False):
            for name in imported(node, path, package):
                if name.split(".")[0] not in allowed:
                    found.append(f"{where}:{node.lineno}: {name} is imported at top level")
    return list(dict.fromkeys(found))


def module_imports(package: Path) -> dict[str, set[str]]:
    """Module -> those that it imports; imports under TYPE_CHECKING do not count."""
    paths = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    found = {}
    for module, path in paths.items():
        names = {
            name
            for node in run_time_nodes(ast.parse(path.read_text(encoding="utf-8")))
            for name in imported(node, path, package)
        }
        found[module] = {deepest(name, paths) for name in names} & paths.keys() - {module}
    return found


def run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those under TYPE_CHECKING."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
            yield node
            yield from run_time_nodes(node)


def deepest(name: str, modules: Container[str]) -> str:
    """The module that a dotted name leads to."""
    while "." in name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def cycles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Modules that import each other, directly or by others."""
    below: dict[str, set[str]] = {}
    for module in imports:
        seen, queue = set[str](), [module]
        while queue:
            new = imports[queue.pop()] - seen
            seen |= new
            queue += new
        below[module] = seen
    rings = {frozenset(x for x in below[m] if m in below[x]) for m in imports if m in below[m]}
    return sorted(sorted(ring) for ring in rings)


@pytest.mark.slow
def test_no_modules_import_each_other() -> None:
    assert cycles(module_imports(PACKAGE)) == []


@pytest.mark.parametrize(
    ("source", "ring"),
    [
        ("from baxterkit.model.b import f", ["baxterkit.model.a", "baxterkit.model.b"]),
        ("def f():\n    from .b import g", ["baxterkit.model.a", "baxterkit.model.b"]),
        ("if TYPE_CHECKING:\n    from baxterkit.model.b import f", None),
    ],
)
def test_a_cycle_of_modules_is_found(tmp_path: Path, source: str, ring: list[str] | None) -> None:
    folder = tmp_path / "baxterkit" / "model"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text(source, encoding="utf-8")
    (folder / "b.py").write_text("import baxterkit.model.a", encoding="utf-8")
    assert cycles(module_imports(tmp_path / "baxterkit")) == ([] if ring is None else [ring])


@pytest.mark.slow
def test_imports_go_one_way() -> None:
    assert violations(PACKAGE) == []


def test_every_layer_lies_below_no_cycle() -> None:
    for part, below in BELOW.items():
        if EVERYTHING not in below:
            assert all(part not in reachable(one) for one in below)


def test_the_map_shows_what_there_is() -> None:
    assert len(MAP) > 30
    for part, (question, below) in MAP.items():
        assert {*below} <= {*MAP, EVERYTHING}, part
        there = (PACKAGE / part).is_dir() or any(PACKAGE.glob(f"{part}.py*"))
        assert there or question.startswith("To come"), f"{part} is on the map, but not there"


def test_a_room_is_part_of_its_folder() -> None:
    assert part_of(("viewer", "page", "scene")) == "viewer/page"
    assert part_of(("viewer", "app")) == "viewer"
    assert part_of(("Arm",)) is None


@pytest.mark.parametrize(
    ("file", "source", "complaint"),
    [
        ("model/urdf.py", "from baxterkit.kinematics import forward", "model imports kinematics"),
        ("model/urdf.py", "from ..kinematics.forward import fk", "model imports kinematics"),
        ("model/urdf.py", "import baxterkit.ik.inverse", "model imports ik"),
        ("model/urdf.py", "from baxterkit import Arm", "model imports __init__"),
        ("model/urdf.py", "from .. import cli", "model imports cli"),
        ("model/urdf.py", "def f():\n    import baxterkit", "model imports __init__"),
        (
            "ik/inverse.py",
            "def f():\n    from baxterkit.dynamics import f, g",
            "ik imports dynamics",
        ),
        ("dynamics/x.py", "from baxterkit.codegen import cpp", "dynamics imports codegen"),
        ("symbolic/x.py", "from baxterkit.kinematics import f", "symbolic imports kinematics"),
        ("dynamics/x.py", "from baxterkit.symbolic import graph", "dynamics imports symbolic"),
        ("control/x.py", "from baxterkit.sim import twin", "control imports sim"),
        ("kinematics/x.py", "import scipy.linalg", "scipy.linalg is imported at top level"),
        ("plot/x.py", "try:\n    import matplotlib\nexcept ImportError:\n    pass", "matplotlib"),
        ("kinematics/x.py", "import click", "click is imported at top level"),
        ("viewer/state/x.py", "import baxterkit.viewer.page.stage", "state imports viewer/page"),
        ("viewer/page/x.py", "from ..app import Viewer", "viewer/page imports viewer"),
        ("plot/x.py", "from baxterkit.cli import app", "plot imports cli"),
        ("magic.py", "import math", "'magic' has no row in the map"),
    ],
)
def test_a_wrong_import_is_caught(tmp_path: Path, file: str, source: str, complaint: str) -> None:
    path = tmp_path / "baxterkit" / file
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    found = violations(tmp_path / "baxterkit")
    assert len(found) == 1, found
    assert complaint in found[0]


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("kinematics/forward.py", "from baxterkit.model.model import ArmModel"),
        ("kinematics/forward.py", "from ..errors import ShapeError\nfrom . import jacobian"),
        (
            "codegen/c.py",
            "from baxterkit.symbolic import graph\nfrom baxterkit.model import library",
        ),
        ("symbolic/export.py", "def f():\n    import sympy"),
        (
            "plot/style.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import matplotlib",
        ),
        ("cli/app.py", "import click\nfrom rich.table import Table\nimport baxterkit"),
        ("__init__.py", "from .arm import Arm"),
    ],
)
def test_a_right_import_passes(tmp_path: Path, file: str, source: str) -> None:
    path = tmp_path / "baxterkit" / file
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    assert violations(tmp_path / "baxterkit") == []


def test_no_two_test_modules_have_one_name() -> None:
    """pytest imports them by name: the second would not be collected."""
    names = [path.name for path in (components.ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))
