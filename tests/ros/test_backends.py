"""Our node and rospy on a real master, against the same twin: what one can, the other can."""

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
from ros_masters import start_master, stop
from tolerances import assert_close

from baxterkit import Baxter
from baxterkit.ros import TwinRobot
from baxterkit.ros.robot.arm import Received
from baxterkit.sim import Twin

pytestmark = [pytest.mark.ros, pytest.mark.real_clock]
BACKENDS = ("tcp", "rospy")


@pytest.fixture(scope="module")
def roscore() -> Iterator[str]:
    components.require("ros")
    process, uri = start_master()
    yield uri
    stop(process)


def drive(master: str, backend: str, seconds: float) -> tuple[dict[str, Any], list[Received]]:
    """Runs the client with a backend against a twin in this process."""
    received: list[Received] = []
    folder = f"/tmp/ros-log-{os.getpid()}"
    client = str(Path(__file__).parent / "drive.py")
    published: list[int] = []
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-4)  # as in `baxterkit ros twin`
    with TwinRobot(
        Twin(start="neutral", tool="electric_standard"), master, on_command=received.append
    ) as robot:
        make = robot._joint_state

        def noting(stamp: int, reference: bool) -> dict[str, object]:
            if not reference:
                published.append(stamp)
            return make(stamp, reference)

        robot._joint_state = noting  # type: ignore[method-assign]
        done = subprocess.run(
            [sys.executable, client, master, backend, str(seconds)],
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


@pytest.mark.parametrize("backend", ["rospy", pytest.param("tcp", marks=pytest.mark.acceptance)])
def test_a_backend_reads_commands_and_asks(roscore: str, backend: str) -> None:
    facts, received = drive(roscore, backend, 0.5)
    assert facts["backend"] == backend
    assert facts["states"] > 10
    assert facts["gripper"] == pytest.approx(0.2, abs=0.05)
    assert facts["head"] == pytest.approx(0.3, abs=0.14)
    assert facts["stamps"] == facts["published"]  # none is missing
    assert len(latencies(facts, received)) > 50
    assert facts["velocity, fed forward"] < 0.1
    assert facts["ik"] == [True]
    assert "the link was closed" in facts["closed"]
    assert_close(facts["mount"], Baxter().left.model.T_base_s0, 1e-9)


@pytest.mark.acceptance
@pytest.mark.parametrize("backend", BACKENDS)
def test_states_latency_and_tracking_of_a_backend(roscore: str, backend: str) -> None:
    """60 s of states without loss; commands within 5 ms; a circle at 0.5 rad/s within 20 mrad."""
    facts, received = drive(roscore, backend, 60.0)
    stamps = np.array(facts["stamps"])
    gaps = np.diff(stamps) * 1e-6
    delay = 1e3 * float(np.median(latencies(facts, received)))
    lost = len(facts["published"]) - facts["states"]
    print(f"\n{backend}: {facts['states']} states in 60 s, {lost} lost, ", end="")
    print(f"longest gap {gaps.max():.1f} ms")
    print(f"  command to receipt {delay:.2f} ms (median)")
    print({key: round(x, 4) for key, x in facts.items() if isinstance(x, float)})
    assert facts["stamps"] == facts["published"]  # none is missing
    assert delay <= 5.0
    assert facts["velocity, fed forward"] <= 0.02
    assert facts["position, fed forward"] <= 0.04
    assert facts["position, plain, largest"] > 0.15
