"""The process that draws the cameras' pictures; it ends with the one that has started it."""

from __future__ import annotations

import logging
import pickle
import subprocess
import sys
import threading

from baxterkit.ros.priority import give_way
from baxterkit.ros.robot.shared_state import SharedState
from baxterkit.ros.robot.twin_robot import TwinRobot

END = 10.0
"""Time that it has to end [s]."""


class CameraProcess:
    """The cameras of a twin that is a robot at a master.

    Args:
        robot: The twin as a robot.
        master: Address of the master.
    """

    def __init__(self, robot: TwinRobot, master: str) -> None:
        twin = robot.twin
        self._state = SharedState(twin.model.nq)
        self._robot = robot
        robot.after_state.append(self._write)
        program = f"from {__name__} import serve; serve()"
        self._process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE)
        assert self._process.stdin is not None
        told = (twin.robot, twin._world, master, self._state.path, twin.model.nq)
        pickle.dump(told, self._process.stdin)
        self._process.stdin.flush()

    def _write(self, stamp: int) -> None:
        self._state.write(stamp, self._robot.twin.data.qpos)

    def close(self) -> None:
        """Ends the process and its pictures."""
        if self._write in self._robot.after_state:
            self._robot.after_state.remove(self._write)
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._state.close()

    def __enter__(self) -> CameraProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve() -> None:
    """Reads what the twin is, and serves its cameras until the input ends."""
    give_way()  # pictures yield to states, and to those who hear them
    from baxterkit.ros.graph.node import TcpNode
    from baxterkit.ros.robot.cameras import serve_cameras
    from baxterkit.sim.twin import Twin

    logging.basicConfig(format="%(message)s", level=logging.WARNING)
    model, world, master, path, size = pickle.load(sys.stdin.buffer)  # from our own parent
    stop = threading.Event()

    def wait() -> None:
        sys.stdin.buffer.read()
        stop.set()

    threading.Thread(target=wait, daemon=True).start()
    twin = Twin(model, world=world, rigid=True)
    with TcpNode("camera_server", master, exact=True) as node:
        node.on_shutdown = stop.set
        serve_cameras(node, twin, SharedState(size, path), stop)
