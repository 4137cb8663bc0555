"""`/robot/joint_states` and `/robot/ref_joint_states`, at the rate that programs ask for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from baxterkit.messages import Message, message_class
from baxterkit.ros import topics
from baxterkit.ros.node import Node
from baxterkit.ros.robot.outlet import Outlet
from baxterkit.ros.robot.pace import PERIOD, Pace
from baxterkit.sim.twin import Twin
from baxterkit.types import Array

Header = message_class("std_msgs/Header")
MOST = 10
"""States in a period of 10 ms at most: one a step of the twin, 1000 Hz."""
_REST = np.zeros((2, 7))


class JointStates:
    """The 17 joints of the robot, alphabetical.

    They come at 100 Hz, unless a program asks for another rate. Above 100 Hz they come in whole
    milliseconds, as sensed then; a machine that is late leaves out such states rather than those of
    the 10 ms.

    Args:
        node: The node `realtime_loop`.
        twin: The twin.
        pace: Of the twin.
    """

    def __init__(self, node: Node, twin: Twin, pace: Pace) -> None:
        self._clock, self._twin, self._pace = node.clock, twin, pace
        self._every, self._within = 1, 1
        self._states = Outlet(node, topics.of_robot("joint_states"))
        self._references = Outlet(node, topics.of_robot("ref_joint_states"))

    def set_rate(self, message: Message) -> None:
        """A rate [Hz], from 1 to 1000; 0 is no rate."""
        if message.data:
            self._every = max(round(1.0 / (PERIOD * message.data)), 1)
            self._within = min(max(round(PERIOD * message.data), 1), MOST)

    def publish(self, ticks: int, stamp: int) -> None:
        """The state of a period; the `ticks`-th."""
        limbs = self._twin.limbs
        if self._states and ticks % self._every == 0:
            self._states(**self.message(stamp))
        if self._references:
            loops = [limb._loops for limb in limbs]
            rows = [np.stack((one.reference, one.reference_velocity, _REST[0])) for one in loops]
            self._references(**self._of(rows, stamp))

    def between(self) -> Iterator[float]:
        """Publishes the states within a period; yields the times at which it goes on [s]."""
        pace, n = self._pace, self._within
        for k in range(1, n):
            due = pace.due - PERIOD * (1.0 - k / n)
            if not self._states or self._clock.now() > due + PERIOD / n:
                continue
            yield due
            if not pace.paused.is_set():
                with pace:
                    stamp, rows = pace.stamp, self._twin._report()
                self._states(**self._of(rows, stamp))

    def message(self, stamp: int) -> dict[str, object]:
        """The fields of the state as the arms published it last."""
        states = [limb.published for limb in self._twin.limbs]
        return self._of([np.stack((s.q, s.qd, s.tau)) for s in states], stamp)

    def _of(self, arms: list[Array] | Array, stamp: int) -> dict[str, object]:
        """The fields for positions, velocities and torques, shape (3, 7) of each arm."""
        values = dict.fromkeys(topics.ROBOT_JOINTS, (0.0, 0.0, 0.0))
        values["head_pan"] = (self._twin.head_pan, 0.0, 0.0)
        for limb, rows in zip(self._twin.limbs, arms, strict=True):
            columns = zip(*(row.tolist() for row in rows), strict=True)
            values |= dict(zip(limb.arm.joint_names, columns, strict=True))
        q, qd, tau = zip(*values.values(), strict=True)
        header = Header(stamp=stamp)
        names = list(values)
        return {"header": header, "name": names, "position": q, "velocity": qd, "effort": tau}
