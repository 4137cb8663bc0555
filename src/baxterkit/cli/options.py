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
from baxterkit.cli.posture import PostureOption
from baxterkit.cli.words import numbers, plain
from baxterkit.errors import InputError, ModelError

if TYPE_CHECKING:
    from baxterkit import Baxter
    from baxterkit.collision import World

Function = TypeVar("Function", bound=Callable[..., object])

POSES = ("neutral", "tuck", "untuck")


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
        help="hand, vacuum, electric_{standard,extended}_{narrow,wide} or a .urdf. [default: hand]",
    )
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
        if urdf is not None and robot is not None:
            raise click.UsageError("give one of --urdf and --robot")
        if robot is not None:
            arm = arm_of_file(robot, side, tool)
        elif urdf is not None:
            arm = Arm.from_urdf(urdf, side, None if tool is None else read_tool(tool))
        else:
            arm = Arm(side, read_tool(tool or "hand"))
        return function(*args, arm=arm, **kwargs)

    return wrapper  # type: ignore[return-value]


def urdf_option(function: Function) -> Function:
    """Adds --urdf."""
    option = click.option(
        "--urdf",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="Take the arm, with its robot's own mount, from a URDF file.",
    )
    return option(function)


def of_option(function: Function) -> Function:
    """Adds --of."""
    option = click.option(
        "--of", metavar="FRAME", help="Another frame than the tip, such as left_hand_camera."
    )
    return option(function)


def read_tool(tool: str) -> str | Tool:
    """A tool by name, or from the URDF file of that name."""
    return Tool.from_urdf(Path(tool)) if tool.lower().endswith((".urdf", ".xml")) else tool


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
    return arm if tool is None else arm.replace(tool=read_tool(tool))


def whole_robot(urdf: Path | None, robot: Path | None, tool: str | None) -> Baxter:
    """Both arms that --urdf, --robot and --tool describe; nominal by default."""
    if urdf is not None and robot is not None:
        raise click.UsageError("give one of --urdf and --robot")
    from baxterkit import Baxter

    both = Baxter()
    if urdf is not None:
        both = Baxter.from_urdf(urdf)
    elif robot is not None:
        both = Baxter.from_file(robot)
    if tool is not None:
        new = read_tool(tool)
        both = Baxter(both.left.replace(tool=new), both.right.replace(tool=new))
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


def read_world(ctx: click.Context, param: click.Parameter, path: Path | None) -> World | None:
    """The world of a file."""
    if path is None:
        return None
    from baxterkit.collision import World

    return World.load(path)


def world_option(function: Function) -> Function:
    """Adds --world."""
    option = click.option(
        "--world",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        callback=read_world,
        help="Obstacles from a file of World.save, such as lab.toml.",
    )
    return option(function)


def json_option(function: Function) -> Function:
    """Adds --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def deg_option(text: str) -> Callable[[Function], Function]:
    """Adds --deg; `text` says which angles it affects."""
    return click.option("--deg", is_flag=True, help=text)
