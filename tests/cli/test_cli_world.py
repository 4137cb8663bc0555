"""`--world FILE`: every verb that asks what touches knows the obstacles of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from baxterkit import Baxter
from baxterkit.collision import World

POSE = ["0.6", "0.3", "0.2", "--rpy", "3.1416", "0", "0"]


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A table, and a ball at the tip of the untucked left arm."""
    world = World()
    world.add_table("table", -0.15)
    tip = Baxter().left.fk(Baxter().left.configuration("untuck"))[:3, 3]
    world.add_sphere("ball", 0.02, tip)
    return world.save(tmp_path / "lab.toml")


def test_collide_knows_a_world(cli: Any, lab: Path) -> None:
    done = cli("collide", "untuck", "--world", str(lab), "--json")
    status, found = done.status, json.loads(done.out)
    assert (status, found["second"]) == (1, "ball")
    assert cli("collide", "untuck").status == 0


def test_ik_is_clear_of_a_world(cli: Any, lab: Path, tmp_path: Path) -> None:
    done = cli("ik", *POSE, "--world", str(lab), "--json")
    status, found = done.status, json.loads(done.out)
    q = found["q"]
    robot = Baxter()
    scene = robot.scene(World.load(lab))
    assert status == 0
    assert not scene.in_collision(q, robot.right.configuration("untuck"))  # type: ignore[arg-type]
    world = World()
    world.add_sphere("ball", 0.1, (0.6, 0.3, 0.2))
    done = cli("ik", *POSE, "--world", str(world.save(tmp_path / "ball.toml")), "--json")
    status, found = done.status, json.loads(done.out)
    assert (status, found["status"]) == (1, "COLLISION")
    rows = tmp_path / "poses.csv"
    rows.write_text("0.6,0.3,0.2,1,0,0,0\n0.7,0.2,0.3,1,0,0,0\n")
    done = cli("ik", str(rows), "--world", str(tmp_path / "ball.toml"), "--json")
    status, found = done.status, json.loads(done.out)
    assert found["status"] == ["COLLISION", "SOLVED"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("0.6", "0.3", "0.2", "--collision-free"), "--collision-free needs a whole pose"),
        ((*POSE, "--other", "tuck"), "--other is for --collision-free and --world"),
        ((*POSE, "--collision-free", "--objective", "limits"), "--objective does not go with"),
        ((*POSE, "--collision-free", "--all"), "--all does not go with --collision-free"),
    ],
)
def test_what_does_not_go_together_is_refused(cli: Any, words: tuple[str, ...], says: str) -> None:
    result = cli("ik", *words)
    assert result.status == 2
    assert says in result.err


def test_plan_starts_among_the_obstacles(cli: Any, lab: Path) -> None:
    done = cli("plan", "untuck", "--to", "neutral", "--world", str(lab), "--json")
    status, found = done.status, json.loads(done.out)
    assert (status, found["status"]) == (1, "START_IN_COLLISION")


def test_a_bad_file_is_refused(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("format = 1\n[objects.a]\nkind = 'cube'")
    result = cli("collide", "untuck", "--world", str(path))
    assert result.status == 2
    assert "bad.toml: objects.a.kind = 'cube' is not known" in result.err
