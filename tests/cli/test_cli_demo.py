from __future__ import annotations

import base64
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from baxterkit import Arm, plot

SVG = b"<?xml"


@pytest.fixture
def neutral_z() -> str:
    arm = Arm("left")
    return f"{arm.fk(arm.pose('neutral'))[2, 3]:.4f}"


def test_report_is_one_file_with_its_picture(cli: Any, tmp_path: Path, neutral_z: str) -> None:
    done = cli("demo", "--out", tmp_path / "new" / "folder")
    assert (done.status, done.err) == (0, "")
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == ["report.html"]
    text = (tmp_path / "new" / "folder" / "report.html").read_text(encoding="utf-8")
    sources = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert len(sources) == 1
    picture = base64.b64decode(sources[0].removeprefix("data:image/svg+xml;base64,"))
    assert picture.startswith(SVG)
    assert neutral_z in text
    assert "$" not in text  # every place of the template was filled


def test_text_has_the_numbers_and_ends_in_a_summary(
    cli: Any, tmp_path: Path, neutral_z: str
) -> None:
    lines = cli("demo", "--out", tmp_path).out.splitlines()
    assert lines[-1].startswith("baxterkit ")
    assert neutral_z in lines[-1]
    for word in ("Jacobian", "manipulability", "left arm", "right arm", "report.html"):
        assert any(word in line for line in lines)


def test_json_holds_the_same(cli: Any, tmp_path: Path) -> None:
    facts = cli("demo", "--out", tmp_path, "--json").json
    arm = Arm("right")
    q = arm.pose("neutral")
    assert facts["arms"]["right"]["matrix"] == arm.fk(q).tolist()
    assert facts["arms"]["right"]["jacobian"] == arm.jacobian(q).tolist()
    assert Path(facts["report"]).exists()


def test_folder_that_cannot_be_made_is_one_line(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = cli("demo", "--out", tmp_path / "file" / "folder")
    assert (done.status, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert "Not a directory" in done.err


def test_missing_matplotlib_names_the_extra(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    cli("demo", "--out", tmp_path).fails_with(
        "Plotting needs matplotlib: pip install 'baxterkit[plot]'"
    )
    with pytest.raises(ImportError, match="Plotting needs matplotlib"):
        plot.skeleton(Arm("left"), Arm("left").pose("neutral"))
