"""The definitions of the messages and services that the robot speaks, from `definitions.txt`.

A block starts with a line `== package/Name`. Its lines are fields (`type name`) and constants
(`type NAME=value`), in the order of the wire. A service has its request and its answer on either
side of a line `---`. Checksums of these texts must equal those of the robot's software, see
`tests/ros/test_ros_messages.py`.
"""

from __future__ import annotations

from pathlib import Path


def _blocks(text: str) -> dict[str, str]:
    parts = text.split("== ")[1:]
    return {name: body for name, _, body in (part.partition("\n") for part in parts)}


TEXTS = _blocks(Path(__file__).with_name("definitions.txt").read_text(encoding="utf-8"))
"""Full name of a message or service -> the text of its definition."""
