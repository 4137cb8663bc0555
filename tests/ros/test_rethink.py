"""Rethink's own programs take the twin for a Baxter, over our master and over roscore."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from rethink import PYTHON, Programs, missing
from ros_masters import PATIENCE
from tolerances import RELATIVE_POSE
from twin_process import linked, twin_process

from baxterkit import Baxter
from baxterkit.ros import TwinHands
from baxterkit.ros.robot.urdf import describe

pytestmark = [pytest.mark.acceptance, pytest.mark.real_clock, pytest.mark.ros]
SMOKE = ("Enable", "Messages", "Services", "Head", "MoveArms", "Grippers", "BlinkLEDs", "Cameras")
LONG = 400.0
"""Deadline of a program that ends by itself [s]; it only ends a hang."""


@dataclass(frozen=True)
class Run:
    """A program, and how it is seen to work.

    Attributes:
        program: The script.
        arguments: Of it.
        says: What it must print; a regular expression.
        seconds: How long it runs before Ctrl-C; None if it ends by itself.
        code: The exit status of one that ends by itself.
        keys: What is typed on its terminal.
        button: A button that is pressed meanwhile.
    """

    program: str
    arguments: str = ""
    says: str = ""
    seconds: float | None = None
    code: int = 0
    keys: str = ""
    button: str = ""

    def __str__(self) -> str:
        return f"{self.program} {self.arguments}".strip()


BARE = (
    Run("tools/enable_robot", "-e", "Robot Enabled"),
    Run("tools/enable_robot", "-s", "enabled: True"),
    Run("tools/tuck_arms", "-t", "Finished tuck"),
    Run("tools/tuck_arms", "-u", "Finished tuck"),
    Run("tools/tare", "-l left", "Tare finished"),
    Run("tools/calibrate_arm", "-l right", "Calibrate arm finished"),
    Run("tools/camera_control", "-l", r"left_hand_camera  -  \(open\)"),
    Run("tools/camera_control", "-c left_hand_camera"),
    Run("tools/camera_control", "-o head_camera -r 640x400"),
    Run("tools/update_robot", "-l", "SSH", code=1),
    Run("examples/analog_io_rampup", says="100"),
    Run("examples/digital_io_blink", says="Initial state"),
    Run("examples/ik_service_client", "-l left", "SUCCESS - Valid Joint Solution"),
    Run("examples/head_wobbler", says="Wobbling", seconds=10.0),
    Run("examples/joint_velocity_wobbler", says="Wobbling", seconds=12.0),
    Run("examples/joint_torque_springs", "-l left", "Running", seconds=10.0),
    Run("examples/joint_velocity_puppet", "-l left", "", seconds=8.0),
    Run("examples/joint_position_waypoints", "-l left", "Waypoint Recorded", 10.0,
        button="left_ok"),
    Run("examples/navigator_io", "-i", "Button 0: True", 10.0, button="left_ok"),
    Run("examples/navigator_io", "-b", "Blinking"),
    Run("examples/joint_trajectory_client", "-l left", "Exiting - Joint Trajectory Action Test"),
    Run("examples/joint_recorder", "-f {tmp}/motion.rec", "Recording", seconds=6.0),
    Run("examples/joint_position_file_playback", "-f {tmp}/motion.rec", "Playing back"),
    Run("examples/joint_trajectory_file_playback", "-f {tmp}/motion.rec",
        "Playback Complete|Exiting"),
    Run("examples/joint_position_keyboard", says="Controlling joints", keys="?q\x1b"),
    Run("examples/xdisplay_image", "-f {ws}/baxter_tools/share/images/researchsdk.png"),
    Run("tools/enable_robot", "-d", "Robot Disabled"),
)  # fmt: skip
ELECTRIC = (
    Run("tools/enable_robot", "-e", "Robot Enabled"),
    Run("examples/gripper_keyboard", says="Controlling grippers", keys="?c\x1b"),
    Run("examples/gripper_cuff_control", "-g both", "", seconds=8.0, button="left_upper_button"),
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    if (reason := missing()) is not None:
        pytest.skip(f"Rethink's programs: {reason}")
    return Programs(tmp_path_factory.mktemp("rethink"))


@pytest.fixture(scope="class")
def bare(master: str, programs: Programs) -> Iterator[str]:
    with twin_process(master, "--enables-tucked", "--for", "3000", cameras=True):
        linked(master).close()
        yield master


class TestBareHands:
    @pytest.mark.parametrize("run", BARE, ids=str)
    def test_a_program_runs(self, run: Run, bare: str, programs: Programs) -> None:
        check(run, bare, programs)


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


def output(run: Run, master: str, programs: Programs) -> tuple[str, int]:
    """What a program prints on a terminal, and its exit status."""
    package, name = run.program.split("/")
    words = run.arguments.format(tmp=programs.folder, ws=programs.folder).split()
    path = Path(f"baxter_{package}") / "scripts" / f"{name}.py"
    above, below = pty.openpty()
    process = subprocess.Popen(
        [*programs.command(str(path)), *words], env=programs.environment(master),
        stdin=below, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        cwd=programs.folder,
    )  # fmt: skip
    os.close(below)
    ends = time.monotonic() + (LONG if run.seconds is None else run.seconds)
    try:
        if run.keys or run.button:
            time.sleep(5.0)  # until it listens
        for key in run.keys:
            os.write(above, key.encode())
            time.sleep(0.5)
        if run.button:
            with TwinHands(master) as hands:
                hands.press(run.button, 0.5)
        if run.seconds is not None:
            time.sleep(max(ends - time.monotonic(), 0.0))
            assert process.poll() is None or process.returncode == 0
            process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=LONG if run.seconds is None else PATIENCE)
    finally:
        process.kill()
        os.close(above)
    return said, process.returncode
