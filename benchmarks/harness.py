"""Common parts of the benchmarks: interleaved timing, the machine, a table and a JSON file.

A benchmark first compares answers, then times. Competitors take turns in one process, round after
round, so that a change of clock speed or other load affects all of them. One measurement is a
run over `count` samples; times are per sample.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import baxterkit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))  # problems.py feeds tests and benchmarks

OURS = "baxterkit"


@dataclass(frozen=True)
class Run:
    """A measurement: `call` processes `count` samples."""

    name: str
    call: Callable[[], object]
    count: int


@dataclass(frozen=True)
class Timing:
    """Times per sample of one competitor [ns]."""

    name: str
    nanoseconds: np.ndarray

    @property
    def median(self) -> float:
        """Middle of all rounds."""
        return float(np.median(self.nanoseconds))

    @property
    def p99(self) -> float:
        """99 of 100 rounds were faster."""
        return float(np.quantile(self.nanoseconds, 0.99))

    @property
    def worst(self) -> float:
        """Slowest round."""
        return float(self.nanoseconds.max())

    @property
    def best(self) -> float:
        """Fastest round."""
        return float(self.nanoseconds.min())


def measure(runs: Sequence[Run], rounds: int) -> dict[str, Timing]:
    """Times the runs in turn, `rounds` times, after one round that does not count."""
    nanoseconds: dict[str, list[float]] = {run.name: [] for run in runs}
    gc.collect()
    gc.disable()
    try:
        for turn in range(rounds + 1):
            for run in runs:
                start = time.perf_counter_ns()
                run.call()
                spent = time.perf_counter_ns() - start
                if turn:
                    nanoseconds[run.name].append(spent / run.count)
    finally:
        gc.enable()
    return {name: Timing(name, np.array(values)) for name, values in nanoseconds.items()}


@dataclass
class Report:
    """Rows of results, printed as a table and written as JSON."""

    title: str
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self, what: str, timing: Timing, against: Timing | None = None, target: float | None = None
    ) -> None:
        """Adds a row; `target` is the least ratio of medians, `against` over `timing`.

        The ratio of the fastest rounds stands beside it: on a busy machine it is the truer one.
        """
        ratio = None if against is None else against.median / timing.median
        best_ratio = None if against is None else against.best / timing.best
        self.rows.append(
            {
                "what": what,
                "who": timing.name,
                "median_ns": timing.median,
                "p99_ns": timing.p99,
                "worst_ns": timing.worst,
                "best_ns": timing.best,
                "rounds": len(timing.nanoseconds),
                "against": None if against is None else against.name,
                "ratio": ratio,
                "best_ratio": best_ratio,
                "target": target,
            }
        )

    @property
    def missed(self) -> list[str]:
        """Rows below their target."""
        return [
            f"{row['what']}: {row['ratio']:.2f}x, wanted {row['target']:g}x"
            for row in self.rows
            if row["target"] is not None and row["ratio"] < row["target"]
        ]

    def lines(self) -> list[tuple[str, ...]]:
        """The table as text, the first line its header."""
        table = [
            (
                "what",
                "who",
                "best",
                "median",
                "p99",
                "worst",
                "against",
                "ratio",
                "best's",
                "target",
            )
        ]
        for row in self.rows:
            table.append(
                (
                    row["what"],
                    row["who"],
                    *(_time(row[f"{key}_ns"]) for key in ("best", "median", "p99", "worst")),
                    row["against"] or "",
                    "" if row["ratio"] is None else f"{row['ratio']:.1f}x",
                    "" if row["ratio"] is None else f"{row['best_ratio']:.1f}x",
                    "" if row["target"] is None else f">= {row['target']:g}x",
                )
            )
        return table

    def print(self) -> None:
        """The machine, then the table: by rich where it is installed."""
        machine = describe_machine()
        print(f"{self.title}: {machine['cpu']}, {machine['cores']} cores, load {machine['load']}")
        print(f"{machine['isa']}, {machine['compiler']}; {_versions(machine['versions'])}")
        header, *rows = self.lines()
        try:
            from rich.console import Console
            from rich.table import Table
        except ImportError:
            widths = [max(len(line[i]) for line in [header, *rows]) for i in range(len(header))]
            for line in [header, *rows]:
                print("  ".join(text.ljust(w) for text, w in zip(line, widths, strict=True)))
            return
        table = Table(*header)
        for row in rows:
            table.add_row(*row)
        Console(width=None if sys.stdout.isatty() else 150).print(table)

    def finish(self, options: argparse.Namespace, notes: dict[str, Any]) -> int:
        """Prints, writes the JSON that `--json` asks for; the exit status for `--check`."""
        self.print()
        for name, value in notes.items():
            print(f"{name}: {value}")
        if options.json:
            path = Path(options.json)
            path.parent.mkdir(parents=True, exist_ok=True)
            content = {
                "title": self.title,
                "machine": describe_machine(),
                "notes": notes,
                "results": self.rows,
            }
            path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        for text in self.missed:
            print(f"below target: {text}")
        return 1 if options.check and self.missed else 0


def parse_options(description: str) -> argparse.Namespace:
    """The command line that all benchmarks share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", metavar="FILE", help="write the results there")
    parser.add_argument("--rounds", type=int, default=300, help="rounds of single calls")
    parser.add_argument("--check", action="store_true", help="fail if a target is missed")
    return parser.parse_args()


def agree(what: str, ours: Any, theirs: Any, tolerance: float) -> float:
    """The largest difference of two answers; exits if it is above `tolerance` or not a number."""
    difference = float(np.abs(np.asarray(ours) - np.asarray(theirs)).max())
    if not difference <= tolerance:
        raise SystemExit(f"{what}: answers differ by {difference:.2e}, allowed {tolerance:g}")
    return difference


def describe_machine() -> dict[str, Any]:
    """Processor, instruction set, compiler, versions, commit."""
    info = baxterkit.backend_info()
    packages = ("baxterkit", "numpy", "pin", "roboticstoolbox-python", "mujoco")
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        "backend": info["backend"],
        "isa": info["isa"],
        "compiler": _compiler(),
        "system": platform.platform(),
        "versions": {
            "python": platform.python_version(),
            **{name: version for name in packages if (version := _version(name))},
        },
        "commit": _commit(),
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    match = re.search(r"model name\s*: (.*)", text)
    return match.group(1).strip() if match else platform.machine()


def _compiler() -> str:
    """What the compiler wrote into the extension about itself."""
    from baxterkit import _native

    text = Path(str(_native.__file__)).read_bytes()
    match = re.search(rb"(GCC: \([^)]*\) [\d.]+|clang version [\d.]+)", text)
    return match.group(1).decode() if match else "unknown compiler"


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _versions(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _commit() -> str | None:
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
        )
    except OSError:
        return None
    return done.stdout.strip() or None


def _time(nanoseconds: float) -> str:
    if nanoseconds < 999.5:
        return f"{nanoseconds:.3g} ns"
    return f"{nanoseconds / 1e3:.3g} us"
