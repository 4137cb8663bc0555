"""Planning problems with fixed seeds: the same on every machine.

Configurations are drawn at random and kept where the tip is in a place that makes the problem what
it is, and nothing touches. `SINGLE` are kinds that move one arm, `DOUBLE` both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import problems

from baxterkit import Arm, Baxter
from baxterkit.collision import LINKS, World
from baxterkit.model import Tool
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.planning import PlanResult, PlanStatus, SearchSettings, plan

GRIPPER = Tool("electric_extended_narrow", np.eye(4))
"""Its body, with the tip at the hand."""
ROBOT = Baxter(Arm("left", tool=GRIPPER), Arm("right", tool=GRIPPER))
UNTUCK = np.concatenate([ROBOT.left.configuration("untuck"), ROBOT.right.configuration("untuck")])
LOWER, UPPER = ROBOT.left.limits.lower, ROBOT.left.limits.upper
DRAWN = 4000
"""Configurations that are drawn at a time."""
CLEAR = 0.002
"""Clearance of starts and goals [m]."""
GATE = -0.3
"""Value of s0 at which the gate stands [rad]."""


def plan_with(robot: Baxter, start: object, goal: object, **options: Any) -> PlanResult:
    """`plan` with the settings of the scene and of the search by name."""
    scene, search, rest = {}, {}, {}
    for name, value in options.items():
        of_scene = name in ("world", "head", "opening", "margin", "without")
        of_search = name in ("seed", "timeout", "samples", "method", "keep_tree")
        (scene if of_scene else search if of_search else rest)[name] = value
    return plan(robot.scene(**scene), start, goal, search=SearchSettings(**search), **rest)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Problem:
    """A planning problem.

    Attributes:
        kind: What it is, with its number.
        group: What moves.
        start: Joint positions of both arms [rad], shape (14,).
        goal: The goal, as `plan` takes it.
        world: Obstacles.
        status: The outcome that is right; None where only a path shows it.
    """

    kind: str
    group: str
    start: np.ndarray
    goal: object
    world: World
    status: PlanStatus | None = None


def table(rng: np.random.Generator) -> tuple[World, np.ndarray, np.ndarray]:
    """Things on a table; the tip goes from one place above it to another."""
    world = World()
    top = rng.uniform(-0.15, 0.05)
    world.add_box("table", (0.8, 1.8, 0.04), [0.85, 0.0, top - 0.02])
    for i in range(6):
        height = rng.uniform(0.1, 0.35)
        at = [rng.uniform(0.55, 0.95), rng.uniform(-0.7, 0.7), top + height / 2]
        world.add_box(f"thing {i}", (0.09, 0.09, height), at)
    return world, np.array([0.5, -0.8, top + 0.03]), np.array([1.0, 0.8, top + 0.25])


def shelf(rng: np.random.Generator) -> tuple[World, np.ndarray, np.ndarray]:
    """A shelf with three boards and three sides; the tip goes into a compartment, or out."""
    world = World()
    front, middle = rng.uniform(0.75, 0.85), rng.uniform(-0.2, 0.2)
    for i, z in enumerate((-0.1, 0.25, 0.6)):
        world.add_box(f"board {i}", (0.4, 1.2, 0.03), [front + 0.2, middle, z])
    for i, y in enumerate((-0.6, 0.0, 0.6)):
        world.add_box(f"side {i}", (0.4, 0.03, 0.73), [front + 0.2, middle + y, 0.25])
    low = np.array([front - 0.02, middle - 0.6, -0.08])
    return world, low, low + np.array([0.25, 1.2, 0.66])


def box(rng: np.random.Generator) -> tuple[World, np.ndarray, np.ndarray]:
    """An open box; the tip goes from outside into it, or out."""
    world = World()
    x, y, z = rng.uniform([0.6, -0.35, -0.2], [0.75, 0.35, 0.0])
    for name, size, at in (
        ("bottom", (0.36, 0.36, 0.02), (0.0, 0.0, 0.0)),
        ("front", (0.02, 0.36, 0.25), (-0.17, 0.0, 0.12)),
        ("back", (0.02, 0.36, 0.25), (0.17, 0.0, 0.12)),
        ("left wall", (0.36, 0.02, 0.25), (0.0, 0.17, 0.12)),
        ("right wall", (0.36, 0.02, 0.25), (0.0, -0.17, 0.12)),
    ):
        world.add_box(name, size, np.array([x, y, z]) + at)
    low = np.array([x - 0.12, y - 0.12, z + 0.04])
    return world, low, low + np.array([0.24, 0.24, 0.2])


def narrow(rng: np.random.Generator) -> tuple[World, np.ndarray, np.ndarray]:
    """A wall with a window; the tip goes through it."""
    world = World()
    x, half = rng.uniform(0.6, 0.7), rng.uniform(0.16, 0.2)
    y, z = rng.uniform([0.1, 0.1], [0.3, 0.35])
    y *= rng.choice([-1.0, 1.0])
    for name, size, at in (
        ("above", (0.03, 2.0, 0.6), (0.0, 0.0, half + 0.3)),
        ("below", (0.03, 2.0, 0.6), (0.0, 0.0, -half - 0.3)),
        ("beside left", (0.03, 0.8, 2 * half), (0.0, half + 0.4, 0.0)),
        ("beside right", (0.03, 0.8, 2 * half), (0.0, -half - 0.4, 0.0)),
    ):
        world.add_box(name, size, np.array([x, y, z]) + at)
    low = np.array([x + 0.06, y - 0.3, z - 0.3])
    return world, low, low + np.array([0.4, 0.6, 0.6])


def clutter(rng: np.random.Generator) -> tuple[World, np.ndarray, np.ndarray]:
    """Boxes, cylinders and spheres in the air; the tip goes anywhere in front."""
    world = World()
    for i in range(12):
        at = rng.uniform([0.35, -0.9, -0.3], [1.0, 0.9, 0.8])
        if i % 3 == 0:
            world.add_box(f"box {i}", rng.uniform(0.05, 0.25, 3), at)
        elif i % 3 == 1:
            world.add_cylinder(f"cylinder {i}", rng.uniform(0.1, 0.4), 0.05, at)
        else:
            world.add_sphere(f"sphere {i}", rng.uniform(0.04, 0.1), at)
    return world, np.array([0.3, -0.9, -0.3]), np.array([1.1, 0.9, 0.9])


Place = Callable[[np.random.Generator], tuple[World, np.ndarray, np.ndarray]]
SINGLE: dict[str, Place] = {
    "table": table,
    "shelf": shelf,
    "box": box,
    "narrow": narrow,
    "clutter": clutter,
}
FROM_UNTUCK = ("shelf", "box", "narrow")
"""Kinds that begin with the arms untucked, or end there."""


def single(each: int, blocked: float = 0.8) -> Iterator[Problem]:
    """Problems of one arm, `each` of every kind.

    Args:
        each: Their number.
        blocked: Share in which the straight line is blocked for certain.
    """
    for kind, place in SINGLE.items():
        rng = problems.generator(f"plan {kind}")
        for n in range(each):
            wanted = rng.random() < blocked
            while True:
                found = _one(rng, kind, place)
                if found is None:
                    continue
                start, goal, group, world = found
                if not wanted or not ROBOT.scene(world).edge_free(start, goal):
                    break
            columns = ARM_COLUMNS[group]
            yield Problem(f"{kind} {n}", group, start, goal[columns], world)


def double(each: int) -> Iterator[Problem]:
    """Problems of both arms: hands that meet (handover), and both hands in clutter and shelves."""
    for kind in ("handover", "clutter", "shelf"):
        rng = problems.generator(f"plan both {kind}")
        for n in range(each):
            world, low, high = (clutter if kind == "handover" else SINGLE[kind])(rng)
            if kind == "handover":
                world, low, high = World(), np.array([0.5, -0.15, 0.0]), np.array([0.9, 0.15, 0.4])
                world.add_box("table", (0.8, 1.8, 0.04), [0.85, 0.0, -0.2])
            ends = []
            while len(ends) < 2:
                left, right = (_drawn(rng, arm, low, high, 40) for arm in (ROBOT.left, ROBOT.right))
                q = np.concatenate(
                    [np.repeat(left, len(right), 0), np.tile(right, (len(left), 1))], 1
                )
                free = q[
                    ~np.asarray(ROBOT.scene(world, margin=CLEAR).in_collision(q[:, :7], q[:, 7:]))
                ]
                if kind == "handover" and len(free):
                    gap = (
                        ROBOT.left.fk(free[:, :7])[:, :3, 3] - ROBOT.right.fk(free[:, 7:])[:, :3, 3]
                    )
                    free = free[np.linalg.norm(gap, axis=-1) < 0.2]
                if len(free):
                    ends.append(free[rng.integers(len(free))])
                if kind == "handover" and len(ends) == 1:
                    ends.insert(0, UNTUCK)
            yield Problem(f"both {kind} {n}", "both", ends[0], ends[1], world)


def all_but(one: str, other: str, world: World | None = None) -> tuple[tuple[str, str], ...]:
    """Every pair of links and things but one, for checks by NumPy, which take long."""
    names = (*LINKS, *(() if world is None else world.names))
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return tuple(pair for pair in pairs if {*pair} != {one, other})


def gate() -> World:
    """An arc in the plane of the upper arm at s0 = GATE, 0.25 m from the shoulder, for every s1.

    At s0 = GATE the upper arm touches it whatever s1 is, and no other joint moves the upper arm's
    axis: no path leads from one side to the other.
    """
    q = np.zeros((60, 7))
    q[:, 0], q[:, 1] = GATE, np.linspace(LOWER[1], UPPER[1], 60)
    shoulder, elbow = (ROBOT.left.link_poses(q)[:, k, :3, 3] for k in (1, 3))
    along = (elbow - shoulder) / np.linalg.norm(elbow - shoulder, axis=-1, keepdims=True)
    world = World()
    world.add_points("gate", shoulder + 0.25 * along, 0.03)
    return world


def infeasible(each: int) -> Iterator[Problem]:
    """Problems without a path, and the status that says why."""
    rng = problems.generator("plan infeasible")
    for n in range(each):
        _, low, high = clutter(rng)
        while True:
            (inside,) = _drawn(rng, ROBOT.left, low, high, 1)
            T = ROBOT.left.fk(inside)
            ball = World()
            ball.add_sphere("ball", 0.08, T[:3, 3])
            if not ROBOT.scene(ball, margin=CLEAR).in_collision(UNTUCK[:7], UNTUCK[7:]):
                break
        start = np.concatenate([inside, UNTUCK[7:]])
        yield Problem(f"start {n}", "left", start, UNTUCK[:7], ball, PlanStatus.START_IN_COLLISION)
        yield Problem(f"goal {n}", "left", UNTUCK, inside, ball, PlanStatus.GOAL_IN_COLLISION)
        yield Problem(f"blocked {n}", "left", UNTUCK, T, ball, PlanStatus.GOAL_BLOCKED)
        far = T.copy()
        far[:3, 3] += 1.5 * T[:3, 3] / np.linalg.norm(T[:3, 3])
        yield Problem(f"far {n}", "left", UNTUCK, far, ball, PlanStatus.OUT_OF_REACH)
        rest = rng.uniform([-0.6, -0.3, 0.6, -0.5, 0.4, -1.0], [0.2, 0.3, 1.4, 0.5, 1.2, 1.0])
        ends = [np.concatenate([[GATE + side], rest]) for side in (0.75, -0.75)]
        before = np.concatenate([ends[0], UNTUCK[7:]])
        if not ROBOT.scene(gate(), margin=CLEAR).in_collision(np.stack(ends), UNTUCK[7:]).any():  # type: ignore[union-attr]
            yield Problem(f"gate {n}", "left", before, ends[1], gate(), PlanStatus.NO_PATH)


def _one(
    rng: np.random.Generator, kind: str, place: Place
) -> tuple[np.ndarray, np.ndarray, str, World] | None:
    """Start and goal of both arms of a problem, one of which may be refused; None: draw again."""
    world, low, high = place(rng)
    group = str(rng.choice(["left", "right"]))
    arm, columns = (ROBOT.left, slice(0, 7)) if group == "left" else (ROBOT.right, slice(7, 14))
    ends = np.tile(UNTUCK, (2, 1))
    drawn = _drawn(rng, arm, low, high, 60)
    q = np.tile(UNTUCK, (len(drawn), 1))
    q[:, columns] = drawn
    free = q[~np.asarray(ROBOT.scene(world, margin=CLEAR).in_collision(q[:, :7], q[:, 7:]))]
    needed = 1 if kind in FROM_UNTUCK else 2
    if len(free) < needed:
        return None
    ends[-needed:] = free[rng.choice(len(free), needed, replace=False)]
    if ROBOT.scene(world, margin=CLEAR).in_collision(ends[:, :7], ends[:, 7:]).any():  # type: ignore[union-attr]
        return None
    if rng.random() < 0.5:
        ends = ends[::-1]
    return ends[0].copy(), ends[1].copy(), group, world


def _drawn(
    rng: np.random.Generator, arm: Arm, low: np.ndarray, high: np.ndarray, most: int
) -> np.ndarray:
    """Joint positions of an arm, at random, with the tip between two corners, (1 ... most, 7)."""
    while True:
        q = rng.uniform(LOWER, UPPER, (DRAWN, 7))
        p = arm.fk(q)[:, :3, 3]
        q = q[((p > low) & (p < high)).all(axis=-1)][:most]
        if len(q):
            return q
