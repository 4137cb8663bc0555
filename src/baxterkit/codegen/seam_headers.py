"""The C++ side of the extension's declared types: arguments, results, and the method tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from baxterkit.codegen.kernel_headers import literal
from baxterkit.kernels.extension import FUNCTIONS, TYPES, all_methods, all_records
from baxterkit.kernels.seam import (
    Field,
    Flag,
    Instance,
    Instances,
    Integer,
    Method,
    Numbers,
    Object,
    Real,
    Record,
    Records,
    Shape,
    Structure,
    Text,
    Type,
    expected,
)

_SCALARS = {
    "float64": ("NPY_DOUBLE", "double"),
    "int64": ("NPY_INT64", "std::int64_t"),
    "int32": ("NPY_INT32", "int"),
    "uint8": ("NPY_UINT8", "unsigned char"),
    "bool": ("NPY_BOOL", "unsigned char"),
}
_NUMPY = {name: numpy for name, (numpy, _) in _SCALARS.items()}
_CPP = {name: cpp for name, (_, cpp) in _SCALARS.items()}
_HEAD = """\
#pragma once

#include {include}

namespace baxterkit {{
"""
_TAIL = "}  // namespace baxterkit\n"


def files(interface: str) -> dict[str, str]:
    """Name → text of the headers and of the source with the tables.

    Args:
        interface: Name of the extension's interface.
    """
    declared = [kind for kind in TYPES if not kind.by_hand]
    headers = {f"{kind.namespace}.hpp": _type_header(kind) for kind in declared}
    return headers | {
        "records.hpp": _records_header(),
        "functions.hpp": _functions_header(),
        "seam.cpp": _tables(interface),
    }


# ---- Arguments ----


def _type_header(kind: Type) -> str:
    blocks = [f"struct {kind.name};  // what it holds", *_instances(kind)]
    blocks += ["", f"namespace {kind.namespace} {{", ""]
    blocks += _arguments(kind.new, kind.name, kind)
    blocks += [f"End make(const New& arguments, Holder<{kind.name}>& object);", ""]
    for method in kind.methods:
        blocks += _arguments(method, f"{kind.name}.{method.name}", kind)
        taken = f"{kind.name}& self, const {method.class_name}& arguments"
        blocks += [f"End {method.name}({taken}, {method.class_name}::Result& result);", ""]
    blocks += [f"}}  // namespace {kind.namespace}", ""]
    return _HEAD.format(include='"records.hpp"') + "\n".join(blocks) + "\n" + _TAIL


def _instances(kind: Type) -> list[str]:
    arguments = [a for m in (kind.new, *kind.methods) for a in m.arguments]
    names = {a.type for a in arguments if isinstance(a, Instance | Instances)} - {kind.name}
    return [f"struct {name};" for name in sorted(names)]


def _functions_header() -> str:
    blocks = ["namespace functions {", ""]
    for method in FUNCTIONS:
        blocks += _arguments(method, method.name, None)
        taken = f"const {method.class_name}& arguments, {method.class_name}::Result& result"
        blocks += [f"End {method.name}({taken});", ""]
    blocks += ["}  // namespace functions", ""]
    return _HEAD.format(include='"records.hpp"') + "\n".join(blocks) + "\n" + _TAIL


def _arguments(method: Method, full_name: str, kind: Type | None) -> Iterator[str]:
    """The struct of a method's arguments."""
    count = len(method.arguments)
    yield f"// {method.sentence}"
    yield f"struct {method.class_name} {{"
    if method.name == "new" and kind is not None:
        yield f'  static constexpr const char* kTypeName = "baxterkit._native.{kind.name}";'
    yield f"  static constexpr int kCount = {count};"
    tables = "nullptr, nullptr"
    if count:
        names = ", ".join(literal(argument.name) for argument in method.arguments)
        yield f"  static constexpr const char* kNames[kCount] = {{{names}}};"
        yield "  static constexpr const char* kExpected[kCount] = {"
        yield from (f"      {literal(expected(argument))}," for argument in method.arguments)
        yield "  };"
        tables = "kNames, kExpected"
    by_name = str(method.by_name).lower()
    start = f"  static constexpr Signature kSignature = {{{literal(full_name)}, kCount,"
    yield f"{start} {method.required}, {by_name}, {tables}}};"
    yield f"  static constexpr bool kGivesNone = {str(method.as_given).lower()};"
    yield f"  using Result = {_result_type(method)};"
    yield ""
    yield from _members(method.arguments, method.lengths)
    if count:
        yield ""
    yield from _read(method.arguments, method.lengths, method)
    yield from _make(method)
    yield "};"


def _members(fields: Sequence[Field], lengths: Sequence[str]) -> Iterator[str]:
    if lengths:
        yield f"  npy_intp {', '.join(f'{x} = 1' for x in lengths)};"
    for item in fields:
        shape = f"{item.shape_text}: " if isinstance(item, Numbers) else ""
        yield f"  {_member(item)};  // {shape}{item.meaning}"


def _member(item: Field) -> str:
    match item:
        case Numbers():
            if item.repeats:
                return f"Rows<{_NUMPY[item.scalar]}> {item.name}"
            constant = "" if item.written else "const "
            return f"{constant}{_CPP[item.scalar]}* {item.name} = nullptr"
        case Real():
            return f"double {item.name} = 0.0"
        case Integer():
            return f"{'unsigned ' if _unsigned(item) else ''}long long {item.name} = 0"
        case Flag():
            return f"bool {item.name} = false"
        case Text():
            return f"const char* {item.name} = nullptr"
        case Object():
            return f"PyObject* {item.name} = nullptr"
        case Instance():
            return f"{item.type}* {item.name} = nullptr"
        case Instances():
            return f"std::vector<{item.type}*> {item.name}"
        case Structure():
            return f"std::optional<records::{item.record.name}> {item.name}"
        case Records():
            return f"std::vector<records::{item.record.name}> {item.name}"


def _unsigned(item: Integer) -> bool:
    return item.high >= 2**63


def _read(
    fields: Sequence[Field], lengths: Sequence[str], method: Method | None = None
) -> Iterator[str]:
    """The function that reads them: the place of the first one that is refused, or kFine."""
    given = "given" if fields else ""
    yield f"  int read(PyObject* const* {given}) {{"
    if lengths:
        yield f"    Length {', '.join(f'{x}_' for x in lengths)};"
    exact = method is not None and method.as_given
    places = sorted(range(len(fields)), key=lambda k: _follows(fields[k]))
    for place in places:
        test = _test(fields[place], f"given[{place}]", exact)
        if test:
            yield f"    if (!({test})) return {place};"
        else:
            yield f"    {fields[place].name} = given[{place}];"
    for length in lengths:
        yield f"    {length} = {length}_.value();"
    if method is not None and (method.least or method.most is not None):
        place = next(k for k, a in enumerate(fields) if isinstance(a, Numbers) and "n" in a.lengths)
        above = "" if method.most is None else f" || n > {method.most}"
        yield f"    if (n < {method.least}{above}) return {place};"
    yield "    return kFine;"
    yield "  }"


def _follows(item: Field) -> bool:
    """Whether its shape follows from others, which are read first."""
    return isinstance(item, Numbers) and any(
        isinstance(axis, str) and axis[-1].isdigit() for axis in item.shape
    )


def _test(item: Field, given: str, exact: bool) -> str:
    match item:
        case Numbers():
            return _array_test(item, given)
        case Real():
            options = f"{str(exact).lower()}, {str(item.any_value).lower()}"
            return f"take_real({given}, {options}, &{item.name})"
        case Integer():
            mark = "ull" if _unsigned(item) else "ll"
            low = f"{item.low}{mark}" if item.low > -(2**63) else "(-9223372036854775807ll - 1)"
            return f"take_integer({given}, {low}, {item.high}{mark}, &{item.name})"
        case Object():
            return ""
        case _:
            test = f"take_{type(item).__name__.lower()}({given}, &{item.name})"
            optional = isinstance(item, Instance) and item.optional
            return f"{given} == Py_None || {test}" if optional else test


def _array_test(item: Numbers, given: str) -> str:
    if item.or_number:
        assert item.most is None
        assert item.shape == ("n?",)
        return f"take_rows_or_number({given}, &{item.name}, n_)"
    function = "take_rows" if item.repeats else "take_array"
    axes = ", ".join(_axis(axis) for axis in item.shape)
    test = f"{function}<{_NUMPY[item.scalar]}>({given}, &{item.name}, {axes})"
    if item.most is not None:
        data = f"{item.name}.data" if item.repeats else item.name
        test += f" && within({given}, {data}, {item.most!r})"
    return f"{given} == Py_None || ({test})" if item.optional else test


def _axis(axis: int | str) -> str:
    """An axis for the reader: a number, a length that is found out, or one that follows."""
    if isinstance(axis, int):
        return str(axis)
    letter, rest = axis[0], axis[1:].removesuffix("?")
    return f"{letter}_.value() {rest[0]} {rest[1:]}" if rest else f"{letter}_"


# ---- Results ----


def _result_type(method: Method) -> str:
    match method.result:
        case None:
            return "Nothing"
        case Record():
            return f"records::{method.result.name}"
        case Numbers():
            return f"Made<{_NUMPY[method.result.scalar]}>"
        case Object():
            return "PyObject*"
        case other:
            return {"Real": "double", "Integer": "long long", "Flag": "bool"}[type(other).__name__]


def _make(method: Method) -> Iterator[str]:
    """The function that makes the arrays of the answer whose shapes the call knows."""
    result, call = method.result, "true"
    if isinstance(result, Numbers) and set(result.lengths) <= set(method.lengths):
        call = f"result.make({_dims(result.shape)})"
    if isinstance(result, Record) and (made := _made_fields(result)):
        call = f"result.make({'n' if any(x.lengths for x in made) else ''})"
    name = "" if call == "true" else " result"
    yield f"  bool make(Result&{name}) const {{ return {call}; }}"


def _made_fields(record: Record) -> list[Numbers]:
    arrays = [item for item in record.fields if isinstance(item, Numbers)]
    return [item for item in arrays if not item.optional and set(item.lengths) <= {"n"}]


def _dims(shape: Shape) -> str:
    return "{" + ", ".join(str(axis) for axis in shape) + "}"


def _records_header() -> str:
    taken = {
        argument.record.name
        for method in all_methods()
        for argument in method.arguments
        if isinstance(argument, Records | Structure)
    }
    given = [record for record in all_records() if record.name not in taken]
    blocks = [*(f"struct {name};" for name in _held(taken)), "", "namespace records {", ""]
    for record in all_records():
        blocks += _given_record(record) if record in given else _taken_record(record)
    names = ", ".join(f"{record.name}" for record in given)
    blocks += [f"// Types of {names}."]
    blocks += [f"inline PyTypeObject* types[{len(given)}] = {{}};"]
    blocks += ["constexpr const char* names[] = {"]
    blocks += [f"    {literal(record.name)}," for record in given]
    blocks += ["};", ""]
    for place, record in enumerate(given):
        items = ", ".join(f"baxterkit::give(r.{item.name})" for item in record.fields)
        blocks += [
            f"inline PyObject* give({record.name}& r) {{",
            f"  return make_record(types[{place}], {{{items}}});",
            "}",
        ]
    blocks += ["", "}  // namespace records", ""]
    return _HEAD.format(include='"../seam.hpp"') + "\n".join(blocks) + _TAIL


def _held(taken: set[str]) -> list[str]:
    """Types of which records that are taken hold objects."""
    fields = (item for record in all_records() if record.name in taken for item in record.fields)
    return sorted({item.type for item in fields if isinstance(item, Instance)})


def _given_record(record: Record) -> Iterator[str]:
    yield f"// {record.sentence}"
    yield f"struct {record.name} {{"
    for item in record.fields:
        shape = f"{item.shape_text}: " if isinstance(item, Numbers) else ""
        array = f"Made<{_NUMPY[item.scalar]}> {item.name}" if isinstance(item, Numbers) else ""
        yield f"  {array or _member(item)};  // {shape}{item.meaning}"
    if made := _made_fields(record):
        takes = "npy_intp n" if any(item.lengths for item in made) else ""
        calls = " && ".join(f"{item.name}.make({_dims(item.shape)})" for item in made)
        yield ""
        yield f"  bool make({takes}) {{ return {calls}; }}"
    yield from ("};", "")


def _taken_record(record: Record) -> Iterator[str]:
    lengths = tuple(
        dict.fromkeys(x for a in record.fields if isinstance(a, Numbers) for x in a.lengths)
    )
    yield f"// {record.sentence}"
    yield f"struct {record.name} {{"
    yield f"  static constexpr int kCount = {len(record.fields)};"
    yield from _members(record.fields, lengths)
    yield ""
    yield from _read(record.fields, lengths)
    yield from ("};", "")


# ---- Tables ----


def _tables(interface: str) -> str:
    declared = [kind for kind in TYPES if not kind.by_hand]
    lines = [f'#include "{kind.namespace}.hpp"' for kind in declared]
    lines += ['#include "functions.hpp"']
    lines += ["", "namespace baxterkit {"]
    lines += [f"extern PyMethodDef {t.namespace}_methods[];" for t in TYPES if t.kernels]
    lines += [f"PyObject* make_{t.namespace}_type();" for t in TYPES if t.by_hand]
    lines += ["", "namespace {", ""]
    for kind in declared:
        if kind.kernels:
            continue
        lines += [f"PyMethodDef {kind.namespace}_methods[] = {{"]
        for method in kind.methods:
            struct = f"{kind.namespace}::{method.class_name}"
            run = f"method<{kind.name}, {struct}, {kind.namespace}::{method.name}>"
            lines += _definition(method, run, "$self")
        lines += ["    {nullptr, nullptr, 0, nullptr},", "};", ""]
    lines += ["}  // namespace", "", "PyMethodDef module_functions[] = {"]
    for method in FUNCTIONS:
        run = f"function<functions::{method.class_name}, functions::{method.name}>"
        lines += _definition(method, run, "$module")
    lines += ["    {nullptr, nullptr, 0, nullptr},", "};", ""]
    lines += [
        "// Compared with INTERFACE of kernels/protocol.py when the extension is loaded.",
        f"extern const char* const interface_name = {literal(interface)};",
        "",
        "// The types of the module, in order; false with an exception set.",
        "bool add_types(PyObject* module) {",
        "  const auto add = [module](const char* name, PyObject* type) {",
        "    if (type && PyModule_AddObject(module, name, type) == 0) return true;",
        "    Py_XDECREF(type);",
        "    return false;",
        "  };",
        "  return "
        + " &&\n         ".join(f"add({literal(kind.name)}, {_new_type(kind)})" for kind in TYPES)
        + ";",
        "}",
        "",
    ]
    return "\n".join(lines) + _TAIL


def _new_type(kind: Type) -> str:
    if kind.by_hand:
        return f"make_{kind.namespace}_type()"
    of = f"{kind.name}, {kind.namespace}::New, {kind.namespace}::make"
    return f"new_type<{of}>(\n             {literal(kind.sentence)}, {kind.namespace}_methods)"


def _definition(method: Method, run: str, receiver: str) -> Iterator[str]:
    signature = ", ".join(x for x in (receiver, method.text_signature) if x)
    lines = [f"{method.name}({signature})", "--", "", *method.doc().split("\n")]
    yield f"    defined({literal(method.name)}, {run},"
    for line in lines[:-1]:
        yield f"            {literal(line + chr(10))}"
    yield f"            {literal(lines[-1])}),"
