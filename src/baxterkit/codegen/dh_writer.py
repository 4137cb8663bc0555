"""Writes an arm's DH table with the inertias in its frames: JSON, LaTeX, Robotics Toolbox.

Corke's Robotics Toolbox, for Python and for MATLAB, takes standard DH rows with masses, centres of
mass and inertias about them in DH frames, as `dh_from_model` returns them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from baxterkit.codegen import latex
from baxterkit.codegen.matlab import vector
from baxterkit.codegen.text import ascii_lines
from baxterkit.model.dh import DhTable, dh_from_model
from baxterkit.model.model import ArmModel

SCHEMA = "baxterkit.dh/1"
TITLE = "Standard Denavit-Hartenberg table"

Writer = Callable[[ArmModel, str, Sequence[str]], Iterator[str]]
"""(model, name, lines of provenance) -> lines of the file."""


def write_json(model: ArmModel, name: str, origin: Sequence[str]) -> Iterator[str]:
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
    yield json.dumps(facts, indent=2, ensure_ascii=False)


def write_latex(model: ArmModel, name: str, origin: Sequence[str]) -> Iterator[str]:
    """The table as a document."""
    table = dh_from_model(model)
    return latex.write_table(name, table, _header(model, table, origin))


def write_rtb_python(model: ArmModel, name: str, origin: Sequence[str]) -> Iterator[str]:
    """A Python module that makes a `roboticstoolbox.DHRobot`."""
    table = dh_from_model(model)
    first, *rest = ascii_lines(_header(model, table, origin))
    yield f'"""{first}'
    yield from rest
    yield ""
    yield f"`{name}` is a roboticstoolbox.DHRobot. Tool and payload are part of the last link."
    yield '"""'
    yield ""
    yield "import numpy as np"
    yield "from roboticstoolbox import DHRobot, RevoluteDH"
    yield "from spatialmath import SE3"
    yield ""
    yield f"{name} = DHRobot("
    yield "    ["
    for row, body, joint in zip(table.rows, table.inertials, model.joints, strict=True):
        yield "        RevoluteDH("
        yield f"            d={row.d!r},"
        yield f"            a={row.a!r},"
        yield f"            alpha={row.alpha!r},"
        yield f"            offset={row.theta_offset!r},"
        yield f"            qlim=[{joint.lower!r}, {joint.upper!r}],"
        yield f"            m={body.mass!r},"
        yield f"            r={body.com.tolist()!r},"
        yield "            I=["
        yield from (f"                {line!r}," for line in body.inertia.tolist())
        yield "            ],"
        yield f'            name="{row.joint}",'
        yield "        ),"
    yield "    ],"
    for place, T in (("base", table.T_base_0), ("tool", table.T_n_tip)):
        yield f"    {place}=SE3("
        yield "        np.array("
        yield "            ["
        yield from (f"                {line!r}," for line in T.tolist())
        yield "            ]"
        yield "        ),"
        yield "        check=False,"
        yield "    ),"
    yield f"    gravity={model.gravity.tolist()!r},"
    yield f'    name="{name}",'
    yield '    manufacturer="Rethink Robotics",'
    yield ")"


def write_rtb_matlab(model: ArmModel, name: str, origin: Sequence[str]) -> Iterator[str]:
    """A MATLAB function file that makes a `SerialLink`."""
    table = dh_from_model(model)
    links = zip(table.rows, table.inertials, model.joints, strict=True)
    yield f"function robot = {name}()"
    yield from (f"% {line}".rstrip() for line in ascii_lines(_header(model, table, origin)))
    yield "%"
    yield "% Makes a SerialLink of the Robotics Toolbox; tool and payload are in the last link."
    yield "% The toolbox takes gravity with the opposite sign."
    for number, (row, body, joint) in enumerate(links, start=1):
        yield f"  L({number}) = Link('revolute', 'd', {row.d!r}, 'a', {row.a!r}, ..."
        yield f"    'alpha', {row.alpha!r}, 'offset', {row.theta_offset!r}, ..."
        yield f"    'qlim', [{joint.lower!r} {joint.upper!r}], 'm', {body.mass!r}, ..."
        yield f"    'r', [{' '.join(map(repr, body.com.tolist()))}], ..."
        yield f"    'I', {_matrix(body.inertia.tolist(), ' ' * 10)});"
    for place, T in (("base", table.T_base_0), ("tool", table.T_n_tip)):
        yield f"  {place} = {_matrix(T.tolist(), ' ' * (len(place) + 6))};"
    yield from vector(tuple((0.0 - model.gravity).tolist()), "  gravity = ")
    yield "  robot = SerialLink(L, 'base', base, 'tool', tool, 'gravity', gravity, ..."
    yield f"    'name', '{name}', 'manufacturer', 'Rethink Robotics');"
    yield "end"


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


def _matrix(rows: list[list[float]], indent: str) -> str:
    separator = f"; ...\n{indent}"
    return f"[{separator.join(' '.join(map(repr, row)) for row in rows)}]"
