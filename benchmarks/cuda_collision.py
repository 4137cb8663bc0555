"""Collision checks on a GPU: rates, and agreement with the processor, for bench_cuda.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from bench_collision import fifteen

from baxterkit import Arm, Baxter
from baxterkit.scene import Scene

TOOL = "electric_extended"
ROWS, COMPARED = 1 << 22, 1 << 20
NEAR = 1e-9
"""Where the clearance is nearer to the margin than this, verdicts may differ [m]."""


def collision(median_ms: Callable[..., float]) -> list[dict[str, Any]]:
    """Verdicts and clearances with gradients, of the robot alone and among 15 obstacles."""
    rng = np.random.default_rng(5)
    worlds = {"alone": None, "among 15 obstacles": fifteen(rng)}
    return [row for name, world in worlds.items() for row in measured(name, world, median_ms)]


def robot(backend: str) -> Baxter:
    return Baxter(Arm("left", TOOL, backend=backend), Arm("right", TOOL, backend=backend))


def measured(name: str, world: Any, median_ms: Callable[..., float]) -> list[dict[str, Any]]:
    here, scene = robot("native").scene(world), robot("cuda").scene(world)
    lower, upper = (torch.tensor(np.array(x), device="cuda") for x in limits(here))
    generator = torch.Generator("cuda").manual_seed(1)
    left, right = (
        lower
        + (upper - lower)
        * torch.rand(ROWS, 7, dtype=torch.float64, device="cuda", generator=generator)
        for _ in range(2)
    )
    compare(here, scene, left[:COMPARED].contiguous(), right[:COMPARED].contiguous())
    rows = []
    for what, call in (
        ("verdict", lambda: scene.in_collision(left, right)),
        ("clearance", lambda: scene.clearance(left, right)),
        ("clearance with gradient", lambda: scene.nearest(left, right)),
    ):
        ms = median_ms(call, 10)
        row = {"what": what, "where": name, "rows": ROWS, "G_per_s": round(ROWS / ms * 1e-6, 4)}
        rows.append(row)
        print(row, flush=True)
    return rows


def limits(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    return scene.robot.left.limits.lower, scene.robot.left.limits.upper


def compare(here: Scene, scene: Scene, left: Any, right: Any) -> None:
    """Fails where answers differ from the processor's."""
    on_cpu = (left.cpu().numpy(), right.cpu().numpy())
    expected, found = here.nearest(*on_cpu), scene.nearest(left, right)
    hits = scene.in_collision(left, right).cpu().numpy()
    sure = np.abs(expected.clearance) > NEAR
    assert np.array_equal(hits[sure], here.in_collision(*on_cpu)[sure]), "verdicts differ"
    worst = np.abs(found.clearance.cpu().numpy() - expected.clearance).max()
    assert worst < NEAR, worst
    same = (found.pair.cpu().numpy() == expected.pair).all(axis=-1)
    gradient = np.abs(found.gradient.cpu().numpy() - expected.gradient).max(axis=-1)
    print(
        f"{len(hits)} compared: {hits.mean():.2f} hit, clearance {worst:.0e} m apart, "
        f"{same.mean():.6f} the same pair, {(gradient[same] > 1e-9).sum()} gradients differ",
        flush=True,
    )
