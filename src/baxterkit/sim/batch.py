"""`TwinBatch`: many twins side by side, with states and commands as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import native
from baxterkit.checks.arrays import finite_array
from baxterkit.checks.numbers import count
from baxterkit.errors import InputError
from baxterkit.model.limits import LIMIT_TOLERANCE
from baxterkit.robot.errors import not_enabled
from baxterkit.sim.loops import Mode
from baxterkit.sim.native_step import CHUNK, NativeStep
from baxterkit.sim.record import new_records
from baxterkit.sim.twin import Twin
from baxterkit.sim.variation import Variation, carry, vary
from baxterkit.types import Array

ROWS = 14
_NUMBER = {mode: n for n, mode in enumerate(Mode)}


@dataclass(frozen=True)
class BatchRun:
    """What a batch did.

    Attributes:
        t: Times from the start of the run [s], shape (rows,).
        q: Sensed positions [rad], shape (rows, n, 14).
        qd: Sensed velocities [rad/s], shape (rows, n, 14).
        tau: Sensed torques [N m], shape (rows, n, 14).
    """

    t: Array
    q: Array
    qd: Array
    tau: Array


class TwinBatch:
    """n twins of one robot, each with parameters and noise of its own, stepped on all cores.

    Each twin does to the bit what a single `Twin` with its parameters and seed does: `batch[i]` is
    that twin, with all of its methods. Joint arrays have 14 columns, the left arm first.

    Args:
        n: Number of twins.
        twin: The twin that all of them are made like, at its start; `Twin()` if None. It is not
            changed.
        variation: What differs from twin to twin.
        seed: Seed of the variation; the seeds of the twins' noise are seed, seed + 1, ...

    Attributes:
        parameters: What was drawn, by name: "payload", "friction", "lag", "noise", shape (n,) each.
    """

    def __init__(
        self,
        n: int,
        twin: Twin | None = None,
        *,
        variation: Variation | None = None,
        seed: int = 0,
    ) -> None:
        n, self.seed = count(n, "n", 1), count(seed, "seed")
        first = Twin() if twin is None else twin
        if first.t != 0.0:
            raise InputError(
                f"the twin is at t = {first.t:g} s; a batch is made of one at its start"
            )
        self.parameters = (Variation() if variation is None else variation).draw(n, self.seed)
        self._rows = new_records(n)
        self._twins = [first._copy(self._rows[i : i + 1], self.seed + i) for i in range(n)]
        for i, made in enumerate(self._twins):
            made._power.enabled = False
            vary(made, **self._varied(i))
        arm = first.left.arm.limits, first.right.arm.limits
        self._limits = {
            Mode.POSITION: np.array(
                [
                    np.concatenate([limits.lower for limits in arm]) - LIMIT_TOLERANCE,
                    np.concatenate([limits.upper for limits in arm]) + LIMIT_TOLERANCE,
                ]
            )
        }
        for mode, name in ((Mode.VELOCITY, "velocity"), (Mode.TORQUE, "effort")):
            most = np.concatenate([getattr(limits, name) for limits in arm])
            self._limits[mode] = np.array([-most, most])
        self._limits[Mode.RAW_POSITION] = self._limits[Mode.POSITION]
        self._names = [*first.left.arm.joint_names, *first.right.arm.joint_names]

    def __len__(self) -> int:
        return len(self._twins)

    def __getitem__(self, i: int) -> Twin:
        return self._twins[i]

    def __iter__(self) -> Iterator[Twin]:
        return iter(self._twins)

    @property
    def t(self) -> Array:
        """Time since each twin's start [s], shape (n,)."""
        return self._rows["ticks"] * 1e-3

    @property
    def q(self) -> Array:
        """Sensed positions of this millisecond [rad], shape (n, 14)."""
        return self._readings("reading", 0)

    @property
    def qd(self) -> Array:
        """Sensed velocities of this millisecond [rad/s], shape (n, 14)."""
        return self._readings("reading", 1)

    @property
    def tau(self) -> Array:
        """Sensed torques of this millisecond [N m], shape (n, 14)."""
        return self._readings("reading", 2)

    @property
    def published(self) -> tuple[Array, Array, Array]:
        """Positions, velocities and torques as last published, shape (n, 14) each."""
        q, qd, tau = (self._readings("published", k) for k in range(3))
        return q, qd, tau

    @property
    def truth(self) -> tuple[Array, Array, Array]:
        """True positions, velocities and torques, shape (n, 14) each; no sensor gives them."""
        q, qd, tau = (self._rows[name].copy() for name in ("q", "qd", "tau"))
        return q, qd, tau

    def enable(self) -> Self:
        """Enables all twins."""
        for twin in self._twins:
            twin.enable()
        return self

    def command_position(
        self, q: ArrayLike, raw: bool = False, *, arms: ArrayLike | None = None
    ) -> None:
        """Commands positions [rad], shape (n, 14) or (14,), within the limits; valid for 0.2 s.

        Args:
            q: The positions.
            raw: Whether to skip the filter and the speed ratio, as the robot's raw mode does.
            arms: Which arms take the command, left and right, a mask of shape (n, 2); all if None.

        Raises:
            InputError: If a value is not finite or outside its limits. No twin takes a command.
            RefusedError: If a twin is not enabled.
        """
        self._command(Mode.RAW_POSITION if raw else Mode.POSITION, q, "position", arms)

    def command_velocity(self, qd: ArrayLike, *, arms: ArrayLike | None = None) -> None:
        """Commands velocities [rad/s], shape (n, 14) or (14,). Arms and errors as above."""
        self._command(Mode.VELOCITY, qd, "velocity", arms)

    def command_torque(self, tau: ArrayLike, *, arms: ArrayLike | None = None) -> None:
        """Commands torques [N m], shape (n, 14) or (14,). Arms and errors as above."""
        self._command(Mode.TORQUE, tau, "torque", arms)

    def step(self, n: int = 1) -> None:
        """Lets `n` milliseconds pass for all twins.

        Raises:
            InputError: If `n` is not a whole number, or a state is no longer finite.
        """
        n = count(n, "n")
        one_by_one = [
            twin
            for twin in self._twins
            if not isinstance(twin._step, NativeStep)
            or twin._taps
            or any(fingers.are_moving for fingers in twin._fingers)
            or any(limb._grip.is_leaving for limb in twin.limbs)
        ]
        for twin in one_by_one:
            twin.step(n)
        self._step_natively(n, {id(twin) for twin in one_by_one})

    def run(self, n: int, every: int = 10) -> BatchRun:
        """Lets `n` milliseconds pass and keeps the sensed states, now and after each `every`.

        Args:
            n: Milliseconds.
            every: Milliseconds between rows, at least 1.
        """
        n, every = count(n, "n"), count(every, "every", 1)
        rows = n // every + 1
        kept = np.empty((3, rows, len(self), ROWS))
        for row in range(rows):
            if row:
                self.step(every)
            kept[:, row] = self.q, self.qd, self.tau
        self.step(n - (rows - 1) * every)
        t: Array = (1e-3 * every) * np.arange(rows, dtype=np.float64)
        return BatchRun(t, kept[0], kept[1], kept[2])

    def reset(self, which: ArrayLike | None = None, seed: int | None = None) -> None:
        """Puts twins back to their start; parameters stay.

        Args:
            which: Numbers of the twins, or a mask of shape (n,); all if None.
            seed: New seeds of their noise, seed, seed + 1, ...; the old ones if None.
        """
        for k, i in enumerate(self._chosen(which)):
            twin = self._twins[i]
            twin.reset(None if seed is None else seed + k)
            carry(twin, float(self.parameters["payload"][i]))

    def redraw(self, variation: Variation, which: ArrayLike | None = None, seed: int = 0) -> None:
        """Gives twins other parameters; they count from the twins' next `reset` on.

        Args:
            variation: What to draw from.
            which: As in `reset`.
            seed: Seed of the draw.
        """
        chosen = self._chosen(which)
        drawn = variation.draw(len(chosen), count(seed, "seed"))
        for name, values in drawn.items():
            self.parameters[name][chosen] = values
        for i in chosen:
            vary(self._twins[i], **self._varied(i))

    def _chosen(self, which: ArrayLike | None) -> list[int]:
        """Numbers of twins."""
        chosen = np.arange(len(self)) if which is None else np.atleast_1d(np.asarray(which))
        if chosen.dtype == np.bool_:
            if chosen.shape != (len(self),):
                raise InputError(f"which is a mask of {chosen.shape}; there are {len(self)} twins")
            chosen = np.flatnonzero(chosen)
        numbers: list[int] = chosen.ravel().tolist()
        for number in numbers:
            if not isinstance(number, int) or not -len(self) <= number < len(self):
                raise InputError(
                    f"which = {number!r}; twins have whole numbers from 0 to {len(self) - 1}"
                )
        return numbers

    def _varied(self, i: int) -> dict[str, float]:
        return {name: float(values[i]) for name, values in self.parameters.items()}

    def _readings(self, field: str, k: int) -> Array:
        return self._rows[field][:, :, k].reshape(len(self), ROWS)

    def _command(self, mode: Mode, values: ArrayLike, what: str, arms: ArrayLike | None) -> None:
        rows = self._rows
        if not rows["enabled"].all():
            raise not_enabled(any(twin.stopped for twin in self._twins))
        given = np.asarray(values, dtype=np.float64)
        if given.shape not in ((ROWS,), (len(self), ROWS)):
            raise InputError(
                f"{what} command has shape {given.shape}; it must be (14,) or ({len(self)}, 14)"
            )
        taken = np.ones((len(self), 2), bool) if arms is None else np.asarray(arms)
        if taken.dtype != np.bool_ or taken.shape != (len(self), 2):
            raise InputError(
                f"arms has shape {taken.shape} and dtype {taken.dtype}; it must be a mask of "
                f"True and False, shape ({len(self)}, 2)"
            )
        low, high = self._limits[mode]
        fits = (given >= low) & (given <= high)  # not for NaN
        if arms is not None:
            fits = fits | ~np.repeat(taken, 7, axis=1)
            given = np.broadcast_to(given, fits.shape)
        if not fits.all():
            finite_array(np.where(fits, 0.0, given), f"{what} command")
            *where, j = np.argwhere(~fits)[0].tolist()
            value = given[(*where, j)]
            raise InputError(
                f"{what} command refused: {self._names[j]}"
                f"{f' of twin {where[0]}' if where else ''} = {value:.3f} is outside its limits "
                f"{low[j]:.3f} to {high[j]:.3f}; no twin has taken it"
            )
        number = _NUMBER[mode]
        was_torque = rows["mode"] == _NUMBER[Mode.TORQUE]
        rows["fresh"] |= was_torque & (number != rows["mode"]) & taken
        rows["mode"][taken], rows["age"][taken], rows["free"][taken] = number, 0, 0
        np.copyto(rows["command"], given.reshape(-1, 2, 7), where=taken[:, :, None])

    def _step_natively(self, n: int, others: set[int]) -> None:
        """The compiled twins, on all threads; noise is drawn in between."""
        extension = native.load()
        active = [i for i, twin in enumerate(self._twins) if id(twin) not in others]
        if extension is None or not active:
            return
        ticks = self._rows["ticks"]
        goal = {i: int(ticks[i]) + n for i in active}
        while active:
            for i in active:
                twin = self._twins[i]
                twin._gate.prepare()
                twin._step.prepare()  # type: ignore[union-attr]
            cores = tuple(self._twins[i]._step.core for i in active)  # type: ignore[union-attr]
            targets = np.array([min(goal[i], int(ticks[i]) + CHUNK) for i in active])
            extension.step_twins(cores, targets)
            self._check()
            active = [i for i in active if ticks[i] < goal[i]]

    def _check(self) -> None:
        finite = np.isfinite(self._rows["q"]).all(axis=1)
        if not finite.all():
            i = int(np.argmin(finite))
            raise InputError(
                f"the simulation of twin {i} diverged at t = {self.t[i]:.3f} s; call reset([{i}])"
            )

    def __repr__(self) -> str:
        return f"<TwinBatch: {len(self)} twins, t = {self.t.min():.3f} to {self.t.max():.3f} s>"
