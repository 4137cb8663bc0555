"""Checks the C++ that is written by hand: its layout by clang-format, its habits by clang-tidy.

Usage: python tools/check_cpp.py [--fix]      --fix: rewrites the sources in the layout, no more

Both come from PyPI (extra `[check]`, which `make check` installs); .clang-format and .clang-tidy
say what they want. clang-tidy reads one instruction set; nothing is compiled for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
NATIVE = ROOT / "src" / "baxterkit" / "native"
BINARIES = Path(sys.executable).parent
CONFIGURED = ROOT / "build" / "tidy"
ALONE = {"ik_export.cpp"}
"""Sources that are written out by `baxterkit export`, not compiled here."""


def sources() -> list[Path]:
    """The files that people write."""
    found = [f for ending in ("cpp", "hpp", "h") for f in NATIVE.rglob(f"*.{ending}")]
    return sorted(f for f in found if "generated" not in f.parts)


def layout(fix: bool) -> int:
    """Compares or rewrites the layout; the exit status."""
    how = ["-i"] if fix else ["--dry-run", "-Werror"]
    return subprocess.run([BINARIES / "clang-format", *how, *sources()]).returncode


def configured() -> None:
    """Lets CMake write down how each file would be compiled."""
    path = os.pathsep.join([str(BINARIES), os.environ["PATH"]])
    options = ["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DBAXTERKIT_ISAS=baseline", "-GNinja"]
    subprocess.run(
        [BINARIES / "cmake", "-S", ROOT, "-B", CONFIGURED, *options],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PATH": path},
    )


def habits() -> int:
    """Runs clang-tidy over every unit; how many have findings."""
    configured()
    units = [unit for unit in sorted(NATIVE.glob("*.cpp")) if unit.name not in ALONE]

    def status(unit: Path) -> int:
        command = [BINARIES / "clang-tidy", "-p", CONFIGURED, "--quiet", unit]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(done.stdout, end="", flush=True)
        return done.returncode != 0

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(status, units))


if __name__ == "__main__":
    if sys.argv[1:] == ["--fix"]:
        sys.exit(layout(fix=True))
    sys.exit(layout(fix=False) or habits())
