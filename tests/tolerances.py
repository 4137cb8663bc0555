"""Every tolerance of the test suite, named and justified. NaN never passes: use `assert_close`.

Lengths of the arm are about 1 m, so absolute and relative errors mean the same; one rounding error
is 1.1e-16.
"""

from __future__ import annotations

import numpy as np

FK_GOLDEN_POSITION = 5e-11
"""Golden poses were made with the URDF's 1.57079632679 for pi/2: 5e-12 rad over about 1 m, summed
over six joints [m]."""
FK_GOLDEN_ANGLE = 1e-10
"""The same rounding of pi/2 in the orientation [rad]."""
FK_ENGINE = 1e-14
"""FK against another engine on the same numbers: some 50 roundings [m, or entries of R]."""
NATIVE_FK = 1e-14
"""Native against NumPy FK: other order of operations, some 50 roundings."""
JACOBIAN_ENGINE = 1e-13
"""Jacobian against another engine or the complex step: differences and cross products of FK."""
CENTRAL_DIFFERENCE = 1e-8
"""Central differences with step 1e-6: truncation 1e-12, rounding 1e-16 / 1e-6 = 1e-10."""
SPATIAL = 2e-15
"""SO3 and SE3 functions and their inverses: about ten roundings of numbers up to 2."""
SPATIAL_NEAR_PI = 1e-14
"""Rotation vectors and twists up to half a turn: rounding of R, times pi and the position."""
ROUND_TRIP = 1e-15
"""A model written as URDF text and read again: angles through rpy, a few roundings."""
DH_RESIDUAL = 1e-12
"""DH tables against the chain they were made from [m and rad], as promised to users."""
DH_FACTS = 5e-12
"""Published inertials in DH frames were made with 1.57079632679 for pi/2: 5e-12 rad over 0.3 m."""


def assert_close(actual: object, expected: object, tolerance: float) -> None:
    """Fails unless every entry agrees to `tolerance` absolutely; NaN and shape mismatch fail."""
    a, b = np.asarray(actual), np.asarray(expected)
    assert a.shape == b.shape, f"shapes differ: {a.shape} and {b.shape}"
    worst = np.max(np.abs(a - b), initial=0.0)
    assert worst <= tolerance, f"differs by {worst:.3e}, allowed {tolerance:.1e}"
