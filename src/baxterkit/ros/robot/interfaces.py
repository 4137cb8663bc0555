"""Every interface of a Baxter with software 1.2, in one table: name, type, rate, who makes it.

Names and types are those that a bridge for the real robot lists (CentraleNantesRobotics,
baxter_common_ros2, `baxter_bridge`), besides those of Rethink's own programs. The twin, its tests
and docs/ros-interfaces.md follow this table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from baxterkit.messages import message_class, service_type
from baxterkit.messages.definitions import TEXTS
from baxterkit.model.names import SIDES
from baxterkit.ros.robot.components import ANALOG, CAMERAS, DIGITAL, NAVIGATORS

NAMES = {
    "side": SIDES,
    "digital": DIGITAL,
    "analog": ANALOG,
    "navigator": NAVIGATORS,
    "camera": CAMERAS,
    "part": ("head", "left", "right", "torso"),
    "check": ("Tare", "CalibrateArm"),
}
"""Placeholder in a name -> what stands for it."""
MEASURED = "measured on a robot"
CHOSEN = "chosen"


@dataclass(frozen=True)
class Interface:
    """A topic or service of the robot.

    Attributes:
        name: Its name; a placeholder in braces stands for one of `NAMES`.
        kind: Full name of its type.
        role: What the robot does with it: "publishes", "listens" or "answers".
        twin: What the twin does: "provided", "accepted" (it listens, and nothing comes of it) or
            "absent".
        maker: What makes it, or obeys it.
        rate: Messages a second; 0 if once, or on demand.
        source: Where the rate is from.
    """

    name: str
    kind: str
    role: str
    twin: str
    maker: str = ""
    rate: float = 0.0
    source: str = ""

    @property
    def md5(self) -> str:
        """The checksum of its type; "" where nobody has published that."""
        if self.kind not in TEXTS:
            return ""
        if self.role == "answers":
            return service_type(self.kind).md5
        return message_class(self.kind).MD5

    def each(self) -> Iterator[Interface]:
        """The interface of each name, without placeholders."""
        words = [word for word in NAMES if f"{{{word}}}" in self.name]
        for values in product(*(NAMES[word] for word in words)):
            filled = dict(zip(words, values, strict=True))
            yield replace(self, name=self.name.format(**filled))


def _says(name: str, kind: str, maker: str, rate: float = 0.0, source: str = CHOSEN) -> Interface:
    return Interface(name, kind, "publishes", "provided", maker, rate, source if rate else "")


def _hears(name: str, kind: str, maker: str = "") -> Interface:
    return Interface(name, kind, "listens", "provided" if maker else "accepted", maker)


def _silent(name: str, kind: str) -> Interface:
    return Interface(name, kind, "publishes", "absent")


def _answers(name: str, kind: str, maker: str) -> Interface:
    return Interface(name, kind, "answers", "provided", maker)


CORE = "baxter_core_msgs/"
LIMB = "/robot/limb/{side}/"
GRIPPER = "/robot/end_effector/{side}_gripper/"
SONAR = "/robot/sonar/head_sonar/"
CHECK = "/robustcontroller/{side}/{check}/"

PUBLISHED = (
    _says("/robot/joint_states", "sensor_msgs/JointState", "joint_states", 100.0, MEASURED),
    _says("/robot/ref_joint_states", "sensor_msgs/JointState", "joint_states", 100.0),
    _says("/robot/state", f"{CORE}AssemblyState", "twin_robot", 100.0),
    _says("/robot/assembly/{part}/state", f"{CORE}AssemblyState", "parts", 10.0),
    _says("/robot/head/state", f"{CORE}AssemblyState", "parts", 10.0),
    _says(f"{LIMB}state", f"{CORE}AssemblyState", "parts", 10.0),
    _says("/robot/head/head_state", f"{CORE}HeadState", "head", 100.0),
    _says(f"{LIMB}endpoint_state", f"{CORE}EndpointState", "arm", 100.0, MEASURED),
    _says(f"{LIMB}commanded_endpoint_state", f"{CORE}EndpointState", "arm", 100.0),
    _says(f"{LIMB}gravity_compensation_torques", f"{CORE}SEAJointState", "arm", 100.0, MEASURED),
    _says(f"{LIMB}collision_avoidance_state", f"{CORE}CollisionAvoidanceState", "arm", 100.0),
    _says(f"{LIMB}collision_detection_state", f"{CORE}CollisionDetectionState", "arm", 100.0),
    _says(f"{GRIPPER}state", f"{CORE}EndEffectorState", "end_effector", 19.0, MEASURED),
    _says(f"{GRIPPER}properties", f"{CORE}EndEffectorProperties", "end_effector"),
    _says("/robot/digital_io/{digital}/state", f"{CORE}DigitalIOState", "io", 20.0),
    _says("/robot/digital_io_states", f"{CORE}DigitalIOStates", "io", 20.0),
    _says("/robot/analog_io/{analog}/state", f"{CORE}AnalogIOState", "io", 20.0),
    _says("/robot/analog_io/{analog}/value_uint32", "std_msgs/UInt32", "io", 20.0),
    _says("/robot/analog_io_states", f"{CORE}AnalogIOStates", "io", 20.0),
    _says("/robot/navigators/{navigator}_navigator/state", f"{CORE}NavigatorState", "io", 20.0),
    _says("/robot/navigators_states", f"{CORE}NavigatorStates", "io", 20.0),
    _says("/robot/range/{side}_hand_range/state", "sensor_msgs/Range", "sensing", 20.0),
    _says("/robot/accelerometer/{side}_accelerometer/state", "sensor_msgs/Imu", "sensing", 100.0),
    _says(f"{SONAR}state", "sensor_msgs/PointCloud", "sonar", 10.0),
    _says(f"{SONAR}sonars_enabled", "std_msgs/UInt16", "sonar", 10.0),
    _says(f"{SONAR}lights/state", "std_msgs/UInt16", "sonar", 10.0),
    _says(f"{SONAR}lights/green_level", "std_msgs/Float32", "sonar", 10.0),
    _says(f"{SONAR}lights/red_level", "std_msgs/Float32", "sonar", 10.0),
    _says(f"{CHECK}status", f"{CORE}RobustControllerStatus", "checkups", 10.0),
    _says("/robustcontroller/{side}/rc_plugins_loaded", "std_msgs/Bool", "checkups"),
    _says("/diagnostics", "diagnostic_msgs/DiagnosticArray", "parts", 1.0),
    _says("/diagnostics_agg", "diagnostic_msgs/DiagnosticArray", "parts", 1.0),
    _says("/diagnostics_toplevel_state", "diagnostic_msgs/DiagnosticStatus", "parts", 1.0),
    _says("/cameras/{camera}/image", "sensor_msgs/Image", "cameras"),
    _says("/cameras/{camera}/camera_info", "sensor_msgs/CameraInfo", "cameras"),
    _says("/cameras/{camera}/camera_info_std", "sensor_msgs/CameraInfo", "cameras"),
    _silent(f"{LIMB}suppress_body_avoidance", "std_msgs/Empty"),
    _silent("/usb/ready", "std_msgs/Bool"),
    _silent("/update/progress", "std_msgs/Int32"),
    _silent("/update/status", "std_msgs/Int32"),
    _silent("/hdraw", "std_msgs/UInt8MultiArray"),
)
"""What the robot publishes, by the bridge's list."""

HEARD = (
    _hears(f"{LIMB}joint_command", f"{CORE}JointCommand", "arm"),
    _hears(f"{LIMB}joint_command_timeout", "std_msgs/Float64", "arm"),
    _hears(f"{LIMB}set_speed_ratio", "std_msgs/Float64", "arm"),
    _hears(f"{LIMB}command_velocity_tozero", "std_msgs/Bool", "arm"),
    _hears(f"{LIMB}suppress_gravity_compensation", "std_msgs/Empty", "arm"),
    _hears(f"{LIMB}suppress_collision_avoidance", "std_msgs/Empty", "assembly"),
    _hears(f"{LIMB}suppress_cuff_interaction", "std_msgs/Empty", "arm"),
    _hears(f"{LIMB}suppress_contact_safety", "std_msgs/Empty"),
    _hears(f"{LIMB}suppress_hand_overwrench_safety", "std_msgs/Empty"),
    _hears(f"{LIMB}use_default_spring_model", "std_msgs/Empty"),
    _hears(f"{LIMB}inverse_dynamics_command", "trajectory_msgs/JointTrajectoryPoint", "arm"),
    _hears(f"{LIMB}command_twist_stamped", "geometry_msgs/TwistStamped"),
    _hears(f"{LIMB}command_stiffness", "std_msgs/UInt32"),
    _hears(f"{LIMB}set_dominance", "std_msgs/Bool"),
    _hears(f"{GRIPPER}command", f"{CORE}EndEffectorCommand", "end_effector"),
    _hears(f"{GRIPPER}rsdk/set_properties", f"{CORE}EndEffectorProperties", "custom_hand"),
    _hears(f"{GRIPPER}rsdk/set_state", f"{CORE}EndEffectorState", "custom_hand"),
    _hears("/robot/set_super_enable", "std_msgs/Bool", "assembly"),
    _hears("/robot/set_super_reset", "std_msgs/Empty", "assembly"),
    _hears("/robot/set_super_stop", "std_msgs/Empty", "assembly"),
    _hears("/robot/set_motor_voltage_low", "std_msgs/Bool"),
    _hears("/robot/joint_state_publish_rate", "std_msgs/UInt16", "joint_states"),
    _hears("/robot/head/command_head_pan", f"{CORE}HeadPanCommand", "head"),
    _hears("/robot/head/command_head_nod", "std_msgs/Bool", "head"),
    _hears("/robot/digital_io/command", f"{CORE}DigitalOutputCommand", "io"),
    _hears("/robot/analog_io/command", f"{CORE}AnalogOutputCommand", "io"),
    _hears(f"{SONAR}set_sonars_enabled", "std_msgs/UInt16", "sonar"),
    _hears(f"{SONAR}lights/set_lights", "std_msgs/UInt16", "sonar"),
    _hears(f"{SONAR}lights/set_green_level", "std_msgs/Float32", "sonar"),
    _hears(f"{SONAR}lights/set_red_level", "std_msgs/Float32", "sonar"),
    _hears("/robustcontroller/{side}/Tare/enable",
           "baxter_maintenance_msgs/TareEnable", "checkups"),
    _hears("/robustcontroller/{side}/CalibrateArm/enable",
           "baxter_maintenance_msgs/CalibrateArmEnable", "checkups"),
    _hears("/robot/xdisplay", "sensor_msgs/Image", "screen"),
)  # fmt: skip
"""What the robot listens to, by the bridge's list."""

BESIDES = (
    _says("/tf", "tf2_msgs/TFMessage", "description", 20.0),
    _says("/tf_static", "tf2_msgs/TFMessage", "description"),
    _silent("/robot/joint_names", "MotorControlMsgs/StringArray"),
    _silent("/rosout", "rosgraph_msgs/Log"),
    _hears("/robot/urdf", f"{CORE}URDFConfiguration", "description"),
    _answers("/ExternalTools/{side}/PositionKinematicsNode/IKService", f"{CORE}SolvePositionIK",
             "ik_service"),
    _answers("/cameras/list", f"{CORE}ListCameras", "cameras"),
    _answers("/cameras/open", f"{CORE}OpenCamera", "cameras"),
    _answers("/cameras/close", f"{CORE}CloseCamera", "cameras"),
    _answers("/cameras/reset", "std_srvs/Empty", "cameras"),
)  # fmt: skip
"""What Rethink's programs use besides."""

TABLE = (*PUBLISHED, *HEARD, *BESIDES)


def interface(name: str) -> Interface:
    """The row of a topic or service by its name.

    Raises:
        KeyError: If there is none.
    """
    return _BY_NAME[name]


_BY_NAME = {one.name: one for row in TABLE for one in row.each()}
