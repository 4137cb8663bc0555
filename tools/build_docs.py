"""Build the documents as a site: python tools/build_docs.py [--out FOLDER]; warnings are errors.

The pages of docs/ are written to be read as they are, so everything that only the site needs is
made here, in a copy: the table of contents from the lists of docs/index.md, pages for the examples,
the reference of the public API, and the project's own pages.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECTION = re.compile(r"^(\w[^\n]*):\n((?:- .*\n(?:  .*\n)*)+)", re.MULTILINE)
ITEM = re.compile(r"^- \[([^\]]+)\]\(([^)#]+)\)", re.MULTILINE)
WORDS = {"c": "C", "dh": "DH", "urdf": "URDF", "robots": "robot's"}  # of the examples' names
PROJECT = {"DEVELOPMENT.md": "Development", "CHANGELOG.md": "Changelog"}

API = {
    "arm": ("Arm, Baxter and Scene", ["baxterkit"]),
    "ik": ("Inverse kinematics", ["baxterkit.ik"]),
    "model": ("The model", ["baxterkit.model", "baxterkit.model.dh"]),
    "spatial": ("Rotations and poses", ["baxterkit.spatial", "baxterkit.poses"]),
    "dynamics": ("Joint effects and contact", ["baxterkit.dynamics"]),
    "kinematics": ("Kinematics in NumPy", ["baxterkit.kinematics"]),
    "collision": ("The body", ["baxterkit.collision"]),
    "planning": ("Planning", ["baxterkit.planning"]),
    "symbolic": ("Closed form", ["baxterkit.symbolic"]),
    "codegen": ("Export", ["baxterkit.codegen"]),
    "recording": ("Recordings", ["baxterkit.recording"]),
    "identify": ("Identification", ["baxterkit.identify"]),
    "trajectory": ("Trajectories", ["baxterkit.trajectory"]),
    "control": ("Control", ["baxterkit.control"]),
    "robot": ("A robot that acts", ["baxterkit.robot", "baxterkit.lesson", "baxterkit.servo"]),
    "sim": ("The twin", ["baxterkit.sim"]),
    "ros": ("ROS", ["baxterkit.ros", "baxterkit.clock"]),
    "learn": ("For learners", ["baxterkit.learn"]),
    "papers": (
        "The papers' models",
        ["baxterkit.papers", *(f"baxterkit.papers.{name}" for name in ("kumar", "smith", "ju"))],
    ),
    "experiments": ("Experiments", ["baxterkit.experiments"]),
    "workspace": ("Workspace", ["baxterkit.workspace"]),
    "viewer": ("Viewer", ["baxterkit.viewer"]),
    "plot": ("Plots and reports", ["baxterkit.plot"]),
    "errors": ("Errors", ["baxterkit.errors"]),
}
"""Page -> its title and the modules whose public names it documents."""


def assemble(folder: Path) -> None:
    """Puts the sources of the site together.

    Args:
        folder: The folder; existing files are updated.
    """
    wanted: dict[Path, str | Path] = {}
    for path in sorted((ROOT / "docs").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            place = path.relative_to(ROOT / "docs")
            is_page = path.suffix == ".md"
            wanted[place] = _page(path) if is_page else path
    for place in [place for place in wanted if place.name == "index.md" and len(place.parts) > 1]:
        others = sorted(p.stem for p in wanted if p.parent == place.parent and p.suffix == ".md")
        pages = [name for name in others if name != "index"]
        tree = ["```{toctree}", ":hidden:", "", *pages, "```", ""]
        wanted[place] = "\n".join([str(wanted[place]), *tree])
    for name, title in PROJECT.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        wanted[Path("project") / name.lower()] = _outward(text, "", title)
    wanted |= _examples() | _reference()
    wanted[Path("index.md")] = _with_contents(str(wanted[Path("index.md")]))
    _write(folder, wanted)


def _page(path: Path) -> str:
    depth = len(path.relative_to(ROOT / "docs").parts)
    return _outward(path.read_text(encoding="utf-8"), "../" * depth, "")


def _outward(text: str, up: str, title: str) -> str:
    """Links that leave docs/ lead to the site's own pages, or become plain names."""
    down = up[: -len("../")] if up else "../"

    def replace(match: re.Match[str]) -> str:
        label, target = match.groups()
        inside = target.removeprefix(up)
        if up and not target.startswith(up):
            return match.group()
        name, _, anchor = inside.partition("#")
        name = name.rstrip("/")
        anchor = f"#{anchor}" if anchor else ""
        if name in PROJECT:
            return f"[{label}]({down}project/{name.lower()}{anchor})"
        if name == "examples":
            return f"[{label}]({down}examples/index.md)"
        if name.startswith("examples/") and name.endswith(".py"):
            return f"[{label}]({down}examples/{Path(name).stem}.md)"
        if name == "docs/images" or name.startswith("docs/"):
            return f"[{label}]({down}{name.removeprefix('docs/')}{anchor})"
        return label if label.startswith("`") else f"{label} (`{name}`)"

    links = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#|mailto:)([^)\s]+)\)")
    return links.sub(replace, text)


def _examples() -> dict[Path, str | Path]:
    """A page for every example, and their list."""
    pages: dict[Path, str | Path] = {}
    lines = ["# Examples", "", "Short scripts that run, here and as tests.", ""]
    names = []
    for path in sorted((ROOT / "examples").glob("*.py")):
        about = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem
        words = [WORDS.get(word, word) for word in path.stem[3:].split("_")]
        title = " ".join([words[0][:1].upper() + words[0][1:], *words[1:]])
        body = [f"# {title}", "", about, "", f"`python examples/{path.name}`", ""]
        body += ["```python", _without_docstring(path), "```", ""]
        pages[Path("examples") / f"{path.stem}.md"] = "\n".join(body)
        lines.append(f"- [{title}]({path.stem}.md): {about.splitlines()[0]}")
        names.append(path.stem)
    lines += ["", "```{toctree}", ":hidden:", "", *names, "```", ""]
    pages[Path("examples/index.md")] = "\n".join(lines)
    return pages


def _without_docstring(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    body = ast.parse(text).body
    if body and isinstance(body[0], ast.Expr):
        text = "\n".join(text.splitlines()[body[0].end_lineno :])
    return text.strip()


def _reference() -> dict[Path, str | Path]:
    """Pages of the public API, by autodoc."""
    pages: dict[Path, str | Path] = {}
    names = []
    seen: set[int] = set()
    for name, (title, modules) in API.items():
        found = [module for module in modules if _exists(module)]
        if not found:
            continue
        names.append(name)
        body = [f"# {title}", ""]
        for module in found:
            body += ["```{eval-rst}", *_directives(module, seen), "```", ""]
        pages[Path("api") / f"{name}.md"] = "\n".join(body)
    index = ["# API reference", "", "What `import baxterkit` offers, part by part.", ""]
    index += ["```{toctree}", ":maxdepth: 1", "", *names, "```", ""]
    pages[Path("api/index.md")] = "\n".join(index)
    return pages


def _exists(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ModuleNotFoundError:
        return False
    return True


def _directives(module: str, seen: set[int]) -> list[str]:
    """The module's public names, each documented once, where it is offered first."""
    loaded = importlib.import_module(module)
    lines = [f".. automodule:: {module}", ""]
    for name in getattr(loaded, "__all__", None) or _own_names(loaded):
        thing = getattr(loaded, name)
        kind = _kind(thing)
        home = getattr(thing, "__module__", "")
        elsewhere = home == "baxterkit.errors" != module  # they have a page of their own
        if kind is None or elsewhere or id(thing) in seen:
            continue
        seen.add(id(thing))
        lines += [f".. auto{kind}:: {module}.{name}"]
        if kind == "class":
            lines += ["   :members:", f"   :inherited-members: {_BUILTIN}"]
        if kind == "exception":
            lines += ["   :members:", "   :show-inheritance:"]
        lines += [""]
    return lines


def _own_names(module: object) -> list[str]:
    """The public names that a module defines itself."""
    return [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__  # type: ignore[attr-defined]
    ]


_BUILTIN = "object,int,tuple,Enum,IntEnum"


def _kind(thing: object) -> str | None:
    """How autodoc names it; None for modules and plain data, which have pages of their own."""
    if isinstance(thing, type):
        return "exception" if issubclass(thing, BaseException) else "class"
    return "function" if callable(thing) else None


def _with_contents(text: str) -> str:
    """The first page with its tables of contents, made from its lists."""
    trees = []
    for title, items in SECTION.findall(text):
        found = ITEM.findall(items)
        pages = [f"{label} <{target.removesuffix('.md')}>" for label, target in found]
        trees += ["```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```", ""]
    trees += ["```{toctree}", ":hidden:", ":caption: Reference", "", "api/index", "```", ""]
    trees += ["```{toctree}", ":hidden:", ":caption: The project", ""]
    trees += [f"project/{name.lower().removesuffix('.md')}" for name in PROJECT]
    return "\n".join([text, *trees, "```", ""])


def _write(folder: Path, wanted: dict[Path, str | Path]) -> None:
    """Writes what changed and removes what is no longer wanted: Sphinx then builds only that."""
    for old in sorted(folder.rglob("*"), reverse=True):
        if old.is_file() and old.relative_to(folder) not in wanted:
            old.unlink()
    for place, content in wanted.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.read_bytes() if isinstance(content, Path) else content.encode("utf-8")
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)


def main() -> int:
    """Assembles and builds; the exit status is Sphinx's."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "docs", help="the site")
    parser.add_argument("--fresh", action="store_true", help="build everything anew")
    options = parser.parse_args()
    source = options.out / "source"
    if options.fresh:
        shutil.rmtree(options.out, ignore_errors=True)
    assemble(source)
    from sphinx.cmd.build import main as sphinx

    site = options.out / "html"
    status = sphinx(
        ["-b", "html", "-W", "--keep-going", "-q", "-d", str(options.out / "tree"),
         str(source), str(site)]
    )  # fmt: skip
    if status == 0:
        print(f"site: {site / 'index.html'}")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
