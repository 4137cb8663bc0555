"""The papers' experiments over ROS: the same code for the twin and for a robot."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import components
import pytest

sys.path.append(str(Path(__file__).parent.parent / "ros"))
from twin_process import linked, twin_process

from baxterkit import experiments
from baxterkit.errors import UnknownNameError
from baxterkit.experiments import over_ros
from baxterkit.experiments.settings import Settings
from baxterkit.ros import OwnMaster, TwinRobot
from baxterkit.ros.graph.master import Caller, Master
from baxterkit.sim import Twin

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


@pytest.mark.slow
def test_the_link_uses_nothing_that_a_robot_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the link publishes, reads, asks and looks up on the twin, a real Baxter has as well."""
    monkeypatch.setenv("ROS_IP", "127.0.0.1")
    asked: set[str] = set()
    parameter = Master.parameter

    def noting(self: Master, name: str) -> object:
        asked.add(name)
        return parameter(self, name)

    monkeypatch.setattr(Master, "parameter", noting)
    with (
        OwnMaster(0) as master,
        TwinRobot(Twin(start="neutral"), master.uri, enabled=True),
        linked(master.uri) as link,
    ):
        link.take_control()
        link.mount("left")
        link.mount("left", "tf", 20.0)
        assert link.serial == "baxterkit-twin"
        with link.record("unwritten.bag") as recorder:
            published, read, served = Caller(master.uri, "/test").call("getSystemState")
            recorder._path = None
    name = link._listener.name
    uses = {topic for topic, names in (*published, *read) if name in names}
    assert uses <= REAL_TOPICS, uses - REAL_TOPICS
    assert len(uses) > 25
    assert not [service for service, names in served if name in names]
    assert asked <= {"/robot_description", "/manifest/robot_serial"}


REAL_TOPICS = {
    "/tf", "/tf_static", "/robot/joint_states", "/robot/ref_joint_states", "/robot/state",
    "/robot/set_super_enable", "/robot/set_super_reset", "/robot/set_super_stop",
    "/robot/head/head_state", "/robot/head/command_head_pan",
    *(
        f"/robot/limb/{side}/{topic}"
        for side in ("left", "right")
        for topic in (
            "joint_command", "joint_command_timeout", "set_speed_ratio", "endpoint_state",
            "gravity_compensation_torques", "suppress_gravity_compensation",
            "suppress_collision_avoidance", "collision_avoidance_state",
        )
    ),
    *(
        f"/robot/end_effector/{side}_gripper/{topic}"
        for side in ("left", "right")
        for topic in ("command", "state", "properties")
    ),
}  # fmt: skip
"""Of the 202 topics that `rostopic list` shows on a real robot of software 1.2.0."""


def shell(*words: str, timeout: float = 200.0) -> subprocess.CompletedProcess[str]:
    """Runs `baxterkit ...` as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "baxterkit", *words],
        capture_output=True, text=True, timeout=timeout,
        env={**os.environ, "ROS_IP": "127.0.0.1", "COLUMNS": "200"},
    )  # fmt: skip


@pytest.mark.acceptance
@pytest.mark.parametrize("name", over_ros.OVER_ROS)
def test_an_experiment_runs_over_ros_from_the_shell(name: str, tmp_path: Path) -> None:
    """One shell serves the twin, another one runs `baxterkit reproduce NAME --ros MASTER`."""
    start = "tuck" if name == "ju_tuck" else "neutral"
    with OwnMaster(0) as master, twin_process(master.uri, "--start", start):
        linked(master.uri).close()
        done = shell(
            "reproduce", name, "--ros", master.uri, "--quick", "--patience", "2", "--json",
            "--out", str(tmp_path),
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)["results"]
    rows = {(row["section"], row["quantity"]): row["ours"] for row in result["rows"]}
    print("", *(f"{key}: {value}" for key, value in rows.items()), sep="\n")
    assert len(rows) >= 5
    assert (tmp_path / "report.html").stat().st_size > 1000
    assert result["is_synthetic"]
    errors = [value for (_, what), value in rows.items() if what == "joint error, RMS [mrad]"]
    if name == "kumar_circle":
        lagging, *fed = errors
        assert max(fed) < 0.7 * lagging  # 18 mrad on an idle machine
        assert lagging > 12.0
    elif name == "smith_twin":
        assert max(errors) < 30.0
    else:
        assert rows[("The motion", "arrived untucked, tucked")] == "yes, yes"
