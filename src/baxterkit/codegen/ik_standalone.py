"""Writes the exact inverse kinematics as one C++ file with a C interface.

The file is made of the sources that the extension is compiled from (`native/ik_export.cpp` and all
that it includes, each once), so with the same compiler flags it computes the same bits. Of the
generated headers only the functions that are called go in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from baxterkit import disk
from baxterkit.codegen.provenance import PACKAGE, provenance
from baxterkit.codegen.text import wrapped
from baxterkit.equations import base_parameters
from baxterkit.errors import InputError
from baxterkit.model.model import ArmModel

IK = "ik"
FLAGS = "-std=c++17 -O2 -ffp-contract=off -fno-math-errno -fno-trapping-math"
"""Compiler flags of the extension that can change a result."""
ISA_FLAGS = {
    "avx2": "-mavx2 -mfma",
    "avx512": "-mavx512f -mavx512dq -mavx512vl -mavx2 -mfma -mprefer-vector-width=512",
    "baseline": "",
}
"""Instruction set → the flags that choose it."""

_NATIVE = PACKAGE / "native"
_INTERFACE, _SOURCE, _ARM = "ik_export.h", "ik_export.cpp", "ik_export_arm.inc"
_PREFIX = "baxterkit_ik"
_INCLUDE = re.compile(r'#include (?:"(?P<own>[^"]+)"|<(?P<standard>[^>]+)>)')
_FUNCTION = re.compile(r"BK_INLINE void (\w+)\(")
_MACROS = ("BK_INLINE", "BK_NOINLINE", "BK_LONG", "BK_UNROLL", "BAXTERKIT_ISA", "BAXTERKIT_CUDA")


def write(model: ArmModel, name: str, command: str) -> str:
    """The text of the file.

    Args:
        model: The arm whose mount, tool, limits and inertias are the file's default.
        name: Prefix of all functions and types.
        command: How to make the file again, for its header.

    Raises:
        InputError: If the arm has another geometry than Baxter's.
    """
    if not model.is_baxter_geometry:
        raise InputError(
            "the exact inverse kinematics is of Baxter's geometry, and this arm has another one; "
            "export fk and jacobian, and iterate"
        )
    text = "\n".join(_lines(model, command)) + "\n"
    # Two files in one program, of two arms or two versions, share no name.
    text = re.sub(r"\bnamespace baxterkit\b", f"namespace {name}_code", text)
    text = re.sub(r"\bbaxterkit::", f"{name}_code::", text)
    text = text.replace(_PREFIX.upper(), name.upper())
    return text.replace(_PREFIX, name)


def _lines(model: ArmModel, command: str) -> Iterator[str]:
    for line in provenance(model, command):
        yield f"// {line}"
    yield from (f"// {line}".rstrip() for line in _about())
    guard = f"{_PREFIX.upper()}_DECLARED"
    yield f"#ifndef {guard}"
    yield f"#define {guard}"
    yield ""
    yield from _read(_NATIVE / _INTERFACE).partition("*/\n")[2].splitlines()
    yield ""
    yield f"#endif  // {guard}"
    yield ""
    yield f"#if defined({_PREFIX.upper()}_IMPLEMENTATION) && !defined({_PREFIX.upper()}_COMPILED)"
    yield f"#define {_PREFIX.upper()}_COMPILED"
    yield "#if !defined(__cplusplus) || __cplusplus < 201703L"
    yield '#error "the implementation is C++17"'
    yield "#endif"
    yield "#ifdef __FAST_MATH__"
    yield '#error "-ffast-math breaks the checks for NaN and infinity: leave it out"'
    yield "#endif"
    yield "#if defined(__AVX2__) && !defined(__FMA__)"
    yield '#error "-mavx2 needs -mfma beside it"'
    yield "#endif"
    yield "#define BAXTERKIT_ISA code"
    source = _Source(model)
    body = source.expand(_NATIVE / _SOURCE)
    yield ""
    yield from (f"#include <{header}>" for header in sorted(source.standard))
    yield ""
    yield from _squeezed(_called_only(body, source.generated))
    yield ""
    yield from (f"#undef {macro}" for macro in _MACROS)
    yield f"#endif  // {_PREFIX.upper()}_IMPLEMENTATION"


def _about() -> list[str]:
    rows = [f"  {isa}: {flags}".rstrip() for isa, flags in ISA_FLAGS.items() if flags]
    return [
        "",
        "Exact inverse kinematics of a Baxter arm: every solution, limits respected, and a",
        "reasoned no. One file that needs the C++17 standard library only. The interface is C.",
        "In one source file of the program write",
        "",
        f"  #define {_PREFIX.upper()}_IMPLEMENTATION",
        "",
        "before including it; that file is compiled as C++17 (gcc 12 or later, or clang). All",
        "others, C or C++, just include it. Answers are those of baxterkit to the last bit with",
        "the same compiler and",
        "",
        f"  {FLAGS}",
        "",
        "and these flags for baxterkit's instruction set (`baxterkit info` names it):",
        "",
        *rows,
        "  baseline: none; arm64 needs none either",
        "",
    ]


class _Source:
    """Sources with every include put in its place, once."""

    def __init__(self, model: ArmModel) -> None:
        self.model = model
        self.standard: set[str] = set()
        self.generated: set[str] = set()
        self._seen: set[Path] = set()

    def expand(self, path: Path) -> list[str]:
        """The lines of a file."""
        path = path.resolve()
        if path in self._seen or path.parent.name == "cuda":  # that is for GPUs
            return []
        self._seen.add(path)
        if path.name == _ARM:
            return list(_arm(self.model))
        if path.name == _INTERFACE:
            return []  # at the head of the file
        lines = []
        for line in _read(path).splitlines():
            found = _INCLUDE.match(line)
            if line == "#pragma once":
                continue
            if found is None:
                lines.append(line)
            elif found["own"]:
                lines += self.expand(path.parent / found["own"])
            elif found["standard"].endswith(".h"):
                lines.append(line)  # of an instruction set, inside a condition
            else:
                self.standard.add(found["standard"])
        if path.parent.name == "generated":
            self.generated |= set(_FUNCTION.findall("\n".join(lines)))
        return lines


def _arm(model: ArmModel) -> Iterator[str]:
    """The numbers of the arm, as an initialiser of the interface's struct."""
    parts = (
        model.T_base_s0[:3],
        model.T_hand_tip[:3],
        model.limits.lower,
        model.limits.upper,
        base_parameters.base_parameters(model),
        base_parameters.chain_gravity(model),
    )
    yield f"static const {_PREFIX}_arm {_PREFIX}_exported_arm = {{"
    for part in parts:
        yield from wrapped([_number(x) for x in np.ravel(part)], "    {", "},")
    yield "};"


def _number(x: float) -> str:
    if np.isinf(x):
        return "HUGE_VAL" if x > 0 else "-HUGE_VAL"
    return repr(float(x))


def _called_only(lines: list[str], generated: set[str]) -> list[str]:
    """The lines without generated functions that are not called; blank lines separate these."""
    text = "\n".join(lines)
    called = set(re.findall(r"generated::(\w+)", text)) & generated
    kept = []
    for block in text.split("\n\n"):
        found = _FUNCTION.search(block)
        if found is None or found[1] not in generated or found[1] in called:
            kept.append(block)
    return "\n\n".join(kept).splitlines()


def _squeezed(lines: list[str]) -> Iterator[str]:
    """Without the provenance of generated parts and with one blank line at most."""
    blank = False
    for line in lines:
        if re.match(r"// (Generated by|Model:|Command:|Operations \(sines)|//   \w+: \d", line):
            continue
        if line or not blank:
            yield line
        blank = not line


def _read(path: Path) -> str:
    if not path.exists():
        raise InputError(f"{path} is not installed; reinstall baxterkit")
    return disk.read_text(path)
