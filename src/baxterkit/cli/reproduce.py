"""`baxterkit reproduce`: the papers' experiments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from baxterkit.cli.options import Verb, json_option
from baxterkit.cli.show import show, show_json, table
from baxterkit.errors import UnknownNameError
from baxterkit.experiments.registry import EXPERIMENTS
from baxterkit.experiments.result import Result, shown


@click.command(
    "reproduce",
    cls=Verb,
    examples=(
        "baxterkit reproduce --list",
        "baxterkit reproduce ju_pose --data recordings",
        "baxterkit reproduce --out reproduce-out",
    ),
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "list_only", is_flag=True, help="List the experiments and stop.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of the recordings.  [default: BAXTERKIT_DATA]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reproduce-out"),
    show_default=True,
    help="Folder for report.html and the figures.",
)
@click.option("--quick", is_flag=True, help="Fewer samples: a first look.")
@json_option
def command(
    names: tuple[str, ...],
    list_only: bool,
    data: Path | None,
    out: Path,
    quick: bool,
    as_json: bool,
) -> None:
    """The papers' experiments redone: paper, ours, verdict.

    NAME is one or more experiments; all of them if none is given. Real recordings are taken from
    --data or BAXTERKIT_DATA; without them, a small synthetic recording stands in. Writes
    OUT/report.html, one file that holds its pictures, and the figures as PNG. Needs the extras
    [plot] and [data].
    """
    if list_only:
        if as_json:
            show_json(EXPERIMENTS)
        else:
            width = max(map(len, EXPERIMENTS))
            for name, about in EXPERIMENTS.items():
                click.echo(f"{name:{width}}  {about}")
        return
    for name in names:
        if name not in EXPERIMENTS:
            raise UnknownNameError("experiment", name, EXPERIMENTS)
    from baxterkit.experiments import Settings, run, write_report

    results = []
    with _progress(list(names) or list(EXPERIMENTS)) as (steps, tell):
        settings = Settings(data=data, quick=quick, progress=tell)
        for name in steps:
            results.append(run(name, settings))
            if not as_json:
                _show(results[-1])
    report = write_report(results, out)
    if as_json:
        show_json({"report": str(report), "results": [one.as_dict() for one in results]})
        return
    click.echo(f"report: {report}")
    click.echo("; ".join(result.summary for result in results))


def _show(result: Result) -> None:
    for index, (section, rows) in enumerate(groupby(result.rows, key=lambda row: row.section)):
        title = f"{result.title}\n{section}" if section and not index else section or result.title
        cells = [(r.quantity, shown(r.paper), shown(r.ours), r.verdict) for r in rows]
        show(table(title, ("", "paper", "ours", "verdict"), cells))
    for note in result.notes:
        show(f"{note}\n")


@contextmanager
def _progress(
    names: list[str],
) -> Iterator[tuple[Iterator[str], Callable[[str, float], None]]]:
    """Names one by one, and what experiments tell their progress: a bar on a terminal."""
    console = Console(file=sys.stderr)
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=float(len(names)))
        done = 0

        def tell(text: str, part: float) -> None:
            bar.update(task, description=text, completed=done + part)

        def steps() -> Iterator[str]:
            nonlocal done
            for name in names:
                tell(name, 0.0)
                yield name
                done += 1
            tell("", 0.0)

        yield steps(), tell
