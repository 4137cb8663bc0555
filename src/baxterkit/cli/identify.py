"""`baxterkit identify`: the model of a real robot from its recordings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from baxterkit import Arm, Baxter, recording
from baxterkit.cli.options import (
    IN_FILE,
    OutFile,
    deg_option,
    json_option,
    out_option,
    read_tool,
    was_given,
)
from baxterkit.cli.show import Facts, progress_parts, show, show_json, show_notes, table
from baxterkit.cli.verbs import verb
from baxterkit.cli.wording import in_options
from baxterkit.errors import BaxterkitError, FileError, NoAnswerError, RecordingError
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.recording import Recording

if TYPE_CHECKING:
    from baxterkit.identify import RobotFit

Tell = Callable[[str, float], None]
Load = Callable[..., Recording]


@verb(
    "identify",
    "baxterkit identify recording.csv --side left -o robot.toml",
    "baxterkit identify recording.csv --side left --report robot.html",
    "baxterkit identify robot.bag --tf -o robot.toml",
    "baxterkit identify recording.csv --side left --tare --robot robot.toml",
    "baxterkit dynamics neutral --robot robot.toml",
)
@click.argument("data", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@out_option("robot.toml", "The robot file to write; if it holds the other arm, that one stays.")
@click.option(
    "--side", type=click.Choice(SIDES), help="Arm, where the files hold both or do not say."
)
@click.option("--tool", help="Tool on the hand.  [default: from the poses if any, else hand]")
@click.option(
    "--robot", type=IN_FILE, help="Start from this robot file instead of the nominal robot."
)
@click.option("--rate", type=float, help="Rows per second [Hz], where files have no time.")
@deg_option("Angles of the files are in degrees, where they do not say.")
@click.option("--drop-bad-rows", is_flag=True, help="Leave out rows that cannot be read.")
@click.option("--filter", "hz", type=float, default=5.0, help="Low-pass for torques [Hz].")
@click.option(
    "--tf", is_flag=True, help="Take only the mounts, from a bag's /tf; nothing is fitted."
)
@click.option(
    "--tare",
    is_flag=True,
    help="Take only the zero of the torque sensors today, into the robot file.",
)
@click.option("--date", help="When the robot was recorded; noted in the file.")
@click.option("--no-check", is_flag=True, help="Do not cross-validate the fit.")
@click.option(
    "--accept",
    is_flag=True,
    help="Write the robot file, or keep the zero, even if the model does not explain the data.",
)
@click.option("--report", type=OutFile(), help="Write a report with plots (HTML).")
@json_option
def command(
    data: tuple[Path, ...],
    out: Path,
    side: str | None,
    tool: str | None,
    robot: Path | None,
    rate: float | None,
    deg: bool,
    drop_bad_rows: bool,
    hz: float,
    tf: bool,
    tare: bool,
    date: str | None,
    no_check: bool,
    accept: bool,
    report: Path | None,
    as_json: bool,
) -> None:
    """The model of your robot from its recordings.

    DATA is files or folders of one arm: ROS bags, CSV, MATLAB, Parquet. Recordings with tip poses
    give the mount; those with torques give link inertias, springs, friction and bias. With three or
    more of the latter, a third is left out in turn and predicted by the others. No robot file is
    written and the status is 1 where no model explains the torques of a joint (joints swapped,
    wrong signs or units; which two joints or which sign is told where the data shows it), where no
    mount fits the poses (axes exchanged, another unit, clock, frame or arm), or where the arm
    rested; --accept writes it. With --tf the robot's own description of its
    mounts is taken from a bag's /tf, of --side or of both arms. With --tare a few seconds of motion
    that touches nothing (or of a standing arm) give the zero of the torque sensors, which differs
    from day to day; the robot file (--robot, else -o; with both a copy of the first) keeps it
    beside its model.
    Needs the extra [data], and [plot] for --report.
    """
    load = partial(
        recording.load,
        rate=rate,
        angles="deg" if deg else "rad",
        bad_rows="drop" if drop_bad_rows else "raise",
    )
    if not tare:
        from baxterkit.robot_file import named

        named(out)  # now: after the fit it would be too late
    if tf:
        _mounts_from_tf(data, out, side, tool, robot, date, as_json)
        return
    if tare:
        _tare(data, robot, out, side, load, hz, date, accept, as_json)
        return
    from baxterkit import identify

    start = time.perf_counter()
    if side is None and robot is not None:
        side = _only_side(robot)
    with progress_parts() as tell:
        recordings = list(_recordings(data, side, load, tell))
        notes = show_notes(recordings, as_json)
        fit = identify.robot(
            recordings,
            robot,
            tool="auto" if tool is None else tool,
            hz=hz,
            check=not no_check,
            progress=lambda text, part: tell(text, 0.1 + 0.85 * part),
        )
        if report is not None:
            tell("report", 0.95)
            fit.report(report)
    if fit.doubts and not accept:
        raise NoAnswerError(
            f"{out} was not written: {'; '.join(fit.doubts)}; --accept writes it nevertheless"
        )
    fit.save(out, date, accept=accept)
    if as_json:
        paths = {"robot": str(out), "report": None if report is None else str(report)}
        seconds = round(time.perf_counter() - start, 1)
        facts: Facts = {**paths, "side": fit.arm.side, "seconds": seconds}
        show_json(facts | fit.provenance(date) | {"notes": notes})
        return
    show_fit(fit)
    click.echo(f"time: {time.perf_counter() - start:.1f} s")
    click.echo(f"robot: {out}")
    if report is not None:
        click.echo(f"report: {report}")


def _mounts_from_tf(
    data: tuple[Path, ...],
    out: Path,
    side: str | None,
    tool: str | None,
    robot: Path | None,
    date: str | None,
    as_json: bool,
) -> None:
    """Writes a robot whose mounts are those of a bag's /tf."""
    if len(data) != 1 or not data[0].is_file():
        raise click.UsageError("--tf takes one bag")
    source = data[0]
    known = Baxter() if robot is None else Baxter.from_file(robot)
    mounts = {}
    for one in SIDES if side is None else (side,):
        T = recording.mount_from_tf(source, one)
        arm = known.arm(one).replace(mount=T)
        if tool is not None:
            arm = arm.replace(tool=read_tool(tool))
        note = {"file": source.name, "topic": "/tf", **({} if date is None else {"date": date})}
        arm.to_file(out, {"mount": note})
        mounts[one] = T
    if as_json:
        show_json({"robot": str(out), "mounts": mounts})
        return
    rows = []
    for one, T in mounts.items():
        off = 1e3 * (T[:3, 3] - Arm(one).model.T_base_s0[:3, 3])
        rows.append((one, *(f"{x:.6f}" for x in T[:3, 3]), *(f"{x:+.1f}" for x in off)))
    head = ("", "x [m]", "y [m]", "z [m]", "from nominal x [mm]", "y [mm]", "z [mm]")
    show(table(f"mounts of {source.name}", head, rows))
    click.echo(f"robot: {out}")


def _tare(
    data: tuple[Path, ...],
    robot: Path | None,
    out: Path,
    side: str | None,
    load: Load,
    hz: float,
    date: str | None,
    accept: bool,
    as_json: bool,
) -> None:
    """Keeps the zero of the torque sensors in a robot file: --robot, or a copy of it by -o."""
    from baxterkit import disk, identify, robot_file

    copied = robot is not None and was_given("out") and out.resolve() != robot.resolve()
    if copied and out.exists():
        raise click.UsageError(
            f"{out} is there already; --tare keeps the zero in --robot, or in a new file by -o"
        )
    robot = robot or out
    if len(data) != 1 or not data[0].is_file():
        raise click.UsageError("--tare takes one recording")
    model = robot_file.read(robot, side if side is not None else _only_side(robot))
    arm = Arm.from_model(model.model, effects=model.effects)
    rec = load(data[0], arm.side)
    notes = show_notes([rec], as_json)
    found = identify.offsets(arm, rec, hz=hz)
    if found.doubts and not accept:
        doubts = "; ".join(found.doubts)
        raise NoAnswerError(f"no zero was kept: {doubts}; --accept keeps it nevertheless")
    if copied:
        disk.write_text(out, disk.read_text(robot))
        robot = out
    found.save(robot, date, accept=accept)
    if as_json:
        names = ("tau", "standard_error", "low", "high", "friction", "moment")
        values: Facts = {name: getattr(found, name) for name in names}
        facts: Facts = {"robot": str(robot), "side": arm.side, "seconds": found.seconds}
        show_json(
            facts
            | values
            | {"still": found.still.tolist(), "advice": list(found.advice), "notes": notes}
        )
        return
    show(str(found))
    click.echo(f"robot: {robot}")


def _only_side(robot: Path) -> str | None:
    """The side of a robot file with one arm; None if it has both."""
    from baxterkit.robot_file import read_arms

    sides = list(read_arms(robot))
    return sides[0] if len(sides) == 1 else None


def _recordings(
    data: Sequence[Path], side: str | None, load: Load, tell: Tell
) -> Iterator[Recording]:
    """The files, and those in folders; a file of poses beside one of angles is read with it.

    A file of a folder that cannot be read as a recording is skipped, with a line that says why.

    Raises:
        BaxterkitError: If a file that was named cannot be read, or none of a folder.
    """
    for folder in data:
        files = recording.find(folder) if folder.is_dir() else [folder]
        failed: list[tuple[Path, BaxterkitError]] = []
        for k, path in enumerate(files):
            tell(f"reading {path.name}", 0.1 * k / len(files))
            try:
                yield load(path, side)
            except (RecordingError, FileError) as error:
                failed.append((path, error))
        if len(failed) == len(files):
            raise failed[0][1]
        for path, reason in failed:
            why = in_options(str(reason)).removeprefix(f"{path}: ")
            click.echo(f"skipped {path}: {' '.join(why.split())}", err=True)


def show_fit(fit: RobotFit) -> None:
    """Prints the scores of an identified arm, and advice."""
    if fit.mount is not None:
        show(str(fit.mount) + "\n")
    found = fit.dynamics
    if found is None:
        return
    rows = [
        (f"{label} {name}", *(f"{x:.3f}" for x in getattr(scores, field)))
        for field, label in (("r2", "R²"), ("mae", "MAE [N m]"))
        for name, scores in fit.scores.items()
    ]
    head = (
        f"{fit.arm.side} arm: {len(found.sources)} recordings, "
        f"{found.excitation.minutes:.1f} min, condition number {found.condition:.3g}"
    )
    show(table(head, ("", *JOINTS), rows))
    for text in found.advice:
        show(f"note: {text}")
