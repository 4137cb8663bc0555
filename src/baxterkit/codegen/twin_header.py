"""The record of one twin as a C++ struct, for its compiled step."""

from __future__ import annotations

from baxterkit.kernels.twin_fields import CONSTANTS, MODES, RECORD, STATE, WINDOW, Field


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
