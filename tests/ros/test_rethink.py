"""Rethink's own programs take the twin for a Baxter, over our master and over roscore."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from rethink import PYTHON, Programs, missing
from rethink_runs import BARE, ELECTRIC, FRAGMENT, Run, beside, output
from tolerances import RELATIVE_POSE
from twin_process import linked, twin_process

from baxterkit import Baxter
from baxterkit.messages import message_class
from baxterkit.ros import topics
from baxterkit.ros.graph.node import TcpNode
from baxterkit.ros.robot.urdf import describe

pytestmark = [pytest.mark.acceptance, pytest.mark.real_clock, pytest.mark.ros]
SMOKE = ("Enable", "Messages", "Services", "Head", "MoveArms", "Grippers", "BlinkLEDs", "Cameras")
MODES = ("position_w_id", "position", "velocity")
"""Modes of Rethink's trajectory server. The first one is its default; in the others the client's
motion leaves that server's tolerance, since the robot lags behind position commands."""
STATUS = message_class("actionlib_msgs/GoalStatusArray")
RESULT = message_class("control_msgs/FollowJointTrajectoryActionResult")
SUCCEEDED = 3
LAST = 1.25 * np.array([-0.11, -0.62, -1.15, 1.32, 0.80, 1.27, 2.39])
"""Where joint_trajectory_client leaves the left arm [rad]."""
ARRIVED = 0.1
"""How near [rad]: that server has arrived within 0.2 rad by its own tolerances."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    if (reason := missing()) is not None:
        pytest.skip(f"Rethink's programs: {reason}")
    made = Programs(tmp_path_factory.mktemp("rethink"))
    (made.folder / "fragment.urdf").write_text(FRAGMENT)
    return made


def test_every_program_of_examples_and_tools_is_run(programs: Programs) -> None:
    scripts = {
        f"{package}/{file.stem}"
        for package in ("examples", "tools")
        for file in (programs.folder / f"baxter_{package}" / "scripts").glob("*.py")
    }
    assert scripts == {run.program for run in (*BARE, *ELECTRIC)} | {"tools/smoke_test"}


@pytest.fixture(scope="class")
def bare(master: str, programs: Programs) -> Iterator[str]:
    with twin_process(master, "--enables-tucked", "--for", "3000", cameras=True):
        linked(master).close()
        yield master


class TestBareHands:
    @pytest.mark.parametrize("run", BARE, ids=str)
    def test_a_program_runs(self, run: Run, bare: str, programs: Programs) -> None:
        check(run, bare, programs)

    def test_the_fragment_that_was_sent_is_part_of_the_description(self, bare: str) -> None:
        with TcpNode("reader", bare) as node:
            text = str(node.parameter(topics.DESCRIPTION))
        assert 'link name="left_pen_tip"' in text

    @pytest.mark.parametrize("mode", MODES)
    def test_rethinks_trajectory_server_takes_the_action_over(
        self, mode: str, bare: str, programs: Programs
    ) -> None:
        action = topics.ACTION.format(side="left")
        status = f"{action}/status"
        server = f"interface/joint_trajectory_action_server -l left -m {mode}"
        client = Run("examples/joint_trajectory_client", "-l left", beside=server, topic=status)
        heard: list[tuple[float, str]] = []
        results: list[tuple[str, int]] = []
        with linked(bare) as link, TcpNode("watcher", bare) as node:
            link.enable()
            link.untuck()
            link.release_control()
            node.watch(status, STATUS, lambda who: heard.append((time.monotonic(), who)))
            node.subscribe(
                f"{action}/result", RESULT, lambda m, who: results.append((who, m.status.status))
            )
            with beside(client, bare, programs):
                time.sleep(3.0)  # until the twin has heard it, and yields
                began = time.monotonic()
                said, code = output(replace(client, beside=""), bare, programs)
                ended = time.monotonic()
            end = link.left.q
        assert code == 0, said
        assert "Exiting - Joint Trajectory Action Test" in said
        assert "twice" not in said
        name = f"/rsdk_{mode}_joint_trajectory_action_server_left"
        assert {who for t, who in heard if began < t < ended} == {name}
        assert [who for who, _ in results] == [name]
        if mode == MODES[0]:
            assert results == [(name, SUCCEEDED)]
            assert np.abs(end - LAST).max() < ARRIVED, end


@pytest.fixture(scope="class")
def electric(master: str, programs: Programs) -> Iterator[str]:
    options = ("--enables-tucked", "--tool", "electric_standard", "--for", "3000")
    with twin_process(master, *options, cameras=True):
        linked(master).close()
        yield master


class TestGrippers:
    @pytest.mark.parametrize("run", ELECTRIC, ids=str)
    def test_a_program_runs(self, run: Run, electric: str, programs: Programs) -> None:
        check(run, electric, programs)

    def test_every_part_of_the_smoke_test_passes(self, electric: str, programs: Programs) -> None:
        smoke = Run("tools/smoke_test", "-p", keys="\n")
        said, _ = output(smoke, electric, programs)
        results = dict(re.findall(r"Results of (\w+) saved.*\n-+ Result: (\w+)", said))
        assert results == dict.fromkeys(SMOKE, "Success"), said


KDL = """
import json, sys
import PyKDL as kdl
from urdf_parser_py.urdf import URDF
from baxter_kdl.kdl_parser import kdl_tree_from_urdf_model
given = json.load(sys.stdin)
tree = kdl_tree_from_urdf_model(URDF.from_xml_string(given["urdf"]))
chain = tree.getChain("base", given["tip"])  # the solver does not keep it
solver = kdl.ChainFkSolverPos_recursive(chain)
for row in given["q"]:
    q, frame = kdl.JntArray(7), kdl.Frame()
    for i, x in enumerate(row):
        q[i] = x
    solver.JntToCart(q, frame)
    print(json.dumps([[frame[i, j] for j in range(4)] for i in range(3)]))
"""


@pytest.mark.parametrize("side", ["left", "right"])
def test_baxter_pykdl_has_our_forward_kinematics(side: str, programs: Programs) -> None:
    robot = Baxter()
    arm = getattr(robot, side)
    q = np.random.default_rng(3).uniform(arm.limits.lower, arm.limits.upper, (50, 7))
    tip = f"{side}_gripper"
    done = subprocess.run(
        [PYTHON, "-W", "ignore", "-c", KDL],
        input=json.dumps({"urdf": describe(robot), "tip": tip, "q": q.tolist()}),
        env=programs.environment("http://127.0.0.1:9"), text=True, capture_output=True, check=False,
    )  # fmt: skip
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    found = np.array([json.loads(line) for line in done.stdout.splitlines() if line[:1] == "["])
    np.testing.assert_allclose(found, arm.fk(q, of=tip)[:, :3], rtol=0, atol=RELATIVE_POSE)


def check(run: Run, master: str, programs: Programs) -> None:
    said, code = output(run, master, programs)
    assert "Traceback" not in said, said
    assert re.search(run.says, said), said
    if run.seconds is None:
        assert code == run.code, said
