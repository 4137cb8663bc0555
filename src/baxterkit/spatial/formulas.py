"""The formulas of `baxterkit.spatial`, for arguments that are checked already.

A matrix that is no rotation, or NaN, gives a wrong result here, not an error; users call
`baxterkit.spatial`, whose functions have the same names, and whose docstrings say what is taken and
given. Only shapes that are easily swapped are looked at. `pose_difference` and `rotation_vector`
are for loops inside this package, and have no checked twin.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.units import warn_if_turns
from baxterkit.errors import InputError, ShapeError
from baxterkit.types import Array, Quaternion, Rotation, Transform, Twist, Vector3

_EPS = float(np.finfo(np.float64).eps)
_SMALL_ANGLE = 0.5  # rad; below it the series are exact to rounding, above it the closed forms are

Entries: TypeAlias = tuple[float, float, float, float, float, float, float, float, float]
"""Entries of a 3 by 3 matrix, row by row."""


def skew(v: ArrayLike) -> Rotation:
    """Cross-product matrix: `skew(v) @ u == cross(v, u)`."""
    v = np.asarray(v, dtype=np.float64)
    K = np.zeros((*v.shape[:-1], 3, 3))
    K[..., 0, 1], K[..., 0, 2] = -v[..., 2], v[..., 1]
    K[..., 1, 0], K[..., 1, 2] = v[..., 2], -v[..., 0]
    K[..., 2, 0], K[..., 2, 1] = -v[..., 1], v[..., 0]
    return K


def so3_exp(w: ArrayLike) -> Rotation:
    """Rotation by the angle |w| [rad] about the axis w (Rodrigues' formula)."""
    w = np.asarray(w, dtype=np.float64)
    angle = np.linalg.norm(w, axis=-1)[..., None, None]
    K = skew(w)
    R: Rotation = np.eye(3) + np.sinc(angle / np.pi) * K + _versine_ratio(angle) * (K @ K)
    return R


def so3_log(R: ArrayLike) -> Vector3:
    """Rotation vector of `R`: axis times angle [rad], the angle in [0, pi]."""
    q = matrix_to_quaternion(R)
    sine = np.linalg.norm(q[..., :3], axis=-1)
    angle = 2.0 * np.arctan2(sine, q[..., 3])
    ratio = np.divide(angle, sine, out=np.full_like(angle, 2.0), where=sine > 0.0)
    w: Vector3 = ratio[..., None] * q[..., :3]
    return w


def rotation_angle(R: ArrayLike) -> Array:
    """Angle of the rotations `R` [rad], in [0, pi], from their quaternions."""
    q = matrix_to_quaternion(R)
    angle: Array = 2.0 * np.arctan2(np.linalg.norm(q[..., :3], axis=-1), q[..., 3])
    return angle


def se3_exp(xi: ArrayLike) -> Transform:
    """Rigid motion after following the constant twist `xi` for unit time."""
    xi = np.asarray(xi, dtype=np.float64)
    v, w = xi[..., :3], xi[..., 3:]
    angle = np.linalg.norm(w, axis=-1)[..., None, None]
    K = skew(w)
    V = np.eye(3) + _versine_ratio(angle) * K + _sine_remainder_ratio(angle) * (K @ K)
    return transform(so3_exp(w), (V @ v[..., None])[..., 0])


def se3_log(T: ArrayLike) -> Twist:
    """The twist [v; w] with `se3_exp(twist) == T`, shape (*batch, 4, 4) -> (*batch, 6)."""
    T = np.asarray(T, dtype=np.float64)
    w = so3_log(T[..., :3, :3])
    angle = np.linalg.norm(w, axis=-1)[..., None, None]
    K = skew(w)
    V_inverse = np.eye(3) - 0.5 * K + _half_cotangent_ratio(angle) * (K @ K)
    v = (V_inverse @ T[..., :3, 3, None])[..., 0]
    return np.concatenate([v, w], axis=-1)


def transform(R: ArrayLike, p: ArrayLike) -> Transform:
    """Homogeneous transforms from rotations (*batch, 3, 3) and positions (*batch, 3) [m]."""
    R = np.asarray(R, dtype=np.float64)
    p = np.asarray(p, dtype=np.float64)
    if R.shape[-2:] != (3, 3) or p.shape[-1:] != (3,):
        raise ShapeError(
            f"transform(R, p) takes a rotation, shape (..., 3, 3), then a position, shape "
            f"(..., 3); got {R.shape} and {p.shape}"
        )
    T = np.zeros((*np.broadcast_shapes(R.shape[:-2], p.shape[:-1]), 4, 4))
    T[..., :3, :3] = R
    T[..., :3, 3] = p
    T[..., 3, 3] = 1.0
    return T


def inverse(T: ArrayLike) -> Transform:
    """Inverses of rigid transforms by the transposed rotation: `T_b_a` from `T_a_b`."""
    T = np.asarray(T, dtype=np.float64)
    R_transposed = np.swapaxes(T[..., :3, :3], -1, -2)
    return transform(R_transposed, -(R_transposed @ T[..., :3, 3, None])[..., 0])


def mirrored(T: ArrayLike) -> Transform:
    """Mirror image of poses at the plane between the robot's left and right, y = 0."""
    signs = np.array([1.0, -1.0, 1.0, 1.0])
    image: Transform = signs[:, None] * np.asarray(T, dtype=np.float64) * signs
    return image


def adjoint(T: ArrayLike) -> Array:
    """Maps twists from b to a, linear rows first: V_a = Ad V_b."""
    T = np.asarray(T, dtype=np.float64)
    R = T[..., :3, :3]
    A = np.zeros((*T.shape[:-2], 6, 6))
    A[..., :3, :3] = R
    A[..., :3, 3:] = skew(T[..., :3, 3]) @ R
    A[..., 3:, 3:] = R
    return A


def sincos(angle: ArrayLike) -> tuple[Array, Array]:
    """Sine and cosine of angles [rad], any shape."""
    angle = np.asarray(angle, dtype=np.float64)
    quarter = np.round(angle / (np.pi / 2.0))
    right = (angle == quarter * (np.pi / 2.0)) & (np.abs(quarter) <= 4.0)
    k = np.mod(quarter, 4.0)
    sine = np.where(right, np.where(k == 1.0, 1.0, np.where(k == 3.0, -1.0, 0.0)), np.sin(angle))
    cosine = np.where(right, np.where(k == 0.0, 1.0, np.where(k == 2.0, -1.0, 0.0)), np.cos(angle))
    return sine, cosine


def rpy_to_matrix(rpy: ArrayLike) -> Rotation:
    """Rotation of URDF's roll, pitch, yaw [rad] about fixed axes: Rz(yaw) Ry(pitch) Rx(roll)."""
    angles = np.asarray(rpy, float)
    if angles.ndim == 0 or angles.shape[-1] != 3:
        raise ShapeError(f"rpy must have 3 values on its last axis, got shape {angles.shape}")
    warn_if_turns(angles, "rpy")
    (sr, cr), (sp, cp), (sy, cy) = (sincos(x) for x in np.moveaxis(angles, -1, 0))
    R = np.empty((*np.shape(sr), 3, 3))
    R[..., 0, 0], R[..., 0, 1], R[..., 0, 2] = (
        cy * cp,
        cy * sp * sr - sy * cr,
        cy * sp * cr + sy * sr,
    )
    R[..., 1, 0], R[..., 1, 1], R[..., 1, 2] = (
        sy * cp,
        sy * sp * sr + cy * cr,
        sy * sp * cr - cy * sr,
    )
    R[..., 2, 0], R[..., 2, 1], R[..., 2, 2] = -sp, cp * sr, cp * cr
    R += 0.0  # no negative zeros
    return R


def matrix_to_rpy(R: ArrayLike) -> Vector3:
    """Roll, pitch, yaw [rad] of rotations, pitch in [-pi/2, pi/2]."""
    R = np.asarray(R, dtype=np.float64)
    locked = np.hypot(R[..., 0, 0], R[..., 1, 0]) <= _EPS
    yaw = np.where(locked, 0.0, np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    s, c = sincos(yaw)
    pitch = np.arctan2(-R[..., 2, 0], c * R[..., 0, 0] + s * R[..., 1, 0])
    roll = np.arctan2(s * R[..., 0, 2] - c * R[..., 1, 2], c * R[..., 1, 1] - s * R[..., 0, 1])
    return np.stack([roll, pitch, yaw], axis=-1) + 0.0


def quaternion_to_matrix(quaternion: ArrayLike) -> Rotation:
    """Rotations of quaternions x y z w, shape (*batch, 4) -> (*batch, 3, 3)."""
    q = np.asarray(quaternion, dtype=np.float64)
    if q.shape[-1:] != (4,):
        raise ShapeError(f"quaternions must have shape (*batch, 4), x y z w, got {q.shape}")
    if not q.any(axis=-1).all():
        raise InputError("a quaternion is zero; it must have a direction")
    size = np.abs(q).max(axis=-1, keepdims=True)
    # The square of a huge number is not one.
    q = q / size if (size > 1e150).any() else q
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    x, y, z, w = np.moveaxis(q, -1, 0)
    R = np.empty((*q.shape[:-1], 3, 3))
    R[..., 0, 0], R[..., 1, 1] = 1.0 - 2.0 * (y * y + z * z), 1.0 - 2.0 * (x * x + z * z)
    R[..., 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    R[..., 0, 1], R[..., 1, 0] = 2.0 * (x * y - z * w), 2.0 * (x * y + z * w)
    R[..., 0, 2], R[..., 2, 0] = 2.0 * (x * z + y * w), 2.0 * (x * z - y * w)
    R[..., 1, 2], R[..., 2, 1] = 2.0 * (y * z - x * w), 2.0 * (y * z + x * w)
    return R


def matrix_to_quaternion(R: ArrayLike) -> Quaternion:
    """Unit quaternions x y z w, w >= 0, of rotations, shape (*batch, 3, 3) -> (*batch, 4)."""
    R = np.asarray(R, dtype=np.float64)
    d0, d1, d2 = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    rows = np.empty((*R.shape[:-2], 4, 4))
    rows[..., 0, 0] = 1.0 + d0 - d1 - d2
    rows[..., 1, 1] = 1.0 - d0 + d1 - d2
    rows[..., 2, 2] = 1.0 - d0 - d1 + d2
    rows[..., 3, 3] = 1.0 + d0 + d1 + d2
    rows[..., 0, 1] = rows[..., 1, 0] = R[..., 0, 1] + R[..., 1, 0]
    rows[..., 0, 2] = rows[..., 2, 0] = R[..., 0, 2] + R[..., 2, 0]
    rows[..., 1, 2] = rows[..., 2, 1] = R[..., 1, 2] + R[..., 2, 1]
    rows[..., 0, 3] = rows[..., 3, 0] = R[..., 2, 1] - R[..., 1, 2]
    rows[..., 1, 3] = rows[..., 3, 1] = R[..., 0, 2] - R[..., 2, 0]
    rows[..., 2, 3] = rows[..., 3, 2] = R[..., 1, 0] - R[..., 0, 1]
    largest = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    flat = rows.reshape(-1, 4, 4)
    q = flat[np.arange(len(flat)), largest.ravel()].reshape(rows.shape[:-1])
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    result: Quaternion = np.where(q[..., 3:] < 0.0, -q, q)
    return result


def nearest_rotation(R: ArrayLike) -> Rotation:
    """The rotations nearest to the matrices `R`, by their singular values."""
    U, _, Vt = np.linalg.svd(np.asarray(R, dtype=np.float64))
    sign = np.linalg.det(U @ Vt)
    U[..., :, 2] *= np.sign(sign)[..., None]
    result: Rotation = U @ Vt
    return result


def pose_error(T_a: ArrayLike, T_b: ArrayLike) -> tuple[Array, Array]:
    """Distance between poses that share a reference frame."""
    T_a = np.asarray(T_a, dtype=np.float64)
    T_b = np.asarray(T_b, dtype=np.float64)
    position: Array = np.linalg.norm(T_a[..., :3, 3] - T_b[..., :3, 3], axis=-1)
    return position, rotation_angle(np.swapaxes(T_a[..., :3, :3], -1, -2) @ T_b[..., :3, :3])


def pose_difference(T_from: ArrayLike, T_to: ArrayLike) -> Twist:
    """Difference of two poses as a 6-vector, in base axes.

    Args:
        T_from: Poses of the tip in base, shape (*batch, 4, 4).
        T_to: Target poses, shape (*batch, 4, 4).

    Returns:
        The displacement of the origin [m] and the rotation vector [rad] of R_to R_from', at most π
        long: shape (*batch, 6). A single pose takes a code path of its own, equal to rounding and
        faster.
    """
    A, B = np.asarray(T_from, dtype=np.float64), np.asarray(T_to, dtype=np.float64)
    if A.ndim > 2 or B.ndim > 2:
        turn = so3_log(B[..., :3, :3] @ np.swapaxes(A[..., :3, :3], -1, -2))
        return np.concatenate([B[..., :3, 3] - A[..., :3, 3], turn], axis=-1)
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = A.tolist()
    (j, k, m, u), (n, o, p, v), (r, s, t, w), _ = B.tolist()
    about = rotation_vector((
        j * a + k * b + m * c, j * d + k * e + m * f, j * g + k * h + m * i,
        n * a + o * b + p * c, n * d + o * e + p * f, n * g + o * h + p * i,
        r * a + s * b + t * c, r * d + s * e + t * f, r * g + s * h + t * i,
    ))  # fmt: skip
    return np.array((u - x, v - y, w - z, *about))


def rotation_vector(R: Entries) -> tuple[float, float, float]:
    """`so3_log` of one rotation in plain numbers, row by row: faster than on small arrays."""
    R00, R01, R02, R10, R11, R12, R20, R21, R22 = R
    trace = R00 + R11 + R22
    if trace >= 0.0:
        scale, q0, q1, q2 = 1.0 + trace, R21 - R12, R02 - R20, R10 - R01
    elif R00 >= R11 and R00 >= R22:
        scale, q0, q1, q2 = R21 - R12, 1.0 + R00 - R11 - R22, R01 + R10, R02 + R20
    elif R11 >= R22:
        scale, q0, q1, q2 = R02 - R20, R01 + R10, 1.0 + R11 - R00 - R22, R12 + R21
    else:
        scale, q0, q1, q2 = R10 - R01, R02 + R20, R12 + R21, 1.0 + R22 - R00 - R11
    if scale < 0.0:
        scale, q0, q1, q2 = -scale, -q0, -q1, -q2
    sine = math.sqrt(q0 * q0 + q1 * q1 + q2 * q2)
    ratio = 2.0 * math.atan2(sine, scale) / sine if sine > 1e-150 else 2.0 / scale
    return ratio * q0, ratio * q1, ratio * q2


def _versine_ratio(angle: Array) -> Array:
    """(1 - cos x) / x^2, without cancellation at any x."""
    result: Array = 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2
    return result


def _sine_remainder_ratio(angle: Array) -> Array:
    """(x - sin x) / x^3: 1/6 at 0."""
    x2 = angle * angle
    series = _polynomial(x2, _SINE_REMAINDER)
    large = np.where(angle < _SMALL_ANGLE, 1.0, angle)
    return np.where(angle < _SMALL_ANGLE, series, (large - np.sin(large)) / large**3)


def _half_cotangent_ratio(angle: Array) -> Array:
    """(1 - (x/2) cot(x/2)) / x^2 on [0, pi]: 1/12 at 0."""
    x2 = angle * angle
    series = _polynomial(x2, _HALF_COTANGENT)
    large = np.where(angle < _SMALL_ANGLE, 1.0, angle)
    closed = (1.0 - 0.5 * large / np.tan(0.5 * large)) / (large * large)
    return np.where(angle < _SMALL_ANGLE, series, closed)


def _polynomial(x: Array, coefficients: tuple[float, ...]) -> Array:
    total = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


_SINE_REMAINDER = (1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800, -1 / 6227020800)
_HALF_COTANGENT = (
    1 / 12,
    1 / 720,
    1 / 30240,
    1 / 1209600,
    1 / 47900160,
    691 / 1307674368000,
    1 / 74724249600,
)
