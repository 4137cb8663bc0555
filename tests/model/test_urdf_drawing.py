"""The tree of links and joints as text and as a graph (Ju et al., Fig. 4)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from urdf_texts import J, serial

from baxterkit.errors import UnknownNameError
from baxterkit.model.drawing import DRAWN_DEPTH, draw_tree, tree_dot
from baxterkit.model.library import baxter_arm
from baxterkit.model.urdf_reader import read_urdf
from baxterkit.model.urdf_writer import write_urdf

BRANCHED = """<robot name="r">
<link name="base"/><link name="left"/><link name="left_hand"/><link name="right"/>
<joint name="jl" type="revolute"><parent link="base"/><child link="left"/>
  <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="jh" type="fixed"><parent link="left"/><child link="left_hand"/></joint>
<joint name="jr" type="continuous"><parent link="base"/><child link="right"/></joint>
</robot>"""


def test_text_shows_links_joints_kinds_and_the_marked_way() -> None:
    assert draw_tree(read_urdf(BRANCHED), mark=("base", "left_hand")) == (
        "[base] *\n"
        "├── (jl, revolute) ── [left] *\n"
        "│   └── (jh, fixed) ── [left_hand] *\n"
        "└── (jr, continuous) ── [right]"
    )
    assert draw_tree(read_urdf(BRANCHED), root="left") == ("[left]\n└── (jh, fixed) ── [left_hand]")


def test_unknown_links_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown link 'tail'; available: base, left"):
        draw_tree(read_urdf(BRANCHED), root="tail")
    with pytest.raises(UnknownNameError, match="unknown link 'tail'"):
        tree_dot(read_urdf(BRANCHED), mark=("base", "tail"))


def test_rethinks_file_draws_both_arms(urdf_dir: Path) -> None:
    text = draw_tree(read_urdf(urdf_dir / "baxter_v1.2.0.urdf"), mark=("base", "left_hand"))
    lines = text.splitlines()
    assert len(lines) == len(read_urdf(urdf_dir / "baxter_v1.2.0.urdf").links)
    marked = [line.split("(")[-1].split(",")[0] for line in lines if line.endswith("*")][1:]
    names = [f"left_{joint}" for joint in ("s0", "s1", "e0", "e1", "w0", "w1", "w2")]
    assert marked == ["torso_t0", "left_torso_arm_mount", *names, "left_hand"]


def test_a_very_deep_tree_is_drawn_to_a_depth_and_the_rest_counted() -> None:
    text = draw_tree(read_urdf(serial([J("fixed")] * 1500)))
    *lines, last_drawn, rest = text.splitlines()
    assert len(lines) == DRAWN_DEPTH
    assert last_drawn.endswith(f"(joint{DRAWN_DEPTH}, fixed) ── [link{DRAWN_DEPTH}]")
    assert rest.lstrip() == f"└── ... deeper than {DRAWN_DEPTH}, left out: 1400 joints"
    assert len(text) < 100_000


def test_a_tree_of_just_the_depth_that_is_drawn_is_whole() -> None:
    text = draw_tree(read_urdf(serial([J("fixed")] * DRAWN_DEPTH)))
    assert text.count("\n") == DRAWN_DEPTH
    assert "left out" not in text


def test_dot_draws_boxes_and_ellipses_bold_on_the_way() -> None:
    dot = tree_dot(read_urdf(BRANCHED), mark=("base", "left"))
    assert '  "link base" [label="base", shape=box, style=bold];' in dot
    assert '  "link right" [label="right", shape=box];' in dot
    assert '  "joint jl" [label="jl\\nrevolute", shape=ellipse, style=bold];' in dot
    assert '  "link base" -> "joint jl" [style=bold];' in dot
    assert '  "joint jr" -> "link right";' in dot


def test_graphviz_reads_the_dot(require: Callable[[str], None]) -> None:
    require("graphviz")
    dot = tree_dot(read_urdf(write_urdf(baxter_arm("left"))), mark=("base", "left_hand"))
    done = subprocess.run(["dot", "-Tplain"], input=dot, text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\nnode ") == 10 + 9
