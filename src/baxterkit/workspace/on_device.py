"""Poses of a map answered on a GPU: the statuses are those of the processor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.baxter import Baxter
from baxterkit.cuda import DeviceArray
from baxterkit.cuda import device as gpu
from baxterkit.errors import InputError
from baxterkit.ik.device_result import DeviceIkResult
from baxterkit.scene.scene import Scene
from baxterkit.types import Array, ForeignArray, JointVector, Transform
from baxterkit.workspace.settings import PAIR, Settings


class DeviceAnswers:
    """Inverse kinematics of many poses on a GPU.

    Args:
        scene: The robot among its obstacles.
        device: The GPU, "cuda" or "cuda:1".
        body: Whether the robot must touch nothing.
    """

    def __init__(self, scene: Scene, device: str, body: bool) -> None:
        left, right = (arm.replace(backend=device) for arm in (scene.robot.left, scene.robot.right))
        self._scene = scene.replace(robot=Baxter(left, right))
        self._gpu = gpu(int(device.partition(":")[2] or 0))
        self._body = body

    def answers(
        self, side: str, T: Transform, other: JointVector
    ) -> tuple[NDArray[np.uint8], Array]:
        """Status codes of poses (n, 4, 4), shape (n,), and joint positions, (n, 7)."""
        there: ForeignArray = DeviceArray.of(self._gpu, T)
        if self._body:
            found = self._scene.ik(side, there, other)
        else:
            found = self._scene.arm(side).ik(there)
        assert isinstance(found, DeviceIkResult)
        here = found.on_processor()
        return np.asarray(here.status).astype(np.uint8), here.q


def check_device(device: str, settings: Settings, scheduler: str | None) -> None:
    """Refuses what a GPU does not answer.

    Raises:
        InputError: If the map is of both hands at once, a full one, or computed on a cluster.
    """
    if settings.sides == (PAIR,):
        raise InputError(f"device={device!r} is for maps of single arms; leave it out for a pair")
    if settings.level == "full":
        raise InputError(
            f'device={device!r} answers which poses are reached; level="full" looks at all '
            "solutions, on the processor: leave device out"
        )
    if scheduler is not None:
        raise InputError("a cluster's workers compute on their processors; leave device out")
