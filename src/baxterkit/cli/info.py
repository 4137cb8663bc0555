"""`baxterkit info`: this installation, and the arm."""

from __future__ import annotations

import platform

import numpy as np

import baxterkit
from baxterkit import Arm
from baxterkit.cli.options import arm_options, deg_option, json_option
from baxterkit.cli.show import (
    Facts,
    angle_unit,
    angles,
    matrix_table,
    number,
    show,
    show_json,
    table,
)
from baxterkit.cli.verbs import verb
from baxterkit.model.library import load_baxter


@verb("info", "baxterkit info", "baxterkit info --side right --deg", "baxterkit info --json")
@arm_options
@deg_option("Angles in degrees.")
@json_option
def command(arm: Arm, deg: bool, as_json: bool) -> None:
    """This installation and the arm: backend, versions, limits, configurations."""
    facts = _facts(arm, deg)
    if as_json:
        show_json(facts)
        return
    unit = angle_unit(deg)
    limits = facts["limits"]
    rows = [
        (
            name,
            number(limits["lower"][i], 4),
            number(limits["upper"][i], 4),
            number(limits["velocity"][i], 2),
            number(limits["effort"][i], 1),
        )
        for i, name in enumerate(facts["joints"])
    ]
    header = ("joint", f"lower [{unit}]", f"upper [{unit}]", f"speed [{unit}/s]", "effort [N m]")
    about = [
        (key.replace("_", " "), ", ".join(value) if isinstance(value, list) else str(value))
        for key, value in facts["installation"].items()
    ]
    named = facts["configurations"]
    show(
        table("Installation", ("", ""), about),
        table(f"{arm.side} arm, {_what_it_has(facts)}: limits", header, rows),
        matrix_table(
            f"Named configurations [{unit}]",
            facts["joints"],
            list(named),
            np.array([*named.values()]),
            3,
        ),
    )


def _what_it_has(facts: Facts) -> str:
    words = [f"tool {facts['tool']}"]
    words += [] if facts["payload"] is None else [f"payload {facts['payload']:g} kg"]
    words += [f"joints with {' and '.join(facts['effects'])}"] if facts["effects"] else []
    return ", ".join(words)


def _effect_names(arm: Arm) -> list[str]:
    """Names of the joint effects that add to the rigid arm's torques."""
    effects = arm.effects
    if effects is None:
        return []
    parts = {
        "springs": effects.spring_sin.any() or effects.spring_cos.any(),
        "dry friction": effects.coulomb.any(),
        "viscous friction": effects.viscous.any(),
        "hysteresis": effects.hysteresis is not None,
        "bias": effects.bias.any(),
        "elasticity": np.isfinite(effects.stiffness).any(),
    }
    return [name for name, there in parts.items() if there]


def _facts(arm: Arm, deg: bool) -> Facts:
    limits = arm.limits
    backend = baxterkit.backend_info()
    return {
        "installation": {
            "baxterkit": baxterkit.__version__,
            "backend": backend["backend"],
            "instruction_set": backend["isa"],
            "instruction_sets": backend["isas"],
            "threads": backend["threads"],
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "side": arm.side,
        "tool": arm.model.tool.name,
        "payload": None if arm.model.payload is None else arm.model.payload.mass,
        "gravity": arm.model.gravity,
        "effects": _effect_names(arm),
        "angle_unit": angle_unit(deg),
        "joints": arm.joint_names,
        "limits": {
            "lower": angles(limits.lower, deg),
            "upper": angles(limits.upper, deg),
            "velocity": angles(limits.velocity, deg),
            "effort": limits.effort,
        },
        "mount": arm.model.T_base_s0,
        "configurations": {
            name: angles(arm.configuration(name), deg) for name in load_baxter().configurations
        },
    }
