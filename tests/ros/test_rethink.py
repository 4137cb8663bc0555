"""Rethink's own programs take the twin for a Baxter, over our master and over roscore."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from rethink import Programs, missing
from ros_masters import PATIENCE
from twin_process import linked, twin_process

from baxterkit.ros import TwinHands

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
    Run("examples/joint_torque_springs", "-l left", "springs", seconds=10.0),
    Run("examples/joint_velocity_puppet", "-l left", "", seconds=8.0),
    Run("examples/joint_position_waypoints", "-l left", "Waypoint Recorded", 10.0,
        button="left_ok"),
    Run("examples/navigator_io", "-n left -i", "Press input buttons", 8.0, button="left_ok"),
    Run("examples/navigator_io", "-n right -o", "Blinking"),
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


@pytest.fixture(scope="module")
def bare(master: str, programs: Programs) -> Iterator[str]:
    with twin_process(master, "--enables-tucked", "--for", "3000", cameras=True):
        linked(master).close()
        yield master


@pytest.mark.parametrize("run", BARE, ids=str)
def test_a_program_runs(run: Run, bare: str, programs: Programs) -> None:
    check(run, bare, programs)


@pytest.fixture(scope="module")
def electric(master: str, programs: Programs) -> Iterator[str]:
    options = ("--enables-tucked", "--tool", "electric_standard", "--for", "3000")
    with twin_process(master, *options, cameras=True):
        linked(master).close()
        yield master


@pytest.mark.parametrize("run", ELECTRIC, ids=str)
def test_a_program_with_grippers_runs(run: Run, electric: str, programs: Programs) -> None:
    check(run, electric, programs)


def test_every_part_of_the_smoke_test_passes(electric: str, programs: Programs) -> None:
    smoke = Run("tools/smoke_test", "-p", keys="\n")
    said, _ = output(smoke, electric, programs)
    results = dict(re.findall(r"Results of (\w+) saved.*\n-+ Result: (\w+)", said))
    assert results == dict.fromkeys(SMOKE, "Success"), said


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
