"""Our inverse kinematics behind the robot's own service, `SolvePositionIK`.

The answers are exact and free of collisions. Poses may be in `base`; seeds are tried in the robot's
order: the user's, the current angles, then the middle of the range.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.collision.world import World
from baxterkit.errors import BaxterkitError
from baxterkit.messages import Message, message_class, service_type
from baxterkit.model.names import SIDES, joint_names
from baxterkit.ros import topics
from baxterkit.ros.errors import MessageError
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.node import Node
from baxterkit.ros.poses import pose_of
from baxterkit.types import JointVector

SolvePositionIK = service_type("baxter_core_msgs/SolvePositionIK")
JointState = message_class("sensor_msgs/JointState")
Header = message_class("std_msgs/Header")
AUTO, USER, CURRENT, NULL_SPACE = range(4)
FRAMES = ("", "base", "/base", "torso", "/torso", "world", "/world")
"""Frames that coincide with base on a Baxter."""


class IkService:
    """Answers `/ExternalTools/<side>/PositionKinematicsNode/IKService` for both sides.

    Args:
        node: The node that answers.
        robot: The robot, with its mounts and tools.
        current: Gives the measured positions of the left and the right arm [rad], shape (7,) each.
        world: Obstacles to keep clear of.
        collisions: Whether solutions must be free of collisions.
        suffix: Added to the service's name, to stand beside the robot's own.
    """

    def __init__(
        self,
        node: Node,
        robot: Baxter,
        current: Callable[[], tuple[JointVector, JointVector]],
        *,
        world: World | None = None,
        collisions: bool = True,
        suffix: str = "",
    ) -> None:
        self._robot, self._current = robot, current
        self._world, self._collisions = world, collisions
        for side in SIDES:
            name = topics.IK_SERVICE.format(side=side) + suffix
            node.serve(name, SolvePositionIK, lambda request, side=side: self.answer(side, request))  # type: ignore[misc]

    def answer(self, side: str, request: Message) -> Message:
        """Solves the poses of a request."""
        joints: list[Message] = []
        valid: list[bool] = []
        kinds: list[int] = []
        for i, stamped in enumerate(request.pose_stamp):
            seeds = request.seed_angles
            given = seeds[i] if i < len(seeds) else None
            try:
                q, kind = self._solve(side, stamped, given, request.seed_mode)
            except BaxterkitError as error:
                LOG.warning("IK of the %s arm: %s", side, error)
                q, kind = None, 0
            if q is None:
                joints.append(JointState())
            else:
                header = Header(stamp=stamped.header.stamp, frame_id=stamped.header.frame_id)
                joints.append(JointState(header=header, name=list(joint_names(side)), position=q))
            valid.append(q is not None)
            kinds.append(kind)
        return SolvePositionIK.Response(joints=joints, isValid=valid, result_type=bytes(kinds))

    def _solve(
        self, side: str, stamped: Message, given: Message | None, mode: int
    ) -> tuple[JointVector | None, int]:
        if stamped.header.frame_id not in FRAMES:
            raise MessageError(f"poses are wanted in base, not in {stamped.header.frame_id!r}")
        T = pose_of(stamped.pose)
        left, right = self._current()
        own, other = (left, right) if side == "left" else (right, left)
        for kind, seed in self._seeds(side, given, own, mode):
            found = (
                self._robot.scene(self._world).ik(side, T, other, seed)
                if self._collisions
                else self._robot.arm(side).ik(T, seed)
            )
            if found.solved:
                return found.q, kind
            break  # the solver is complete: another seed finds nothing either
        return None, 0

    def _seeds(
        self, side: str, given: Message | None, own: JointVector, mode: int
    ) -> list[tuple[int, JointVector | None]]:
        seeds: list[tuple[int, JointVector | None]] = []
        if mode in (AUTO, USER) and given is not None and len(given.position):
            seeds.append((USER, _row(given, side)))
        if mode in (AUTO, CURRENT):
            seeds.append((CURRENT, own))
        if mode in (AUTO, NULL_SPACE):
            seeds.append((NULL_SPACE, None))
        return seeds


def _row(given: Message, side: str) -> JointVector:
    """The positions of a JointState in the order of the arm.

    Raises:
        MessageError: If a joint is missing.
    """
    values = dict(zip(given.name, given.position.tolist(), strict=False))
    missing = [name for name in joint_names(side) if name not in values]
    if missing:
        raise MessageError(f"the seed has no {missing[0]}")
    return np.array([values[name] for name in joint_names(side)])
