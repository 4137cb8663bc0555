"""Checks on a GPU what CI cannot: the tests marked `gpu`, and every kernel under compute-sanitizer.

Needs an NVIDIA GPU, baxterkit-cuda (`make cuda`) and pytest; compute-sanitizer is of NVIDIA's
toolkit. What a library lacks is skipped, as the tests say.

Usage: python tools/check_cuda.py [--json FILE] [--commit HASH]
       python tools/check_cuda.py --once       every kernel on some rows, nothing else
       python tools/check_cuda.py --planted    one row too many: memcheck must see it
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.cuda import DeviceArray, collision, device
from baxterkit.cuda.kernels import Rows, Source
from baxterkit.extras import load_extra
from baxterkit.kernels.table import KERNELS

ROOT = Path(__file__).resolve().parent.parent
TESTS = ("-m", "pytest", "-m", "gpu", "-q", "-rs", "-p", "no:cacheprovider", "tests/cuda")
TOOLS = ("memcheck", "racecheck", "synccheck")
SUMMARY = re.compile(r"(\w+) SUMMARY: (\d+) (?:errors?|hazards?)")
OUTCOMES = re.compile(r"(\d+) (passed|failed|skipped|errors?)")
ROWS = 75
"""Of most calls: two tiles of a kernel and a part."""
LIMIT_S = 420.0
"""For each check; one that takes longer counts as failed."""


def there(x: object) -> DeviceArray:
    """A copy on the GPU."""
    return DeviceArray.of(device(), np.asarray(x))


def kernels() -> None:
    """Those of the table, in both types, batched and repeated; and those with joint effects."""
    rng = np.random.default_rng(1)
    arm = Arm("left", backend="cuda")
    for dtype in (np.float64, np.float32):
        for kernel in KERNELS:
            if kernel.reach == "native":
                continue
            call = getattr(arm._kernels, kernel.name)
            given = [rng.random((ROWS, a.width)).astype(dtype) for a in kernel.inputs]
            call(*map(there, given)).numpy()
            call(there(given[0]), *(there(x[0]) for x in given[1:])).numpy()
        moved = arm.with_effects(viscous=np.full(7, 0.3), spring_sin=rng.normal(size=(7, 3)))
        state = [there(rng.random((ROWS, 7)).astype(dtype)) for _ in range(3)]
        wrench = there(rng.random((ROWS, 6)).astype(dtype))
        moved.inverse_dynamics(*state)
        moved.inverse_dynamics(*state, wrench)
        moved.forward_dynamics(*state)
        moved.inverse_dynamics_derivatives(*state)
        moved.forward_dynamics_derivatives(*state)
    device().driver.synchronize(device().stream)


def inverse_kinematics() -> None:
    """Targets that are reached with and without trouble, or are not, one by one and in blocks."""
    rng = np.random.default_rng(2)
    here, arm = Arm("left"), Arm("left", backend="cuda")
    lower, upper = here.limits.lower, here.limits.upper
    q, seed = rng.uniform(lower, upper, (2, 300, 7))
    q[:40, 5] = 0.0
    q[40:80] = np.where(rng.random((40, 7)) < 0.5, lower, upper)
    T = here.fk(q)
    T[200:250, :3, 3] += rng.normal(size=(50, 3)) * 0.4
    T[250:, :3, :3] = here.fk(seed[250:])[:, :3, :3]
    targets, starts = there(T), there(seed)
    for objective in ("quick", "nearest", "limits"):
        found = arm.ik(targets, starts, objective).on_processor()
        assert (found.status == here.ik(T, seed, objective).status).all()
    for limits in (True, False):
        ours, theirs = (
            arm.ik_all(targets, there(q[:, 2].copy()), limits),
            here.ik_all(T, q[:, 2], limits),
        )
        assert np.allclose(ours.numpy(), theirs, rtol=0, atol=1e-8, equal_nan=True)


def obstacles() -> World:
    """Obstacles of every kind, and one that a hand holds."""
    rng = np.random.default_rng(3)
    world = World()
    world.add_box("box", (0.2, 0.3, 0.1), (0.8, 0.2, 0.1))
    world.add_sphere("sphere", 0.1, (0.7, -0.4, 0.5))
    world.add_capsule("capsule", 0.4, 0.05, (0.6, 0.6, 0.3))
    world.add_cylinder("cylinder", 0.3, 0.08, (0.9, -0.1, 0.2))
    world.add_plane("floor", (0.0, 0.1, 1.0), -0.6)
    world.add_points("cloud", rng.uniform([0.4, -0.9, 0.6], [1.2, 0.9, 0.9], (300, 3)), 0.02)
    world.add_box("parcel", (0.1, 0.1, 0.1), (0.9, 0.0, 0.9))
    world.attach("parcel", "left", np.eye(4))
    return world


def collisions() -> None:
    """Verdicts, clearances, gradients and edges, with room in the lists and without."""
    rng = np.random.default_rng(4)
    arms = [Arm(side, "electric_extended", backend="cuda") for side in ("left", "right")]
    here = Baxter(*(Arm(side, "electric_extended") for side in ("left", "right")))
    lower, upper = arms[0].limits.lower, arms[0].limits.upper
    left, right = rng.uniform(lower, upper, (2, 333, 7))
    head = rng.uniform(-1.2, 1.2, 333)
    given = (there(left), there(right), there(head))
    plenty, blocks = collision.ROOM, collision.BLOCK
    scarce = {
        kind: dict.fromkeys(room, 1) | {"pose": 0, "first": 0} for kind, room in plenty.items()
    }
    scarce["nearest"] |= {"pose": 1, "first": 1}
    for world in (None, obstacles()):
        scene, expected = Baxter(*arms).scene(world), here.scene(world)
        for room, block in ((plenty, blocks), (scarce, {"hits": 128, "nearest": 192})):
            collision.ROOM, collision.BLOCK = room, block
            hits = scene.in_collision(*given).numpy()
            assert (hits == expected.in_collision(left, right, head)).all()
            gap = scene.nearest(*given).clearance.numpy()
            assert np.abs(gap - expected.clearance(left, right, head)).max() < 1e-9
            scene.clearance(there(left), there(right[0])).numpy()
        collision.ROOM, collision.BLOCK = plenty, blocks
        start = np.concatenate([left, right], axis=1)[~hits]
        end = start + 0.2 * rng.normal(size=start.shape)
        scene.edge_free(there(start), there(end)).numpy()
        scene.ik("left", there(here.left.fk(left))).on_processor()


def once() -> None:
    """Every kernel once or more."""
    kernels()
    inverse_kinematics()
    collisions()
    package = load_extra("baxterkit_cuda", feature="", package="baxterkit-cuda", extra="cuda")
    built = {path.stem for path in Path(next(iter(package.__path__))).glob("*.ptx")}
    launched = set(device()._functions)
    print(f"{len(launched)} of {len(built)} kernels launched; not: {sorted(built - launched)}")


def planted() -> None:
    """The rows of an array, and the one after its last."""
    arm = Arm("left", backend="cuda")
    q, out = there(np.zeros((ROWS, 7))), DeviceArray(device(), (ROWS, 7))
    beyond = Rows(out=out.pointer, rows=ROWS + 1)
    beyond.sources[0] = Source(q.pointer, 1, ROWS + 1)
    with device().active():
        given = (beyond, arm._kernels._parameters["float64"])
        device().launch("gravity.float64", ROWS + 1, device().stream, given)
    out.numpy()


def run(command: Sequence[str]) -> tuple[str, float]:
    """What a program says, and how long it takes [s]."""
    started = time.perf_counter()
    try:
        said = subprocess.run(
            [*command],
            cwd=ROOT,
            env=os.environ | {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
            timeout=LIMIT_S,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ).stdout
    except subprocess.TimeoutExpired as error:
        said = (error.stdout or b"") + f"\nstopped after {LIMIT_S:.0f} s".encode()
    return said.decode(errors="replace"), time.perf_counter() - started


def tested() -> dict[str, Any]:
    """The tests marked `gpu`."""
    said, seconds = run([sys.executable, *TESTS])
    print(said[-3000:], flush=True)
    counts = {word.rstrip("s"): int(n) for n, word in OUTCOMES.findall(said.splitlines()[-1])}
    return {"seconds": round(seconds), **counts}


def sanitized(tool: str, how: str = "--once") -> dict[str, Any]:
    """Every kernel under one tool of compute-sanitizer."""
    program = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    said, seconds = run([program, "--tool", tool, sys.executable, __file__, how])
    print(f"{tool} {how}\n{said[-3000:]}", flush=True)
    launched = re.search(r"(\d+) of (\d+) kernels launched", said)
    return {
        "seconds": round(seconds),
        "kernels": int(launched[1]) if launched else 0,
        **{name.lower(): int(n) for name, n in SUMMARY.findall(said)},
    }


def main() -> int:
    """Runs the checks side by side; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--commit", default="")
    options = parser.parse_args()
    if options.once or options.planted:
        once() if options.once else planted()
        return 0
    with ThreadPoolExecutor() as pool:
        tests = pool.submit(tested)
        tools = {tool: pool.submit(sanitized, tool) for tool in TOOLS}
        sees = pool.submit(sanitized, "memcheck", "--planted")
        result = {
            "gpu": device().name,
            "cuda": device().driver.version,
            "commit": options.commit,
            "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "tests": tests.result(),
            "compute_sanitizer": {tool: done.result() for tool, done in tools.items()},
            "errors_of_one_row_too_many": sees.result().get("error", 0),
        }
    text = json.dumps(result, indent=1)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    clean = all(
        one["kernels"] and not any(one.get(name, 0) for name in ("error", "racecheck"))
        for one in result["compute_sanitizer"].values()
    )
    passed = result["tests"].get("passed", 0) and not result["tests"].keys() & {"failed", "error"}
    return 0 if clean and passed and result["errors_of_one_row_too_many"] else 1


if __name__ == "__main__":
    sys.exit(main())
