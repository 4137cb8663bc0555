"""Pictures through a pinhole: a board in the picture calibrates back to the frame."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Baxter
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.sim import Eye, Pinhole, RenderError, Twin
from baxterkit.spatial import inverse, se3_exp
from baxterkit.types import Array

PINHOLE = Pinhole(640, 400, 405.0)
BALL = 0.012
HALF_PIXEL = 0.5
"""Centres of balls in the picture are found to this [pixel]: they are some 30 pixels wide."""


def board() -> Array:
    """Places of balls before a camera, in its frame [m], shape (12, 3)."""
    x, y = np.meshgrid([-0.12, -0.04, 0.04, 0.12], [-0.07, 0.0, 0.07])
    z = 0.35 + 0.15 * np.sin(7.0 * x + 11.0 * y)
    return np.stack([x, y, z], axis=-1).reshape(-1, 3)


def project(p: Array, focal: float) -> Array:
    return focal * p[:, :2] / p[:, 2:] + [PINHOLE.width / 2, PINHOLE.height / 2]


@pytest.mark.slow
@pytest.mark.parametrize("frame", ["left_hand_camera", "head_camera"])
def test_a_board_calibrates_back_to_the_frame_and_the_focal_length(frame: str) -> None:
    robot = Baxter()
    world = World()
    world.add_sphere("ball", BALL, (3.0, 3.0, 3.0), mass=0.01)
    twin = Twin(robot, world=world, start="neutral", rigid=True)
    q = twin.left.q
    T = robot.transform("base", frame, q, twin.right.q, twin.head_pan)
    try:
        eye = Eye(twin, PINHOLE, look="own")
    except RenderError as error:
        pytest.skip(str(error))
    joint = twin.model.body("ball").jntadr[0]
    at = int(twin.model.jnt_qposadr[joint])
    empty = eye.seen_from(T).astype(int)
    places = board() @ T[:3, :3].T + T[:3, 3]
    seen = []
    for place in places:
        twin.data.qpos[at : at + 3] = place
        seen.append(_middle(np.abs(eye.seen_from(T).astype(int) - empty).sum(axis=2) > 40))
    pixels = np.array(seen)
    assert np.abs(pixels - project(board(), PINHOLE.focal)).max() < 2 * HALF_PIXEL

    def off(x: Array) -> Array:
        camera = inverse(T @ se3_exp(x[:6]))
        return (project(places @ camera[:3, :3].T + camera[:3, 3], x[6]) - pixels).ravel()

    from scipy.optimize import least_squares

    start = np.array([0.03, -0.02, 0.02, 0.1, -0.1, 0.1, 300.0])
    found = least_squares(off, start).x
    assert np.linalg.norm(found[:3]) < 2e-3
    assert np.linalg.norm(found[3:6]) < 5e-3
    assert found[6] == pytest.approx(PINHOLE.focal, rel=0.01)
    eye.free()


def _middle(changed: Array) -> Array:
    """The middle of the largest region that has changed: shadows are elsewhere, and smaller."""
    from scipy.ndimage import label

    regions, count = label(changed)
    assert count
    largest = 1 + int(np.argmax(np.bincount(regions.ravel())[1:]))
    rows, columns = np.nonzero(regions == largest)
    return np.array([columns.mean() + 0.5, rows.mean() + 0.5])


def test_a_pinhole_needs_a_focal_length() -> None:
    assert PINHOLE.K.tolist() == [[405.0, 0.0, 320.0], [0.0, 405.0, 200.0], [0.0, 0.0, 1.0]]
    with pytest.raises(InputError, match="focal = 0"):
        Pinhole(640, 400, 0.0)
