"""The renderer without OpenGL: where points land, what covers what, and how much is covered."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Baxter
from baxterkit.look.shapes import ball, slab
from baxterkit.plot.render import Camera, Solid, render
from baxterkit.plot.robot_pictures import robot_solids

RED, GREEN = (255, 0, 0), (0, 255, 0)
CAMERA = Camera((0.0, 0.0, 0.0), 0.0, 0.0, 2.0, distance=50.0, width=80, height=80)


def test_the_target_is_in_the_middle_and_axes_point_right_and_up() -> None:
    # From the front, along -x: y goes right, z goes up, and what is nearer has less depth.
    middle, right, up, near = CAMERA.project([[0, 0, 0], [0, 0.5, 0], [0, 0, 0.5], [1, 0, 0]])
    np.testing.assert_allclose(middle, [40.0, 40.0, 50.0], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(right[:2], [60.0, 40.0], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(up[:2], [40.0, 20.0], rtol=0.0, atol=1e-9)
    assert near[2] == pytest.approx(49.0)


def test_a_ball_covers_its_disc() -> None:
    picture = render([Solid(ball(0.5), RED)], CAMERA)
    share = float(picture[..., 3].mean())
    assert share == pytest.approx(np.pi * 0.25 / 4.0, rel=0.02)  # an inscribed polyhedron
    assert picture[40, 40, 3] == 1.0
    assert picture[2, 2, 3] == 0.0


@pytest.mark.parametrize("first", [0, 1])
def test_the_nearer_solid_is_seen_whatever_the_order(first: int) -> None:
    near = Solid(ball(0.3).moved(np.eye(3), (1.0, 0.0, 0.0)), RED)
    far = Solid(slab((-1.0, 0.0, 0.0), (0.2, 1.6, 1.6), 0.05), GREEN)
    solids = [near, far] if first == 0 else [far, near]
    picture = render(solids, CAMERA)
    red, green, _, _ = picture[40, 40]
    assert red > 0.3 > green
    red, green, _, _ = picture[40, 68]
    assert green > 0.3 > red


def test_solids_that_intersect_meet_where_their_depths_do() -> None:
    # Two slabs, tilted against each other about z: each hides the other on one side.
    angle = np.radians(30.0)
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    flat = slab((0.0, 0.0, 0.0), (0.02, 1.6, 1.0), 0.005)
    picture = render(
        [Solid(flat.moved(R, np.zeros(3)), RED), Solid(flat.moved(R.T, np.zeros(3)), GREEN)], CAMERA
    )
    left, right = picture[40, 20, :2], picture[40, 60, :2]
    assert (left[0] > left[1]) != (right[0] > right[1])


def test_the_robot_is_as_large_as_it_is() -> None:
    robot = Baxter()
    q = {side: getattr(robot, side).configuration("untuck") for side in ("left", "right")}
    camera = Camera((0.0, 0.0, -0.1), 0.0, 0.0, 2.2, distance=100.0, width=110, height=110)
    rows = np.flatnonzero(render(robot_solids(robot, q), camera, smooth=1)[..., 3].any(axis=1))
    height = (rows[-1] - rows[0]) * 2.2 / 110
    assert height == pytest.approx(1.75, abs=0.1)  # from the feet to the head's upper edge
