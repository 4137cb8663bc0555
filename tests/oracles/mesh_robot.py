"""The truth about collisions: the robot's visual meshes, by Pinocchio and coal.

Every pair of visuals is checked but those of links up to two joints apart on a chain and the
parts of one tool. The tools' meshes are those of `tool_meshes.py`; a tool counts as one joint
further than w2, as it does in the body. Head at zero.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import coal
import numpy as np
import pinocchio as pin

from baxterkit.collision import World
from baxterkit.model.library import load_baxter
from oracles.tool_meshes import STROKE, ToolMesh, tool_meshes

JOINTS = ("s0", "s1", "e0", "e1", "w0", "w1", "w2")
KINDS = ("meshes", "hulls", "description")
"""The visual meshes; the convex hull of each; the collision geometry of the description."""


def mended(mesh: coal.BVHModelOBBRSS) -> coal.BVHModelOBBRSS:
    """The mesh with the triangles of every material of its file.

    The loader counts the corners of each material's triangles from zero, though it keeps all
    corners in one list: the triangles of all materials but the first join the wrong ones.
    """
    corners = np.array(mesh.vertices())
    sides = (mesh.tri_indices(i) for i in range(mesh.num_tris))
    triangles = np.array([[side[0], side[1], side[2]] for side in sides])
    if triangles.max() + 1 == len(corners):
        return mesh
    first, offset = 0, 0
    starts = np.nonzero((np.sort(triangles, axis=1) == [0, 1, 2]).all(axis=1))[0]
    for end in (*starts[1:], len(triangles)):
        count = int(triangles[first:end].max()) + 1
        triangles[first:end] += offset
        first, offset = end, offset + count
    assert offset == len(corners), "the materials do not add up"
    whole = coal.BVHModelOBBRSS()
    whole.beginModel(len(triangles), len(corners))
    whole.addVertices(corners)
    whole.addTriangles(triangles.astype(np.int64))
    whole.endModel()
    return whole


@cache
def mesh_of(path: Path) -> coal.BVHModelOBBRSS:
    """The mesh of a file, whole."""
    return mended(coal.MeshLoader(coal.BV_OBBRSS).load(str(path), np.ones(3)))


def loaded(part: ToolMesh) -> coal.BVHModelOBBRSS:
    """A mesh of a tool, of its own: hulls are built in place."""
    return mesh_of(part.path).clone()


class MeshRobot:
    """The geometry of `baxter_description` in the folder that BAXTERKIT_MESHES names.

    Args:
        kind: One of `KINDS`; "description" has the gripper of the description, whatever `tools`.
        tools: Of the left and the right hand.
        opening: Of both hands, 0 (closed) to 1 (open).
    """

    def __init__(
        self,
        kind: str = "meshes",
        tools: tuple[str, str] = ("electric_extended_narrow", "electric_extended_narrow"),
        opening: float = 1.0,
    ) -> None:
        folder = Path(os.environ["BAXTERKIT_MESHES"]).resolve()
        text = (folder / "urdf" / "baxter.urdf").read_text(encoding="utf-8")
        # Its files are package://example-robot-data/robots/baxter_description/...
        packages = [str(folder.parents[2])]
        self.model = pin.buildModelFromXML(text)
        which = pin.GeometryType.COLLISION if kind == "description" else pin.GeometryType.VISUAL
        self.shapes = pin.buildGeomFromUrdfString(self.model, text, which, package_dirs=packages)
        for shape in self.shapes.geometryObjects:
            if hasattr(shape.geometry, "tri_indices") and shape.geometry.num_tris:
                shape.geometry = mended(shape.geometry)
        if kind != "description":
            self._change_tools(tools, opening)
        if kind == "hulls":
            for shape in self.shapes.geometryObjects:
                if hasattr(shape.geometry, "buildConvexHull"):  # a few are spheres
                    shape.geometry.buildConvexHull(True, "Qt")
                    shape.geometry = shape.geometry.convex
        places = [self._place(shape) for shape in self.shapes.geometryObjects]
        for a, (chain_a, depth_a) in enumerate(places):
            for b in range(a + 1, len(places)):
                chain_b, depth_b = places[b]
                together = chain_a == chain_b or "base" in (chain_a, chain_b)
                if kind == "description" and together and "base" not in (chain_a, chain_b):
                    continue  # there, links of one arm overlap in most configurations
                if not (together and abs(depth_a - depth_b) <= 2):
                    self.shapes.addCollisionPair(pin.CollisionPair(a, b))
        self._data, self._placed = self.model.createData(), self.shapes.createData()
        self._obstacles: list[str] = []
        self._rest = pin.neutral(self.model)
        for hand in "lr":
            self._rest[self._index(f"{hand}_gripper_l_finger_joint")] = opening * STROKE
            self._rest[self._index(f"{hand}_gripper_r_finger_joint")] = -opening * STROKE
        self._joints = [self._index(f"{side}_{j}") for side in ("left", "right") for j in JOINTS]

    def _change_tools(self, tools: tuple[str, str], opening: float) -> None:
        """Takes the description's grippers off, and puts these tools on, as they are opened."""
        for name in [s.name for s in self.shapes.geometryObjects if "gripper" in s.name]:
            self.shapes.removeGeometryObject(name)
        hand = load_baxter().T_last_hand
        for side, tool in zip(("left", "right"), tools, strict=True):
            last = self.model.getJointId(f"{side}_w2")
            for n, part in enumerate(tool_meshes(tool)):
                T = hand @ part.T
                T[1, 3] += part.opens * opening * STROKE
                label = f"{side} tool {n} {part.path.stem}"
                place = pin.SE3(T[:3, :3], T[:3, 3])
                self.shapes.addGeometryObject(pin.GeometryObject(label, last, place, loaded(part)))

    def touches(self, q: np.ndarray) -> np.ndarray:
        """Whether meshes touch, for joint positions of both arms, shape (n, 14)."""
        hits = np.zeros(len(q), dtype=bool)
        for i, row in enumerate(q):
            full = self._rest.copy()
            full[self._joints] = row
            pin.updateGeometryPlacements(self.model, self._data, self.shapes, self._placed, full)
            hits[i] = pin.computeCollisions(self.shapes, self._placed, True)
        return hits

    def stand_in(self, world: World, without: tuple[tuple[str, str], ...] = ()) -> None:
        """From now on the arms' meshes are checked against boxes and cylinders of a world too.

        Args:
            world: The obstacles.
            without: Pairs that are not checked: a part of a visual's name, such as "finger", and an
                obstacle.
        """
        for name in self._obstacles:
            self.shapes.removeGeometryObject(name)
        self._obstacles = [f"obstacle {name}" for name in world.names]
        places = [self._place(shape) for shape in self.shapes.geometryObjects]
        arms = [n for n, (chain, _) in enumerate(places) if chain in ("left", "right")]
        for name, label in zip(world.names, self._obstacles, strict=True):
            thing = world[name]
            if thing.kind == "box":
                solid = coal.Box(*thing.size)
            elif thing.kind == "cylinder":
                solid = coal.Cylinder(thing.size[1], thing.size[0])
            else:
                raise ValueError(f"{name} is a {thing.kind}")
            place = pin.SE3(thing.T[:3, :3], thing.T[:3, 3])
            number = self.shapes.addGeometryObject(pin.GeometryObject(label, 0, place, solid))
            for n in arms:
                visual = self.shapes.geometryObjects[n].name
                if not any(part in visual and what == name for part, what in without):
                    self.shapes.addCollisionPair(pin.CollisionPair(n, number))
        self._placed = self.shapes.createData()

    def touching(self, q: np.ndarray) -> list[tuple[str, str]]:
        """Names of the visuals and obstacles that touch at one configuration, shape (14,)."""
        full = self._rest.copy()
        full[self._joints] = q
        pin.updateGeometryPlacements(self.model, self._data, self.shapes, self._placed, full)
        pin.computeCollisions(self.shapes, self._placed, False)
        names = [shape.name for shape in self.shapes.geometryObjects]
        pairs = zip(self.shapes.collisionPairs, self._placed.collisionResults, strict=True)
        return [(names[p.first], names[p.second]) for p, found in pairs if found.isCollision()]

    def _index(self, joint: str) -> int:
        index: int = self.model.joints[self.model.getJointId(joint)].idx_q
        return index

    def _place(self, shape: pin.GeometryObject) -> tuple[str, int]:
        """The chain that a visual is on, and how many joints there are from base to it."""
        name: str = self.model.names[shape.parentJoint]
        if " tool " in shape.name:
            return shape.name.split()[0], 8
        if name == "universe":
            return "base", 0
        if name == "head_pan":
            return "head", 1
        if "gripper" in name:
            return {"l": "left", "r": "right"}[name[0]], 8
        side, joint = name.split("_")
        return side, 1 + JOINTS.index(joint)
