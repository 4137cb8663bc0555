"""`baxterkit workspace`: where the hands can go."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from baxterkit import Arm, Baxter
from baxterkit.cli.map_queries import grasps, map_argument, score, side_of_map, table_place
from baxterkit.cli.options import (
    arm_options,
    complete_from,
    configuration_option,
    deg_option,
    json_option,
    note_nominal,
    out_option,
    robot_of,
    robot_options,
    side_of_file,
    world_option,
)
from baxterkit.cli.reading import read_configuration
from baxterkit.cli.show import number, say, show, show_json, table
from baxterkit.cli.verbs import VerbGroup
from baxterkit.cli.words import numbers, plain
from baxterkit.clock import SYSTEM
from baxterkit.errors import InputError
from baxterkit.model.names import SIDES

if TYPE_CHECKING:
    from baxterkit.collision import World
    from baxterkit.workspace import Map, Progress

SHOWN = ("fraction", "both", "manipulability", "clearance", "margin", "width")
TOLD_FROM = 10.0
"""How long a job must take for its time to be told [s]."""
LINE_EVERY = 60.0
"""How often a job that has no terminal says how far it is [s]."""


@click.group("workspace", cls=VerbGroup)
def command() -> None:
    """Maps of what the hands reach, by exact inverse kinematics; figures and reports of them.

    Needs the extra [scale], figures [plot].
    """


@command.verb(
    "map",
    "baxterkit workspace map --side left --step 0.05 --orientations 100 --out map.zarr",
    "baxterkit workspace map --full --table 0.8,0,-0.1,0.6,1.2 --out with-table.zarr",
    "baxterkit workspace map --body --scheduler tcp://10.0.0.1:8786 --out /shared/map.zarr",
)
@click.option(
    "--side",
    type=click.Choice(["left", "right", "both", "pair"]),
    default="left",
    help="Arm; both, each alone; or a pair: both hands at once.",
)
@robot_options
@click.option("--step", type=float, default=0.05, help="Distance of the positions [m].")
@click.option(
    "--orientations", type=int, default=100, help="Number of orientations at each position."
)
@click.option("--body", is_flag=True, help="Count only what the robot reaches without touching.")
@click.option("--full", is_flag=True, help="--body, and how well each position is reached.")
@click.option(
    "--table",
    "place",
    metavar="X,Y,TOP,DEPTH,WIDTH",
    help="A table: middle and height of its top, and its sides along x and y [m].",
)
@world_option
@configuration_option("--other", help="Joint angles of the other arm.  [default: untuck]")
@click.option("--margin", type=float, help="Safety margin [m].  [default: 0]")
@click.option("--apart", type=float, help="Distance of the tips of a pair [m].  [default: 0.4]")
@click.option("-o", "--out", default="map.zarr", help="Folder, or an s3-like address.")
@click.option("--threads", type=click.IntRange(min=1), help="Threads.  [default: all cores]")
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler whose workers compute.")
@click.option("--device", metavar="GPU", help="A GPU that computes, such as cuda.")
@click.option("--repair", is_flag=True, help="Compute damaged chunks again.")
@deg_option("Numbers of --other in degrees.")
@json_option
def map_(
    side: str,
    robot: Baxter | None,
    step: float,
    orientations: int,
    body: bool,
    full: bool,
    place: str | None,
    world: World | None,
    other: str | None,
    margin: float | None,
    apart: float | None,
    out: str,
    threads: int | None,
    scheduler: str | None,
    device: str | None,
    repair: bool,
    deg: bool,
    as_json: bool,
) -> None:
    """Makes a map: for each position of a grid, which of the orientations the hand reaches.

    The same command on an unfinished map goes on where it stopped. With --body, --full, --table,
    --world, --other or --margin only configurations count in which the robot touches neither itself
    nor these obstacles. A pair is of both hands at once, as around an object: --apart from each
    other along y of its pose, and facing each other.
    """
    from baxterkit import workspace
    from baxterkit.workspace.settings import APART

    if scheduler is not None and threads is not None:
        raise click.UsageError("--threads is about this machine; with --scheduler leave it out")
    if side in SIDES:
        side = side_of_file(side)
    else:
        note_nominal()
    both = robot or Baxter()
    if place is not None:
        world = _table(place, world)
    about_body = body or any(x is not None for x in (world, other, margin))
    level = "full" if full else "body" if about_body else "reach"
    if apart is not None and side != "pair":
        raise click.UsageError("--apart is about --side pair")
    start = time.perf_counter()
    with _bar() as tell:
        made = workspace.make_map(
            out,
            workspace.Question(
                side,
                step,
                orientations,
                level,
                other=_other(both, side, other, deg),
                apart=APART if apart is None else apart,
            ),
            both.scene(world, margin=0.0 if margin is None else margin),
            threads=threads,
            scheduler=scheduler,
            device=device,
            repair=repair,
            progress=tell,
        )
    _show(made, as_json, time.perf_counter() - start)


def _other(robot: Baxter, side: str, text: str | None, deg: bool) -> Any:
    """What --other says of the arm at rest, or of each of them."""
    if text is None:
        return None
    if side == "pair":
        raise click.UsageError("--other is about the arm at rest; a pair has none")
    arms = {"left": (robot.right,), "right": (robot.left,), "both": (robot.left, robot.right)}
    found = [read_configuration(arm, text, "--other", deg) for arm in arms[side]]
    return found[0] if len(found) == 1 else found


@command.verb(
    "info", "baxterkit workspace info map.zarr", "baxterkit workspace info map.zarr --json"
)
@map_argument
@json_option
def info(source: str, as_json: bool) -> None:
    """What a finished MAP holds: reached poses, reasons, volumes, best qualities."""
    from baxterkit import workspace

    _show(workspace.open_map(source), as_json)


@command.verb(
    "figure",
    "baxterkit workspace figure map.zarr -o reach.png",
    "baxterkit workspace figure map.zarr --show fraction --at 0.6,0.3,0.2 -o slices.pdf",
)
@map_argument
@click.option(
    "--show",
    "name",
    default="fraction",
    shell_complete=complete_from(SHOWN),
    help="fraction, both, manipulability, clearance, margin or width.",
)
@side_of_map
@click.option("--at", metavar="X,Y,Z", help="Where the slices are [m].  [default: the middle]")
@out_option("map.png")
@json_option
def figure(
    source: str, name: str, side: str | None, at: str | None, out: Path, as_json: bool
) -> None:
    """One number for each cell of a MAP: cut open in space, and in three slices."""
    from baxterkit import plot, workspace

    place = None
    if at is not None:
        values = numbers(at)
        if values is None or len(values) != 3:
            raise InputError(f"--at is X,Y,Z in m, got {plain(at)!r}")
        place = (values[0], values[1], values[2])
    made = workspace.open_map(source)
    plot.save(plot.workspace_map(made, name, side, at=place), out)
    facts = {"file": str(out), "map": source, "shows": name}
    say(facts, f"{out}: {name} of {source}", as_json)


@command.verb("report", "baxterkit workspace report map.zarr -o report.html")
@map_argument
@out_option("map.html", "HTML file to write.")
@json_option
def report(source: str, out: Path, as_json: bool) -> None:
    """The numbers and figures of a MAP as one HTML file."""
    from baxterkit import plot, workspace

    made = workspace.open_map(source)
    plot.map_report(made, out)
    say({"file": str(out), "map": source}, f"{out}: {made!r}", as_json)


@command.verb(
    "canopy",
    "baxterkit workspace canopy --step 0.1 -o canopy.stl",
    "baxterkit workspace canopy --step 0.2 --body -o canopy.obj --json",
)
@arm_options
@click.option("--step", type=float, default=0.05, help="Distance of the nodes [m].")
@click.option("--body", is_flag=True, help="Only where the robot touches nothing.")
@out_option("canopy.stl", "File to write: .stl or .obj.")
@json_option
def canopy(arm: Arm, step: float, body: bool, out: Path, as_json: bool) -> None:
    """The surface around all positions that the tip reaches, as a closed mesh.

    Volume and area have errors: the difference from a lattice 1.4 times as wide.
    """
    from baxterkit import workspace

    workspace.Mesh.check_name(out)
    found = workspace.canopy(arm, step, scene=robot_of(arm) if body else None)
    found.mesh.save(out)
    facts = {"file": str(out), "volume": found.volume, "volume_error": found.volume_error}
    facts |= {"area": found.area, "area_error": found.area_error}
    say(facts | {"triangles": len(found.mesh.triangles)}, f"{out}: {found!r}", as_json)


for verb in (grasps, score, table_place):
    command.add_command(verb)


def _show(made: Map, as_json: bool, seconds: float | None = None) -> None:
    """Prints what a map holds."""
    arms: dict[str, dict[str, Any]] = {}
    for side in made.sides:
        reasons = made.reasons(side)
        poses = sum(reasons.values())
        arms[side] = {
            "poses": poses,
            "reached": reasons["SOLVED"],
            "reasons": reasons,
            "volume": made.volume(side=side),
            "best_fraction": float(made.values("fraction", side).max()),
        }
        for name in made.names:
            if name in ("manipulability", "clearance", "margin", "width"):
                values = made.values(name, side)
                best = float(np.nanmax(values)) if np.isfinite(values).any() else None
                arms[side][f"best_{name}"] = best
    facts: dict[str, Any] = {
        "file": str(made.path),
        "level": made.settings.level,
        "step": made.grid.step,
        "shape": made.grid.shape,
        "orientations": made.settings.orientations,
        "model_hash": made.description["model_hash"],
        "isa": made.description["isa"],
        "versions": made.description["versions"],
        "world": list(made.scene.world.names),
        "arms": arms,
    }
    if len(made.sides) == 2:
        facts["volume_both"] = float((made.both > 0).sum()) * made.grid.step**3
    if as_json:
        show_json(facts)
        return
    header = ("", *made.sides)
    rows = [("poses", *(f"{arms[s]['poses']:,}" for s in made.sides))]
    for name, text in (
        ("SOLVED", "reached"),
        ("OUT_OF_REACH", "out of reach"),
        ("LIMITS", "beyond the limits"),
        ("COLLISION", "the robot would touch"),
        ("NOT_CONVERGED", "not decided"),
    ):
        counts = [arms[s]["reasons"][name] for s in made.sides]
        if any(counts):
            rows.append((text, *(f"{n:,}" for n in counts)))
    rows.append(("volume [m^3]", *(number(arms[s]["volume"], 3) for s in made.sides)))
    for name in ("fraction", "manipulability", "clearance", "margin", "width"):
        if f"best_{name}" in arms[made.sides[0]]:
            cells = (arms[s][f"best_{name}"] for s in made.sides)
            rows.append((f"best {name}", *("-" if x is None else number(x, 4) for x in cells)))
    if "volume_both" in facts:
        rows.append(("volume of both [m^3]", number(facts["volume_both"], 3)))
    took = f", {seconds:.0f} s" if seconds is not None and seconds >= TOLD_FROM else ""
    show(table(f"{made.path}: {made!r}{took}", header, rows))


def _table(text: str, known: World | None) -> World:
    """The world of --table and --world."""
    from baxterkit.collision import World

    values = numbers(text)
    if values is None or len(values) != 5:
        raise InputError(f"--table is X,Y,TOP,DEPTH,WIDTH in m, got {plain(text)!r}")
    x, y, top, depth, width = values
    world = World() if known is None else known
    world.add_table("table", top, (depth, width), (x, y))
    return world


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    """Progress on stderr: a bar on a terminal, otherwise a line a minute; Ctrl-C says how far."""
    last: list[Progress] = []
    try:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            console = Console(file=sys.stderr)
            with Bar(BarColumn(), TextColumn("{task.description}"), console=console,
                     transient=True) as bar:  # fmt: skip
                task = bar.add_task("starting", total=1.0)

                def show_bar(now: Progress) -> None:
                    last[:] = [now]
                    bar.update(task, description=_words(now), completed=now.done / now.total)

                yield show_bar
        else:
            told = SYSTEM.now()

            def show_line(now: Progress) -> None:
                nonlocal told
                last[:] = [now]
                if SYSTEM.now() - told > LINE_EVERY:
                    told = SYSTEM.now()
                    click.echo(_words(now), err=True)

            yield show_line
    except KeyboardInterrupt:
        if last:
            click.echo(
                f"{last[0].done} of {last[0].total} chunks are done; the same command goes on "
                "from there",
                err=True,
            )
        raise


def _words(now: Progress) -> str:
    minutes, seconds = divmod(round(now.left), 60)
    hours, minutes = divmod(minutes, 60)
    left = f"{hours}:{minutes:02}:{seconds:02}"
    return f"{now.done} of {now.total} chunks, {now.rate:,.0f} poses/s, {left} left"
