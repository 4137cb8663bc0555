"""Meshes and colours of the MuJoCo files: equal ones are written once."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from baxterkit.look.colors import Color
from baxterkit.look.shapes import Mesh
from baxterkit.sim.parts import BodyPart

FOLDER = "assets"
"""Folder of the meshes, beside the XML files."""
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


class Assets:
    """Meshes of several XML files that lie in one folder.

    Attributes:
        files: Contents of the mesh files, by name.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._names: dict[bytes, str] = {}

    def mesh(self, part: BodyPart) -> str:
        """Name of a part's mesh; a new one of that name for another shape has the body's too."""
        content = stl(part.mesh)
        if content not in self._names:
            name = part.name.replace(" ", "_")
            if f"{name}.stl" in self.files:
                name = f"{part.body}_{name}"
            self._names[content] = name
            self.files[f"{name}.stl"] = content
        return self._names[content]


class AssetList:
    """The element `asset` of one XML file."""

    def __init__(self, assets: Assets) -> None:
        self.element = ElementTree.Element("asset")
        self._assets = assets
        self._known: set[str] = set()

    def mesh(self, part: BodyPart) -> str:
        """Name of a part's mesh, which is in the list then."""
        name = self._assets.mesh(part)
        if name not in self._known:
            self._known.add(name)
            # Of a thin shell no volume is asked for: links have their inertia from the model.
            ElementTree.SubElement(
                self.element, "mesh", name=name, file=f"{name}.stl", inertia="shell"
            )
        return name

    def material(self, color: Color) -> str:
        """Name of a colour's material, which is in the list then."""
        name = "color_{:02x}{:02x}{:02x}".format(*color)
        if name not in self._known:
            self._known.add(name)
            rgba = " ".join(f"{x / 255.0:.4g}" for x in color) + " 1"
            ElementTree.SubElement(
                self.element, "material", name=name, rgba=rgba, specular="0.3", shininess="0.3"
            )
        return name


def stl(mesh: Mesh) -> bytes:
    """A mesh as a binary STL file."""
    corners = mesh.vertices[mesh.faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    triangles = np.zeros(len(corners), dtype=_TRIANGLE)
    triangles["corners"] = corners
    triangles["normal"] = normal / np.where(length > 0.0, length, 1.0)
    head = b"baxterkit".ljust(80) + np.uint32(len(corners)).astype("<u4").tobytes()
    content: bytes = head + triangles.tobytes()
    return content
