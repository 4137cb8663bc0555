"""Kinematics in plain NumPy: the readable reference that the native kernels are proven equal to.

Functions take an `ArmModel` of any geometry, and real or complex arrays with leading batch axes.
They do not check their input: the boundary is `Arm`.
"""

from baxterkit.kinematics.dexterity import (
    condition_number,
    manipulability,
    null_vector,
    smallest_singular_value,
)
from baxterkit.kinematics.forward import forward_kinematics, link_poses
from baxterkit.kinematics.jacobians import bias_acceleration, body_jacobian, jacobian, twist
from baxterkit.kinematics.velocity import joint_velocity, nullspace, pseudoinverse

__all__ = [
    "bias_acceleration",
    "body_jacobian",
    "condition_number",
    "forward_kinematics",
    "jacobian",
    "joint_velocity",
    "link_poses",
    "manipulability",
    "null_vector",
    "nullspace",
    "pseudoinverse",
    "smallest_singular_value",
    "twist",
]
