"""The options that verbs share: which arm, which robot, which files, which units."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import numpy as np

from baxterkit import Arm, Payload, Tool, disk
from baxterkit.cli.configuration import ConfigurationOption
from baxterkit.cli.words import numbers, plain
from baxterkit.errors import InputError, ModelError
from baxterkit.model.names import SIDES, other_side

if TYPE_CHECKING:
    from baxterkit import Baxter
    from baxterkit.collision import World

Function = TypeVar("Function", bound=Callable[..., object])

POSES = ("neutral", "tuck", "untuck")
IN_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
IN_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


class OutFile(click.Path):
    """A file to write: its folder must exist and be writable, which is checked before the work.

    Args:
        folders: Whether it may be a folder that exists.
    """

    def __init__(self, folders: bool = False) -> None:
        super().__init__(path_type=Path)
        self._folders = folders

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not (self._folders and path.is_dir()):
            disk.check_target(path)
        return path


def out_option(
    default: str | None = None, help: str = "File to write: .png, .svg or .pdf."
) -> Callable[[Function], Function]:
    """Adds -o/--out."""
    path = None if default is None else Path(default)
    return click.option("-o", "--out", type=OutFile(), default=path, help=help)


def complete_tool(ctx: click.Context, param: click.Parameter, start: str) -> list[str]:
    """The names of the tools."""
    from baxterkit.model.library import load_baxter

    return [name for name in load_baxter().tools if name.startswith(start)]


def complete_from(names: Iterable[str], *, files: bool = False) -> Callable[..., list[Any]]:
    """A completer of words that the verb itself checks.

    Args:
        names: The words.
        files: Whether file names are valid too; they are offered where no word fits.
    """

    def complete(ctx: click.Context, param: click.Parameter, start: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        # The files come first: bash drops the candidates before them.
        found = [CompletionItem(start, type="file")] if files else []
        return [*found, *(CompletionItem(name) for name in names if name.startswith(start))]

    return complete


def read_world(ctx: click.Context, param: click.Parameter, path: Path | None) -> World | None:
    """The world of a file."""
    if path is None:
        return None
    from baxterkit.collision import World

    return World.load(path)


side_option = click.option("--side", type=click.Choice(SIDES), default="left", help="Arm.")
tool_option = click.option(
    "--tool",
    shell_complete=complete_tool,
    help="hand, vacuum, electric_{standard,extended}_{narrow,wide} or a .urdf, in both hands where "
    "both arms count.  [default: hand, or the file's]",
)
other_tool_option = click.option(
    "--other-tool",
    shell_complete=complete_tool,
    help="Tool in the other hand.  [default: as --tool, or the file's]",
)
urdf_option = click.option(
    "--urdf", type=IN_FILE, help="Take the arms, with their robot's own mounts, from a URDF file."
)
robot_option = click.option(
    "--robot", type=IN_FILE, help="Take the arms, as they were identified, from a robot.toml file."
)
of_option = click.option(
    "--of", metavar="FRAME", help="Another frame than the tip, such as left_hand_camera."
)
world_option = click.option(
    "--world",
    type=IN_FILE,
    callback=read_world,
    help="Obstacles from a file of World.save, such as lab.toml, or a .scene, .urdf or .sdf.",
)
margin_option = click.option(
    "--margin",
    type=float,
    default=0.0,
    help="Safety margin [m]: anything closer counts as a collision.",
)
seed_option = click.option("--seed", type=int, default=0, help="Random seed.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
joint_argument = click.argument(
    "q",
    nargs=-1,
    required=True,
    metavar="Q...",
    shell_complete=complete_from(POSES, files=True),
)
"""The argument Q: seven numbers, the name of a configuration, a CSV file, or - for stdin."""


def deg_option(text: str) -> Callable[[Function], Function]:
    """Adds --deg; `text` says which angles it affects."""
    return click.option("--deg", is_flag=True, help=text)


def configuration_option(name: str, help: str) -> Callable[[Function], Function]:
    """Adds an option that holds a configuration: the name of a configuration, or seven numbers."""
    complete = complete_from(POSES)
    return click.option(name, cls=ConfigurationOption, help=help, shell_complete=complete)


def joints_option(name: str, metavar: str, help: str) -> Callable[[Function], Function]:
    """Adds an option that holds seven numbers of the joints, or a file of rows."""
    return click.option(name, cls=ConfigurationOption, metavar=metavar, help=help)


def arm_options(function: Function) -> Function:
    """Adds --side, --tool, --urdf and --robot, and passes the arm they describe as `arm`."""

    @side_option
    @tool_option
    @urdf_option
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
        need_one(urdf, robot)
        if robot is not None:
            arm = arm_of_file(robot, side, tool)
        elif urdf is not None:
            arm = Arm.from_urdf(urdf, side, None if tool is None else read_tool(tool))
        else:
            arm = Arm(side, read_tool(tool or "hand"))
        return function(*args, arm=arm, **kwargs)

    return wrapper  # type: ignore[return-value]


def robot_options(function: Function) -> Function:
    """Adds --tool, --urdf and --robot; passes both arms as `robot`, None if none was given."""

    @tool_option
    @urdf_option
    @robot_option
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        names = ("urdf", "robot", "tool")
        given = [kwargs.pop(name) for name in names]
        robot = None if given == [None] * 3 else whole_robot(noted=False)
        return function(*args, robot=robot, **kwargs)

    return wrapper  # type: ignore[return-value]


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
            held = arm.model.payload
            if held is not None:
                click.echo(f"Note: --payload replaces the {held.mass:g} kg of the file", err=True)
            arm = arm.replace(payload=Payload(mass, np.array(com)) if com else Payload(mass))
        return function(*args, arm=arm, **kwargs)

    return wrapper  # type: ignore[return-value]


def need_one(urdf: Path | None, robot: Path | None) -> None:
    """Refuses --urdf together with --robot."""
    if urdf is not None and robot is not None:
        raise click.UsageError("give one of --urdf and --robot")


def read_tool(tool: str) -> str | Tool:
    """A tool by name, or from the URDF file of that name."""
    return Tool.from_urdf(Path(tool)) if tool.lower().endswith((".urdf", ".xml")) else tool


def arm_of_file(robot: Path, side: str, tool: str | None) -> Arm:
    """The arm of a robot file, the only one if --side was not given; with another tool if given."""
    arm = None
    if not was_given("side"):
        with contextlib.suppress(ModelError):
            arm = Arm.from_file(robot)
    arm = arm or Arm.from_file(robot, side)
    return arm if tool is None else _with_tool(arm, tool, robot)


def _with_tool(arm: Arm, tool: str, robot: Path | None) -> Arm:
    """The arm of a robot file with another tool; a note reports that it replaces the file's."""
    new = arm.replace(tool=read_tool(tool))
    if robot is not None and arm.tool.name not in ("hand", new.tool.name):
        text = f"--tool replaces {plain(arm.tool.name)}, which {robot} has in the {arm.side} hand"
        click.echo(f"Note: {text}", err=True)
    return new


def side_of_file(side: str) -> str:
    """The arm of --side, which a --robot file must hold; its only one if --side was not given."""
    robot = click.get_current_context().params["robot"]
    return side if robot is None else arm_of_file(robot, side, None).side


def note_nominal() -> None:
    """Says which arm a --robot file lacks, where the verb is about both: that one is nominal."""
    robot = click.get_current_context().params["robot"]
    if robot is None:
        return
    from baxterkit.robot_file import read_arms

    for side in set(SIDES) - set(read_arms(robot)):
        click.echo(f"Note: {robot} does not hold the {side} arm; a nominal one stands in", err=True)


def whole_robot(noted: bool = True) -> Baxter:
    """Both arms that the verb's --urdf, --robot and --tool describe; nominal by default.

    Args:
        noted: Whether it was noted before that --tool replaces a tool of the file.
    """
    from baxterkit import Baxter

    given = click.get_current_context().params
    urdf, robot, tool = given["urdf"], given["robot"], given["tool"]
    need_one(urdf, robot)
    both = Baxter()
    if urdf is not None:
        both = Baxter.from_urdf(urdf)
    elif robot is not None:
        both = Baxter.from_file(robot)
    if tool is not None:
        from_file = None if noted else robot
        left, right = (_with_tool(arm, tool, from_file) for arm in (both.left, both.right))
        both = both.replace(left=left, right=right)
    return both


def robot_of(arm: Arm, other_tool: str | None = None) -> Baxter:
    """Both arms: the one that `arm_options` made, and the other of the same robot.

    Args:
        arm: The arm of --side.
        other_tool: Tool in the other hand; that of --tool or of the file if None.
    """
    both = whole_robot()
    if other_tool is not None:
        other = both.arm(other_side(arm.side))
        both = both.replace(**{other.side: other.replace(tool=read_tool(other_tool))})
    return both.replace(**{arm.side: arm})


def hands_of(robot: Baxter) -> str:
    """What is on both hands, for the output: "left electric_standard_narrow, right bare"."""
    tools = ((arm.side, arm.tool.name) for arm in (robot.left, robot.right))
    return ", ".join(f"{side} {'bare' if name == 'hand' else plain(name)}" for side, name in tools)


def was_given(name: str) -> bool:
    """Whether an option of the verb was given, and not left at its default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not click.core.ParameterSource.DEFAULT
