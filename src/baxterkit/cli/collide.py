"""`baxterkit collide`: whether the robot touches itself or obstacles."""

from __future__ import annotations

import math

import click
import numpy as np

from baxterkit import Arm
from baxterkit.cli.options import (
    arm_options,
    configuration_option,
    deg_option,
    hands_of,
    joint_argument,
    json_option,
    margin_option,
    other_tool_option,
    robot_of,
    world_option,
)
from baxterkit.cli.reading import read_joints, read_other
from baxterkit.cli.show import number, show, show_json, table
from baxterkit.cli.status import without_answer
from baxterkit.cli.verbs import verb
from baxterkit.collision import Nearest, World
from baxterkit.types import JointVector

COLUMNS = ("clearance", "first", "second", "touches")


@verb(
    "collide",
    "baxterkit collide tuck --other tuck",
    "baxterkit collide --deg -20 -17 0 17 0 0 0 --other 20,-17,0,17,0,0,0",
    "baxterkit collide neutral --world lab.toml",
    "baxterkit collide - --json < angles.csv",
)
@joint_argument
@arm_options
@configuration_option("--other", help="Joint angles of the other arm.  [default: untuck]")
@other_tool_option
@click.option("--head", type=float, default=0.0, help="Pan of the head.")
@click.option("--opening", type=float, default=1.0, help="Opening of both hands, 0 to 1 (open).")
@margin_option
@world_option
@deg_option("Angles in degrees.")
@json_option
def command(
    q: tuple[str, ...],
    arm: Arm,
    world: World | None,
    other: str | None,
    other_tool: str | None,
    head: float,
    opening: float,
    margin: float,
    deg: bool,
    as_json: bool,
) -> None:
    """Whether the robot touches itself or a --world, and how far its nearest two links are apart.

    Q is 7 joint angles (s0 s1 e0 e1 w0 w1 w2) of the arm given by --side, the name of a
    configuration (neutral, tuck, untuck), a CSV file with one per row, or - to read such rows from
    standard input. Where rows name the joints of both arms, each row is checked with both, whatever
    --side is. --tool is in both hands, unless --other-tool says otherwise. A batch is printed as
    CSV; `touches` there, and in JSON, is whether the nearest two count as a collision: they touch,
    or are nearer than --margin. The exit status is 1 if they do.
    """
    if not math.isfinite(margin):
        raise click.UsageError(f"--margin is {margin:g} m; it must be a finite number")
    given = read_joints(arm, q, deg, both=True)
    if given.other is not None and other is not None:
        raise click.UsageError("the rows say where both arms are: leave --other out")
    robot = robot_of(arm, other_tool)
    resting = given.other
    if resting is None:
        resting = read_other(robot, arm, other or "untuck", deg)
    assert resting is not None
    pan = np.radians(head) if deg else head
    sides: tuple[JointVector, JointVector] = (given.q, resting)
    scene = robot.scene(world, head=pan, opening=opening, margin=margin)
    near = scene.nearest(*(sides if arm.side == "left" else sides[::-1]))
    touches = near.clearance < scene.margin
    tools = {"left": robot.left.tool.name, "right": robot.right.tool.name}
    if given.is_batch:
        rows = _rows(near, touches.tolist())
        if as_json:
            each = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
            show_json({"configurations": each, "tools": tools})
        else:
            click.echo(",".join(COLUMNS))
            for clearance, first, second, hit in rows:
                click.echo(f"{clearance!r},{first},{second},{int(hit)}")
    elif as_json:
        facts = dict(zip(COLUMNS, _rows(near, touches)[0], strict=True))
        show_json(facts | {"points": near.points, "gradient": near.gradient, "tools": tools})
    else:
        first, second = near.names
        title = _verdict(first, second, float(near.clearance), margin) if touches else "free"
        cells = [("clearance [m]", number(float(near.clearance), 4))]
        for name, point in zip((first, second), near.points, strict=True):
            cells.append((f"nearest point of {name} [m]", " ".join(number(x, 3) for x in point)))
        cells.append(("hands", hands_of(robot)))
        show(table(title, ("", ""), cells))
    if touches.any():
        without_answer()


def _verdict(first: str, second: str, clearance: float, margin: float) -> str:
    """What is wrong with a pair that counts as a collision."""
    if clearance < 0.0:
        return f"{first} touches {second}"
    return f"{first} is nearer than {margin:g} m to {second}"


def _rows(near: Nearest, touches: object) -> list[tuple[float, str, str, bool]]:
    flags = np.atleast_1d(np.asarray(touches)).tolist()
    clearances = np.atleast_1d(near.clearance).tolist()
    pairs = near.pair.reshape(-1, 2).tolist()
    return [
        (clearance, near.everything[a], near.everything[b], flag)
        for clearance, (a, b), flag in zip(clearances, pairs, flags, strict=True)
    ]
