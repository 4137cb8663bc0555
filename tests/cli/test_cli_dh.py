from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.spatial import rpy_to_matrix, transform

HALF = np.pi / 2
# Standard DH of s0 .. hand, from Rethink's URDF (Smith et al., Table II, with the missing pi/2).
BAXTER = [
    (0.0, 0.27035, 0.069, -HALF),
    (HALF, 0.0, 0.0, HALF),
    (0.0, 0.36442, 0.069, -HALF),
    (0.0, 0.0, 0.0, HALF),
    (0.0, 0.37429, 0.010, -HALF),
    (0.0, 0.0, 0.0, HALF),
    (0.0, 0.229525, 0.0, 0.0),
]
# A table of four joints, one of them prismatic (a SCARA), as URDF.
SCARA = """<robot name="scara">
  <link name="floor"/><link name="arm"/><link name="forearm"/><link name="quill"/><link name="cup"/>
  <joint name="shoulder" type="revolute"><parent link="floor"/><child link="arm"/>
    <origin xyz="0 0 0.4"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" velocity="1" effort="1"/>
  </joint>
  <joint name="elbow" type="continuous"><parent link="arm"/><child link="forearm"/>
    <origin xyz="0.3 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="prismatic"><parent link="forearm"/><child link="quill"/>
    <origin xyz="0.25 0 0"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.2" velocity="1" effort="1"/></joint>
  <joint name="spin" type="continuous"><parent link="quill"/><child link="cup"/>
    <origin xyz="0 0 -0.1"/><axis xyz="0 0 1"/></joint>
</robot>
"""


def pose(facts: dict[str, Any]) -> Any:
    return transform(rpy_to_matrix(facts["rpy"]), facts["position"])


def product(facts: dict[str, Any], q: list[float]) -> Any:
    """Forward kinematics written out from what the command printed."""
    T = pose(facts["T_base_0"])
    for row, value in zip(facts["rows"], q, strict=True):
        turn = value if row["kind"] == "revolute" else 0.0
        slide = value if row["kind"] == "prismatic" else 0.0
        R = rpy_to_matrix([0.0, 0.0, row["theta_offset"] + turn])
        T = T @ transform(R, [0.0, 0.0, row["d"] + slide])
        T = T @ transform(rpy_to_matrix([row["alpha"], 0.0, 0.0]), [row["a"], 0.0, 0.0])
    return T @ pose(facts["T_n_tip"])


@pytest.mark.parametrize("side", ["left", "right"])
def test_baxters_table_is_the_true_one(cli: Any, side: str) -> None:
    facts = cli("dh", "--side", side, "--json").json
    got = [[row[k] for k in ("theta_offset", "d", "a", "alpha")] for row in facts["rows"]]
    np.testing.assert_allclose(got, BAXTER, rtol=0, atol=1e-12)
    q = Arm(side).configuration("untuck")
    np.testing.assert_allclose(product(facts, list(q)), Arm(side).fk(q), rtol=0, atol=1e-12)
    assert facts["position_residual"] < 1e-12


def test_inertials_are_smiths_tables_corrected(cli: Any) -> None:
    facts = cli("dh", "--inertials", "--json").json
    last = facts["inertials"][6]
    assert last["mass"] == pytest.approx(0.54218, abs=1e-12)
    assert last["com"][2] == pytest.approx(-0.06689347, abs=1e-8)
    inertia = np.array(last["inertia"])
    printed = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))]
    true = [0.00121477, 0.00127636, 0.00055487, 8.14e-6, 4.72e-6, -6.551e-5]
    np.testing.assert_allclose(printed, true, rtol=0, atol=6e-9)


def test_text_has_the_rows_and_the_inertias(cli: Any) -> None:
    out = cli("dh", "--deg", "--inertials").out
    for word in ("alpha [deg]", "90.000000", "0.364420", "-0.06689347", "Ixx", "0.00121477"):
        assert word in out
    assert "Ixx" not in cli("dh").out


def test_chain_with_a_prismatic_joint(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "scara.urdf"
    file.write_text(SCARA, encoding="utf-8")
    facts = cli("dh", "--urdf", file, "--json").json
    assert [row["kind"] for row in facts["rows"]] == [
        "revolute",
        "revolute",
        "prismatic",
        "revolute",
    ]
    q = [0.3, -0.7, 0.11, 0.5]
    x = 0.3 * np.cos(0.3) + 0.25 * np.cos(0.3 - 0.7)
    y = 0.3 * np.sin(0.3) + 0.25 * np.sin(0.3 - 0.7)
    T = transform(rpy_to_matrix([0.0, 0.0, 0.3 - 0.7 + 0.5]), [x, y, 0.4 + 0.11 - 0.1])
    np.testing.assert_allclose(product(facts, q), T, rtol=0, atol=1e-12)
    part = cli("dh", "--urdf", file, "--root", "arm", "--tip", "quill")
    assert "arm to quill of scara.urdf" in part.out
    assert "d + q" in part.out


def test_arm_of_a_real_robots_file(cli: Any, urdf_dir: Path) -> None:
    file = urdf_dir / "baxter_v1.2.0.urdf"
    facts = cli("dh", "--urdf", file, "--side", "right", "--json").json
    assert [row["joint"] for row in facts["rows"]] == list(Arm("right").joint_names)
    got = [[row[k] for k in ("theta_offset", "d", "a", "alpha")] for row in facts["rows"]]
    np.testing.assert_allclose(got, BAXTER, rtol=0, atol=1e-10)


def test_links_without_a_file_are_refused(cli: Any) -> None:
    message = (
        "--root, --tip and --snap are about a file: give --urdf too (see: baxterkit dh --help)"
    )
    cli("dh", "--tip", "left_hand").fails_with(message)
    cli("dh", "--snap", "1e-6").fails_with(message)


LEANING = SCARA.replace('xyz="0.3 0 0"', 'xyz="0.3 0 0" rpy="0 2e-8 0"')


def test_axes_that_are_almost_parallel_make_a_warning_of_one_line(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "leaning.urdf"
    file.write_text(LEANING, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        done = cli("dh", "--urdf", file, "--json")
    assert done.status == 0
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith("Warning: the DH table is off its chain by ")
    assert "wider snap" in done.err
    assert max(abs(row["d"]) for row in json.loads(done.out)["rows"]) > 1e6


def test_snap_makes_axes_parallel(cli: Any, tmp_path: Path) -> None:
    file, straight = tmp_path / "leaning.urdf", tmp_path / "scara.urdf"
    file.write_text(LEANING, encoding="utf-8")
    straight.write_text(SCARA, encoding="utf-8")
    snapped = cli("dh", "--urdf", file, "--snap", "1e-7", "--json").json
    assert snapped == cli("dh", "--urdf", straight, "--json").json


def test_snap_of_an_arms_file_reads_the_file_as_it_stands(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "few_digits.urdf"
    text = Arm("left").to_urdf().replace('snap="1e-15"', "")
    file.write_text(text.replace("1.5707963267948966", "1.57080"), encoding="utf-8")
    alphas = {}
    for snap in ("0", "2e-5"):
        facts = cli("dh", "--urdf", file, "--snap", snap, "--json").json
        alphas[snap] = facts["rows"][0]["alpha"]
    assert alphas["0"] == pytest.approx(-1.5708, abs=1e-12)
    assert alphas["2e-5"] == -HALF


def test_the_tool_of_a_file_is_kept_unless_another_is_asked_for(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "vacuum.urdf"
    file.write_text(Arm("left", tool="vacuum").to_urdf(), encoding="utf-8")
    for tool, length in (([], 0.08), (["--tool", "electric_extended"], 0.1577)):
        row = cli("dh", "--urdf", file, *tool, "--json").json["rows"][-1]
        assert row["d"] == pytest.approx(0.229525 + length, abs=1e-12)
    cli("dh", "--urdf", file, "--tip", "left_hand", "--tool", "hand").fails_with(
        "--tool is for Baxter's arm, not for a chain of a file (see: baxterkit dh --help)"
    )


def test_unknown_link_is_told_the_known_ones(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "scara.urdf"
    file.write_text(SCARA, encoding="utf-8")
    cli("dh", "--urdf", file, "--tip", "thumb").fails_with(
        "unknown link 'thumb'; available: floor, arm, forearm, quill, cup"
    )


def test_several_tips_ask_for_a_choice(cli: Any, tmp_path: Path) -> None:
    second = """<link name="camera"/><joint name="eye" type="fixed"><parent link="arm"/>
      <child link="camera"/></joint></robot>"""
    file = tmp_path / "two.urdf"
    file.write_text(SCARA.replace("</robot>", second), encoding="utf-8")
    message = "two.urdf has several tips, choose with --tip: cup, camera"
    cli("dh", "--urdf", file).fails_with(message)


def test_broken_file_is_one_line(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "broken.urdf"
    file.write_text("<robot name='x'><link name='a'>", encoding="utf-8")
    done = cli("dh", "--urdf", file)
    assert (done.status, done.out) == (2, "")
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith("Error: ")
