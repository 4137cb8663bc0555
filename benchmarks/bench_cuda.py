"""The kernels on a GPU beside the card's own ceilings, the processor, PyTorch, JAX and PyRoki.

Needs an NVIDIA GPU, baxterkit-cuda (`make cuda`) and PyTorch; JAX and PyRoki are optional.

Usage: python benchmarks/bench_cuda.py [--json FILE] [--parts kernels,ik,...] [--commit HASH]
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import cuda_collision
import cuda_ik
import cuda_peers
import cuda_pyroki
import cuda_uses
import numpy as np
import torch

import baxterkit
from baxterkit import Arm
from baxterkit.cuda import device
from baxterkit.cuda.driver import load_driver
from baxterkit.kernels.table import KERNELS

BYTES = 3 << 30
"""Bytes that one launch reads and writes, at most: many times the cache."""
LAUNCHES, MANY_LAUNCHES = 40, 200
"""In a row; during many a card may come to its limit of power and lower its clock."""
SIZES = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
TARGETS = {"fk": 18.0, "inverse_dynamics": 14.0}
"""Wanted in float64 [10⁹/s]."""
SHARES = {"jacobian": 0.7, "inertia": 0.7}
"""Wanted share of the bandwidth of a copy, float64."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--commit", default="")
    options = parser.parse_args()
    result: dict[str, Any] = {"machine": machine(options.commit), "ceilings": ceilings()}
    print(json.dumps(result, indent=1), flush=True)
    failed = []
    for part in options.parts.split(","):
        started = time.perf_counter()
        try:
            result[part] = PARTS[part](result)
        except Exception:
            traceback.print_exc()
            failed.append(part)
        print(f"{part}: {time.perf_counter() - started:.0f} s", flush=True)
        torch.cuda.empty_cache()
        if options.json:
            Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def machine(commit: str) -> dict[str, Any]:
    driver = load_driver()
    return {
        "gpu": device().name,
        "capability": list(device().capability),
        "driver": torch.cuda.get_device_properties(0).name and _driver_version(),
        "cuda": driver.version,
        "cores": len(__import__("os").sched_getaffinity(0)),
        "isa": baxterkit.backend_info()["isa"],
        "torch": torch.__version__,
        "baxterkit": baxterkit.__version__,
        "commit": commit,
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _driver_version() -> str:
    path = Path("/proc/driver/nvidia/version")
    words = path.read_text(encoding="utf-8").split() if path.exists() else []
    return next((word for word in words if word.count(".") == 2 and word[0].isdigit()), "")


def median_ms(call: Callable[[], object], launches: int = LAUNCHES) -> float:
    """Median time of one call on the GPU [ms]."""
    for _ in range(3):
        call()
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(launches + 1)]
    marks[0].record()
    for mark in marks[1:]:
        call()
        mark.record()
    torch.cuda.synchronize()
    return float(np.median([a.elapsed_time(b) for a, b in itertools.pairwise(marks)]))


def ceilings() -> dict[str, float]:
    x = torch.rand(BYTES // 16, dtype=torch.float64, device="cuda")
    y = torch.empty_like(x)
    copy = 2 * x.nbytes / median_ms(lambda: y.copy_(x)) * 1e-9
    a = torch.rand(8192, 8192, dtype=torch.float64, device="cuda")
    product = 2 * 8192**3 / median_ms(lambda: a @ a, 5) * 1e-9
    return {"copy_TB_per_s": round(copy, 3), "float64_matmul_TFLOP_per_s": round(product, 2)}


def kernels(result: dict[str, Any], launches: int = LAUNCHES) -> list[dict[str, Any]]:
    """Rates of all kernels, and their errors."""
    copy = result["ceilings"]["copy_TB_per_s"]
    here, arm = Arm("left"), Arm("left", backend="cuda")
    rows = []
    for kernel in KERNELS:
        if kernel.reach == "native":
            continue
        width = sum(a.width for a in kernel.inputs) + math.prod(kernel.shape)
        check = [np.random.default_rng(1).random((500, a.width)) for a in kernel.inputs]
        exact = getattr(here._kernels, kernel.name)(*check)
        for dtype in (torch.float64, torch.float32):
            size = torch.finfo(dtype).bits // 8
            n = min(1 << 24, BYTES // (width * size))
            inputs = [
                torch.rand(n, a.width, dtype=dtype, device="cuda") * 4 - 2 for a in kernel.inputs
            ]
            call = getattr(arm._kernels, kernel.name)
            first = call(*(torch.tensor(x, dtype=dtype, device="cuda") for x in check))
            error = float(np.abs(first.cpu().numpy() - exact).max() / np.abs(exact).max())
            assert error < (1e-12 if size == 8 else 1e-2), (kernel.name, dtype, error)
            out = torch.empty((n, *kernel.shape), dtype=dtype, device="cuda")
            ms = median_ms(partial(call, *inputs, out=out), launches)
            row = {
                "kernel": kernel.name,
                "dtype": str(dtype).removeprefix("torch."),
                "rows": n,
                "G_per_s": round(n / ms * 1e-6, 3),
                "TB_per_s": round(n * width * size / ms * 1e-9, 3),
                "of_copy": round(n * width * size / ms * 1e-9 / copy, 3),
                "error": error,
            }
            rows.append(row)
            print(
                f"{kernel.name:32s} {row['dtype']} {row['G_per_s']:8.2f} G/s "
                f"{row['TB_per_s']:5.2f} TB/s {row['of_copy']:5.0%} of copy, error {error:.0e}",
                flush=True,
            )
            inputs = out = None  # makes room
    return rows


def crossover(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Times of a call by the size of its batch: arrays on the GPU, and NumPy's."""
    here, arm = Arm("left"), Arm("left", backend="cuda")
    cores = result["machine"]["cores"]
    rows = []
    for name in ("fk", "inverse_dynamics", "forward_dynamics"):
        kernel = next(k for k in KERNELS if k.name == name)
        for n in SIZES:
            host = [np.random.default_rng(2).random((n, a.width)) for a in kernel.inputs]
            there = [torch.tensor(x, device="cuda") for x in host]
            out = np.empty((n, *kernel.shape))
            back = torch.empty((n, *kernel.shape), dtype=torch.float64, device="cuda")
            on_cpu, on_gpu = (getattr(a._kernels, name) for a in (here, arm))

            def resident(call: Any = on_gpu, given: Any = there, to: Any = back) -> None:
                call(*given, out=to)
                torch.cuda.synchronize()

            def native(call: Any = on_cpu, given: Any = host, to: Any = out) -> None:
                call(*given, out=to)

            def copied(call: Any = on_gpu, given: Any = host, to: Any = out) -> None:
                call(*given, out=to)

            row: dict[str, Any] = {"kernel": name, "rows": n}
            row["gpu_us"] = wall_us(resident)
            row["gpu_from_numpy_us"] = wall_us(copied)
            for threads in (1, cores):
                baxterkit.set_threads(threads)
                row[f"cpu_{'one' if threads == 1 else 'all'}_us"] = wall_us(native)
            rows.append(row)
            print(row, flush=True)
    return rows


def wall_us(call: Callable[[], None], seconds: float = 0.4) -> float:
    """Median time of a call until its result is there [µs]."""
    call()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return round(float(np.median(times)) * 1e6, 2)


def peers(result: dict[str, Any]) -> list[dict[str, Any]]:
    """FK and inverse dynamics as they are usually written in PyTorch and JAX."""
    arm, here = Arm("left", backend="cuda"), Arm("left")
    rows = []
    n = 1 << 20
    for dtype in ("float64", "float32"):
        q, qd, qdd = (
            torch.rand(n, 7, dtype=getattr(torch, dtype), device="cuda") for _ in range(3)
        )
        for peer in cuda_peers.available(here.model, dtype):
            for name, ours, theirs, given in (
                ("fk", arm.fk, peer.fk, (q,)),
                ("inverse_dynamics", arm.inverse_dynamics, peer.inverse_dynamics, (q, qd, qdd)),
            ):
                prepared = peer.prepare(given)
                difference = np.abs(
                    peer.numpy(theirs(*prepared))[:1000] - ours(*given).cpu().numpy()[:1000]
                ).max()
                assert difference < (1e-11 if dtype == "float64" else 1e-2), (peer.name, difference)
                us, own = (
                    wall_us(lambda f=f, x=x, p=p: p(f(*x)))
                    for f, x, p in (
                        (theirs, prepared, peer.wait),
                        (ours, given, lambda _: torch.cuda.synchronize()),
                    )
                )
                row = {
                    "what": name,
                    "dtype": dtype,
                    "peer": peer.name,
                    "rows": n,
                    "peer_M_per_s": round(n / us, 2),
                    "ours_M_per_s": round(n / own, 2),
                    "ratio": round(us / own, 1),
                }
                rows.append(row)
                print(row, flush=True)
    return rows


PARTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "kernels": kernels,
    "sustained": lambda result: {
        "launches": MANY_LAUNCHES,
        "rows": kernels(result, MANY_LAUNCHES),
    },
    "ik": lambda _: cuda_ik.ik(),
    "collision": lambda _: cuda_collision.collision(median_ms),
    "ik_all": lambda _: cuda_ik.every(),
    "nearest": lambda _: cuda_ik.nearest(),
    "crossover": crossover,
    "loads": lambda _: cuda_uses.loads(),
    "optimiser": lambda _: cuda_uses.optimiser(),
    "map": lambda _: cuda_uses.workspace_map(),
    "pyroki": lambda _: cuda_pyroki.pyroki(wall_us) if cuda_pyroki.available() else [],
    "peers": peers,
}
"""PyRoki before JAX, which the latter's float64 would change."""

if __name__ == "__main__":
    main()
