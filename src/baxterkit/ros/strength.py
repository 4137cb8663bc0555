"""Whether an arm is strong enough for a velocity command: motors at their limits do not obey.

A joint whose motor is at its limit moves otherwise than commanded, and otherwise than the gate
predicts: under a heavy load even against its command. So commands are refused that would take more
than `SHARE` of a limit, to speed up as the robot does or to brake as the prediction does at least.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.control.signals import CourseSample
from baxterkit.planning.load import loaded_arm
from baxterkit.robot.errors import RefusedError
from baxterkit.ros.refusals import within
from baxterkit.scene import Scene
from baxterkit.sim.loops import ACCELERATION
from baxterkit.types import Array, JointVector

SHARE = 0.75
"""Share of the torque limits that a load may take."""
LITTLE = 1.05
"""As a multiple of what it takes without the load: a small load changes nothing."""
TIME = 0.12
"""Changes of velocity that take less time [s] than this count in part: motors that are at their
limits so briefly hardly leave the motion."""
SLOWER = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05)
"""Shares of a motion's speed that are tried for advice."""
HEAVY = "torque that this command takes [N m], with the load of the hand: go slower, or lift less"


@lru_cache(maxsize=8)
def arms(scene: Scene, side: str) -> tuple[Arm, Arm] | None:
    """An arm with all that its hand carries, and without that; None if it carries nothing."""
    loaded = loaded_arm(scene, side)
    return None if loaded.model.payload is None else (loaded, loaded.replace(payload=None))


def check(scene: Scene, side: str, motion: Array, qd: JointVector, command: JointVector) -> None:
    """Refuses a velocity command for which the arm is too weak.

    Args:
        scene: The robot, with what its hands hold.
        side: Side of the arm.
        motion: Positions from now until it rests, if no other command comes [rad], shape (n, 7).
        qd: Velocities now [rad/s], shape (7,).
        command: The command [rad/s], shape (7,).

    Raises:
        RefusedError: Names the joint, the torque and what is allowed.
    """
    both = arms(scene, side)
    if both is None:
        return
    row, limit = _worst(*_on_the_way(both, motion, qd, command))
    within(side, row, "effort", HEAVY, -limit, limit)


def too_weak(
    scene: Scene, side: str, motion: Array, qd: JointVector, command: JointVector
) -> NDArray[np.bool_]:
    """Which velocity commands to arms of many robots `check` refuses, shape (m,).

    Args:
        scene: The robots, with what their hands hold.
        side: Side of the arm.
        motion: Positions until they rest [rad], shape (n, m, 7).
        qd: Velocities now [rad/s], shape (m, 7).
        command: The commands [rad/s], shape (m, 7).
    """
    both = arms(scene, side)
    if both is None:
        return np.zeros(len(command), dtype=bool)
    tau, most = _on_the_way(both, motion, qd, command)
    return np.asarray((np.abs(tau) > most).any(axis=(0, -1)))


def check_motion(scene: Scene, side: str, motion: CourseSample) -> None:
    """Refuses a motion by velocities for which the arm is too weak, before it begins.

    Args:
        scene: The robot, with what its hands hold.
        side: Side of the arm.
        motion: Samples of the motion.

    Raises:
        RefusedError: Names the joint and the torque, and the share of the speed that it is strong
            enough for.
    """
    both = arms(scene, side)
    if both is None:
        return
    q, qd, qdd = (np.asarray(x, dtype=float) for x in (motion.q, motion.qd, motion.qdd))

    def at(speed: float) -> tuple[JointVector, JointVector]:
        """Torques, and what is allowed, at a share of the speed."""
        v = speed * qd
        braking = -np.clip(v / TIME, -ACCELERATION, ACCELERATION)
        parts = [_needed(both, q, v, x) for x in (speed * speed * qdd, braking)]
        return _worst(*(np.concatenate(rows) for rows in zip(*parts, strict=True)))

    row, limit = at(1.0)
    j = int(np.argmax(np.abs(row) / limit))
    if abs(row[j]) <= limit[j]:
        return
    shares = (s for s in SLOWER if (np.abs(at(s)[0]) <= at(s)[1]).all())
    share = next(shares, None)
    raise RefusedError(
        "effort",
        f"nothing was sent: {both[0].joint_names[j]} would need {abs(row[j]):.1f} N m for the "
        f"motion with the load of the hand, or to brake on it, and {limit[j]:.1f} are allowed; "
        + (f"go at {share:g} of this speed" if share else "carry less, or nearer to the body"),
    )


def _on_the_way(
    both: tuple[Arm, Arm], motion: Array, qd: JointVector, command: JointVector
) -> tuple[Array, Array]:
    """`_needed` to speed up, and to brake anywhere on a motion, shape (1 + n, *batch, 7) each."""
    faster = np.clip((command - qd) / TIME, -ACCELERATION, ACCELERATION)
    braking = -np.clip(command / TIME, -ACCELERATION, ACCELERATION)
    states = ((motion[:1], qd, faster), (motion, command, braking))
    tau, most = zip(*(_needed(both, *state) for state in states), strict=True)
    return np.concatenate(tau), np.concatenate(most)


def _needed(
    both: tuple[Arm, Arm], q: JointVector, qd: JointVector, qdd: JointVector
) -> tuple[JointVector, JointVector]:
    """Torques with the load, and what is allowed [N m], shape (n, 7) each."""
    loaded, bare = (arm.inverse_dynamics(q, qd, qdd) for arm in both)
    return loaded, np.maximum(SHARE * both[0].limits.effort, LITTLE * np.abs(bare))


def _worst(tau: JointVector, most: JointVector) -> tuple[JointVector, JointVector]:
    """Of each joint the torque that is the largest share of what is allowed, and that, (7,)."""
    rows, joints = np.argmax(np.abs(tau) / most, axis=0), np.arange(7)
    return tau[rows, joints], most[rows, joints]
