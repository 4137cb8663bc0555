"""Imports go one way.

model -> kinematics -> {ik, dynamics} -> {trajectory, control} -> {sim, ros, viewer}, and at build
time model -> equations -> symbolic -> codegen. The facades (`arm`, `baxter`) stand on the layers,
the package's `__init__`, `plot`, `demo` and `cli` on everything. The sources are parsed, not run,
so imports inside functions count too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import components
import pytest

PACKAGE = components.ROOT / "src" / "baxterkit"

# Module -> the layers right below it. What these may import, it may import too.
BELOW: dict[str, tuple[str, ...]] = {
    "errors": (),
    "extras": ("errors",),
    "disk": ("errors",),
    "display": (),
    "types": ("extras", "display", "disk"),
    "_native": (),
    # What is declared of the kernels, and what a backend is to the layers above.
    "kernels": ("types", "_native"),
    "checks": ("kernels",),
    "native": ("checks",),
    "spatial": ("checks",),
    "model": ("spatial",),
    "kinematics": ("model", "native"),
    "ik": ("kinematics",),
    # The equations over any scalars, and the numbers that they take; what is derived once.
    "equations": ("model",),
    "dynamics": ("kinematics", "equations"),
    "collision": ("kinematics",),
    "symbolic": ("equations",),
    "codegen": ("symbolic", "kernels"),
    "backend": ("dynamics",),
    "robot_tables": ("checks",),
    "robot_file": ("dynamics", "robot_tables"),
    "facade": ("backend", "ik", "robot_file"),
    "arm": ("facade",),
    "baxter": ("arm", "collision"),
    "recording": ("model",),
    "identify": ("arm", "recording"),
    "trajectory": ("arm",),
    "control": ("arm",),
    "workspace": ("baxter",),
    "planning": ("trajectory", "baxter"),
    "sim": ("trajectory", "control", "baxter", "recording"),
    "ros": ("trajectory", "control", "baxter", "recording"),
    "viewer": ("sim",),
}
# The top of the package: these may import everything, and nothing below may import them.
TOP = ("__init__", "__main__", "plot", "demo", "experiments", "cli")
# The command line is written with click and rich; everything else imports NumPy alone at top level.
THIRD_PARTY = {"cli": {"numpy", "click", "rich"}}
CORE_THIRD_PARTY = {"numpy"}


def reachable(module: str) -> set[str]:
    """The modules that `module` may import, itself included."""
    found = {module}
    for below in BELOW[module]:
        found |= reachable(below)
    return found


def part_of(path: Path, package: Path) -> str:
    """The layer that a source file belongs to: its first folder, or its own name."""
    return path.relative_to(package).with_suffix("").parts[0]


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


def top_level(tree: ast.Module) -> Iterator[ast.AST]:
    """Statements that run on import: not in functions, not under TYPE_CHECKING."""
    queue: list[ast.AST] = list(tree.body)
    while queue:
        node = queue.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        queue.extend(ast.iter_child_nodes(node))


def violations(package: Path) -> list[str]:
    """Every import of the package that breaks a rule, as `file:line: what`."""
    found = []
    for path in sorted(package.rglob("*.py")):
        layer = part_of(path, package)
        where = path.relative_to(package.parent)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if layer not in BELOW and layer not in TOP:
            found.append(f"{where}:1: '{layer}' has no place in the layers; give it one in BELOW")
            continue
        for node in ast.walk(tree):
            for name in imported(node, path, package):
                parts = name.split(".")
                if parts[0] != package.name or layer in TOP or len(parts) < 2:
                    continue
                # A name that is no module of ours is one that the package itself exports.
                target = parts[1] if parts[1] in {*BELOW, *TOP} else "__init__"
                if target not in reachable(layer):
                    found.append(f"{where}:{node.lineno}: {layer} imports {target}")
        allowed = (
            THIRD_PARTY.get(layer, CORE_THIRD_PARTY) | {package.name} | sys.stdlib_module_names
        )
        for node in top_level(tree):
            for name in imported(node, path, package):
                if name.split(".")[0] not in allowed:
                    found.append(f"{where}:{node.lineno}: {name} is imported at top level")
    return list(dict.fromkeys(found))


def test_imports_go_one_way() -> None:
    assert violations(PACKAGE) == []


def test_every_layer_lies_below_no_cycle() -> None:
    for module in BELOW:
        assert all(module not in reachable(below) for below in BELOW[module])


@pytest.mark.parametrize(
    ("file", "source", "complaint"),
    [
        ("model/urdf.py", "from baxterkit.kinematics import forward", "model imports kinematics"),
        ("model/urdf.py", "from ..kinematics.forward import fk", "model imports kinematics"),
        ("model/urdf.py", "import baxterkit.ik.solve", "model imports ik"),
        ("model/urdf.py", "from baxterkit import Arm", "model imports __init__"),
        ("model/urdf.py", "from .. import cli", "model imports cli"),
        ("ik/solve.py", "def f():\n    from baxterkit.dynamics import f, g", "ik imports dynamics"),
        ("dynamics/x.py", "from baxterkit.codegen import cpp", "dynamics imports codegen"),
        ("symbolic/x.py", "from baxterkit.kinematics import f", "symbolic imports kinematics"),
        ("dynamics/x.py", "from baxterkit.symbolic import graph", "dynamics imports symbolic"),
        ("control/x.py", "from baxterkit.sim import twin", "control imports sim"),
        ("kinematics/x.py", "import scipy.linalg", "scipy.linalg is imported at top level"),
        ("plot/x.py", "try:\n    import matplotlib\nexcept ImportError:\n    pass", "matplotlib"),
        ("kinematics/x.py", "import click", "click is imported at top level"),
        ("magic.py", "import math", "'magic' has no place in the layers"),
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
