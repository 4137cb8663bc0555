"""Nobody reads or writes a file of the user but `baxterkit.disk`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import components
import pytest

PACKAGE = components.ROOT / "src" / "baxterkit"
CALLS = {"read_text", "read_bytes", "write_text", "write_bytes", "mkdir", "makedirs", "rename"}
CALLS |= {"unlink", "savefig", "open", "loadtxt", "genfromtxt", "savetxt", "loadmat", "savemat"}
OURS = ("disk.", "webbrowser.", "os.open(os.devnull", "read_bytes(", "read_text(")
# The package's own files, what is written to memory, and names that mean something else.
ALLOWED = {
    "collision/body.py": {"read_text"},
    "collision/pairs.py": {"read_text"},
    "collision/tool_bodies.py": {"read_text"},
    "collision/world_file.py": {"open"},
    "codegen/__main__.py": {"read_text"},
    "cuda/driver.py": {"read_bytes"},
    "lesson/video.py": {"open"},
    "messages/definitions.py": {"read_text"},
    "model/baxter_data.py": {"read_text"},
    "plot/page.py": {"read_text", "savefig"},
    "plot/player.py": {"read_text"},
    "plot/style.py": {"savefig"},
    "recording/text_table.py": {"loadtxt"},
    "ros/recorder.py": {"unlink"},
    "ros/robot/cameras.py": {"open"},
    "ros/robot/shared_state.py": {"unlink"},
    "servo/devices.py": {"open"},
    "sim/mjcf.py": {"read_text"},
    "viewer/page/file_panel.py": {"open"},
    "viewer/page/studio.py": {"write_bytes"},
    "viewer/page/teach_panel.py": {"open"},
}


def calls(path: Path) -> Iterator[tuple[str, str, int]]:
    """Name and text of the calls in a source that may open a file, and their lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
        if name in CALLS:
            text = ast.unparse(node)
            if not text.startswith(OURS):
                yield name, text, node.lineno


@pytest.mark.slow
def test_files_are_read_and_written_in_one_place() -> None:
    found = [
        f"{where}:{line}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for where in [str(path.relative_to(PACKAGE))]
        if not where.startswith("disk/")
        for name, text, line in calls(path)
        if name not in ALLOWED.get(where, ())
    ]
    assert found == [], "use baxterkit.disk, which is bounded in reading and atomic in writing"


def test_every_exception_is_still_one() -> None:
    for where, names in ALLOWED.items():
        assert names <= {name for name, _, _ in calls(PACKAGE / where)}, where
