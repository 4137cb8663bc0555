"""Writes an arm as a model of Corke's Robotics Toolbox, for Python and for MATLAB.

Both take standard DH rows with masses, centres of mass and inertias about them in DH frames, as
`dh_from_model` returns them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from baxterkit.codegen.matlab import vector
from baxterkit.codegen.text import ascii_lines
from baxterkit.model.dh import DhRow, DhTable
from baxterkit.model.model import ArmModel, Inertial, Joint


@dataclasses.dataclass(frozen=True)
class ToolboxArm:
    """Input of both writers.

    Attributes:
        name: Name of the robot, and of the variable that holds it.
        model: The arm.
        table: Its DH table, base to tip.
        header: Lines on what it is and where it comes from.
    """

    name: str
    model: ArmModel
    table: DhTable
    header: Sequence[str]


def write_python(arm: ToolboxArm) -> str:
    """A Python module that makes a `roboticstoolbox.DHRobot`."""
    return "\n".join(_python(arm)) + "\n"


def write_matlab(arm: ToolboxArm) -> str:
    """A MATLAB function file that makes a `SerialLink`."""
    return "\n".join(_matlab(arm)) + "\n"


def _python(arm: ToolboxArm) -> Iterator[str]:
    first, *rest = ascii_lines(arm.header)
    yield f'"""{first}'
    yield from rest
    yield ""
    yield f"`{arm.name}` is a roboticstoolbox.DHRobot. Tool and payload are part of the last link."
    yield '"""'
    yield ""
    yield "import numpy as np"
    yield "from roboticstoolbox import DHRobot, RevoluteDH"
    yield "from spatialmath import SE3"
    yield ""
    yield f"{arm.name} = DHRobot("
    yield "    ["
    for row, body, joint in _links(arm):
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
    for place, T in (("base", arm.table.T_base_0), ("tool", arm.table.T_n_tip)):
        yield f"    {place}=SE3("
        yield "        np.array("
        yield "            ["
        yield from (f"                {line!r}," for line in T.tolist())
        yield "            ]"
        yield "        ),"
        yield "        check=False,"
        yield "    ),"
    yield f"    gravity={arm.model.gravity.tolist()!r},"
    yield f'    name="{arm.name}",'
    yield '    manufacturer="Rethink Robotics",'
    yield ")"


def _matlab(arm: ToolboxArm) -> Iterator[str]:
    yield f"function robot = {arm.name}()"
    yield from (f"% {line}".rstrip() for line in ascii_lines(arm.header))
    yield "%"
    yield "% Makes a SerialLink of the Robotics Toolbox; tool and payload are in the last link."
    yield "% The toolbox takes gravity with the opposite sign."
    for number, (row, body, joint) in enumerate(_links(arm), start=1):
        yield f"  L({number}) = Link('revolute', 'd', {row.d!r}, 'a', {row.a!r}, ..."
        yield f"    'alpha', {row.alpha!r}, 'offset', {row.theta_offset!r}, ..."
        yield f"    'qlim', [{joint.lower!r} {joint.upper!r}], 'm', {body.mass!r}, ..."
        yield f"    'r', [{' '.join(map(repr, body.com.tolist()))}], ..."
        yield f"    'I', {_matrix(body.inertia.tolist(), ' ' * 10)});"
    for place, T in (("base", arm.table.T_base_0), ("tool", arm.table.T_n_tip)):
        yield f"  {place} = {_matrix(T.tolist(), ' ' * (len(place) + 6))};"
    yield from vector(tuple((0.0 - arm.model.gravity).tolist()), "  gravity = ")
    yield "  robot = SerialLink(L, 'base', base, 'tool', tool, 'gravity', gravity, ..."
    yield f"    'name', '{arm.name}', 'manufacturer', 'Rethink Robotics');"
    yield "end"


def _links(arm: ToolboxArm) -> Iterator[tuple[DhRow, Inertial, Joint]]:
    return zip(arm.table.rows, arm.table.inertials, arm.model.joints, strict=True)


def _matrix(rows: list[list[float]], indent: str) -> str:
    separator = f"; ...\n{indent}"
    return f"[{separator.join(' '.join(map(repr, row)) for row in rows)}]"
