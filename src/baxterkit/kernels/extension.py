"""The extension's types and functions besides the kernels, each declared once: the list.

`python -m baxterkit.codegen` makes from these declarations the type stub, the records that methods
give (`records.py`), and in C++ the structs of arguments with what reads them, the structs of
results with what makes Python objects of them, and the method tables. By hand, a method is one C++
function from its arguments to its result: see native/README.md.
"""

from __future__ import annotations

from baxterkit.kernels.body_checker import BODY_CHECKER
from baxterkit.kernels.ik_solver import IK_SOLVER
from baxterkit.kernels.seam import (
    Integer,
    Method,
    Numbers,
    Object,
    Real,
    Record,
    Text,
    Type,
    records_of,
)
from baxterkit.kernels.twin_step import TWIN_STEP

ARM_KERNELS = Type(
    "ArmKernels",
    "Kernels of one arm: its mount, tool, inertias and gravity.",
    (
        Numbers("mount", (3, 4), "T_base_s0 without its last row."),
        Numbers("tool", (3, 4), "T_hand_tip without its last row."),
        Numbers("beta", (45,), "The base parameters."),
        Numbers("gravity", (3,), "Gravity in the frame of s0 [m/s²]."),
        Real("mount_energy", "Potential energy per mass at the mount.", any_value=True),
        Numbers("effects", (12, 7), "Joint effects, `JointEffects.kernel_numbers`.", optional=True),
        Object("model", "For what Python computes.", "ArmModel", optional=True),
    ),
    kernels=True,
)

SHORTAGES = Record(
    "IkShortages",
    "Searches of inverse kinematics that ran out of room or steps.",
    (
        Integer("repeated", "Those that were repeated with more."),
        Integer("cut_short", "Those by an objective that took the best solution so far."),
    ),
)

TYPES = (ARM_KERNELS, IK_SOLVER, BODY_CHECKER, TWIN_STEP)
"""The types, in the order of the module."""

FUNCTIONS = (
    Method(
        "set_threads",
        (Integer("count", "How many.", 1, 4096),),
        None,
        "Sets how many threads a batch may use.",
    ),
    Method("get_threads", (), Integer("count", "How many."), "Threads that a batch may use."),
    Method("isa", (), Object("name", "Its name.", "str"), "Name of the instruction set in use."),
    Method(
        "isas",
        (),
        Object("names", "Their names.", "list[str]"),
        "Instruction sets that this processor runs, best first.",
    ),
    Method("use_isa", (Text("name", "Its name."),), None, "Uses the instruction set of this name."),
    Method(
        "ik_shortages", (), SHORTAGES, "Searches that ran out of room or steps since the start."
    ),
    Method(
        "step_twins",
        (
            Object("twins", "Which.", "tuple[TwinStep, ...]"),
            Numbers("targets", ("n",), "Ticks until which each runs.", "int64"),
        ),
        None,
        "Steps many twins on all threads, until their ticks, no noise is left, or they diverge.",
    ),
    Method(
        "speeds",
        (
            Numbers("lengths", ("n",), "Lengths of the intervals."),
            Numbers("a", ("n", 2, "m"), "Factors of the acceleration at both ends of each."),
            Numbers("b", ("n", 2, "m"), "Factors of the squared speed, likewise."),
            Numbers("c", ("n", 2, "m"), "Values at rest, likewise."),
            Numbers("most", ("n+1",), "Greatest squared speeds at the ends of the intervals."),
        ),
        Numbers("x", ("n+1",), "Squares of the speeds there."),
        "The fastest motion along a path under limits.",
        maybe=True,
        least=1,
    ),
)
"""The functions of the module."""


def all_methods() -> tuple[Method, ...]:
    """Constructors, methods and functions."""
    of_types = (method for kind in TYPES for method in (kind.new, *kind.methods))
    return (*of_types, *FUNCTIONS)


def all_records() -> tuple[Record, ...]:
    """The records, in the order of their first use."""
    return records_of(all_methods())
