"""Installs baxterkit in fresh environments, and runs the core tests there.

Usage: python tools/try_wheels.py [x86_64] [aarch64]      the wheels of dist/; both if none is named
       python tools/try_wheels.py source [--numpy oldest|newest]      the sources, with this Python

x86-64: with every Python from 3.11 on that is on the path or that pyenv has, once with the oldest
NumPy that we claim for it and once with the newest; first README's ten lines, without a compiler.
aarch64: with Debian's Python for arm64 under qemu-user (apt: qemu-user, debootstrap), a subset.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
OLDEST = {"3.11": "1.26.0", "3.12": "1.26.0", "3.13": "2.1.0", "3.14": "2.3.2"}
"""Python → the first NumPy that has wheels for it, and that we claim."""
CORE = (
    *("tests/kernels", "tests/kinematics", "tests/dynamics", "tests/ik", "tests/collision"),
    *("tests/planning", "tests/test_arm.py", "tests/test_baxter.py"),
)
QEMU = (
    *("tests/kernels/test_kernel_table.py", "tests/kinematics", "tests/ik/test_exact_solver.py"),
    *("tests/collision/test_checker.py", "tests/planning/test_plan.py"),
)
"""What runs under qemu: kernels, IK, collisions, planning."""
NOT_QEMU = "--deselect=tests/planning/test_plan.py::test_ctrl_c_ends_a_search"
"""It starts another process, which qemu-user does not emulate."""
NEEDED = ("pytest", "hypothesis", "pytest-xdist")
ONLY = "numpy"
"""Packages that are not compiled here, should the index lack a wheel."""
ARM_ROOT = Path(os.environ.get("BAXTERKIT_ARM64_ROOT", "/var/tmp/baxterkit-arm64"))
"""A Debian for arm64; made if it is not there."""


def run(*command: str | Path, **environment: str) -> int:
    """Runs a command in a folder without our sources; returns its exit status."""
    print("+", *command, flush=True)
    with tempfile.TemporaryDirectory() as elsewhere:
        env = {**os.environ, "BAXTERKIT_HIDE": "all", **environment}
        return subprocess.run(command, cwd=elsewhere, env=env).returncode


def wheel(platform: str) -> Path:
    """The wheel of a platform."""
    found = sorted(DIST.glob(f"baxterkit-*{platform}.whl"))
    if not found:
        sys.exit(f"no wheel for {platform} in {DIST}: make wheels")
    return found[-1]


def pythons() -> dict[str, str]:
    """Version -> an interpreter of this machine."""
    found = {}
    for version in PYTHONS:
        shims = sorted(Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python"))
        for path in [shutil.which(f"python{version}"), *map(str, shims)]:
            if path and not subprocess.run([path, "-V"], capture_output=True).returncode:
                found[version] = path
                break
    return found


def ten_lines(python: Path) -> int:
    """Runs README's first program without a compiler; 1 if it prints something else."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"```python\n(.*?)```\n```text\n(.*?)```", text, re.DOTALL)
    assert match is not None
    env = {"PATH": str(python.parent), "PYTHONWARNINGS": "error"}
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            [python, "-c", match[1]], cwd=elsewhere, env=env, capture_output=True, text=True
        )
    if done.stdout != match[2]:
        print(done.stdout, done.stderr)
    return int(done.stdout != match[2])


def tests(names: tuple[str, ...]) -> list[str]:
    """Arguments of pytest: the tests of this checkout, the package of the environment."""
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(ROOT),
        "-c",
        str(ROOT / "pyproject.toml"),
    ]
    return ["-m", "pytest", *options, *(str(ROOT / name) for name in names)]


def on_this_machine() -> int:
    """The wheel with every Python, with the oldest and the newest NumPy; how many failed."""
    failed = 0
    found = pythons()
    for version in PYTHONS:
        if version not in found:
            print(f"Python {version}: not on this machine, not run")
            continue
        for numpy in ("oldest", "newest"):
            failed += in_fresh_environment(found[version], version, numpy, wheel("x86_64"))
    return failed


def in_fresh_environment(python: str, version: str, numpy: str, what: Path) -> int:
    """Installs a wheel or the sources, and runs the core tests; 1 if they failed."""
    wanted = f"numpy=={OLDEST[version]}" if numpy == "oldest" else "numpy"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        own = Path(folder, "bin", "python")
        pip = (own, "-m", "pip", "install", "-q")
        start = time.monotonic()
        status = run(*pip, f"--only-binary={ONLY}", what, wanted) or ten_lines(own)
        seconds = time.monotonic() - start
        status = status or run(*pip, *NEEDED) or run(own, *tests(CORE), "-n2")
    verdict = "failed" if status else "passed"
    print(
        f"Python {version}, {wanted}: README's lines after {seconds:.0f} s; {verdict}", flush=True
    )
    return int(bool(status))


def under_qemu() -> int:
    """The subset on arm64; 1 if it failed."""
    if not (ARM_ROOT / "usr/bin/python3.11").exists():
        make_arm_root()
    site = Path(tempfile.mkdtemp())
    tags = [
        f"--platform={p}_aarch64" for p in ("manylinux2014", "manylinux_2_27", "manylinux_2_28")
    ]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--target", site, "--only-binary=:all:",
         "--python-version=3.11", *tags, wheel("aarch64"), *NEEDED], check=True,
    )  # fmt: skip
    python = ("qemu-aarch64", "-L", ARM_ROOT, ARM_ROOT / "usr/bin/python3.11")
    where = {
        "PYTHONPATH": str(site),
        "PYTHONHOME": str(ARM_ROOT / "usr"),
        "OPENBLAS_NUM_THREADS": "1",
    }
    start = time.monotonic()
    status = run(*python, *tests(QEMU), NOT_QEMU, "--hypothesis-profile=emulated", **where)
    shutil.rmtree(site)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"aarch64: {'failed' if status else 'passed'}, {time.monotonic() - start:.0f} s, "
        f"{spent.ru_utime + spent.ru_stime:.0f} s of processor time",
        flush=True,
    )
    return bool(status)


def make_arm_root() -> None:
    """Unpacks Debian's Python for arm64 and what it needs; nothing of it is run for that."""
    subprocess.run(
        ["debootstrap", "--foreign", "--arch=arm64", "--variant=minbase",
         "--include=python3,libstdc++6", "bookworm", ARM_ROOT], check=True,
    )  # fmt: skip
    for package in sorted((ARM_ROOT / "var/cache/apt/archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, ARM_ROOT], check=True)


def main() -> int:
    """Runs what is asked for; returns how many environments failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", nargs="*", metavar="x86_64|aarch64|source")
    parser.add_argument("--numpy", choices=("oldest", "newest"), default="newest")
    options = parser.parse_args()
    failed = 0
    if "source" in options.what:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return in_fresh_environment(sys.executable, version, options.numpy, ROOT)
    if not options.what or "x86_64" in options.what:
        failed += on_this_machine()
    if not options.what or "aarch64" in options.what:
        failed += under_qemu()
    return failed


if __name__ == "__main__":
    sys.exit(main())
