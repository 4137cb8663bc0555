"""Picking up: a payload becomes part of the last link, a thing of the scene is welded to it."""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.errors import InputError
from baxterkit.model.inertial import Payload
from baxterkit.sim.build import Mujoco, principal
from baxterkit.sim.scene import Item, Scene
from baxterkit.spatial import matrix_to_quaternion
from baxterkit.types import Vector3

REACH = 0.1
"""Greatest distance of a tip from the surface of an item that its hand can pick up [m]; chosen
here, as long as a finger."""


class Grip:
    """The grip of one hand.

    Args:
        mujoco: The module.
        model: The compiled model.
        data: Its state.
        arm: The arm with its tool; a payload of its own stays in the hand.
        scene: The scene, with items to pick up.
    """

    def __init__(self, mujoco: Mujoco, model: Mujoco, data: Mujoco, arm: Arm, scene: Scene) -> None:
        self._mujoco, self._model, self._data = mujoco, model, data
        self._arm, self._scene = arm, scene
        self._hand = model.body(f"{arm.side}_w2_link").id
        self.payload: Payload | None = arm.model.payload
        self.item: str | None = None

    def pick_up(self, what: Payload | str, p_tip: Vector3 | None = None) -> None:
        """Takes a payload or an item of the scene.

        Args:
            what: The payload, or the item's name.
            p_tip: Position of the tip in base [m], shape (3,), which must be at the item; None if
                the fingers have closed on it.
        """
        if isinstance(what, Payload):
            self.payload = what
            self._weigh()
            return
        item = self._scene.item(what)
        if item.is_fixed:
            raise InputError(f"{what} is fixed; only things with a mass can be picked up")
        if self.item is not None:
            raise InputError(f"the {self._arm.side} hand holds {self.item}; release it first")
        mujoco, data = self._mujoco, self._data
        mujoco.mj_kinematics(self._model, data)
        hand, body = data.body(self._hand), data.body(what)
        if p_tip is not None:
            away = _distance(item, body.xmat.reshape(3, 3).T @ (p_tip - body.xpos))
            if away > REACH:
                raise InputError(
                    f"{what} is {away:.3f} m from the {self._arm.side} tip, and a hand takes what "
                    f"is within {REACH:g} m of its tip; move it there first"
                )
        # MuJoCo keeps a weld's pose of the second body in the first one's frame.
        R_hand, R = hand.xmat.reshape(3, 3), body.xmat.reshape(3, 3)
        weld = self._model.equality(f"{self._arm.side} holds {what}")
        weld.data[:3] = 0.0  # anchor: the thing's own origin
        weld.data[3:6] = R_hand.T @ (body.xpos - hand.xpos)
        weld.data[6:10] = np.roll(matrix_to_quaternion(R_hand.T @ R), 1)
        weld.data[10] = 1.0
        data.eq_active[weld.id] = 1
        self.item = what

    def can_take(self, name: str) -> bool:
        """Whether that is a thing of the scene that can be picked up."""
        return any(item.name == name and not item.is_fixed for item in self._scene.items)

    def release_item(self) -> None:
        """Releases the thing of the scene that the hand holds, if any; a payload stays."""
        if self.item is not None:
            weld = self._model.equality(f"{self._arm.side} holds {self.item}")
            self._data.eq_active[weld.id] = 0
            self.item = None

    def release(self) -> None:
        """Releases what the hand holds."""
        self.release_item()
        if self.payload is not None:
            self.payload = None
            self._weigh()

    def reset(self) -> None:
        """Restores the initial grip."""
        self.item = None  # the welds are off after MuJoCo's own reset
        if self.payload is not self._arm.model.payload:
            self.payload = self._arm.model.payload
            self._weigh()

    def _weigh(self) -> None:
        inertial = self._arm.replace(payload=self.payload).model.link_inertials()[-1]
        moments, R = principal(inertial)
        body = self._model.body(self._hand)
        body.mass[:] = inertial.mass
        body.ipos[:] = inertial.com
        body.inertia[:] = moments
        body.iquat[:] = np.roll(matrix_to_quaternion(R), 1)
        # Constants that MuJoCo derives from masses; on a state of its own, so that ours stays.
        self._mujoco.mj_setConst(self._model, self._mujoco.MjData(self._model))


def _distance(item: Item, p: Vector3) -> float:
    """Distance of a point, in the item's own axes, from the item [m]; 0 inside it."""
    if item.shape == "sphere":
        return max(float(np.linalg.norm(p)) - 0.5 * float(item.size[0]), 0.0)
    if item.shape == "box":
        beyond = np.abs(p) - 0.5 * item.size
    else:
        diameter, height = item.size
        beyond = np.array([np.hypot(p[0], p[1]) - 0.5 * diameter, abs(p[2]) - 0.5 * height])
    return float(np.linalg.norm(np.maximum(beyond, 0.0)))
