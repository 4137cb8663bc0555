"""`IkNode`: our inverse kinematics beside a robot, in place of the robot's own service."""

from __future__ import annotations

from baxterkit.collision.world import World
from baxterkit.model.names import SIDES
from baxterkit.ros import mounts, topics
from baxterkit.ros.graph.node import open_node
from baxterkit.ros.mounted_tools import MountedTools
from baxterkit.ros.robot.ik_service import IkService
from baxterkit.ros.states import States
from baxterkit.ros.waiting import seconds
from baxterkit.types import JointVector


class IkNode:
    """Answers `SolvePositionIK`; the other arm is where the robot says that it is.

    The hands wear the tools that robot and description tell of, in doubt the largest body.

    Args:
        master: Address of the master; ROS_MASTER_URI if None.
        suffix: Added to the services' names; with "" ours take the place of the robot's.
        collisions: Whether answers must be free of collisions.
        world: Obstacles.
        timeout: Time to wait for the robot's states [s].
    """

    def __init__(
        self,
        master: str | None = None,
        *,
        suffix: str = "",
        collisions: bool = True,
        world: World | None = None,
        timeout: float = 5.0,
    ) -> None:
        seconds(timeout)
        self._node = open_node("baxterkit_ik", master)
        try:
            self._states = States(self._node)
            self._states.wait(
                lambda: all(self._states.arm(side) for side in SIDES),
                timeout,
                "waiting for the arms' states",
            )
            described = mounts.described(self._node)
            robot = MountedTools(self._node, described, False, lambda _: None).robot
            IkService(
                self._node,
                robot,
                self._positions,
                world=world,
                collisions=collisions,
                suffix=suffix,
            )
        except BaseException:
            self._node.close()
            raise
        self.names = [topics.IK_SERVICE.format(side=side) + suffix for side in SIDES]

    def close(self) -> None:
        """Answers no more."""
        self._node.close()

    def __enter__(self) -> IkNode:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _positions(self) -> tuple[JointVector, JointVector]:
        left, right = (self._states.arm(side) for side in SIDES)
        assert left is not None
        assert right is not None
        return left.q, right.q
