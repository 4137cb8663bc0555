"""`baxterkit tree`: links and joints of a robot (Ju et al., Fig. 4)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click
import numpy as np

from baxterkit import Baxter
from baxterkit.cli.options import IN_FILE, json_option
from baxterkit.cli.show import show_json
from baxterkit.cli.verbs import verb
from baxterkit.model.drawing import draw_tree, tree_dot
from baxterkit.model.head import HeadModel
from baxterkit.model.urdf_reader import read_urdf
from baxterkit.model.urdf_tree import UrdfJoint, UrdfLink, UrdfTree
from baxterkit.types import Transform


@verb(
    "tree",
    "baxterkit tree",
    "baxterkit tree my_baxter.urdf --mark left_hand",
    "baxterkit tree --dot | dot -Tsvg > tree.svg",
)
@click.argument("file", required=False, type=IN_FILE)
@click.option("--mark", metavar="LINK", help="Mark the path from the root to this link.")
@click.option("--dot", is_flag=True, help="Print a graph for graphviz.")
@json_option
def command(file: Path | None, mark: str | None, dot: bool, as_json: bool) -> None:
    """Links and joints of a URDF file, or of the built-in robot, as a tree."""
    if dot and as_json:
        raise click.UsageError("give one of --dot and --json")
    tree = builtin_tree() if file is None else read_urdf(file)
    ends = None if mark is None else (tree.root, mark)
    if as_json:
        joints = [
            {"name": j.name, "kind": j.kind, "parent": j.parent, "child": j.child}
            for j in tree.joints.values()
        ]
        marked = [] if ends is None else [joint.name for joint in tree.path(*ends)]
        result = {"name": tree.name, "root": tree.root, "links": list(tree.links)}
        show_json({**result, "joints": joints, "marked": marked})
    elif dot:
        click.echo(tree_dot(tree, ends), nl=False)
    else:
        click.echo(draw_tree(tree, mark=ends))


def builtin_tree() -> UrdfTree:
    """The built-in robot, both arms and the head, as one tree."""
    robot = Baxter()
    left, right = (read_urdf(arm.to_urdf()) for arm in (robot.left, robot.right))
    head = _head_joints(robot.head)
    head_links = {joint.child: UrdfLink(joint.child, None, 0) for joint in head}
    return dataclasses.replace(
        left,
        name="baxter",
        links={**left.links, **head_links, **right.links},
        joints={**{joint.name: joint for joint in head}, **left.joints, **right.joints},
    )


def _head_joints(head: HeadModel) -> tuple[UrdfJoint, ...]:
    fixed = np.zeros(3)
    return (
        _joint("head_pan", "base", "head", head.T_base_pan, np.array([0.0, 0.0, 1.0])),
        _joint("head_nod", "head", "screen", head.T_head_screen, fixed),
        _joint("head_camera", "head", "head_camera", head.T_head_camera, fixed),
    )


def _joint(
    name: str, parent: str, child: str, T_parent_joint: Transform, axis: Transform
) -> UrdfJoint:
    kind = "revolute" if axis.any() else "fixed"
    return UrdfJoint(
        name, kind, parent, child, T_parent_joint, axis,
        lower=-np.inf, upper=np.inf, velocity=np.inf, effort=np.inf,
        damping=0.0, friction=0.0, mimic=None, line=0,
    )  # fmt: skip
