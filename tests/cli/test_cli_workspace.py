from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Baxter, spatial, workspace

SMALL = ("--step", 0.5, "--orientations", 3)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_configuration_at_rest_is_read_for_each_arm(cli: Any) -> None:
    done = cli("workspace", "map", *SMALL, "--side", "both", "--other", "tuck", "--json")
    assert done.json["level"] == "body"  # which an arm at rest is about
    robot = Baxter()
    kept = workspace.open_map("map.zarr").settings.others
    np.testing.assert_array_equal(
        kept, [robot.right.configuration("tuck"), robot.left.configuration("tuck")]
    )


def test_a_margin_is_about_the_body(cli: Any) -> None:
    assert cli("workspace", "map", *SMALL, "--margin", 0.05, "--json").json["level"] == "body"
    assert workspace.open_map("map.zarr").scene.margin == 0.05
    assert "margin = -1 m must not be negative" in cli("workspace", "map", "--margin", -1).err


def test_a_pair_of_hands(cli: Any) -> None:
    words = ("workspace", "map", *SMALL, "--side", "pair", "--apart", 0.5)
    assert cli(*words).status == 0
    assert workspace.open_map("map.zarr").settings.apart == 0.5
    found = cli("workspace", "info", "map.zarr", "--json").json
    assert found["arms"]["pair"]["poses"] == found["arms"]["pair"]["reached"] + sum(
        found["arms"]["pair"]["reasons"][name] for name in ("OUT_OF_REACH", "LIMITS")
    )
    assert found["versions"]["baxterkit"]
    for words in (("--apart", 0.5), ("--side", "pair", "--other", "tuck")):
        done = cli("workspace", "map", *words)
        assert done.status == 2
        assert "pair" in done.err


def test_the_map_of_a_calibrated_robot_can_be_looked_at(cli: Any) -> None:
    """Its limits are printed with few digits, so they are not the nominal ones."""
    urdf = Baxter().to_urdf()
    upper = float(Baxter().left.limits.upper[0])
    near = urdf.replace(f'upper="{upper!r}"', 'upper="1.70168"')
    assert near != urdf
    Path("mine.urdf").write_text(near)
    assert cli("workspace", "map", *SMALL, "--urdf", "mine.urdf").status == 0
    assert cli("workspace", "info", "map.zarr").status == 0
    assert workspace.open_map("map.zarr").arm().limits.upper[0] == 1.70168


def test_a_pose_is_scored_and_a_table_placed_as_in_python(cli: Any) -> None:
    made = workspace.make_map(
        "map.zarr", workspace.Question(step=0.3, orientations=6, level="body")
    )
    words = ("workspace", "score", "map.zarr", 0.7, 0.3, 0.1, "--rpy", 180, 0, 0, "--deg", "--json")
    found = cli(*words).json
    T = spatial.transform(spatial.rpy_to_matrix([np.pi, 0.0, 0.0]), [0.7, 0.3, 0.1])
    assert found["status"] == "SOLVED"
    np.testing.assert_allclose(found["q"], np.degrees(made.score(T).q), atol=1e-6)
    far = cli("workspace", "score", "map.zarr", 3, 0, 0, "--rpy", 0, 0, 0)
    assert (far.status, far.out.split(";")[0]) == (1, "OUT_OF_REACH")
    words = ("workspace", "table", "map.zarr", "--size", "0.6,0.6", "--heights", "-0.3,0.3")
    places = cli(*words, "--json").json["places"]
    best = made.best_table((0.6, 0.6), (-0.3, 0.3))
    assert [place["share"] for place in places] == [one.share for one in best]
    assert "holds none of the heights that the map has" in cli(*words[:-1], "70,90").err


def test_a_wrong_extension_is_said_before_the_work(
    cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "canopy", None)
    done = cli("workspace", "canopy", "-o", "canopy.ply")
    assert done.err == "Error: canopy.ply: a mesh is written as .stl or .obj\n"
