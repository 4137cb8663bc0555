"""The tree of a URDF as text, and as Graphviz DOT: Ju et al.'s Fig. 4.

In that figure a link is a box and a joint an ellipse, and the path from base to hand is bold. In
the text a link stands in brackets, a joint in parentheses with its kind, and `*` marks the path.
"""

from __future__ import annotations

from collections.abc import Iterator

from baxterkit.model.urdf_tree import UrdfJoint, UrdfTree

DRAWN_DEPTH = 100
"""Depth, in joints from the root, that the text shows; each level indents by four columns."""


def draw_tree(tree: UrdfTree, root: str | None = None, mark: tuple[str, str] | None = None) -> str:
    """The tree as text, one joint and its child link per line.

    Args:
        tree: A tree from `read_urdf`.
        root: Link to start from; the tree's root if None.
        mark: Two links: the path from the first to the second is marked with `*`.

    Returns:
        Lines such as `├── (left_s0, revolute) ── [left_upper_shoulder] *`. Joints deeper than
        `DRAWN_DEPTH` are counted, not drawn.

    Raises:
        UnknownNameError: If a link does not exist.
        UrdfError: If the second link of `mark` is not below the first.
    """
    start = tree.root if root is None else root
    tree.path(start, start)  # raises for an unknown link
    marked = _marked(tree, mark)
    lines = [f"[{start}]{' *' if mark is not None and start in _links(tree, mark) else ''}"]
    # A stack of (joint, prefix, is last child): deep trees must not exhaust Python's own.
    stack = list(_below(tree, start, ""))[::-1]
    while stack:
        joint, prefix, last = stack.pop()
        star = " *" if joint.name in marked else ""
        branch = "└── " if last else "├── "
        lines.append(f"{prefix}{branch}({joint.name}, {joint.kind}) ── [{joint.child}]{star}")
        prefix += "    " if last else "│   "
        if len(prefix) < 4 * DRAWN_DEPTH:
            stack.extend(list(_below(tree, joint.child, prefix))[::-1])
        elif tree.child_joints[joint.child]:
            left_out = _count_below(tree, joint.child)
            lines.append(f"{prefix}└── ... deeper than {DRAWN_DEPTH}, left out: {left_out} joints")
    return "\n".join(lines)


def tree_dot(tree: UrdfTree, mark: tuple[str, str] | None = None) -> str:
    """The tree in Graphviz's DOT language: links as boxes, joints as ellipses.

    Args:
        tree: A tree from `read_urdf`.
        mark: Two links: the path from the first to the second is drawn bold.
    """
    marked = _marked(tree, mark)
    bold_links = _links(tree, mark) if mark is not None else frozenset()
    lines = ["digraph robot {", "  node [fontname=sans];"]
    for name in tree.links:
        bold = ", style=bold" if name in bold_links else ""
        lines.append(f"  {_quoted('link ' + name)} [label={_quoted(name)}, shape=box{bold}];")
    for joint in tree.joints.values():
        bold = ", style=bold" if joint.name in marked else ""
        label = _quoted(f"{joint.name}\n{joint.kind}")
        node = _quoted("joint " + joint.name)
        lines.append(f"  {node} [label={label}, shape=ellipse{bold}];")
        edge = " [style=bold]" if joint.name in marked else ""
        lines.append(f"  {_quoted('link ' + joint.parent)} -> {node}{edge};")
        lines.append(f"  {node} -> {_quoted('link ' + joint.child)}{edge};")
    return "\n".join([*lines, "}", ""])


def _marked(tree: UrdfTree, mark: tuple[str, str] | None) -> frozenset[str]:
    return frozenset(joint.name for joint in tree.path(*mark)) if mark is not None else frozenset()


def _links(tree: UrdfTree, mark: tuple[str, str]) -> frozenset[str]:
    return frozenset([mark[0], *(joint.child for joint in tree.path(*mark))])


def _below(tree: UrdfTree, link: str, prefix: str) -> Iterator[tuple[UrdfJoint, str, bool]]:
    joints = tree.child_joints[link]
    for i, joint in enumerate(joints):
        yield joint, prefix, i == len(joints) - 1


def _count_below(tree: UrdfTree, link: str) -> int:
    """Number of joints below a link."""
    count, queue = 0, [link]
    while queue:
        below = tree.child_joints[queue.pop()]
        count += len(below)
        queue.extend(joint.child for joint in below)
    return count


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
