"""Rotations and rigid motions, batched, in plain NumPy.

Conventions: `T_a_b` maps b-coordinates to a. Twists are [v; w], linear rows first. Quaternions are
x y z w, as in ROS. Roll, pitch, yaw are URDF's: R = Rz(yaw) Ry(pitch) Rx(roll). Every function
takes leading batch axes, and is accurate to rounding at angle 0 and at pi.

Every function checks its arguments: a wrong shape is a `ShapeError`; NaN, infinity, a matrix that
is no rotation and a transform that is not rigid (both to within 1e-6, as everywhere in this
package) are `InputError`s. The formulas are in `formulas`, unchecked: the package itself, whose
matrices are checked where they come in, calls those.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.arrays import finite_array, rotation_array, transform_array, vector_array
from baxterkit.checks.explain import explain_shapes
from baxterkit.errors import ShapeError
from baxterkit.spatial import formulas
from baxterkit.types import Array, Quaternion, Rotation, Transform, Twist, Vector3

__all__ = [
    "adjoint",
    "inverse",
    "matrix_to_quaternion",
    "matrix_to_rpy",
    "mirrored",
    "nearest_rotation",
    "pose_error",
    "quaternion_to_matrix",
    "rotation_angle",
    "rpy_to_matrix",
    "se3_exp",
    "se3_log",
    "sincos",
    "skew",
    "so3_exp",
    "so3_log",
    "transform",
]


def skew(v: ArrayLike) -> Rotation:
    """Cross-product matrix: `skew(v) @ u == cross(v, u)`.

    Args:
        v: Vectors, shape (*batch, 3).

    Returns:
        Skew-symmetric matrices, shape (*batch, 3, 3).
    """
    return formulas.skew(vector_array(v, "v"))


def so3_exp(w: ArrayLike) -> Rotation:
    """Rotation by the angle |w| [rad] about the axis w, shapes (*batch, 3) -> (*batch, 3, 3)."""
    return formulas.so3_exp(vector_array(w, "w"))


def so3_log(R: ArrayLike) -> Vector3:
    """Rotation vector of `R`: axis times angle [rad], the angle in [0, pi].

    Args:
        R: Rotations, shape (*batch, 3, 3).

    Returns:
        Rotation vectors [rad], shape (*batch, 3). At the angle pi, where both signs of the axis are
        valid, it is one of the two.
    """
    return formulas.so3_log(rotation_array(R))


def rotation_angle(R: ArrayLike) -> Array:
    """Angle of the rotations `R` [rad], in [0, pi], shape (*batch, 3, 3) -> (*batch)."""
    return formulas.rotation_angle(rotation_array(R))


def se3_exp(xi: ArrayLike) -> Transform:
    """Rigid motion after following the constant twist `xi` for unit time.

    Args:
        xi: Twists [v; w], [m; rad], shape (*batch, 6).

    Returns:
        Transforms, shape (*batch, 4, 4).
    """
    return formulas.se3_exp(vector_array(xi, "xi", 6))


def se3_log(T: ArrayLike) -> Twist:
    """The twist [v; w] with `se3_exp(twist) == T`, shape (*batch, 4, 4) -> (*batch, 6).

    The rotation part is that of `so3_log`: its angle is in [0, pi].
    """
    return formulas.se3_log(transform_array(T))


def transform(R: ArrayLike, p: ArrayLike) -> Transform:
    """Homogeneous transforms from rotations (*batch, 3, 3) and positions (*batch, 3) [m].

    Raises:
        ShapeError: If a shape is wrong, as where the two are swapped.
    """
    rotations, positions = finite_array(R, "R"), finite_array(p, "p")
    if rotations.shape[-2:] == (3, 3):
        _need_common_axes(("R", "p"), (rotations.shape[:-2], positions.shape[:-1]))
        rotation_array(rotations)
    return formulas.transform(rotations, positions)


def inverse(T: ArrayLike) -> Transform:
    """Inverses of rigid transforms, shape (*batch, 4, 4): `T_b_a` from `T_a_b`."""
    return formulas.inverse(transform_array(T))


def mirrored(T: ArrayLike) -> Transform:
    """Mirror image of poses at the plane between the robot's left and right, y = 0.

    The image of a right-handed frame has its y axis turned round, so that it is right-handed
    again: the mirror image of a pose of the left hand is the pose of the right hand.

    Args:
        T: Poses in base, shape (*batch, 4, 4).

    Returns:
        S T S with S = diag(1, -1, 1, 1), shape (*batch, 4, 4).
    """
    return formulas.mirrored(transform_array(T))


def adjoint(T: ArrayLike) -> Array:
    """Maps twists from b to a, linear rows first: V_a = Ad V_b.

    Args:
        T: Transforms `T_a_b`, shape (*batch, 4, 4).

    Returns:
        [[R, skew(p) R], [0, R]], shape (*batch, 6, 6).
    """
    return formulas.adjoint(transform_array(T))


def sincos(angle: ArrayLike) -> tuple[Array, Array]:
    """Sine and cosine of angles [rad], any shape.

    Exact (0, 1, -1) where an angle is the double nearest to a multiple of pi/2, up to 2 pi.
    """
    return formulas.sincos(finite_array(angle, "angle"))


def rpy_to_matrix(rpy: ArrayLike) -> Rotation:
    """Rotation of URDF's roll, pitch, yaw [rad] about fixed axes: Rz(yaw) Ry(pitch) Rx(roll).

    An angle that is the double nearest to a multiple of pi/2 (up to 2 pi) counts as that multiple,
    so that right angles give exact zeros and ones.

    Args:
        rpy: Roll, pitch, yaw, shape (*batch, 3).

    Returns:
        Rotations, shape (*batch, 3, 3).

    Raises:
        ShapeError: If there are not 3 angles.

    Warns:
        UnitsWarning: If an angle is more than a turn, and may be in degrees.
    """
    return formulas.rpy_to_matrix(finite_array(rpy, "rpy"))


def matrix_to_rpy(R: ArrayLike) -> Vector3:
    """Roll, pitch, yaw [rad] of rotations, pitch in [-pi/2, pi/2].

    `rpy_to_matrix` gives back `R` to rounding at every pitch: at and near the gimbal lock, where
    only roll minus (or plus) yaw is determined, roll is computed for the yaw that was chosen (0 in
    the lock).

    Args:
        R: Rotations, shape (*batch, 3, 3).

    Returns:
        Roll, pitch, yaw, shape (*batch, 3).
    """
    return formulas.matrix_to_rpy(rotation_array(R))


def quaternion_to_matrix(quaternion: ArrayLike) -> Rotation:
    """Rotations of quaternions x y z w, shape (*batch, 4) -> (*batch, 3, 3).

    The quaternion need not have unit length, and its sign does not matter.

    Raises:
        InputError: If a quaternion is zero.
        ShapeError: If the last axis is not 4 long.
    """
    return formulas.quaternion_to_matrix(finite_array(quaternion, "quaternion"))


def matrix_to_quaternion(R: ArrayLike) -> Quaternion:
    """Unit quaternions x y z w, w >= 0, of rotations, shape (*batch, 3, 3) -> (*batch, 4).

    Of the four rows of the matrix 4 q q^T, which are linear in R, the one of q's largest component
    is taken, so no digit is lost at any angle.
    """
    return formulas.matrix_to_quaternion(rotation_array(R))


def nearest_rotation(R: ArrayLike) -> Rotation:
    """The rotations nearest to the matrices `R` (least squares), shape (*batch, 3, 3)."""
    matrices = finite_array(R, "R")
    if matrices.shape[-2:] != (3, 3):
        raise ShapeError(f"R must have shape (..., 3, 3), got {matrices.shape}")
    return formulas.nearest_rotation(matrices)


def pose_error(T_a: ArrayLike, T_b: ArrayLike) -> tuple[Array, Array]:
    """Distance between poses that share a reference frame.

    Args:
        T_a: Poses, shape (*batch, 4, 4).
        T_b: Poses, same shape or one that broadcasts.

    Returns:
        Distance of the origins [m] and angle of the rotation from one to the other [rad], in
        [0, pi], shape (*batch) each.
    """
    a, b = transform_array(T_a, "T_a"), transform_array(T_b, "T_b")
    _need_common_axes(("T_a", "T_b"), (a.shape[:-2], b.shape[:-2]))
    return formulas.pose_error(a, b)


def _need_common_axes(names: tuple[str, str], axes: tuple[tuple[int, ...], ...]) -> None:
    """Raises ShapeError if leading axes cannot be broadcast against each other."""
    try:
        np.broadcast_shapes(*axes)
    except ValueError:
        explain_shapes(names, axes)
