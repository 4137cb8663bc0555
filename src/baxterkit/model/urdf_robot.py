"""Writes the whole robot as a URDF file: both arms, the head, and every frame that has a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baxterkit.model.frames import robot_frames
from baxterkit.model.head import HeadModel
from baxterkit.model.inertial import Inertial
from baxterkit.model.model import ArmModel
from baxterkit.model.parts import Frame
from baxterkit.model.urdf_writer import (
    SNAP,
    arm_lines,
    fixed_lines,
    inertial_lines,
    joint_link,
    number,
    numbers,
    origin,
    record_lines,
)
from baxterkit.spatial.formulas import inverse


def write_robot_urdf(
    arms: Mapping[str, ArmModel],
    head: HeadModel,
    note: str = "",
    fixed: Mapping[str, Frame] | None = None,
) -> str:
    """Both arms and the head as URDF text, with 17 significant digits.

    The root link is `base`. Links that move carry the masses; every frame of `robot_frames` is a
    link of its own, fixed to the one that moves it. A tool's mass is that of `<side>_gripper`, a
    payload's that of `<side>_tip`; their solids are collision elements of the arm's last moving
    link. A `<baxterkit>` element, which other programs skip, keeps them along with gravity, so that
    `arm_from_urdf` gives back the same models.

    Args:
        arms: The arms by side.
        head: The head.
        note: A comment for the top of the file.
        fixed: Frames on base and head that are elsewhere than nominally, by name.
    """
    frames = robot_frames(arms, head) | dict(fixed or {})
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!-- Written by baxterkit. SI units; angles in radians. -->",
        *([f"<!-- {note} -->"] if note else []),
        '<robot name="baxter">',
        f'  <baxterkit snap="{SNAP}">',
        *(line for side, arm in arms.items() for line in _record(side, arm)),
        "  </baxterkit>",
        '  <link name="base"/>',
    ]
    names: dict[str, tuple[str, ...]] = {"base": ("base",), "head": ("head",)}
    for side, arm in arms.items():
        lines += arm_lines(arm, arm.inertials)
        names[side] = tuple(joint_link(joint) for joint in arm.joints)
    lines += _head(head)
    written = {name for links in names.values() for name in links}
    bodies = _bodies(arms, head)
    for frame in _parents_first(frames, written):
        parent, T = names[frame.body][frame.link], frame.T_link_frame
        hand = f"{frame.body}_hand"
        if frame.name in (f"{frame.body}_gripper", f"{frame.body}_tip") and hand in frames:
            parent, T = hand, inverse(frames[hand].T_link_frame) @ T
        lines += fixed_lines(frame.name, parent, T, bodies.get(frame.name))
    return "\n".join([*lines, "</robot>", ""])


def _record(side: str, arm: ArmModel) -> Iterator[str]:
    yield f'    <arm side="{side}" gravity="{numbers(arm.gravity)}">'
    yield from record_lines(arm, "      ")
    yield "    </arm>"


def _head(head: HeadModel) -> Iterator[str]:
    yield from (
        '  <joint name="head_pan" type="revolute">',
        '    <parent link="base"/>',
        '    <child link="head"/>',
        f"    {origin(head.T_base_pan)}",
        '    <axis xyz="0 0 1"/>',
        f'    <limit lower="{number(head.lower)}" upper="{number(head.upper)}" velocity="10000" '
        'effort="50000"/>',
        f'    <dynamics damping="{number(head.damping)}" friction="{number(head.friction)}"/>',
        "  </joint>",
        '  <link name="head">',
        *inertial_lines(head.head, "    "),
        "  </link>",
    )


def _bodies(arms: Mapping[str, ArmModel], head: HeadModel) -> dict[str, Inertial]:
    """Masses that hang on a frame: the screen, tools and payloads."""
    found = {"screen": head.screen}
    for side, arm in arms.items():
        if arm.tool.inertial is not None:
            found[f"{side}_gripper"] = arm.tool.inertial.at(inverse(arm.T_hand_tip))
        if arm.payload is not None:
            found[f"{side}_tip"] = arm.payload.inertial
    return found


def _parents_first(frames: Mapping[str, Frame], written: set[str]) -> Iterator[Frame]:
    """Frames that are no moving link: hands before what is bolted to them, tips last."""
    rest = [frame for frame in frames.values() if frame.name not in written]
    yield from sorted(rest, key=lambda frame: frame.name.endswith(("_gripper", "_tip")))
