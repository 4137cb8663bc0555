"""Writes docs/ros-interfaces.md from the table of the robot's interfaces; --check compares.

python tools/interfaces_page.py
"""

from __future__ import annotations

import sys
from pathlib import Path

from baxterkit.ros.robot.interfaces import BESIDES, HEARD, NAMES, PUBLISHED, Interface

PAGE = Path(__file__).parent.parent / "docs" / "ros-interfaces.md"
HEAD = """# Every interface of the robot

What a Baxter with software 1.2 publishes, listens to and answers, and what `baxterkit ros twin`
makes of it. Names and types are those that a bridge for the real robot lists
(CentraleNantesRobotics/baxter_common_ros2); `baxterkit.ros.robot.interfaces` is the table, from
which this page is made and by which the twin is tested.

- **provided**: the twin does what the robot does, as far as it is known; the column *by* names the
  module of `baxterkit.ros.robot`.
- **accepted**: the twin listens, and nothing comes of it: it has no reflexes to suppress
  (`suppress_contact_safety`, `suppress_hand_overwrench_safety`), one model of its springs
  (`use_default_spring_model`) and no motor voltage; what a robot makes of `command_twist_stamped`,
  `command_stiffness` and `set_dominance` is not documented.
- **absent**: the twin has no such topic: updates, the USB port, and drawing by the robot's own
  programs.

Rates are in messages a second; *measured* ones are those of real robots, in recordings or in
reports of their owners; all others are chosen here. Messages are made while somebody listens.
`joint_state_publish_rate` takes 1 to 1000 Hz, above 100 Hz in whole milliseconds; a machine that is
late leaves out states between those of the 10 ms. `inverse_dynamics_command` feeds accelerations
forward while raw positions come, and a message counts for 0.2 s, which is chosen here.
"""


def page() -> str:
    """The text of the page."""
    parts = [HEAD]
    for title, rows in (
        ("Published by the robot", PUBLISHED),
        ("Heard by the robot", HEARD),
        ("Besides, for Rethink's programs", BESIDES),
    ):
        total = sum(1 for row in rows for _ in row.each())
        parts += [
            f"\n## {title}",
            f"{total} in all.\n",
            "| name | type | checksum | twin | by | rate |",
        ]
        parts += ["|---|---|---|---|---|---|", *(_line(row) for row in rows)]
    parts.append("\n## Names in braces")
    parts += [f"- `{{{word}}}`: {', '.join(values)}" for word, values in NAMES.items()]
    return "\n".join(parts) + "\n"


def _line(row: Interface) -> str:
    rate = f"{row.rate:g} ({row.source.split()[0]})" if row.rate else ""
    return f"| `{row.name}` | {row.kind} | `{row.md5[:8]}` | {row.twin} | {row.maker} | {rate} |"


def main() -> int:
    """Writes the page, or compares it."""
    if "--check" not in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        return 0
    print("docs/ros-interfaces.md is not what the table says: python tools/interfaces_page.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
