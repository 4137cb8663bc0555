"""`baxterkit fk`: forward kinematics."""

from __future__ import annotations

import click
import numpy as np

from baxterkit import Arm
from baxterkit.checks.units import FAR_ANGLE
from baxterkit.cli.options import arm_options, deg_option, joint_argument, json_option, of_option
from baxterkit.cli.reading import read_joints
from baxterkit.cli.show import (
    POSE_COLUMNS,
    angle_unit,
    angles,
    number,
    pose_dict,
    pose_rows,
    pose_table,
    show,
    show_csv,
    show_json,
    table,
)
from baxterkit.cli.verbs import verb
from baxterkit.errors import InputError
from baxterkit.types import JointVector


@verb(
    "fk",
    "baxterkit fk neutral",
    "baxterkit fk 0 -0.55 0 0.75 0 1.26 0 --tool electric_extended",
    "baxterkit fk --deg 0 -31.5 0 43 0 72 0 --json",
    "baxterkit fk untuck --of left_hand_camera",
    "baxterkit fk - < angles.csv > poses.csv",
)
@joint_argument
@arm_options
@click.option("--links", is_flag=True, help="Poses of all link frames s0..w2, then the tip.")
@of_option
@deg_option("Angles in degrees, in and out.")
@json_option
def command(
    q: tuple[str, ...], arm: Arm, links: bool, of: str | None, deg: bool, as_json: bool
) -> None:
    """Pose of the tip, or of another frame of the arm, in the robot's base frame.

    Q is 7 joint angles (s0 s1 e0 e1 w0 w1 w2), the name of a configuration (neutral, tuck,
    untuck), a CSV file with one per row, or - to read such rows from standard input. A batch is
    printed as CSV.
    """
    given = read_joints(arm, q, deg)
    _note_limits(arm, given.q)
    if not given.is_batch:
        if links and of is not None:
            raise click.UsageError("give one of --links and --of")
        _one(arm, given.q, links, of, deg, as_json)
    elif links:
        raise click.UsageError("--links takes one configuration, not a batch")
    else:
        Ts_base_tip = arm.fk(given.q, of=of)
        if as_json:
            poses = [
                {"q": angles(q_row, deg), **pose_dict(T, deg)}
                for q_row, T in zip(given.q, Ts_base_tip, strict=True)
            ]
            show_json({"side": arm.side, "angle_unit": angle_unit(deg), "poses": poses})
        else:
            show_csv(POSE_COLUMNS, pose_rows(Ts_base_tip, deg))


def _note_limits(arm: Arm, q: JointVector) -> None:
    """Says that a joint is beyond its limits; the pose is computed all the same.

    Rows of a batch may come from a robot, whose joints are a little beyond: of those, the rows are
    counted that hold angles which no joint reaches, and the first is named.
    """
    beyond = (q < arm.limits.lower) | (q > arm.limits.upper)
    if q.ndim > 1:
        beyond &= np.abs(q) > FAR_ANGLE
    rows = beyond.any(axis=-1)
    if not rows.any():
        return
    try:
        arm.limits.check(q if q.ndim == 1 else q[rows][0])
    except InputError as error:
        what = str(error).partition(";")[0]
        if q.ndim > 1:
            what = f"angles of {rows.sum()} of {len(q)} rows; row {np.argmax(rows) + 1}: {what}"
        click.echo(f"Note: {what}; the arm cannot be there", err=True)


def _one(arm: Arm, q: JointVector, links: bool, of: str | None, deg: bool, as_json: bool) -> None:
    T_base_tip = arm.fk(q, of=of)
    frames = (*arm.joint_names, "tip")
    if as_json:
        result = {"side": arm.side, "angle_unit": angle_unit(deg), "q": angles(q, deg)}
        result |= pose_dict(T_base_tip, deg)
        if links:
            poses = arm.link_poses(q)
            named = zip(frames, poses, strict=True)
            result["links"] = {name: pose_dict(T, deg) for name, T in named}
        show_json(result)
    elif links:
        rows = pose_rows(arm.link_poses(q), deg)
        title = f"{arm.side} arm: link frames in base  [m, {angle_unit(deg)}]"
        cells = [(name, *map(number, row)) for name, row in zip(frames, rows, strict=True)]
        show(table(title, ("", *POSE_COLUMNS), cells))
    else:
        show(pose_table(f"{arm.side} arm: {of or 'tip'} in base", T_base_tip, deg))
