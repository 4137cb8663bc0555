"""Rows of poses and solutions; both hands: `baxterkit ik --pair`, `baxterkit trajectory pair`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from baxterkit import Baxter
from baxterkit.cli.options import json_option, note_nominal, out_option, robot_options
from baxterkit.cli.reading import read_table, source_name
from baxterkit.cli.show import Facts, angle_unit, angles, show, show_json, table
from baxterkit.cli.status import without_answer
from baxterkit.cli.targets import pose_of_row
from baxterkit.cli.verbs import verb
from baxterkit.cli.words import numbers
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.ik import IkError, IkResult
from baxterkit.ik.pair import PairResult
from baxterkit.ik.result import STATUSES
from baxterkit.spatial import formulas
from baxterkit.trajectory import Trajectory, both_arms, save_playback
from baxterkit.trajectory.joint_space import ACCELERATION
from baxterkit.trajectory.splines import minimum_jerk
from baxterkit.types import Array, Transform

COLUMNS = ("x", "y", "z", "qx", "qy", "qz", "qw")
"""Columns of a file of poses."""


FINE = 200
"""Number of poses that a path of both hands is made of at least."""


def read_poses(source: str) -> Transform:
    """Poses from rows of numbers; a first line with names says which columns hold what."""
    columns, rows = read_table(source, COLUMNS)
    missing = [name for name in COLUMNS if name not in columns]
    if missing:
        name = source_name(source)
        raise InputError(f"{name} has no column {missing[0]}; needed: {' '.join(COLUMNS)}")
    if not len(rows):
        raise InputError(f"{source_name(source)} holds no poses")
    picked = rows[:, [columns.index(name) for name in COLUMNS]]
    return np.stack([pose_of_row(row) for row in picked])


def solve_pairs(
    robot: Baxter,
    sources: tuple[str, str],
    objective: str,
    posture: str | None,
    deg: bool,
    as_json: bool,
) -> None:
    """Prints joint angles of both arms, row by row."""
    left, right = (read_poses(source) for source in sources)
    found = robot.hands.ik(left, right, objective=objective, posture=posture)
    q = angles(np.concatenate([found.q_left, found.q_right], axis=-1), deg)
    names = (*robot.left.joint_names, *robot.right.joint_names)
    facts: Facts = {"joints": names, "angle_unit": angle_unit(deg)}
    show_solutions(facts, q, joint_columns(names, deg), q, found, as_json)


def joint_columns(names: Sequence[str], deg: bool) -> list[str]:
    """Names of the joints' columns, with the unit where it is not the radian."""
    return [f"{name} [deg]" if deg else name for name in names]


def show_solutions(
    facts: Facts,
    q: Array,
    header: Sequence[str],
    rows: Array,
    found: IkResult | PairResult,
    as_json: bool,
) -> None:
    """Prints solutions row by row with their status; ends the verb where a row has none.

    Args:
        facts: What the JSON says besides.
        q: Joint angles in the unit of the output, shape (n, k).
        header: Names of the columns of the CSV.
        rows: Their values, shape (n, columns).
        found: The results.
        as_json: Whether JSON is wanted.
    """
    words = [STATUSES[code].name for code in found.status.tolist()]
    if as_json:
        solutions = [None if np.isnan(row).any() else row for row in q]
        show_json({**facts, "status": words, "q": solutions})
    else:
        click.echo(",".join((*header, "status")))
        for row, word in zip(rows.tolist(), words, strict=True):
            click.echo(",".join([*map(repr, row), word]))
    left = int(np.count_nonzero(~found.solved))
    if left and not as_json:
        click.echo(f"{left} of {len(words)} rows have no solution: see their status", err=True)
    if left:
        without_answer()


@verb(
    "pair",
    "baxterkit trajectory pair left_hand.csv right_hand.csv -o both.csv",
    "baxterkit trajectory pair box.csv --grasp 0.4 --duration 4 -o carry.csv",
)
@click.argument("files", nargs=-1, required=True, metavar="LEFT RIGHT | BOX")
@click.option(
    "--grasp", type=float, help="The file is of a box this wide [m], which both hands hold."
)
@click.option(
    "--duration", type=float, help="Seconds.  [default: as fast as speeds and accelerations allow]"
)
@click.option(
    "--start",
    metavar="POSE | Q...",
    help="Joint positions to start near: a configuration of both arms, or 14 numbers [rad].",
)
@robot_options
@out_option(help="File to write: .csv (for the robot's playback), .npz or .json.")
@click.option("--rate", type=float, default=100.0, help="Rows a second [Hz].")
@json_option
def pair_command(
    files: tuple[str, ...],
    grasp: float | None,
    duration: float | None,
    start: str | None,
    robot: Baxter | None,
    out: Path | None,
    rate: float,
    as_json: bool,
) -> None:
    """Both hands along paths, in step with each other, from rest to rest.

    LEFT and RIGHT hold the poses of each hand, rows x y z qx qy qz qw in base; with --grasp, BOX
    holds those of a box whose left and right faces the hands hold, pointing inward. The arms evade
    the body and each other; where no path is found, another --start may lead to one. Motions beyond
    a limit are refused. The file holds both arms; a .csv is one that Rethink's
    joint_trajectory_file_playback plays.
    """
    note_nominal()
    both = robot or Baxter()
    left, right = _hands(files, grasp)
    if len(left) < 2:
        raise InputError(f"{source_name(files[0])} holds one pose; a path needs two or more")
    path = both.ik_pair_path(left, right, _start(both, start))
    if path.broken_at is not None:
        raise IkError(f"{100 * path.broken_at / len(left):.0f} % along the path {path.reason}")
    motion = _timed(both, path.q_left, path.q_right, duration)
    if out is not None and out.suffix in (".npz", ".json"):
        motion.save(out)
    elif out is not None:
        save_playback(out, motion, rate=rate)
    _describe(motion, len(left), out, as_json)


def _start(robot: Baxter, text: str | None) -> tuple[Array, Array] | None:
    """Joint positions of both arms to start near [rad]; None if none were given."""
    if text is None:
        return None
    values = numbers(text)
    if values is None:
        try:
            return robot.left.configuration(text), robot.right.configuration(text)
        except UnknownNameError as error:
            raise InputError(f"--start: {error}; or give 14 numbers, left then right") from error
    if len(values) != 14:
        raise InputError(f"--start: 14 joint angles are needed, left then right; got {len(values)}")
    return np.array(values[:7]), np.array(values[7:])


def _hands(files: tuple[str, ...], grasp: float | None) -> tuple[Transform, Transform]:
    wanted = 2 if grasp is None else 1
    if len(files) != wanted:
        raise click.UsageError(
            "give two files, of the left and of the right hand, or one of a box and --grasp"
        )
    if grasp is None:
        left, right = (read_poses(file) for file in files)
        if len(left) != len(right):
            raise InputError(f"{files[0]} holds {len(left)} poses and {files[1]} {len(right)}")
        return finer(left), finer(right)
    if not (np.isfinite(grasp) and grasp > 0.0):
        raise click.UsageError(f"--grasp {grasp:g} must be a width above zero [m]")
    box = finer(read_poses(files[0]))
    inward = formulas.rpy_to_matrix([0.5 * np.pi, 0.0, 0.0])
    T_box_left = formulas.transform(inward, [0.0, 0.5 * grasp, 0.0])
    return box @ T_box_left, box @ formulas.mirrored(T_box_left)


def finer(Ts: Transform, least: int = FINE) -> Transform:
    """Poses with others between them, straight and turning about one axis: `least` or more."""
    parts = -(-least // max(len(Ts) - 1, 1))
    share = np.arange(parts)[:, None] / parts
    turns = formulas.so3_log(np.swapaxes(Ts[:-1, :3, :3], -1, -2) @ Ts[1:, :3, :3])
    R = Ts[:-1, None, :3, :3] @ formulas.so3_exp(share * turns[:, None])
    p = Ts[:-1, None, :3, 3] + share * np.diff(Ts[:, :3, 3], axis=0)[:, None]
    return np.concatenate([formulas.transform(R, p).reshape(-1, 4, 4), Ts[-1:]])


def _timed(robot: Baxter, q_left: Array, q_right: Array, duration: float | None) -> Trajectory:
    """The motion of both arms at one pace: that of minimum jerk over the rows."""
    s = np.linspace(0.0, 1.0, 2001)
    t = np.interp(np.linspace(0.0, 1.0, len(q_left)), minimum_jerk(s)[0], s)
    arms = (robot.left, robot.right)
    left, right = (
        Trajectory.from_points(t, q, limits=arm.limits, name="pair")
        for arm, q in zip(arms, (q_left, q_right), strict=True)
    )
    motion = both_arms(left, right)
    if duration is None:
        _, qd, qdd = motion.sample(motion.check_times())
        speed = np.concatenate([arm.limits.velocity for arm in arms])
        share = np.sqrt((np.abs(qdd) / np.tile(ACCELERATION, 2)).max())
        duration = 1.1 * float(max((np.abs(qd) / speed).max(), share))
    if not (np.isfinite(duration) and duration > 0.0):
        raise click.UsageError(f"--duration {duration:g} must be above zero [s]")
    motion = motion.stretched(duration)
    for arm in arms:
        motion.check(arm=arm)
    return motion


def _describe(motion: Trajectory, poses: int, out: Path | None, as_json: bool) -> None:
    seconds, limits = motion.duration, motion.limits
    assert limits is not None
    if as_json:
        parts = {side: motion.of(side) for side in motion.sides}
        show_json(
            {
                "poses": poses,
                "duration": seconds,
                "file": None if out is None else str(out),
                **{side: {"start": part.start, "end": part.end} for side, part in parts.items()},
            }
        )
        return
    q, qd, _ = motion.sample(motion.check_times())
    room = np.minimum(q - limits.lower, limits.upper - q).min(axis=0)
    speed = 100.0 * np.abs(qd).max(axis=0) / limits.velocity
    rows = [
        (name, f"{a:.4f}", f"{b:.4f}", f"{near:.3f}", f"{share:.0f} %")
        for name, a, b, near, share in zip(
            limits.names, motion.start, motion.end, room, speed, strict=True
        )
    ]
    title = f"both arms: {poses} poses, {seconds:.2f} s  [rad, % of limit]"
    show(table(title, ("", "start", "end", "to limit", "velocity"), rows))
    show("free of contact, within the limits" + ("" if out is None else f"\nwrote {out}"))
