"""A step of the twin in NumPy: the readable reference of the compiled step, which takes its place.

Also what computes where the extension was not built, or an arm's kernels are not the compiled ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baxterkit.sim.build import Mujoco
from baxterkit.sim.contact_gate import ContactGate
from baxterkit.sim.joints import ElasticJoints, RigidJoints
from baxterkit.sim.loops import Loops
from baxterkit.sim.physics import ARMS
from baxterkit.sim.record import Record
from baxterkit.sim.sensors import Sensors
from baxterkit.sim.tilt import Tilt
from baxterkit.types import Array


@dataclass(frozen=True)
class Parts:
    """What a step consists of.

    Attributes:
        mujoco: The module.
        model: The compiled model.
        data: Its state.
        record: The numbers of everything else.
        loops: The robot's own control of the left and the right arm.
        joints: Of both arms.
        tilts: Of the arms whose gravity is not the scene's.
        gate: Of the search for contacts.
        sensors: Of both arms.
    """

    mujoco: Mujoco
    model: Mujoco
    data: Mujoco
    record: Record
    loops: tuple[Loops, Loops]
    joints: RigidJoints | ElasticJoints
    tilts: Sequence[Tilt]
    gate: ContactGate
    sensors: Sensors


class NumpyStep:
    """The step in NumPy.

    Args:
        parts: What it consists of.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        # Views are made once: going through MuJoCo's attributes costs more than the arithmetic.
        self._q: Array = parts.data.qpos[:ARMS]
        self._qd: Array = parts.data.qvel[:ARMS]
        self._rows = self._q.reshape(2, 7), self._qd.reshape(2, 7)

    def run(self, n: int) -> int:
        """Steps at most `n` milliseconds, to the next publishing at most; returns how many."""
        parts, record = self._parts, self._parts.record
        reading, desired = record.reading, np.empty(ARMS)
        left, right = parts.loops
        for done in range(1, n + 1):
            desired[:7] = left.torque(reading[0, 0], reading[0, 1])
            desired[7:] = right.torque(reading[1, 0], reading[1, 1])
            parts.joints.before_step(desired, self._q, self._qd)
            for tilt in parts.tilts:
                tilt.apply()
            parts.gate.update()
            parts.mujoco.mj_step(parts.model, parts.data)
            record.ticks[0] += 1
            parts.joints.after_step(self._q, self._qd)
            self.sense()
            if record.ticks[0] % record.publish_every[0] == 0:
                record.published[:] = self.report()
                record.published_at[0] = record.ticks[0]
                return done
        return n

    def sense(self) -> None:
        """One reading of the sensors, in NumPy."""
        self._parts.sensors.read(*self._rows)

    def report(self) -> Array:
        """The readings of this millisecond, as the robot would publish them, shape (2, 3, 7)."""
        return self._parts.sensors.report()
