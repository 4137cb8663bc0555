"""Masters for the tests, and patience."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from baxterkit.ros.errors import MasterError
from baxterkit.ros.graph.master import Caller

PATIENCE = 120.0
"""Deadline of what must come [s]; it only ends a hang, on a machine of any load."""


def start_master(port: int = 0) -> tuple[subprocess.Popen[bytes], str]:
    """A real master on a free port, or on that one."""
    folder = Path("/tmp") / f"ros-log-{os.getpid()}"
    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    uri = f"http://127.0.0.1:{port}"
    variables = {"ROS_MASTER_URI": uri, "ROS_LOG_DIR": str(folder), "HOME": str(folder)}
    program = shutil.which("rosmaster")
    assert program is not None
    # No `with`: the caller ends it.
    process = subprocess.Popen(
        [program, "--core", "-p", str(port)],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for_master(uri)
    return process, uri


def wait_for_master(uri: str, timeout: float = PATIENCE) -> None:
    end = time.monotonic() + timeout
    while True:
        try:
            Caller(uri, "/test").call("getPid")
            return
        except MasterError:
            assert time.monotonic() < end, f"no master at {uri} within {timeout} s"
            time.sleep(0.02)


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def eventually(what: Callable[[], object], timeout: float = PATIENCE) -> None:
    """Waits until `what()` is true."""
    end = time.monotonic() + timeout
    while not what():
        assert time.monotonic() < end, f"not within {timeout} s"
        time.sleep(0.002)
