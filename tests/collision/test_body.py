"""The body as data, and which links are checked."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import SPATIAL, assert_close

from baxterkit.collision import LINKS, link_pairs, load_body
from baxterkit.collision.body import STANDING
from baxterkit.collision.pairs import switched
from baxterkit.collision.tool_bodies import load_tools, tool_body
from baxterkit.errors import UnknownNameError
from baxterkit.model.library import load_baxter
from baxterkit.model.names import JOINTS

TOOLS = tuple(load_baxter().tools)


def test_every_link_has_a_shape_and_every_shape_its_error() -> None:
    body = load_body()
    assert {capsule.link for capsule in body.capsules} == set(JOINTS)
    assert {box.part for box in body.boxes} == set(STANDING)
    of_tools = [capsule for shapes in load_tools().bodies.values() for capsule in shapes]
    assert {capsule.link for capsule in of_tools} == {"fingers"}
    for shape in (*body.capsules, *of_tools, *body.boxes):
        mean, greatest = shape.excess
        assert 0.0 <= mean <= greatest < 0.2
        assert 0.002 < shape.radius < 0.3
    assert "example-robot-data" in body.source["meshes"]
    assert "baxter_common" in load_tools().source["vacuum"]


def test_boxes_are_mirrored_at_the_plane_between_the_arms() -> None:
    boxes = load_body().boxes
    mirror = np.array([1.0, -1.0, 1.0])
    for box in boxes:
        assert_close(box.R.T @ box.R, np.eye(3), 4.0 * SPATIAL)
        assert np.linalg.det(box.R) > 0.0
        twins = [
            other
            for other in boxes
            if np.array_equal(other.center, mirror * box.center)
            and np.array_equal(other.half, box.half)
            and np.allclose(other.R, mirror[:, None] * box.R * mirror, rtol=0.0, atol=1e-12)
        ]
        assert len(twins) == 1


@pytest.mark.parametrize("tool", [name for name in TOOLS if name.startswith("electric")])
def test_fingers_are_alike_and_open_away_from_each_other(tool: str) -> None:
    fingers = [capsule for capsule in tool_body(tool) or () if capsule.slide.any()]
    turn = np.array([-1.0, -1.0, 1.0])
    one = [finger for finger in fingers if finger.slide[1] > 0.0]
    other = [finger for finger in fingers if finger.slide[1] < 0.0]
    assert len(one) == len(other) == len(fingers) // 2 == 8
    for a, b in zip(one, other, strict=True):
        assert_close(turn * a.start, b.start, 0.0)
        assert_close(turn * a.slide, b.slide, 0.0)


def test_links_up_to_two_joints_apart_are_not_checked() -> None:
    pairs = {(pair.first, pair.second): pair for pair in link_pairs()}
    assert len(pairs) == len(LINKS) * (len(LINKS) - 1) // 2
    assert not pairs["left_s0", "left_e0"].checked
    assert pairs["left_s0", "left_e0"].reason == "two joints apart"
    assert not pairs["left_s1", "torso"].checked
    assert not pairs["pedestal", "head"].checked
    assert not pairs["torso", "pedestal"].checked
    for names in [("left_s0", "left_w0"), ("left_e0", "torso"), ("left_s0", "right_e0")]:
        assert pairs[names].checked
    # 8 x 8 of the two arms, 8 x 2 with the head, 6 x 2 x 2 with what stands, 15 of each arm.
    assert sum(pair.no_neighbours for pair in pairs.values()) == 64 + 16 + 24 + 30


def test_pairs_are_switched_off_by_name() -> None:
    everything = switched(())
    assert len(switched((("left", "right"),))) == len(everything) - 60  # four of 64 can never touch
    assert len(switched((("torso", "left_e0"),))) == len(everything) - 1
    with pytest.raises(UnknownNameError, match="unknown link 'elbow'"):
        switched((("left", "elbow"),))
