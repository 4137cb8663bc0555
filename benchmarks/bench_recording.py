"""Loading recordings: a bag of 20,000 messages beside rosbags' own deserialiser, CSV, Parquet.

Usage: python benchmarks/bench_recording.py [--json FILE] [--rounds N] [--check]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from harness import OURS, ROOT, Report, Run, Timing, agree, measure, parse_options

from baxterkit import recording
from baxterkit.model.names import from_message
from baxterkit.recording.bag_messages import JOINT_STATE

sys.path.insert(0, str(ROOT / "tests" / "recording"))

import bag_files  # isort: skip

MESSAGES = 20_000
SECONDS = 1.0  # promised for them
ROUNDS = 8
PEER = "rosbags, deserialised one by one"


def main() -> int:
    options = parse_options("Loading recordings.")
    report = Report("recording")
    notes: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.bag"
        messages = bag_files.Messages()
        bag_files.write_bag(path, bag_files.joint_state_entries(MESSAGES, messages))
        rec = recording.load(path, "left")
        key = "bag: largest difference from rosbags' deserialiser"
        notes[key] = agree(key, rec.q, one_by_one(path), 0.0)
        files = {kind: rec.save(Path(folder) / f"rec.{kind}") for kind in ("csv", "parquet")}
        runs = [
            Run(OURS, lambda: recording.load(path, "left"), 1),
            Run(PEER, lambda: one_by_one(path), 1),
            *(Run(kind, lambda file=file: recording.load(file), 1) for kind, file in files.items()),
        ]
        timings = measure(runs, ROUNDS)
    report.add(f"bag of {MESSAGES:,} messages", timings[OURS], timings[PEER])
    report.add(f"bag of {MESSAGES:,} messages", timings[PEER])
    limit = Timing("promised", np.array([1e9 * SECONDS]))
    report.add(f"bag of {MESSAGES:,} messages", timings[OURS], limit, target=1.0)
    for kind in files:
        named = Timing(OURS, timings[kind].nanoseconds)
        report.add(f"{kind} of {MESSAGES:,} rows, 22 columns", named)
    return report.finish(options, notes)


def one_by_one(path: Path) -> np.ndarray:
    """The left arm's positions by rosbags' reader and deserialiser, shape (n, 7)."""
    from rosbags.rosbag1 import Reader

    store = bag_files.typestore()
    rows = []
    with Reader(path) as bag:
        for _, _, data in bag.messages():
            message = store.deserialize_ros1(data, JOINT_STATE)
            rows.append(from_message("left", message.name, message.position))
    return np.array(rows)


if __name__ == "__main__":
    sys.exit(main())
