"""Where an arm may go after a command, from now until it rests: the motions that the gate checks.

The robot moves each joint at a speed of its own, so the joints do not go along a straight line. How
fast they speed up and brake is not known exactly; the motion is computed with half of the twin's
acceleration, with the twin's, and for joints that change their speed at once.

Each prediction is an array of shape (len(TIMES), variants, 7): positions [rad] at `TIMES`. Between
two times an arm is within `sag` of the straight line. Where arguments have leading batch axes, the
prediction has them after that of the times.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from baxterkit.arm import Arm
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.ros.states import ArmReading
from baxterkit.sim.joints import motor
from baxterkit.sim.loops import ACCELERATION, CATCH_UP, KD, KP
from baxterkit.sim.nominal import STIFFNESS
from baxterkit.types import Array, JointVector, frozen

BRAKING: JointVector = frozen(0.5 * ACCELERATION)
"""Deceleration that a braking arm reaches at least [rad/s²]: half of what the twin takes; chosen
here."""
TIMES: Array = frozen([0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.26, 0.34, 0.44, 0.6, 0.9, 1.4, 2.5])
"""Times from now at which motions are predicted [s]. At the last one the arm rests."""
RATES: Array = frozen([0.5, 1.0, np.inf])
"""Accelerations of the predicted motions, as multiples of the twin's."""
LOOPS: Array = frozen([0.5, 1.0, 2.0])
"""Bandwidths of the position loop of the predicted raw motions, as multiples of the twin's."""
FINE: Array = frozen(np.linspace(0.0, 0.2, 41))
"""Times at which the speed after a raw command is predicted [s]."""
STEP = 0.0025
"""Step of the prediction under torques [s]."""
SHARES: Array = frozen([1.0, 0.5, 0.0])
"""Shares of the predicted change of velocities under torques: friction and what the model lacks may
take the rest, each share moves the arm in a direction of its own, and braking goes on in it."""
LATEST = 0.2
"""Greatest age of a state for which the motion since is made up for [s]."""
LATE = 0.015
"""By how much published velocities are behind the joints [s]: the greatest delay measured on robots
(`sim.nominal.VELOCITY_FILTER`); the twin's low-pass alone takes 11 ms."""
QUIET = 0.02
"""Measured speeds below this are noise [rad/s]."""
HALVINGS, TERMS = 4, 7
"""How the exponential of a matrix is computed: of its 16th part, by this many terms."""
FRICTION: JointVector = frozen([0.12, 0.37, 0.2, 0.05, 0.05, 0.025, 0.035])
"""Dry friction that a moving joint has at least [N m]: half of the twin's nominal friction."""

_STEPS: Array = np.diff(TIMES)
_CATCH_UP: Array = frozen((1.0 - np.exp(-CATCH_UP * _STEPS)) / _STEPS)
FINITE = 1e3
"""Acceleration of joints that change their speed at once [rad/s²]."""
_A: Array = frozen(np.minimum(RATES, FINITE)[:, None] * ACCELERATION)


def ahead(reading: ArmReading, command: JointVector | None) -> JointVector:
    """Where an arm is now, shape (7,) [rad]: it has moved on since it was measured.

    Args:
        reading: Its last state.
        command: The last velocity command [rad/s]; None if there was none.
    """
    qd = reading.qd
    if command is not None:
        qd = np.where(np.abs(command) > np.abs(qd), command, qd)
    moved: JointVector = reading.q + min(max(reading.age, 0.0), LATEST) * qd
    return moved


def speeds(age: float, qd: Array, command: JointVector | None) -> Array:
    """Velocities that an arm may have now [rad/s], (*batch, len(RATES), 7), a row for each motion.

    Published velocities are late. Joints that react slowly may still be as fast as these say; the
    others have come nearer to the last command since.

    Args:
        age: Time since its last state was measured [s].
        qd: The velocities of that, without noise [rad/s], shape (*batch, 7).
        command: The last velocity command [rad/s]; None if there was none.
    """
    rows = np.repeat(qd[..., None, :], len(RATES), axis=-2)
    if command is not None:
        most = (LATE + min(max(age, 0.0), LATEST)) * ACCELERATION
        rows[..., RATES >= 1.0, :] += np.clip(command - qd, -most, most)[..., None, :]
    return rows


def after_velocity(q: JointVector, qd: Array, command: JointVector, timeout: float) -> Array:
    """Motions until rest if `command` is the last one: obeyed for `timeout`, then braking.

    Args:
        q: Positions now [rad], shape (*batch, 7).
        qd: Velocities now [rad/s], shape (7,), or (*batch, len(RATES), 7) as `speeds` gives them.
        command: Commanded velocities [rad/s], shape (*batch, 7).
        timeout: Time for which the robot obeys it [s].

    Returns:
        Positions [rad], shape (len(TIMES), *batch, len(RATES), 7).
    """
    q, command, t = q[..., None, :], command[..., None, :], _times(q.ndim + 2)
    change = command - qd
    ramp, up = np.abs(change) / _A, np.sign(change) * _A
    obeyed = np.minimum(t, timeout)
    k = np.minimum(obeyed, ramp)
    x = q + qd * k + (0.5 * up) * k * k + command * (obeyed - k)
    speed = qd + up * np.minimum(timeout, ramp)
    motion: Array = x + _braked(speed, _A, np.maximum(t - timeout, 0.0))
    return motion


def after_position(q: JointVector, qd: JointVector, command: JointVector, top: Array) -> Array:
    """Motions to a position command: each joint as fast as it may, braking in time.

    Args:
        q: Positions now [rad], shape (*batch, 7).
        qd: Velocities now [rad/s], shape (*batch, 7).
        command: Commanded positions [rad], shape (*batch, 7).
        top: Greatest speeds [rad/s], shape (k, 7): one row for each speed ratio that may be set.

    Returns:
        Positions [rad], shape (len(TIMES), *batch, k len(RATES), 7); the last ones are the command.
    """
    count = len(top) * len(RATES)
    a = np.broadcast_to(_A, (len(top), *_A.shape)).reshape(count, 7)
    fastest = np.repeat(top, len(RATES), axis=0)
    command = command[..., None, :]
    v: Array = np.repeat(qd[..., None, :], count, axis=-2)
    x = np.empty((len(TIMES), *v.shape))
    x[0] = q[..., None, :]
    for i, dt in enumerate(_STEPS):
        far = command - x[i]
        away = np.abs(far)
        speed = np.minimum(np.minimum(_CATCH_UP[i] * away, np.sqrt(a * away)), fastest)
        change = np.copysign(np.minimum(speed, away / dt), far) - v
        most = dt * a
        v = v + np.minimum(np.maximum(change, -most), most)
        x[i + 1] = x[i] + dt * v
    x[-1] = command
    return x


def after_raw_position(
    q: JointVector, qd: JointVector, command: JointVector, top: JointVector, last: JointVector
) -> Array:
    """Motions to a raw position command, which nothing smooths but the joints' greatest speed.

    Args:
        q: Positions now [rad], shape (7,).
        qd: Velocities now [rad/s], shape (7,).
        command: Commanded positions [rad], shape (7,).
        top: Greatest speeds [rad/s], shape (7,).
        last: What the arm follows now: the last raw command, or where it is [rad], shape (7,).

    Returns:
        Positions [rad], shape (len(TIMES), len(LOOPS), 7); the last ones are the command.
    """
    step = command - last
    wanted = np.minimum(np.maximum(step, -top * TIMES[:, None]), top * TIMES[:, None]) + (last - q)
    from_speed, from_wanted = _raw_responses()
    x = np.swapaxes(from_wanted @ wanted, 0, 1) + from_speed[:, :, None] * qd + q
    x[-1] = command
    return x


def after_raw_stream(command: JointVector, qd: JointVector, stream: Array, timeout: float) -> Array:
    """Motions to rest of an arm that is told to brake while it follows raw commands.

    Where commands speed up or slow down, what is measured is behind: the arm has the speeds of the
    stream, or still those measured, as the brake comes later or at once. These are motions in other
    directions; to take the faster of both for each joint covers neither.

    Args:
        command: The last raw command [rad], shape (7,).
        qd: Measured velocities [rad/s], shape (7,).
        stream: Velocities of the stream of commands [rad/s], shape (7,).
        timeout: Time for which the robot obeys a command [s].

    Returns:
        Positions [rad], shape (len(TIMES), 3 len(RATES), 7): from the faster velocity of each
        joint, from those of the stream, and from those measured.
    """
    speeds = np.repeat([faster(stream, qd), stream, qd], len(RATES), axis=0)
    rows = np.broadcast_to(command, (3, 7))
    motion = after_velocity(rows, speeds.reshape(3, len(RATES), 7), np.zeros((3, 7)), timeout)
    return motion.reshape(len(TIMES), -1, 7)


def faster(one: Array, other: Array) -> Array:
    """The greater of two velocities of each joint, whatever their signs."""
    return np.where(np.abs(one) > np.abs(other), one, other)


def raw_speed(
    q: JointVector, qd: JointVector, command: JointVector, top: JointVector, last: JointVector
) -> JointVector:
    """Greatest speeds towards a raw position command [rad/s], shape (7,); as above."""
    step = command - last
    t = FINE[:, None]
    from_speed, from_wanted = _raw_speeds()
    wanted = np.minimum(np.maximum(step, -top * t), top * t) + (last - q)
    v = from_speed[:, None] * qd + from_wanted @ wanted
    return np.abs(v).max(axis=0)  # type: ignore[no-any-return]


def after_torque(
    arm: Arm,
    q: JointVector,
    qd: JointVector,
    tau: JointVector,
    sensed: JointVector,
    offset: Array,
    timeout: float,
    since: tuple[float, Sequence[tuple[JointVector, float]]] = (0.0, ()),
) -> tuple[Array, JointVector, JointVector]:
    """Motions until rest if the torques last for `timeout` and the arm then brakes.

    Joints are motors behind flexures: a sudden torque makes a light link swing, faster than a rigid
    joint would be.

    Args:
        arm: The arm, rigid.
        q: Positions when they were measured [rad], shape (*batch, 7).
        qd: Velocities then [rad/s], shape (*batch, 7).
        tau: Torques of the motors [N m], shape (*batch, 7): gravity compensation included.
        sensed: Torques of the flexures now [N m], shape (*batch, 7).
        offset: Torques that the rigid model lacks, as springs [N m], shape (*batch, 7).
        timeout: Time for which the robot obeys [s].
        since: Time since the positions were measured [s], and torques that have acted since the
            velocities were [N m], shape (*batch, 7) each, and for how long [s].

    Returns:
        Positions [rad], shape (len(TIMES), *batch, 2 len(SHARES), 7), the greatest speed of each
        joint under the torques, and the velocities at their end [rad/s], shape (*batch, 7) each.
    """
    M = arm.inertia(q)
    load = arm.inverse_dynamics(q, qd, np.zeros(7)) + offset
    stiff = STIFFNESS if arm.effects is None else _finite(arm.effects)
    state = np.concatenate([qd, qd, sensed / stiff, np.ones((*q.shape[:-1], 1))], axis=-1)
    slower = FRICTION / np.diagonal(M, axis1=-2, axis2=-1)

    def driven(state: Array, tau: JointVector, duration: float) -> tuple[Array, Array, float]:
        """The state after that time, the velocities until then, and the steps between them."""
        count = max(round(duration / STEP), 1)
        dt = duration / count
        step = _elastic_step(M, stiff, tau, load, dt)
        speeds = np.empty((count + 1, *q.shape))
        speeds[0] = state[..., :7]
        for i in range(count):
            state = (step @ state[..., None])[..., 0]
            link = state[..., :7]
            link -= np.copysign(np.minimum(np.abs(link), dt * slower), link)
            speeds[i + 1] = link
        return state, speeds, dt

    age, before = since
    for torques, duration in before:
        state, _, _ = driven(state, torques, duration)
    link = state[..., :7]
    q = q + age * np.where(np.abs(link) > np.abs(qd), link, qd)
    state, speeds, dt = driven(state, tau, timeout)
    places = np.concatenate([[q], q + 0.5 * dt * np.cumsum(speeds[:-1] + speeds[1:], axis=0)])
    link, rotor, count = state[..., :7], state[..., 7:14], len(speeds) - 1
    end = np.where(np.abs(rotor) > np.abs(link), rotor, link)
    at = np.minimum(TIMES, timeout) / dt
    i = np.minimum(at.astype(int), count - 1)
    part = (at - i).reshape(-1, *([1] * q.ndim))
    moved = (1.0 - part) * places[i] + part * places[i + 1]
    coasted = q + np.minimum(_times(q.ndim + 1), timeout) * qd
    share = np.repeat(SHARES, 2)[:, None]
    under = coasted[..., None, :] + share * (moved - coasted)[..., None, :]
    left = qd[..., None, :] + share * (end - qd)[..., None, :]
    braking = np.maximum(_times(q.ndim + 2) - timeout, 0.0)
    motion = under + _braked(left, np.tile(_A[:2], (len(SHARES), 1)), braking)
    return motion, np.abs(speeds).max(axis=0), end


def _elastic_step(M: Array, stiff: Array, tau: Array, load: Array, dt: float) -> Array:
    """One step of motors and links behind flexures, exactly, for small motions: (*batch, 22, 22).

    The state holds the velocities of links and motors, how far the flexures are wound, and 1:

        M qdd = K w + D (θd - qd) - load,   B θdd = tau - K w - D (θd - qd),   wd = θd - qd
    """
    B, D = motor(stiff)
    inverse = np.linalg.inv(M)
    rate = np.zeros((*M.shape[:-2], 22, 22))
    rate[..., :7, :7], rate[..., :7, 7:14] = -inverse * D, inverse * D
    rate[..., :7, 14:21], rate[..., :7, 21] = inverse * stiff, -(inverse @ load[..., None])[..., 0]
    i = np.arange(7)
    rate[..., 7 + i, i], rate[..., 7 + i, 7 + i] = D / B, -D / B
    rate[..., 7 + i, 14 + i], rate[..., 7:14, 21] = -stiff / B, tau / B
    rate[..., 14 + i, i], rate[..., 14 + i, 7 + i] = -1.0, 1.0
    return exponential(dt * rate)


def exponential(rate: Array) -> Array:
    """The exponential of matrices, shape (*batch, n, n), as of rates times one of our steps."""
    rate = rate / 2.0**HALVINGS
    step = np.eye(rate.shape[-1]) + rate
    term = rate
    for k in range(2, TERMS):
        term = term @ rate / k
        step += term
    for _ in range(HALVINGS):
        step = step @ step
    return step


def at_rest(q: JointVector) -> Array:
    """The motion of an arm that stays, shape (len(TIMES), *batch, 1, 7) [rad]."""
    return np.broadcast_to(q[..., None, :], (len(TIMES), *q.shape[:-1], 1, 7))


def sag(motion: Array) -> Array:
    """How far an arm may be from the straight lines between two predicted positions [rad].

    Args:
        motion: Predicted positions, shape (n, *batch, variants, 7), at the first n of `TIMES`.

    Returns:
        Shape (n - 1, *batch, variants, 7): by how much velocities change, times an eighth of the
        step.
    """
    step = _STEPS[: len(motion) - 1].reshape(-1, *([1] * (motion.ndim - 1)))
    speed = np.diff(motion, axis=0) / step
    bend = np.abs(np.diff(speed, axis=0))
    result = np.zeros_like(speed)
    result[:-1] = bend
    np.maximum(result[1:], bend, out=result[1:])
    result *= 0.125 * step
    return result


def loud(qd: Array) -> Array:
    """Velocities, zero where they are noise."""
    return np.where(np.abs(qd) < QUIET, 0.0, qd)


def _times(axes: int) -> Array:
    """`TIMES` along the first of some axes."""
    return TIMES.reshape(-1, *([1] * (axes - 1)))


def _braked(qd: Array, a: Array, t: Array) -> Array:
    """How far joints that brake from `qd` get in the times `t`."""
    t = np.minimum(t, np.abs(qd) / a)
    result: Array = qd * t - 0.5 * np.sign(qd) * a * t * t
    return result


def _finite(effects: JointEffects) -> Array:
    return np.where(np.isfinite(effects.stiffness), effects.stiffness, STIFFNESS)


def _loop_response(
    scale: float, times: Array, step: float = 1e-3
) -> tuple[Array, Array, Array, Array]:
    """Positions and speeds of the position loop, from an initial speed and from a reference.

    The reference is given at the same times, and is linear between them.

    Returns:
        Positions from a speed of 1 (n,), and from the reference (n, n); speeds likewise.
    """
    n, (p, d) = len(times), (scale * scale * KP, scale * KD)
    fine = np.arange(0.0, times[-1] + step, step)
    inputs = np.stack([np.interp(fine, times, row) for row in np.eye(n)], axis=-1)
    x, v = np.zeros(n + 1), np.zeros(n + 1)
    v[n] = 1.0
    xs, vs = [x], [v]
    for i in range(1, len(fine)):
        wanted = np.append(inputs[i], 0.0)
        rate = np.append((inputs[i] - inputs[i - 1]) / step, 0.0)
        v = (v + step * (p * (wanted - x) + d * rate)) / (1.0 + step * d + step * step * p)
        x = x + step * v
        xs.append(x)
        vs.append(v)
    at = np.rint(times / step).astype(int)
    positions, speeds = np.array(xs)[at], np.array(vs)[at]
    return positions[:, n], positions[:, :n], speeds[:, n], speeds[:, :n]


@cache
def _raw_responses() -> tuple[Array, Array]:
    """Positions at `TIMES` from a speed, (n, loops), and from the reference, (loops, n, n)."""
    found = [_loop_response(float(scale), TIMES) for scale in LOOPS]
    return np.stack([r[0] for r in found], axis=-1), np.stack([r[1] for r in found])


@cache
def _raw_speeds() -> tuple[Array, Array]:
    """Speeds at `FINE` from a speed, (n,), and from the reference, (n, n)."""
    found = _loop_response(1.0, FINE)
    return found[2], found[3]
