"""The check that README's claims still hold finds one that does not."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import components
import pytest

sys.path.insert(0, str(components.ROOT / "tools"))

import claims
import doc_numbers

sys.path.pop(0)


def changed(source: str, folder: Path, change: Any) -> None:
    content = json.loads((doc_numbers.RESULTS / source).read_text("utf-8"))
    change(content)
    (folder / source).write_text(json.dumps(content), encoding="utf-8")


def test_kept_results_hold(tmp_path: Path) -> None:
    for file in set(claims.CLAIMS.values()):
        shutil.copy(doc_numbers.RESULTS / file, tmp_path)
    assert claims.broken(tmp_path) == ([], [])


def test_a_lower_score_and_a_lower_speed_are_found(tmp_path: Path) -> None:
    def lower(content: Any) -> None:
        content["held_out"]["memory"]["r2"][5] = 0.90

    def slower(content: Any) -> None:
        for row in content["results"]:
            if row["what"] == "fk, one call" and row["who"] == "baxterkit":
                row["ratio"] *= 0.5

    changed("identify.json", tmp_path, lower)
    changed("bench_kinematics.json", tmp_path, slower)
    failures, missing = claims.broken(tmp_path)
    assert [one.partition(":")[0] for one in failures] == ["fk_ratio", "r2_w1"]
    assert failures[1].endswith("measured 0.900")
    assert "id_ratio" in missing
    assert "fk_batch_ratio" not in missing


def test_every_claim_stands_in_the_readme() -> None:
    text = "".join(line for name, line in doc_numbers.LINES if name == "README.md")
    assert all(f"{{{name}}}" in text for name in claims.CLAIMS)


@pytest.mark.parametrize("name", sorted(set(claims.CLAIMS.values())))
def test_every_source_is_kept(name: str) -> None:
    assert (doc_numbers.RESULTS / name).exists()
