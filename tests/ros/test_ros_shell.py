"""`baxterkit ros ...` in a shell: it says where it is, and Ctrl-C is its usual end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from recorded_devices import terminal
from ros_masters import PATIENCE, eventually
from twin_process import linked, twin_process

from baxterkit.lesson import Lesson
from baxterkit.ros import OwnMaster
from baxterkit.ros.graph.master import Caller


@pytest.mark.real_clock
def test_ctrl_c_ends_the_twin_quietly_and_unregisters() -> None:
    with OwnMaster(0) as master:
        with twin_process(master.uri) as process:
            caller = Caller(master.uri, "/test")
            eventually(lambda: any(caller.call("getSystemState")[0]))
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0
        assert caller.call("getSystemState") == [[], [], []]


@pytest.mark.acceptance  # a hand in real time, which a busy machine stops, as it must
@pytest.mark.real_clock
def test_keys_in_a_terminal_move_a_hand_and_what_was_done_is_a_lesson(tmp_path: Path) -> None:
    """`ros teleop` in a terminal of its own, against a twin in a process of its own."""
    out = tmp_path / "reach.json"
    with (
        OwnMaster(0) as master,
        twin_process(master.uri),
        linked(master.uri) as link,
        terminal() as (typed, program),
    ):
        start = link.left.tip
        words = ["ros", "teleop", "--master", master.uri, "-o", str(out)]
        with subprocess.Popen(
            [sys.executable, "-m", "baxterkit", *words], stdin=program, stdout=subprocess.PIPE,
            text=True, env={**os.environ, "ROS_IP": "127.0.0.1"},
        ) as process:  # fmt: skip
            assert process.stdout is not None
            assert process.stdout.readline().startswith("w s forward, back")
            os.write(typed, b"rrrrr")
            eventually(lambda: link.left.tip[2, 3] > start[2, 3] + 0.045)
            assert link.left.tip[2, 3] < start[2, 3] + 0.06
            os.write(typed, b"q")
            assert process.wait(PATIENCE) == 0
    lesson = Lesson.load(out)
    assert lesson.sides == ("left",)
