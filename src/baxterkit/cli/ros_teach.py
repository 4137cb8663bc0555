"""`baxterkit ros teach`, `replay`, `teleop`, `calibrate-gripper`: taught, and led from afar."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from baxterkit.cli.options import IN_FILE, OutFile, json_option, out_option, world_option
from baxterkit.cli.serving import FOR, MASTER, say_at_once, stopped_by_signals
from baxterkit.cli.show import say
from baxterkit.cli.status import without_answer
from baxterkit.cli.verbs import verb
from baxterkit.errors import InputError
from baxterkit.model.names import SIDES

if TYPE_CHECKING:
    from baxterkit.collision import World
    from baxterkit.servo import Gamepad, Goal, Keyboard

SPEED = 0.15
"""Speed of the hand [m/s] unless told otherwise."""


@verb(
    "teach",
    "baxterkit ros teach wave.json --master http://robot.local:11311",
    "baxterkit ros teach pick.json --side left",
)
@click.argument("lesson", type=OutFile())
@MASTER
@click.option("--side", type=click.Choice(SIDES), help="The arm; those that move if not given.")
@FOR
@json_option
def teach_command(
    lesson: Path, master: str | None, side: str | None, seconds: float | None, as_json: bool
) -> None:
    """Records a motion that is taught by hand, with its grippers; nothing moves by itself.

    Squeeze a cuff and lead the arm. The circle on the cuff opens the gripper, the dash closes it,
    and the navigator's OK button marks a waypoint. Ctrl-C ends it.
    """
    from baxterkit.lesson.files import lesson_path
    from baxterkit.ros import RobotLink

    lesson_path(lesson)  # before the work
    with RobotLink(master) as link:
        link.enable()
        with link.teach(side, lesson.stem) as taught, stopped_by_signals() as stop:
            if not as_json:
                say_at_once({}, "squeeze a cuff and lead the arm; Ctrl-C ends it", False)
            stop.wait(seconds)
    taught.save(lesson)
    facts = {"lesson": str(lesson), "sides": taught.sides, "seconds": taught.duration,
             "waypoints": taught.waypoints, "notes": taught.notes}  # fmt: skip
    say_at_once(facts, "\n".join([repr(taught)[1:-1], *taught.notes]), as_json)


@verb(
    "replay",
    "baxterkit ros replay wave.json --speed 0.5",
    "baxterkit ros replay wave.json --mirrored --world lab.toml",
)
@click.argument("lesson", type=IN_FILE)
@MASTER
@click.option("--speed", default=0.5, help="Share of the taught speed, above 0 to 1.")
@click.option("--mirrored", is_flag=True, help="With the other arm.")
@world_option
@json_option
def replay_command(
    lesson: Path,
    master: str | None,
    speed: float,
    mirrored: bool,
    world: World | None,
    as_json: bool,
) -> None:
    """Enables the robot and replays a lesson: the arm goes to its start, then along its path.

    Hands, limits and the whole path are checked before anything moves. Hold the emergency stop.
    """
    from baxterkit.lesson import Lesson
    from baxterkit.ros import RobotLink

    given = Lesson.load(lesson)
    with RobotLink(master, world=world) as link:
        link.enable()
        result = (given.mirrored() if mirrored else given).replay(link, speed=speed)
    facts = {"succeeded": bool(result), "reason": result.reason}
    say(facts, "replayed" if result else result.reason, as_json)
    if not result:
        without_answer()


@verb(
    "teleop",
    "baxterkit ros teleop --side both --master http://robot.local:11311",
    "baxterkit ros teleop --gamepad /dev/input/js0 --world lab.toml -o reach.json",
)
@MASTER
@click.option("--side", type=click.Choice((*SIDES, "both")), default="left", help="Hand.")
@click.option("--gamepad", metavar="FILE", help="A gamepad, as /dev/input/js0, not the keyboard.")
@click.option("--speed", default=SPEED, help="Greatest speed of the hand [m/s], at most 1.")
@world_option
@out_option(help="File of the lesson (.json) to write: what was done, to be replayed.")
@FOR
@json_option
def teleop_command(
    master: str | None,
    side: str,
    gamepad: str | None,
    speed: float,
    world: World | None,
    out: Path | None,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Enables the robot; a keyboard or a gamepad then moves its hands.

    They keep off the robot's own body and the obstacles of --world, slow down before limits, and
    rest when the device is silent or gone. Hold the emergency stop.
    """
    from baxterkit.lesson.files import lesson_path
    from baxterkit.ros import RobotLink
    from baxterkit.servo import Jogging, ServoSettings
    from baxterkit.servo.devices import KEY_HELP, PAD_HELP

    settings = ServoSettings(speed=speed)
    if out is not None:
        lesson_path(out)  # before the work
    with ExitStack() as stack:
        device = _device(gamepad, speed)
        stack.callback(device.close)
        link = stack.enter_context(RobotLink(master, world=world))
        link.enable()
        stop = stack.enter_context(stopped_by_signals())
        if not as_json:
            say_at_once({}, KEY_HELP if gamepad is None else PAD_HELP, False)
        jogging = Jogging(device, link, side, None if as_json else click.echo)

        def source(t: float) -> dict[str, Goal]:
            if stop.is_set():
                raise StopIteration
            return jogging(t)

        with link.teach(None, out.stem) if out is not None else nullcontext() as taught:
            result = link.servo(source, side, seconds=seconds, settings=settings)
    if taught is not None and out is not None:
        taught.save(out)
    notes = [str(note) for note in result.notes]
    facts = {"seconds": result.duration, "rate": result.rate, "notes": notes}
    say_at_once(facts, "\n".join([f"{result.duration:.1f} s at {result.rate:.0f} Hz", *notes]),
                as_json)  # fmt: skip


@verb(
    "calibrate-gripper",
    "baxterkit ros calibrate-gripper",
    "baxterkit ros calibrate-gripper --side left --master http://robot.local:11311",
)
@MASTER
@click.option("--side", type=click.Choice(SIDES), help="The hand; all with fingers if not given.")
@json_option
def calibrate_command(master: str | None, side: str | None, as_json: bool) -> None:
    """Enables the robot and calibrates its grippers: the fingers open and close.

    An electric gripper needs it once after power-on, before it obeys. The hands must be empty.
    """
    from baxterkit.ros import RobotLink

    with RobotLink(master) as link:
        link.enable()
        sides = (
            [each for each in SIDES if link.limb(each).opening is not None]
            if side is None
            else [side]
        )
        for each in sides:
            link.limb(each).calibrate_gripper()
    if not sides:
        raise InputError("no hand of this robot has fingers that move")
    say_at_once({"calibrated": sides}, f"calibrated: {' and '.join(sides)}", as_json)


def _device(gamepad: str | None, speed: float) -> Keyboard | Gamepad:
    from baxterkit.servo import Gamepad, Keyboard

    if gamepad is not None:
        return Gamepad(gamepad, speed=speed)
    try:
        return Keyboard()
    except (InputError, ValueError, OSError) as error:  # also a closed or replaced standard input
        raise InputError(
            "the standard input is no terminal, so no keys can be read from it; start it in one, "
            "or give --gamepad /dev/input/js0"
        ) from error


COMMANDS = (teach_command, replay_command, teleop_command, calibrate_command)
