"""What is done with a GPU, for bench_cuda.py: kernels loaded, a motion optimised, maps made."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.kernels.table import KERNELS
from baxterkit.scene.scene import Scene
from baxterkit.workspace.compute import QUALITIES, Chunk, Job
from baxterkit.workspace.making import run
from baxterkit.workspace.settings import LEVELS, Question, Settings, make_settings

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "28_optimise_on_a_gpu.py"
STARTS = 4096
LOAD = """
import sys, time
from baxterkit.cuda import device
gpu = device()
with gpu.active():
    for name in sys.argv[1:]:
        started = time.perf_counter()
        gpu.function(name)
        print(time.perf_counter() - started)
"""


def loads() -> dict[str, Any]:
    """How long kernels take to load: first, compiled by the driver, and in a later process."""
    names = [f"{kernel.name}.float64" for kernel in KERNELS if kernel.reach != "native"]
    names += ["quick_ik.float64", "prove_ik.float64", "wide_ik.float64"]
    times = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", LOAD, *names],
                env=os.environ | {"CUDA_CACHE_PATH": cache},
                check=True,
                capture_output=True,
                text=True,
            )
            times.append([float(line) for line in done.stdout.split()])
    first, again = times
    result = {
        "kernels": len(names),
        "first_s": [round(min(first), 2), round(max(first), 2)],
        "again_ms": [round(1e3 * min(again), 1), round(1e3 * max(again), 1)],
    }
    print("loads", result, flush=True)
    return result


def optimiser() -> dict[str, Any]:
    """Example 28: a motion around a box, from thousands of starts."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, str(EXAMPLE), str(STARTS)],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
    print(done.stdout, flush=True)

    def number(pattern: str) -> float:
        found = re.search(pattern, done.stdout)
        assert found, done.stdout
        return float(found[1])

    arrived = re.search(r"in the twin: arrived (\w+)", done.stdout)
    return {
        "starts": int(number(r"(\d+) starts")),
        "steps": int(number(r"(\d+) steps on the GPU")),
        "seconds": number(r"([\d.]+) s, cost"),
        "clearance_mm": int(number(r"best: clearance (-?\d+) mm")),
        "straight_clearance_mm": int(number(r"straight: clearance (-?\d+) mm")),
        "arrived_in_the_twin": arrived[1] == "True" if arrived else None,
    }


class Kept:
    """A map in memory: a store for `workspace.making.run`."""

    def __init__(self, settings: Settings) -> None:
        self._chunks = settings.chunks
        self.of: dict[tuple[int, ...], Chunk] = {}

    def done(self) -> np.ndarray:
        return np.zeros(self._chunks, dtype=np.int64)

    def write(self, index: tuple[int, ...], chunk: Chunk) -> None:
        self.of[tuple(index)] = chunk


def chunks(scene: Scene, question: Question, device: str | None) -> tuple[Any, float]:
    """A map, chunk by chunk, and the time that it takes [s]."""
    settings = make_settings(scene, question)
    store: Any = Kept(settings)
    started = time.perf_counter()
    run(Job(settings, scene, device), store)
    return store.of, time.perf_counter() - started


def workspace_map(step: float = 0.05, orientations: int = 100) -> dict[str, Any]:
    """Maps of the left arm: its reach, what its body lets it reach, and how well."""
    scene = Baxter().scene()
    result: dict[str, Any] = {"step_m": step, "orientations": orientations}
    for level in LEVELS:
        few = Question("left", 0.4, 20, level)
        chunks(scene, few, "cuda")  # loads the kernels
        question = Question("left", step, orientations, level)
        found, seconds = chunks(scene, question, "cuda")
        expected, on_processor = chunks(scene, question, None)
        pairs = [(found[index], chunk) for index, chunk in expected.items()]
        result[f"{level}_cuda_s"] = round(seconds, 2)
        result[f"{level}_processor_s"] = round(on_processor, 2)
        result[f"{level}_poses"] = sum(there["status"].size for _, there in pairs)
        result[f"{level}_differing"] = sum(
            int((here["status"] != there["status"]).sum()) for here, there in pairs
        )
        for name in QUALITIES if level == "full" else ():
            apart = [np.abs(here[name] - there[name]) for here, there in pairs]
            result[f"{name}_apart"] = max(float(np.nanmax(x, initial=0.0)) for x in apart)
            result[f"{name}_cells_differing"] = sum(
                int(((x > 1e-6) | (np.isnan(here[name]) != np.isnan(there[name]))).sum())
                for x, (here, there) in zip(apart, pairs, strict=True)
            )
        print("map", level, result, flush=True)
    return result
