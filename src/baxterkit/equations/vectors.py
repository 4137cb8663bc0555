"""Vectors and small matrices of duck-typed scalars, as plain lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

Scalar: TypeAlias = Any
"""Anything with `+ - *`: graph expression, float, mpmath number, SymPy expression, array."""

Vector: TypeAlias = list[Scalar]
"""Three scalars."""

Matrix: TypeAlias = list[list[Scalar]]
"""Rows of scalars."""

SNAP = 1e-8
"""Angles this close [rad] to a multiple of pi/2 count as that multiple."""


def snapped_cos_sin(angle: float) -> tuple[float, float]:
    """Cosine and sine, exact (as integers) where `angle` is a multiple of pi/2 within `SNAP`."""
    quarter = round(angle / (math.pi / 2))
    if abs(angle - quarter * math.pi / 2) <= SNAP:
        return ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter % 4]
    return math.cos(angle), math.sin(angle)


def matvec(A: Sequence[Sequence[Scalar]], v: Sequence[Scalar]) -> Vector:
    """The product A v."""
    return [row[0] * v[0] + row[1] * v[1] + row[2] * v[2] for row in A]


def transposed_matvec(A: Sequence[Sequence[Scalar]], v: Sequence[Scalar]) -> Vector:
    """The product A' v."""
    return [A[0][k] * v[0] + A[1][k] * v[1] + A[2][k] * v[2] for k in range(3)]


def cross(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """The cross product a × b."""
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def add(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """The sum a + b."""
    return [x + y for x, y in zip(a, b, strict=True)]


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """The dot product a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def subtract(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """The difference a - b."""
    return [x - y for x, y in zip(a, b, strict=True)]


def scale(k: Scalar, a: Sequence[Scalar]) -> Vector:
    """The multiple k a."""
    return [k * x for x in a]
