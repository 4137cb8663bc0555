"""Objects from files of other programs: URDF, SDF and Gazebo worlds, MoveIt's planning scenes.

Only what is checked exactly is read: boxes, spheres, cylinders, capsules and planes, and of a URDF
boxes around its meshes. Anything else is refused, since an obstacle that is left out is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import numpy as np

from baxterkit import disk
from baxterkit.collision.obstacle import Color, Obstacle, plane_pose
from baxterkit.disk.tables import MOST_BYTES
from baxterkit.errors import BaxterkitError, ModelError, shortened
from baxterkit.model.tool_files import urdf_solids
from baxterkit.model.urdf_reader import read_urdf
from baxterkit.model.xml_reader import SDF, Element, parse_xml
from baxterkit.spatial.formulas import quaternion_to_matrix, rpy_to_matrix, transform
from baxterkit.types import Array, Transform

NOT_READ = "is not read; put boxes, spheres or cylinders in its place"
NOTHING = "has no <collision> shape, so nothing of it would be seen; give it one, or take it out"
"""What is shown alone (<visual>) is not checked."""
MOST_SHAPES = 100_000
"""Largest number of shapes that a file may announce."""


def read(path: Path) -> list[Obstacle]:
    """The objects of a .urdf, .sdf, .world or .scene file, in the file's frame.

    Raises:
        ModelError: If it cannot be read; names the file, and the element or the line.
    """
    try:
        return READERS[path.suffix](path)
    except BaxterkitError as error:
        text = str(error)
        raise ModelError(text if str(path) in text else f"{path}: {text}") from error


def _urdf(path: Path) -> list[Obstacle]:
    tree = read_urdf(path)
    solids = urdf_solids(tree, tree.root, path)
    name = tree.name.strip() or path.stem
    if not solids:
        raise ModelError(f"robot {shortened(repr(name))} {NOTHING}")
    names = _numbered(name, len(solids))
    return [Obstacle(s.kind, s.size, s.T, name) for s, name in zip(solids, names, strict=True)]


def _sdf(path: Path) -> list[Obstacle]:
    root, found = parse_xml(path, SDF), []
    for outer in (root, *root.all("world")):
        _refuse(outer, "include", "frame")
        for model in outer.all("model"):
            shapes = list(_shapes(model, np.eye(4)))
            if not shapes and not _has_collision(model):
                model.fail(f"it {NOTHING}")
            names = _numbered(model.text("name"), len(shapes))
            found += [Obstacle(*shape, name) for shape, name in zip(shapes, names, strict=True)]
    return found


def _shapes(model: Element, T: Transform) -> Iterator[tuple[str, tuple[float, ...], Transform]]:
    """Kind, size and pose of each shape of a model of an SDF."""
    _refuse(model, "include")
    T = T @ _pose(model)
    for inner in model.all("model"):
        yield from _shapes(inner, T)
    for link in model.all("link"):
        T_link = T @ _pose(link)
        for part in link.all("collision"):
            geometry = part.one("geometry")
            if geometry is None or len(geometry.children) != 1:
                part.fail(f"its geometry {NOT_READ}")
            (shape,), at = geometry.children, T_link @ _pose(part)
            if shape.tag in ("cylinder", "capsule"):
                yield shape.tag, (_value(shape, "length"), _value(shape, "radius")), at
            elif shape.tag == "box":
                yield "box", tuple(_values(shape, "size", 3).tolist()), at
            elif shape.tag == "sphere":
                yield "sphere", (_value(shape, "radius"),), at
            elif shape.tag == "plane":
                n = _values(shape, "normal", 3) if shape.children else np.array([0.0, 0.0, 1.0])
                if not n.any():
                    shape.fail("its normal is zero; it must have a direction")
                yield "plane", (), at @ plane_pose(n, 0.0)


def _has_collision(model: Element) -> bool:
    """Whether it has an element <collision>, be it an empty one."""
    within = any(_has_collision(inner) for inner in model.all("model"))
    return within or any(link.all("collision") for link in model.all("link"))


def _pose(element: Element) -> Transform:
    """The pose of an element of an SDF in the one around it."""
    pose = element.one("pose")
    if "placement_frame" in element.attributes:
        element.fail("placement_frame is not read; give the pose of the model's own frame")
    if pose is None:
        return np.eye(4)
    extra = sorted(set(pose.attributes) - {"content"})
    if extra:
        pose.fail(f"{extra[0]} is not read; give x y z roll pitch yaw [m, rad] in what is around")
    x = pose.numbers("content", 6)
    return transform(rpy_to_matrix(x[3:]), x[:3])


def _values(shape: Element, tag: str, count: int) -> Array:
    value = shape.one(tag)
    if value is None:
        shape.fail(f"<{tag}> is missing")
    return value.numbers("content", count)


def _value(shape: Element, tag: str) -> float:
    return float(_values(shape, tag, 1)[0])


def _refuse(element: Element, *tags: str) -> None:
    for tag in tags:
        for one in element.all(tag):
            one.fail(f"<{tag}> is not read; put what it stands for in its place")


def _numbered(name: str, count: int) -> list[str]:
    return [name if k == 0 else f"{name} {k + 1}" for k in range(count)]


class _Words:
    """The words of a planning scene, with their lines; an object's `* name` is one word."""

    def __init__(self, path: Path) -> None:
        self.path, self.line = path, 1
        text = disk.decoded(disk.read_bytes(path, MOST_BYTES, "leave its meshes out"), path)
        lines = text.splitlines()[1:]
        objects = [k for k, line in enumerate(lines) if line.lstrip().startswith("*")]
        after = lines[objects[0] + 1] if objects and objects[0] + 1 < len(lines) else ""
        self.has_poses = len(after.split()) > 1  # of objects; older files have those of shapes
        self.words = iter(
            [
                (k, word)
                for k, line in enumerate(lines, start=2)
                for word in ([line.strip()] if line.lstrip().startswith("*") else line.split())
            ]
        )

    def fail(self, message: str) -> NoReturn:
        raise ModelError(f"{self.path}, line {self.line}: {message}")

    def next(self) -> str:
        self.line, word = next(self.words, (self.line, ""))
        if not word:
            self.fail("the file ends here; a planning scene ends with a line '.'")
        return word

    def numbers(self, count: int) -> Array:
        found = np.empty(count)
        for k in range(count):
            word = self.next()
            try:
                found[k] = float(word)
            except ValueError:
                self.fail(f"{shortened(repr(word))} where a number is expected")
            if not np.isfinite(found[k]):
                self.fail(f"{shortened(word)} is not finite")
        return found

    def count(self) -> int:
        (number,) = self.numbers(1)
        if number not in range(MOST_SHAPES):
            self.fail(f"{number:g} is not a number of shapes or frames")
        return int(number)

    def pose(self) -> Transform:
        p, q = self.numbers(3), self.numbers(4)
        if not np.linalg.norm(q) > 1e-9:
            self.fail("the quaternion is zero; it must have a direction")
        return transform(quaternion_to_matrix(q / np.linalg.norm(q)), p)


def _scene(path: Path) -> list[Obstacle]:
    words, found = _Words(path), []
    while (mark := words.next()) != ".":
        if not mark.startswith("*"):
            words.fail(f"{shortened(repr(mark))} where an object, '* name', is expected, or '.'")
        T = words.pose() if words.has_poses else np.eye(4)
        for name in _numbered(mark[1:].strip(), words.count()):
            kind, size, at = words.next(), (), np.eye(4)
            if kind == "plane":  # a x + b y + c z + d = 0
                *n, d = words.numbers(4)
                length = float(np.linalg.norm(n))
                if not length > 0.0:
                    words.fail("the plane's normal is zero; it must have a direction")
                at = plane_pose(np.array(n), -d / length)
            elif kind in ("box", "sphere", "cylinder"):
                size = tuple(words.numbers({"box": 3, "sphere": 1, "cylinder": 2}[kind]).tolist())
                size = size[::-1] if kind == "cylinder" else size
            else:
                words.fail(f"a {shortened(kind)} {NOT_READ}")
            T_part = words.pose() @ at
            red, green, blue, _ = np.clip(words.numbers(4), 0.0, 1.0).tolist()
            color: Color | None = (red, green, blue) if red + green + blue > 0.0 else None
            found.append(Obstacle(kind, size, T @ T_part, name, color=color))
        for _ in range(words.count() if words.has_poses else 0):
            words.next()
            words.pose()
    return found


READERS = {".urdf": _urdf, ".sdf": _sdf, ".world": _sdf, ".scene": _scene}
"""How the files of other programs are read, by their ending."""
