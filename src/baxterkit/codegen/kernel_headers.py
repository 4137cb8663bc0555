"""The C++ side of the kernel table: the list of kernels, and the declaration of each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from baxterkit.codegen.inputs import BETA, COSINES, GRAVITY, MOUNT, SINES, TOOL
from baxterkit.kernels.table import KERNELS, Argument, Kernel
from baxterkit.symbolic.program import Program

PROGRAM_ARGUMENTS = {
    SINES.name: "s",
    COSINES.name: "c",
    MOUNT.name: "p.mount",
    TOOL.name: "p.tool",
    BETA.name: "p.beta",
    GRAVITY.name: "p.gravity",
}
"""What a kernel passes to its program for each input that is not an argument of the kernel."""


def kernel_list() -> str:
    """The header that lists the kernels in order, each with its signature and docstring."""
    entries = [line for kernel in KERNELS for line in _list_entry(kernel)]
    entries[-1] = entries[-1].removesuffix(" \\")
    return "\n".join(
        [
            "#pragma once",
            "",
            "namespace baxterkit {",
            f"constexpr int kMaxInputs = {max(len(k.inputs) for k in KERNELS)};",
            f"constexpr int kMaxOutputDims = {max(len(k.shape) for k in KERNELS)};",
            "}  // namespace baxterkit",
            "",
            "// X(name, struct, signature and docstring), in the order of every table.",
            "#define BAXTERKIT_KERNELS(X) \\",
            *entries,
            "",
        ]
    )


def kernel_structs(programs: Mapping[str, Program]) -> str:
    """The header with the declaration of each kernel, and with the kernels that are one program.

    Args:
        programs: Every generated program by its name.
    """
    blocks = [block for kernel in KERNELS for block in _structs(kernel, programs)]
    return "\n".join(
        [
            "#pragma once",
            "",
            '#include "../kernels.hpp"',
            '#include "../simd.hpp"',
            '#include "derivatives.hpp"',
            '#include "dynamics.hpp"',
            '#include "gravity.hpp"',
            '#include "kinematics.hpp"',
            "",
            "namespace baxterkit {",
            "namespace BAXTERKIT_ISA {",
            "",
            "template <int Id>",
            "struct Declared;",
            "",
            *blocks,
            "}  // namespace BAXTERKIT_ISA",
            "}  // namespace baxterkit",
            "",
        ]
    )


def _list_entry(kernel: Kernel) -> Iterator[str]:
    yield f"  X({kernel.name}, {kernel.class_name}, \\"
    lines = [kernel.text_signature, "--", "", *kernel.doc().split("\n")]
    for line in lines[:-1]:
        yield f"    {literal(line + chr(10))} \\"
    yield f"    {literal(lines[-1])}) \\"


def literal(text: str) -> str:
    """A string literal of C++."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _structs(kernel: Kernel, programs: Mapping[str, Program]) -> Iterator[str]:
    n, ndim = len(kernel.inputs), len(kernel.shape)
    widths = ", ".join(str(argument.width) for argument in kernel.inputs)
    names = ", ".join(f'"{argument.name}"' for argument in kernel.inputs)
    dims = ", ".join(map(str, kernel.shape or (1,)))
    size, outputs = max(1, ndim), math.prod(kernel.shape)
    yield f"""\
template <>
struct Declared<kernel_{kernel.name}> {{
  static constexpr int id = kernel_{kernel.name};
  static constexpr int inputs = {n}, widths[{n}] = {{{widths}}};
  static constexpr const char* names[{n}] = {{{names}}};
  static constexpr int outputs = {outputs}, ndim = {ndim}, dims[{size}] = {{{dims}}};
}};
"""
    if not kernel.by_hand:
        yield _program_kernel(kernel, programs[kernel.name])


def _program_kernel(kernel: Kernel, program: Program) -> str:
    """A kernel whose arithmetic is one generated function."""
    if len(program.outputs) != math.prod(kernel.shape):
        raise AssertionError(f"{kernel.name}: {kernel.shape} is not {len(program.outputs)} entries")
    arguments = [_program_argument(kernel.inputs, item.name) for item in program.inputs]
    x = "x" if any(text.startswith("x[") for text in arguments) else ""
    p = " p" if any(text.startswith("p.") for text in arguments) else ""
    inline, y = ("BK_SHARED", "__restrict y") if kernel.shared else ("BK_INLINE", "y")
    taken = f"const T* s, const T* c, const T (*{x})[8], const Parameters&{p}, T* {y}"
    return f"""\
struct {kernel.class_name} : Declared<kernel_{kernel.name}> {{
  template <class T>
  static {inline} void eval({taken}) {{
    generated::{program.name}({", ".join([*arguments, "y"])});
  }}
}};
"""


def _program_argument(inputs: Sequence[Argument], name: str) -> str:
    if name in PROGRAM_ARGUMENTS:
        return PROGRAM_ARGUMENTS[name]
    return f"x[{[argument.name for argument in inputs].index(name)}]"
