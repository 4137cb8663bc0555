"""Builds wheels for Linux on x86-64 and aarch64, with every instruction set, and the sdist.

Usage: python tools/wheels.py [PLATFORM...]      both, and the sdist, if none is named

zig's compiler (ziglang, from PyPI) compiles for both platforms, and for a C library as old as
`GLIBC`, whatever this machine is; auditwheel checks what the result needs, and names it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
GLIBC = "2.17"
"""The oldest C library that wheels run with: manylinux 2_17, as of CentOS 7."""
PLATFORMS = ("x86_64", "aarch64")
MOST = 3_000_000
"""Largest size of a wheel [bytes]."""
BINARIES = Path(sys.executable).parent


def run(*command: str | Path, **environment: str) -> None:
    """Runs a command with the tools of this environment on its path."""
    path = os.pathsep.join([str(BINARIES), os.environ["PATH"]])
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "PATH": path, **environment})


def compiler(platform: str, folder: Path) -> Path:
    """A program that compiles C++ for a platform, and CMake's file that names it."""
    folder.mkdir(parents=True, exist_ok=True)
    target = f"{platform}-linux-gnu.{GLIBC}"
    program = folder / "c++"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang c++ -target {target} "$@"\n')
    program.chmod(0o755)
    headers = folder / "include"
    python = Path(sysconfig.get_path("include"))
    own = python.parent / (sysconfig.get_config_var("MULTIARCH") or "") / python.name / "pyconfig.h"
    if own.exists():
        # Debian's Python has it in a folder of the C library's headers, which are not to be seen.
        # What it says of x86-64 holds on aarch64 too: sizes, and what the C library has.
        place = headers / f"{platform}-linux-gnu" / python.name
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(own, place)
    toolchain = folder / "toolchain.cmake"
    toolchain.write_text(
        "set(CMAKE_SYSTEM_NAME Linux)\n"
        f"set(CMAKE_SYSTEM_PROCESSOR {platform})\n"
        f'set(CMAKE_CXX_COMPILER "{program}")\n'
        # zig would write debug information
        f'set(CMAKE_CXX_FLAGS_INIT "-g0 -isystem \\"{headers}\\"")\n'
    )
    return toolchain


def build(platform: str) -> Path:
    """The wheel of a platform."""
    folder = ROOT / "build" / f"wheel-{platform}"
    raw = folder / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    toolchain = compiler(platform, folder)
    settings = {
        "cmake.define.BAXTERKIT_PORTABLE": "ON",
        "cmake.define.CMAKE_TOOLCHAIN_FILE": str(toolchain),
        "build-dir": str(folder / "objects"),
        "install.strip": "true",
    }
    options = [f"--config-settings={name}={value}" for name, value in settings.items()]
    run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", *options,
        "-w", raw, ".", _PYTHON_HOST_PLATFORM=f"linux-{platform}",
    )  # fmt: skip
    (wheel,) = raw.glob("*.whl")
    plat = f"manylinux_{GLIBC.replace('.', '_')}_{platform}"
    run(sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", "-w", DIST, wheel)
    (repaired,) = DIST.glob(f"baxterkit-*{plat}.whl")
    pack(repaired)
    return repaired


def pack(wheel: Path) -> None:
    """Compresses a wheel as well as its format allows, in many blocks: 4 % off in half a minute."""
    import zopfli

    with zipfile.ZipFile(wheel) as file:
        content = [(entry, file.read(entry)) for entry in file.infolist() if not entry.is_dir()]
    with zopfli.ZipFile(wheel, "w", iterations=5, block_splitting_max=0) as packed:
        for entry, data in content:
            packed.writestr(entry, data)


def main(platforms: list[str]) -> int:
    """Builds what is asked for; returns 1 if a wheel is too large."""
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("baxterkit-*"):
        old.unlink()
    made = [build(platform) for platform in platforms or PLATFORMS]
    if not platforms:
        run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "-o", DIST, ".")
        made += DIST.glob("*.tar.gz")
    for file in made:
        print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1e6:.2f} MB")
    large = [file for file in made if file.suffix == ".whl" and file.stat().st_size > MOST]
    for file in large:
        print(f"{file.name} is larger than {MOST / 1e6:g} MB", file=sys.stderr)
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
