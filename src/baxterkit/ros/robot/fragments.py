"""Fragments of a description that programs send to `/robot/urdf`: links of a gripper, say.

The links and joints of a fragment take the place of those of the same names in the robot's
description; its root hangs on the link that the message names. `/tf` and the twin's own body do not
change: what a program says of its tool is believed, not simulated.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from baxterkit.errors import UrdfError
from baxterkit.messages import Message
from baxterkit.model.urdf_reader import read_urdf


def merged(description: str, message: Message) -> str:
    """The description with a fragment in it.

    Args:
        description: The robot's URDF text.
        message: A baxter_core_msgs/URDFConfiguration: `urdf`, the `link` to hang it on, and the
            `joint`, its root: a joint of the fragment, or a link of it that a fixed joint of this
            name is made for.

    Raises:
        UrdfError: If the fragment is no URDF, or the result is none.
    """
    if "<!" in message.urdf.replace("<!--", ""):
        raise UrdfError("a fragment of a description must not declare anything")
    try:
        robot, fragment = ET.fromstring(description), ET.fromstring(message.urdf.encode())
    except (ET.ParseError, ValueError) as error:
        raise UrdfError(f"the fragment is no XML: {error}") from error
    new = {(part.tag, part.get("name")): part for part in fragment if part.tag in ("link", "joint")}
    if not new:
        raise UrdfError("the fragment has neither links nor joints")
    children = {_end(part, "child") for (tag, _), part in new.items() if tag == "joint"}
    for part in list(robot):
        gone = (part.tag, part.get("name")) in new
        if gone or (part.tag == "joint" and _end(part, "child") in children):
            robot.remove(part)
    robot.extend(new.values())
    if ("joint", message.joint) not in new:
        _hang(robot, message.joint, message.link)
    _prune(robot)
    text = ET.tostring(robot, encoding="unicode")
    read_urdf(text)
    return text


def _end(joint: ET.Element, which: str) -> str:
    end = joint.find(which)
    return "" if end is None else end.get("link", "")


def _hang(robot: ET.Element, root: str, link: str) -> None:
    """A fixed joint for the fragment's root, unless it has one."""
    if any(joint.tag == "joint" and _end(joint, "child") == root for joint in robot):
        return
    joint = ET.SubElement(robot, "joint", name=root, type="fixed")
    ET.SubElement(joint, "parent", link=link)
    ET.SubElement(joint, "child", link=root)


def _prune(robot: ET.Element) -> None:
    """Takes away links that hung on what a fragment has replaced."""
    while True:
        links = {part.get("name") for part in robot if part.tag == "link"}
        held = {_end(part, "child") for part in robot if part.tag == "joint"}
        loose = [
            part
            for part in robot
            if (part.tag == "link" and part.get("name") not in held | {"base"})
            or (part.tag == "joint" and _end(part, "parent") not in links)
        ]
        if not loose:
            return
        for part in loose:
            robot.remove(part)
