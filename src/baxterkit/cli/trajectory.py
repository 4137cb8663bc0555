"""`baxterkit trajectory`: motions as files, checked against the arm's limits."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from baxterkit import Arm
from baxterkit.cli.options import (
    IN_FILE,
    OutFile,
    configuration_option,
    deg_option,
    json_option,
    loaded_arm_options,
    note_nominal,
    out_option,
    robot_of,
    was_given,
    whole_robot,
    world_option,
)
from baxterkit.cli.pairs import pair_command
from baxterkit.cli.reading import read_configuration, read_joints, read_other, read_rows
from baxterkit.cli.show import Facts, angle_unit, angles, number, show, show_json, table
from baxterkit.cli.targets import numbers_of
from baxterkit.cli.verbs import VerbGroup
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.model.names import JOINTS, other_side
from baxterkit.trajectory import (
    CartesianPath,
    Trajectory,
    circle,
    drawn,
    figure_eight,
    point_to_point,
    save_playback,
    smith_path,
    spiral,
    square,
    through,
    time_optimal,
    tool_down,
)
from baxterkit.trajectory.checks import BOTH
from baxterkit.trajectory.to_joints import METHODS
from baxterkit.types import Vector3

Function = TypeVar("Function", bound=Callable[..., Any])

SHAPES = ("circle", "square", "eight", "spiral")
ENDINGS = ".npz, .json or .csv"


@click.group("trajectory", cls=VerbGroup)
def command() -> None:
    """Motions of an arm: made, checked against its limits, written, drawn.

    A motion that violates a limit is refused: time, joint, value and limit are named.
    """


def motion_options(function: Function) -> Function:
    """Adds the arm, and checks, writes, draws and describes the motion."""

    @loaded_arm_options
    @click.option("--time-optimal", is_flag=True, help="Make it as fast as all limits allow.")
    @click.option("--stretch", type=float, default=1.0, help="Make it slower by this factor.")
    @out_option(help=f"File to write: {ENDINGS}.")
    @click.option(
        "--to",
        type=click.Choice(["rethink"]),
        help="Write what Rethink's joint_trajectory_file_playback plays.",
    )
    @configuration_option(
        "--other",
        help="Where the other arm rests, with --to (neutral if not given) and --collision-free "
        "(there untuck, or as with --to).",
    )
    @click.option(
        "--collision-free",
        "--free",
        is_flag=True,
        help="Check too that it touches neither the robot nor --world.",
    )
    @world_option
    @click.option("--rate", type=float, default=100.0, help="Sample rate of a .csv [Hz].")
    @click.option("--plot", "picture", type=OutFile(), help="Picture to write: .png, .svg or .pdf.")
    @deg_option("Angles in degrees, in and out.")
    @json_option
    @functools.wraps(function)
    def wrapper(
        *args: Any,
        arm: Arm,
        deg: bool,
        time_optimal: bool,
        stretch: float,
        out: Path | None,
        to: str | None,
        other: str | None,
        collision_free: bool,
        world: World | None,
        rate: float,
        picture: Path | None,
        as_json: bool,
        **kwargs: Any,
    ) -> None:
        motion: Trajectory = function(*args, arm=arm, deg=deg, **kwargs)
        arms = [arm] if motion.side != BOTH else _both_arms(time_optimal)
        motion = motion.stretched(stretch) if not time_optimal else _quickest(motion, arm, stretch)
        free = collision_free or world is not None
        _need_use(motion, other, to, free)
        scene = rest = None
        if free:
            resting = other or ("untuck" if to is None else "neutral")
            robot = robot_of(arm) if len(arms) == 1 else whole_robot()
            scene = robot.scene(world)
            rest = read_other(robot, arm, resting, deg)
        for one in arms:
            motion.check(one.limits, arm=one, scene=scene, other=rest)
        files = [] if out is None else [_saved(motion, arm, out, to, other, rate, deg)]
        if out is None and to is not None:
            raise click.UsageError("--to needs a file: -o FILE")
        if picture is not None:
            from baxterkit import plot

            files.append(plot.save(motion.plot(arm if len(arms) == 1 else None), picture))
        facts = [_facts(motion.of(one.side), one, deg) for one in arms]
        if as_json:
            written = {"files": [str(file) for file in files]}
            show_json(facts[0] | written if len(arms) == 1 else {"arms": facts, **written})
            return
        for one, values in zip(arms, facts, strict=True):
            _show(one, values, deg)
        verdict = "within the limits, free of contact" if free else "within the limits"
        show(verdict + "".join(f"\nwrote {file}" for file in files))

    return wrapper  # type: ignore[return-value]


def tip_options(function: Function) -> Function:
    """Adds the tip's orientation, and how the joints follow it."""
    options = (
        click.option(
            "--yaw", type=float, default=0.0, help="Yaw of the tool, which points down."
        ),
        configuration_option("--start", help="Configuration to start at, or near."),
        click.option(
            "--method", type=click.Choice(METHODS), default="auto",
            help="How the redundancy is resolved."),
    )  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


@command.verb(
    "shape",
    "baxterkit trajectory shape circle --radius 0.12 --period 5 -o circle.json",
    "baxterkit trajectory shape eight --side right --time-optimal --plot eight.png",
    "baxterkit trajectory shape square --center 0.65 0.25 0.1 --payload 1 --json",
)
@click.argument("shape", type=click.Choice(SHAPES))
@click.option("--center", nargs=3, metavar="X Y Z", help="[m]  [default: 0.6 ±0.2 0.1]")
@click.option("--radius", type=float, default=0.1, help="Half its width [m].")
@click.option("--period", type=float, default=8.0, help="Time of one turn [s].")
@click.option("--turns", type=float, default=1.0, help="Rounds.")
@tip_options
@motion_options
def shape_command(
    shape: str,
    center: tuple[str, ...] | None,
    radius: float,
    period: float,
    turns: float,
    yaw: float,
    start: str | None,
    method: str,
    arm: Arm,
    deg: bool,
) -> Trajectory:
    """A shape of the tip in a horizontal plane, the tool pointing down."""
    p = _center(arm, center)
    R = tool_down(_angle(yaw, deg))
    if shape == "circle":
        path = circle(p, radius, period, turns=turns, rotation=R)
    elif shape == "eight":
        path = figure_eight(p, 2.0 * radius, radius, period, turns=turns, rotation=R)
    elif shape == "spiral":
        path = spiral(p, radius, turns, period, rotation=R)
    else:
        path = square(p, 2.0 * radius, period, turns=turns, rotation=R)
    return _follow(path, arm, start, method, deg)


@command.verb("smith", "baxterkit trajectory smith 1 --side right -o set1.npz")
@click.argument("set_number", type=click.Choice(["1", "2", "3"]), metavar="[1|2|3]")
@tip_options
@motion_options
def smith_command(
    set_number: str,
    yaw: float,
    start: str | None,
    method: str,
    arm: Arm,
    deg: bool,
) -> Trajectory:
    """One of the three test motions of Smith et al.; the left arm gets the mirror image."""
    if yaw != 0.0:
        raise click.UsageError("smith sets its own --yaw")
    return _follow(smith_path(int(set_number), arm.side), arm, start, method, deg)


@command.verb("drawn", "baxterkit trajectory drawn drawing.csv --speed 0.05 -o drawing.json")
@click.argument("file", type=IN_FILE)
@click.option("--speed", type=float, default=0.1, help="Speed of the tip [m/s].")
@click.option("--smoothing", type=float, default=0.0, help="Length to average points over [m].")
@click.option("--center", nargs=3, metavar="X Y Z", help="Origin of the points in base [m].")
@tip_options
@motion_options
def drawn_command(
    file: Path,
    speed: float,
    smoothing: float,
    center: tuple[str, ...] | None,
    yaw: float,
    start: str | None,
    method: str,
    arm: Arm,
    deg: bool,
) -> Trajectory:
    """A motion along drawn points: rows x y z, or x y of a horizontal drawing, in metres."""
    origin = np.zeros(3) if center is None else numbers_of(center, "--center")
    R = tool_down(_angle(yaw, deg))
    path = drawn(file, speed, smoothing=smoothing, center=origin, rotation=R)
    return _follow(path, arm, start, method, deg)


@command.verb("through", "baxterkit trajectory through waypoints.csv --time-optimal -o quick.csv")
@click.argument("file", metavar="FILE | -")
@motion_options
def through_command(file: str, deg: bool, arm: Arm) -> Trajectory:
    """Through joint positions, one per row, as fast as velocities and accelerations allow."""
    return through(arm, read_rows(file, arm.side, deg))


@command.verb(
    "move",
    "baxterkit trajectory move neutral untuck --plot move.png",
    "baxterkit trajectory move 0,-0.55,0,0.75,0,1.26,0 untuck -o move.json",
    "baxterkit trajectory move neutral untuck --to rethink --other untuck -o move.csv",
)
@click.argument("start", metavar="FROM")
@click.argument("goal", metavar="TO")
@motion_options
def move_command(start: str, goal: str, deg: bool, arm: Arm) -> Trajectory:
    """From one configuration to another: names of poses, or 7 angles with commas between."""
    ends = [read_joints(arm, (words,), deg) for words in (start, goal)]
    if any(end.is_batch for end in ends):
        raise InputError("FROM and TO are one configuration each, not files")
    return point_to_point(arm, ends[0].q, ends[1].q)


@command.verb(
    "check",
    "baxterkit trajectory check motion.json",
    "baxterkit trajectory check motion.json --collision-free --world lab.toml",
)
@click.argument("file", type=IN_FILE)
@motion_options
def check_command(file: Path, arm: Arm, deg: bool) -> Trajectory:
    """Checks a motion from a file against the limits of the arm, or of both if both move.

    --side takes one arm of a file that holds both. --collision-free (or --world) checks contacts
    too, between the samples as well.
    """
    motion = Trajectory.load(file)
    return (
        motion if motion.side == BOTH and not was_given("side") else Trajectory.load(file, arm.side)
    )


command.add_command(pair_command)


def _angle(angle: float, deg: bool) -> float:
    """An angle of an option [rad]."""
    return math.radians(angle) if deg else angle


def _follow(path: CartesianPath, arm: Arm, start: str | None, method: str, deg: bool) -> Trajectory:
    return path.to_joints(arm, read_configuration(arm, start, "--start", deg), method=method)


def _both_arms(quickest: bool) -> list[Arm]:
    """Both arms, for a motion of both."""
    if quickest or was_given("payload"):
        option = "--time-optimal" if quickest else "--payload"
        raise click.UsageError(f"{option} is for one arm, and the file holds both: say --side")
    note_nominal()
    robot = whole_robot()
    return [robot.left, robot.right]


def _quickest(motion: Trajectory, arm: Arm, stretch: float) -> Trajectory:
    motion = time_optimal(arm, motion)
    return motion if stretch == 1.0 else motion.stretched(stretch)


def _need_use(motion: Trajectory, other: str | None, to: str | None, free: bool) -> None:
    """Refuses an --other that nothing would use."""
    if other is None:
        return
    if motion.side == BOTH:
        raise click.UsageError("--other is where the arm at rest is, and the file moves both")
    if to is None and not free:
        raise click.UsageError(
            "--other is for --to rethink, whose files hold both arms, and for --collision-free"
        )


def _saved(
    motion: Trajectory,
    arm: Arm,
    out: Path,
    to: str | None,
    other: str | None,
    rate: float,
    deg: bool,
) -> Path:
    if to is None:
        return motion.save(out, rate)
    if motion.side == BOTH:
        return save_playback(out, motion, rate=rate)
    still = Arm(other_side(arm.side))
    rest = read_configuration(still, other, "--other", deg)
    left, right = (motion, rest) if arm.side == "left" else (rest, motion)
    return save_playback(out, left, right, rate=rate)


def _facts(motion: Trajectory, arm: Arm, deg: bool) -> Facts:
    """What a motion of an arm comes to, angles in degrees if so wanted."""
    q, qd, qdd = motion.sample(motion.check_times())
    tau = arm.inverse_dynamics(q, qd, qdd)
    return {
        "name": motion.name,
        "side": arm.side,
        "angle_unit": angle_unit(deg),
        "duration": motion.duration,
        "start": angles(motion.start, deg),
        "end": angles(motion.end, deg),
        "to_limit": angles(np.minimum(q - arm.limits.lower, arm.limits.upper - q).min(axis=0), deg),
        "velocity": angles(np.abs(qd).max(axis=0), deg),
        "acceleration": angles(np.abs(qdd).max(axis=0), deg),
        "torque": np.abs(tau).max(axis=0),
    }


def _show(arm: Arm, facts: Facts, deg: bool) -> None:
    """Prints what a motion of an arm comes to, velocities and torques as shares of the limits."""
    shares = [
        facts["velocity"] / angles(arm.limits.velocity, deg),
        facts["torque"] / arm.limits.effort,
    ]
    rows = [
        (
            JOINTS[j],
            number(float(facts["start"][j]), 4),
            number(float(facts["end"][j]), 4),
            number(float(facts["to_limit"][j]), 3),
            f"{100.0 * shares[0][j]:.0f} %",
            number(float(facts["acceleration"][j]), 2),
            f"{100.0 * shares[1][j]:.0f} %",
        )
        for j in range(7)
    ]
    header = ("", "start", "end", "to limit", "velocity", "acceleration", "torque")
    title = f"{arm.side} arm: {facts['name']}, {facts['duration']:.2f} s"
    unit = angle_unit(deg)
    show(table(f"{title}  [{unit}, {unit}/s², % of limit]", header, rows))


def _center(arm: Arm, center: tuple[str, ...] | None) -> Vector3:
    if center is not None:
        return numbers_of(center, "--center")
    return np.array([0.6, 0.2 if arm.side == "left" else -0.2, 0.1])
