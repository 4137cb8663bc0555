"""The benchmark harness: what it writes, when it fails, and that peers answer alike."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import components
import numpy as np
import problems
import pytest

sys.path.insert(0, str(components.ROOT / "benchmarks"))

import harness
import peers

from baxterkit import Arm


def timing(name: str, *nanoseconds: float) -> harness.Timing:
    return harness.Timing(name, np.array(nanoseconds))


def test_runs_take_turns_and_the_first_round_does_not_count() -> None:
    order: list[str] = []
    runs = [harness.Run(name, lambda name=name: order.append(name), 10) for name in "abc"]
    timings = harness.measure(runs, rounds=4)
    assert order == list("abc") * 5
    assert all(len(timings[name].nanoseconds) == 4 for name in "abc")
    assert all(timings[name].best > 0.0 for name in "abc")


def test_report_names_what_is_below_target(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = harness.Report("test")
    slow, fast = timing("slow", 90.0, 100.0, 110.0), timing("fast", 9.0, 10.0, 30.0)
    report.add("good", fast, slow, target=10.0)
    report.add("bad", fast, slow, target=11.0)
    report.add("alone", slow)
    assert report.missed == ["bad: 10.00x, wanted 11x"]
    for check, status in ((False, 0), (True, 1)):
        path = tmp_path / "out" / "test.json"
        options = argparse.Namespace(json=str(path), check=check)
        assert report.finish(options, {"difference": 1e-16}) == status
    assert "below target: bad: 10.00x, wanted 11x" in capsys.readouterr().out
    content = json.loads(path.read_text())
    assert {"cpu", "isa", "compiler", "versions", "commit"} <= set(content["machine"])
    row = content["results"][0]
    assert (row["median_ns"], row["worst_ns"], row["best_ns"]) == (10.0, 30.0, 9.0)
    assert (row["ratio"], row["against"]) == (10.0, "slow")


def test_a_wrong_answer_stops_the_benchmark() -> None:
    assert harness.agree("fk", [1.0], [1.0], 0.0) == 0.0
    with pytest.raises(SystemExit, match=r"^fk: answers differ by 1\.00e-03, allowed 1e-14$"):
        harness.agree("fk", [1.0], [1.001], 1e-14)
    with pytest.raises(SystemExit, match="answers differ by nan"):
        harness.agree("fk", [1.0], [np.nan], 1.0)


@pytest.mark.parametrize(("component", "peer"), [
    ("pinocchio", peers.PinocchioPeer),
    ("rtb", peers.RoboticsToolboxPeer),
    ("kdl", peers.KdlPeer),
])  # fmt: skip
def test_peers_answer_as_we_do(component: str, peer: type) -> None:
    components.require(component)
    arm = Arm("right", "vacuum")
    other = peer(arm)
    rows = problems.uniform(arm, 5)
    for quantity, tolerance in (("fk", 1e-14), ("jacobian", 1e-13)):
        theirs = [getattr(other, quantity)(q) for q in rows]
        harness.agree(quantity, getattr(arm, quantity)(rows), theirs, tolerance)
        prepared = other.prepare(rows) if hasattr(other, "prepare") else list(rows)
        getattr(other, f"{quantity}_loop")(prepared)
