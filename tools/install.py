"""Runs `pip install -v ARG...` and shows how far the compilation is, instead of pip's own output.

Usage: python tools/install.py ARG...      all that pip printed is kept in build/install.log
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

LOG = Path("build/install.log")
STEP = re.compile(r"\[(\d+)/(\d+)\] (?:Building CXX object \S*/(\S+)\.o|Linking)")
SETS = re.compile(r"baxterkit: instruction sets (.*)")
COLLECT = re.compile(r"^ *(?:Collecting|Downloading|Using cached) (\S+)")
"""Ninja's and pip's lines that a newcomer wants to see."""
TAIL = 60
"""Lines of pip's output that are printed when it fails."""


def show(text: str, last: bool = False) -> None:
    """Prints a line of progress: over the last one on a terminal, below it elsewhere."""
    if sys.stdout.isatty():
        print(f"\r\033[K{text[:100]}", end="\n" if last else "", flush=True)
    else:
        print(text, flush=True)


def main(arguments: list[str]) -> int:
    """Installs; returns pip's exit status."""
    LOG.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pip", "install", "-v", *arguments]
    start, told, lines = time.monotonic(), -1, []
    with (
        LOG.open("w", encoding="utf-8") as log,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as pip,
    ):
        assert pip.stdout is not None
        for line in pip.stdout:
            log.write(line)
            lines.append(line)
            if step := STEP.search(line):
                done, total = int(step[1]), int(step[2])
                if sys.stdout.isatty() or 4 * done // total > told:
                    told = 4 * done // total
                    show(f"Compiling the native kernels: {done} of {total} parts")
            elif sets := SETS.search(line):
                show(f"Compiling the native kernels for {sets[1]}: some 30 s on two cores", True)
            elif sys.stdout.isatty() and (package := COLLECT.search(line)):
                show(f"Installing {package[1]}")
    seconds = time.monotonic() - start
    if pip.returncode:
        show(f"The installation failed after {seconds:.0f} s:", True)
        print("".join(lines[-TAIL:]), f"All of it: {LOG}", sep="", flush=True)
    else:
        show(f"Installed in {seconds:.0f} s", True)
    return pip.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
