"""The arm's lengths as C++ constants, for the hand-written inverse kinematics."""

from __future__ import annotations

import math

from baxterkit.model.lengths import arm_lengths


def lengths() -> str:
    """The arm's lengths in C++, without the provenance."""
    named = arm_lengths()
    constants = {f"k{name.upper()}": value for name, value in named._asdict().items()}
    constants["kR3"] = math.sqrt(named.a3 * named.a3 + named.d3 * named.d3)
    constants["kR5"] = math.sqrt(named.a5 * named.a5 + named.d5 * named.d5)
    constants["kGamma"] = math.atan2(named.a3, named.d3)
    return "\n".join(
        [
            "#pragma once",
            "",
            "namespace baxterkit {",
            "",
            "// Standard DH from the s0 frame to the hand [m]; R3: shoulder to elbow, R5: elbow to",
            "// wrist; Gamma: atan2(a3, d3) [rad], e1 of the stretched elbow.",
            *(f"constexpr double {name} = {float(value)!r};" for name, value in constants.items()),
            "",
            "}  // namespace baxterkit",
            "",
        ]
    )
