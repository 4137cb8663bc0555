"""`baxterkit ros ...` in a shell: it says where it is, and Ctrl-C is its usual end."""

from __future__ import annotations

import signal

import pytest
from ros_masters import PATIENCE, eventually
from twin_process import twin_process

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
