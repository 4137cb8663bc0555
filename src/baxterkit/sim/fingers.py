"""The fingers of an electric gripper: they close until both touch, and hold what is between them.

A finger is a body without a joint of its own, which is moved from step to step: so the arm's
equations of motion stay those of its model, in which the gripper is one mass.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array
from baxterkit.errors import InputError
from baxterkit.sim.build import Mujoco, finger_names
from baxterkit.sim.grip import PRESSED, Grip
from baxterkit.types import Array

TRAVEL_TIME = 0.4
"""Time from open to closed [s]; chosen here."""


class Fingers:
    """Both fingers of one hand.

    Args:
        model: The compiled model.
        data: Its state.
        grip: The grip of the hand, which takes what the fingers close on.
        side: "left" or "right".
        dt: Time step [s].
    """

    def __init__(self, model: Mujoco, data: Mujoco, grip: Grip, side: str, dt: float) -> None:
        self._model, self._data, self._grip = model, data, grip
        self._ids = [model.body(name).id for name in finger_names(side)]
        self._slides: Array = np.array([model.body(i).pos for i in self._ids])  # made open
        self._stride = dt / TRAVEL_TIME
        self.opening = self.goal = 1.0

    @property
    def are_moving(self) -> bool:
        """Whether they have not yet arrived."""
        return self.opening != self.goal

    def command(self, opening: ArrayLike) -> None:
        """Sets where they go: 0 (closed) to 1 (open). Opening releases what they hold."""
        value = finite_array(opening, "opening")
        if value.shape != () or not 0.0 <= value <= 1.0:
            raise InputError(f"opening = {opening!r}; it must be from 0 (closed) to 1 (open)")
        self.goal = float(value)
        if (self.goal > self.opening or self.goal == 1.0) and self._grip.item is not None:
            self._grip.release_item()

    def step(self) -> None:
        """Moves them by one step; when they have closed on an object, the hand holds it."""
        if self.goal < self.opening and self._is_stopped():
            self.goal = self.opening
            return
        step = min(max(self.goal - self.opening, -self._stride), self._stride)
        self._place(self.opening + step)

    def reset(self) -> None:
        """Open, at once."""
        self.goal = 1.0
        self._place(1.0)

    def _place(self, opening: float) -> None:
        self.opening = opening
        self._model.body_pos[self._ids] = opening * self._slides

    def _is_stopped(self) -> bool:
        """Whether closing ends here: both fingers touch, or one presses on what does not yield."""
        touched: tuple[set[int], set[int]] = (set(), set())
        for finger, other, gap in self._touches():
            if gap < -PRESSED:
                return True
            touched[finger].add(other)
        if not (touched[0] and touched[1]):
            return False
        if self.opening == 1.0:  # open already: they are on it, not around it
            return True
        for body in sorted(touched[0] & touched[1]):
            name = self._model.body(body).name
            if self._grip.item is None and self._grip.can_take(name):
                self._grip.pick_up(name)
        return True

    def _touches(self) -> Iterator[tuple[int, int, float]]:
        """Finger, body that it touches, distance [m]; what the hand holds makes no contact."""
        body_of = self._model.geom_bodyid
        for contact in self._data.contact:
            bodies = int(body_of[contact.geom1]), int(body_of[contact.geom2])
            for mine, other in (bodies, bodies[::-1]):
                if mine in self._ids and contact.dist < contact.includemargin:
                    yield self._ids.index(mine), other, float(contact.dist)
        held = self._grip.item
        if held is not None:
            other = self._model.body(held).id
            for mine, gap in self._grip.gaps(held):
                if mine in self._ids and gap < 0.0:
                    yield self._ids.index(mine), other, gap
