"""The body against the robot's meshes: what touches is not missed, little that is free is lost."""

from __future__ import annotations

import numpy as np
import problems
import pytest
from components import require
from oracles.tool_meshes import STROKE, TOOLS, tool_meshes
from tolerances import BODY_MISS, BODY_REJECTS, BODY_REJECTS_FEW, BODY_ROUNDING

from baxterkit import Arm, Baxter
from baxterkit.collision import link_pairs
from baxterkit.collision.body import ARM_LINKS, load_body
from baxterkit.collision.hand import arm_body

EXTENDED = "electric_extended_narrow"
ROBOT = Baxter(Arm("left", EXTENDED), Arm("right", EXTENDED))
PAIRS = {"hand": 284, "vacuum": 331, EXTENDED: 911}
"""Pairs of visual meshes that the truth consists of."""
MIXED = ("vacuum", "electric_standard_wide")


@pytest.fixture(scope="module")
def meshes():  # type: ignore[no-untyped-def]
    require("pinocchio")
    require("meshes")
    from oracles.mesh_robot import MeshRobot

    return MeshRobot()


def robot_of(tools: tuple[str, str]) -> Baxter:
    return Baxter(Arm("left", tools[0]), Arm("right", tools[1]))


@pytest.mark.parametrize(
    "n", [600, pytest.param(100_000, marks=pytest.mark.acceptance)], ids=["few", "many"]
)
@pytest.mark.parametrize(
    "tools", [*((tool, tool) for tool in TOOLS), MIXED], ids=[*TOOLS, "two tools"]
)
def test_the_body_contains_the_meshes_and_little_more(tools: tuple[str, str], n: int) -> None:
    """Of every tool: open in half of the configurations, closed in the other half."""
    require("pinocchio")
    require("meshes")
    if "vacuum" in tools:
        require("tool_meshes")
    from oracles.mesh_robot import MeshRobot

    robot, rng = robot_of(tools), problems.generator(f"body {tools}")
    limits = robot.left.limits
    touching = free = missed = rejected = 0
    for opening in (1.0, 0.0):
        truth_of = MeshRobot(tools=tools, opening=opening)
        if tools[0] == tools[1] in PAIRS:
            assert len(truth_of.shapes.collisionPairs) == PAIRS[tools[0]]
        q = rng.uniform(np.tile(limits.lower, 2), np.tile(limits.upper, 2), (n // 2, 14))
        truth = truth_of.touches(q)
        gap = robot.scene(opening=opening).clearance(q[:, :7], q[:, 7:])
        assert not (truth & (gap > BODY_MISS)).any(), q[truth & (gap > BODY_MISS)][0]
        touching, free = touching + truth.sum(), free + (~truth).sum()
        missed += (truth & (gap >= 0)).sum()
        rejected += (~truth & (gap < 0)).sum()
    print(
        f"{tools[0]}, {tools[1]}: {n} configurations, {missed} of {touching} missed, {rejected} of "
        f"{free} rejected ({100 * rejected / free:.2f} %)"
    )
    assert missed == 0
    assert rejected <= (BODY_REJECTS if n > 1000 else BODY_REJECTS_FEW) * free


def test_every_corner_of_the_meshes_is_inside(meshes) -> None:  # type: ignore[no-untyped-def]
    """Of all materials: the loader garbles all but the first, and the oracle mends that."""
    body, seen = load_body(), set()
    for shape in meshes.shapes.geometryObjects:
        if not hasattr(shape.geometry, "tri_indices"):
            continue
        chain, depth = meshes._place(shape)
        if chain == "right" or depth == 8:  # as the left arm; tools have a test of their own
            continue
        corners = np.array(shape.geometry.vertices())
        corners = corners @ shape.placement.rotation.T + shape.placement.translation
        if chain == "left":
            rooms = [c for c in body.capsules if c.link == ARM_LINKS[depth - 1]]
            spans = [c.end - c.start for c in rooms]
            along = [
                np.clip((corners - c.start) @ s / (s @ s), 0.0, 1.0)[:, None] * s
                for c, s in zip(rooms, spans, strict=True)
            ]
            off = [
                np.linalg.norm(corners - c.start - a, axis=-1) - c.radius
                for c, a in zip(rooms, along, strict=True)
            ]
        else:
            parts = ("head",) if chain == "head" else ("torso", "pedestal")
            off = [
                np.linalg.norm(
                    np.maximum(np.abs((corners - b.center) @ b.R) - b.half, 0.0), axis=-1
                )
                - b.radius
                for b in body.boxes
                if b.part in parts
            ]
        seen.add((chain, depth))
        assert np.min(off, axis=0).max() <= BODY_ROUNDING, shape.name
    assert len(seen) == 9


@pytest.mark.parametrize("tool", TOOLS[1:])
@pytest.mark.parametrize("opening", [0.0, 0.4, 1.0])
def test_every_corner_of_a_tool_is_inside_its_body(tool: str, opening: float) -> None:
    require("pinocchio")
    require("tool_meshes" if tool == "vacuum" else "meshes")
    from oracles.mesh_robot import mesh_of

    model = Arm("left", tool).model
    bodies = [c for c in arm_body(model) if c.link == "fingers"]
    for part in tool_meshes(tool):
        T = model.T_last_hand @ part.T
        corners = np.array(mesh_of(part.path).vertices()) @ T[:3, :3].T + T[:3, 3]
        corners[:, 1] += opening * part.opens * STROKE
        off = []
        for c in bodies:
            start, span = c.start + opening * c.slide, c.end - c.start
            along = np.clip((corners - start) @ span / (span @ span), 0.0, 1.0)[:, None] * span
            off.append(np.linalg.norm(corners - start - along, axis=-1) - c.radius)
        assert np.min(off, axis=0).max() <= BODY_ROUNDING, part.path.name


def spheres_touch(q: np.ndarray) -> np.ndarray:
    """Verdicts of a sphere model: one sphere around each primitive of the body, the same pairs."""
    body = ROBOT.scene().checker.body
    names, radii, places = [], [], []
    for arm in (ROBOT.left, ROBOT.right):
        Ts = arm.link_poses(q[:, :7] if arm.side == "left" else q[:, 7:])
        for capsule in arm_body(arm.model):
            T = Ts[:, min(ARM_LINKS.index(capsule.link), 6)]
            middle = 0.5 * (capsule.start + capsule.end) + capsule.slide
            places.append(T[:, :3, :3] @ middle + T[:, :3, 3])
            radii.append(capsule.radius + 0.5 * np.linalg.norm(capsule.end - capsule.start))
            names.append(f"{arm.side}_{capsule.link}")
    for box in body.boxes:
        T = ROBOT.head.fk(0.0) if box.part == "head" else np.eye(4)
        places.append(np.broadcast_to(T[:3, :3] @ box.center + T[:3, 3], (len(q), 3)))
        radii.append(box.radius + np.linalg.norm(box.half))
        names.append(box.part)
    checked = {(pair.first, pair.second) for pair in link_pairs() if pair.checked}
    hits = np.zeros(len(q), dtype=bool)
    for i, one in enumerate(names):
        for j in range(i + 1, len(names)):
            if (one, names[j]) in checked:
                apart = np.linalg.norm(places[i] - places[j], axis=-1)
                hits |= apart < radii[i] + radii[j]
    return hits


@pytest.mark.parametrize(
    "n", [400, pytest.param(20_000, marks=pytest.mark.acceptance)], ids=["few", "many"]
)
def test_the_body_rejects_less_than_other_models(meshes, n: int) -> None:  # type: ignore[no-untyped-def]
    from oracles.mesh_robot import MeshRobot

    limits = ROBOT.left.limits
    low, high = np.tile(limits.lower, 2), np.tile(limits.upper, 2)
    q = problems.generator("models").uniform(low, high, (n, 14))
    truth = meshes.touches(q)
    verdicts = {
        "the body": np.asarray(ROBOT.in_collision(q[:, :7], q[:, 7:])),
        "the description's collision geometry": MeshRobot("description").touches(q),
        "one convex hull a link": MeshRobot("hulls").touches(q),
        "a sphere around each primitive": spheres_touch(q),
    }
    rejected = {}
    for name, hits in verdicts.items():
        missed = (truth & ~hits).sum() / truth.sum()
        rejected[name] = (~truth & hits).sum() / (~truth).sum()
        print(f"{name}: {100 * missed:.2f} % missed, {100 * rejected[name]:.1f} % rejected")
    ours = rejected.pop("the body")
    assert not (truth & ~verdicts["the body"]).any()
    assert all(ours < 0.3 * other for other in rejected.values())


@pytest.mark.parametrize("name", ["neutral", "untuck", "tuck", "zero"])
def test_named_configurations_are_free_as_by_the_meshes(meshes, name: str) -> None:  # type: ignore[no-untyped-def]
    zero = np.zeros(7)
    left, right = (
        (zero, zero)
        if name == "zero"
        else (ROBOT.left.configuration(name), ROBOT.right.configuration(name))
    )
    assert not meshes.touches(np.concatenate([left, right])[None])[0]
    assert not ROBOT.in_collision(left, right)
