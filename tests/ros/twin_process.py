"""The twin as a robot in a process of its own, as others' programs meet it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ros_masters import PATIENCE

from baxterkit.ros import LocalGraph, RobotLink, RosError, Rules

PATIENT = Rules(stale=30.0, stall=30.0)
"""For sockets on a busy machine: states, and the process itself, may be late."""


@contextmanager
def twin_process(
    master: str, *options: str, cameras: bool = False
) -> Iterator[subprocess.Popen[str]]:
    """`baxterkit ros twin` at a master, until the end of the `with`."""
    options = options if cameras else (*options, "--no-cameras")
    process = subprocess.Popen(
        [sys.executable, "-m", "baxterkit", "ros", "twin", "--master", master, "--for", "300",
         *options],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "ROS_IP": "127.0.0.1"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("the twin is a robot at"), line
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)
        assert process.stdout is not None
        process.stdout.close()


def linked(master: str | LocalGraph, **options: object) -> RobotLink:
    """A link to it, once it speaks."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return RobotLink(master, **{"rules": PATIENT, **options})  # type: ignore[arg-type]
        except RosError:
            if time.monotonic() > end:
                raise
