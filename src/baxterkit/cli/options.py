"""What the verbs share on their input side: options, and joint angles from every source."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from baxterkit import Arm, Baxter, Payload, disk
from baxterkit.cli.posture import PostureOption, gathered
from baxterkit.errors import InputError, ModelError, UnknownNameError, shortened
from baxterkit.model.names import JOINTS, from_message
from baxterkit.types import Array, JointVector

Function = TypeVar("Function", bound=Callable[..., Any])

POSES = ("neutral", "tuck", "untuck")

_MINUS = "−"  # stands in for a minus sign, so that click takes no negative number for an option
_NEGATIVE = re.compile(r"-\.?\d.*")


class Verb(click.Command):
    """A command with examples in its help, whose arguments may be negative numbers.

    Args:
        examples: Lines to type, shown as they are at the end of the help.
        **options: As for `click.Command`.
    """

    def __init__(self, *, examples: Sequence[str], **options: Any) -> None:
        super().__init__(**options)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"  {example}\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hides minus signs of numbers from click's option parser, but for options' values."""
        postures = {
            name for item in self.params if isinstance(item, PostureOption) for name in item.opts
        }
        args = gathered(args, postures)
        takes = {
            name: option.nargs
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        hidden, values = [], 0
        for arg in args:
            is_value = values > 0
            values = values - 1 if is_value else takes.get(arg, 0)
            hide = not is_value and _NEGATIVE.fullmatch(arg)
            hidden.append(_MINUS + arg[1:] if hide else arg)
        try:
            return super().parse_args(ctx, hidden)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # its help is the one to see
            raise


class VerbGroup(click.Group):
    """A verb with parts, as `baxterkit plot workspace`; its help lists them and their examples.

    Make one with `@click.group("plot", cls=VerbGroup)`, and its parts with
    `@command.command("workspace", cls=Verb, examples=(...))`.
    """

    @property
    def examples(self) -> tuple[str, ...]:
        """The examples of all parts."""
        parts = (part for part in self.commands.values() if isinstance(part, Verb | VerbGroup))
        return tuple(example for part in parts for example in part.examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without a part, shows the help as `baxterkit` alone does."""
        return super().parse_args(ctx, args or ["--help"])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The parts, in the order they were written."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the parts with the first sentence of their help."""
        parts = self.commands.items()
        with formatter.section("Parts"):
            formatter.write_dl([(name, part.get_short_help_str(limit=200)) for name, part in parts])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"  {example}\n")
            formatter.write(
                "\n  Every one of them takes --json, and explains itself with --help.\n"
            )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the part, or says which ones there are."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            known = ", ".join(self.commands)
            raise click.UsageError(f"no {self.name} {args[0]!r}; available: {known}", ctx)
        return super().resolve_command(ctx, args)


class OutFile(click.Path):
    """A file to write: its folder must be there and take it, which is seen before the work."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        disk.check_target(path)
        return path


@dataclass(frozen=True)
class JointInput:
    """Joint angles as the user gave them.

    Attributes:
        q: Joint positions [rad], shape (7,), or (n, 7) for a batch.
        is_batch: Whether they came as rows of a file or of standard input.
    """

    q: JointVector
    is_batch: bool


def complete_tool(ctx: click.Context, param: click.Parameter, start: str) -> list[str]:
    """The names of the tools."""
    from baxterkit.model.library import load_baxter

    return [name for name in load_baxter().tools if name.startswith(start)]


def complete_from(names: Iterable[str], *, files: bool = False) -> Callable[..., list[Any]]:
    """A completer of words that the verb itself checks.

    Args:
        names: The words.
        files: Whether a file will do too; it is offered where no word fits.
    """

    def complete(ctx: click.Context, param: click.Parameter, start: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        # The files come first: bash forgets what was before them.
        found = [CompletionItem(start, type="file")] if files else []
        return [*found, *(CompletionItem(name) for name in names if name.startswith(start))]

    return complete


def side_option(function: Function) -> Function:
    """Adds --side."""
    sides = click.Choice(["left", "right"])
    option = click.option("--side", type=sides, default="left", show_default=True, help="Arm.")
    return option(function)


def arm_options(function: Function) -> Function:
    """Adds --side, --tool, --urdf and --robot, and passes the arm they describe as `arm`."""

    @side_option
    @click.option(
        "--tool",
        default=None,
        shell_complete=complete_tool,
        help="hand, electric_standard, electric_extended or vacuum.  [default: hand]",
    )
    @click.option(
        "--urdf",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="Take the arm, and the mount that this robot was measured with, from a URDF file.",
    )
    @robot_option
    @functools.wraps(function)
    def wrapper(
        *args: Any,
        side: str,
        tool: str | None,
        urdf: Path | None,
        robot: Path | None,
        **kwargs: Any,
    ) -> Any:
        if urdf is not None and robot is not None:
            raise click.UsageError("give one of --urdf and --robot")
        if robot is not None:
            arm = arm_of_file(robot, side, tool)
        elif urdf is not None:
            arm = Arm.from_urdf(urdf, side, tool)
        else:
            arm = Arm(side, tool or "hand")
        return function(*args, arm=arm, **kwargs)

    return wrapper  # type: ignore[return-value]


def robot_option(function: Function) -> Function:
    """Adds --robot."""
    option = click.option(
        "--robot",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="Take the arm, as it was identified, from a robot.toml file.",
    )
    return option(function)


def arm_of_file(robot: Path, side: str, tool: str | None) -> Arm:
    """The arm of a robot file, with another tool if one is given."""
    arm = _arm_of_file(robot, side)
    return arm if tool is None else arm.replace(tool=tool)


def whole_robot(urdf: Path | None, robot: Path | None, tool: str | None) -> Baxter:
    """Both arms that --urdf, --robot and --tool describe; nominal where they say nothing."""
    if urdf is not None and robot is not None:
        raise click.UsageError("give one of --urdf and --robot")
    both = Baxter()
    if urdf is not None:
        both = Baxter.from_urdf(urdf)
    elif robot is not None:
        both = Baxter.from_file(robot)
    if tool is not None:
        both = Baxter(both.left.replace(tool=tool), both.right.replace(tool=tool))
    return both


def _arm_of_file(robot: Path, side: str) -> Arm:
    """The arm of a robot file; the only one if --side was not given."""
    context = click.get_current_context()
    if context.get_parameter_source("side") is click.core.ParameterSource.DEFAULT:
        with contextlib.suppress(ModelError):
            return Arm.from_file(robot)
    return Arm.from_file(robot, side)


def loaded_arm_options(function: Function) -> Function:
    """Adds what `arm_options` adds, and --payload, which `arm` then carries."""

    @arm_options
    @click.option(
        "--payload",
        metavar="MASS[,X,Y,Z]",
        help="What the tip carries [kg], and where its centre of mass is [m, tip frame].",
    )
    @functools.wraps(function)
    def wrapper(*args: Any, arm: Arm, payload: str | None, **kwargs: Any) -> Any:
        if payload is not None:
            values = numbers(payload)
            if values is None or len(values) not in (1, 4):
                raise InputError(
                    f"--payload is MASS or MASS,X,Y,Z in kg and m, got {plain(payload)!r}"
                )
            mass, *com = values
            arm = arm.replace(payload=Payload(mass, np.array(com)) if com else Payload(mass))
        return function(*args, arm=arm, **kwargs)

    return wrapper  # type: ignore[return-value]


def posture_option(*names: str, help: str) -> Callable[[Function], Function]:
    """Adds an option that holds a posture: the name of a pose, or seven numbers."""
    complete = complete_from(POSES)
    return click.option(*names, cls=PostureOption, help=help, shell_complete=complete)


def joint_argument(function: Function) -> Function:
    """Adds the argument Q: seven numbers, the name of a pose, a CSV file, or - for stdin."""
    argument = click.argument(
        "q",
        nargs=-1,
        required=True,
        metavar="Q...",
        shell_complete=complete_from(POSES, files=True),
    )
    return argument(function)


def json_option(function: Function) -> Function:
    """Adds --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def deg_option(text: str) -> Callable[[Function], Function]:
    """Adds --deg; `text` says which angles it is about."""
    return click.option("--deg", is_flag=True, help=text)


def read_joints(arm: Arm, words: Sequence[str], deg: bool) -> JointInput:
    """Joint angles from the words of the command line.

    Args:
        arm: The arm; it knows the names of the poses and joints.
        words: Seven numbers (spaces or commas between), the name of a pose, a file of rows, or "-".
        deg: Whether numbers are in degrees.

    Returns:
        The angles [rad].

    Raises:
        InputError: If the words are none of these.
    """
    text = plain(" ".join(words)).strip()
    scale = np.pi / 180.0 if deg else 1.0
    if text == "-":
        return JointInput(scale * read_rows(text, arm.side), is_batch=True)
    values = numbers(text)
    if values is not None:
        if len(values) != len(JOINTS):
            raise InputError(f"7 joint angles are needed ({' '.join(JOINTS)}), got {len(values)}")
        return JointInput(scale * np.array(values), is_batch=False)
    if len(words) == 1 and ("." in text or "/" in text or os.path.exists(text)):
        return JointInput(scale * read_rows(text, arm.side), is_batch=True)
    if len(words) == 1:
        try:
            return JointInput(np.array(arm.pose(text)), is_batch=False)
        except UnknownNameError as error:
            raise InputError(f"{error}; or give 7 numbers, a file, or - for stdin") from error
    wrong = next(word for word in text.replace(",", " ").split() if numbers(word) is None)
    raise InputError(f"{wrong!r} is not a number; Q is 7 numbers, a pose's name, a file, or -")


def read_posture(arm: Arm, text: str | None, name: str, deg: bool = False) -> JointVector | None:
    """The joint angles [rad] of an option with a posture, shape (7,); None if it was not given.

    Raises:
        InputError: If the option, `name`, holds neither a pose's name nor seven numbers.
    """
    if text is None:
        return None
    values = numbers(text)
    if values is None:
        wrong = [word for word in text.replace(",", " ").split() if numbers(word) is None]
        if wrong and "," in text:
            raise InputError(f"{name}: {wrong[0]!r} is not a number")
        try:
            return np.array(arm.pose(text))
        except UnknownNameError as error:
            raise InputError(f"{name}: {error}; or give 7 numbers") from error
    if len(values) != len(JOINTS):
        order = " ".join(JOINTS)
        raise InputError(f"{name}: 7 joint angles are needed ({order}), got {len(values)}")
    return (np.pi / 180.0 if deg else 1.0) * np.array(values)


def read_rows(source: str, side: str) -> JointVector:
    """Rows of joint angles from a file or standard input; see `read_table`.

    Columns with names are found by the joints' names (`s0`, `left_s0`), in whatever order, as the
    robot's own messages and recorders write them; other columns (time, the other arm, gripper) are
    left out.

    Args:
        source: A path, or "-".
        side: The arm whose columns are wanted.

    Returns:
        The values, shape (n, 7), order s0 s1 e0 e1 w0 w1 w2.

    Raises:
        InputError: If a row is not numbers, one for each column; names the line.
    """
    header, rows = read_table(source, JOINTS)
    if not len(rows):
        raise InputError(f"{source_name(source)} holds no joint angles")
    names = [f"{side}_{name}" if name in JOINTS else name for name in header]
    return from_message(side, names, rows)


def read_table(source: str, columns: Sequence[str]) -> tuple[tuple[str, ...], Array]:
    """Rows of numbers, commas or spaces between them, from a file or standard input.

    A first line without any number names the columns. Empty lines and those that start with # are
    skipped.

    Args:
        source: A path, or "-" for standard input.
        columns: Names of the columns where the first line does not tell.

    Returns:
        The names of the columns, and the values, shape (n, columns).

    Raises:
        InputError: If the source is no text, or a row is not numbers, one for each column; names
            the line.
    """
    name = source_name(source)
    text = disk.decoded(_standard_input(), name) if source == "-" else disk.read_text(source)
    header = tuple(columns)
    rows = array("d")
    is_first = True
    for i, line in enumerate(disk.lines_of(text), start=1):
        words = line.replace(",", " ").split()
        if not words or words[0].startswith("#"):
            continue
        wrong = [word for word in words if numbers(word) is None]
        if is_first and len(wrong) == len(words):
            header = tuple(words)
        elif wrong:
            raise InputError(f"{name}, line {i}: {shortened(repr(wrong[0]))} is not a number")
        elif len(words) != len(header):
            raise InputError(f"{name}, line {i}: {len(header)} numbers expected, got {len(words)}")
        else:
            rows.extend(float(plain(word)) for word in words)
        is_first = False
    return header, np.array(rows).reshape(-1, len(header))


def _standard_input() -> bytes:
    """What comes in on standard input, as bytes: its encoding depends on the machine."""
    limit = disk.limit_bytes()
    data = disk.read_stream(sys.stdin.buffer, limit)
    if len(data) > limit:
        raise InputError(f"stdin: {disk.too_large('more than that came in', limit)}")
    return data


def source_name(source: str) -> str:
    """What messages call a source of rows."""
    return "stdin" if source == "-" else source


def numbers(text: str) -> list[float] | None:
    """The numbers of a line or option; None if it holds anything else."""
    try:
        return [float(word) for word in plain(text).replace(",", " ").split()]
    except ValueError:
        return None


def plain(text: str) -> str:
    """A word of the command line with its minus signs back."""
    return text.replace(_MINUS, "-")
