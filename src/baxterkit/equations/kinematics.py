"""Kinematics of a chain in standard DH form, derived once for every backend.

The functions take sines and cosines of the joint angles as scalars that support `+ - *`:
expressions of a `Graph` (for code generation), floats, or SymPy symbols. A frame is carried as its
three axes and its origin in base coordinates, so that multiplying by Rz(θ) costs two rotated
columns and Rx(±π/2) costs nothing.

Symbols: frame i-1 → i is Rz(θ_i) Tz(d_i) Tx(a_i) Rx(α_i), θ_i = q_i + offset_i; joint i turns
about z_{i-1}; `r` is the tip as seen from a frame's origin, in base axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from baxterkit.equations.vectors import (
    Scalar,
    Vector,
    add,
    cross,
    dot,
    scale,
    snapped_cos_sin,
    subtract,
)


class DhRow(Protocol):
    """The interface of a row of a standard DH table (`baxterkit.model.dh.DhRow`) for this layer."""

    @property
    def theta_offset(self) -> float:
        """Constant part of theta [rad]."""

    @property
    def d(self) -> float:
        """Offset along the joint's axis [m]."""

    @property
    def a(self) -> float:
        """Offset along the common normal [m]."""

    @property
    def alpha(self) -> float:
        """Twist about the common normal [rad]."""


@dataclass(frozen=True)
class Frame:
    """Axes x, y, z and origin p of a frame, each three scalars in base coordinates."""

    x: Vector
    y: Vector
    z: Vector
    p: Vector


VelocityDerivation = Callable[
    [
        Sequence[DhRow],
        Sequence[Scalar],
        Sequence[Scalar],
        Sequence[Scalar],
        Frame,
        Sequence[Scalar],
    ],
    list[Scalar],
]
"""A derivation of (rows, s, c, qd, mount, tool offset), as `twist` and `bias_acceleration`."""

IDENTITY = Frame([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0])


def frame_from_rows(entries: Sequence[Scalar]) -> Frame:
    """The frame whose 3x4 transform `[R | p]` is given row by row as 12 scalars."""
    columns = [[entries[4 * row + column] for row in range(3)] for column in range(4)]
    return Frame(*columns)


def chain_frames(
    rows: Sequence[DhRow], s: Sequence[Scalar], c: Sequence[Scalar], mount: Frame = IDENTITY
) -> list[Frame]:
    """DH frames 0 … n in base coordinates; frame 0 is the mount."""
    frames = [mount]
    for row, sine, cosine in zip(rows, s, c, strict=True):
        frames.append(_next_frame(frames[-1], row, sine, cosine))
    return frames


def link_frames(
    origins: Sequence[Frame], s: Sequence[Scalar], c: Sequence[Scalar], mount: Frame = IDENTITY
) -> list[Frame]:
    """Frames of the links of a URDF chain, whose joints turn about their own z axis.

    Args:
        origins: Joint frame at q = 0 in the frame of the link before it, one for each joint.
        s: Sines of the joint angles.
        c: Cosines of the joint angles.
        mount: The frame that the first origin stands in.
    """
    frames: list[Frame] = []
    frame = mount
    for origin, sine, cosine in zip(origins, s, c, strict=True):
        frame = tool_frame(frame, origin)
        frame = Frame(
            add(scale(cosine, frame.x), scale(sine, frame.y)),
            subtract(scale(cosine, frame.y), scale(sine, frame.x)),
            frame.z,
            frame.p,
        )
        frames.append(frame)
    return frames


def tool_frame(last: Frame, tool: Frame) -> Frame:
    """The tip: the tool transform applied to the last frame."""
    return Frame(
        _in_frame(last, tool.x),
        _in_frame(last, tool.y),
        _in_frame(last, tool.z),
        add(last.p, _in_frame(last, tool.p)),
    )


def forward_kinematics(
    rows: Sequence[DhRow],
    s: Sequence[Scalar],
    c: Sequence[Scalar],
    mount: Frame = IDENTITY,
    tool: Frame | None = None,
) -> list[Scalar]:
    """The tip pose: the 12 entries of `[R | p]`, row by row."""
    tip = chain_frames(rows, s, c, mount)[-1]
    if tool is not None:
        tip = tool_frame(tip, tool)
    return rows_of(tip)


def rows_of(frame: Frame) -> list[Scalar]:
    """The 12 entries of a frame's `[R | p]`, row by row."""
    return [column[i] for i in range(3) for column in (frame.x, frame.y, frame.z, frame.p)]


def jacobian(
    rows: Sequence[DhRow],
    s: Sequence[Scalar],
    c: Sequence[Scalar],
    mount: Frame = IDENTITY,
    tool_offset: Sequence[Scalar] = (0.0, 0.0, 0.0),
) -> list[list[Scalar]]:
    """Geometric Jacobian of the tip in base axes: 7 columns of 6, linear part first.

    Column i is [z x r; z] with z the joint's axis and r the tip seen from any point of that axis.
    `r` is summed up from the tip backwards; the offset d_i along the joint's own axis is left out,
    because z x z = 0.
    """
    frames = chain_frames(rows, s, c, mount)
    r = _in_frame(frames[-1], tool_offset)
    columns: list[list[Scalar]] = []
    for i in reversed(range(len(rows))):
        axis = frames[i].z
        r = add(r, scale(rows[i].a, frames[i + 1].x))
        columns.append(cross(axis, r) + list(axis))
        r = add(r, scale(rows[i].d, axis))
    return columns[::-1]


def body_jacobian(
    rows: Sequence[DhRow], s: Sequence[Scalar], c: Sequence[Scalar], tool: Frame = IDENTITY
) -> list[list[Scalar]]:
    """Jacobian of the tip in tip axes: 7 columns of 6, linear part first.

    Walks from the tip to the base, so that every axis is found in tip coordinates at once.
    """
    frame = _inverse(tool)
    columns: list[list[Scalar]] = []
    for row, sine, cosine in zip(reversed(rows), reversed(s), reversed(c), strict=True):
        frame, on_axis = _previous_frame(frame, row, sine, cosine)
        columns.append(cross(on_axis, frame.z) + list(frame.z))
    return columns[::-1]


def twist(
    rows: Sequence[DhRow],
    s: Sequence[Scalar],
    c: Sequence[Scalar],
    qd: Sequence[Scalar],
    mount: Frame = IDENTITY,
    tool_offset: Sequence[Scalar] = (0.0, 0.0, 0.0),
) -> list[Scalar]:
    """Tip velocity [v; w] = J qd in base axes, by carrying velocities outwards."""
    frames = chain_frames(rows, s, c, mount)
    velocity: Vector = [0.0, 0.0, 0.0]
    rate: Vector = [0.0, 0.0, 0.0]
    for i, row in enumerate(rows):
        rate = add(rate, scale(qd[i], frames[i].z))
        step = add(scale(row.d, frames[i].z), scale(row.a, frames[i + 1].x))
        velocity = add(velocity, cross(rate, step))
    velocity = add(velocity, cross(rate, _in_frame(frames[-1], tool_offset)))
    return velocity + rate


def bias_acceleration(
    rows: Sequence[DhRow],
    s: Sequence[Scalar],
    c: Sequence[Scalar],
    qd: Sequence[Scalar],
    mount: Frame = IDENTITY,
    tool_offset: Sequence[Scalar] = (0.0, 0.0, 0.0),
) -> list[Scalar]:
    """J̇ q̇ of the tip in base axes: its acceleration when every joint's acceleration is zero."""
    frames = chain_frames(rows, s, c, mount)
    rate: Vector = [0.0, 0.0, 0.0]
    angular: Vector = [0.0, 0.0, 0.0]
    linear: Vector = [0.0, 0.0, 0.0]
    for i, row in enumerate(rows):
        turn = scale(qd[i], frames[i].z)
        angular = add(angular, cross(rate, turn))
        rate = add(rate, turn)
        step = add(scale(row.d, frames[i].z), scale(row.a, frames[i + 1].x))
        linear = add(linear, _accelerate(angular, rate, step))
    linear = add(linear, _accelerate(angular, rate, _in_frame(frames[-1], tool_offset)))
    return linear + angular


def null_vector(rows: Sequence[DhRow], s: Sequence[Scalar], c: Sequence[Scalar]) -> list[Scalar]:
    """The self-motion direction n of a 7-joint arm whose last two axes cross at a right angle.

    n_i is the signed minor of J without column i, so J n = 0 and |n| is Yoshikawa's index
    √det(J Jᵀ). Minors do not depend on the reference point or axes, so they are taken at the wrist
    centre, where columns 6 and 7 have no linear part, in the axes of frame 3. With m = z₅ x z₆,
    joints 1 to 5 must satisfy v = 0 and m · w = 0: four equations, whose 4x4 minors are n₁ … n₅.
    Joints 6 and 7 then cancel what is left of w in the plane of z₅ and z₆.
    """
    middle = 3
    outward = chain_frames(rows[middle:], s[middle:], c[middle:])
    inward = _frames_towards_base(rows[:middle], s[:middle], c[:middle])
    frames = inward[::-1] + outward[1:]
    centre = frames[5 + 1].p
    normal = cross(frames[5].z, frames[6].z)
    columns = []
    for i in range(5):
        axis = frames[i].z
        lever = subtract(centre, frames[i].p)
        columns.append([*cross(axis, lever), dot(normal, axis)])
    n = _minors_4x5(columns)
    rate: Vector = [0.0, 0.0, 0.0]
    for i in range(5):
        rate = add(rate, scale(n[i], frames[i].z))
    return [*n, -dot(frames[5].z, rate), -dot(frames[6].z, rate)]


def _next_frame(frame: Frame, row: DhRow, sine: Scalar, cosine: Scalar) -> Frame:
    sine, cosine = shifted(row.theta_offset, sine, cosine)
    x = add(scale(cosine, frame.x), scale(sine, frame.y))
    y = subtract(scale(cosine, frame.y), scale(sine, frame.x))
    p = add(add(frame.p, scale(row.d, frame.z)), scale(row.a, x))
    ca, sa = snapped_cos_sin(row.alpha)
    return Frame(
        x,
        add(scale(ca, y), scale(sa, frame.z)),
        subtract(scale(ca, frame.z), scale(sa, y)),
        p,
    )


def _previous_frame(frame: Frame, row: DhRow, sine: Scalar, cosine: Scalar) -> tuple[Frame, Vector]:
    """Frame i-1 from frame i, and the point of joint i's axis nearest to frame i's origin."""
    sine, cosine = shifted(row.theta_offset, sine, cosine)
    ca, sa = snapped_cos_sin(row.alpha)
    y = subtract(scale(ca, frame.y), scale(sa, frame.z))
    z = add(scale(sa, frame.y), scale(ca, frame.z))
    on_axis = subtract(frame.p, scale(row.a, frame.x))
    p = subtract(on_axis, scale(row.d, z))
    before = Frame(
        subtract(scale(cosine, frame.x), scale(sine, y)),
        add(scale(sine, frame.x), scale(cosine, y)),
        z,
        p,
    )
    return before, on_axis


def _frames_towards_base(
    rows: Sequence[DhRow], s: Sequence[Scalar], c: Sequence[Scalar]
) -> list[Frame]:
    """Frames n, n-1, …, 0 of a chain, in coordinates of frame n."""
    frames = [IDENTITY]
    for row, sine, cosine in zip(reversed(rows), reversed(s), reversed(c), strict=True):
        frames.append(_previous_frame(frames[-1], row, sine, cosine)[0])
    return frames


def _minors_4x5(columns: list[list[Scalar]]) -> list[Scalar]:
    """Signed 4x4 minors of five columns of four: (-1)^i det of the matrix without column i."""
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]

    def minor(rows: tuple[int, int]) -> dict[tuple[int, int], Scalar]:
        a, b = rows
        return {
            (i, j): columns[i][a] * columns[j][b] - columns[j][a] * columns[i][b] for i, j in pairs
        }

    upper, lower = minor((0, 1)), minor((2, 3))
    result: list[Scalar] = []
    for out in range(5):
        kept = [i for i in range(5) if i != out]
        total: Scalar = 0.0
        for i, j in pairs:
            if out in (i, j):
                continue
            k, m = (x for x in kept if x not in (i, j))
            sign = (-1) ** (kept.index(i) + kept.index(j) + 1)
            total = total + sign * (upper[i, j] * lower[k, m])
        result.append((-1) ** out * total)
    return result


def shifted(offset: float, sine: Scalar, cosine: Scalar) -> tuple[Scalar, Scalar]:
    """Sine and cosine of q + offset from those of q."""
    co, so = snapped_cos_sin(offset)
    return sine * co + cosine * so, cosine * co - sine * so


def _inverse(frame: Frame) -> Frame:
    x, y, z = ([frame.x[i], frame.y[i], frame.z[i]] for i in range(3))
    p = [-dot(axis, frame.p) for axis in (frame.x, frame.y, frame.z)]
    return Frame(x, y, z, p)


def _in_frame(frame: Frame, v: Sequence[Scalar]) -> Vector:
    """A vector given in a frame's axes, in base axes."""
    return add(add(scale(v[0], frame.x), scale(v[1], frame.y)), scale(v[2], frame.z))


def _accelerate(angular: Vector, rate: Vector, step: Vector) -> Vector:
    return add(cross(angular, step), cross(rate, cross(rate, step)))
