"""Writes an arm's DH table with the inertias in its frames: JSON, LaTeX, Robotics Toolbox."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from baxterkit.codegen import latex, rtb
from baxterkit.model.dh import DhTable, dh_from_model
from baxterkit.model.model import ArmModel

SCHEMA = "baxterkit.dh/1"
TITLE = "Standard Denavit-Hartenberg table"

Writer = Callable[[ArmModel, str, Sequence[str]], str]
"""(model, name, lines of provenance) -> text of the file."""


def write_json(model: ArmModel, name: str, origin: Sequence[str]) -> str:
    """The table as data; lengths in m, angles in rad, inertias about the centres of mass."""
    table = dh_from_model(model)
    facts: dict[str, object] = {
        "schema": SCHEMA,
        "name": name,
        "about": _header(model, table, origin),
        "rows": [
            {
                "joint": row.joint,
                "theta_offset": row.theta_offset,
                "d": row.d,
                "a": row.a,
                "alpha": row.alpha,
                "mass": body.mass,
                "com": body.com.tolist(),
                "inertia": body.inertia.tolist(),
            }
            for row, body in zip(table.rows, table.inertials, strict=True)
        ],
        "T_base_0": table.T_base_0.tolist(),
        "T_n_tip": table.T_n_tip.tolist(),
        "gravity": model.gravity.tolist(),
    }
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


def write_latex(model: ArmModel, name: str, origin: Sequence[str]) -> str:
    """The table as a document."""
    table = dh_from_model(model)
    return latex.write_table(name, table, _header(model, table, origin))


def write_rtb_python(model: ArmModel, name: str, origin: Sequence[str]) -> str:
    """A model for the Robotics Toolbox for Python."""
    return rtb.write_python(_toolbox_arm(model, name, origin))


def write_rtb_matlab(model: ArmModel, name: str, origin: Sequence[str]) -> str:
    """A model for the Robotics Toolbox for MATLAB."""
    return rtb.write_matlab(_toolbox_arm(model, name, origin))


def _toolbox_arm(model: ArmModel, name: str, origin: Sequence[str]) -> rtb.ToolboxArm:
    table = dh_from_model(model)
    return rtb.ToolboxArm(name, model, table, _header(model, table, origin))


def _header(model: ArmModel, table: DhTable, origin: Sequence[str]) -> list[str]:
    return [
        f"{TITLE} of the {model.side} arm of the Baxter robot, with inertias.",
        "",
        "Rows are Rz(q + theta_offset) Tz(d) Tx(a) Rx(alpha); base before, tool after them.",
        "SI units and radians. Inertias are about the centres of mass, in DH frames.",
        f"Largest difference to the robot's own chain: {table.position_residual:.0e} m.",
        "",
        *origin,
    ]
