"""Collision checks on a GPU: rates, and agreement with the processor, for bench_cuda.py."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from bench_collision import fifteen

from baxterkit import Arm, Baxter
from baxterkit.scene import Scene

TOOL = "electric_extended"
ROWS, COMPARED, COMPARED_EDGES = 1 << 22, 1 << 20, 100_000
NEAR = 1e-9
"""Where the clearance is nearer to the margin than this, verdicts may differ [m]."""


def collision(median_ms: Callable[..., float]) -> dict[str, Any]:
    """Verdicts and clearances with gradients, of the robot alone and among 15 obstacles."""
    rng = np.random.default_rng(5)
    worlds = {"alone": None, "among 15 obstacles": fifteen(rng)}
    rows = [row for name, world in worlds.items() for row in measured(name, world, median_ms)]
    return {"compared": len(worlds) * COMPARED, "rows": rows}


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
    return [*rows, edges(name, here, scene, left, right, generator)]


def edges(
    name: str, here: Scene, scene: Scene, left: Any, right: Any, generator: Any
) -> dict[str, Any]:
    """Straight motions from free configurations; those that differ come within 0.1 mm."""
    start = torch.cat([left[:COMPARED], right[:COMPARED]], 1)
    start = start[~scene.in_collision(left[:COMPARED], right[:COMPARED])].contiguous()
    size = start.shape
    end = start + 0.2 * torch.randn(size, dtype=start.dtype, device="cuda", generator=generator)
    scene.edge_free(start[:1000].contiguous(), end[:1000].contiguous())
    torch.cuda.synchronize()
    began = time.perf_counter()
    free = scene.edge_free(start, end)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - began
    few = [x[:COMPARED_EDGES].cpu().numpy() for x in (start, end)]
    began = time.perf_counter()
    expected = np.asarray(here.edge_free(*few))
    on_cpu = time.perf_counter() - began
    differ = np.flatnonzero(free[:COMPARED_EDGES].cpu().numpy() != expected)
    for i in differ:
        t = np.linspace(0.0, 1.0, 20_001)[:, None]
        q = few[0][i] + t * (few[1][i] - few[0][i])
        assert abs(here.clearance(q[:, :7], q[:, 7:]).min()) < 2e-4, "edges differ"
    row = {
        "what": "edge_free",
        "where": name,
        "rows": len(start),
        "free": round(float(free.double().mean()), 4),
        "compared": COMPARED_EDGES,
        "within_a_tenth_of_a_millimetre": len(differ),
        "G_per_s": round(len(start) / seconds * 1e-9, 5),
        "processor_G_per_s": round(COMPARED_EDGES / on_cpu * 1e-9, 5),
    }
    print(row, flush=True)
    return row


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
