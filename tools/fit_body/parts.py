"""Points on and around each rigid part of the robot, from the meshes, for the fit."""

from __future__ import annotations

import numpy as np
from scipy import ndimage
from scipy.spatial import ConvexHull

HAND_TO_FINGERS = np.array([0.0, 0.0, 0.15855])


def box(c, R, h):
    s = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T * h
    V = s @ np.array(R).T + np.array(c)
    return V, ConvexHull(V).simplices


def cylinder(c, r, half):
    a = np.linspace(0, 2 * np.pi, 49)[:-1]
    k = 1 / np.cos(np.pi / 48)
    V = np.array([[c[0] + k * r * np.cos(x), c[1] + k * r * np.sin(x), c[2] + z]
                  for z in (-half, half) for x in a])
    return V, ConvexHull(V).simplices


def parts(path):
    """Name -> list of (vertices, triangles) in the frame of the part."""
    Z = np.load(path)

    def mesh(*names, shift=(0, 0, 0), turn=False):
        flip = np.array([-1, -1, 1]) if turn else np.ones(3)
        return [((Z[n + "/V"] + np.array(shift)) * flip, Z[n + "/F"]) for n in names]

    display = np.array([[0, 4.27362167e-01, 9.04080515e-01], [1, 0, 0], [0, 9.04080515e-01, -4.27362167e-01]])
    off = HAND_TO_FINGERS
    return {
        "torso": mesh("torso") + [cylinder((0.06, 0, 0.82653), 0.085, 0.005)],
        "pedestal": mesh("pedestal"),
        "head": mesh("head", "screen") + [box([0.119839, 0, -0.0157421], display, [0.109, 0.08, 0.0005])],
        "s0": mesh("left_upper_shoulder"),
        "s1": mesh("left_lower_shoulder"),
        "e0": mesh("left_upper_elbow"),
        "e1": mesh("left_lower_elbow"),
        "w0": mesh("left_upper_forearm"),
        "w1": mesh("left_lower_forearm"),
        "w2": mesh("left_wrist", "left_gripper_base_link") + [
            cylinder((0.03825, 0.012, 0.128905), 0.02, 0.005),
            box([0.032, -0.020245, 0.14235], [[0, 1, 0], [0, 0, 1], [1, 0, 0]], [0.0025, 0.01, 0.0025]),
            box([0.00198, 0.000133, 0.09895], np.eye(3), [0.005] * 3)],
        # One finger, its joint at zero, in the frame of w2; the other is it turned by half a turn
        # about z. The two hands have different tips: both count.
        "f": mesh("l_gripper_l_finger", "l_gripper_l_finger_tip", "r_gripper_l_finger_tip", shift=off + [0, -0.0015, 0])
             + mesh("l_gripper_r_finger", "l_gripper_r_finger_tip", "r_gripper_r_finger_tip", shift=off + [0, 0.0015, 0], turn=True),
    }


MIRRORED = ("torso", "pedestal", "head")


def points(name, meshes, rng):
    """Points of the surface, outside points nearby, and the volume each stands for."""
    step = {"torso": 0.003, "pedestal": 0.004, "f": 0.0012}.get(name, 0.0025)
    dense = []
    for V, F in meshes:
        T = V[F]
        area = 0.5 * np.linalg.norm(np.cross(T[:, 1] - T[:, 0], T[:, 2] - T[:, 0]), axis=1)
        n = int(area.sum() / (step / 2) ** 2) + 1000
        k = rng.choice(len(T), n, p=area / area.sum())
        u = rng.random((n, 2))
        m = u.sum(1) > 1
        u[m] = 1 - u[m]
        dense += [V[np.unique(F)], T[k, 0] + u[:, :1] * (T[k, 1] - T[k, 0]) + u[:, 1:] * (T[k, 2] - T[k, 0])]
    dense = np.vstack(dense)
    if name in MIRRORED:
        dense[:, 1] = np.abs(dense[:, 1])
    hull = dense[ConvexHull(dense).vertices]
    key = np.floor(dense / step).astype(int)
    mid = dense.mean(0)
    order = np.lexsort((-np.linalg.norm(dense - mid, axis=1), key[:, 2], key[:, 1], key[:, 0]))
    first = np.r_[True, (np.diff(key[order], axis=0) != 0).any(1)]
    surface = np.vstack([dense[order][first], hull])
    full = dense if name not in MIRRORED else np.vstack([dense, dense * [1, -1, 1]])
    h = {"torso": 0.008, "pedestal": 0.010, "f": 0.0025}.get(name, 0.005)
    pad = 0.05
    lo = full.min(0) - pad
    n = np.ceil((full.max(0) + pad - lo) / h).astype(int)
    wall = np.zeros(n, bool)
    wall[tuple(np.floor((full - lo) / h).astype(int).T)] = True
    wall = ndimage.binary_closing(wall, iterations=1)
    label, _ = ndimage.label(~wall)
    near = ndimage.distance_transform_edt(~wall, sampling=h)
    keep = (label == label[0, 0, 0]) & (near < pad)
    X = np.argwhere(keep) * h + lo + h / 2
    D = near[keep]
    if name in MIRRORED:
        X, D = X[X[:, 1] > 0], D[X[:, 1] > 0]
    k = rng.choice(len(X), min(len(X), 24000), replace=False)
    return surface, X[k], D[k], h**3 * len(X) / len(k)
