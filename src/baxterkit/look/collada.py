"""Triangles and colours from a COLLADA file (.dae), as far as Rethink's meshes need it.

One level of geometry, polygons or triangles, one plain colour per material. The up axis is ignored,
as in ROS's own tools: the robot's description places the meshes as they are.
"""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from baxterkit import disk
from baxterkit.errors import BaxterkitError, InputError, shortened
from baxterkit.look.colors import Color
from baxterkit.look.robot import STEEL
from baxterkit.look.shapes import Mesh
from baxterkit.types import Array

Integers = NDArray[np.int64]

MOST_BYTES = 64 * 2**20
MOST_ELEMENTS = 100_000
"""Bounds of a mesh file; Rethink's largest has 6 MB and fewer than 100 elements."""


def read_collada(path: str | Path) -> list[tuple[Mesh, Color]]:
    """The meshes of a file, one for each material, each with its colour.

    Args:
        path: A .dae file.

    Raises:
        InputError: If it is not COLLADA, or holds no polygons.
    """
    path = disk.as_path(path)
    try:
        root = _parsed(disk.read_bytes(path, MOST_BYTES, "a mesh of the robot has a few MB"))
        colors = _colors(root)
        found = []
        for mesh in root.iterfind(".//{*}geometry/{*}mesh"):
            positions = _positions(mesh)
            for kind in ("polylist", "triangles"):
                for group in mesh.iterfind(f"{{*}}{kind}"):
                    color = colors.get(group.get("material", ""), STEEL)
                    found.append((_mesh(group, positions), color))
    except BaxterkitError:
        raise
    except (SyntaxError, LookupError, ValueError, AttributeError, OverflowError) as error:
        reason = shortened(str(error), 200)
        raise InputError(f"{path} is not a COLLADA mesh that can be read: {reason}") from error
    drawn = [(mesh, color) for mesh, color in found if len(mesh.faces)]
    if not drawn:
        raise InputError(f"{path} holds no polygons")
    return drawn


def _parsed(data: bytes) -> ElementTree.Element:
    """The outermost element; raises ValueError for more elements than a mesh has."""
    events = ElementTree.iterparse(io.BytesIO(data), events=("start",))
    root: ElementTree.Element | None = None
    for count, (_, element) in enumerate(events):
        root = element if root is None else root
        if count >= MOST_ELEMENTS:
            raise ValueError(f"it has more than {MOST_ELEMENTS} elements")
    if root is None:
        raise ValueError("it is empty")
    return root


def _positions(mesh: ElementTree.Element) -> Array:
    """The corners that the polygons of a mesh refer to, shape (n, 3)."""
    entry = mesh.find("{*}vertices/{*}input[@semantic='POSITION']")
    if entry is None:
        raise ValueError("its corners have no positions")
    name = entry.attrib["source"].lstrip("#")
    for source in mesh.iterfind("{*}source"):
        if source.get("id") == name:
            return _floats(source.find("{*}float_array")).reshape(-1, 3)
    raise KeyError(f"source {name}")


def _mesh(group: ElementTree.Element, positions: Array) -> Mesh:
    inputs = {entry.get("semantic"): int(entry.get("offset", "0")) for entry in group if _is(entry)}
    stride = max(inputs.values()) + 1
    corners = _integers(group.find("{*}p")).reshape(-1, stride)
    counts = group.find("{*}vcount")
    triangles = (
        np.arange(len(corners)).reshape(-1, 3) if counts is None else _fans(_integers(counts))
    )
    # A corner is a position with a normal: at sharp edges a position has several of them, and
    # shading must not smooth the edge away.
    keys = corners[:, sorted({inputs["VERTEX"], inputs.get("NORMAL", inputs["VERTEX"])})]
    unique, index = np.unique(keys, axis=0, return_inverse=True)
    column = 0 if inputs["VERTEX"] <= inputs.get("NORMAL", inputs["VERTEX"]) else 1
    vertices = positions[unique[:, column]]
    if not np.isfinite(vertices).all():
        raise ValueError("a corner is not finite")
    return Mesh(vertices, index.reshape(-1)[triangles])


def _fans(counts: Integers) -> Integers:
    """Triangles of polygons with the given numbers of corners, as rows of corner indices."""
    starts = np.cumsum(counts) - counts
    if (counts == 3).all():
        return starts[:, None] + np.arange(3)
    rows = [
        (start, start + i, start + i + 1)
        for start, count in zip(starts.tolist(), counts.tolist(), strict=True)
        for i in range(1, count - 1)
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _colors(root: ElementTree.Element) -> dict[str, Color]:
    """Material -> its diffuse colour."""
    effects = {}
    for effect in root.iterfind(".//{*}effect"):
        color = effect.find(".//{*}diffuse/{*}color")
        if color is not None:
            effects[effect.get("id")] = _srgb(_floats(color)[:3])
    found = {}
    for material in root.iterfind(".//{*}material"):
        entry = material.find("{*}instance_effect")
        effect_id = "" if entry is None else entry.get("url", "").lstrip("#")
        if effect_id in effects:
            found[material.get("id", "")] = effects[effect_id]
    return found


def _srgb(linear: Array) -> Color:
    """A linear colour as sRGB."""
    red, green, blue = (255.0 * np.clip(linear, 0.0, 1.0) ** (1.0 / 2.2)).round().astype(int)
    return int(red), int(green), int(blue)


def _floats(element: ElementTree.Element | None) -> Array:
    return np.array((element.text or "").split() if element is not None else [], dtype=np.float64)


def _integers(element: ElementTree.Element | None) -> Integers:
    return np.array((element.text or "").split() if element is not None else [], dtype=np.int64)


def _is(element: ElementTree.Element) -> bool:
    return element.tag.rsplit("}", 1)[-1] == "input"
