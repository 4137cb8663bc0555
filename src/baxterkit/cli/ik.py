"""`baxterkit ik`: inverse kinematics."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from baxterkit import Arm
from baxterkit.cli.options import (
    arm_options,
    configuration_option,
    deg_option,
    json_option,
    note_nominal,
    of_option,
    robot_of,
    was_given,
    whole_robot,
    world_option,
)
from baxterkit.cli.pairs import joint_columns, read_poses, show_solutions, solve_pairs
from baxterkit.cli.reading import read_configuration, read_other
from baxterkit.cli.show import Facts, angle_unit, angles, number, show, show_json, table
from baxterkit.cli.status import without_answer
from baxterkit.cli.targets import (
    numbers_of,
    orientation_options,
    read_pose,
    read_position,
    read_whole_pose,
)
from baxterkit.cli.verbs import verb
from baxterkit.cli.words import plain
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.ik import IkError, IkResult, IkStatus, Pointing, Position
from baxterkit.ik.methods import METHODS
from baxterkit.ik.posture import POSTURES
from baxterkit.model.names import JOINTS
from baxterkit.poses import ORDERS
from baxterkit.types import Array, Transform

OBJECTIVES = ("quick", "nearest", "limits", "manipulability", "gravity")


@verb(
    "ik",
    "baxterkit ik 0.6 0.3 0.2 --rpy 3.1416 0 0",
    "baxterkit ik 0.6 0.3 0.2 --quat 1 0 0 0 --objective manipulability",
    "baxterkit ik 0.6 0.3 0.2 --point 0 0 -1 --tool vacuum",
    "baxterkit ik 0.6 0.3 0.2 0 1 0 0 --order wxyz",
    "baxterkit ik 0.6 0.3 0.2 --rpy 3.1416 0 0 --seed untuck",
    "baxterkit ik 0.6 0.3 0.2 --rpy 3.1416 0 0 --all --e0 0.5",
    "baxterkit ik 0.6 0.3 0.2 --rpy 3.1416 0 0 --posture elbow_up",
    "baxterkit ik 0.6 0.3 0.3 --point 0 0 -1 --of left_hand_camera",
    "baxterkit ik 0.6 0.3 0.2 --rpy 3.1416 0 0 --world lab.toml",
    "baxterkit ik left_hand.csv --pair right_hand.csv > both.csv",
    "baxterkit fk - < angles.csv | baxterkit ik - > solutions.csv",
)
@click.argument("position", nargs=-1, required=True, metavar="X Y Z | POSE | FILE | -")
@click.option("--order", type=click.Choice(ORDERS), help="Of the quaternion, also of --quat.")
@orientation_options
@click.option("--point", nargs=3, metavar="X Y Z", help="Direction of the tip's z axis only.")
@configuration_option("--seed", help="Configuration to stay near.  [default: middle]")
@click.option("--objective", type=click.Choice(OBJECTIVES), default="quick")
@click.option(
    "--posture", type=click.Choice(POSTURES), help="Solutions of this posture, the most of it."
)
@click.option("--method", type=click.Choice(METHODS), default="auto")
@click.option("--all", "every", is_flag=True, help="Every solution with joint e0 at --e0.")
@click.option("--e0", default="0", help="Joint e0 for --all.")
@of_option
@click.option(
    "--pair", metavar="FILE", help="FILE is of the left hand, this one of the right: both arms."
)
@click.option(
    "--collision-free",
    "--free",
    is_flag=True,
    help="Solutions that touch neither the robot nor --world.",
)
@world_option
@configuration_option("--other", help="Joint angles of the other arm for these.  [default: untuck]")
@arm_options
@deg_option("Angles in degrees, in and out.")
@json_option
def command(
    position: tuple[str, ...],
    order: str | None,
    arm: Arm,
    rpy: tuple[str, ...] | None,
    quat: tuple[str, ...] | None,
    point: tuple[str, ...] | None,
    seed: str | None,
    objective: str,
    posture: str | None,
    method: str,
    every: bool,
    e0: str,
    of: str | None,
    pair: str | None,
    collision_free: bool,
    world: World | None,
    other: str | None,
    deg: bool,
    as_json: bool,
) -> None:
    """Joint angles that bring the tip to a position and an orientation in base.

    A POSE is 16 numbers, a 4x4 row by row, or 7, a position and a quaternion in the --order named.
    Without an orientation option the orientation is free; with --point only the rotation about the
    tip's z axis is free. A FILE or - (standard input) holds rows x y z qx qy qz qw, as `baxterkit
    fk` writes them; the output is then CSV, with a status in every row. With --pair each row of
    the output holds both arms. With --collision-free or --world the solution touches nothing. The
    exit status is 1 if a pose, or a row, has no solution.
    """
    if pair is not None:
        _pair(position, pair, objective, posture, deg, as_json)
        return
    scale = np.pi / 180.0 if deg else 1.0
    start = read_configuration(arm, seed, "--seed", deg)
    if not every and was_given("e0"):
        raise click.UsageError("--e0 is for --all: give that too")
    for name in ("objective", "method", "seed") if every else ():
        if was_given(name):
            raise click.UsageError(f"--{name} does not go with --all, which lists every solution")
    free = collision_free or world is not None
    if other is not None and not free:
        raise click.UsageError("--other is for --collision-free and --world: give one of them")
    for name in ("objective", "posture", "method", "every", "point") if free else ():
        if was_given(name):
            option = "all" if name == "every" else name
            raise click.UsageError(f"--{option} does not go with --collision-free and --world")
    whole = read_whole_pose(position, order)
    if whole is None and len(position) == 1:
        for name, value in (("rpy", rpy), ("quat", quat), ("point", point), ("all", every or None)):
            if value is not None:
                raise click.UsageError(f"--{name} is for one pose; rows of a file hold their own")
        poses = read_poses(position[0])
        if free:
            found = _clear(arm, poses, start, world, other, of, deg)
        else:
            found = arm.ik(poses, start, objective, method, posture=posture, of=of)
        _batch(arm, found, as_json, deg)
        return
    given = [name for name in (rpy, quat, point) if name is not None]
    if whole is not None and given:
        raise click.UsageError("a whole pose has its orientation: leave --rpy, --quat, --point out")
    if len(given) > 1:
        raise click.UsageError("give one of --rpy, --quat and --point")
    if order is not None and whole is None and quat is None:
        raise click.UsageError("--order is of a quaternion: give --quat, or seven numbers")
    if quat is not None and order == "wxyz":
        quat = (*quat[1:], quat[0])
    p = read_position(position) if whole is None else whole[:3, 3]
    target: Any = Position(p) if whole is None else whole
    if rpy is not None or quat is not None:
        target = read_pose(position, rpy, quat, deg)
    elif point is not None:
        target = Pointing(p, numbers_of(point, "--point"))
    if every:
        if isinstance(target, Position | Pointing):
            raise click.UsageError("--all needs a whole pose: give --rpy or --quat")
        _all(arm, target, _read_e0(arm, e0, scale), posture, of, deg, as_json)
        return
    if free:
        if isinstance(target, Position):
            raise click.UsageError("--collision-free needs a whole pose: give --rpy or --quat")
        _one(arm, _clear(arm, target, start, world, other, of, deg), deg, as_json)
        return
    result = arm.ik(target, start, objective, method, posture=posture, of=of)
    if of is None and result.status is IkStatus.OUT_OF_REACH and not as_json:
        advice = IkStatus.OUT_OF_REACH.advice.removesuffix("; move it.")
        raise IkError(f"OUT_OF_REACH: {advice}; {arm.shortfall(target, start)}")
    _one(arm, result, deg, as_json)


def _clear(
    arm: Arm,
    T: Transform,
    seed: Array | None,
    world: World | None,
    other: str | None,
    of: str | None,
    deg: bool,
) -> IkResult:
    """Solutions that touch nothing."""
    robot = robot_of(arm)
    return robot.scene(world).ik(arm.side, T, read_other(robot, arm, other, deg), seed, of=of)


def _pair(
    position: tuple[str, ...],
    pair: str,
    objective: str,
    posture: str | None,
    deg: bool,
    as_json: bool,
) -> None:
    others = (
        "rpy", "quat", "point", "order", "seed", "method", "every", "e0", "of", "side",
        "collision_free", "world", "other",
    )  # fmt: skip
    for name in others:
        if was_given(name):
            option = "all" if name == "every" else name.replace("_", "-")
            raise click.UsageError(f"--{option} does not go with --pair")
    if len(position) != 1:
        raise click.UsageError("--pair takes two files: FILE --pair FILE, left and right hand")
    note_nominal()
    solve_pairs(whole_robot(), (position[0], pair), objective, posture, deg, as_json)


def _one(arm: Arm, result: IkResult, deg: bool, as_json: bool) -> None:
    if as_json:
        show_json(
            {
                "side": arm.side,
                "angle_unit": angle_unit(deg),
                "status": result.status.name,
                "q": angles(result.q, deg) if result.solved else None,
                "position_error": result.position_error if result.solved else None,
                "orientation_error": result.orientation_error if result.solved else None,
                "method": result.method,
                "violations": {k: angles(v, deg) for k, v in result.violations.items()},
            }
        )
        if not result.solved:
            without_answer()
        return
    result.raise_if_failed()
    rows = [
        (name, number(float(angles(x, deg))), number(float(angles(room, deg)), 3))
        for name, x, room in zip(
            arm.joint_names,
            result.q,
            np.minimum(result.q - arm.limits.lower, arm.limits.upper - result.q),
            strict=True,
        )
    ]
    unit = angle_unit(deg)
    show(table(f"{arm.side} arm: {result.method}", ("", f"q [{unit}]", "to limit"), rows))
    show(f"errors {result.position_error:.1e} m, {result.orientation_error:.1e} rad")


def _read_e0(arm: Arm, text: str, scale: float) -> float:
    """The value of --e0 [rad], within the joint's limits."""
    e0 = scale * float(numbers_of((text,), "--e0")[0])
    j = JOINTS.index("e0")
    low, high = float(arm.limits.lower[j]), float(arm.limits.upper[j])
    if not low <= e0 <= high:
        unit = angle_unit(scale != 1.0)
        limits = f"{low / scale:.4f} to {high / scale:.4f}"
        raise InputError(f"--e0 {plain(text)}: {arm.joint_names[j]} goes from {limits} {unit}")
    return e0


def _all(
    arm: Arm,
    T: Transform,
    e0: float,
    posture: str | None,
    of: str | None,
    deg: bool,
    as_json: bool,
) -> None:
    solutions = arm.ik_all(T, e0, posture=posture, of=of)
    unit = angle_unit(deg)
    found: Facts = {"side": arm.side, "angle_unit": unit}
    found["solutions"] = angles(solutions, deg)
    if len(solutions) and as_json:
        show_json(found)
    elif len(solutions):
        rows = [
            (str(i + 1), *(number(float(x), 4) for x in angles(q, deg)))
            for i, q in enumerate(solutions)
        ]
        title = f"{arm.side} arm: solutions with e0 = {number(float(angles(e0, deg)), 4)}"
        show(table(f"{title} {unit}", ("", *JOINTS), rows))
    else:
        intervals = [
            [float(angles(x, deg)) for x in pair] for pair in arm.self_motion(T, of=of).e0_intervals
        ]
        if as_json:
            show_json({**found, "e0_intervals": intervals})
            without_answer()
        words = " and ".join(f"{low:.4f} to {high:.4f}" for low, high in intervals)
        reason = f"there are some at e0 from {words} {unit}" if words else "nor at any other"
        given = number(float(angles(e0, deg)), 4)
        form = "" if posture is None else f" with posture {posture}"
        raise IkError(f"no solution{form} within the limits at e0 = {given} {unit}; {reason}")


def _batch(arm: Arm, result: IkResult, as_json: bool, deg: bool) -> None:
    q = angles(result.q, deg)
    errors = np.stack([result.position_error, result.orientation_error], axis=-1)
    header = (*joint_columns(arm.joint_names, deg), "position_error", "orientation_error")
    facts: Facts = {"side": arm.side, "angle_unit": angle_unit(deg)}
    show_solutions(facts, q, header, np.concatenate([q, errors], axis=-1), result, as_json)
