"""Runs many cases of a reader in worker processes, and says which of them ended badly.

`python tests/fuzz/hunt.py 2000` runs 2,000 cases of every reader; `--reader NAME` those of one, and
`--first N` others than the first.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")
WAIT = 120.0
"""A worker that does not get to its next case for so long hangs [s]."""


def hunt(name: str, first: int, count: int) -> list[str]:
    """What is wrong with `count` cases from `first` on; the package's own errors are right."""
    found: list[str] = []
    end = first + count
    while first < end:
        at, ended, lines = _work(name, first, end - first)
        found += [f"{name}, case {line['case']}: {line['problem']}" for line in lines]
        if not ended:
            break
        found.append(f"{name}, case {at}: {ended}")
        if at < first:  # it did not even get to the first case
            break
        first = at + 1
    return found


def _work(name: str, first: int, count: int) -> tuple[int, str, list[dict[str, object]]]:
    """The last case that a worker got to, how it ended if badly, and what it told."""
    reading, writing = os.pipe()
    command = [sys.executable, "-X", "faulthandler", str(WORKER), name, str(first), str(count)]
    worker = subprocess.Popen(
        # The shell gives the worker the pipe as descriptor 3.
        ["bash", "-c", f'exec "$@" 3>&{writing}', "bash", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(writing,),
        text=True,
    )
    os.close(writing)
    at, ended, rest = first - 1, "", b""
    with os.fdopen(reading, "rb", buffering=0) as progress:
        while True:
            ready, _, _ = select.select([progress], [], [], WAIT)
            part = progress.read(65536) if ready else b""
            if not ready:
                worker.kill()
                ended = f"no progress in {WAIT:g} s"
            if not part:
                break
            *cases, rest = (rest + part).split(b"\n")
            at = int(cases[-1]) if cases else at
    out, err = worker.communicate()
    if worker.returncode and not ended:
        ended = f"the process ended with {worker.returncode}: {err[-1500:]}"
    return at, ended, [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def main() -> None:
    from targets import TARGETS

    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--reader", choices=list(TARGETS))
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    total = 0
    for name in [given.reader] if given.reader else TARGETS:
        found = hunt(name, given.first, given.count)
        total += len(found)
        print(f"{name}: {given.count} cases, {len(found)} ended badly", flush=True)
        for text in found[:20]:
            print(f"  {text}", flush=True)
    raise SystemExit(total > 0)


if __name__ == "__main__":
    main()
