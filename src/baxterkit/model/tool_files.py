"""Tools from files: a gripper's URDF, or a mesh with a density."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import disk
from baxterkit.errors import InputError, ModelError, UnknownNameError, UrdfError, shortened
from baxterkit.extras import load_extra
from baxterkit.model.inertial import Inertial
from baxterkit.model.names import SIDES, joint_names
from baxterkit.model.parts import SNAP_TOLERANCE, rigid
from baxterkit.model.shape import Solid
from baxterkit.model.urdf_reader import origin_of, read_urdf
from baxterkit.model.urdf_tree import UrdfTree
from baxterkit.model.xml_reader import Element, Source, parse_xml
from baxterkit.types import Array, Transform

ROLES = ("base", "tip")
"""Links of a tool that have a role: the one that is bolted to the hand, and the tip's frame."""
TIP_WORDS = ("tip", "tcp", "tool", "endpoint", "grasp")
"""A tip's link is recognised by one of these in its name, if there is one such link only."""
ARM_JOINTS = frozenset(name for side in SIDES for name in joint_names(side))
"""Joints that no tool has: a file that has them is a robot's."""
LARGEST = 3.0
"""A tool larger than this [m] is a file in millimetres."""
CAP_TOLERANCE = 1e-9
"""How far from the end of a cylinder the sphere of a capsule may be [m]: rounding of the file."""


ToolFields: TypeAlias = tuple[str, Transform, Inertial | None, tuple[Solid, ...]]
"""Name, T_hand_tip, inertial and shape of a tool."""


def tool_from_urdf(
    source: Source,
    links: Mapping[str, str] | None,
    T_hand_base: ArrayLike | None,
    name: str | None,
    shape: bool,
) -> ToolFields:
    """The fields of `Tool.from_urdf`."""
    tree = read_urdf(source)
    roles = dict(links or {})
    for role in roles:
        if role not in ROLES:
            raise UnknownNameError("role of a link", role, ROLES)
    base = roles.get("base", tree.root)
    if base not in tree.links:
        raise UnknownNameError("link", base, tree.links)
    tip = roles.get("tip") or _tip_of(tree, base)
    T = np.eye(4) if T_hand_base is None else rigid(T_hand_base, "T_hand_base")
    T_base_tip = np.eye(4)
    path = tree.path(base, tip)
    of_arm = [joint.name for joint in path if joint.name in ARM_JOINTS]
    if of_arm:
        side = of_arm[0].partition("_")[0]
        raise InputError(
            f"the joint {of_arm[0]} of the arm is between {shortened(base)} and {shortened(tip)}; "
            f"say which link is bolted to the hand: links={{'base': '{side}_hand'}} or another"
        )
    for joint in path:
        T_base_tip = T_base_tip @ joint.T_parent_joint
    body = tree.lump(base)
    solids = _shape_of(tree, base, source) if shape else []
    label = name or shortened(tree.name.strip() or "custom")
    inertial = body.at(T) if body.mass > 0.0 else None
    return label, T @ T_base_tip, inertial, tuple(solid.at(T) for solid in solids)


def _shape_of(tree: UrdfTree, base: str, source: Source) -> list[Solid]:
    try:
        return urdf_solids(tree, base, source)
    except UrdfError as error:
        message = f"{error.message}; shape=False leaves the shape out"
        raise UrdfError(message, error.element, error.line) from error


def tool_from_mesh(
    path: str | os.PathLike[str],
    density: float | None,
    mass: float | None,
    T_hand_mesh: ArrayLike | None,
    T_hand_tip: ArrayLike | None,
    scale: float,
    hull: bool,
    name: str | None,
) -> ToolFields:
    """The fields of `Tool.from_mesh`."""
    if (density is None) == (mass is None):
        raise InputError("give the density [kg/m^3] or the mass [kg] of the tool, one of them")
    for what, value in (("density", density), ("mass", mass), ("scale", scale)):
        if value is not None and not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{what} must be above zero, got {value:g}")
    mesh = _load_mesh(disk.as_path(path), scale)
    T = np.eye(4) if T_hand_mesh is None else rigid(T_hand_mesh, "T_hand_mesh")
    solid = mesh.convex_hull if hull else mesh
    if not solid.is_volume:
        raise InputError(
            f"{path}: the mesh is not a closed surface, so it has no volume; repair it, or take "
            "its convex hull with hull=True"
        )
    mesh.apply_transform(T)
    if solid is not mesh:
        solid.apply_transform(T)
    solid.density = density if mass is None else mass / float(solid.volume)
    body = Inertial(float(solid.mass), solid.center_mass, _symmetric(solid.moment_inertia))
    if T_hand_tip is None:
        tip = np.eye(4)
        tip[2, 3] = float(mesh.bounds[1, 2])
    else:
        tip = rigid(T_hand_tip, "T_hand_tip")
    label = name or shortened(disk.as_path(path).stem.strip() or "custom")
    return label, tip, body, (_box_around(mesh),)


def _load_mesh(path: Path, scale: float) -> Any:
    trimesh = load_extra("trimesh", feature="Reading meshes", package="trimesh", extra="mesh")
    disk.read_start(path, 1)  # a missing file is refused in our words
    try:
        mesh = trimesh.load(path, force="mesh")
        faces = len(mesh.faces)
    except Exception as error:  # a broken file makes the readers raise nearly anything
        reason = shortened(" ".join(str(error).split()), 200)
        raise InputError(f"{path} is not a mesh that trimesh reads: {reason}") from error
    if not faces or not np.isfinite(mesh.vertices).all():
        raise InputError(f"{path} holds no triangles, or points that are not finite")
    mesh.apply_scale(scale)
    largest = float(np.max(mesh.extents))
    if largest > LARGEST:
        raise InputError(
            f"{path} is {largest:g} m long, more than {LARGEST:g} m; if it is in millimetres, give "
            "scale=0.001"
        )
    return mesh


def _box_around(mesh: Any) -> Solid:
    """The smallest box around a mesh."""
    box = mesh.bounding_box_oriented.primitive
    size = np.maximum(np.asarray(box.extents, dtype=np.float64), 1e-6)
    T = np.asarray(box.transform, dtype=np.float64)
    if np.linalg.det(T[:3, :3]) < 0.0:  # a mirror image of a box is a box
        T = T @ np.diag([-1.0, 1.0, 1.0, 1.0])
    return Solid("box", tuple(size.tolist()), rigid(T, "the box around a mesh"))


def _tip_of(tree: UrdfTree, base: str) -> str:
    """The link that is the tip, where no doubt is left."""
    below = tree.below(base)
    leaves = [name for name in below if not tree.child_joints[name]]
    if len(leaves) == 1:
        return leaves[0]
    named = [name for name in below if any(word in name.lower() for word in TIP_WORDS)]
    if len(named) == 1:
        return named[0]
    raise InputError(
        f"which link is the tip? say links={{'tip': ...}}; the last links are "
        f"{shortened(', '.join(leaves), 200)}"
    )


def urdf_solids(tree: UrdfTree, base: str, source: Source) -> list[Solid]:
    """The collision geometry below a link, in its frame, joints at zero; boxes around meshes."""
    elements = {element.text("name"): element for element in parse_xml(source).all("link")}
    solids: list[Solid] = []
    queue: list[tuple[str, Transform]] = [(base, np.eye(4))]
    while queue:
        link, T = queue.pop()
        for part in elements[link].all("collision"):
            solids += _part_solids(part, T, source)
        queue += [(joint.child, T @ joint.T_parent_joint) for joint in tree.child_joints[link]]
    return solids


def named_solids(source: Source, links: Mapping[str, Transform], name: str) -> tuple[Solid, ...]:
    """The collision elements whose names begin so: what we wrote, once on other links than now.

    A cylinder with spheres of its radius at both ends is a capsule (`urdf_writer`).

    Args:
        source: The file.
        links: Where they may be, and the pose of each link in the frame of the answer.
        name: How their names begin.
    """
    found: list[Solid] = []
    for element in parse_xml(source).all("link"):
        T = links.get(element.text("name"))
        for part in element.all("collision"):
            if T is not None and part.attributes.get("name", "").startswith(name):
                found += _part_solids(part, T, source)
                if len(found) > 2 and _is_capsule(*found[-3:]):
                    found[-3:] = [Solid("capsule", found[-3].size, found[-3].T)]
    return tuple(found)


def _is_capsule(middle: Solid, start: Solid, end: Solid) -> bool:
    """Whether these are a cylinder and the spheres at its ends."""
    if [solid.kind for solid in (middle, start, end)] != ["cylinder", "sphere", "sphere"]:
        return False
    height, radius = middle.size
    places = [middle.T @ [0.0, 0.0, z, 1.0] for z in (-height / 2, height / 2)]
    return all(
        cap.size == (radius,) and np.abs(cap.T[:, 3] - place).max() < CAP_TOLERANCE
        for cap, place in zip((start, end), places, strict=True)
    )


def _part_solids(part: Element, T: Transform, source: Source) -> list[Solid]:
    """The solids of a collision element; `T` is the pose of its link."""
    T_link_part = origin_of(part, part.label, SNAP_TOLERANCE, [])
    geometry = part.one("geometry")
    if geometry is None or not geometry.children:
        part.fail("its geometry is not a box, sphere, cylinder, capsule or mesh")
    return [_solid(shape, T @ T_link_part, source) for shape in geometry.children]


def _solid(shape: Element, T: Transform, source: Source) -> Solid:
    if shape.tag == "box":
        size: Array = shape.numbers("size", 3)
        return _checked(shape, "box", size, T)
    if shape.tag == "sphere":
        return _checked(shape, "sphere", shape.numbers("radius", 1), T)
    if shape.tag in ("cylinder", "capsule"):
        size = np.array([shape.number("length"), shape.number("radius")])
        return _checked(shape, shape.tag, size, T)
    file = shape.text("filename")
    scale = shape.numbers("scale", 3, 1.0)
    if not np.allclose(scale, scale[0]):
        shape.fail(f"scale {scale.tolist()} differs between axes; scale the mesh itself")
    mesh = _load_mesh(_mesh_path(shape, file, source), float(scale[0]))
    box = _box_around(mesh)
    return box.at(T)


def _checked(shape: Element, kind: str, size: Array, T: Transform) -> Solid:
    try:
        return Solid(kind, tuple(size.tolist()), T)
    except ModelError as error:
        shape.fail(str(error))


def _mesh_path(shape: Element, file: str, source: Source) -> Path:
    """Where a mesh lies: beside the URDF, or by its path in its package above it."""
    inside = file.removeprefix("file://")
    if inside.startswith("package://"):
        inside = inside.removeprefix("package://")
    is_text = isinstance(source, bytes) or (isinstance(source, str) and "<" in source)
    folder = Path.cwd() if is_text else Path(os.fspath(source)).resolve().parent  # type: ignore[arg-type]
    places = [folder, *folder.parents]
    names = [inside, inside.partition("/")[2]] if file.startswith("package://") else [inside]
    for place in places:
        for name in filter(None, names):
            if (place / name).is_file():
                return place / name
    shape.fail(
        f"the mesh {shortened(file)} is not beside the file nor in a folder above it; put it "
        "there, or put boxes, spheres or cylinders in its place"
    )


def _symmetric(inertia: ArrayLike) -> Array:
    matrix = np.asarray(inertia, dtype=np.float64)
    return 0.5 * (matrix + matrix.T)
