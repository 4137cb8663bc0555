"""Headers without programs: the record of one twin as a struct, the arm's lengths as constants."""

from __future__ import annotations

import math

from baxterkit.kernels.twin_fields import CONSTANTS, MODES, RECORD, STATE, WINDOW, Field
from baxterkit.model.lengths import arm_lengths


def twin_fields() -> str:
    """The fields of the twin's record in C++, without the provenance."""
    modes = ", ".join(f"kMode{mode.title().replace(' ', '')}" for mode in MODES)
    return "\n".join(
        [
            "#pragma once",
            "",
            "#include <cstdint>",
            "",
            "namespace baxterkit {",
            "",
            f"enum TwinMode : std::int64_t {{ {modes} }};",
            f"constexpr int kWindow = {WINDOW};",
            "",
            "struct TwinRecord {",
            *(_member(field) for field in CONSTANTS),
            "  // The state.",
            *(_member(field) for field in STATE),
            "};",
            f"static_assert(sizeof(TwinRecord) == {RECORD.itemsize});",
            "",
            "}  // namespace baxterkit",
            "",
        ]
    )


def _member(field: Field) -> str:
    kind = "std::int64_t" if field.whole else "double"
    axes = "".join(f"[{n}]" for n in field.shape)
    return f"  {kind} {field.name}{axes};  // {field.doc}"


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
