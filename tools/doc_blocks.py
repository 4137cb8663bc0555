"""Run the code blocks of the documents; compare, or rewrite, the output printed below them.

A ```python block followed by a ```text block is run, and the text is what it prints; the blocks of
a page share their variables. In a ```console block each line `$ baxterkit ...` is run, and the
lines up to the next `$` are what it prints; a line `...` stands for the rest of that output.

Usage: python tools/doc_blocks.py [--write] [FILE...]
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    """The documents whose blocks run."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def render(text: str) -> str:
    """The document with every output replaced by what its block prints now."""
    variables: dict[str, Any] = {"__name__": "__document__"}
    printed: str | None = None

    def replace(match: re.Match[str]) -> str:
        nonlocal printed
        kind, body = match.groups()
        if kind == "python":
            printed = run_python(body, variables)
        elif kind == "console":
            body = run_console(body)
        elif printed is not None:
            body, printed = printed, None
        return f"```{kind}\n{body}```"

    with np.printoptions():  # a document that sets them does so for itself
        return BLOCK.sub(replace, text)


def run_python(source: str, variables: dict[str, Any]) -> str:
    """Output of a piece of Python."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(source, "<document>", "exec"), variables)
    return output.getvalue()


def run_console(body: str) -> str:
    """A console block with its outputs replaced by what the commands print."""
    parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
    lines = [parts[0]]
    for command, old in zip(parts[1::2], parts[2::2], strict=True):
        new = run_command(command) if command.startswith("baxterkit ") else old
        lines.append(f"$ {command}\n{_shorten(new, old)}")
    return "".join(lines)


def run_command(command: str) -> str:
    """Output of a `baxterkit` command, errors included, without trailing blanks."""
    from baxterkit.cli.app import run

    os.environ["COLUMNS"] = "80"
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        run(shlex.split(command, comments=True)[1:])
    lines = [line.rstrip() for line in output.getvalue().splitlines()]
    return "".join(f"{line}\n" for line in lines)


def _shorten(new: str, old: str) -> str:
    """Cuts an output where the document cuts it with a line `...`."""
    kept = old.splitlines()
    if "..." not in kept:
        return new
    return "".join(f"{line}\n" for line in [*new.splitlines()[: kept.index("...")], "..."])


def main() -> int:
    """Compares, or rewrites with --write; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true", help="put the new output into the files")
    options = parser.parse_args()
    status = 0
    for path in [file.resolve() for file in options.files] or documents():
        old = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            new = render(old)
        if new == old:
            continue
        if options.write:
            path.write_text(new, encoding="utf-8")
            print(f"rewrote {path}")
        else:
            status = 1
            lines = difflib.unified_diff(
                old.splitlines(True), new.splitlines(True), str(path), "what the blocks print"
            )
            sys.stdout.writelines(lines)
    return status


if __name__ == "__main__":
    sys.exit(main())
