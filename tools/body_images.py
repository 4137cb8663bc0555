"""Draws the body over the robot's meshes: docs/images/body_standing.png, _arm.png and _tools.png.

Meshes are those of `example-robot-data`, in the folder that BAXTERKIT_MESHES names; the vacuum
gripper's is in the folder that BAXTERKIT_TOOL_MESHES names, and coal reads them. Views are
orthographic. The outline of each primitive is the convex hull of points of its surface.

Usage: python tools/body_images.py
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from baxterkit import Arm, Baxter
from baxterkit.collision.body import ARM_LINKS, BodyBox, BodyCapsule, load_body
from baxterkit.collision.hand import DrawnCapsule, arm_capsules
from baxterkit.look.colors import JOINT_COLORS
from baxterkit.look.meshes import load_meshes

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from oracles.mesh_robot import mesh_of  # noqa: E402
from oracles.tool_meshes import STROKE, TOOLS, tool_meshes  # noqa: E402

IMAGES = ROOT / "docs" / "images"
MESH, PRIMITIVES = "#7f868f", {"torso": "#D55E00", "pedestal": "#0072B2", "head": "#009E73"}
FRONT, SIDE, TOP = (1, 2), (0, 2), (0, 1)


def sphere_points(n: int = 400) -> np.ndarray:
    """Points spread over the unit sphere."""
    k = np.arange(n) + 0.5
    z, around = 1.0 - 2.0 * k / n, np.pi * (1.0 + np.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(around), r * np.sin(around), z], axis=-1)


BALL = sphere_points()


def outline(points: np.ndarray) -> np.ndarray:
    """The convex hull of points of a plane, in order."""
    order = points[np.lexsort(points.T[::-1])]
    hull: list[np.ndarray] = []
    for rows in (order, order[::-1]):
        part: list[np.ndarray] = []
        for point in rows:
            while len(part) > 1 and _turn(part[-2], part[-1], point) <= 0.0:
                part.pop()
            part.append(point)
        hull += part[:-1]
    return np.array(hull)


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def surface(shape: BodyCapsule | DrawnCapsule | BodyBox) -> np.ndarray:
    """Points of a primitive's surface, in the frame of its link."""
    if not isinstance(shape, BodyBox):
        ends = [shape.start, shape.end]
    else:
        corners = np.array(np.meshgrid(*([-1.0, 1.0],) * 3)).reshape(3, -1).T
        ends = list(shape.center + (corners * shape.half) @ shape.R.T)
    return np.concatenate([end + shape.radius * BALL for end in ends])


def draw_mesh(axes: Axes, vertices: np.ndarray, faces: np.ndarray, view: tuple[int, int]) -> None:
    """Fills the triangles of a mesh."""
    flat = vertices[:, list(view)]
    axes.add_collection(
        PolyCollection(flat[faces], facecolors=MESH, edgecolors=MESH, linewidths=0.2)
    )


def draw_shape(axes: Axes, points: np.ndarray, view: tuple[int, int], color: str) -> None:
    """Outlines a primitive."""
    hull = outline(points[:, list(view)])
    axes.fill(*hull.T, facecolor=color, alpha=0.10)
    axes.plot(*np.vstack([hull, hull[:1]]).T, color=color, linewidth=0.7)


def finish(axes: Axes, view: tuple[int, int], title: str) -> None:
    """Equal scales, metres, a title."""
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_xlabel(f"{'xyz'[view[0]]} [m]")
    axes.set_ylabel(f"{'xyz'[view[1]]} [m]")
    axes.set_title(title, fontsize=10)


def standing(robot: Baxter, folder: str) -> None:
    """Torso, pedestal and head from the front and from the side."""
    meshes, T_head = load_meshes(folder, robot.head), robot.head.fk(0.0)
    figure, plots = plt.subplots(1, 2, figsize=(9.0, 7.6))
    for axes, view, title in zip(plots, (FRONT, SIDE), ("front", "side"), strict=True):
        for _, mesh, _ in meshes.torso:
            draw_mesh(axes, mesh.vertices, mesh.faces, view)
        for _, mesh, _ in meshes.head:
            draw_mesh(axes, mesh.vertices @ T_head[:3, :3].T + T_head[:3, 3], mesh.faces, view)
        for box in load_body().boxes:
            points = surface(box)
            if box.part == "head":
                points = points @ T_head[:3, :3].T + T_head[:3, 3]
            draw_shape(axes, points, view, PRIMITIVES[box.part])
        finish(axes, view, title)
    figure.tight_layout()
    figure.savefig(IMAGES / "body_standing.png", dpi=100, metadata={"Software": None})


def arm(robot: Baxter, folder: str) -> None:
    """The links of one arm, stretched, from the side and from above."""
    meshes = load_meshes(folder, robot.head)
    Ts = robot.left.link_poses(np.array([-np.pi / 4, 0.0, 0.0, 0.3, 0.0, -0.3, 0.0]))
    figure, plots = plt.subplots(2, 1, figsize=(9.0, 6.4))
    for axes, view, title in zip(plots, (SIDE, TOP), ("side", "from above"), strict=True):
        for part in meshes.arm:
            T = Ts[part.frame]
            draw_mesh(axes, part.mesh.vertices @ T[:3, :3].T + T[:3, 3], part.mesh.faces, view)
        for capsule in load_body().capsules:
            T = Ts[ARM_LINKS.index(capsule.link)]
            color = JOINT_COLORS[ARM_LINKS.index(capsule.link)]
            draw_shape(axes, surface(capsule) @ T[:3, :3].T + T[:3, 3], view, color)
        finish(axes, view, title)
    figure.tight_layout()
    figure.savefig(IMAGES / "body_arm.png", dpi=100, metadata={"Software": None})


def tools(folder: str, opening: float = 0.5) -> None:
    """The last link with each tool, from both sides, fingers half open."""
    wrist = [part.mesh for part in load_meshes(folder, Baxter().head).arm if part.frame == 6]
    figure, plots = plt.subplots(2, len(TOOLS), figsize=(16.0, 8.2))
    for column, tool in enumerate(TOOLS):
        model = Arm("left", tool).model
        for axes, view in zip(plots[:, column], (FRONT, SIDE), strict=True):
            for mesh in wrist:
                draw_mesh(axes, mesh.vertices, mesh.faces, view)
            for part in tool_meshes(tool):
                T = model.T_last_hand @ part.T
                T[1, 3] += opening * part.opens * STROKE
                mesh = mesh_of(part.path)
                sides = [mesh.tri_indices(i) for i in range(mesh.num_tris)]
                faces = np.array([[side[0], side[1], side[2]] for side in sides])
                draw_mesh(axes, np.array(mesh.vertices()) @ T[:3, :3].T + T[:3, 3], faces, view)
            for capsule in arm_capsules(model, opening):
                if capsule.frame == 6:
                    kind = int(capsule.link == "left_fingers") + int(capsule.is_finger)
                    draw_shape(axes, surface(capsule), view, JOINT_COLORS[kind])
            axes.plot(0.0, model.T_last_tip[2, 3], "k+")
            finish(axes, view, tool)
            axes.set_xlim(-0.1, 0.1)
            axes.set_ylim(0.03, 0.29)
    figure.tight_layout()
    figure.savefig(IMAGES / "body_tools.png", dpi=80, metadata={"Software": None})


def main() -> int:
    """Draws all."""
    folder = os.environ.get("BAXTERKIT_MESHES")
    if not folder:
        print("BAXTERKIT_MESHES must name the folder baxter_description of example-robot-data")
        return 1
    robot = Baxter()
    standing(robot, folder)
    arm(robot, folder)
    tools(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
