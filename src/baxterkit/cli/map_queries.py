"""`baxterkit workspace score | grasps | table`: questions to a map."""

from __future__ import annotations

import click

from baxterkit.cli.options import Function, deg_option, json_option
from baxterkit.cli.show import angle_unit, angles, number, show, show_json, table
from baxterkit.cli.status import without_answer
from baxterkit.cli.targets import numbers_of, orientation_options, read_pose
from baxterkit.cli.verbs import verb
from baxterkit.cli.words import numbers, plain
from baxterkit.errors import InputError


def map_argument(function: Function) -> Function:
    """Adds the argument MAP, a folder or an address."""
    return click.argument("source", metavar="MAP")(function)


def side_of_map(function: Function) -> Function:
    """Adds --side for a map that may be of both arms."""
    sides = click.Choice(["left", "right"])
    return click.option("--side", type=sides, help="Arm, if the map is of both.")(function)


@verb(
    "score",
    "baxterkit workspace score map.zarr 0.6 0.3 0.2 --rpy 3.1416 0 0",
    "baxterkit workspace score map.zarr 0.6 0.3 0.2 --rpy 180 0 0 --deg --json",
)
@map_argument
@click.argument("point", nargs=3, metavar="X Y Z")
@orientation_options
@side_of_map
@deg_option("Angles in degrees, in and out.")
@json_option
def score(
    source: str,
    point: tuple[str, ...],
    rpy: tuple[str, ...] | None,
    quat: tuple[str, ...] | None,
    side: str | None,
    deg: bool,
    as_json: bool,
) -> None:
    """What becomes of a pose: the answer of inverse kinematics, and what the MAP says near it."""
    from baxterkit import workspace
    from baxterkit.ik import IkStatus

    if rpy is None and quat is None:
        raise click.UsageError("a pose needs an orientation: give --rpy or --quat")
    T = read_pose(point, rpy, quat, deg)
    found = workspace.open_map(source).score(T, side)
    names = {int(status): status.name for status in IkStatus}
    status, guess = names[int(found.status)], names[int(found.guess)]
    reached = bool(found.reached)
    if as_json:
        q = angles(found.q, deg) if reached else None
        show_json(
            {
                "reached": reached,
                "status": status,
                "angle_unit": angle_unit(deg),
                "q": q,
                "guess": guess,
                "fraction": float(found.fraction),
            }
        )
    else:
        click.echo(
            f"{status}; in the map: {guess} at the nearest pose, "
            f"{float(found.fraction):.2f} of the orientations in its cell"
        )
        if reached:
            q = " ".join(number(float(x), 4) for x in angles(found.q, deg))
            click.echo(f"q [{angle_unit(deg)}] {q}")
    if not reached:
        without_answer()


@verb(
    "grasps",
    "baxterkit workspace grasps map.zarr 0.6 0.3 0.2",
    "baxterkit workspace grasps map.zarr 0.6 0.3 0.2 --by clearance --count 3 --json",
)
@map_argument
@click.argument("point", nargs=3, metavar="X Y Z")
@click.option("--count", type=click.IntRange(min=1), default=5, help="How many.")
@click.option(
    "--by",
    type=click.Choice(["manipulability", "clearance", "margin", "width"]),
    default="manipulability",
    help="What is best.",
)
@side_of_map
@deg_option("Angles out in degrees.")
@json_option
def grasps(
    source: str,
    point: tuple[str, ...],
    count: int,
    by: str,
    side: str | None,
    deg: bool,
    as_json: bool,
) -> None:
    """The best orientations of the hand at a point, each solved by inverse kinematics."""
    from baxterkit import workspace
    from baxterkit.spatial.formulas import matrix_to_rpy

    p = numbers_of(point, "the point")
    made = workspace.open_map(source)
    found = made.best_grasps(p, count, by=by, side=side)
    rpy, margin, width = (
        angles(x, deg) for x in (matrix_to_rpy(found.T[:, :3, :3]), found.margin, found.width)
    )
    if as_json:
        show_json(
            {
                "tried": found.tried,
                "reached": found.reached,
                "reason": found.reason,
                "angle_unit": angle_unit(deg),
                "rpy": rpy,
                "q": angles(found.q, deg),
                "manipulability": found.manipulability,
                "clearance": found.clearance,
                "margin": margin,
                "width": width,
            }
        )
    else:
        columns = (*rpy.T, found.manipulability, found.clearance, margin, width)
        rows = [(str(n + 1), *(number(float(x[n]), 3) for x in columns)) for n in range(len(found))]
        header = ("", "roll", "pitch", "yaw", "manipulability", "clearance", "margin", "width")
        others = f"; {found.reason}" if found.reason else ""
        title = f"{found.reached} of {found.tried} orientations are reached{others}"
        show(table(title, header, rows) if rows else title)
    if not found.reached:
        without_answer()


@verb(
    "table",
    "baxterkit workspace table map.zarr --size 0.5,0.8",
    "baxterkit workspace table map.zarr --size 0.5,0.8 --heights -0.2,0.1 --json",
)
@map_argument
@click.option(
    "--size", metavar="DEPTH,WIDTH", default="0.6,1.0",
    help="Sides of its top along x and y [m].")  # fmt: skip
@click.option(
    "--heights", metavar="LEAST,GREATEST", default="-0.4,0.4",
    help="Least and greatest height of its top in base [m].")  # fmt: skip
@click.option("--count", type=click.IntRange(min=1), default=3, help="How many.")
@side_of_map
@json_option
def table_place(
    source: str, size: str, heights: str, count: int, side: str | None, as_json: bool
) -> None:
    """The best places and heights for a table, by a MAP of the body; each is tried there."""
    from baxterkit import workspace

    made = workspace.open_map(source)
    found = made.best_table(
        _two(size, "--size"), _two(heights, "--heights"), count=count, side=side
    )
    if as_json:
        names = ("x", "y", "top", "above_floor", "share", "guess")
        show_json({"places": [{name: getattr(one, name) for name in names} for one in found]})
    else:
        shown = ("x", "y", "top", "above_floor", "share")
        rows = [tuple(number(getattr(one, name), 3) for name in shown) for one in found]
        show(table("middle and height of the top [m], share of the poses above that are reached",
                   ("x", "y", "top", "above floor", "share"), rows))  # fmt: skip
    if not found:
        without_answer()


def _two(text: str, name: str) -> tuple[float, float]:
    values = numbers(text)
    if values is None or len(values) != 2:
        raise InputError(f"{name} is two numbers in m, got {plain(text)!r}")
    return values[0], values[1]
