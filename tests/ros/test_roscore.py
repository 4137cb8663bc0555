"""Our node on a real master: a link against the twin, and programs on rospy beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest
from ros_masters import PATIENCE, eventually, start_master, stop
from tolerances import assert_close

from baxterkit import Baxter
from baxterkit.ros import RefusedError, RobotLink, Rules, TwinRobot
from baxterkit.ros.robot.arm import Received
from baxterkit.sim import Twin

pytestmark = [pytest.mark.ros, pytest.mark.real_clock]

ROSPY = """
import sys
sys.path.append("/usr/lib/python3/dist-packages")
import rospy
from std_msgs.msg import Float64
rospy.init_node("old_program")
rospy.Subscriber("/robot/joint_states", rospy.AnyMsg, lambda message: heard.append(message))
heard = []
timeout = rospy.Publisher("/robot/limb/left/joint_command_timeout", Float64, queue_size=1)
while not heard or not timeout.get_num_connections():
    rospy.sleep(0.01)
print(heard[0]._connection_header["type"], flush=True)
while sys.stdin.readline():
    timeout.publish(0.3)
"""


@pytest.fixture(scope="module")
def roscore() -> Iterator[str]:
    components.require("ros")
    process, uri = start_master()
    yield uri
    stop(process)


def drive(master: str, seconds: float) -> tuple[dict[str, Any], list[Received]]:
    """Runs the client against a twin in this process."""
    received: list[Received] = []
    folder = f"/tmp/ros-log-{os.getpid()}"
    client = str(Path(__file__).parent / "drive.py")
    published: list[int] = []
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-4)  # as in `baxterkit ros twin`
    with TwinRobot(
        Twin(start="neutral", tool="electric_standard"), master, on_command=received.append
    ) as robot:
        make = robot._states.message

        def noting(stamp: int) -> dict[str, object]:
            published.append(stamp)
            return make(stamp)

        robot._states.message = noting  # type: ignore[method-assign]
        done = subprocess.run(
            [sys.executable, client, master, str(seconds)],
            capture_output=True, text=True, timeout=400.0,
            env={**os.environ, "ROS_IP": "127.0.0.1", "ROS_LOG_DIR": folder, "HOME": folder},
        )  # fmt: skip
    sys.setswitchinterval(before)
    assert done.returncode == 0, done.stderr[-2000:]
    facts = json.loads(done.stdout.splitlines()[-1])
    first, last = facts["stamps"][0], facts["stamps"][-1]
    facts["published"] = [stamp for stamp in published if first <= stamp <= last]
    return facts, received


def latencies(facts: dict[str, Any], received: list[Received]) -> list[float]:
    """Time from sending to receipt of the numbered commands [s]."""
    found = {}
    for command in received:
        number = round(1e6 * command.values.get("left_w2", 0.0))
        if command.mode == "velocity" and abs(command.values["left_w2"] - 1e-6 * number) < 1e-12:
            found.setdefault(number, command.t)
    return [1e-9 * (found[i + 1] - t) for i, t in enumerate(facts["sent"]) if i + 1 in found]


def test_a_link_reads_commands_and_asks(roscore: str) -> None:
    facts, received = drive(roscore, 0.5)
    assert facts["states"] > 10
    assert facts["gripper"] == pytest.approx(0.2, abs=0.05)
    assert facts["head"] == pytest.approx(0.3, abs=0.14)
    assert facts["stamps"] == facts["published"]  # none is missing
    assert len(latencies(facts, received)) > 50
    assert facts["velocity, fed forward"] < 0.1
    assert facts["ik"] == [True]
    assert "the link was closed" in facts["closed"]
    assert_close(facts["mount"], Baxter().left.model.T_base_s0, 1e-9)


def test_a_program_on_rospy_hears_the_twin_and_is_a_rival(roscore: str) -> None:
    with (
        TwinRobot(Twin(), roscore, enabled=True),
        RobotLink(roscore, rules=Rules(stale=30.0, stall=30.0), timeout=PATIENCE) as link,
        subprocess.Popen(
            [sys.executable, "-c", ROSPY], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**os.environ, "ROS_MASTER_URI": roscore},
        ) as old,
    ):  # fmt: skip
        assert old.stdin is not None
        assert old.stdout is not None
        assert old.stdout.readline() == "sensor_msgs/JointState\n"
        link.take_control()
        link.left.command_velocity(np.zeros(7))

        def refused() -> bool:
            old.stdin.write("go\n")
            old.stdin.flush()
            try:
                link.left.command_velocity(np.zeros(7))
            except RefusedError as error:
                return error.reason == "rival" and "/old_program has set" in str(error)
            return False

        eventually(refused)
        old.stdin.close()


@pytest.mark.acceptance
def test_states_latency_and_tracking(roscore: str) -> None:
    """60 s of states without loss; commands within 5 ms; a circle at 0.5 rad/s within 20 mrad."""
    facts, received = drive(roscore, 60.0)
    stamps = np.array(facts["stamps"])
    gaps = np.diff(stamps) * 1e-6
    delay = 1e3 * float(np.median(latencies(facts, received)))
    lost = len(facts["published"]) - facts["states"]
    print(f"\n{facts['states']} states in 60 s, {lost} lost, ", end="")
    print(f"longest gap {gaps.max():.1f} ms")
    print(f"  command to receipt {delay:.2f} ms (median)")
    print({key: round(x, 4) for key, x in facts.items() if isinstance(x, float)})
    assert facts["stamps"] == facts["published"]  # none is missing
    assert delay <= 5.0
    assert facts["velocity, fed forward"] <= 0.02
    assert facts["position, fed forward"] <= 0.04
    assert facts["position, plain, largest"] > 0.15
