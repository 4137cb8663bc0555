"""`baxterkit demo`: a first look."""

from __future__ import annotations

from pathlib import Path

import click

from baxterkit.cli.options import Verb, json_option
from baxterkit.cli.show import matrix_table, number, pose_dict, pose_table, show, show_json


@click.command(
    "demo",
    cls=Verb,
    examples=("baxterkit demo --out demo-out",),
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo-out"),
    show_default=True,
    help="Folder for report.html.",
)
@json_option
def command(out: Path, as_json: bool) -> None:
    """A first look: numbers of the neutral pose, a picture, and an HTML report.

    Writes OUT/report.html, one file that holds its picture. Needs the extra [plot]; needs no screen
    and no OpenGL. The last line is a summary.
    """
    from baxterkit import demo

    result = demo.run()
    report = demo.write_report(result, out)
    if as_json:
        arms = {
            arm.side: {
                "q": arm.q,
                **pose_dict(arm.T_base_tip, deg=False),
                "jacobian": arm.J,
                "manipulability": arm.manipulability,
                "condition_number": arm.condition_number,
                "smallest_singular_value": arm.smallest_singular_value,
            }
            for arm in result.arms
        }
        show_json({"report": str(report), "summary": result.summary, "arms": arms})
        return
    for arm in result.arms:
        show(
            pose_table(f"{arm.side} arm, {demo.POSE} pose: tip in base", arm.T_base_tip, deg=False),
            matrix_table("Jacobian [m/rad; 1]", arm.joint_names, demo.TWIST_ROWS, arm.J, 4),
            f"manipulability {number(arm.manipulability, 4)}, "
            f"condition number {number(arm.condition_number, 2)}, "
            f"smallest singular value {number(arm.smallest_singular_value, 4)}\n",
        )
    click.echo(f"report: {report}")
    click.echo(result.summary)
