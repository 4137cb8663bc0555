"""What a map asks of each pose, answered on the processor; `on_device` answers on a GPU."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baxterkit.collision.body import STANDING
from baxterkit.model.names import other_side
from baxterkit.scene.scene import Scene
from baxterkit.types import Array, JointVector, Transform


class Answers:
    """Inverse kinematics of many poses, and what is known of the solutions.

    Args:
        scene: The robot among its obstacles.
        body: Whether the robot must touch nothing.
    """

    looked_at = 256
    """Number of poses whose solutions are looked at at a time: at 48 values of e0 some 30 MB."""

    def __init__(self, scene: Scene, body: bool) -> None:
        self.scene, self.body = scene, body
        self._moving: dict[str, Scene] = {}

    def ik(self, side: str, T: Transform, other: JointVector) -> tuple[NDArray[np.uint8], Array]:
        """Status codes of poses (n, 4, 4), shape (n,), and joint positions, (n, 7)."""
        found = self.scene.ik(side, T, other) if self.body else self.scene.arm(side).ik(T)
        return np.asarray(found.status).astype(np.uint8), found.q

    def ik_all(self, side: str, T: Transform, e0: Array) -> Array:
        """Every solution of poses (n, 4, 4) at values of e0 (m,), padded: (n, m, k, 7)."""
        return self.scene.arm(side).ik_all(T[:, None], e0)

    def hits(self, side: str, q: Array, other: JointVector) -> NDArray[np.bool_]:
        """Whether the robot touches something with an arm at q (n, 7)."""
        return np.asarray(self.scene.in_collision(*sides_of(side, q, other)))

    def clearance(self, side: str, q: Array, other: JointVector) -> Array:
        """Clearance of what an arm at q (n, 7) moves [m], shape (n,)."""
        return np.asarray(self.moving(side).clearance(*sides_of(side, q, other)))

    def manipulability(self, side: str, q: Array) -> Array:
        """Manipulability at q (n, 7), shape (n,)."""
        return np.asarray(self.scene.arm(side).manipulability(q))

    def moving(self, side: str) -> Scene:
        """The scene without pairs that this arm does not move: they do not limit its clearance."""
        if side not in self._moving:
            rest, state = other_side(side), self.scene.world.state
            standing = [obstacle.name for obstacle in state if obstacle.held != side]
            pairs = tuple((rest, name) for name in (rest, *STANDING, *standing))
            self._moving[side] = self.scene.replace(without=(*self.scene.without, *pairs))
        return self._moving[side]


def sides_of(side: str, q: Array, other: JointVector) -> tuple[Array, Array]:
    """Joint positions of the left and the right arm."""
    return (q, other) if side == "left" else (other, q)
