"""A twin in a process of its own ends when its node is told to, as `rosnode kill` does it."""

from __future__ import annotations

import pytest
from ros_masters import PATIENCE
from twin_process import linked, twin_process

from baxterkit.ros import OwnMaster
from baxterkit.ros.graph.master import Caller, Master


@pytest.mark.real_clock
def test_killing_its_node_ends_the_twin() -> None:
    with OwnMaster(0) as master, twin_process(master.uri) as process:
        linked(master.uri).close()
        uri = Master(master.uri, "/rosnode").call("lookupNode", "/realtime_loop")
        Caller(uri, "/rosnode").call("shutdown", "user request")
        assert process.wait(PATIENCE) == 0
