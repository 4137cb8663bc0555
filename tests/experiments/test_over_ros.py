"""The papers' experiments over ROS: the same code for the twin and for a robot."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import components
import pytest

sys.path.append(str(Path(__file__).parent.parent / "ros"))
from ros_masters import eventually
from twin_process import PATIENT, linked, twin_process

from baxterkit import experiments
from baxterkit.errors import UnknownNameError
from baxterkit.experiments import over_ros
from baxterkit.experiments.settings import Settings
from baxterkit.ros.graph.own_master import OwnMaster

SOURCE = components.ROOT / "src" / "baxterkit" / "experiments" / "over_ros.py"


def test_only_the_address_says_which_robot_it_is() -> None:
    """No twin is made or asked for; the address goes to `RobotLink` and nowhere else."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & {"Twin", "TwinRobot", "TwinRecording", "OwnMaster"}
    uses = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "ros" and isinstance(node.ctx, ast.Load)
    ]
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "RobotLink"
    ]
    assert len(uses) == len(calls) == 1
    assert calls[0].args[0] is uses[0]


def test_experiments_that_move_no_robot_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown experiment over ROS 'kumar_fk'"):
        experiments.run("kumar_fk", Settings(ros="http://127.0.0.1:1"))


@pytest.mark.acceptance
@pytest.mark.parametrize("name", over_ros.OVER_ROS)
def test_an_experiment_runs_over_ros(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_IP", "127.0.0.1")
    start = "tuck" if name == "ju_tuck" else "neutral"
    with OwnMaster(0) as master, twin_process(master.uri, "--start", start):
        linked(master.uri).close()
        result = over_ros.run(name, Settings(ros=master.uri, quick=True), PATIENT)
    rows = {(row.section, row.quantity): row.ours for row in result.rows}
    print("", *(f"{key}: {value}" for key, value in rows.items()), sep="\n")
    assert len(rows) >= 5
    errors = [value for (_, what), value in rows.items() if what == "joint error, RMS [mrad]"]
    if name == "kumar_circle":
        lagging, *fed = errors
        assert max(fed) < 20.0 < lagging
    elif name == "smith_twin":
        assert max(errors) < 30.0
    else:
        assert rows[("The motion", "arrived untucked, tucked")] == "yes, yes"
    eventually(lambda: True)
