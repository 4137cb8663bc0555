"""`baxterkit jacobian`: the Jacobian, manipulability and condition number."""

from __future__ import annotations

import click

from baxterkit import Arm
from baxterkit.cli.options import arm_options, deg_option, joint_argument, json_option
from baxterkit.cli.reading import read_joints
from baxterkit.cli.show import (
    Facts,
    angle_unit,
    angles,
    matrix_table,
    number,
    show,
    show_csv,
    show_json,
)
from baxterkit.cli.verbs import verb
from baxterkit.types import JointVector

ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")


@verb(
    "jacobian",
    "baxterkit jacobian neutral",
    "baxterkit jacobian 0 -0.55 0 0.75 0 1.26 0 --frame tip --json",
)
@joint_argument
@arm_options
@click.option(
    "--frame", type=click.Choice(["base", "tip"]), default="base", help="Axes of the twist."
)
@deg_option("Q in degrees; the Jacobian stays per radian.")
@json_option
def command(q: tuple[str, ...], arm: Arm, frame: str, deg: bool, as_json: bool) -> None:
    """Geometric Jacobian of the tip, with manipulability and condition.

    Linear rows [m/rad] first, then angular rows [1]. Q is as in `baxterkit fk`; --deg changes the
    unit of Q, the Jacobian stays per radian. A batch is printed as CSV, one matrix per line, row by
    row.
    """
    given = read_joints(arm, q, deg)
    if not given.is_batch:
        result = _facts(arm, given.q, frame, deg)
        show_json(result) if as_json else _show(arm, result)
    elif as_json:
        rows = [_facts(arm, row, frame, deg) for row in given.q]
        show_json({"side": arm.side, "angle_unit": angle_unit(deg), "jacobians": rows})
    else:
        header = [f"{row}_{joint}" for row in ROWS for joint in arm.joint_names]
        show_csv(header, arm.jacobian(given.q, frame=frame).reshape(-1, len(header)))


def _facts(arm: Arm, q: JointVector, frame: str, deg: bool) -> Facts:
    return {
        "side": arm.side,
        "frame": frame,
        "angle_unit": angle_unit(deg),
        "q": angles(q, deg),
        "jacobian": arm.jacobian(q, frame=frame),
        "manipulability": arm.manipulability(q),
        "condition_number": arm.condition_number(q),
        "smallest_singular_value": arm.smallest_singular_value(q),
    }


def _show(arm: Arm, facts: Facts) -> None:
    title = f"{arm.side} arm: Jacobian of the tip, {facts['frame']} axes  [m/rad; 1]"
    show(
        matrix_table(title, arm.joint_names, ROWS, facts["jacobian"]),
        f"manipulability           {number(facts['manipulability'])}",
        f"condition number         {number(facts['condition_number'])}",
        f"smallest singular value  {number(facts['smallest_singular_value'])}",
    )
