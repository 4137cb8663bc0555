"""What differs from day to day, fitted to a few seconds: `identify.offsets` is made of it.

Each joint has a zero, a state of friction before the start and a change of friction (`JointFit`).
Changes of friction share one factor (`friction_changes`), and all joints share the load of the day
(`load_of_the_day`): the moment of mass at the hand. All but the zeros have priors, so that a motion
which does not tell them apart leaves them as the model has them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.types import Array, JointVector

NOISE = np.array([0.17, 0.2, 0.11, 0.08, 0.025, 0.013, 0.013])
"""Standard deviation of what a good model leaves unexplained [N m], on recordings of a real arm."""
FRICTION = 0.2
"""Standard deviation of friction from day to day, as a share of the model's: of all joints ..."""
OWN = 0.06
"""... and of each beside that."""
WARMED = np.array([True, False, True, True, True, True, True])
"""Joints whose friction changes with the day; that of s1 is mostly its springs'."""
BEFORE = 0.6
"""Standard deviation of friction's state at the start: anything from -1 to 1 is as likely."""
LOAD = 0.006
"""Standard deviation of the moment of mass at the hand from day to day [kg m], each axis: cables,
fingers, and what a model of other configurations has wrong about the hand."""
CORRELATION = 1.0
"""Model errors within this time [s] count as one where friction is weighed against its prior."""
REJECTED = 4.0
"""Residuals of this many standard deviations have no weight."""
SHORT = 0.15
"""Shortest correlation time of model errors [s]."""
LEAST = 0.7
"""Model errors are at least this share of `NOISE`, and last twice as long: seconds of one motion
show less of them than there are."""
PAIR = slice(0, 2)
"""Columns of the zero and of the state before the start."""


class JointFit:
    """Zero, state before the start and change of friction of one joint, robustly.

    The change of friction has a data-only estimate, `change`, of information `sureness`. Given its
    value, `about_load` tells what the joint knows of the load, and `zero` is that of the sensor.
    `spread` is the size of the residuals [N m], `worst` the row of the greatest.

    Args:
        t: Time [s], shape (n,).
        columns: Torque of a zero of 1, of friction's state before the start, and of friction as
            the model has it [N m], shape (n, 3).
        load: Torque of 1 kg m at the hand along each axis, shape (n, 3).
        rest: What the sensor shows beyond the model [N m], shape (n,).
        noise: Standard deviation of the model's errors [N m].
    """

    def __init__(self, t: Array, columns: Array, load: Array, rest: Array, noise: float) -> None:
        step = float(np.median(np.diff(t)))
        count = step / (CORRELATION * noise**2)
        prior = np.diag([0.0, BEFORE**-2.0, 0.0])
        shrinking = prior + np.diag([0.0, 0.0, FRICTION**-2.0])
        middle = float(np.median(rest))
        spread = max(1.4826 * float(np.median(np.abs(rest - middle))), noise)
        weights = _weights((rest - middle) / spread)
        for _ in range(5):
            used = weights
            data, right = (
                count * (columns.T * weights) @ columns,
                count * columns.T @ (weights * rest),
            )
            left = rest - columns @ np.linalg.solve(data + shrinking, right)
            spread = max(1.4826 * float(np.median(np.abs(left))), 0.3 * noise)
            weights = _weights(left / spread)
        self.worst = int(np.argmax(np.abs(left)))
        self.spread = float(np.sqrt(np.mean(left[weights > 0.0] ** 2)))
        self._information, self._right = data + prior, right
        weighted = count * load.T * used
        self._load_square, self._load_columns = weighted @ load, weighted @ columns
        self._load_right = weighted @ rest
        cross = np.linalg.solve(self._information[PAIR, PAIR], self._information[PAIR, 2])
        self.sureness = float(self._information[2, 2] - cross @ self._information[PAIR, 2])
        told = float(right[2] - cross @ right[PAIR])
        self.change = told / self.sureness if self.sureness > 1e-9 else 0.0
        # The covariance for noise of `noise` with CORRELATION, scaled to what the residuals show.
        shown = self.spread**2 * 2.0 * _correlation_time(left, step)
        floor = (LEAST * noise) ** 2 * 4.0 * SHORT
        scale = max(shown, floor) / (CORRELATION * noise**2)
        covariance = np.linalg.inv(data + shrinking)
        self.standard_error = float(np.sqrt(scale * covariance[0, 0]))

    def about_load(self, change: float) -> tuple[Array, Array]:
        """Information about the load, shape (3, 3), and the right-hand side that goes with it.

        Args:
            change: Of friction, as a share of the model's.
        """
        cross = self._load_columns[:, PAIR]
        given = np.linalg.solve(self._information[PAIR, PAIR], cross.T)
        right = self._load_right - change * self._load_columns[:, 2]
        return self._load_square - cross @ given, right - self._right_of(change) @ given

    def zero(self, change: float, load: Array) -> float:
        """The zero [N m] if friction changed by this share, with this load [kg m]."""
        right = self._right_of(change) - load @ self._load_columns[:, PAIR]
        return float(np.linalg.solve(self._information[PAIR, PAIR], right)[0])

    @property
    def per_load(self) -> Array:
        """By how much the zero falls for a load of 1 kg m along each axis, shape (3,)."""
        cross = self._load_columns[:, PAIR]
        fall: Array = np.linalg.solve(self._information[PAIR, PAIR], cross.T)[0]
        return fall

    def _right_of(self, change: float) -> Array:
        right: Array = self._right[PAIR] - change * self._information[PAIR, 2]
        return right


def load_of_the_day(fits: Sequence[JointFit], changes: JointVector) -> tuple[Array, Array]:
    """Moment of mass at the hand beyond the model's [kg m], shape (3,), and its covariance."""
    information, right = np.eye(3) * LOAD**-2.0, np.zeros(3)
    for fit, change in zip(fits, changes, strict=True):
        told, pull = fit.about_load(float(change))
        information, right = information + told, right + pull
    return np.linalg.solve(information, right), np.linalg.inv(information)


def friction_changes(fits: Sequence[JointFit], still: Array) -> JointVector:
    """Changes of friction as shares of the model's: one of all joints, and a smaller one of each.

    Friction falls as the arm gets warm, all of it; the springs' friction at s1 does not.
    """
    change = np.array([fit.change for fit in fits])
    sure = np.array([fit.sureness for fit in fits])
    sure = np.where(still | ~WARMED, 0.0, sure)
    weight = sure / (1.0 + sure * OWN**2)  # 1 / (OWN² + 1 / sure)
    common = float(weight @ change / (weight.sum() + FRICTION**-2.0))
    changes: JointVector = (sure * change + common * OWN**-2.0) / (sure + OWN**-2.0)
    return np.where(still | ~WARMED, 0.0, changes)


def _weights(scaled: Array) -> Array:
    """Tukey's weights of residuals in standard deviations."""
    weights: Array = np.maximum(0.0, 1.0 - (scaled / REJECTED) ** 2) ** 2
    return weights


def _correlation_time(left: Array, step: float) -> float:
    """Integral of the autocorrelation up to its first zero [s], at least `SHORT`."""
    x = left - left.mean()
    size = 2 ** int(np.ceil(np.log2(2 * len(x))))
    power = np.abs(np.fft.rfft(x, size)) ** 2
    correlation = np.fft.irfft(power, size)[: len(x) // 2 + 1]
    if correlation[0] <= 0.0:
        return SHORT
    correlation = correlation / correlation[0]
    below = np.flatnonzero(correlation <= 0.0)
    stop = int(below[0]) if below.size else len(correlation)
    return max(float(correlation[:stop].sum() - 0.5) * step, SHORT)
