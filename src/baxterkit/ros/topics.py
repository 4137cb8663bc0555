"""Names of the robot's topics, services and parameters, with their types: what both sides use."""

from __future__ import annotations

from typing import NamedTuple

from baxterkit.messages import Message, message_class
from baxterkit.model.names import SIDES, joint_names

ROBOT_JOINTS: tuple[str, ...] = tuple(
    sorted(["head_nod", "head_pan", "torso_t0", *joint_names("left"), *joint_names("right")])
)
"""Names in `/robot/joint_states`, as the robot orders them."""
GRIPPER_JOINTS = {"left": "l_gripper_l_finger_joint", "right": "r_gripper_l_finger_joint"}
"""Name in the messages that another node of the robot sends on the same topic."""
MODES = {"position": 1, "velocity": 2, "torque": 3, "raw position": 4}
"""Control mode of an arm -> number in a JointCommand."""
IK_SERVICE = "/ExternalTools/{side}/PositionKinematicsNode/IKService"
DESCRIPTION = "/robot_description"
VERSION = "/rethink/software_version"
SERIAL = "/manifest/robot_serial"
CLASS = "/manifest/robot_class"
SIMULATED_TIME = "/use_sim_time"
TWIN_SERIAL = "baxterkit-twin"
"""Serial number that the twin gives."""
ACTION = "/robot/limb/{side}/follow_joint_trajectory"


class Topic(NamedTuple):
    """A topic and the class of its messages."""

    name: str
    kind: type[Message]


_ROBOT = {
    "joint_states": ("/robot/joint_states", "sensor_msgs/JointState"),
    "ref_joint_states": ("/robot/ref_joint_states", "sensor_msgs/JointState"),
    "joint_state_rate": ("/robot/joint_state_publish_rate", "std_msgs/UInt16"),
    "state": ("/robot/state", "baxter_core_msgs/AssemblyState"),
    "enable": ("/robot/set_super_enable", "std_msgs/Bool"),
    "reset": ("/robot/set_super_reset", "std_msgs/Empty"),
    "stop": ("/robot/set_super_stop", "std_msgs/Empty"),
    "head": ("/robot/head/head_state", "baxter_core_msgs/HeadState"),
    "head_pan": ("/robot/head/command_head_pan", "baxter_core_msgs/HeadPanCommand"),
    "head_nod": ("/robot/head/command_head_nod", "std_msgs/Bool"),
    "tf": ("/tf", "tf2_msgs/TFMessage"),
    "tf_static": ("/tf_static", "tf2_msgs/TFMessage"),
}
_LIMB = {
    "command": ("joint_command", "baxter_core_msgs/JointCommand"),
    "timeout": ("joint_command_timeout", "std_msgs/Float64"),
    "speed_ratio": ("set_speed_ratio", "std_msgs/Float64"),
    "endpoint": ("endpoint_state", "baxter_core_msgs/EndpointState"),
    "torques": ("gravity_compensation_torques", "baxter_core_msgs/SEAJointState"),
    "suppress_gravity": ("suppress_gravity_compensation", "std_msgs/Empty"),
    "suppress_avoidance": ("suppress_collision_avoidance", "std_msgs/Empty"),
    "suppress_contact": ("suppress_contact_safety", "std_msgs/Empty"),
    "avoidance": ("collision_avoidance_state", "baxter_core_msgs/CollisionAvoidanceState"),
    "detection": ("collision_detection_state", "baxter_core_msgs/CollisionDetectionState"),
    "inverse_dynamics": ("inverse_dynamics_command", "trajectory_msgs/JointTrajectoryPoint"),
}
_GRIPPER = {
    "gripper_state": ("state", "baxter_core_msgs/EndEffectorState"),
    "gripper_properties": ("properties", "baxter_core_msgs/EndEffectorProperties"),
    "gripper": ("command", "baxter_core_msgs/EndEffectorCommand"),
    "gripper_set_properties": (
        "rsdk/set_properties",
        "baxter_core_msgs/EndEffectorProperties",
    ),
    "gripper_set_state": ("rsdk/set_state", "baxter_core_msgs/EndEffectorState"),
}


def of_robot(word: str) -> Topic:
    """A topic of the whole robot."""
    name, kind = _ROBOT[word]
    return Topic(name, message_class(kind))


def limb(side: str, word: str) -> Topic:
    """A topic of one arm or its gripper."""
    assert side in SIDES
    if word in _LIMB:
        name, kind = _LIMB[word]
        return Topic(f"/robot/limb/{side}/{name}", message_class(kind))
    name, kind = _GRIPPER[word]
    return Topic(f"/robot/end_effector/{side}_gripper/{name}", message_class(kind))
