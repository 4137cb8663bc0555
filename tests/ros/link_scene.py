"""A twin as a robot with a link to it, and motions for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from ros_masters import PATIENCE, eventually
from twin_process import linked

from baxterkit.robot import Followed
from baxterkit.ros import RobotLink, Rules, TwinRobot, in_process
from baxterkit.ros.robot.arm import Received
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory


class Scene:
    """A twin as a robot with tucked arms, and a link to it."""

    def __init__(self, master: str) -> None:
        self.master = master
        self.received: list[Received] = []
        self.robot = TwinRobot(Twin(start="tuck"), master, on_command=self.received.append)
        self.link = linked(master)

    def close(self) -> None:
        self.link.close()
        self.robot.close()


class LocalScene:
    """The same in one process on simulated time, for what needs no socket: exact, and fast."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.both = in_process(Twin(start="tuck"), on_command=self.received.append)
        self.link, self.robot, self.graph = self.both.link, self.both.robot, self.both.graph
        self.clock = self.both.clock

    def ready(self) -> None:
        """In control and enabled, with the arms untucked and at rest, and nothing under way."""
        robot, link = self.robot, self.link
        robot.paused.clear()
        robot.assembly.press(False)
        with robot.lock:
            robot.twin.place(*(limb.arm.configuration("untuck") for limb in robot.twin.limbs))
        link.rules = Rules()
        self.clock.sleep(0.5)
        link.enable()
        self.received.clear()

    def eventually(self, what: Callable[[], object], timeout: float = 10.0) -> None:
        """Waits until `what()` is true."""
        end = self.clock.now() + timeout
        while not what():
            assert self.clock.now() < end, f"not within {timeout} s"
            self.clock.sleep(0.01)

    def later(self, seconds: float, act: Callable[..., object], *args: object) -> None:
        """Calls `act(*args)` after that time, while the test waits for something else."""
        self.clock.call_at(self.clock.now() + seconds, act, *args)

    def close(self) -> None:
        self.both.close()


def ready(scene: Scene) -> None:
    """In control and enabled, with the arms untucked."""
    link, robot = scene.link, scene.robot
    with robot.lock:
        robot.twin.place(*(limb.arm.configuration("untuck") for limb in robot.twin.limbs))
    eventually(lambda: len(link._states.state_sources.now()) == 1)
    eventually(lambda: link._assembly.estop_button == 0)
    eventually(lambda: np.abs(link.left.q - link.left.arm.configuration("untuck")).max() < 0.05)
    link.enable(PATIENCE)


def assert_moved(done: Followed, size: float) -> None:
    """The arm went there and came back."""
    away = np.abs(done.q - done.q[0]).max(axis=1)
    assert away.max() > 0.5 * size
    assert away[-1] < 0.4 * size


def bump(link: RobotLink, side: str, size: float = 0.15, duration: float = 1.5) -> Trajectory:
    """There and back with every joint, at rest at both ends."""
    q = link.limb(side).q
    t = np.linspace(0.0, duration, 31)
    way = q + size * (np.sin(np.pi * t / duration) ** 2)[:, None] * [1, 1, 1, -1, 1, 1, 1]
    return Trajectory.from_points(t, way, limits=link.limb(side).arm.limits)
