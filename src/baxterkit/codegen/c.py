"""Writes a function as a C99 file, or as a C++11 header that is a template over the scalar type."""

from __future__ import annotations

from collections.abc import Iterator

from baxterkit.codegen.quantities import Exported
from baxterkit.codegen.text import FUNCTIONS, TextWalk, body_of, comment, functions, wrapped

NAMESPACE = "baxter"


def symbol(name: str, index: int) -> str:
    """Sines and cosines are locals (`s1`), the rest are elements of arrays (`qd[0]`)."""
    return f"{name}{index + 1}" if name in FUNCTIONS else f"{name}[{index}]"


def write(exported: Exported) -> Iterator[str]:
    """A C99 file that needs only the mathematics library, line by line."""
    prototype = _prototype(exported)
    yield from comment(exported, "//")
    yield "//"
    yield "// Build: cc -O2 -c THIS_FILE, link with -lm. Declare it elsewhere as"
    yield f"//   {prototype};"
    yield "// Matrices are row by row. No allocation, no state: safe in threads."
    if exported.constants:
        yield "// This arm's numbers are in the arrays below; a null pointer stands for them."
    yield ""
    yield "#include <math.h>"
    yield ""
    for constant in exported.constants:
        values = [repr(x) for x in constant.values]
        array = f"{exported.name}_{constant.name}"
        yield f"extern const double {array}[{len(values)}];"
        yield from wrapped(values, f"const double {array}[{len(values)}] = {{", "};")
        yield ""
    yield f"{prototype};"
    yield ""
    yield f"{prototype} {{"
    for item in exported.arguments:
        if item.parameter:
            yield f"  if (!{item.name}) {item.name} = {exported.name}_{item.name};"
    for name, i in exported.angles:
        yield f"  const double {symbol(name, i)} = {FUNCTIONS[name]}(q[{i}]);"
    body = body_of(exported, TextWalk(exported.program, symbol))
    for name, value in body.statements:
        yield f"  const double {name} = {value};"
    for result, entries in body.results:
        for index, value in entries:
            yield f"  {result.name}{''.join(f'[{i}]' for i in index)} = {value};"
    yield "}"


def _prototype(exported: Exported) -> str:
    arguments = [f"const double {a.name}[{a.size}]" for a in exported.arguments]
    for result in exported.results:
        arguments.append(f"double {result.name}{''.join(f'[{n}]' for n in result.shape)}")
    return f"void {exported.name}({', '.join(arguments)})"


def write_cpp(exported: Exported) -> Iterator[str]:
    """A C++11 header, line by line.

    With `double` it computes; with an automatic differentiation type (Ceres, CppAD, autodiff) it is
    differentiated.
    """
    yield from comment(exported, "//")
    yield "//"
    yield "// C++11, header only. Arrays are plain pointers; matrices are row by row, as in"
    yield "// Eigen::Matrix<double, 7, 7, Eigen::RowMajor>. The scalar may be any type that has"
    *most, last = functions(exported)
    yield f"// arithmetic, {', '.join(most)} and {last}, as those of automatic differentiation."
    yield ""
    yield "#pragma once"
    yield ""
    yield "#include <cmath>"
    yield ""
    yield f"namespace {NAMESPACE} {{"
    yield ""
    for constant in exported.constants:
        values = [repr(x) for x in constant.values]
        yield from wrapped(
            values, f"static const double {exported.name}_{constant.name}[] = {{", "};"
        )
        yield ""
    arguments = [f"const Scalar* {a.name}" for a in exported.arguments if not a.parameter]
    arguments += [f"Scalar* {result.name}" for result in exported.results]
    arguments += [
        f"const double* {a.name} = {exported.name}_{a.name}"
        for a in exported.arguments
        if a.parameter
    ]
    yield "template <class Scalar>"
    yield f"void {exported.name}({', '.join(arguments)}) {{"
    yield from (f"  using std::{name};" for name in sorted(functions(exported)))
    for name, i in exported.angles:
        yield f"  const Scalar {symbol(name, i)} = {FUNCTIONS[name]}(q[{i}]);"
    body = body_of(exported, TextWalk(exported.program, symbol))
    for name, value in body.statements:
        yield f"  const Scalar {name} = {value};"
    for result, entries in body.results:
        for flat, (_, value) in enumerate(entries):
            yield f"  {result.name}[{flat}] = Scalar({value});"
    yield "}"
    yield ""
    yield f"}}  // namespace {NAMESPACE}"
