"""The three trajectories of Smith et al. (2016), Fig. 3: right arm, tool axis vertical (Fig. 4).

The paper prints the formula of the first set. For the other two it states which coordinates move,
but not how far or how fast; those numbers are chosen here, see `smith_path`.
"""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.errors import UnknownNameError
from baxterkit.model.names import check_side
from baxterkit.trajectory.cartesian import CartesianPath, tool_down
from baxterkit.trajectory.polylines import lines
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, Vector3

CENTER = np.array([0.6, -0.2, 0.1])
"""Centre of all three, in base [m]."""
YAW = -np.pi / 2
"""Turn of the tool about the vertical, which the paper leaves open: farthest from limits."""
RAMP = 2.0
"""Length of the ramps at both ends of sets 1 and 3 [s]: the robot starts at rest."""
SET_1_DURATION = 2.0 * np.pi / 0.2
"""One period of z, the slowest [s]."""
SWITCH_AMPLITUDE = 0.1
"""Set 2: y goes between -0.2 - 0.1 and -0.2 + 0.1 m, the extent of y in set 1."""
SWITCH_TIME = 0.8
"""Set 2: time of one switch [s]; the tip's speed reaches 0.47 m/s, set 1's is 0.10 m/s."""
SWITCH_PAUSE = 1.2
"""Set 2: rest after each switch [s]."""
SWITCHES = 10
SLOW_AMPLITUDE = 0.1
"""Set 3: z = 0.1 + 0.1 cos(0.4 t), the extent of z in set 1 ..."""
SLOW_FREQUENCY = 0.4
"""... at this frequency [rad/s]: the tip's speed reaches 0.04 m/s."""
SLOW_PERIODS = 2
SLOW_DURATION = float(SLOW_PERIODS * 2.0 * np.pi / SLOW_FREQUENCY)


def smith_path(number: int, side: str = "right") -> CartesianPath:
    """The motion of the tip in one of the three sets.

    1. x = 0.6 + 0.1 sin t, y = -0.2 + 0.1 cos t, z = 0.1 + 0.1 cos 0.2 t, as printed, for one
       period of z (31.4 s).
    2. y is switched quickly between -0.3 and -0.1 m, x and z rest. Chosen: a minimum-jerk motion
       of 0.8 s, then 1.2 s of rest, ten times (20 s).
    3. z moves slowly, x and y rest. Chosen: z = 0.1 + 0.1 cos 0.4 t for two periods (31.4 s).

    Sets 1 and 3 have ramps of 2 s at both ends, which add 2 s.

    Args:
        number: 1, 2 or 3.
        side: The arm. The paper's is the right one; the left one gets the mirror image.
    """
    if number not in (1, 2, 3):
        raise UnknownNameError("set of Smith et al.", number, ("1", "2", "3"))
    mirror = 1.0 if check_side(side) == "right" else -1.0
    name = f"Smith et al., set {number}"
    R = tool_down(mirror * YAW)
    flip = np.array([1.0, mirror, 1.0])
    if number == 2:
        points, times = _switches()
        return lines(flip * points, times, R, name=name)
    curve, duration = (_sines, SET_1_DURATION) if number == 1 else (_slow, SLOW_DURATION)

    def flipped(t: Array) -> tuple[Vector3, Vector3, Vector3]:
        p, v, a = curve(t)
        return flip * p, flip * v, flip * a

    return CartesianPath.from_curve(duration, flipped, R, name).ramped(RAMP)


def smith_set(number: int, arm: Arm | None = None, *, method: str = "auto") -> Trajectory:
    """The joints' motion in one of the three sets; see `smith_path`.

    Args:
        number: 1, 2 or 3.
        arm: The arm; the nominal right one with the bare hand if None.
        method: As in `CartesianPath.to_joints`.
    """
    arm = Arm("right") if arm is None else arm
    return smith_path(number, arm.side).to_joints(arm, method=method)


def _sines(t: Array) -> tuple[Vector3, Vector3, Vector3]:
    w = np.array([1.0, 1.0, 0.2])
    angle = w * t[:, None] + np.array([0.0, np.pi / 2, np.pi / 2])  # sin, cos, cos
    p = CENTER + 0.1 * np.sin(angle)
    return p, 0.1 * w * np.cos(angle), -0.1 * w**2 * np.sin(angle)


def _slow(t: Array) -> tuple[Vector3, Vector3, Vector3]:
    up = SLOW_AMPLITUDE * np.array([0.0, 0.0, 1.0])
    angle = SLOW_FREQUENCY * t[:, None]
    p = CENTER + np.cos(angle) * up
    return p, -SLOW_FREQUENCY * np.sin(angle) * up, -(SLOW_FREQUENCY**2) * np.cos(angle) * up


def _switches() -> tuple[Vector3, Array]:
    """Corners of the switching motion, each twice (arrival, departure), and their times [s]."""
    side = np.where(np.arange(SWITCHES + 1) % 2 == 0, -1.0, 1.0)
    points = CENTER + SWITCH_AMPLITUDE * side[:, None] * np.array([0.0, 1.0, 0.0])
    arrivals = np.arange(SWITCHES + 1) * (SWITCH_TIME + SWITCH_PAUSE)
    pairs = np.stack([arrivals, arrivals + SWITCH_PAUSE], axis=-1).ravel()
    return np.repeat(points, 2, axis=0)[1:], pairs[1:] - SWITCH_PAUSE
