"""`baxterkit twin`: motions in the simulated robot."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from baxterkit import Arm
from baxterkit.cli.options import (
    POSES,
    OutFile,
    complete_from,
    json_option,
    loaded_arm_options,
    note_nominal,
    robot_of,
    was_given,
    world_option,
)
from baxterkit.cli.show import Facts, number, show, show_json, table
from baxterkit.cli.status import without_answer
from baxterkit.cli.verbs import verb
from baxterkit.control.by_name import CONTROLLERS, controller_by_name
from baxterkit.errors import ControlWarning, InputError
from baxterkit.model.library import load_baxter
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.trajectory.checks import BOTH

if TYPE_CHECKING:
    from baxterkit.collision import World
    from baxterkit.control.signals import Course
    from baxterkit.robot import Followed, MotionResult
    from baxterkit.scene import Scene
    from baxterkit.sim import Twin
    from baxterkit.trajectory import Trajectory

SHAPES = ("circle", "square", "eight", "spiral", "smith1", "smith2", "smith3", "exciting")
INTERFACES = ("position", "raw-position", "velocity")


@verb(
    "twin",
    "baxterkit twin circle --side right",
    "baxterkit twin smith1 --side right --controller double-loop-pid --record run.csv",
    "baxterkit twin exciting --controller velocity --seed 1 --record motion1.csv",
    "baxterkit twin motion.json --robot robot.toml --json",
    "baxterkit twin neutral --controller position --png arrived.png",
)
@click.argument("what", metavar="WHAT", shell_complete=complete_from((*SHAPES, *POSES), files=True))
@loaded_arm_options
@click.option(
    "--controller",
    type=click.Choice([*CONTROLLERS, *INTERFACES]),
    default="computed-torque",
    help="What drives the arm: a torque controller, or one of the robot's own interfaces.",
)
@click.option(
    "--rigid", is_flag=True, help="No elasticity, springs, friction, sensor steps, noise."
)
@click.option(
    "--seed", type=int, default=0, help="Seed of the sensors' noise, and of an exciting motion."
)
@click.option(
    "--record", type=OutFile(), help="File for the sensor readings: .csv, .csv.gz or .parquet."
)
@click.option("--rate", type=float, default=100.0, help="Sample rate of this file [Hz].")
@click.option("--reference", type=OutFile(), help="The wanted motion, in the rows of --record.")
@click.option("--png", type=OutFile(), help="Picture at the end (OpenGL).")
@click.option("--video", type=OutFile(), help="Video, .gif or .mp4 (OpenGL).")
@world_option
@json_option
def command(
    what: str,
    arm: Arm,
    world: World | None,
    controller: str,
    rigid: bool,
    seed: int,
    record: Path | None,
    rate: float,
    reference: Path | None,
    png: Path | None,
    video: Path | None,
    as_json: bool,
) -> None:
    """Runs a motion on the simulated robot, and prints tracking and torque errors.

    WHAT is a shape (circle, square, eight, spiral), one of Smith's motions (smith1, smith2,
    smith3), `exciting` (60 s that `baxterkit identify` can use, another motion for each --seed),
    the name of a configuration, or a file that `baxterkit trajectory` wrote. A file moves the arm
    that it is of; one of both arms moves both, unless --side takes one. The hand carries a
    --payload from the start, and the controller knows it. Pictures need EGL or OSMesa.
    """
    from baxterkit.sim import Twin, with_known_effects

    def of_twin(arm: Arm) -> Arm:
        return arm.with_effects(None) if rigid else with_known_effects(arm)

    arm = _arm_of_file(what, arm)
    known = of_twin(arm)
    both = robot_of(arm)
    both = both.replace(left=of_twin(both.left), right=of_twin(both.right))
    both = both.replace(**{arm.side: known})
    motion = _motion(what, known, both.scene(world), seed)
    arms = [known]
    if motion.side == BOTH:
        note_nominal()
        arms = [both.left, both.right]
    for option in ("record", "reference", "video", "payload") if len(arms) == 2 else ():
        if was_given(option):
            raise click.UsageError(f"--{option} is for one arm, and {what} moves both: say --side")
    courses = {one.side: motion.of(one.side).check(one.limits, arm=one) for one in arms}
    twin = Twin(both, world=world, rigid=rigid, seed=seed).enable()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ControlWarning)  # shown with the result
        done = _run(twin, arms, controller, courses, rate)
    run = done[arms[0].side]
    files = [] if record is None else [run.save(record)]
    files += [] if reference is None else [run.reference.save(reference)]
    files += _pictures(twin, run, png, video)
    facts = [_facts(one, controller, courses[one.side], done[one.side]) for one in arms]
    names = [str(file) for file in files]
    if as_json:
        show_json(
            facts[0] | {"files": names} if len(arms) == 1 else {"arms": facts, "files": names}
        )
    else:
        for fact in facts:
            _show(fact)
        if files:
            show("\n".join(f"wrote {name}" for name in names))
    if not all(fact["succeeded"] for fact in facts):
        without_answer()


def _arm_of_file(what: str, arm: Arm) -> Arm:
    """The arm whose motion a file holds, unless --side names one."""
    from baxterkit.trajectory import Trajectory

    if was_given("side") or not Path(what).is_file():
        return arm
    side = Trajectory.load(Path(what)).side
    if side not in SIDES or side == arm.side:
        return arm
    other = robot_of(arm).arm(side)
    return other.replace(payload=arm.model.payload) if was_given("payload") else other


def _motion(what: str, arm: Arm, scene: Scene, seed: int) -> Trajectory:
    """The motion that a word or a file names."""
    from baxterkit import identify, trajectory

    if what == "exciting":
        return identify.exciting_motion(arm, scene=scene, seed=seed)

    center = np.array([0.6, 0.2 if arm.side == "left" else -0.2, 0.1])
    if what in SHAPES:
        if what.startswith("smith"):
            path = trajectory.smith_path(int(what[-1]), arm.side)
        else:
            shapes: dict[str, Callable[[], Any]] = {
                "circle": lambda: trajectory.circle(center, 0.1, 8.0),
                "square": lambda: trajectory.square(center, 0.2, 10.0),
                "eight": lambda: trajectory.figure_eight(center, 0.2, 0.1, 10.0),
                "spiral": lambda: trajectory.spiral(center, 0.1, 3.0, 6.0),
            }
            path = shapes[what]()
        return path.to_joints(arm)
    known = load_baxter().configurations
    if what in known:
        start = "neutral" if what == "untuck" else "untuck"
        return trajectory.min_jerk(
            arm, arm.configuration(start), arm.configuration(what)
        ).stretched(2.0)
    if not Path(what).is_file():
        if "/" in what or Path(what).suffix:
            raise InputError(f"the file {what!r} does not exist")
        raise InputError(
            f"{what!r} is neither a shape ({', '.join(SHAPES)}), "
            f"nor a configuration ({', '.join(known)}), "
            "nor a file of `baxterkit trajectory`"
        )
    moved = trajectory.Trajectory.load(Path(what))
    if moved.side == BOTH and not was_given("side"):
        return moved
    return trajectory.Trajectory.load(Path(what), arm.side)


def _run(
    twin: Twin, arms: Sequence[Arm], controller: str, courses: Mapping[str, Course], rate: float
) -> MotionResult:
    twin.record_rate = rate
    twin.place_at(courses)
    if controller in INTERFACES:
        mode = controller.replace("-", " ")
        return twin.follow(
            courses, mode=mode, feed_forward=False, path_tolerance=np.inf, settle=0.0
        )
    laws = {arm.side: controller_by_name(controller, arm) for arm in arms}
    return twin.follow(courses, laws, path_tolerance=np.inf, settle=0.0)


def _pictures(twin: Twin, run: Followed, png: Path | None, video: Path | None) -> list[Path]:
    if png is None and video is None:
        return []
    from baxterkit.sim.render import Camera, save_png, save_video

    files = []
    if png is not None:
        files.append(save_png(Camera(twin).picture(), png))
    if video is not None:
        camera = Camera(twin, 640, 480)
        files.append(save_video(camera.frames(run, fps=20.0), video, fps=20.0))
    return files


def _facts(arm: Arm, controller: str, motion: Trajectory, run: Followed) -> Facts:
    """What became of the motion of an arm."""
    wanted = run.reference
    assert wanted.qd is not None
    assert wanted.qdd is not None
    assert run.tau is not None
    model = arm.inverse_dynamics(wanted.q, wanted.qd, wanted.qdd)
    tip = np.linalg.norm(arm.fk(run.truth.q)[:, :3, 3] - arm.fk(wanted.q)[:, :3, 3], axis=1)
    return {
        "side": arm.side,
        "motion": motion.name,
        "controller": controller,
        "duration": run.duration,
        "tip_rms": float(np.sqrt(np.mean(tip**2))),
        "tip_max": float(tip.max()),
        "joint_rms": np.sqrt(np.mean(run.error**2, axis=0)),
        "joint_max": np.abs(run.error).max(axis=0),
        "torque_mae": np.abs(run.tau - model).mean(axis=0),
        "held": float(np.mean(run.held)),
        "succeeded": run.succeeded,
        "faults": [str(fault) for fault in run.faults],
    }


def _show(facts: Facts) -> None:
    """Prints what became of the motion of an arm."""
    rows = [
        ("tracking error, RMS [mrad]", *(number(1e3 * x, 2) for x in facts["joint_rms"])),
        ("largest [mrad]", *(number(1e3 * x, 2) for x in facts["joint_max"])),
        ("torque, sensed - model, mean [N m]", *(number(x, 3) for x in facts["torque_mae"])),
    ]
    title = f"{facts['side']} arm: {facts['motion']}, {facts['duration']:.2f} s"
    show(table(f"{title}, {facts['controller']}", ("", *JOINTS), rows))
    rms, largest = 1e3 * facts["tip_rms"], 1e3 * facts["tip_max"]
    lines = [f"tip off by {rms:.2f} mm (RMS), {largest:.2f} mm at most"]
    if facts["held"]:
        lines.append(
            f"the robot held the arm by itself for {100 * facts['held']:.0f} % of the time: "
            "commands were refused or missing"
        )
    lines += [f"not a success: {fault}" for fault in facts["faults"]]
    show("\n".join(lines))
