"""`baxterkit plan`: a motion of an arm that touches nothing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
import numpy as np

from baxterkit import Arm, Baxter
from baxterkit.cli.options import (
    OutFile,
    arm_options,
    complete_from,
    configuration_option,
    deg_option,
    hands_of,
    joint_argument,
    json_option,
    margin_option,
    other_tool_option,
    robot_of,
    seed_option,
    world_option,
)
from baxterkit.cli.reading import read_configuration, read_joints, read_other
from baxterkit.cli.show import number, show, show_json, table
from baxterkit.cli.status import without_answer
from baxterkit.cli.targets import numbers_of, orientation_options, read_pose, read_position
from baxterkit.cli.verbs import verb
from baxterkit.collision import World
from baxterkit.ik import Position
from baxterkit.planning import METHODS, PlanResult, SearchSettings, plan
from baxterkit.trajectory import Trajectory


@verb(
    "plan",
    "baxterkit plan untuck --to -1.1 0.1 0 0.9 0 0.6 0 --box post 0.08 0.08 1.2 0.8 0.15 0.3",
    "baxterkit plan untuck --xyz 0.7 0.2 0.2 --rpy 3.14 0 0 --out motion.csv",
    "baxterkit plan untuck --to neutral --world lab.toml",
    "baxterkit plan untuck --to tuck --side right --other tuck --json",
)
@joint_argument
@configuration_option("--to", help="Joint angles of the goal.")
@click.option("--xyz", nargs=3, metavar="X Y Z", help="Position of the tip at the goal [m].")
@orientation_options
@click.option("--box", nargs=7, multiple=True, metavar="NAME SX SY SZ X Y Z", help="A box [m].")
@click.option(
    "--cylinder",
    nargs=6,
    multiple=True,
    metavar="NAME HEIGHT RADIUS X Y Z",
    help="A standing cylinder [m].",
)
@click.option("--sphere", nargs=5, multiple=True, metavar="NAME RADIUS X Y Z", help="A sphere [m].")
@world_option
@configuration_option("--other", "Joint angles of the other arm, which stays.  [default: untuck]")
@margin_option
@seed_option
@click.option("--timeout", type=float, default=1.0, help="Time limit [s].")
@click.option(
    "--method",
    default="rrt_connect",
    shell_complete=complete_from(METHODS),
    help="Planner, or a class of OMPL: ompl:RRTstar.",
)
@click.option("--out", type=OutFile(), help="Write the motion: .csv, .npz or .json.")
@arm_options
@other_tool_option
@deg_option("Angles in degrees, in and out.")
@json_option
def command(
    q: tuple[str, ...],
    arm: Arm,
    to: str | None,
    xyz: tuple[str, ...] | None,
    rpy: tuple[str, ...] | None,
    quat: tuple[str, ...] | None,
    box: tuple[tuple[str, ...], ...],
    cylinder: tuple[tuple[str, ...], ...],
    sphere: tuple[tuple[str, ...], ...],
    world: World | None,
    other: str | None,
    other_tool: str | None,
    margin: float,
    seed: int,
    timeout: float,
    method: str,
    out: Path | None,
    deg: bool,
    as_json: bool,
) -> None:
    """A motion of an arm to a goal that touches neither the robot nor obstacles.

    Q is where the arm given by --side is: 7 joint angles (s0 s1 e0 e1 w0 w1 w2) or the name of a
    configuration (neutral, tuck, untuck). The goal is one of --to and --xyz, the latter with
    an orientation (--rpy or --quat) or without. Obstacles are axis-parallel in base. --tool is in
    both hands, unless --other-tool says otherwise. The exit status is 1 if there is no motion; the
    reason is printed.
    """
    given = read_joints(arm, q, deg)
    if given.is_batch:
        raise click.UsageError("one motion is planned, not a batch")
    robot = robot_of(arm, other_tool)
    if not 0.0 <= margin < math.inf:
        raise click.UsageError(f"--margin is {margin:g} m; it must be a number of 0 or more")
    world = _world(world, {"box": box, "cylinder": cylinder, "sphere": sphere})
    result = plan(
        robot.scene(world, margin=margin),
        given.q,
        _goal(arm, to, xyz, rpy, quat, deg),
        group=arm.side,
        other=read_other(robot, arm, other, deg),
        search=SearchSettings(seed, timeout, method=method),
    )
    motion: Trajectory | None = None
    if result.solved and len(result.path) > 1:
        motion = result.trajectory()
    saved = None if out is None or motion is None else motion.save(out)
    _show(result, motion, saved, arm, robot, deg, as_json)
    if out is not None and result.solved and saved is None:
        click.echo(
            f"nothing moves, so {out} was not written: start and goal are the same", err=True
        )
    if not result.solved:
        without_answer()


def _goal(
    arm: Arm,
    to: str | None,
    xyz: tuple[str, ...] | None,
    rpy: tuple[str, ...] | None,
    quat: tuple[str, ...] | None,
    deg: bool,
) -> Any:
    if (to is None) == (xyz is None):
        raise click.UsageError("give one of --to and --xyz")
    if xyz is None:
        if rpy is not None or quat is not None:
            raise click.UsageError("--rpy and --quat are of a position: give --xyz")
        return read_configuration(arm, to, "--to", deg)
    if rpy is None and quat is None:
        return Position(read_position(xyz))
    return read_pose(xyz, rpy, quat, deg)


def _world(known: World | None, given: dict[str, tuple[tuple[str, ...], ...]]) -> World:
    world = World() if known is None else known
    for kind, rows in given.items():
        for name, *words in rows:
            values = numbers_of(words, f"--{kind} {name}")
            sizes, at = values[:-3], values[-3:]
            if kind == "box":
                world.add_box(name, sizes, at)
            elif kind == "cylinder":
                world.add_cylinder(name, float(sizes[0]), float(sizes[1]), at)
            else:
                world.add_sphere(name, float(sizes[0]), at)
    return world


def _show(
    result: PlanResult,
    motion: Trajectory | None,
    saved: Path | None,
    arm: Arm,
    robot: Baxter,
    deg: bool,
    as_json: bool,
) -> None:
    duration = 0.0 if motion is None else motion.duration
    unit, factor, digits = ("deg", 180.0 / math.pi, 2) if deg else ("rad", 1.0, 4)
    path, length = factor * result.path, factor * result.length
    if as_json:
        facts: dict[str, object] = {"status": result.status.name, "reason": result.reason}
        facts["tools"] = {"left": robot.left.tool.name, "right": robot.right.tool.name}
        if result.solved:
            facts |= {"path": path, "length": length, "angle_unit": unit, "duration": duration}
            facts |= {
                "samples": result.search.samples,
                "file": None if saved is None else str(saved),
            }
        show_json(facts)
        return
    if not result.solved:
        click.echo(f"{result.status.name}: {result.reason}")
        return
    title = (
        f"a free path of {number(length, 2)} {unit} through joint space with "
        f"{len(result.path)} corners; {number(duration, 2)} s as a motion"
    )
    rows = [
        (name, *(number(float(x), digits) for x in (column[0], column[-1], np.ptp(column))))
        for name, column in zip(arm.joint_names, path.T, strict=True)
    ]
    show(table(title, ("", f"from [{unit}]", f"to [{unit}]", f"range [{unit}]"), rows))
    click.echo(f"hands: {hands_of(robot)}")
    if saved is not None:
        click.echo(f"wrote {saved}")
