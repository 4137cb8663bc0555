"""The provenance of an exported file: its generator, its arm, and the command to write it again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from baxterkit.model.model import ArmModel

GENERATOR_VERSION = 1
PACKAGE = Path(__file__).parent.parent
"""Where the package's own generated files, and the C++ sources, are."""


def provenance(
    model: ArmModel, command: str, effects: Sequence[float] | None = None, rigid: bool = False
) -> list[str]:
    """Header lines with the generator of a file, its arm and its command.

    Args:
        model: The arm.
        command: How to make the file again; may be empty.
        effects: Numbers of the joint effects that the file includes.
        rigid: Whether the arm has effects that this file leaves out.
    """
    lines = [f"Written by baxterkit.codegen, version {GENERATOR_VERSION}; stands alone."]
    lines += [f"Command: {command}"] if command else []
    described = describe_model(model)
    if effects is not None:
        described += ", with springs, friction and bias of its joints"
    lines += [f"Model: {described}", f"Model sha256: {model_digest(model, effects)}"]
    if rigid:
        lines.append("Rigid arm only: springs, friction and bias of this arm's joints are not in.")
        lines.append("Its inverse_dynamics, forward_dynamics and their derivatives have them.")
    return lines


def model_digest(model: ArmModel, effects: Sequence[float] | None = None) -> str:
    """sha256 of every number of the arm that an export depends on."""
    arrays = [x for joint in model.joints for x in (joint.T_parent_joint, joint.axis)]
    for body in model.link_inertials():
        arrays += [body.com, body.inertia]
    arrays += [model.T_base_s0, model.T_last_tip, model.gravity]
    numbers = [float(x) for array in arrays for x in array.ravel()]
    numbers += [body.mass for body in model.link_inertials()]
    numbers += effects or []
    return hashlib.sha256(" ".join(repr(x + 0.0) for x in numbers).encode()).hexdigest()


def describe_model(model: ArmModel) -> str:
    """One line that describes the arm."""
    carried = "none" if model.payload is None else f"{model.payload.mass:g} kg"
    return f"{model.side} arm, tool {model.tool.name}, payload {carried}"
