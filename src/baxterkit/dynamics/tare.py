"""The tare of an arm: what its torque sensors show today, and the model of another day does not.

The zero of Baxter's torque sensors differs from day to day by up to 2.5 N m at s0 and 0.3 N m at
the wrist, friction by some ten per cent, and the hand may carry a cable more. A `Tare` holds these,
with the date.
"""

from __future__ import annotations

import dataclasses
import datetime
from dataclasses import dataclass

import numpy as np

from baxterkit.checks.arrays import finite_array
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.model import ArmModel, Frozen
from baxterkit.types import Array, JointVector, frozen

_FIELDS = (("tau", 0.0, 7), ("standard_error", 0.0, 7), ("friction", 1.0, 7), ("moment", 0.0, 3))
"""Arrays of a tare, their defaults and sizes."""
HEAVIEST = 0.1
"""Greatest moment of mass at the hand that is a day's and not another payload's [kg m]."""
LIGHT = 0.05
"""A last link below this mass [kg] carries no load of the day: its centre would lie far off."""
LASTS = 1.0
"""A tare is of use for about this long [days]."""


@dataclass(frozen=True, eq=False)
class Tare(Frozen):
    """Zero of the torque sensors and size of friction on one day, beside the model.

    Attributes:
        tau: Sensed torque beyond the model's [N m], shape (7,).
        standard_error: Of `tau` [N m], shape (7,); zeros if None.
        friction: Friction of the day as a multiple of the model's, shape (7,); ones if None.
        moment: Moment of mass at the hand beyond the model's [kg m], axes of the last link, shape
            (3,); zeros if None.
        date: The day, as in "2026-11-16"; a time of day may follow. Empty if unknown.
        source: Name of the recording.
    """

    tau: JointVector
    standard_error: JointVector = None  # type: ignore[assignment]
    friction: JointVector = None  # type: ignore[assignment]
    moment: Array = None  # type: ignore[assignment]
    date: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        for name, default, size in _FIELDS:
            value = getattr(self, name)
            array = np.full(size, default) if value is None else finite_array(value, f"tare {name}")
            if array.shape != (size,):
                raise ShapeError(f"tare {name} must have shape ({size},), got {array.shape}")
            object.__setattr__(self, name, frozen(array))
        if (self.standard_error < 0.0).any():
            raise InputError("a standard error of the tare is negative")
        if not (self.friction > 0.0).all():
            joint = int(np.argmin(self.friction))
            raise InputError(
                f"tare friction[{joint}] = {self.friction[joint]:g} must be above zero; "
                "1 is the model's"
            )
        if np.abs(self.moment).max() > HEAVIEST:
            raise InputError(
                f"tare moment {np.abs(self.moment).max():g} kg m is above {HEAVIEST:g} kg m; "
                "a load of that size is a payload of the model"
            )
        if self.date:
            self.day  # noqa: B018  # raises for text that is not a date

    @property
    def day(self) -> datetime.date | None:
        """The day; None if it is not known.

        Raises:
            InputError: If `date` is not a date.
        """
        if not self.date:
            return None
        try:
            return datetime.datetime.fromisoformat(self.date).date()
        except ValueError as error:
            raise InputError(
                f"the tare's date {self.date!r} is not a date; write it as 2026-11-16"
            ) from error

    def applied(self, effects: JointEffects | None) -> JointEffects:
        """The effects of the day: the zero added to the bias, friction multiplied."""
        model = JointEffects() if effects is None else effects
        memory, factor = model.hysteresis, self.friction
        if memory is not None:
            names = ("torque", "coulomb", "viscous", "slope")
            memory = dataclasses.replace(memory, **{n: getattr(memory, n) * factor for n in names})
        return model.replace(
            bias=model.bias + self.tau,
            coulomb=model.coulomb * factor,
            viscous=model.viscous * factor,
            hysteresis=memory,
        )

    def carried(self, model: ArmModel) -> ArmModel:
        """The model with the load of the day: the centre of mass of its last link moved."""
        last = model.inertials[-1]
        if not self.moment.any() or last.mass < LIGHT:
            return model
        moved = dataclasses.replace(last, com=last.com + self.moment / last.mass)
        return dataclasses.replace(model, inertials=(*model.inertials[:-1], moved))

    def stale(self, today: datetime.date) -> str | None:
        """Why it should be measured again; None if it is of today or of yesterday."""
        if self.day is None:
            return "the zero of the torque sensors has no date"
        days = (today - self.day).days
        if 0 <= days <= LASTS:
            return None
        age = f"{days} days old" if days > 0 else f"of {-days} days ahead"
        return f"the zero of the torque sensors is of {self.date}, {age}"
