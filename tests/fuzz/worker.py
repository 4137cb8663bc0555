"""Runs cases of one reader in a process of its own, bounded in time and memory, and tells of each.

`python worker.py NAME FIRST COUNT` prints one line of JSON a case that failed, and the number of
the case that it is at to file descriptor 3: whoever waits knows which one brought it down.
`python worker.py NAME CASE 1 --keep FILE` writes the bytes of a case to a file as well.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zlib
from pathlib import Path
from types import FrameType

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["BAXTERKIT_THREADS"] = "1"
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from mutations import mutated  # noqa: E402
from targets import TARGETS  # noqa: E402

from baxterkit.errors import BaxterkitError  # noqa: E402

SECONDS = 5.0
"""Most processor time of a case."""
BYTES = 2**30
"""Most memory that a case may add."""
CEILING = 6 * 2**30
"""Address space of the process: what asks for more gets a MemoryError."""


class TooLong(BaseException):
    """A case takes more time than it may."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    target = TARGETS[given.name]
    seeds = target.seeds()
    watch_time()
    resource.setrlimit(resource.RLIMIT_AS, (CEILING, CEILING))
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(
        dir="/dev/shm" if Path("/dev/shm").is_dir() else None
    ) as folder:
        path = Path(folder) / f"case{target.ending}"
        for seed in seeds:  # whole files must be read, or the changes say nothing
            path.write_bytes(seed)
            target.use(path)
        for case in range(given.first, given.first + given.count):
            rng = random.Random(zlib.crc32(f"{given.name} {case}".encode()))
            data = mutated(rng, rng.choice(seeds), seeds)
            path.write_bytes(data)
            if given.keep:
                given.keep.write_bytes(data)
            if given.count > 1:
                os.write(3, b"%d\n" % case)
            problem = run(target.use, path)
            if problem:
                print(json.dumps({"case": case, "problem": problem}), flush=True)


def run(use: object, path: Path) -> str:
    """What is wrong with how a case ended; empty if nothing is."""
    assert callable(use)
    before = _reset_peak()
    start = time.process_time()
    problem = ""
    try:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        use(path)
    except BaxterkitError as error:
        text = str(error)
        problem = f"a message of {len(text)} characters" if len(text) > 2000 else ""
    except TooLong:
        problem = f"more than {SECONDS:g} s: {traceback.format_exc(limit=-6)}"
    except Exception:
        problem = traceback.format_exc(limit=-8)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    added = _peak() - before
    if added > BYTES:
        problem += f" {added / 2**20:.0f} MB in {time.process_time() - start:.1f} s"
    return problem


def watch_time() -> None:
    """Lets `run` end what takes too long."""
    signal.signal(signal.SIGPROF, _too_long)


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TooLong


def _reset_peak() -> int:
    """Forgets the most memory that was held; returns what is held now [bytes]."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> int:
    return _status("VmHWM")


def _status(name: str) -> int:
    text = Path("/proc/self/status").read_text()
    return 1024 * int(text.split(f"{name}:")[1].split()[0])


if __name__ == "__main__":
    main()
