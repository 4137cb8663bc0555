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

from baxterkit.cli.options import complete_tool, json_option, posture_option, whole_robot
from baxterkit.cli.reading import read_posture
from baxterkit.cli.show import number, show, show_json, table
from baxterkit.cli.verbs import Verb, VerbGroup
from baxterkit.cli.words import numbers, plain
from baxterkit.errors import InputError

if TYPE_CHECKING:
    from baxterkit.collision import World
    from baxterkit.workspace import Map, Progress

TABLE_THICKNESS = 0.04
LINE_EVERY = 60.0
"""How often a job that has no terminal says how far it is [s]."""


@click.group("workspace", cls=VerbGroup)
def command() -> None:
    """Maps of what the hands reach, by exact inverse kinematics; figures and reports of them.

    Needs the extra [scale], figures [plot].
    """


@command.command(
    "map",
    cls=Verb,
    examples=(
        "baxterkit workspace map --side left --step 0.05 --orientations 100 --out map.zarr",
        "baxterkit workspace map --full --table 0.8,0,-0.1,0.6,1.2 --out with-table.zarr",
        "baxterkit workspace map --body --scheduler tcp://10.0.0.1:8786 --out /shared/map.zarr",
    ),
)
@click.option(
    "--side",
    type=click.Choice(["left", "right", "both"]),
    default="left",
    show_default=True,
    help="Arm, or both.",
)
@click.option(
    "--tool",
    default=None,
    shell_complete=complete_tool,
    help="hand, electric_standard, electric_extended or vacuum.  [default: hand]",
)
@click.option(
    "--urdf",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Take the arms, with their robot's own mounts, from a URDF file.",
)
@click.option(
    "--robot",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Take the arms, as they were identified, from a robot.toml file.",
)
@click.option(
    "--step", type=float, default=0.05, show_default=True, help="Distance of the positions [m]."
)
@click.option(
    "--orientations",
    type=int,
    default=100,
    show_default=True,
    help="Number of orientations at each position.",
)
@click.option("--body", is_flag=True, help="Count only what the robot reaches without touching.")
@click.option("--full", is_flag=True, help="--body, and how well each position is reached.")
@click.option(
    "--table",
    "place",
    metavar="X,Y,TOP,DEPTH,WIDTH",
    help="A table: middle and height of its top, and its sides along x and y [m].",
)
@posture_option("--other", help="Joint angles of the other arm.  [default: untuck]")
@click.option(
    "--padding",
    type=float,
    default=0.0,
    help="What is nearer than this [m] counts as touching.  [default: 0]",
)
@click.option(
    "-o", "--out", default="map.zarr", show_default=True, help="Folder, or an s3-like address."
)
@click.option("--threads", type=click.IntRange(min=1), help="Threads.  [default: all cores]")
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler whose workers compute.")
@click.option("--repair", is_flag=True, help="Compute damaged chunks again.")
@json_option
def map_(
    side: str,
    tool: str | None,
    urdf: Path | None,
    robot: Path | None,
    step: float,
    orientations: int,
    body: bool,
    full: bool,
    place: str | None,
    other: str | None,
    padding: float,
    out: str,
    threads: int | None,
    scheduler: str | None,
    repair: bool,
    as_json: bool,
) -> None:
    """Makes a map: for each position of a grid, which of the orientations the hand reaches.

    The same command on an unfinished map goes on where it stopped. With --body, --full or --table
    only postures count in which the robot touches neither itself nor the table.
    """
    from baxterkit import workspace

    if scheduler is not None and threads is not None:
        raise click.UsageError("--threads is about this machine; with --scheduler leave it out")
    both = whole_robot(urdf, robot, tool)
    world = None if place is None else _table(place)
    level = "full" if full else "body" if body or world is not None else "reach"
    rest = both.right if side == "left" else both.left
    start = time.monotonic()
    with _bar() as tell:
        made = workspace.make_map(
            out,
            side,
            step,
            orientations,
            level=level,
            robot=both,
            world=world,
            other=read_posture(rest, other, "--other"),
            padding=padding,
            threads=threads,
            scheduler=scheduler,
            repair=repair,
            progress=tell,
        )
    _show(made, as_json, time.monotonic() - start)


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
    took = "" if seconds is None else f", {seconds:.1f} s"
    show(table(f"{made.path}: {made!r}{took}", header, rows))


def _table(text: str) -> World:
    """The world of --table."""
    from baxterkit.collision import World

    values = numbers(text)
    if values is None or len(values) != 5:
        raise InputError(f"--table is X,Y,TOP,DEPTH,WIDTH in m, got {plain(text)!r}")
    x, y, top, depth, width = values
    T = np.eye(4)
    T[:3, 3] = x, y, top - TABLE_THICKNESS / 2
    world = World()
    world.add_box("table", (depth, width, TABLE_THICKNESS), T)
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
            told = time.monotonic()

            def show_line(now: Progress) -> None:
                nonlocal told
                last[:] = [now]
                if time.monotonic() - told > LINE_EVERY:
                    told = time.monotonic()
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
