"""The rigid parts of the robot: their meshes, and points on and around them for the fit."""

from __future__ import annotations

import numpy as np
from scipy import ndimage
from scipy.spatial import ConvexHull

MIRRORED = ("torso", "pedestal", "head")
"""Parts that are fitted together with their mirror images."""
STEP = {"torso": 0.003, "pedestal": 0.004}
"""Distance of points on the surface [m], where it is not 2.5 mm."""
CELL = {"torso": 0.008, "pedestal": 0.010, "w2": 0.004, "electric": 0.003, "vacuum": 0.003}
"""Of the grid around a part [m], where it is not 5 mm."""
AROUND = 0.05
"""Largest distance of outside points from the mesh [m]."""
OUTSIDE = 24_000
"""Largest number of outside points."""


def box(c, R, h):
    """A box as a mesh: middle, axes, half sides."""
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * h
    V = corners @ np.array(R).T + np.array(c)
    return V, ConvexHull(V).simplices


def cylinder(c, r, half):
    """A cylinder along z as a mesh around it: middle, radius, half its height."""
    angle = np.linspace(0, 2 * np.pi, 49)[:-1]
    rim = r / np.cos(np.pi / 48) * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    V = np.concatenate([rim + np.array(c) + [0, 0, z] for z in (-half, half)])
    return V, ConvexHull(V).simplices


def parts(path):
    """Name -> list of (vertices, triangles) in the frame of the part: the robot with bare hands."""
    Z = np.load(path)

    def mesh(*names):
        return [(Z[n + "/V"], Z[n + "/F"]) for n in names]

    c, s = 4.27362167e-01, 9.04080515e-01
    display = np.array([[0, c, s], [1, 0, 0], [0, s, -c]])
    upright = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    return {
        "torso": [*mesh("torso"), cylinder((0.06, 0, 0.82653), 0.085, 0.005)],
        "pedestal": mesh("pedestal"),
        "head": [
            *mesh("head", "screen"),
            box([0.119839, 0, -0.0157421], display, [0.109, 0.08, 0.0005]),
        ],
        "s0": mesh("left_upper_shoulder"),
        "s1": mesh("left_lower_shoulder"),
        "e0": mesh("left_upper_elbow"),
        "e1": mesh("left_lower_elbow"),
        "w0": mesh("left_upper_forearm"),
        "w1": mesh("left_lower_forearm"),
        "w2": [
            *mesh("left_wrist"),
            cylinder((0.03825, 0.012, 0.128905), 0.02, 0.005),  # camera
            box([0.032, -0.020245, 0.14235], upright, [0.0025, 0.01, 0.0025]),  # range finder
            box([0.00198, 0.000133, 0.09895], np.eye(3), [0.005] * 3),  # accelerometer
        ],
    }


def tool_parts(path):
    """The same for parts of tools, in the frame of w2.

    They are the electric gripper's base, the vacuum gripper, and of each finger set one finger,
    closed, with every tip. The other finger is it, turned by half a turn about z; where the two
    are not quite alike, both count.
    """
    Z = np.load(path)
    found = {}
    for key in Z.files:
        kind, part, *_ = key.split("/")
        if kind == "tool" and key.endswith("/V"):
            found.setdefault(part, []).append((Z[key], Z[key[:-1] + "F"]))
    return found


def on_triangles(V, F, n, rng):
    """Random points on a mesh, shape (n, 3), evenly by area."""
    T = V[F]
    area = np.linalg.norm(np.cross(T[:, 1] - T[:, 0], T[:, 2] - T[:, 0]), axis=1)
    k = rng.choice(len(T), n, p=area / area.sum())
    u = rng.random((n, 2))
    over = u.sum(1) > 1
    u[over] = 1 - u[over]
    return T[k, 0] + u[:, :1] * (T[k, 1] - T[k, 0]) + u[:, 1:] * (T[k, 2] - T[k, 0])


def points(name, meshes, rng):
    """Points of the surface; points outside with their distances, and the volume of each."""
    step, cell = STEP.get(name, 0.0025), CELL.get(name, 0.005)
    dense = []
    for V, F in meshes:
        T = V[F]
        area = 0.5 * np.linalg.norm(np.cross(T[:, 1] - T[:, 0], T[:, 2] - T[:, 0]), axis=1).sum()
        dense += [V[np.unique(F)], on_triangles(V, F, int(area / (step / 2) ** 2) + 1000, rng)]
    dense = np.vstack(dense)
    if name in MIRRORED:
        dense[:, 1] = np.abs(dense[:, 1])
    # Of each cell the point farthest from the middle, and the corners of the hull.
    key = np.floor(dense / step).astype(int)
    away = -np.linalg.norm(dense - dense.mean(0), axis=1)
    order = np.lexsort((away, key[:, 2], key[:, 1], key[:, 0]))
    first = np.r_[True, (np.diff(key[order], axis=0) != 0).any(1)]
    surface = np.vstack([dense[order][first], dense[ConvexHull(dense).vertices]])
    # Outside is what a flood from a corner of the grid reaches.
    full = dense if name not in MIRRORED else np.vstack([dense, dense * [1, -1, 1]])
    low = full.min(0) - AROUND
    wall = np.zeros(np.ceil((full.max(0) + AROUND - low) / cell).astype(int), bool)
    wall[tuple(np.floor((full - low) / cell).astype(int).T)] = True
    wall = ndimage.binary_closing(wall, iterations=1)
    label, _ = ndimage.label(~wall)
    distance = ndimage.distance_transform_edt(~wall, sampling=cell)
    keep = (label == label[0, 0, 0]) & (distance < AROUND)
    X, D = np.argwhere(keep) * cell + low + cell / 2, distance[keep]
    if name in MIRRORED:
        X, D = X[X[:, 1] > 0], D[X[:, 1] > 0]
    k = rng.choice(len(X), min(len(X), OUTSIDE), replace=False)
    return surface, X[k], D[k], cell**3 * len(X) / len(k)
