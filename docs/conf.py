"""Sphinx: how the site looks. `tools/build_docs.py` puts its sources together and builds it."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from typing import Any

import numpy.typing
from docutils import nodes
from latex2mathml.converter import convert

import baxterkit
from baxterkit import types

project = "baxterkit"
author = "The baxterkit developers"
project_copyright = "The baxterkit developers"
version = release = baxterkit.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
templates_path: list[str] = []
highlight_language = "text"

myst_fence_as_directive = ["math"]  # formulas are written as GitHub has them
html_math_renderer = "mathml"  # which browsers set by themselves: no script, no server elsewhere

myst_heading_anchors = 4  # links of GitHub's kind: page.md#a-heading

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_attr_annotations = False
python_use_unqualified_type_names = True

# Links of the code to types are followed inside the project; names of others have no page here.
nitpicky = True
nitpick_ignore_regex = [
    (r"py:(class|obj|data|exc|func|meth|attr)", r"(?!baxterkit\.).*"),
    # Where a public class lives inside its package, and the bases that lend it methods.
    (r"py:(class|obj|data)", r"baxterkit\.\w+\.\w+(\.\w+)*"),
]
suppress_warnings = ["ref.python"]  # two parts may use one word for a class of their own

html_theme = "furo"
html_title = "baxterkit"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#005f93",
        "color-brand-content": "#005f93",
    },
    "dark_css_variables": {
        "color-brand-primary": "#56b4e9",
        "color-brand-content": "#56b4e9",
    },
}


def show_aliases_by_name() -> None:
    """Puts a class of the same name in the place of each type alias, such as JointVector.

    autodoc would write out what an alias stands for, and that of ArrayLike takes two lines.
    """
    for info in pkgutil.walk_packages(baxterkit.__path__, "baxterkit."):
        if not info.name.endswith("__main__"):
            importlib.import_module(info.name)
    aliases = {name: value for name, value in vars(types).items() if name[0].isupper()}
    aliases |= {"ArrayLike": numpy.typing.ArrayLike}
    for name, value in aliases.items():
        if not isinstance(value, type):
            shown = type(name, (), {"__module__": "baxterkit.types"})
            for module in [m for key, m in sys.modules.items() if key.startswith("baxterkit")]:
                if vars(module).get(name) is value:
                    setattr(module, name, shown)


show_aliases_by_name()

CODE = re.compile(r"(``.+?``|`[^`]+`)")


def to_rst(line: str) -> str:
    """A line of a docstring, written as plain text with `code`, as reStructuredText."""
    if line.lstrip().startswith((">>>", "... ", ".. ")):
        return line
    parts = CODE.split(line)
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = part if part.startswith("``") else f"`{part}`"
            if re.match(r"\w", parts[i + 1]):
                parts[i] += "\\ "  # the end of a literal must be seen: ``Mark``\ s
        else:
            escaped = part.replace("\\", "\\\\").replace("*", "\\*").replace("|", "\\|")
            parts[i] = re.sub(r"(?<=\w)_(?=\W|$)", r"\\_", escaped)
    return "".join(parts)


def docstring_to_rst(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Makes autodoc read docstrings as they are written here."""
    lines[:] = [to_rst(line) for line in lines]
    if what in ("property", "attribute") and lines:
        # napoleon takes what stands before a colon in the first line for the type: keep it short.
        lines[:1] = lines[0].split(" ", 1)


def show_formula(translator: Any, node: Any) -> None:
    """Writes a formula as MathML."""
    display = "inline" if node.tagname == "math" else "block"
    text = node.astext().replace("{aligned}", "{align*}")  # the name that the converter knows
    translator.body.append(convert(text, display=display))
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Runs before napoleon reads the sections."""
    app.add_html_math_renderer("mathml", (show_formula, None), (show_formula, None))
    app.connect("autodoc-process-docstring", docstring_to_rst, priority=400)
