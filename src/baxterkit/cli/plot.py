"""`baxterkit plot`: pictures as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from baxterkit import Arm
from baxterkit.cli.options import (
    IN_FILE,
    arm_options,
    configuration_option,
    deg_option,
    json_option,
    note_nominal,
    out_option,
    robot_of,
    seed_option,
    whole_robot,
)
from baxterkit.cli.reading import read_configuration, read_joints
from baxterkit.cli.show import angle_unit, angles, progress, say, show_notes
from baxterkit.cli.targets import orientation_options, read_target
from baxterkit.cli.verbs import VerbGroup
from baxterkit.ik import IkError, IkStatus
from baxterkit.ik.methods import ITERATIVE

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@click.group("plot", cls=VerbGroup)
def command() -> None:
    """Pictures as PNG, SVG or PDF files, animations as GIF or HTML, by the file's extension.

    Needs the extra [plot], but no screen.
    """


def _write(figure: Figure, out: Path, as_json: bool, text: str, **facts: object) -> None:
    """Saves a figure and prints its path."""
    from baxterkit import plot

    plot.save(figure, out)
    say({"file": str(out), **facts}, f"{out}: {text}", as_json)


@command.verb(
    "skeleton",
    "baxterkit plot skeleton untuck -o arm.png",
    "baxterkit plot skeleton --deg 0 -31.5 0 43 0 72 0 --side right -o arm.svg",
)
@click.argument("q", nargs=-1, metavar="[Q...]")
@arm_options
@click.option("--both", is_flag=True, help="Both arms, in the named configuration Q.")
@click.option("--no-frames", is_flag=True, help="Leave out the joint frames.")
@click.option("--no-labels", is_flag=True, help="Leave out the joints' names.")
@out_option("skeleton.png")
@deg_option("Angles in degrees.")
@json_option
def skeleton(
    q: tuple[str, ...],
    arm: Arm,
    both: bool,
    no_frames: bool,
    no_labels: bool,
    out: Path,
    deg: bool,
    as_json: bool,
) -> None:
    """The arm with its joint frames, or both arms.

    Q is 7 joint angles or the name of a configuration; neutral if it is left out.
    """
    from baxterkit import plot

    words = q or ("neutral",)
    given = read_joints(arm, words, deg)
    if given.is_batch:
        raise click.UsageError("one configuration is drawn, not a batch")
    options: dict[str, Any] = {"frames": not no_frames, "labels": not no_labels}
    if both:
        if len(words) != 1:
            raise click.UsageError("--both takes the name of a configuration, as neutral")
        note_nominal()
        robot = whole_robot()
        left, right = robot.left.configuration(words[0]), robot.right.configuration(words[0])
        figure = plot.skeleton_both(robot, left, right, title=f"Baxter, {words[0]}", **options)
        facts = {"q": {"left": angles(left, deg), "right": angles(right, deg)}}
        text = f"both arms, {words[0]} configuration"
    else:
        figure = plot.skeleton(arm, given.q, **options)
        facts = {"q": angles(given.q, deg)}
        text = f"{arm.side} arm"
    _write(figure, out, as_json, text, angle_unit=angle_unit(deg), **facts)


@command.verb(
    "workspace",
    "baxterkit plot workspace -o workspace.png",
    "baxterkit plot workspace --samples 100000 --body --tool vacuum --json",
)
@arm_options
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    default=1_000_000,
    help="Number of random joint positions within the limits.",
)
@seed_option
@click.option("--body", is_flag=True, help="Beside it, what is left where the robot may not touch.")
@out_option("workspace.png")
@json_option
def workspace(arm: Arm, samples: int, seed: int, body: bool, out: Path, as_json: bool) -> None:
    """The tip's reachable positions, coloured by manipulability: cut open, and in two sections."""
    from baxterkit import plot
    from baxterkit.workspace import sample_reach

    robot = robot_of(arm) if body else None
    with progress("sampling", samples) as done:
        reach = sample_reach(arm, samples, seed=seed, progress=done, scene=robot)
    low, high = reach.position.min(axis=0), reach.position.max(axis=0)
    best = float(reach.manipulability.max())
    _write(
        plot.workspace(arm, reach),
        out,
        as_json,
        f"{samples} samples; x {low[0]:.3f} to {high[0]:.3f}, y {low[1]:.3f} to {high[1]:.3f}, "
        f"z {low[2]:.3f} to {high[2]:.3f} m; best manipulability {best:.4f}",
        side=arm.side,
        samples=samples,
        lower=low,
        upper=high,
        **({} if reach.free is None else {"free": float(reach.free.mean())}),
        manipulability={"median": float(np.median(reach.manipulability)), "best": best},
    )


@command.verb(
    "self-motion",
    "baxterkit plot self-motion neutral -o curves.png",
    "baxterkit plot self-motion 0.6 0.3 0.2 --rpy 3.1416 0 0 -o curves.pdf",
)
@click.argument("target", nargs=-1, required=True, metavar="X Y Z | Q...")
@orientation_options
@arm_options
@out_option("self_motion.png")
@deg_option("Angles in degrees, in and out.")
@json_option
def self_motion(
    target: tuple[str, ...],
    arm: Arm,
    rpy: tuple[str, ...] | None,
    quat: tuple[str, ...] | None,
    out: Path,
    deg: bool,
    as_json: bool,
) -> None:
    """All solutions of one pose: every joint over e0, those within the limits thick.

    The pose is X Y Z with --rpy or --quat, or what joint angles or a named configuration reach.
    """
    from baxterkit import plot

    motion = arm.self_motion(read_target(arm, target, rpy, quat, deg))
    if not motion.curves:
        raise IkError(f"there is nothing to draw: {IkStatus.OUT_OF_REACH.advice}")
    intervals = [[float(angles(x, deg)) for x in pair] for pair in motion.e0_intervals]
    unit = angle_unit(deg)
    words = ", ".join(f"{low:.4f} to {high:.4f}" for low, high in intervals)
    _write(
        plot.self_motion(arm, motion),
        out,
        as_json,
        f"{len(motion.curves)} curves, {len(motion.feasible)} stretches within the limits"
        + (f", e0 {words} {unit}" if words else ""),
        side=arm.side,
        angle_unit=unit,
        curves=len(motion.curves),
        feasible=len(motion.feasible),
        e0_intervals=intervals,
    )


@command.verb(
    "ik",
    "baxterkit plot ik 0.6 0.3 0.2 --rpy 3.1416 0 0 --method lm -o steps.png",
    "baxterkit plot ik untuck --method pseudoinverse --method ccd --errors -o errors.png",
    "baxterkit plot ik untuck --method lm -o lm.gif",
)
@click.argument("target", nargs=-1, required=True, metavar="X Y Z | Q...")
@orientation_options
@arm_options
@click.option(
    "--method",
    "methods",
    type=click.Choice(list(ITERATIVE)),
    multiple=True,
    default=("pseudoinverse",),
    help="Solver; several with --errors.",
)
@configuration_option("--seed", help="Where the solver starts.  [default: neutral]")
@click.option("--errors", is_flag=True, help="Errors over iterations instead of the arm.")
@out_option("ik.png", "File to write: .png, .svg, .pdf; .gif or .html for an animation.")
@deg_option("Angles in degrees.")
@json_option
def ik(
    target: tuple[str, ...],
    arm: Arm,
    rpy: tuple[str, ...] | None,
    quat: tuple[str, ...] | None,
    methods: tuple[str, ...],
    seed: str | None,
    errors: bool,
    out: Path,
    deg: bool,
    as_json: bool,
) -> None:
    """An iterative solver in action: the arm as it moves, or the errors of several solvers.

    The pose is X Y Z with --rpy or --quat, or what joint angles or a named configuration reach.
    """
    from baxterkit import plot
    from baxterkit.plot.animation import SUFFIXES

    moving = out.suffix.lower() in SUFFIXES
    if len(methods) > 1 and not errors:
        raise click.UsageError("several solvers are compared by --errors")
    if moving and errors:
        raise click.UsageError(f"{out}: errors are a figure: .png, .svg or .pdf")
    T = read_target(arm, target, rpy, quat, deg)
    start = read_configuration(arm, seed or "neutral", "--seed", deg)
    results = {name: arm.ik(T, start, method=name, trace=True) for name in methods}
    words = ", ".join(
        f"{name}: {result.status.name} after {_iterations(result)} iterations"
        for name, result in results.items()
    )
    facts = {
        name: {"status": result.status.name, "iterations": _iterations(result)}
        for name, result in results.items()
    }
    result = results[methods[0]]
    if moving:
        animation = plot.ik_animation(arm, result, T)
        with progress("drawing", animation.count) as done:
            plot.save_animation(animation, out, progress=done)
        say({"file": str(out), "side": arm.side, "methods": facts}, f"{out}: {words}", as_json)
        return
    figure = plot.ik_convergence(results) if errors else plot.ik_steps(arm, result, T)
    _write(figure, out, as_json, words, side=arm.side, methods=facts)


def _iterations(result: Any) -> int:
    return len(result.trace) - 1


@command.verb(
    "torques",
    "baxterkit plot torques recording.csv -o torques.png",
    "baxterkit plot torques recording.csv --robot robot.toml -o torques.pdf",
)
@click.argument("recording", type=IN_FILE)
@arm_options
@click.option(
    "--cutoff",
    type=click.FloatRange(min=0.0, min_open=True),
    metavar="HZ",
    help="Cutoff of a low-pass filter for the recording [Hz].",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0.0, min_open=True),
    metavar="HZ",
    help="Sample rate [Hz], if the file has no times.",
)
@deg_option("Angles of the file are in degrees.")
@click.option("--drop-bad-rows", is_flag=True, help="Leave out rows that cannot be read.")
@out_option("torques.png")
@json_option
def torques(
    recording: Path,
    arm: Arm,
    cutoff: float | None,
    rate: float | None,
    deg: bool,
    drop_bad_rows: bool,
    out: Path,
    as_json: bool,
) -> None:
    """Measured torques of a RECORDING against the model's, joint by joint, with the differences.

    The model is the arm of --robot (with its joint effects), --urdf, or the nominal one.
    """
    from baxterkit import plot
    from baxterkit import recording as recordings
    from baxterkit.errors import InputError

    rec = recordings.load(
        recording,
        side=arm.side,
        rate=rate,
        angles="deg" if deg else "rad",
        bad_rows="drop" if drop_bad_rows else "raise",
    )
    notes = show_notes([rec], as_json)
    if cutoff is not None:
        rec = rec.filtered(cutoff)
    if rec.tau is None or rec.qd is None:
        raise InputError(f"{recording} holds no {'torques' if rec.tau is None else 'velocities'}")
    tau, qd = rec.tau, rec.qd
    qdd = rec.qdd if rec.qdd is not None else rec.with_acceleration().qdd
    assert qdd is not None
    predicted = arm.inverse_dynamics(rec.q, qd, qdd)
    rms = np.sqrt(np.mean((tau - predicted) ** 2, axis=0))
    label = "model" if arm.effects is None else "model with joint effects"
    figure = plot.torques(rec, predicted={label: predicted}, title=f"{recording.name}: torques")
    _write(
        figure,
        out,
        as_json,
        f"{len(rec)} samples, RMS difference {' '.join(f'{x:.2f}' for x in rms)} N m",
        side=arm.side,
        samples=len(rec),
        rms=rms,
        notes=notes,
    )
