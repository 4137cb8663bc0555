"""Objects that move: where they are in each twin of a batch, and how heavy and slippery."""

from __future__ import annotations

import numpy as np

from baxterkit.sim.batch import TwinBatch
from baxterkit.sim.opengl import load_mujoco
from baxterkit.spatial.formulas import matrix_to_quaternion, quaternion_to_matrix
from baxterkit.types import Array


class MovingObjects:
    """Objects with a mass, in all twins of a batch.

    Args:
        batch: The twins, all of one world.
        names: The objects.
    """

    def __init__(self, batch: TwinBatch, names: tuple[str, ...]) -> None:
        self._batch, self._mujoco = batch, load_mujoco()
        model = batch[0].model
        self._bodies = {name: int(model.body(name).id) for name in names}
        self._first = {
            name: int(model.jnt_qposadr[model.body_jntadr[body]])
            for name, body in self._bodies.items()
        }
        self._geoms = {
            name: np.flatnonzero(model.geom_bodyid == body) for name, body in self._bodies.items()
        }
        self._mass = {name: float(model.body_mass[body]) for name, body in self._bodies.items()}
        self._inertia = {
            name: model.body_inertia[body].copy() for name, body in self._bodies.items()
        }
        self._friction = {
            name: model.geom_friction[geoms, 0] for name, geoms in self._geoms.items()
        }
        for twin in batch:
            for geoms in self._geoms.values():
                twin.model.geom_priority[geoms] = 1  # their friction counts, not the table's

    def place(self, i: int, poses: dict[str, Array], factors: tuple[float, float]) -> None:
        """Puts objects of one twin at poses (4, 4), at rest, as it is being reset.

        Args:
            i: The twin.
            poses: T_base_object by name.
            factors: Multiples of their masses and of their friction.
        """
        twin, (mass, sliding) = self._batch[i], factors
        for name, T in poses.items():
            first, body = self._first[name], self._bodies[name]
            twin.data.qpos[first : first + 3] = T[:3, 3]
            twin.data.qpos[first + 3 : first + 7] = np.roll(matrix_to_quaternion(T[:3, :3]), 1)
            twin.model.geom_friction[self._geoms[name], 0] = sliding * self._friction[name]
            if twin.model.body_mass[body] != mass * self._mass[name]:
                twin.model.body_mass[body] = mass * self._mass[name]
                twin.model.body_inertia[body] = mass * self._inertia[name]
                # Constants that MuJoCo derives from masses; on a state of its own.
                self._mujoco.mj_setConst(twin.model, self._mujoco.MjData(twin.model))

    def poses(self) -> dict[str, Array]:
        """T_base_object by name, shape (n, 4, 4)."""
        found = {}
        for name, first in self._first.items():
            rows = np.array([twin.data.qpos[first : first + 7] for twin in self._batch])
            T = np.tile(np.eye(4), (len(rows), 1, 1))
            T[:, :3, 3] = rows[:, :3]
            T[:, :3, :3] = quaternion_to_matrix(np.roll(rows[:, 3:], -1, axis=1))
            found[name] = T
        return found
