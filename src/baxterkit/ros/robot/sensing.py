"""Sensors of the hands, from the simulated scene: infrared ranges and accelerometers."""

from __future__ import annotations

import math

import numpy as np

from baxterkit.messages import message_class
from baxterkit.ros.node import Node
from baxterkit.ros.poses import vector
from baxterkit.ros.robot.outlet import outlet
from baxterkit.sim.limb import TwinLimb
from baxterkit.sim.twin import Twin
from baxterkit.types import Array, Transform, Vector3

Header = message_class("std_msgs/Header")
LEAST_RANGE, LONGEST_RANGE = 0.004, 0.4
"""What a hand's range sensor sees [m], as owners of robots print its messages."""
NOTHING = 65.535
"""What it says if it sees nothing [m]: the largest number of its 16 bits, in millimetres."""
FIELD = 0.0872664
"""Its field of view [rad]: 5 degrees; chosen here."""
UNKNOWN = [-1.0, *[0.0] * 8]
"""Covariance of what the sensor does not measure, as sensor_msgs/Imu has it."""
MOST_OWN = 8
"""Parts of its own hand that a ray may pass."""


class HandSensors:
    """The sensors of one hand.

    Args:
        node: The node that publishes them.
        twin: The twin.
        limb: The arm.
    """

    def __init__(self, node: Node, twin: Twin, limb: TwinLimb) -> None:
        self._twin, self._limb = twin, limb
        side = limb.side
        self._range = outlet(node, f"/robot/range/{side}_hand_range/state")
        self._imu = outlet(node, f"/robot/accelerometer/{side}_accelerometer/state")
        self._frame = f"{side}_hand_accelerometer"
        self._before: tuple[int, Array] | None = None

    def reading(self) -> float:
        """The distance that the range sensor sees [m]; 65.535 if nothing is near enough."""
        T = self._limb.arm.fk(self._limb._true_q, of=f"{self._limb.side}_hand_range")
        away = cast_ray(self._twin, T[:3, 3], T[:3, 0], self._limb.side)
        return away if LEAST_RANGE <= away <= LONGEST_RANGE else NOTHING

    def publish_range(self, stamp: int) -> None:
        """Publishes the range, if somebody listens."""
        if self._range:
            self._range(
                header=Header(stamp=stamp, frame_id=f"{self._limb.side}_hand_range"),
                radiation_type=1,
                field_of_view=FIELD,
                min_range=LEAST_RANGE,
                max_range=LONGEST_RANGE,
                range=self.reading(),
            )

    def publish_acceleration(self, stamp: int) -> None:
        """Publishes what the accelerometer feels: acceleration less gravity, in its own axes."""
        if not self._imu:
            self._before = None
            return
        arm, q, qd = self._limb.arm, self._limb._true_q, self._limb._true_qd
        T: Transform = arm.fk(q, of=self._frame)
        v = arm.jacobian(q, of=self._frame)[:3] @ qd
        before, self._before = self._before, (stamp, v)
        dt = 0.0 if before is None else 1e-9 * (stamp - before[0])
        a = (v - before[1]) / dt if before is not None and dt > 0.0 else np.zeros(3)
        felt = T[:3, :3].T @ (a - arm.model.gravity)
        self._imu(
            header=Header(stamp=stamp, frame_id=self._frame),
            orientation_covariance=UNKNOWN,
            angular_velocity_covariance=UNKNOWN,
            linear_acceleration=vector(felt),
        )


def cast_ray(twin: Twin, start: Vector3, direction: Vector3, own: str = "") -> float:
    """Distance along a ray to what it meets [m]; infinite if that is nothing.

    Args:
        twin: The twin; the poses of its bodies are those of its last step.
        start: Where it starts, in base [m], shape (3,).
        direction: Unit vector, shape (3,).
        own: Side of the hand that it passes through; "" for none.
    """
    mujoco, model, data = twin._mujoco, twin.model, twin.data
    hand = model.body(f"{own}_w2_link").id if own else -1
    geom = np.zeros(1, np.int32)
    passed = 0.0
    for _ in range(MOST_OWN):
        at = np.ascontiguousarray(start + passed * direction)
        away = mujoco.mj_ray(model, data, at, np.array(direction), None, 1, hand, geom)
        if away < 0.0:
            return math.inf
        body = int(model.geom_bodyid[geom[0]])
        if hand < 0 or model.body_parentid[body] != hand:  # fingers hang on the hand
            return passed + float(away)
        passed += float(away) + 1e-3
    return math.inf
