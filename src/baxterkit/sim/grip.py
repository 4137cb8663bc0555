"""Picking up: a payload becomes part of the last link, an object of the world is welded to it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.model.inertial import Payload
from baxterkit.sim.build import FREE_OF, HANDS, Mujoco, principal
from baxterkit.sim.obstacles import distance
from baxterkit.spatial.formulas import matrix_to_quaternion
from baxterkit.types import Vector3

REACH = 0.1
"""Greatest distance of a tip from the surface of an object that its hand can pick up [m]; chosen
here, as long as a finger."""
PRESSED = 0.002
"""Overlap with something that does not yield at which fingers stop [m]."""
FAR = 0.01
"""Greatest distance that is measured [m]."""


class Grip:
    """The grip of one hand.

    Args:
        mujoco: The module.
        model: The compiled model.
        data: Its state.
        arm: The arm with its tool; a payload of its own stays in the hand.
        world: Its surroundings, with objects to pick up.
    """

    def __init__(self, mujoco: Mujoco, model: Mujoco, data: Mujoco, arm: Arm, world: World) -> None:
        self._mujoco, self._model, self._data = mujoco, model, data
        self._arm, self._world = arm, world
        self._hand = model.body(f"{arm.side}_w2_link").id
        self._hand_geoms = np.flatnonzero(model.geom_contype == HANDS[arm.side])
        self._leaving: set[str] = set()
        self.payload: Payload | None = arm.model.payload
        self.item: str | None = None

    def pick_up(self, what: Payload | str, p_tip: Vector3 | None = None) -> None:
        """Takes a payload or an object of the world.

        Args:
            what: The payload, or the object's name.
            p_tip: Position of the tip in base [m], shape (3,), which must be at the object; None if
                the fingers have closed on it.
        """
        if isinstance(what, Payload):
            self.payload = what
            self._weigh()
            return
        given: object = what
        if not isinstance(given, str):
            mass = f"; a mass [kg] is Payload({given})" if isinstance(given, float | int) else ""
            kind = type(given).__name__
            raise InputError(f"what must be a Payload or the name of an object, got {kind}{mass}")
        obstacle = self._world[what]
        if not obstacle.mass:
            raise InputError(f"{what} is fixed; only objects with a mass can be picked up")
        if self.item is not None:
            raise InputError(f"the {self._arm.side} hand holds {self.item}; release it first")
        mujoco, data = self._mujoco, self._data
        mujoco.mj_kinematics(self._model, data)
        hand, body = data.body(self._hand), data.body(what)
        if p_tip is not None:
            away = distance(obstacle, body.xmat.reshape(3, 3).T @ (p_tip - body.xpos))
            if away > REACH:
                raise InputError(
                    f"{what} is {away:.3f} m from the {self._arm.side} tip, and a hand takes what "
                    f"is within {REACH:g} m of its tip; move it there first"
                )
        # MuJoCo keeps a weld's pose of the second body in the first one's frame.
        R_hand, R = hand.xmat.reshape(3, 3), body.xmat.reshape(3, 3)
        weld = self._model.equality(f"{self._arm.side} holds {what}")
        weld.data[:3] = 0.0  # anchor: the object's own origin
        weld.data[3:6] = R_hand.T @ (body.xpos - hand.xpos)
        weld.data[6:10] = np.roll(matrix_to_quaternion(R_hand.T @ R), 1)
        weld.data[10] = 1.0
        data.eq_active[weld.id] = 1
        self.item = what
        self._leaving.discard(what)
        self._set_free(what, False)

    def can_take(self, name: str) -> bool:
        """Whether that is an object of the world that can be picked up."""
        return name in self._world and self._world[name].mass > 0.0

    def nearest(self, p_tip: Vector3) -> tuple[str, float] | None:
        """The object that can be picked up whose surface is nearest to a point in base [m].

        Returns:
            Its name, and how far it is [m]; None if there is none.
        """
        found = []
        for obstacle in self._world.state:
            if obstacle.mass:
                body = self._data.body(obstacle.name)
                local = body.xmat.reshape(3, 3).T @ (p_tip - body.xpos)
                found.append((distance(obstacle, local), obstacle.name))
        if not found:
            return None
        away, name = min(found)
        return name, float(away)

    def carry(self) -> None:
        """Puts the object that the hand holds where the hand is now, after the arm was placed."""
        if self.item is None:
            return
        self._mujoco.mj_kinematics(self._model, self._data)
        hand = self._data.body(self._hand)
        weld = self._model.equality(f"{self._arm.side} holds {self.item}")
        joint = self._model.body(self.item).jntadr[0]
        first, moving = self._model.jnt_qposadr[joint], self._model.jnt_dofadr[joint]
        pose = self._data.qpos[first : first + 7]
        pose[:3] = hand.xpos + hand.xmat.reshape(3, 3) @ weld.data[3:6]
        self._mujoco.mju_mulQuat(pose[3:], hand.xquat, weld.data[6:10])
        self._data.qvel[moving : moving + 6] = 0.0

    def release_item(self) -> None:
        """Releases the object of the world that the hand holds, if any; a payload stays."""
        if self.item is not None:
            weld = self._model.equality(f"{self._arm.side} holds {self.item}")
            self._data.eq_active[weld.id] = 0
            self._leaving.add(self.item)
            self.item = None
            self.let_leave()

    @property
    def is_leaving(self) -> bool:
        """Whether an object that was released is still inside the hand, and does not touch it."""
        return bool(self._leaving)

    def let_leave(self) -> None:
        """Lets released objects touch the hand again once they are out of it.

        Contact with an object deep inside would throw it away.
        """
        self._mujoco.mj_kinematics(self._model, self._data)
        for name in [*self._leaving]:
            if all(gap > -PRESSED for _, gap in self.gaps(name)):
                self._leaving.discard(name)
                self._set_free(name, True)

    def gaps(self, name: str) -> Iterator[tuple[int, float]]:
        """The bodies of the hand by their shapes, and the distance of an object from each [m].

        Negative where they overlap, and 1 cm where the distance is that or more.
        """
        measure, model, data = self._mujoco.mj_geomDistance, self._model, self._data
        for geom in self._hand_geoms:
            for other in self._geoms(name):
                gap = measure(model, data, int(geom), int(other), FAR, None)
                yield int(model.geom_bodyid[geom]), float(gap)

    def release(self) -> None:
        """Releases what the hand holds."""
        self.release_item()
        if self.payload is not None:
            self.payload = None
            self._weigh()

    def reset(self) -> None:
        """Restores the initial payload; welds are off."""
        self.item = None  # the welds are off after MuJoCo's own reset
        self._leaving.clear()
        for obstacle in self._world.state:
            if obstacle.mass:
                self._set_free(obstacle.name, True)
        if self.payload is not self._arm.model.payload:
            self.payload = self._arm.model.payload
            self._weigh()

    def _geoms(self, name: str) -> NDArray[np.intp]:
        return np.flatnonzero(self._model.geom_bodyid == self._model.body(name).id)

    def _set_free(self, name: str, free: bool) -> None:
        """Whether an object and this hand touch. What a hand holds does not: as in a `Scene`."""
        geoms, model, side = self._geoms(name), self._model, self._arm.side
        for bits, bit in (
            (model.geom_contype, FREE_OF[side]),
            (model.geom_conaffinity, HANDS[side]),
        ):
            bits[geoms] = bits[geoms] | bit if free else bits[geoms] & ~bit

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
