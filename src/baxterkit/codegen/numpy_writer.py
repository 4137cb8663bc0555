"""Writes a function as a Python module on NumPy, for whole batches of states at once."""

from __future__ import annotations

from collections.abc import Iterator

from baxterkit.codegen.python import docstring, opening, result_names, unpacked
from baxterkit.codegen.quantities import Exported
from baxterkit.codegen.text import FUNCTIONS, ZERO, TextWalk, body_of, component


def write(exported: Exported) -> str:
    """The text of the module."""
    return "\n".join(_lines(exported)) + "\n"


def _lines(exported: Exported) -> Iterator[str]:
    yield from docstring(
        exported,
        "Arrays may have leading batch axes, which broadcast: q of shape (*batch, 7) gives",
        "results of shape (*batch, ...). Complex numbers pass through (complex-step derivatives).",
    )
    yield "import numpy as np"
    yield ""
    yield from opening(exported)
    moving = [item.name for item in exported.arguments if not item.parameter]
    arrays = ", ".join(moving)
    for name in moving:
        yield f"    {name} = np.asarray({name})"
        yield f"    if {name}.shape[-1:] != (7,):"
        yield f'        raise ValueError("{name} needs 7 values on its last axis")'
    shapes = ", ".join(f"{name}.shape[:-1]" for name in moving)
    yield f"    batch = np.broadcast_shapes({shapes})"
    yield f"    kind = np.result_type(np.float64, {arrays})"
    for item in exported.arguments:
        if item.parameter:
            continue
        if item.name == "q":
            for name, function in FUNCTIONS.items():
                if any(used == name for used, _ in exported.angles):
                    yield f"    {unpacked(name, item.size)} = np.moveaxis(np.{function}(q), -1, 0)"
        else:
            yield f"    {unpacked(item.name, item.size)} = np.moveaxis({item.name}, -1, 0)"
    body = body_of(exported, TextWalk(exported.program, component(exported), "np.sqrt"))
    for name, value in body.statements:
        yield f"    {name} = {value}"
    for result, entries in body.results:
        shape = "".join(f"{n}, " for n in result.shape)
        yield f"    {result.name} = np.zeros((*batch, {shape.removesuffix(', ')}), kind)"
        for index, value in entries:
            if value != ZERO:
                yield f"    {result.name}[..., {', '.join(map(str, index))}] = {value}"
    yield f"    return {result_names(exported)}"
