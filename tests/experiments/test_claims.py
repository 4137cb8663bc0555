"""The table of claims: one rule, a fixed list of verdicts, and every claim that was asked for."""

from __future__ import annotations

import json
import re
from typing import Any

import components
import pytest

from baxterkit import Arm, experiments, papers, spatial
from baxterkit.cli.app import VERBS
from baxterkit.experiments import (
    EXPERIMENTS,
    Row,
    Settings,
    claims_evidence,
    claims_ju,
    registry,
)
from baxterkit.experiments.claims_evidence import UNSHOWN, Evidence, judged
from baxterkit.experiments.coefficients import count_coefficients
from baxterkit.ik import Position

FIXED = {"holds", "does not hold", UNSHOWN, "not tested"}
KEPT = components.ROOT / "benchmarks" / "results" / "reproduce.json"


@pytest.fixture(scope="module")
def kept() -> dict[str, dict[str, Any]]:
    results = json.loads(KEPT.read_text("utf-8"))["results"]
    rows = next(one for one in results if one["name"] == "claims")["rows"]
    return {row["quantity"]: row for row in rows}


def test_verdicts_are_from_the_fixed_list_and_every_claim_has_number_and_command(
    kept: dict[str, dict[str, Any]],
) -> None:
    assert len(kept) >= 60
    for row in kept.values():
        assert row["verdict"] in FIXED
        assert list(row["details"]) == ["claim", "number", "verdict", "command"]
        assert all(row["details"].values())
        assert re.fullmatch(
            r"`(baxterkit|papers\.|arm\.|spatial\.)[^`]*`", row["details"]["command"]
        )
        assert (row["verdict"] == "not tested") <= bool(
            re.search(r"no |not |needs|robot alone", row["details"]["number"])
        ), "a claim that is not tested says why"


def test_the_calls_of_the_table_run_and_its_commands_exist(
    kept: dict[str, dict[str, Any]],
) -> None:
    arm = Arm("left")
    q = arm.configuration("neutral")
    names = {"arm": arm, "papers": papers, "spatial": spatial, "q": q, "qd": q, "qdd": q}
    names |= {"T": arm.fk(q), "Position": Position, "p": arm.fk(q)[:3, 3], "rpy": q[:3]}
    for row in kept.values():
        command = row["details"]["command"].strip("`")
        if not command.startswith("baxterkit "):
            assert eval(command, dict(names)) is not None, command
        elif command.startswith("baxterkit reproduce "):
            assert command.split()[2] in EXPERIMENTS
        else:
            assert command.split()[1] in VERBS or command == "baxterkit --help", command


@pytest.mark.parametrize(
    ("words", "verdict", "number"),
    [
        ("get rid of singularities", "does not hold", "1e-19"),
        ("any point within the bounding canopy", "does not hold", "without touching"),
        ("runs in real time", "holds", "µs"),
        ("half a million coefficients", "holds", "1,197,188"),
        ("L-E takes long", "does not hold", "ms"),
        ("possible in real time", "holds", "µs"),
        ("centred around zero", "does not hold", "0.1002"),
        ("positive bias at joint 3", "holds", "joint 3 is positive there if the sums are"),
        ("shapes of the torques", "not tested", "not published"),
        ("closely match recorded", "not tested", "not published"),
        ("within around ±1.5", "not tested", "not published"),
        ("confirms the kinetic part", UNSHOWN, "0.35 N m"),
        ("noise is reduced", "does not hold", "in set 3"),
        ("comparable between the methods", "does not hold", "3 to 38 times"),
        ("verified the kinematic model", UNSHOWN, "4e-07 mm"),
        ("to a tolerance of 1e-9", "holds", "0.0 %"),
        ("The same to a tolerance of 0.01", "does not hold", "62.4 %"),
        ("does not work well with joint limits", "holds", "0.1 % where limits are ignored"),
        ("Most joints of the URDF", "holds", "33 of the 48"),
        ("turns about x and z", "does not hold", "π/2 for left_e0 alone"),
        ("native IK service", "not tested", "robot alone"),
        ("mostly achieved using joint 2", "does not hold", "s0 0.384 rad"),
    ],
)
def test_claims_of_the_papers(
    kept: dict[str, dict[str, Any]], words: str, verdict: str, number: str
) -> None:
    (row,) = [row for row in kept.values() if words in row["details"]["claim"]]
    assert row["verdict"] == verdict
    assert number in row["details"]["number"]


def test_means_that_count_as_centred_are_half_of_the_bias() -> None:
    """The rule's words are the threshold of the verdict: 0.1002 is below 0.1355, not below half."""
    assert claims_evidence.WORDS["centred, no bias"].startswith("means of at most half")


@pytest.mark.slow
def test_coefficients_are_counted_and_not_operations() -> None:
    counts = count_coefficients()
    assert (counts.written_out, counts.collected) == (1_197_188, 27_418)


def test_a_verdict_is_what_the_number_says() -> None:
    assert judged("a", "b", "c", True, "d", "e").verdict == "holds"
    assert judged("a", "b", "c", False, "d", "e").verdict == "does not hold"
    assert judged("a", "b", "c", UNSHOWN, "d", "e").verdict == UNSHOWN
    assert set(claims_evidence.WORDS) >= {"very low", "drastic", "comparable"}


def test_claims_without_recordings_are_not_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    """An experiment that could not run leaves no number behind, and no verdict either."""
    monkeypatch.setattr(claims_evidence, "rows_of", lambda name, settings: ())
    rows = {row.quantity: row for row in claims_ju.rows(Evidence(Settings(quick=True)))}
    assert rows["Ju 2.4 (2)"].verdict == "not tested"
    assert "missing" in rows["Ju abstract, 4"].details["number"]


def test_an_experiment_runs_once_for_all_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []

    def run(name: str, settings: Settings) -> experiments.Result:
        runs.append(name)
        return experiments.Result(name, "trial", (Row("x", None, 1.0, "no number"),))

    monkeypatch.setattr(registry, "_FINISHED", {})
    monkeypatch.setattr(registry, "attempt", run)
    evidence = Evidence(Settings(quick=True, seed=77))
    assert evidence.numbers("kumar_ik", "x") == [1.0]
    assert evidence.numbers("kumar_ik", "y") is None
    assert runs == ["kumar_ik"]


@pytest.mark.acceptance
def test_the_kept_verdicts_are_those_of_a_new_run(kept: dict[str, dict[str, Any]]) -> None:
    for component in ("data", "kdl", "urdf"):
        components.require(component)
    new = {row.quantity: row.verdict for row in experiments.run("claims").rows}
    assert new == {name: row["verdict"] for name, row in kept.items()}
