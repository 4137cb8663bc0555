from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.collision.body import ARM_LINKS
from baxterkit.collision.hand import arm_capsules
from baxterkit.look.colors import JOINT_COLORS, TOUCHING, rgb
from baxterkit.look.robot import arm_parts, contact_parts, face_parts, head_parts, torso_parts
from baxterkit.look.shapes import Mesh, ball, capsule, drum, merged, slab
from baxterkit.model.library import load_baxter
from baxterkit.viewer.page.face import face

VIENOT_RED = np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]])
VIENOT_GREEN = np.array(
    [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]
)


def volume(mesh: Mesh) -> float:
    """By the divergence theorem: positive if all triangles look outward."""
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def is_closed(mesh: Mesh) -> bool:
    """Whether every edge has a neighbour that runs the other way."""
    edges = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    forth = {tuple(edge) for edge in edges.tolist()}
    return len(forth) == len(edges) and all((b, a) in forth for a, b in forth)


@pytest.mark.parametrize(
    ("mesh", "expected"),
    [
        (ball(0.1), 4.0 / 3.0 * np.pi * 0.1**3),
        (capsule((0.1, 0, 0), (0.1, 0.3, 0), 0.05), np.pi * 0.05**2 * (0.3 + 4.0 / 3.0 * 0.05)),
        (drum((0, 0, 1), (1, 1, 0), 0.1, 0.2, 0.005), np.pi * 0.1**2 * 0.2),
        (slab((1, 2, 3), (0.2, 0.3, 0.4), 0.01), 0.2 * 0.3 * 0.4),
    ],
)
def test_a_body_is_closed_looks_outward_and_has_its_volume(mesh: Mesh, expected: float) -> None:
    assert is_closed(mesh)
    assert volume(mesh) == pytest.approx(expected, rel=0.04)


def test_a_capsule_reaches_from_end_to_end() -> None:
    mesh = capsule((0.0, 0.0, 0.0), (0.0, 0.0, 0.5), 0.1, 0.05)
    assert mesh.vertices[:, 2].min() == pytest.approx(-0.1)
    assert mesh.vertices[:, 2].max() == pytest.approx(0.55)
    assert merged([mesh, mesh]).faces.max() == 2 * len(mesh.vertices) - 1


@pytest.mark.parametrize("tool", ["hand", "electric_standard", "electric_extended", "vacuum"])
def test_the_arm_is_drawn_from_joint_to_joint_and_up_to_the_tip(tool: str) -> None:
    arm = Arm("left", tool)
    parts = arm_parts(arm.model)
    assert all(is_closed(part.mesh) and volume(part.mesh) > 0.0 for part in parts)
    q = arm.configuration("neutral")
    poses = arm.link_poses(q)
    drawn = np.concatenate(
        [
            part.mesh.vertices @ poses[part.frame, :3, :3].T + poses[part.frame, :3, 3]
            for part in parts
        ]
    )
    for point in poses[:, :3, 3]:  # every joint, and the tip, is near something drawn
        assert np.linalg.norm(drawn - point, axis=-1).min() < 0.09
    hand = np.concatenate([part.mesh.vertices for part in parts if part.frame == 6])
    tip = float(arm.model.T_last_hand[2, 3] + arm.model.T_hand_tip[2, 3])
    assert -0.01 < hand[:, 2].max() - tip < 0.045  # it ends at the tip, or is rounded there


@pytest.mark.parametrize("tool", ["hand", "electric_extended"])
def test_contact_capsules_are_those_of_the_twin(tool: str) -> None:
    model = Arm("right", tool).model
    parts, capsules = contact_parts(model), arm_capsules(model)
    assert [part.frame for part in parts] == [piece.frame for piece in capsules]
    for part, piece in zip(parts, capsules, strict=True):
        away = np.linalg.norm(part.mesh.vertices - (piece.start + piece.end) / 2, axis=-1)
        half = np.linalg.norm(piece.end - piece.start) / 2
        assert away.max() == pytest.approx(half + piece.radius)


@pytest.mark.parametrize("opening", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("tool", list(load_baxter().tools))
def test_the_tool_is_drawn_with_the_shape_that_is_checked(tool: str, opening: float) -> None:
    """Every capsule that is checked on the hand is drawn, and nothing else but the cuff."""
    model = Arm("right", tool).model
    robot = Baxter(right=Arm("right", tool))
    rows = robot.scene(opening=opening).checker.primitives.capsules[1]
    rows = rows[rows[:, 0] == ARM_LINKS.index("fingers"), 1:]
    names = ("tool", "finger")
    drawn = [part.at(opening) for part in arm_parts(model) if part.name.startswith(names)]
    assert len(drawn) == (0 if tool == "hand" else 1 if tool == "vacuum" else 3)
    if not len(rows):
        return
    points = np.concatenate([mesh.vertices for mesh in drawn])
    starts, spans = rows[:, :3], rows[:, 3:6] - rows[:, :3]
    along = np.einsum("nkj,kj->nk", points[:, None] - starts, spans) / (spans**2).sum(axis=-1)
    nearest = starts + np.clip(along, 0.0, 1.0)[..., None] * spans
    off = np.abs(np.linalg.norm(points[:, None] - nearest, axis=-1) - rows[:, 6])
    assert off.min(axis=1).max() < 1e-6  # each corner is on the surface of a capsule
    assert off.min(axis=0).max() < 1e-6  # and each capsule has corners


def test_joint_colours_differ_for_readers_without_red_or_green_cones() -> None:
    """Viénot, Brettel and Mollon's (1999) projections, compared in linear light."""
    for lost in (VIENOT_RED, VIENOT_GREEN):
        linear = (np.array([rgb(color) for color in JOINT_COLORS]) / 255.0) ** 2.2
        seen = np.clip(linear @ lost.T, 0.0, 1.0) ** (1 / 2.2)
        apart = np.linalg.norm(seen[:, None] - seen, axis=-1) + 10.0 * np.eye(len(seen))
        assert apart.min() > 0.12
    assert len(JOINT_COLORS) == len(set(JOINT_COLORS)) == 7


def test_what_touches_has_no_colour_of_the_robot() -> None:
    own = [part.color for side in ("left", "right") for part in arm_parts(Arm(side).model)]
    own += [color for _, _, color in (*torso_parts(), *head_parts(), *face_parts())]
    rethink = [(204, 0, 0), (170, 20, 20), (40, 40, 40)]  # shells, caps
    for color in (*own, *rethink):
        assert np.abs(np.subtract(color, TOUCHING)).max() > 100


def test_torso_and_head_are_closed() -> None:
    for _, mesh, _ in [*torso_parts(), *head_parts(), *face_parts()]:
        assert is_closed(mesh)


def test_the_face_looks_straight_ahead() -> None:
    picture = face()
    assert picture.dtype == np.uint8
    white = picture.min(axis=-1) > 200
    left, right = white[:, :216], white[:, 216:]
    assert left.sum() > 3000
    assert left.sum() == pytest.approx(right.sum(), rel=0.05)
