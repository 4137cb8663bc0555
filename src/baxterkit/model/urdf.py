"""`arm_from_urdf`: one of Baxter's arms as a URDF file describes it, mount included."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from baxterkit.errors import InputError, ModelError, UnknownNameError, UrdfError, shortened
from baxterkit.model.chain import SerialChain
from baxterkit.model.inertial import Inertial, Payload
from baxterkit.model.library import load_baxter, warn_if_other_mount
from baxterkit.model.model import GRAVITY, ArmModel, Tool
from baxterkit.model.names import check_side, joint_names
from baxterkit.model.parts import SNAP_TOLERANCE
from baxterkit.model.tool import ToolLike, resolve_tool
from baxterkit.model.tool_files import named_solids
from baxterkit.model.urdf_frames import arm_with_frames, base_of
from baxterkit.model.urdf_gripper import gripper_name, without_gripper
from baxterkit.model.urdf_reader import inertial_of, read_urdf
from baxterkit.model.urdf_tree import UrdfTree
from baxterkit.model.xml_reader import Element, Source
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Vector3


def arm_from_urdf(
    source: Source,
    side: str,
    tool: ToolLike | None = None,
    snap: float = SNAP_TOLERANCE,
    links: Mapping[str, str] | None = None,
) -> ArmModel:
    """One of Baxter's arms as a URDF file describes it.

    The chain runs from the link `base` (or the root, if there is no such link) over the joints
    `<side>_s0` ... `<side>_w2` to the link `<side>_hand` (`<side>_hand_link` in some packages).
    Links fixed to a moving one are lumped into it; the fixed transforms before s0 are the mount.
    Frames on the arm that the file has elsewhere than nominally, such as a camera's, stay there.
    A gripper on the hand is the arm's tool, with the hand's frame as its tip. Rethink's grippers
    have the names of the tools; an electric one with other fingers is "electric_gripper", any
    other "gripper".

    Args:
        source: A path, or the text itself: Rethink's file, a robot's dump, or `write_urdf`'s text.
        side: "left" or "right".
        tool: A tool's name or a `Tool`, in place of the file's gripper. A 4 by 4 `T_hand_tip` says
            where the tip is, and leaves the mass of the file's gripper. None: the file's gripper,
            the tool on record in a file that `write_urdf` made, or the bare hand.
        snap: Angles this near [rad] to a multiple of pi/2 become that multiple; the model's `snaps`
            lists each. A dump that prints angles with 6 digits (1.57078) needs 2e-5.
        links: Other names of "base" and "hand", the first and the last link of the arm.

    Raises:
        UrdfError: If the file is not a valid URDF or has no such arm; names element and line.
        UnknownNameError: If side or tool is not known.
    """
    check_side(side)
    tree = read_urdf(source, snap)
    named = dict(links or {})
    for role, link in named.items():
        if role not in ("base", "hand"):
            raise UnknownNameError("role of a link", role, ("base", "hand"))
        if link not in tree.links:
            raise UnknownNameError("link", link, tree.links)
    base = named.get("base") or base_of(tree)
    hand = named.get("hand") or _hand(tree, side)
    whole, gripper, name = tree, None, "hand"
    if tree.extension is None:
        name = gripper_name(tree, hand)
        tree, gripper = without_gripper(tree, hand)
    chain = tree.chain(base, hand)
    found = tuple(joint.name for joint in chain.joints)
    if found != joint_names(side):
        shown = [*map(shortened, found[:10]), *["..."][: len(found) > 10]]
        raise UrdfError(
            f"the joints from '{shortened(base)}' to '{hand}' must be "
            f"{', '.join(joint_names(side))}; found {', '.join(shown) or 'none'}",
            f"link '{hand}'",
            tree.links[hand].line,
        )
    for joint, inertial in zip(chain.joints, chain.inertials, strict=True):
        try:
            inertial.check("it and all that is fixed to it")
        except ModelError as error:
            line = tree.links[joint.link].line
            raise UrdfError(str(error), f"link '{shortened(joint.link)}'", line) from error
    first = chain.joints[0]
    warn_if_other_mount(first.T_parent_joint, side)
    record = _read_record(tree, chain, side, source)
    model = ArmModel(
        side=side,
        joints=(dataclasses.replace(first, T_parent_joint=np.eye(4)), *chain.joints[1:]),
        inertials=(*chain.inertials[:-1], record.last_inertial),
        T_base_s0=first.T_parent_joint,
        T_last_hand=chain.T_last_tip,
        tool=_tool(tool, record.tool, gripper, name),
        payload=record.payload,
        gravity=record.gravity,
        snaps=chain.snaps,
    )
    return arm_with_frames(model, whole, base, gripper is None and record.tool.name == "hand")


def _hand(tree: UrdfTree, side: str) -> str:
    names = (f"{side}_hand", f"{side}_hand_link")
    for name in names:
        if name in tree.links:
            return name
    raise UrdfError(
        f"there is no link '{names[0]}' or '{names[1]}', so no {side} Baxter arm in this file; if "
        "it has another name, say links={'hand': ...}"
    )


def _tool(tool: ToolLike | None, recorded: Tool, gripper: Inertial | None, name: str) -> Tool:
    """The tool that was asked for; a 4 by 4 is about the tip, so a gripper keeps its mass."""
    found = recorded if tool is None else resolve_tool(tool, load_baxter().tools)
    if isinstance(tool, str | Tool) or gripper is None:
        return found
    try:
        return Tool(name, found.T_hand_tip, gripper)
    except ModelError as error:
        raise UrdfError(f"{error}; name a tool to put in its place") from error


class _Record(NamedTuple):
    """The data that `write_urdf` keeps beside URDF's own elements."""

    last_inertial: Inertial
    tool: Tool
    payload: Payload | None
    gravity: Vector3


def _read_record(tree: UrdfTree, chain: SerialChain, side: str, source: Source) -> _Record:
    whole = chain.inertials[-1]
    if tree.extension is None:
        return _Record(whole, load_baxter().tools["hand"], None, np.array(GRAVITY))
    extension = _record_of(tree.extension, side)
    tip = f"{chain.tip.removesuffix('_link').removesuffix('_hand')}_tip"
    T_hand_tip = tree.chain(chain.tip, tip).T_last_tip if tip in tree.links else np.eye(4)
    last, tool_body, payload_body = (
        _body(extension.one(tag)) for tag in ("last_link", "tool", "payload")
    )
    tool_element = extension.one("tool")
    name = "hand" if tool_element is None else tool_element.text("name")
    payload = None
    last_link, T_hand_last = chain.joints[-1].link, inverse(chain.T_last_tip)
    try:
        places = {last_link: T_hand_last, chain.tip: np.eye(4)}
        solids = named_solids(source, places, f"{side}_tool_")
        tool = Tool(name, T_hand_tip, tool_body, solids)
        if payload_body is not None:
            places = {last_link: inverse(T_hand_tip) @ T_hand_last, tip: np.eye(4)}
            solids = named_solids(source, places, f"{side}_payload_")
            payload = Payload(payload_body.mass, payload_body.com, payload_body.inertia, solids)
    except (InputError, ModelError) as error:
        extension.fail(str(error))
    if last is not None:
        total = last
        if tool_body is not None:
            total = total.combine(tool_body.at(chain.T_last_tip))
        if payload_body is not None:
            total = total.combine(payload_body.at(chain.T_last_tip @ T_hand_tip))
        if not _agree(total, whole):
            extension.fail(
                "its record of tool and payload does not add up to link "
                f"'{shortened(chain.joints[-1].link)}'; "
                "remove the <baxterkit> element if the link was edited by hand"
            )
    return _Record(
        whole if last is None else last,
        tool,
        payload,
        extension.numbers("gravity", 3),
    )


def _record_of(extension: Element, side: str) -> Element:
    """The record of one arm: in a file of the whole robot, each has its own."""
    arms = extension.all("arm")
    if not arms:
        return extension
    found = [arm for arm in arms if arm.text("side") == side]
    if len(found) != 1:
        extension.fail(
            f"there must be one <arm> of the {side} side here, and there are {len(found)}"
        )
    return found[0]


def _body(element: Element | None) -> Inertial | None:
    inertial = None if element is None else element.one("inertial")
    if inertial is None:
        return None
    return inertial_of(inertial, inertial.label, 0.0, [])


def _agree(a: Inertial, b: Inertial) -> bool:
    return (
        math.isclose(a.mass, b.mass, rel_tol=1e-9)
        and np.allclose(a.com, b.com, rtol=1e-9, atol=1e-12)
        and np.allclose(a.inertia, b.inertia, rtol=1e-9, atol=1e-12)
    )
