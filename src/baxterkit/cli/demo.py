"""`baxterkit demo`: the twin follows a circle under two controllers."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from baxterkit import disk
from baxterkit.cli.options import json_option, robot_option
from baxterkit.cli.show import number, show, show_json, table
from baxterkit.cli.verbs import verb


@verb("demo", "baxterkit demo --out demo-out", "baxterkit demo --robot robot.toml")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo-out"),
    help="Folder for report.html.",
)
@robot_option
@json_option
def command(out: Path, robot: Path | None, as_json: bool) -> None:
    """The twin's right arm follows Smith's circle, with computed torque and with a double-loop PID.

    With --robot the twin simulates that robot, and moves its right arm, or its only one.

    Prints tracking and torque errors, and writes OUT/report.html: one file with the moving robot,
    plots and tables. Takes 5 to 20 seconds. Needs the extras [plot] and [sim], but neither a screen
    nor OpenGL. The last line is a summary.
    """
    from baxterkit.experiments import demo
    from baxterkit.experiments.demo_report import write_report

    disk.make_folder(out)  # before the work, not after it
    result = demo.run(lambda text: None if as_json else click.echo(text), robot)
    report = write_report(result, out)
    if as_json:
        runs = {
            one.name: {
                "tip_rms": one.tip_rms,
                "tip_max": float(one.tip_error.max()),
                "joint_rms": one.joint_rms,
                "joint_max": one.joint_max,
                "torque_mae": one.torque_mae,
                "torque_mae_smoothed": one.smooth_mae,
                "torque_r2": [None if np.isnan(x) else float(x) for x in one.torque_r2],
                "times_real_time": one.speed,
            }
            for one in result.followers
        }
        show_json({"report": str(report), "summary": result.summary, "runs": runs})
        return
    click.echo()
    header = ("", *result.joint_names)
    for one in result.followers:
        r2 = ["" if np.isnan(x) else number(x, 4) for x in one.torque_r2]
        show(
            table(
                f"{one.name}: tip off by {1e3 * one.tip_rms:.2f} mm (RMS), "
                f"{1e3 * one.tip_error.max():.2f} mm at most; {one.speed:.0f} times real time",
                header,
                [
                    ("tracking error, RMS [mrad]", *(number(1e3 * x, 2) for x in one.joint_rms)),
                    ("largest [mrad]", *(number(1e3 * x, 2) for x in one.joint_max)),
                    ("torque error, mean [N m]", *(number(x, 3) for x in one.torque_mae)),
                    ("sensed torque smoothed [N m]", *(number(x, 3) for x in one.smooth_mae)),
                    ("R² of it", *r2),
                ],
            )
        )
    click.echo(f"report: {report}")
    click.echo(result.summary)
