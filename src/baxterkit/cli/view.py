"""`baxterkit view`: the robot in the browser."""

from __future__ import annotations

import contextlib
import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from baxterkit.cli.options import IN_FILE, IN_FOLDER, json_option, robot_options, world_option
from baxterkit.cli.serving import say_at_once, stopped_by_signals
from baxterkit.cli.verbs import verb
from baxterkit.model.names import SIDES

if TYPE_CHECKING:
    from baxterkit import Baxter
    from baxterkit.collision.world import World

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Addresses that only this machine reaches; from others a robot can be watched, not moved."""


@verb(
    "view",
    "baxterkit view",
    "baxterkit view --tool electric_standard --open",
    "baxterkit view --robot robot.toml --port 9000",
    "baxterkit view --play recording.csv --play other.bag --side right",
    "baxterkit view --map map.zarr",
)
@robot_options
@click.option(
    "--play",
    "files",
    multiple=True,
    type=IN_FILE,
    help="A recording or a saved trajectory to play; may be given more than once.",
)
@click.option(
    "--side", type=click.Choice(SIDES), default="left", help="Arm for motions that do not name one."
)
@click.option(
    "--meshes",
    type=IN_FOLDER,
    help="Folder baxter_description with Rethink's meshes.  [default: of the package "
    "example-robot-data if it is installed, else capsules]",
)
@click.option(
    "--port", type=int, default=8080, help="Port to start from; the next free one is used."
)
@click.option(
    "--host",
    default="127.0.0.1",
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
    is_flag=False,
    flag_value="",
    help="Show the robot at this ROS master, or at ROS_MASTER_URI, live. It is moved only once "
    "control is taken in the tab Robot, which is there if this machine alone can connect (--host, "
    "--allow-host).",
)
@click.option("--map", "reach", metavar="MAP", help="A map of `baxterkit workspace map` to show.")
@world_option
@click.option("--open/--no-open", "browser", default=False, help="Open a browser if there is one.")
@click.option("--seconds", type=click.FloatRange(min=0.0), help="Stop after this time [s].")
@json_option
def command(
    robot: Baxter | None,
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
        stop = stack.enter_context(stopped_by_signals())
        link = None
        if ros is not None:
            from baxterkit.ros import TwinHardware, topics
            from baxterkit.ros.graph.node import open_node
            from baxterkit.ros.link import RobotLink
            from baxterkit.ros.mirror import Mirror
            from baxterkit.ros.robot.screen import SHOWN, watch_screen
            from baxterkit.ros.steering import Steering

            link = stack.enter_context(RobotLink(ros or None))
        only_here = host in LOOPBACK and not allow_hosts
        made = None if reach is None else open_map(reach)
        if robot is None and link is not None:
            robot = link.robot
        viewer = stack.enter_context(
            Viewer(
                robot,
                host=host,
                port=port,
                motions=motions,
                meshes=meshes or "auto",
                allow_hosts=allow_hosts,
                reach=made,
                live=Steering(link) if link is not None and only_here else None,
            )
        )
        if world is not None:
            viewer.show_world(world)
        facts = {"address": viewer.address, "pid": os.getpid()}
        say_at_once(facts, f"Baxter is at {viewer.address}  (Ctrl-C stops it)", as_json)
        if browser and _has_screen():
            webbrowser.open(viewer.address)
        if link is not None:
            stack.enter_context(Mirror(link, viewer.show_robot))
            twin = link.serial == topics.TWIN_SERIAL
            shown = SHOWN.name if twin else "/robot/xdisplay"
            watch_screen(
                stack.enter_context(open_node("screen", ros or None)), viewer.show_screen, shown
            )
            if twin and only_here:
                viewer.add_hardware(stack.enter_context(TwinHardware(ros or None)))
        stop.wait(seconds)


def _has_screen() -> bool:
    """Whether a browser could open a window: if not, Python might start one in the terminal."""
    return sys.platform != "linux" or bool({"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ))
