"""The Python side of the extension's declared types: stub, records, the module's protocol."""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Iterator

from baxterkit.codegen.kernel_python import array_type, fitted, kernel_stubs
from baxterkit.kernels.extension import FUNCTIONS, TYPES, all_records
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
    Structure,
    Text,
)
from baxterkit.kernels.table import LINE
from baxterkit.kernels.twin_fields import RECORD

_SCALARS = {
    name: f"NDArray[np.{name}{'_' if name == 'bool' else ''}]"
    for name in ("int64", "int32", "uint8", "bool")
}
_STUB = """\
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.kernels.records import (
{records}
)
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, Jacobian, JointMatrix, JointVector, Transform, Twist
"""
_RECORDS = '''\
"""Records that methods of the extension give or take: values with names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from baxterkit._native import ArmKernels
    from baxterkit.types import Array, JointVector
'''
_EXTENSION = '''

class Extension(Protocol):
    """The extension module `baxterkit._native`."""

'''


def interface() -> str:
    """Names the extension's interface: other declarations have another name."""
    text = stub() + repr((TYPES, FUNCTIONS, RECORD))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def stub() -> str:
    """The type stub of the extension, `_native.pyi`."""
    names = "\n".join(f"    {name}," for name in sorted(record.name for record in all_records()))
    lines = _STUB.format(records=names).split("\n")
    for kind in TYPES:
        lines += [f"class {kind.name}:", *_signature(kind.new, " ...", "    ", "__init__")]
        lines += kernel_stubs() if kind.kernels else []
        for method in kind.methods:
            lines += _signature(method, " ...", "    ")
        lines.append("")
    lines += ["interface: str", ""]
    for method in FUNCTIONS:
        lines += _signature(method, " ...", "")
    return "\n".join([*lines, ""])


def records() -> str:
    """The module `baxterkit.kernels.records`."""
    return _RECORDS + "".join(_record(record) for record in all_records())


def extension() -> str:
    """The protocol of the extension module."""
    parts = []
    for kind in TYPES:
        parts.append(
            f"    @property\n    def {kind.name}(self) -> type[{kind.name}]:\n"
            f'        """{kind.sentence}"""\n'
        )
    for method in FUNCTIONS:
        signature = "\n".join(_signature(method, "", "    ", receiver=True))
        parts.append(f'{signature}\n        """{method.sentence}"""\n')
    names = "|".join(kind.name for kind in TYPES)
    text = re.sub(rf"(?<=\[)({names})\b", r"_native.\1", "\n".join(parts))
    return _EXTENSION + text


def _record(record: Record) -> str:
    lines = ["", "", f"class {record.name}(NamedTuple):", f'    """{record.sentence}"""', ""]
    for item in record.fields:
        shape = f" Shape {item.shape_text}." if isinstance(item, Numbers) else ""
        doc = textwrap.wrap(f'"""{item.meaning}{shape}"""', LINE - 4)
        lines += [f"    {item.name}: {annotation(item)}", *(f"    {line}" for line in doc)]
    return "\n".join([*lines, ""])


def annotation(item: Field | Record, as_given: bool = False) -> str:
    """The type of an argument or of a result in Python."""
    match item:
        case Record():
            return item.name
        case Instance():
            return item.type + (" | None" if item.optional else "")
        case Instances():
            return f"tuple[{item.type}, ...]"
        case Records():
            return f"tuple[{item.record.name}, ...]"
        case Structure():
            return f"{item.record.name} | None"
        case Flag():
            return "bool"
        case Text():
            return "str"
        case Object():
            return item.annotation + (" | None" if item.optional else "")
        case _ if as_given:
            return "object"
        case Real():
            return "float"
        case Integer():
            return "int"
        case Numbers():
            kind = _SCALARS.get(item.scalar) or array_type(item.shape)
            return (
                kind + (" | float" if item.or_number else "") + (" | None" if item.optional else "")
            )


def _signature(
    method: Method, end: str, indent: str, name: str = "", receiver: bool | None = None
) -> Iterator[str]:
    result = "None" if method.result is None else annotation(method.result)
    result += " | None" if method.gives_none else ""
    own = ["self"] if indent or receiver else []
    star = ["*"] if method.by_name else []
    items = [*own, *star, *_parameters(method)]
    yield from fitted(f"{indent}def {name or method.name}(", items, f") -> {result}:{end}")


def _parameters(method: Method) -> Iterator[str]:
    for k, argument in enumerate(method.arguments):
        default = "" if k < method.required else " = None"
        yield f"{argument.name}: {annotation(argument, method.as_given)}{default}"
