"""Writes a function as a C++11 header, a template over the scalar type.

With `double` it computes; with an automatic differentiation type (Ceres, CppAD, autodiff) it is
differentiated.
"""

from __future__ import annotations

from collections.abc import Iterator

from baxterkit.codegen import c
from baxterkit.codegen.quantities import Exported
from baxterkit.codegen.text import FUNCTIONS, TextWalk, body_of, comment, functions, wrapped

NAMESPACE = "baxter"


def write(exported: Exported) -> str:
    """The text of the header."""
    return "\n".join(_lines(exported)) + "\n"


def _lines(exported: Exported) -> Iterator[str]:
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
            values, f"static const double {_array(exported, constant.name)}[] = {{", "};"
        )
        yield ""
    arguments = [f"const Scalar* {a.name}" for a in exported.arguments if not a.parameter]
    arguments += [f"Scalar* {result.name}" for result in exported.results]
    arguments += [
        f"const double* {a.name} = {_array(exported, a.name)}"
        for a in exported.arguments
        if a.parameter
    ]
    yield "template <class Scalar>"
    yield f"void {exported.name}({', '.join(arguments)}) {{"
    yield from (f"  using std::{name};" for name in sorted(functions(exported)))
    for name, i in exported.angles:
        yield f"  const Scalar {c.symbol(name, i)} = {FUNCTIONS[name]}(q[{i}]);"
    body = body_of(exported, TextWalk(exported.program, c.symbol))
    for name, value in body.statements:
        yield f"  const Scalar {name} = {value};"
    for result, entries in body.results:
        for flat, (_, value) in enumerate(entries):
            yield f"  {result.name}[{flat}] = Scalar({value});"
    yield "}"
    yield ""
    yield f"}}  // namespace {NAMESPACE}"


def _array(exported: Exported, name: str) -> str:
    return f"{exported.name}_{name}"
