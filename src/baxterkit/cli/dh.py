"""`baxterkit dh`: Denavit-Hartenberg tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from baxterkit import Arm
from baxterkit.cli.options import (
    IN_FILE,
    arm_of_file,
    deg_option,
    json_option,
    need_one,
    robot_option,
    side_option,
)
from baxterkit.cli.show import (
    Facts,
    angle_unit,
    angles,
    number,
    pose_dict,
    pose_table,
    show,
    show_json,
    table,
)
from baxterkit.cli.verbs import verb
from baxterkit.errors import InputError, shortened
from baxterkit.model.dh import DhTable, dh_from_chain, dh_from_model
from baxterkit.model.parts import SNAP_TOLERANCE
from baxterkit.model.urdf import arm_from_urdf
from baxterkit.model.urdf_reader import read_urdf

if TYPE_CHECKING:
    from rich.console import RenderableType

    from baxterkit.model.urdf_tree import UrdfTree


@verb(
    "dh",
    "baxterkit dh --inertials",
    "baxterkit dh --robot robot.toml --inertials",
    "baxterkit dh --urdf my_baxter.urdf --side right",
    "baxterkit dh --urdf robot.urdf --root base_link --tip tool0 --json",
)
@side_option
@click.option(
    "--tool", help="Tool whose tip ends Baxter's arm.  [default: hand, or the file's own]"
)
@click.option("--urdf", type=IN_FILE, help="Take the chain from a URDF file.")
@robot_option
@click.option("--root", help="First link of the chain in the file.  [default: the file's root]")
@click.option("--tip", help="Last link of the chain in the file.  [default: the only leaf]")
@click.option(
    "--snap",
    type=click.FloatRange(min=0.0),
    metavar="RAD",
    help="Angles of the file this near [rad] to a multiple of pi/2 become it.  [default: 1e-8]",
)
@click.option("--inertials", is_flag=True, help="Masses, centres of mass, inertias in DH frames.")
@deg_option("Angles of the table in degrees.")
@json_option
def command(
    side: str,
    tool: str | None,
    urdf: Path | None,
    robot: Path | None,
    root: str | None,
    tip: str | None,
    snap: float | None,
    inertials: bool,
    deg: bool,
    as_json: bool,
) -> None:
    """Standard Denavit-Hartenberg table of the arm, or of any serial chain in a URDF file.

    Each row is Rz(q + theta) Tz(d) Tx(a) Rx(alpha). The output includes the base and tool
    transforms, and the largest difference between table and chain over random configurations.
    --inertials adds the link masses, centres of mass, and inertias about them, in the DH frames.
    Axes that are almost parallel give huge rows and a warning; see --snap.
    """
    need_one(urdf, robot)
    if urdf is None and (root or tip or snap is not None):
        raise click.UsageError("--root, --tip and --snap are about a file: give --urdf too")
    if robot is not None:
        arm = arm_of_file(robot, side, tool)
        title, result = f"{arm.side} arm of {robot.name}", dh_from_model(arm.model)
    elif urdf is None:
        title, result = f"{side} arm", dh_from_model(Arm(side, tool=tool or "hand").model)
    else:
        title, result = _of_file(urdf, side, tool, root, tip, snap)
    if as_json:
        show_json(_facts(result, inertials, deg))
    else:
        show(*_tables(title, result, inertials, deg))


def _of_file(
    urdf: Path, side: str, tool: str | None, root: str | None, tip: str | None, snap: float | None
) -> tuple[str, DhTable]:
    """A title and the table: of the named chain, of Baxter's arm, or of the only chain."""
    tree = read_urdf(urdf, SNAP_TOLERANCE if snap is None else snap)
    if root or tip or f"{side}_s0" not in tree.joints:
        if tool is not None:
            raise click.UsageError("--tool is for Baxter's arm, not for a chain of a file")
        result = dh_from_chain(tree.chain(*_ends(urdf, tree, root, tip)))
        return f"{shortened(result.root)} to {shortened(result.tip)} of {urdf.name}", result
    if snap is None:
        model = Arm.from_urdf(urdf, side, tool).model  # with Baxter's own joints where they are his
    else:
        model = arm_from_urdf(urdf, side, tool, snap)
    return f"{side} arm of {urdf.name}", dh_from_model(model)


def _ends(urdf: Path, tree: UrdfTree, root: str | None, tip: str | None) -> tuple[str, str]:
    leaves = [name for name, joints in tree.child_joints.items() if not joints]
    if tip is None and len(leaves) != 1:
        shown = [*map(shortened, leaves[:20]), *["..."][: len(leaves) > 20]]
        raise InputError(f"{urdf.name} has several tips, choose with --tip: {', '.join(shown)}")
    return root or tree.root, tip or leaves[0]


def _facts(result: DhTable, inertials: bool, deg: bool) -> Facts:
    rows = [
        {
            "joint": row.joint,
            "kind": row.kind,
            "theta_offset": angles(row.theta_offset, deg),
            "d": row.d,
            "a": row.a,
            "alpha": angles(row.alpha, deg),
        }
        for row in result.rows
    ]
    facts: Facts = {
        "angle_unit": angle_unit(deg),
        "rows": rows,
        "T_base_0": pose_dict(result.T_base_0, deg),
        "T_n_tip": pose_dict(result.T_n_tip, deg),
        "position_residual": result.position_residual,
        "angle_residual": result.angle_residual,
    }
    if inertials:
        facts["inertials"] = [
            {"joint": row.joint, "mass": link.mass, "com": link.com, "inertia": link.inertia}
            for row, link in zip(result.rows, result.inertials, strict=True)
        ]
    return facts


def _tables(title: str, result: DhTable, inertials: bool, deg: bool) -> list[RenderableType]:
    unit = angle_unit(deg)
    rows = []
    for row in result.rows:
        theta, alpha = angles(row.theta_offset, deg), angles(row.alpha, deg)
        variable = "theta + q" if row.kind == "revolute" else "d + q"
        rows.append((row.joint, variable, *map(number, (theta, row.d, row.a, alpha))))
    header = ("joint", "variable", f"theta [{unit}]", "d [m]", "a [m]", f"alpha [{unit}]")
    parts: list[RenderableType] = [
        table(f"{title}: standard DH, Rz(theta) Tz(d) Tx(a) Rx(alpha)", header, rows),
        pose_table("base to frame 0", result.T_base_0, deg),
        pose_table(f"frame {len(rows)} to tip", result.T_n_tip, deg),
    ]
    if inertials:
        parts += _inertial_tables(result)
    exact = f"{result.position_residual:.0e} m, {result.angle_residual:.0e} rad"
    return [*parts, f"largest difference to the chain, over random q: {exact}"]


def _inertial_tables(result: DhTable) -> list[RenderableType]:
    masses, tensors = [], []
    for row, link in zip(result.rows, result.inertials, strict=True):
        masses.append((row.joint, *(number(x, 8) for x in (link.mass, *link.com))))
        entries = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]
        tensors.append((row.joint, *(number(link.inertia[entry], 8) for entry in entries)))
    return [
        table(
            "link mass [kg] and centre of mass [m], DH frames", ("joint", "mass", *"xyz"), masses
        ),
        table(
            "inertia about the centre of mass, DH axes [kg m²]",
            ("joint", "Ixx", "Iyy", "Izz", "Ixy", "Iyz", "Ixz"),
            tensors,
        ),
    ]
