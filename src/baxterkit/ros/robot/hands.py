"""Which end effector a hand of the twin has: by the kind of its tool."""

from __future__ import annotations

from baxterkit.ros.mounted_tools import kind_of
from baxterkit.ros.node import Node
from baxterkit.ros.robot.custom_hand import CustomHand
from baxterkit.ros.robot.end_effector import EndEffector
from baxterkit.ros.robot.gripper import ElectricGripper
from baxterkit.ros.robot.pace import Pace
from baxterkit.ros.robot.suction import SuctionCup
from baxterkit.sim.limb import TwinLimb

KINDS = {"electric": ElectricGripper, "suction": SuctionCup}


def end_effector(node: Node, limb: TwinLimb, pace: Pace) -> EndEffector:
    """The end effector of an arm."""
    return KINDS.get(kind_of(limb.arm.tool.name), CustomHand)(node, limb, pace)
