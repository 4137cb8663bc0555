"""What a stream of raw positions does to an arm: a copy of it that obeys the same commands.

Measured velocities are `prediction.LATE` behind, and a stream in uneven steps shakes an arm at 30
Hz and more: what was measured says little about the next few milliseconds. But a raw stream begins
at rest, so the arm's motion follows from the commands. The copy holds, about the present
configuration: the low-pass of the commands, the position loop, the motors behind their flexures,
and the links with the inertia that couples them.

What matters most is that motors have limits. Uneven steps wind the flexures up and down; a motor
that is too slow for that gives its torque late, and a joint that is light next to it (e0 of a
folded arm) is thrown beyond the speed of its own reference. The copy shows this. Where torques are
beyond the effort limits, joints fall behind for longer, and the copy is right no more: such a
stream is refused whatever the speeds.

Gravity and springs count as a load that stays; friction, which the robot compensates, is left out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from baxterkit.model.limits import Limits
from baxterkit.ros.prediction import exponential
from baxterkit.ros.refusals import within
from baxterkit.sim.joints import motor
from baxterkit.sim.loops import EXTRA_INERTIA, INTEGRAL, KD, KI, KP
from baxterkit.sim.nominal import COMMAND_FILTER, NO_LOAD, STIFFNESS
from baxterkit.types import Array, JointVector

STEP = 0.001
"""Step of the copy [s], that of the joints' loops."""
HORIZON = 50
"""Steps for which the copy is looked at: four time constants of the commands' low-pass and one of
the position loop; a step of the command has had its greatest effect by then."""
SETTLED = 400
"""Steps after which the copy rests at its command: eight time constants of the position loop."""
TOP = 0.88
"""Share of the velocity limits that the copy may reach: under commands at uneven times the twin was
up to 0.13 of the limits faster than it, and 1.05 is promised."""
DRIVE = 0.9
"""Share of the effort limits that the copy may use: Coriolis torques and friction, some N m of 50,
are not in it."""
LINK, ROTOR, WOUND, ERROR, REFERENCE, AHEAD, SUM = (slice(7 * i, 7 * i + 7) for i in range(7))
"""Parts of the state: velocities of links and motors [rad/s], winding of the flexures, reference
less position [rad], velocity of the reference [rad/s], command less reference [rad], integral of
the error [rad s]."""
_LEAST: Array = -INTEGRAL


class Extremes(NamedTuple):
    """The greatest values that follow a command, shape (7,) each.

    Attributes:
        link: Speeds of the links [rad/s].
        least: Least torques of the motors beyond the load [N m].
        most: Greatest torques of the motors beyond the load [N m].
    """

    link: JointVector
    least: JointVector
    most: JointVector

    def check(self, side: str, limits: Limits, load: JointVector) -> None:
        """Refuses what makes a joint too fast, or takes its torque to the limit.

        Args:
            side: The arm.
            limits: Its limits.
            load: Torques that hold it now [N m], shape (7,).

        Raises:
            RefusedError: "velocity" or "effort"; names the joint.
        """
        top = TOP * limits.velocity
        within(side, self.link, "velocity", "predicted speed [rad/s]", -top, top)
        effort = DRIVE * limits.effort
        low, high = np.minimum(-effort - load, 0.0), np.maximum(effort - load, 0.0)
        for tau in (self.least, self.most):
            within(side, tau, "effort", "predicted torque beyond the load [N m]", low, high)


class Shadow:
    """The copy of one arm. It is at rest until a command is taken.

    Args:
        velocity: Velocity limits [rad/s], shape (7,).
    """

    def __init__(self, velocity: JointVector) -> None:
        self._top, self._bottom = NO_LOAD * velocity, -NO_LOAD * velocity
        self._state: Array = np.zeros(49)
        self._command: JointVector = np.zeros(7)
        self._at = 0.0
        self._next = (self._state, 0.0)

    def after(
        self, M: Array, start: JointVector, command: JointVector, now: float, first: bool
    ) -> Extremes:
        """What follows a raw command if no other comes.

        Args:
            M: Inertia of the links now [kg m²], shape (7, 7).
            start: Measured positions [rad], shape (7,); used for the first command of a stream.
            command: The command [rad], shape (7,).
            now: When it comes [s].
            first: Whether it is the first of a stream, which begins at rest.
        """
        loop = M + np.diag(EXTRA_INERTIA)
        step = exponential(STEP * _rates(M, loop))
        state, last, at = np.zeros(49), start, now
        if not first:
            state, last = self._state, self._command
            at = self._at + STEP * (passed := max(round((now - self._at) / STEP), 0))
            state = self._advanced(step, state, min(passed, SETTLED))[-1].copy()
        state[AHEAD] += command - last
        self._next = (state, at)
        x = self._advanced(step, state, HORIZON).T
        wanted = KP * x[ERROR] + KD * (x[REFERENCE] - x[LINK]) + KI * x[SUM]
        tau = loop @ wanted
        return Extremes(np.abs(x[LINK]).max(axis=1), tau.min(axis=1), tau.max(axis=1))

    def take(self, command: JointVector) -> None:
        """Obeys the command that `after` was last asked about: it is being sent."""
        (self._state, self._at), self._command = self._next, command

    def _advanced(self, step: Array, state: Array, steps: int) -> Array:
        """The state, and what it is after each of some steps, shape (1 + steps, 49)."""
        states = np.empty((1 + steps, 49))
        states[0] = state
        rotors, sums = states[:, ROTOR], states[:, SUM]
        for i in range(1, 1 + steps):
            np.dot(step, states[i - 1], out=states[i])
            np.minimum(rotors[i], self._top, out=rotors[i])
            np.maximum(rotors[i], self._bottom, out=rotors[i])
            np.minimum(sums[i], INTEGRAL, out=sums[i])
            np.maximum(sums[i], _LEAST, out=sums[i])
        return states


def _rates(M: Array, loop: Array) -> Array:
    """Rates of change of the state, shape (49, 49).

    M vd = K w + D (θd - v),   B θdd = tau - K w - D (θd - v),   wd = θd - v
    tau = (M + A) (KP e + KD (rd - v) + KI ∫e),   ed = rd - v,   rdd = c² f - 2 c rd,   fd = -rd

    Velocities v of the links and θd of the motors, winding w, reference r, e = r - q, and f, by
    which the command is ahead of the reference.
    """
    B, D = motor(STIFFNESS)
    inverse, one, driven = np.linalg.inv(M), np.eye(7), loop / B[:, None]
    rate = np.zeros((49, 49))
    rate[LINK, LINK], rate[LINK, ROTOR] = -inverse * D, inverse * D
    rate[LINK, WOUND] = inverse * STIFFNESS
    rate[ROTOR, LINK], rate[ROTOR, ROTOR] = np.diag(D / B) - KD * driven, np.diag(-D / B)
    rate[ROTOR, WOUND], rate[ROTOR, SUM] = np.diag(-STIFFNESS / B), KI * driven
    rate[ROTOR, ERROR], rate[ROTOR, REFERENCE] = KP * driven, KD * driven
    rate[WOUND, ROTOR], rate[WOUND, LINK] = one, -one
    rate[ERROR, REFERENCE], rate[ERROR, LINK] = one, -one
    rate[REFERENCE, AHEAD] = COMMAND_FILTER**2 * one
    rate[REFERENCE, REFERENCE] = -2.0 * COMMAND_FILTER * one
    rate[AHEAD, REFERENCE] = -one
    rate[SUM, ERROR] = one
    return rate
