"""Poses of a map answered on a GPU, with the processor's numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.baxter import Baxter
from baxterkit.cuda import DeviceArray
from baxterkit.cuda import device as gpu
from baxterkit.errors import InputError
from baxterkit.ik.device_result import DeviceIkResult
from baxterkit.ik.result import IkStatus
from baxterkit.scene.scene import Scene
from baxterkit.types import AnyArray, Array, ForeignArray, JointVector, Transform
from baxterkit.workspace.answering import Answers, sides_of
from baxterkit.workspace.settings import PAIR, Settings


class DeviceAnswers(Answers):
    """The same on a GPU: which poses are reached, all their solutions, and what these touch.

    Args:
        scene: The robot among its obstacles.
        body: Whether the robot must touch nothing.
        device: The GPU, "cuda" or "cuda:1".
    """

    looked_at = 4096

    def __init__(self, scene: Scene, body: bool, device: str) -> None:
        left, right = (arm.replace(backend=device) for arm in (scene.robot.left, scene.robot.right))
        super().__init__(scene.replace(robot=Baxter(left, right)), body)
        self._here = Answers(scene, body)
        self._gpu = gpu(int(device.partition(":")[2] or 0))

    def ik(self, side: str, T: Transform, other: JointVector) -> tuple[NDArray[np.uint8], Array]:
        """As `Answers.ik`: the GPU proves what is out of reach, and finds what touches."""
        found = self.scene.arm(side).ik(self._sent(T))
        assert isinstance(found, DeviceIkResult)
        here = found.on_processor()
        status, q = np.array(here.status).astype(np.uint8), here.q
        reached = np.flatnonzero(status == IkStatus.SOLVED)
        if self.body and len(reached):
            # The GPU may have found another solution than the processor, and where that one touches
            # something the search along the self-motion is no proof: so it starts from the same.
            q[reached] = self._here.scene.arm(side).ik(T[reached]).q
            blocked = reached[self.hits(side, q[reached], other)]
            status[blocked], q[blocked] = self._here.ik(side, T[blocked], other)
        return status, q

    def ik_all(self, side: str, T: Transform, e0: Array) -> Array:
        """As `Answers.ik_all`, by a thread for each pose and value of e0."""
        return _fetched(self.scene.arm(side).ik_all(self._sent(T[:, None]), self._sent(e0)))

    def hits(self, side: str, q: Array, other: JointVector) -> NDArray[np.bool_]:
        """As `Answers.hits`; joint positions are copied to the GPU."""
        sides = map(self._sent, sides_of(side, q, other))
        return _fetched(self.scene.in_collision(*sides))

    def clearance(self, side: str, q: Array, other: JointVector) -> Array:
        """As `Answers.clearance`; joint positions are copied to the GPU."""
        sides = map(self._sent, sides_of(side, q, other))
        return _fetched(self.moving(side).clearance(*sides))

    def manipulability(self, side: str, q: Array) -> Array:
        """As `Answers.manipulability`, by a thread for each configuration."""
        return _fetched(self.scene.arm(side).manipulability(self._sent(q)))

    def _sent(self, array: AnyArray) -> ForeignArray:
        return DeviceArray.of(self._gpu, array)


def _fetched(array: object) -> AnyArray:
    assert isinstance(array, DeviceArray)
    return array.numpy()


def check_device(device: str, settings: Settings, scheduler: str | None) -> None:
    """Refuses what a GPU does not answer.

    Raises:
        InputError: If the map is of both hands at once, or computed on a cluster.
    """
    if settings.sides == (PAIR,):
        raise InputError(f"device={device!r} is for maps of single arms; leave it out for a pair")
    if scheduler is not None:
        raise InputError("a cluster's workers compute on their processors; leave device out")
