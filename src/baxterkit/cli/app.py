"""The command group: verbs found by name, errors turned into one line and an exit status."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from baxterkit import __version__
from baxterkit.cli.status import INTERRUPTED, NO_ANSWER, OK, USAGE
from baxterkit.cli.wording import in_options
from baxterkit.errors import BaxterkitError, NoAnswerError, did_you_mean

# Verb -> its line in `baxterkit --help`. The module of the same name holds the command, and is
# imported only when the verb is used, so that every start is quick.
VERBS = {
    "info": "This installation and the arm: backend, versions, limits, configurations.",
    "fk": "Pose of the tip, or of every link, from joint angles.",
    "ik": "Joint angles for a pose, a position or a pointing direction of the tip.",
    "jacobian": "Geometric Jacobian, manipulability and condition at joint angles.",
    "collide": "Whether the robot touches itself, and how far its nearest links are apart.",
    "plan": "A motion of an arm to a goal that touches neither the robot nor obstacles.",
    "dynamics": "Inertia, Coriolis and gravity terms, and the torques of a motion.",
    "dh": "Denavit-Hartenberg table of the arm or of any chain in a URDF file.",
    "tree": "Links and joints of a robot as a tree.",
    "export": "The equations as standalone C, C++, Python, MATLAB, LaTeX, CasADi, ... files.",
    "trajectory": "Motions of an arm: shapes, drawings, waypoints; checked, written, drawn.",
    "identify": "The model of your robot from its recordings: mount, inertias, friction, springs.",
    "workspace": "Maps of what the hands reach: made on one machine or many, drawn, reported.",
    "plot": "Pictures: skeleton, workspace, self-motion, solvers in action, torques.",
    "twin": "A motion in the simulated robot: tracking and torque errors, recordings.",
    "view": "The robot in the browser: drag its hands, slide its elbows, draw paths.",
    "ros": "The robot over ROS: its state, the twin in its place, IK as its service.",
    "reproduce": "Repeats the papers' experiments: paper, ours, verdict, and a report.",
    "demo": "The twin follows a circle under two controllers: numbers and an HTML report.",
    "completion": "Completion of verbs and options for bash, zsh or fish.",
}


class _ReaderGone(Exception):
    """The reader of standard output has closed it."""


class LazyGroup(click.Group):
    """A group whose commands are imported on demand."""

    # Click's `main` exits with status 1 on a broken pipe, so it must not see one.

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Parses the arguments; --help prints here."""
        try:
            return super().make_context(*args, **options)
        except BrokenPipeError as error:
            raise _ReaderGone from error

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the verb."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderGone from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs, in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Imports the verb's module and returns its command; None if there is no such verb."""
        if name not in VERBS:
            return None
        command = import_module(f"baxterkit.cli.{name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the verb, or says which ones there are."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            known = f"{did_you_mean(args[0], VERBS)}available: {', '.join(VERBS)}"
            raise click.UsageError(f"no verb {args[0]!r}; {known}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Completes a verb without importing any."""
        from click.shell_completion import CompletionItem

        if not incomplete.startswith("-"):
            return [
                CompletionItem(name, help=text)
                for name, text in VERBS.items()
                if name.startswith(incomplete)
            ]
        return super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="baxterkit")
@click.pass_context
def group(context: click.Context) -> None:
    """Kinematics, dynamics, control and simulation of the Baxter robot.

    Angles are in radians unless --deg is given, lengths in metres; joints are in the order
    s0 s1 e0 e1 w0 w1 w2. Every verb has --json and --help. The exit status is 0 on success, 1 where
    there is no solution (a pose out of reach, a motion beyond the limits; in a batch: one row or
    more), 2 for invalid input, and 130 after Ctrl-C.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(args: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        args: The arguments after the program's name; the process's own if None.

    Returns:
        The exit status, see `baxterkit.cli.status`; an error is one line on stderr.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal whose encoding lacks ° or ± shows a question mark in its place.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with warnings.catch_warnings():
        warnings.showwarning = _warn
        return _run(args)


def _run(args: Sequence[str] | None) -> int:
    try:
        status = group.main(args=args, prog_name="baxterkit", standalone_mode=False)
        return status if isinstance(status, int) else OK
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "baxterkit"
        return _fail(f"{error.format_message().rstrip('.')} (see: {path} --help)")
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return _fail("stopped", INTERRUPTED)
    except NoAnswerError as error:
        return _fail(in_options(str(error)), NO_ANSWER)
    except BaxterkitError as error:
        return _fail(in_options(str(error)))
    except _ReaderGone:
        # The reader (`| head`) is done. Keep the interpreter from flushing into a closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    return OK


def _warn(message: Warning | str, *_args: object, **_kwargs: object) -> None:
    """Shows a warning as one line on stderr."""
    click.echo(f"Warning: {' '.join(in_options(str(message)).split())}", err=True)


def _fail(message: str, status: int = USAGE) -> int:
    click.echo(f"Error: {' '.join(message.split())}", err=True)
    return status
