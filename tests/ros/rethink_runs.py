"""Every program of baxter_examples and baxter_tools: how it is run, and how it is seen to work."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Thread

from rethink import Programs
from ros_masters import PATIENCE

from baxterkit.ros import TwinHardware
from baxterkit.ros.graph.master import Master
from baxterkit.ros.graph.node import TcpNode

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
        beside: A program that runs beside it, with its arguments.
        topic: A topic that the program beside it publishes once it is ready.
    """

    program: str
    arguments: str = ""
    says: str = ""
    seconds: float | None = None
    code: int = 0
    keys: str = ""
    button: str = ""
    beside: str = ""
    topic: str = ""

    def __str__(self) -> str:
        return f"{self.program} {self.arguments}".strip()


JOY = {"beside": "python/joystick_beside", "topic": "/joy"}
HEAD = {"beside": "interface/head_action_server", "topic": "/robot/head/head_action/status"}
GRIP = {
    "beside": "interface/gripper_action_server -g left",
    "topic": "/robot/end_effector/left_gripper/gripper_action/status",
}
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
    Run("examples/head_action_client", says="Exiting - Head Action Test", **HEAD),
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
    Run("examples/joint_position_joystick", "-j xbox", "left (inc|dec) left_s0", 12.0, **JOY),
    Run("examples/send_urdf_fragment", "-f {tmp}/fragment.urdf -l left_hand -j left_pen",
        seconds=8.0),
    Run("examples/xdisplay_image", "-f {ws}/baxter_tools/share/images/researchsdk.png"),
    Run("tools/enable_robot", "-d", "Robot Disabled"),
)  # fmt: skip
ELECTRIC = (
    Run("tools/enable_robot", "-e", "Robot Enabled"),
    Run("examples/gripper_keyboard", says="Controlling grippers", keys="?c\x1b"),
    Run("examples/gripper_joystick", "-j xbox", "left: +(in|de)crease position", 12.0, **JOY),
    Run("examples/gripper_action_client", "-g left", "Exiting - Gripper Action Test", **GRIP),
    Run("examples/gripper_cuff_control", "-g both", "", seconds=8.0, button="left_upper_button"),
)
FRAGMENT = """<robot name="pen"><link name="left_pen"/><link name="left_pen_tip"/>
<joint name="left_pen_end" type="fixed"><origin xyz="0 0 0.1"/>
<parent link="left_pen"/><child link="left_pen_tip"/></joint></robot>"""
"""A fragment of a description for `send_urdf_fragment`."""


def output(run: Run, master: str, programs: Programs) -> tuple[str, int]:
    """What a program prints on a terminal, and its exit status."""
    above, below = pty.openpty()
    with ExitStack() as stack:
        if run.beside:
            stack.enter_context(beside(run, master, programs))
        before = _nodes(master)
        process = _start(f"{run.program} {run.arguments}", master, programs, below)
        os.close(below)
        assert process.stdout is not None
        lines: list[str] = []
        reader = Thread(target=lines.extend, args=(process.stdout,), daemon=True)
        reader.start()

        def is_there() -> bool:
            works = run.button or run.seconds is None or re.search(run.says, "".join(lines))
            return bool(works) and not _nodes(master) <= before

        try:
            late = time.monotonic() + PATIENCE
            while process.poll() is None and time.monotonic() < late and not is_there():
                time.sleep(0.1)  # rospy may hang if Ctrl-C comes while a node registers its topics
            ends = time.monotonic() + (run.seconds or 0.0)
            if run.keys or run.button:
                time.sleep(5.0)  # until it listens
            for key in run.keys:
                os.write(above, key.encode())
                time.sleep(0.5)
            if run.button:
                with TwinHardware(master) as hands:
                    hands.press(run.button, 0.5)
            if run.seconds is not None:
                time.sleep(max(ends - time.monotonic(), 0.0))
                assert process.poll() is None or process.returncode == 0
                process.send_signal(signal.SIGINT)
            process.wait(LONG if run.seconds is None else PATIENCE)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)  # it says where it is
            reader.join()
            raise AssertionError("".join(lines)) from None
        finally:
            process.kill()
            reader.join()
            process.stdout.close()
            os.close(above)
    return "".join(lines), process.wait()


@contextmanager
def beside(run: Run, master: str, programs: Programs) -> Iterator[subprocess.Popen[str]]:
    """The program beside another one, once it publishes its topic."""
    process = _start(run.beside, master, programs, subprocess.DEVNULL)
    try:
        with TcpNode("waits", master) as node:
            end = time.monotonic() + PATIENCE
            while not any(name.startswith(("/rsdk", "/joy")) for name in _of(node, run.topic)):
                assert process.poll() is None, process.communicate()[0]
                assert time.monotonic() < end, f"{run.beside} publishes no {run.topic}"
                time.sleep(0.1)
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()


def _nodes(master: str) -> set[str]:
    """Names of all nodes that a master knows."""
    state = Master(master, "/test").call("getSystemState")
    return {name for kind in state for _, names in kind for name in names}


def _of(node: TcpNode, topic: str) -> tuple[str, ...]:
    return tuple(node.publishers_of(topic))


def _start(line: str, master: str, programs: Programs, below: int) -> subprocess.Popen[str]:
    script, *words = line.format(tmp=programs.folder, ws=programs.folder).split()
    folder, name = script.split("/")
    path = f"python/{name}.py" if folder == "python" else f"baxter_{folder}/scripts/{name}.py"
    return subprocess.Popen(
        [*programs.command(path), *words], env=programs.environment(master), stdin=below,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=programs.folder,
    )  # fmt: skip
