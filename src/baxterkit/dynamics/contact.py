"""Contact from external torques: thresholds that adapt to each joint's own noise and offset.

Every model has errors, of a different size at each joint. So each joint's estimate has a slowly
adapting mean and spread, learned while there is no contact. A contact begins when a joint has been
farther from its mean than `on` spreads for a minimal time, and ends when all joints have been
within `off` spreads for as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array, joint_array, joint_row
from baxterkit.errors import InputError, ShapeError, shortened
from baxterkit.model.names import JOINTS
from baxterkit.types import Array, JointVector, frozen

FLOOR = frozen([1.0, 1.0, 1.0, 1.0, 0.25, 0.25, 0.25])
"""Least thresholds [N m]: about 2 % of the effort limits of shoulder and elbow."""
LONGEST_STEP = 0.1
"""Longer steps count as this [s]: after a gap, one row must neither decide nor dominate the
mean."""
_SPREAD = 1.2533
"""Standard deviation over mean absolute deviation of a normal distribution."""


@dataclass(frozen=True, eq=False)
class Contact:
    """A contact.

    Attributes:
        start: Start time [s].
        end: End time [s], or the last time that was checked.
        joints: Names of the joints that were beyond their thresholds.
        peak: Torques farthest from the mean, with their sign [N m], shape (7,).
    """

    start: float
    end: float
    joints: tuple[str, ...]
    peak: JointVector

    def __repr__(self) -> str:
        worst = int(np.argmax(np.abs(self.peak)))
        return (
            f"Contact({self.start:.2f} to {self.end:.2f} s, {' '.join(self.joints)}, "
            f"peak {self.peak[worst]:.2f} N m at {JOINTS[worst]})"
        )


class DetectorSettings(TypedDict, total=False):
    """The arguments of `ContactDetector`."""

    on: float
    off: float
    floor: ArrayLike
    duration: float
    memory: float
    settle: float


class ContactDetector:
    """Detects contacts, one row at a time.

    Args:
        on: Spreads (standard deviations) beyond which a contact begins.
        off: Spreads within which it ends; less than `on`.
        floor: Least thresholds [N m], shape (7,): smaller torques never count. The contact ends
            below `off / on` of it.
        duration: Time for which a joint must be beyond its threshold, or all within it [s]; at
            least two rows.
        memory: Time constant of means and spreads [s].
        settle: Time of learning at the start, in which no contact is reported [s].
    """

    def __init__(
        self,
        *,
        on: float = 6.0,
        off: float = 3.0,
        floor: ArrayLike = FLOOR,
        duration: float = 0.05,
        memory: float = 2.0,
        settle: float = 1.0,
    ) -> None:
        if not 0.0 < off < on:
            raise InputError(f"off must be positive and less than on, got {off:g} and {on:g}")
        if not (duration >= 0.0 and settle >= 0.0 and memory > 0.0):
            raise InputError(
                "duration and settle must not be negative, and memory must be positive, got "
                f"{duration:g}, {settle:g} and {memory:g} s"
            )
        self.on, self.off = on, off
        least = finite_array(floor, "floor")
        if least.shape not in ((), (7,)) or (least < 0.0).any():
            raise InputError(
                "floor must be one number or have shape (7,), and not be negative, got "
                f"{shortened(str(least.tolist()))}"
            )
        self.floor = np.broadcast_to(least, (7,))
        self.duration, self.memory, self.settle = duration, memory, settle
        self.reset()

    def reset(self) -> None:
        """Forgets everything that was learned."""
        self._mean = np.zeros(7)
        self._deviation = np.zeros(7)
        self._time = 0.0
        self._pending = 0.0
        self.in_contact = False
        self.beyond = np.zeros(7, dtype=bool)

    @property
    def mean(self) -> JointVector:
        """Mean of each joint's estimate without contact [N m], shape (7,)."""
        return self._mean.copy()

    @property
    def threshold(self) -> JointVector:
        """Distance from the mean at which a contact begins [N m], shape (7,)."""
        return np.maximum(self.floor, self.on * _SPREAD * self._deviation)

    def update(self, torque: ArrayLike, dt: float) -> bool:
        """Takes the next estimate.

        Args:
            torque: External torques [N m], shape (7,).
            dt: Time since the last update [s].

        Returns:
            Whether there is a contact now.
        """
        torque = joint_row(torque, "torque")
        if not (np.isfinite(dt) and dt > 0.0):
            raise InputError(f"dt must be positive, got {dt:g} s")
        dt = min(dt, LONGEST_STEP)
        if self._time == 0.0:
            self._mean = torque.copy()
        self._time += dt
        away = np.abs(torque - self._mean)
        if self._time <= self.settle:
            self._learn(torque, away, dt, min(self.memory, self._time))
            return False
        part = self.off / self.on if self.in_contact else 1.0
        self.beyond = away > part * self.threshold
        changing = bool(self.beyond.any()) != self.in_contact
        self._pending = self._pending + min(dt, 0.5 * self.duration) if changing else 0.0
        if changing and self._pending >= self.duration - 1e-12:
            self.in_contact = not self.in_contact
            self._pending = 0.0
        if not (self.in_contact or changing):
            self._learn(torque, away, dt, self.memory)
        return self.in_contact

    def _learn(self, torque: JointVector, away: JointVector, dt: float, memory: float) -> None:
        gain = 1.0 - np.exp(-dt / memory)
        self._mean += gain * (torque - self._mean)
        self._deviation += gain * (away - self._deviation)


def detect_contacts(
    t: ArrayLike, torque: ArrayLike, **settings: Unpack[DetectorSettings]
) -> list[Contact]:
    """The contacts of a whole recording.

    Args:
        t: Times [s], increasing, shape (n,).
        torque: External torques [N m], shape (n, 7).
        settings: Arguments of `ContactDetector`.

    Returns:
        The contacts, in order. Each starts where the torque left its threshold.
    """
    times, tau = finite_array(t, "t"), joint_array(torque, "torque")
    if times.ndim != 1 or tau.shape != (len(times), 7):
        raise ShapeError(
            f"t must have shape (n,) and torque (n, 7), got {times.shape} and {tau.shape}"
        )
    detector = ContactDetector(**settings)
    contacts: list[Contact] = []
    steps = np.diff(times, prepend=times[:1] - 1.0)
    steps[:1] = steps[1] if len(steps) > 1 else 1.0
    first = suspected = -1
    for k, dt in enumerate(steps.tolist()):
        was = detector.in_contact
        now = detector.update(tau[k], dt)
        if not was and detector.beyond.any():
            suspected = k if suspected < 0 else suspected
        elif not now:
            suspected = -1
        if now and not was:
            first = suspected
        elif was and not now:
            contacts.append(_contact(times, tau, first, k, detector))
            suspected = -1
    if detector.in_contact:
        contacts.append(_contact(times, tau, first, len(times) - 1, detector))
    return contacts


def _contact(t: Array, tau: JointVector, a: int, b: int, detector: ContactDetector) -> Contact:
    away = tau[a : b + 1] - detector.mean
    peak = away[np.argmax(np.abs(away), axis=0), np.arange(7)]
    joints = tuple(np.array(JOINTS)[np.abs(peak) > detector.threshold].tolist())
    return Contact(float(t[a]), float(t[b]), joints, peak)
