from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from baxterkit.model.names import JOINTS

SMALL = """<robot name="small"><link name="a"/><link name="b"/><link name='c "quoted"'/>
<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="ac" type="fixed"><parent link="a"/><child link='c "quoted"'/></joint></robot>"""


def test_builtin_robot_has_both_arms_and_the_head(cli: Any) -> None:
    tree = cli("tree", "--json").json
    moving = {joint["name"] for joint in tree["joints"] if joint["kind"] == "revolute"}
    arms = {f"{s}_{j}" for s in ("left", "right") for j in JOINTS}
    assert moving == arms | {"head_pan"}
    assert tree["root"] == "base"
    children = [joint["child"] for joint in tree["joints"]]
    assert sorted(["base", *children]) == sorted(tree["links"])


def test_text_draws_every_joint_once(cli: Any) -> None:
    done = cli("tree")
    assert (done.status, done.err) == (0, "")
    joints = [joint["name"] for joint in cli("tree", "--json").json["joints"]]
    for name in joints:
        assert done.out.count(f"({name}, ") == 1
    assert len(done.out.splitlines()) == len(joints) + 1


def test_mark_shows_the_way_to_a_link(cli: Any) -> None:
    marked = cli("tree", "--mark", "left_hand", "--json").json["marked"]
    assert marked[:7] == [f"left_{j}" for j in JOINTS]
    starred = [line for line in cli("tree", "--mark", "left_hand").out.splitlines() if "*" in line]
    assert len(starred) == len(marked) + 1


def test_file_is_read(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "small.urdf"
    file.write_text(SMALL, encoding="utf-8")
    tree = cli("tree", file, "--json").json
    assert (tree["name"], tree["root"], tree["links"]) == ("small", "a", ["a", "b", 'c "quoted"'])


def test_real_file_is_read(cli: Any, urdf_dir: Path) -> None:
    out = cli("tree", urdf_dir / "baxter_v1.2.0.urdf").out
    assert "(left_torso_arm_mount, fixed)" in out


def test_dot_is_a_graph_that_graphviz_draws(
    cli: Any, tmp_path: Path, require: Callable[[str], None]
) -> None:
    require("graphviz")
    file = tmp_path / "small.urdf"
    file.write_text(SMALL, encoding="utf-8")
    for args, joint in (([], "left_w2"), ([file], "ac")):
        graph = cli("tree", "--dot", *args).out
        done = subprocess.run(
            ["dot", "-Tsvg"], input=graph, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert joint in done.stdout


def test_dot_and_json_exclude_each_other(cli: Any) -> None:
    message = "give one of --dot and --json (see: baxterkit tree --help)"
    cli("tree", "--dot", "--json").fails_with(message)


def test_unknown_link_is_one_line(cli: Any) -> None:
    done = cli("tree", "--mark", "tail")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("Error: unknown link 'tail'; available: base, ")


def test_missing_file_is_one_line(cli: Any) -> None:
    cli("tree", "no.urdf").fails_with(
        "Invalid value for '[FILE]': File 'no.urdf' does not exist (see: baxterkit tree --help)"
    )
