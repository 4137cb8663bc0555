"""`baxterkit identify`: the model of a real robot from its recordings."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from baxterkit import Arm, recording
from baxterkit.cli.options import OutFile, json_option
from baxterkit.cli.show import Facts, progress_parts, show, show_json, table
from baxterkit.cli.verbs import Verb
from baxterkit.errors import InputError
from baxterkit.model.names import JOINTS

if TYPE_CHECKING:
    from baxterkit.identify import DynamicsFit, MountFit, Scores
    from baxterkit.recording import Recording

ENDINGS = (".bag", ".csv", ".csv.gz", ".txt", ".txt.gz", ".mat", ".parquet", ".path", ".path.gz")
"""Files that are taken from a folder."""

Tell = Callable[[str, float], None]


@click.command(
    "identify",
    cls=Verb,
    examples=(
        "baxterkit identify recording.csv --side left -o robot.toml",
        "baxterkit identify recording.csv --side left --report robot.html",
        "baxterkit dynamics neutral --robot robot.toml",
    ),
)
@click.argument("data", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option(
    "-o",
    "--out",
    type=OutFile(),
    default=Path("robot.toml"),
    show_default=True,
    help="The robot file to write; if it holds the other arm, that one stays.",
)
@click.option(
    "--side",
    type=click.Choice(["left", "right"]),
    help="Arm, where the files hold both or do not say.",
)
@click.option("--tool", help="Tool on the hand.  [default: found if poses tell, else hand]")
@click.option(
    "--robot",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Start from this robot file instead of the nominal robot.",
)
@click.option("--rate", type=float, help="Rows per second [Hz], where files have no time.")
@click.option(
    "--filter", "hz", type=float, default=5.0, show_default=True, help="Low-pass for torques [Hz]."
)
@click.option("--date", help="When the robot was recorded; noted in the file.")
@click.option("--no-check", is_flag=True, help="Do not leave thirds of them out to test the fit.")
@click.option(
    "--report",
    type=OutFile(),
    help="Write a report with plots (HTML).",
)
@json_option
def command(
    data: tuple[Path, ...],
    out: Path,
    side: str | None,
    tool: str | None,
    robot: Path | None,
    rate: float | None,
    hz: float,
    date: str | None,
    no_check: bool,
    report: Path | None,
    as_json: bool,
) -> None:
    """The model of your robot from its recordings.

    DATA is files or folders of one arm: ROS bags, CSV, MATLAB, Parquet. Recordings with tip poses
    give the mount; those with torques give link inertias, springs, friction and bias. With three or
    more of the latter, a third is left out in turn and predicted by the others. Needs the extra
    [data], and [plot] for --report.
    """
    start = time.monotonic()
    if side is None and robot is not None:
        side = _only_side(robot)
    with progress_parts() as tell:
        recordings = [recording.load(path, side=side, rate=rate) for path in _files(data, tell)]
        found = _identify(recordings, tool, robot, hz, not no_check, tell)
        provenance: Facts = {}
        if found.mount is not None:
            provenance["mount"] = found.mount.provenance()
        if found.dynamics is not None:
            provenance["dynamics"] = found.dynamics.provenance(date)
        if found.held_out:
            provenance["held_out"] = {k: v.as_dict() for k, v in found.held_out.items()}
        found.arm.to_file(out, provenance)
        if report is not None:
            from baxterkit.cli.identify_report import write_report

            tell("report", 0.95)
            write_report(found, report)
    if as_json:
        paths = {"robot": str(out), "report": None if report is None else str(report)}
        seconds = round(time.monotonic() - start, 1)
        show_json({**paths, "side": found.arm.side, "seconds": seconds, **provenance})
        return
    _show(found)
    click.echo(f"time: {time.monotonic() - start:.1f} s")
    click.echo(f"robot: {out}")
    if report is not None:
        click.echo(f"report: {report}")


def _only_side(robot: Path) -> str | None:
    """The side of a robot file with one arm; None if it has both."""
    from baxterkit.robot_file import read_arms

    sides = list(read_arms(robot))
    return sides[0] if len(sides) == 1 else None


class Found:
    """What was identified.

    Attributes:
        arm: The arm.
        mount: The fit of the mount, or None if there were no poses.
        dynamics: The fit of the dynamics, or None if there were no torques.
        held_out: Scores of recordings, a third left out in turn; empty if there were few.
        recordings: What was read.
    """

    def __init__(
        self,
        arm: Arm,
        mount: MountFit | None,
        dynamics: DynamicsFit | None,
        held_out: dict[str, Scores],
        recordings: Sequence[Recording],
    ) -> None:
        self.arm, self.mount, self.dynamics = arm, mount, dynamics
        self.held_out, self.recordings = held_out, recordings


def _files(data: Sequence[Path], tell: Tell) -> Iterator[Path]:
    """Files, and those of folders; poses that stand beside angles are read with them."""
    chosen: list[Path] = []
    for path in data:
        if not path.is_dir():
            chosen.append(path)
            continue
        inside = sorted(p for p in path.iterdir() if p.name.lower().endswith(ENDINGS))
        inside = [p for p in inside if not p.name.endswith("EE.csv")]
        if not inside:
            raise InputError(f"{path} holds no recording; known endings: {' '.join(ENDINGS)}")
        chosen += inside
    for k, path in enumerate(chosen):
        tell(f"reading {path.name}", 0.1 * k / len(chosen))
        yield path


def _identify(
    recordings: Sequence[Recording],
    tool: str | None,
    robot: Path | None,
    hz: float,
    check: bool,
    tell: Tell,
) -> Found:
    from baxterkit import identify

    with_poses = [rec for rec in recordings if rec.position is not None]
    with_torques = [rec for rec in recordings if rec.tau is not None]
    if not with_poses and not with_torques:
        raise InputError("none of the recordings holds tip poses or torques")
    sides = {rec.side for rec in (*with_poses, *with_torques)}
    if None in sides:
        raise InputError("the files do not say which arm they are of; add --side left or right")
    if len(sides) > 1:
        raise InputError("the files are of both arms; identify one at a time with --side")
    side = str(next(iter(sides)))
    arm = Arm(side) if robot is None else Arm.from_file(robot, side)
    if tool is not None:
        arm = arm.replace(tool=tool)
    mount = dynamics = None
    held_out: dict[str, Scores] = {}
    if with_poses:
        tell("mount", 0.1)
        mount = identify.mount(with_poses, tool="auto" if tool is None else tool, side=side)
        arm = arm.replace(mount=mount.T_base_s0, tool=mount.tool)
    if with_torques:

        def part(text: str, done: float) -> None:
            tell(text, 0.15 + 0.25 * done)

        dynamics = identify.dynamics(with_torques, arm, hz=hz, progress=part)
        if check and len(with_torques) >= 3:

            def leaving(text: str, done: float) -> None:
                tell(text, 0.4 + 0.55 * done)

            thirds = [range(k, len(with_torques), 3) for k in range(3)]
            held_out = identify.cross_validate(
                with_torques, arm, folds=thirds, hz=hz, progress=leaving
            )
        arm = dynamics.arm
    return Found(arm, mount, dynamics, held_out, recordings)


def _show(found: Found) -> None:
    if found.mount is not None:
        show(str(found.mount) + "\n")
    if found.dynamics is None:
        return
    fit = found.dynamics
    rows = [
        (f"{label} {name}", *(f"{x:.3f}" for x in getattr(scores, field)))
        for field, label in (("r2", "R²"), ("mae", "MAE [N m]"))
        for name, scores in score_table(found).items()
    ]
    head = (
        f"{found.arm.side} arm: {len(fit.sources)} recordings, {fit.excitation.minutes:.1f} min, "
        f"condition number {fit.condition:.3g}"
    )
    show(table(head, ("", *JOINTS), rows))
    for text in fit.advice:
        show(f"note: {text}")


def score_table(found: Found) -> dict[str, Scores]:
    """Scores by the names they are shown with."""
    assert found.dynamics is not None
    scores = found.dynamics.scores
    shown = {
        "nominal": scores["before"],
        "free": scores["free"],
        "identified": scores["consistent"],
        "without memory": scores["memoryless"],
    }
    if found.held_out:
        shown["left out"] = found.held_out["memory"]
        shown["left out, without memory"] = found.held_out["memoryless"]
    return shown
