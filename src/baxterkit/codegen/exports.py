"""Exports: one function for every quantity and every format."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from baxterkit.checks.arms import need_arm
from baxterkit.codegen import c, dh_writer, ik_standalone, json_writer, latex, matlab, python
from baxterkit.codegen.provenance import provenance
from baxterkit.codegen.quantities import QUANTITIES, Exported, export_function
from baxterkit.equations.joint_effects import ArmWithEffects, flat_numbers, model_and_effects
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.model import ArmModel

DH = "dh"
IK = "ik"
WHATS = (*QUANTITIES, DH, IK)
"""Everything that can be exported."""


_WORDS = """
auto bool case char const cos default do double end enum extern float function goto inline int long
main namespace new operator private public register restrict short signed sin sizeof sqrt static
struct switch template this typedef union unsigned using void volatile
"""
RESERVED = frozenset(_WORDS.split())
"""Names that a function cannot have in some language, besides Python's keywords."""


@dataclass(frozen=True)
class Format:
    """A kind of file, and who writes it: a function, the DH table, the inverse kinematics."""

    suffix: str
    meaning: str
    function: Callable[[Exported], Iterator[str]] | None = None
    table: dh_writer.Writer | None = None
    solver: Callable[[ArmModel, str, str], str] | None = None


FORMATS: dict[str, Format] = {
    "c": Format(".c", "C99", c.write),
    "cpp": Format(
        ".hpp",
        "C++11 header, templated on the scalar",
        c.write_cpp,
        solver=ik_standalone.write,
    ),
    "python": Format(".py", "Python, standard library only", python.write),
    "numpy": Format(".py", "Python with NumPy, over batches", python.write_numpy),
    "matlab": Format(".m", "MATLAB or Octave", matlab.write),
    "latex": Format(".tex", "document with the equations", latex.write, dh_writer.write_latex),
    "casadi": Format(".py", "Python that builds a casadi.Function", python.write_casadi),
    "json": Format(".json", "the arithmetic as data", json_writer.write, dh_writer.write_json),
    "rtb": Format(".py", "Robotics Toolbox for Python", table=dh_writer.write_rtb_python),
    "rtb-matlab": Format(".m", "Robotics Toolbox for MATLAB", table=dh_writer.write_rtb_matlab),
}


TOOLBOXES = ("rtb", "rtb-matlab")
"""Formats that make a robot which computes torques by itself, of rigid links only."""


def formats_of(what: str) -> list[str]:
    """The formats in which a quantity is available.

    Raises:
        UnknownNameError: If there is no such quantity.
    """
    if what not in WHATS:
        raise UnknownNameError("quantity", what, WHATS)
    writer = {DH: "table", IK: "solver"}.get(what, "function")
    return [name for name, entry in FORMATS.items() if getattr(entry, writer) is not None]


def export(
    what: str,
    to: str,
    arm: ArmModel | ArmWithEffects,
    *,
    name: str = "",
    parameters: bool = False,
    command: str = "",
) -> str:
    """The text of a standalone file.

    Args:
        what: One of `WHATS`.
        to: One of `FORMATS`.
        arm: An `Arm`, with its mount, tool, payload, gravity and, in the quantities that its
            methods compute with them, its joints' effects; or the `ArmModel` of a rigid arm.
        name: Name of the function or robot in the file; `baxter_left_gravity` and the like if
            empty.
        parameters: Keep mount, tool, base parameters, gravity and effects as arguments, with this
            arm's numbers as defaults; otherwise they are folded in.
        command: How to make the file again, for its header.

    Raises:
        UnknownNameError: If the quantity or the format does not exist.
        InputError: If that is no arm, the quantity has no such format, or the name is not an
            identifier.
    """
    if not isinstance(arm, ArmModel):
        need_arm(arm)
    model, effects = model_and_effects(arm)
    choices = formats_of(what)
    if to not in FORMATS:
        raise UnknownNameError("format", to, FORMATS)
    if to not in choices:
        raise InputError(f"{what} has no {to} form; available: {', '.join(choices)}")
    name = name or f"baxter_{model.side}_{what}"
    reserved = keyword.iskeyword(name) or name in RESERVED
    if not name.isascii() or not name.isidentifier() or reserved:
        raise InputError(f"{name!r} cannot name a function; use letters, digits and _")
    entry = FORMATS[to]
    if what == IK:
        if parameters:
            raise InputError(
                "ik takes mount, tool and limits at run time as it is: no --parameters"
            )
        assert entry.solver is not None
        return entry.solver(model, name, command)
    if what == DH:
        if parameters:
            raise InputError("dh has no parameters: the table is the arm")
        assert entry.table is not None
        has_effects = flat_numbers(effects) is not None
        if has_effects and to in TOOLBOXES:
            raise InputError(
                f"{to} cannot carry the springs, friction and bias of this arm's joints; "
                "export the rigid arm: --rigid, in Python arm.with_effects(None)"
            )
        origin = provenance(model, command, rigid=has_effects)
        return "\n".join(entry.table(model, name, origin)) + "\n"
    exported = export_function(what, arm, name, parameters=parameters, command=command)
    return write_function(exported, to)


def write_function(exported: Exported, to: str) -> str:
    """The text of a standalone file of one function, in one of `FORMATS` that has functions."""
    write = FORMATS[to].function
    assert write is not None
    return "\n".join(write(exported)) + "\n"
