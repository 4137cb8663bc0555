"""Obstacles and what the hands hold, against the reference and against `coal`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import problems
import pytest
from components import require
from tolerances import CLEARANCE_NATIVE, CLEARANCE_SLOPE, COAL_DISTANCE, assert_close

from baxterkit import Arm, Baxter, _native, spatial
from baxterkit.collision import LINKS, Nearest, World
from baxterkit.collision.cover import EXCESS, MOST, covering_capsules
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.scene import Scene

ROBOT = Baxter()
PLAIN = Baxter(Arm("left", backend="numpy"), Arm("right", backend="numpy"))


@pytest.fixture(params=_native.isas())
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    before = _native.isa()
    _native.use_isa(request.param)
    yield request.param
    _native.use_isa(before)


def pose(rng: np.random.Generator, low: float = 0.4, high: float = 1.1) -> np.ndarray:
    """A random pose in front of the robot."""
    T = np.eye(4)
    T[:3, :3] = spatial.so3_exp(rng.uniform(-2.0, 2.0, 3))
    T[:3, 3] = rng.uniform([low, -0.9, -0.4], [high, 0.9, 0.9])
    return T


KINDS = ("box", "sphere", "capsule", "cylinder", "plane", "height field", "points")


def world_of(kinds: tuple[str, ...], name: str) -> World:
    rng, world = problems.generator(name), World()
    for kind in kinds:
        T = pose(rng)
        if kind == "box":
            world.add_box(kind, rng.uniform(0.05, 0.5, 3), T)
        elif kind == "sphere":
            world.add_sphere(kind, rng.uniform(0.02, 0.2), T[:3, 3])
        elif kind == "capsule":
            world.add_capsule(kind, rng.uniform(0.1, 0.6), rng.uniform(0.02, 0.1), T)
        elif kind == "cylinder":
            world.add_cylinder(kind, rng.uniform(0.1, 0.6), rng.uniform(0.02, 0.2), T)
        elif kind == "plane":
            world.add_plane(kind, [0.1, 0.2, 1.0], -0.75)
        elif kind == "height field":
            heights = rng.uniform(0.0, 0.1, (9, 7))
            heights[3, 2] = np.nan
            world.add_height_field(kind, heights, 0.05, T)
        else:
            world.add_points(kind, rng.uniform(-0.2, 0.2, (150, 3)), 0.01, T)
    return world


def configurations(n: int, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng, limits = problems.generator(name), ROBOT.left.limits
    left, right = rng.uniform(limits.lower, limits.upper, (2, n, 7))
    return left, right, rng.uniform(-1.3, 1.3, n)


ONLY_WORLD = tuple((a, b) for a in ("left", "right") for b in ("left", "right", *LINKS[16:]))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_as_far_as_the_reference_says(isa: str, kind: str) -> None:
    world = world_of((kind,), f"world {kind}")
    left, right, head = configurations(12, kind)
    fast = ROBOT.scene(world, without=ONLY_WORLD).nearest(left, right, head)
    slow = PLAIN.scene(world, without=ONLY_WORLD).nearest(left, right, head)
    assert_close(fast.clearance, slow.clearance, CLEARANCE_NATIVE)
    assert_close(
        ROBOT.scene(world, without=ONLY_WORLD).clearance(left, right, head), fast.clearance, 0.0
    )
    assert (fast.pair[:, 1] == len(LINKS)).all()
    assert {fast.everything[k] for k in fast.pair[:, 1]} == {kind}
    outside = np.abs(slow.gradient).max(axis=-1) > 0.0
    assert outside.sum() >= 6
    assert_close(fast.points[outside], slow.points[outside], 1e3 * CLEARANCE_NATIVE)
    assert_close(fast.gradient[outside], slow.gradient[outside], 1e3 * CLEARANCE_NATIVE)


@cache
def full_world() -> tuple[tuple[np.ndarray, ...], Scene, Nearest, np.ndarray]:
    """Configurations, a world, and what the reference says: the same for every instruction set."""
    world = world_of(KINDS, "all")
    T = np.eye(4)
    T[:3, 3] = 0.02, 0.0, 0.15
    world.add_box("crate", (0.1, 0.05, 0.2), np.eye(4))
    world.attach("crate", "right", T)
    q = configurations(12, "all")
    off = (("left", "right"), ("left", "torso"), ("right_e1", "head"), ("left_w2", "box"))
    plain = PLAIN.scene(world, without=off)
    return q, plain.replace(robot=ROBOT), plain.nearest(*q), np.asarray(plain.in_collision(*q))


@pytest.mark.slow
def test_a_full_world_with_a_held_thing_agrees_with_the_reference(isa: str) -> None:
    q, scene, slow, slow_hits = full_world()
    fast = scene.nearest(*q)
    assert_close(fast.clearance, slow.clearance, CLEARANCE_NATIVE)
    apart = np.abs(slow.gradient).max(axis=-1) > 0.0
    assert (fast.pair == slow.pair)[apart].all()
    assert_close(fast.gradient[apart], slow.gradient[apart], 1e3 * CLEARANCE_NATIVE)
    hits = scene.in_collision(*q)
    assert (hits == (fast.clearance < 0.0)).all()
    assert (slow_hits == hits).all()


def test_verdicts_agree_with_the_clearance_in_a_full_world(isa: str) -> None:
    world = world_of(KINDS, "verdicts")
    left, right, head = configurations(4000, "verdicts")
    for margin in (0.0, 0.03):
        hits = ROBOT.scene(world, margin=margin).in_collision(left, right, head)
        gap = ROBOT.scene(world).clearance(left, right, head)
        sure = np.abs(gap - margin) > CLEARANCE_NATIVE
        assert (hits == (gap < margin))[sure].all()
    alone = ROBOT.clearance(left, right, head)
    assert (gap <= alone).all()
    assert (gap < alone).mean() > 0.15


@pytest.mark.parametrize("kind", ["box", "sphere", "capsule", "cylinder"])
def test_coal_measures_the_same_distance(kind: str) -> None:
    require("pinocchio")
    coal = pytest.importorskip("coal")
    world = world_of((kind,), f"coal {kind}")
    thing = world[kind]
    shape = {
        "box": lambda: coal.Box(*thing.size),
        "sphere": lambda: coal.Sphere(thing.size[0]),
        "capsule": lambda: coal.Capsule(thing.size[1], thing.size[0]),
        "cylinder": lambda: coal.Cylinder(thing.size[1], thing.size[0]),
    }[kind]()
    left, right, head = configurations(40, f"coal {kind}")
    found = ROBOT.scene(world, without=ONLY_WORLD).clearance(left, right, head)
    where = coal.Transform3s(thing.T[:3, :3], thing.T[:3, 3])
    request = coal.DistanceRequest()
    body = ROBOT.scene().checker.body
    expected = np.full(len(left), np.inf)
    for arm, q in ((ROBOT.left, left), (ROBOT.right, right)):
        Ts = arm.link_poses(q)
        for capsule in body.capsules:
            k = min(("s0", "s1", "e0", "e1", "w0", "w1", "w2", "fingers").index(capsule.link), 6)
            ends = [x + capsule.slide for x in (capsule.start, capsule.end)]
            z = ends[1] - ends[0]
            length = float(np.linalg.norm(z))
            R = rotation_to(z / length)
            solid = coal.Capsule(capsule.radius, length)
            for row, T in enumerate(Ts[:, k]):
                middle = T[:3, :3] @ (0.5 * (ends[0] + ends[1])) + T[:3, 3]
                at = coal.Transform3s(T[:3, :3] @ R, middle)
                result = coal.DistanceResult()
                expected[row] = min(
                    expected[row], coal.distance(solid, at, shape, where, request, result)
                )
    free = expected > 1e-3
    assert free.sum() > 20
    assert_close(found[free], expected[free], COAL_DISTANCE)
    assert (found[expected < -1e-3] < 0.0).all()


def rotation_to(z: np.ndarray) -> np.ndarray:
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def test_gradient_in_a_world_matches_central_differences() -> None:
    world = world_of(KINDS, "slopes")
    world.attach("box", "left", pose(problems.generator("held"), -0.05, 0.05))
    left, right, head = configurations(300, "slopes")
    q, h = np.concatenate([left, right], axis=-1), 1e-6
    found = ROBOT.scene(world).nearest(left, right, head)
    rates, same = np.empty((len(q), 14)), np.ones(len(q), dtype=bool)
    for joint in range(14):
        step = h * np.eye(14)[joint]
        ends = [
            ROBOT.scene(world).nearest((q + s)[:, :7], (q + s)[:, 7:], head) for s in (step, -step)
        ]
        rates[:, joint] = (ends[0].clearance - ends[1].clearance) / (2.0 * h)
        for end in ends:
            same &= (end.pair == found.pair).all(axis=-1)
            same &= np.abs(end.gradient - found.gradient).max(axis=-1) < 1e-3
    smooth = same & (np.abs(found.gradient).max(axis=-1) > 0.0)
    assert smooth.sum() > 80
    assert_close(found.gradient[smooth], rates[smooth], CLEARANCE_SLOPE)


@pytest.mark.slow
def test_edges_are_swept_through_the_world(isa: str) -> None:
    world = world_of(KINDS, "swept")
    rng, limits = problems.generator("swept"), ROBOT.left.limits
    low, high = np.tile(limits.lower, 2), np.tile(limits.upper, 2)
    q0 = rng.uniform(low, high, (1500, 14))
    q0 = q0[~ROBOT.scene(world).in_collision(q0[:, :7], q0[:, 7:])][:60]
    q1 = np.clip(q0 + rng.uniform(-0.3, 0.3, q0.shape), low, high)
    free = ROBOT.scene(world).edge_free(q0, q1)
    assert free.sum() > 10
    assert (~free).sum() > 10
    t = np.linspace(0.0, 1.0, 1500)[:, None]
    for a, b, verdict in zip(q0, q1, free, strict=True):
        q = a + t * (b - a)
        gap = ROBOT.scene(world).clearance(q[:, :7], q[:, 7:]).min()
        assert gap >= 0.0 or not verdict
        assert verdict or gap < 0.005


def test_a_held_thing_moves_with_the_hand_and_spares_it() -> None:
    world = World()
    T = np.eye(4)
    T[2, 3] = 0.1
    world.add_box("rod", (0.03, 0.03, 0.4), T)
    left, right = ROBOT.left.configuration("untuck"), ROBOT.right.configuration("untuck")
    world.attach("rod", "left", T)
    assert not ROBOT.scene(world).in_collision(left, right)
    world.add_plane("floor", [0, 0, 1], -0.9)
    tip = ROBOT.left.fk(left) @ T
    below = tip[2, 3] - 0.5 * 0.4 * abs(tip[2, 2])
    world.add_plane("table", [0, 0, 1], below - 0.05)
    near = ROBOT.scene(world, without=(("left", "table"),)).nearest(left, right)
    assert near.names == ("rod", "table")
    assert 0.05 - 2.0 * EXCESS < near.clearance <= 0.05
    world.detach("rod", ROBOT.left.fk(left) @ T)
    world.remove("table")
    assert ROBOT.scene(world).in_collision(left, right)  # it stands in the hand now


@pytest.mark.parametrize(
    ("kind", "size"),
    [("box", (0.03, 0.08, 0.2)), ("box", (0.3, 0.4, 0.02)), ("cylinder", (0.1, 0.04)),
     ("cylinder", (0.02, 0.15)), ("sphere", (0.05,)), ("capsule", (0.1, 0.02))],
)  # fmt: skip
def test_the_cover_of_a_held_thing_contains_it_and_little_more(
    kind: str, size: tuple[float, ...]
) -> None:
    rows = covering_capsules(kind, size)
    rng = problems.generator("cover")
    if kind == "box":
        corners = np.array(list(np.ndindex(2, 2, 2))) - 0.5
        x = np.concatenate([rng.uniform(-0.5, 0.5, (20_000, 3)), corners]) * size
    elif kind == "cylinder":
        angle = rng.uniform(0, 2 * np.pi, 20_000)
        rho = size[1] * np.sqrt(rng.uniform(0, 1, 20_000))
        rho[::3] = size[1]
        z = size[0] * rng.uniform(-0.5, 0.5, 20_000)
        z[::5] = size[0] / 2
        x = np.stack([rho * np.cos(angle), rho * np.sin(angle), z], axis=-1)
    else:
        x = rng.normal(size=(20_000, 3))
        x *= size[-1] / np.linalg.norm(x, axis=-1, keepdims=True)
    inside = np.zeros(len(x), dtype=bool)
    for row in rows:
        d = row[3:6] - row[:3]
        t = np.clip((x - row[:3]) @ d / (d @ d), 0.0, 1.0)
        inside |= np.linalg.norm(x - row[:3] - t[:, None] * d, axis=-1) <= row[6] + 1e-5
    assert inside.all()
    if kind == "box" and max(size) < 0.25:
        reach = np.abs(rows[:, [[0, 1, 2], [3, 4, 5]]]).max(axis=(0, 1)) + rows[:, 6].max()
        assert (reach <= 0.5 * np.array(size) + EXCESS + 1e-9).all()
    assert len(rows) <= MOST**2


def test_obstacles_are_named_once_and_known_by_name() -> None:
    world = World()
    world.add_box("table", (1, 1, 0.1), [0.8, 0, 0])
    with pytest.raises(InputError, match="there is an obstacle 'table' already"):
        world.add_sphere("table", 0.1, [0, 0, 0])
    with pytest.raises(InputError, match="'torso' is a part of the robot"):
        world.add_sphere("torso", 0.1, [0, 0, 0])
    with pytest.raises(UnknownNameError, match="unknown obstacle 'chair'"):
        world.remove("chair")
    with pytest.raises(UnknownNameError, match="unknown arm 'middle'"):
        world.attach("table", "middle", np.eye(4))
    with pytest.raises(InputError, match="no hand holds table"):
        world.detach("table", np.eye(4))
    world.add_plane("floor", [0, 0, 1], -1.0)
    with pytest.raises(InputError, match="floor is a plane"):
        world.attach("floor", "left", np.eye(4))
    world.add_sphere("ball", 0.05, [1, 0, 0])
    world.attach("ball", "left", np.eye(4))
    world.add_sphere("apple", 0.05, [1, 0, 0.5])
    with pytest.raises(InputError, match="the left hand holds ball already"):
        world.attach("apple", "left", np.eye(4))
    assert world.names == ("table", "floor", "ball", "apple")
    assert "ball" in world
    assert len(world) == 4
    with pytest.raises(UnknownNameError, match="unknown link 'chair'"):
        ROBOT.scene(world, without=(("left", "chair"),))
    with pytest.raises(InputError, match=r"world must be a collision\.World, got dict"):
        ROBOT.scene({})  # type: ignore[arg-type]


def test_bad_obstacles_are_refused() -> None:
    world = World()
    with pytest.raises(InputError, match=r"size = -1 m must be positive"):
        world.add_box("a", (1, -1, 1), np.eye(4))
    with pytest.raises(ShapeError, match="size must have 3 values"):
        world.add_box("a", (1, 1), np.eye(4))
    with pytest.raises(InputError, match="normal must be a vector"):
        world.add_plane("a", [0, 0, 0])
    with pytest.raises(ShapeError, match=r"offset must be one number, got shape \(2,\)"):
        world.add_plane("a", [0, 0, 1], [0.1, 0.2])
    with pytest.raises(ShapeError, match=r"points must have shape \(n, 3\)"):
        world.add_points("a", np.zeros((4, 2)), 0.01)
    with pytest.raises(ShapeError, match=r"heights must have shape \(n, m\)"):
        world.add_height_field("a", np.zeros(4), 0.1, np.eye(4))
    with pytest.raises(InputError, match="T"):
        world.add_box("a", (1, 1, 1), 2.0 * np.eye(4))
    assert len(world) == 0


def test_a_world_made_of_anothers_things_goes_its_own_way() -> None:
    first = World()
    first.add_box("table", (1, 1, 0.1), [0.8, 0, 0])
    second = World.of(first.state)
    assert second.state == first.state
    second.remove("table")
    second.add_sphere("ball", 0.1, [1, 0, 0])
    assert first.names == ("table",)
    assert second.names == ("ball",)


def test_a_change_of_the_world_counts_at_once() -> None:
    world, q = World(), ROBOT.left.configuration("untuck")
    right = ROBOT.right.configuration("untuck")
    assert not ROBOT.scene(world).in_collision(q, right)
    world.add_sphere("ball", 0.1, ROBOT.left.fk(q)[:3, 3])
    assert ROBOT.scene(world).in_collision(q, right)
    world.remove("ball")
    assert not ROBOT.scene(world).in_collision(q, right)


@pytest.mark.slow
def test_thousands_of_points_are_those_that_brute_force_finds(isa: str) -> None:
    rng, world = problems.generator("cloud"), World()
    points = rng.uniform([0.3, -0.8, -0.3], [1.2, 0.8, 0.8], (5000, 3))
    world.add_points("cloud", points, 0.005)
    left, right, head = configurations(20, "cloud")
    found = ROBOT.scene(world, without=ONLY_WORLD).nearest(left, right, head)
    rows = ROBOT.scene().checker.primitives.capsules[0]
    for i in range(len(left)):
        least = np.inf
        for arm, q in ((ROBOT.left, left[i]), (ROBOT.right, right[i])):
            Ts = arm.link_poses(q)
            for row in rows:
                T = Ts[min(int(row[0]), 6)]
                a, b = (T[:3, :3] @ x + T[:3, 3] for x in (row[1:4], row[4:7]))
                t = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
                gap = np.linalg.norm(points - a - t[:, None] * (b - a), axis=-1).min() - row[7]
                least = min(least, gap - 0.005)
        assert_close(found.clearance[i], least, CLEARANCE_NATIVE)


class Endless(list[Any]):
    """A list that says that it is long, and that nobody may read."""

    def __init__(self, length: int, first: Any = None) -> None:
        self.length, self.first = length, first

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, i: Any) -> Any:
        assert i == 0
        return self.first

    def __iter__(self) -> Any:
        raise AssertionError("counted first, then read")


def test_too_many_points_are_refused_before_they_are_read() -> None:
    world, many = World(), 10**9
    for points in (Endless(many), np.broadcast_to(np.zeros(3), (many, 3))):
        with pytest.raises(InputError, match="1000000000 points are more than 1000000; thin them"):
            world.add_points("cloud", points, 0.01)
    for heights in (Endless(10**5, Endless(10**4)), np.broadcast_to(0.0, (10**5, 10**4))):
        with pytest.raises(InputError, match="1000000000 cells are more than 1000000; take larger"):
            world.add_height_field("ground", heights, 0.01, np.eye(4))


A_MILLION = """
import resource, sys, time
import numpy as np
from baxterkit import Baxter
from baxterkit.collision import World

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0

robot, rng = Baxter(), np.random.default_rng(0)
q = robot.left.configuration("neutral"), robot.right.configuration("neutral")
robot.in_collision(*q)
points = rng.uniform((0.9, -1.0, -1.0), (2.0, 1.0, 1.0), (1_000_000, 3))
heights = rng.uniform(-1.0, -0.9, (1000, 1000))
before, start, world = peak(), time.process_time(), World()
if sys.argv[1] == "points":
    world.add_points("cloud", points, 0.005)
else:
    world.add_height_field("ground", heights, 0.005, (0.0, -2.5, 0.0), bottom=-1.5)
hit = robot.scene(world).in_collision(*q)
print(hit, time.process_time() - start, peak() - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["points", "heights"])
def test_a_million_obstacles_are_checked_within_two_seconds_and_300_megabytes(kind: str) -> None:
    """The first check builds the tree; 7 s and 920 MB with a row of 17 numbers for each of them."""
    command = [sys.executable, "-c", A_MILLION, kind]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert words[0] == "False"
    assert float(words[1]) < 2.0
    assert float(words[2]) < 300.0


def test_ground_below_its_frame_is_solid() -> None:
    """Heights in base, as of any floor or table; the default bottom of 0 left nothing of them."""
    world = World()
    world.add_height_field("ground", np.array([[-0.2, np.nan], [-0.3, -0.2]]), 0.05, (0, 0, 0))
    boxes = world["ground"].boxes()
    assert world["ground"].primitives == len(boxes.centers) == 3
    np.testing.assert_allclose(boxes.centers[:, 2] - boxes.half[:, 2], -0.4, rtol=0, atol=1e-12)
    world.add_height_field("pile", [[0.3, 0.5]], 0.05, (0, 0, 0))
    assert world["pile"].size[1] == 0.0


@pytest.mark.parametrize(
    ("heights", "bottom", "text"),
    [
        ([[-0.2, -0.3]], 0.0, "bottom = 0 m is above the highest of the heights, -0.2 m"),
        ([[np.nan, np.nan]], None, "heights has no number, all are NaN"),
    ],
)
def test_ground_of_holes_alone_is_refused(
    heights: list[list[float]], bottom: float | None, text: str
) -> None:
    with pytest.raises(InputError, match=text):
        World().add_height_field("ground", heights, 0.05, (0, 0, 0), bottom)
