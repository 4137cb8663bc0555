"""The twin as a robot in a process of its own, with a master of its own.

The process ends when its input does: with the one that has started it, whatever becomes of that.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread, Timer

from baxterkit.ros.errors import NoReplyError
from baxterkit.ros.graph.own_master import OwnMaster
from baxterkit.ros.graph.rosout import Rosout
from baxterkit.ros.priority import prefer, without_pauses
from baxterkit.ros.robot.behaviour import Behaviour
from baxterkit.ros.robot.twin_robot import TwinRobot
from baxterkit.sim.twin import Twin

START = 60.0
"""Time that the process has to start [s]."""
END = 10.0
"""Time that it has to end [s]."""
SWITCH = 5e-4
"""Longest time of a thread before another one gets its turn [s]: messages need not wait."""


class TwinProcess:
    """A twin behind ROS, until it is closed.

    Args:
        robot: Its robot file; a nominal robot if None.

    Attributes:
        uri: Address of its master.

    Raises:
        NoReplyError: If it does not start; says what it wrote.
    """

    def __init__(self, robot: str | Path | None = None) -> None:
        program = f"from {__name__} import serve; serve()"
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115  (a pipe could fill up)
        self._process = subprocess.Popen(
            [sys.executable, "-c", program, *([] if robot is None else [str(robot)])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
        )
        assert self._process.stdout is not None
        late = Timer(START, self._process.kill)
        late.start()
        self.uri = self._process.stdout.readline().strip()
        late.cancel()
        if not self.uri:
            self._process.wait()
            self._said.seek(0)
            said = self._said.read().strip().splitlines() or [
                f"not within {START:g} s; it is busy here"
            ]
            self.close()
            raise NoReplyError(f"the twin's process did not start: {said[-1]}")

    def close(self) -> None:
        """Ends it; may be called twice."""
        process = self._process
        if process.stdin is not None and not process.stdin.closed:
            process.stdin.close()
        try:
            process.wait(END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
        self._said.close()


@contextmanager
def served(
    twin: Twin, master: str | None, enabled: bool = False, behaviour: Behaviour | None = None
) -> Iterator[TwinRobot]:
    """The twin as a robot at a master, in a process that does nothing else."""
    prefer()  # a real robot does not wait for other programs of this machine
    sys.setswitchinterval(SWITCH)
    with (
        without_pauses(),
        TwinRobot(twin, master, enabled=enabled, behaviour=behaviour) as robot,
    ):
        yield robot


def serve() -> None:
    """Prints the master's address, and is a robot until its input ends."""
    twin = Twin(sys.argv[1] if len(sys.argv) > 1 else None)
    with OwnMaster(0) as master, Rosout(master.uri), served(twin, master.uri) as robot:
        print(master.uri, flush=True)

        def wait() -> None:
            sys.stdin.read()
            robot.ended.set()

        Thread(target=wait, daemon=True).start()
        robot.ended.wait()
