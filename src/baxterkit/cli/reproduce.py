"""`baxterkit reproduce`: the papers' experiments."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import click

from baxterkit import disk
from baxterkit.cli.options import IN_FOLDER, complete_from, json_option
from baxterkit.cli.show import progress_parts, say_list, show, show_json, table
from baxterkit.cli.verbs import verb
from baxterkit.errors import UnknownNameError
from baxterkit.experiments.registry import EXPERIMENTS
from baxterkit.experiments.result import Result, count_verdicts, table_of

FIGURES = "figures"
ALL = {**EXPERIMENTS, FIGURES: "Every figure of the three papers, 24 pictures and a page of them"}


@verb(
    "reproduce",
    "baxterkit reproduce --list",
    "baxterkit reproduce ju_pose --data recordings",
    "baxterkit reproduce --out reproduce-out",
    "baxterkit reproduce figures --out figures-out",
    "baxterkit reproduce kumar_circle --ros http://robot.local:11311",
)
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_from(ALL))
@click.option("--list", "list_only", is_flag=True, help="List the experiments and stop.")
@click.option("--data", type=IN_FOLDER, help="Folder of the recordings.  [default: BAXTERKIT_DATA]")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reproduce-out"),
    help="Folder for report.html and the figures.",
)
@click.option(
    "--ros",
    metavar="MASTER",
    help="Run on the robot at this ROS master: kumar_circle, ju_tuck, smith_twin. It moves.",
)
@click.option(
    "--patience",
    type=float,
    metavar="SECONDS",
    help="With --ros: age of the robot's states, and delay of this process, that end a motion.  "
    "[default: 0.1 and 0.15]",
)
@click.option("--quick", is_flag=True, help="Fewer samples: a first look.")
@json_option
def command(
    names: tuple[str, ...],
    list_only: bool,
    data: Path | None,
    out: Path,
    ros: str | None,
    patience: float | None,
    quick: bool,
    as_json: bool,
) -> None:
    """Repeats the papers' experiments: paper, ours, verdict.

    NAME is one or more experiments; all of them if none is given. Real recordings are taken from
    --data or BAXTERKIT_DATA; without them, a small synthetic recording takes their place. Writes
    OUT/report.html, a single file with its pictures, and the figures as PNG. Needs the extras
    [plot] and [data], and [sim] for experiments in the twin; all experiments together take some
    minutes. The name `figures` draws the papers' 24 figures: OUT/kumar_1.png and so on, and
    OUT/index.html.
    """
    if ros is not None and not names:
        raise click.UsageError("name the experiments that --ros runs, such as kumar_circle")
    if patience is not None and ros is None:
        raise click.UsageError("--patience goes with --ros")
    if list_only:
        say_list(ALL, as_json)
        return
    for name in names:
        if name not in ALL:
            raise UnknownNameError("experiment", name, ALL)
    if ros is not None and FIGURES in names:
        raise click.UsageError("figures are drawn, not run on a robot: leave --ros out")
    from baxterkit.experiments import Settings, write_report
    from baxterkit.experiments.registry import attempt, run

    disk.make_folder(out)  # Before minutes of work, not after.
    results = []
    for name in [name for name in names if name != FIGURES] or ([] if names else EXPERIMENTS):
        with progress_parts(name) as tell:
            settings = Settings(data, quick, ros=ros, patience=patience, progress=tell)
            # An experiment named by the user must run; of all, those run that can.
            results.append(run(name, settings) if names else attempt(name, settings))
        if not as_json:
            _show(results[-1])
    written = {}
    if results:
        written["report"] = str(write_report(results, out))
    if not names or FIGURES in names:
        from baxterkit.experiments.figures import write_figures

        with progress_parts(FIGURES) as tell:
            settings = Settings(data, quick, progress=tell)
            written[FIGURES] = str(write_figures(out, settings, results))
    if as_json:
        show_json({**written, "results": [one.as_dict() for one in results]})
        return
    for what, path in written.items():
        click.echo(f"{what}: {path}")
    for result in results:
        click.echo(result.summary)
    if len(results) > 1:
        click.echo(f"{len(results)} experiments: {count_verdicts(results)}")


def _show(result: Result) -> None:
    if not result.rows:
        show(f"{result.title}")
    for index, (section, rows) in enumerate(groupby(result.rows, key=lambda row: row.section)):
        title = f"{result.title}\n{section}" if section and not index else section or result.title
        show(table(title, *table_of(list(rows))))
    for note in result.notes:
        show(f"{note}\n")
