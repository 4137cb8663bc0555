"""Collision checks: verdicts, clearances, edges, obstacles and free inverse kinematics.

Answers are compared first: verdicts with clearances, a sample of them with the NumPy reference, and
where `BAXTERKIT_MESHES` is set and Pinocchio is installed, with the robot's meshes by coal,
which are then timed beside ours. Configurations are random ones of both arms within the limits, one
thread; edges begin free, and are 0.5 rad long in the joint space of both arms, or move their
fastest joint by 0.5 rad.

Usage: python benchmarks/bench_collision.py [--json FILE] [--rounds N] [--check]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import ROOT, Report, Run, measure, parse_options

import baxterkit
from baxterkit import Arm, Baxter
from baxterkit.collision import World

sys.path.insert(0, str(ROOT / "tests"))

TOOL = "electric_extended"
ROBOT = Baxter(Arm("left", TOOL), Arm("right", TOOL))
BATCH, SINGLE, EDGES, TARGETS, MESHES = 20_000, 1000, 1000, 300, 200
LOW, HIGH = (np.tile(x, 2) for x in (ROBOT.left.limits.lower, ROBOT.left.limits.upper))


def fifteen(rng: np.random.Generator) -> World:
    """Boxes, cylinders and spheres in front of the robot."""
    world = World()
    for i in range(15):
        at = rng.uniform([0.5, -0.9, -0.3], [1.1, 0.9, 0.8])
        if i % 3 == 0:
            world.add_box(f"box {i}", rng.uniform(0.05, 0.3, 3), at)
        elif i % 3 == 1:
            world.add_cylinder(f"cylinder {i}", 0.2, 0.05, at)
        else:
            world.add_sphere(f"sphere {i}", 0.08, at)
    return world


def check(q: np.ndarray, world: World) -> None:
    """Compares answers; says which differ."""
    left, right = q[:, :7], q[:, 7:]
    for things in (None, world):
        hits = ROBOT.scene(things).in_collision(left, right)
        if not (hits == (ROBOT.scene(things).clearance(left, right) < 0.0)).all():
            raise SystemExit("verdicts and clearances differ")
    plain = Baxter(Arm("left", TOOL, backend="numpy"), Arm("right", TOOL, backend="numpy"))
    gap = plain.clearance(left[:10], right[:10]) - ROBOT.clearance(left[:10], right[:10])
    if np.abs(gap).max() > 1e-12:
        raise SystemExit("clearances differ from the reference")


def meshes() -> Any:
    """The robot's meshes by coal, if they can be had."""
    if "BAXTERKIT_MESHES" not in os.environ:
        return None
    try:
        from oracles.mesh_robot import MeshRobot

        return MeshRobot()
    except ImportError:
        return None


def each(call: Callable[..., object], rows: list[tuple[np.ndarray, ...]]) -> Callable[[], None]:
    """One call for every row."""

    def run() -> None:
        for row in rows:
            call(*row)

    return run


def main() -> int:
    """Checks, then times."""
    options = parse_options(__doc__ or "")
    baxterkit.set_threads(1)
    rng = np.random.default_rng(0)
    q = rng.uniform(LOW, HIGH, (BATCH, 14))
    left, right = np.ascontiguousarray(q[:, :7]), np.ascontiguousarray(q[:, 7:])
    world = fifteen(rng)
    check(q[:2000], world)
    free = q[~ROBOT.in_collision(left, right)][:EDGES]
    step = rng.normal(size=free.shape)
    ends = np.clip(free + 0.5 * step / np.linalg.norm(step, axis=-1, keepdims=True), LOW, HIGH)
    far = np.clip(free + 0.5 * step / np.abs(step).max(axis=-1, keepdims=True), LOW, HIGH)
    T = ROBOT.left.fk(left)
    T = T[(T[:, 0, 3] > 0.3) & (np.abs(T[:, 1, 3]) < 0.8) & (T[:, 2, 3] > -0.5)][:TARGETS]
    other = ROBOT.right.configuration("untuck")
    singles = list(zip(left[:SINGLE].copy(), right[:SINGLE].copy(), strict=True))
    runs = [
        Run("verdict, batch", lambda: ROBOT.in_collision(left, right), BATCH),
        Run(
            "verdict, batch, 15 obstacles",
            lambda: ROBOT.scene(world).in_collision(left, right),
            BATCH,
        ),
        Run("verdict, one call", each(ROBOT.in_collision, singles), SINGLE),
        Run("clearance, batch", lambda: ROBOT.clearance(left, right), BATCH),
        Run("nearest pair, points, gradient, batch", lambda: ROBOT.nearest(left, right), BATCH),
        Run("edge of 0.5 rad, batch", lambda: ROBOT.edge_free(free, ends), EDGES),
        Run("edge, 0.5 rad of one joint, batch", lambda: ROBOT.edge_free(free, far), EDGES),
        Run("free inverse kinematics, batch", lambda: ROBOT.ik("left", T, other), len(T)),
    ]
    truth = meshes()
    if truth is not None:
        few = q[:MESHES]
        missed = truth.touches(few) & ~np.asarray(ROBOT.in_collision(few[:, :7], few[:, 7:]))
        if missed.any():
            raise SystemExit("the meshes touch where the body does not")
        runs.append(Run("coal, the robot's meshes", lambda: truth.touches(few), MESHES))
    timings = measure(runs, options.rounds)
    report = Report("Collision")
    peer = timings.get("coal, the robot's meshes")
    for run in runs:
        report.add(run.name, timings[run.name], peer if run.name == "verdict, batch" else None)
    return report.finish(options, {"configurations": f"{BATCH} random ones of both arms"})


if __name__ == "__main__":
    sys.exit(main())
