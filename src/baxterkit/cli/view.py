"""`baxterkit view`: the robot in the browser."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from baxterkit.cli.options import complete_tool, json_option, whole_robot, world_option
from baxterkit.cli.show import show_json
from baxterkit.cli.verbs import Verb

if TYPE_CHECKING:
    from baxterkit.collision.world import World
    from baxterkit.ros.link import RobotLink
    from baxterkit.viewer.state.live import LiveRobot

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this machine reaches; from others a robot can be watched, not moved."""


@click.command(
    "view",
    cls=Verb,
    examples=(
        "baxterkit view",
        "baxterkit view --tool electric_standard --open",
        "baxterkit view --robot robot.toml --port 9000",
        "baxterkit view --play recording.csv --play other.bag --side right",
        "baxterkit view --map map.zarr",
    ),
)
@click.option(
    "--tool",
    shell_complete=complete_tool,
    help="Tool of both hands: hand, vacuum or electric_{standard,extended}_{narrow,wide}.",
)
@click.option(
    "--urdf",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Take the robot, with its own mounts, from a URDF file.",
)
@click.option(
    "--robot",
    "robot_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Take the arms, as they were identified, from a robot.toml file.",
)
@click.option(
    "--play",
    "files",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A recording or a saved trajectory to play; may be given more than once.",
)
@click.option(
    "--side",
    type=click.Choice(["left", "right"]),
    default="left",
    show_default=True,
    help="Arm for motions that do not name one.",
)
@click.option(
    "--meshes",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder baxter_description with Rethink's meshes.  [default: of the package "
    "example-robot-data if it is installed, else capsules]",
)
@click.option(
    "--port",
    type=int,
    default=8080,
    show_default=True,
    help="Port to start from; the next free one is used.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on. 0.0.0.0 lets the whole network in; there is no password.",
)
@click.option(
    "--allow-host",
    "allow_hosts",
    metavar="NAME",
    multiple=True,
    help="A further host name that browsers may use, such as a proxy's; may be given repeatedly.",
)
@click.option(
    "--ros",
    metavar="MASTER",
    help="Show the robot at this ROS master, live. It is moved only once it is armed in the tab "
    "Robot, which is there if this machine alone can connect (--host, --allow-host).",
)
@click.option("--map", "reach", metavar="MAP", help="A map of `baxterkit workspace map` to show.")
@world_option
@click.option("--open/--no-open", "browser", default=False, help="Open a browser if there is one.")
@click.option("--seconds", type=click.FloatRange(min=0.0), help="Stop after this time [s].")
@json_option
def command(
    tool: str | None,
    urdf: Path | None,
    robot_file: Path | None,
    files: tuple[Path, ...],
    side: str,
    meshes: Path | None,
    port: int,
    host: str,
    allow_hosts: tuple[str, ...],
    ros: str | None,
    reach: str | None,
    world: World | None,
    browser: bool,
    seconds: float | None,
    as_json: bool,
) -> None:
    """The robot in the browser: drag its hands, slide its elbows, see limits and torques.

    Prints the address to open, and serves it until Ctrl-C. Needs the extra [viewer].
    """
    from baxterkit.viewer import Viewer, load_motion
    from baxterkit.workspace import open_map

    motions = [load_motion(path, side) for path in files]
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(_stopped_by_signals())
        link = None if ros is None else stack.enter_context(_linked(ros))
        only_here = host in LOOPBACK and not allow_hosts
        given = link is None or any((urdf, robot_file, tool))
        robot = whole_robot(urdf, robot_file, tool) if given or link is None else link.robot
        made = None if reach is None else open_map(reach)
        if made is not None and link is None and not any((urdf, robot_file, tool)):
            robot = made.scene.robot
        viewer = stack.enter_context(
            Viewer(
                robot,
                host=host,
                port=port,
                motions=motions,
                meshes=meshes or "auto",
                allow_hosts=allow_hosts,
                reach=made,
                live=_steering(link) if link is not None and only_here else None,
            )
        )
        if world is not None:
            viewer.show_world(world)
        if as_json:
            show_json({"address": viewer.address, "pid": os.getpid()})
        else:
            click.echo(f"Baxter is at {viewer.address}  (Ctrl-C stops it)")
        if browser and _has_screen():
            webbrowser.open(viewer.address)
        if link is not None:
            from baxterkit.ros.mirror import Mirror

            stack.enter_context(Mirror(link, viewer.show_posture))
        stop.wait(seconds)


def _linked(master: str) -> RobotLink:
    from baxterkit.ros.link import RobotLink

    return RobotLink(master or None)


def _steering(link: RobotLink) -> LiveRobot:
    from baxterkit.ros.steering import Steering

    return Steering(link)


def _has_screen() -> bool:
    """Whether a browser could open a window: if not, Python might start one in the terminal."""
    return sys.platform != "linux" or bool({"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ))


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; their former handlers are restored afterwards."""
    stop = threading.Event()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: stop.set()) for number in numbers]
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
