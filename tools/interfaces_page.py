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
  programs; `/robot/joint_names`, whose type nobody has published (a recording of a robot names it:
  CMU-TBD/RosBagConverter), and `/rosout`: what the twin has to say, it writes on its terminal.

Rates are in messages a second; *measured* ones are those of real robots, in recordings or in
reports of their owners; all others are chosen here. Messages are made while somebody listens.
`joint_state_publish_rate` takes 1 to 1000 Hz, above 100 Hz in whole milliseconds; a machine that is
late leaves out states between those of the 10 ms. `inverse_dynamics_command` feeds accelerations
forward while raw positions come, and a message counts for 0.2 s, which is chosen here.
"""
VALUES = """
## Where values are from
- **Rethink's programs and messages**: resolutions, controls and rule of two of the cameras, their
  error numbers; default settings of the grippers, the number of an unknown one, 18 % of vacuum;
  buttons and lamps of a navigator, 256 steps of a wheel; outputs from 0 to 100 %; states of
  checkups.
- **Rethink's API reference**: at least 5 Hz for `suppress_gravity_compensation` and
  `suppress_cuff_interaction`; bit 15 of `set_lights`; 1024 x 600 pixels of the screen.
- **Owners of robots**: 0.004 to 0.4 m of the hands' ranges, 65.535 m where they see nothing;
  enabling from tucked arms.
- **Chosen here**: the ranges' field of view (5 degrees); 12 sonars, counterclockwise from the
  front, 0.16 m from the middle, that hear 3 m; their lamps are the robot's again after 0.2 s; the
  halo starts at green 100, red 0; a nod of 0.4 s, a head that turns beyond 0.01 rad; tare and
  calibration of 3 s, given up after 2 s; 204, 20 and 0 of 255 from the vacuum sensor, 15 mm of
  reach of its cup; hardware numbers of electric gripper and cup; the cameras' focal length, and
  that pictures are scaled, not cut; the field of collision avoidance (s1 below -1.6 rad, or 5 mm),
  0.25 s of its suppression, five requests to enable; the words of the diagnostics.
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
    parts += [VALUES, "## Names in braces"]
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
