"""Numbers of the twin that no description of the robot publishes, each with its source."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from baxterkit.arm import Arm
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.types import Array, frozen

STIFFNESS: Array = frozen([843.0, 843.0, 843.0, 843.0, 250.0, 250.0, 250.0])
"""Stiffness of the joints' flexures [N m/rad]: assumed, after Rethink's former hardware page, which
is no longer available; no other document or recording confirms them."""

TORQUE_BANDWIDTH = 60.0
"""Bandwidth of the joints' torque loops with the link held [Hz]: our choice, typical of
series-elastic actuators of this size. It sets the motors' apparent inertia, stiffness / (2 π
bandwidth)²."""

TORQUE_DAMPING = 0.7
"""Damping ratio of the torque loops with the link held: our choice."""

NO_LOAD = 1.5
"""No-load speed of the motors, as a multiple of the description's velocity limits: our choice."""

COMMAND_FILTER = 80.0
"""Corner of the low-pass of second order, critically damped, that position and velocity commands
pass [rad/s]: 12.7 Hz, 25 ms behind a steadily changing command; our choice. Documented is only that
commands are modified in transit: in Rethink's wiki (Arm Control Overview, Arm Control Modes) a
real-time loop takes the last command every millisecond, through plug-ins that depend on the mode,
to the joints' boards. Raw position mode passes commands to these boards directly
(RethinkRobotics/baxter_interface, pull request 21, March 2014); in the twin the filter is the
boards', so it remains. The low-pass of first order at 0.2 Hz of that repository (pull request 10,
November 2013) belongs to its own `move_to_joint_positions`, not to the robot. At 100 Hz 1.6 % pass:
of 10 N m by which the commands' steps shook s0 in a brisk motion, 0.3 are left."""

VELOCITY_FILTER = 20.0
"""Corner of the low-pass of second order that published velocities have passed [Hz]. Measured on
one real robot's recording at 500 Hz (Zenodo 17035193): from the change of its positions to its
velocities the gain is 1.0, 0.88, 0.72 at 10, 15, 20 Hz (w0 and w1, coherence above 0.9), the delay
14 to 15 ms; above, corrected for coherence, the gain is 0.16, 0.03, 0.009 at 50, 100, 150 Hz. That
is a Butterworth filter at 20 to 21 Hz, which is 11 ms late, and 2 to 3 ms of differences and
transport, which the twin leaves out. Recordings at 100 Hz from the same laboratory lag by 13 ms.
Positions show no filter."""

EFFORT_FILTER = 40.0
"""Corner of the low-pass of second order (Butterworth) that published efforts have passed [Hz]: our
choice, below half of the rate at which they are published. In the recording at 500 Hz efforts fall
by 10 to 20 dB from 20 to 75 Hz and are white noise above: so noise is added after the filter."""

NOISE: dict[str, Array] = {
    "position": frozen(np.full(7, 2e-4)),
    "velocity": frozen(np.full(7, 6e-3)),
    "effort": frozen([0.10, 0.05, 0.10, 0.05, 0.02, 0.025, 0.013]),
}
"""Standard deviation of the readings [rad, rad/s, N m]. From the fifth differences of one real
robot's recordings at 100 Hz (position 5e-4, velocity 0.012, efforts as here); half of that for
position and velocity, since those recordings hold vibration too."""


def with_known_effects(arm: Arm) -> Arm:
    """The arm, with nominal springs and friction if it has none, for its controller."""
    return arm if arm.effects is not None else arm.with_effects(nominal_effects())


@lru_cache(maxsize=1)
def nominal_effects() -> JointEffects:
    """Springs and friction for a Baxter that has not been identified.

    Least squares on recordings of one real left arm (rigid torques of the published inertias taken
    off) gave dry friction of 0.25, 0.74, 0.39, 0.10, 0.11, 0.02, 0.07 N m, hardly any viscous
    friction, and at s1 18.6 + 18.0 sin q + 17.4 cos q N m. Rounded; viscous friction is small and
    chosen by us. Springs differ from robot to robot by tens of N m: identify yours.
    """
    spring = np.zeros((7, 1))
    sin, cos = spring.copy(), spring.copy()
    sin[1], cos[1] = 18.0, 17.5
    bias = np.zeros(7)
    bias[1] = 18.5
    return JointEffects(
        bias=bias,
        coulomb=np.array([0.25, 0.75, 0.4, 0.1, 0.1, 0.05, 0.07]),
        viscous=np.array([0.2, 0.2, 0.2, 0.2, 0.05, 0.05, 0.02]),
        spring_sin=sin,
        spring_cos=cos,
        stiffness=STIFFNESS,
    )


def effects_of(arm: Arm) -> JointEffects:
    """An arm's own springs and friction, or the nominal ones if it has none."""
    return nominal_effects() if arm.effects is None else arm.effects
