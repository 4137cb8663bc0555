"""`baxterkit ros twin`: the simulated robot on a real robot's topics."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from baxterkit.cli.options import IN_FILE, json_option, world_option
from baxterkit.cli.serving import FOR, MASTER, say_at_once, serve
from baxterkit.cli.show import say_list
from baxterkit.cli.verbs import verb

if TYPE_CHECKING:
    from baxterkit.collision import World
    from baxterkit.ros.graph.own_master import OwnMaster


@verb(
    "twin",
    "baxterkit ros twin",
    "baxterkit ros twin --start tuck --tool electric_standard",
    "baxterkit ros twin --fault estop_pressed",
)
@MASTER
@click.option("--robot", type=IN_FILE, help="Robot file of the twin.")
@click.option("--tool", help="Tool of both hands, such as electric_standard.")
@click.option("--start", default="untuck", help="Configuration in which the arms start.")
@click.option("--enabled", is_flag=True, help="Enabled from the start.")
@click.option("--seed", type=int, default=0, help="Seed of the sensors' noise.")
@click.option(
    "--enables-tucked",
    is_flag=True,
    help="Tucked arms do not keep it from being enabled: as documented, not as seen.",
)
@click.option(
    "--no-trajectory-action",
    "trajectory_action",
    is_flag=True,
    flag_value=False,
    default=True,
    show_default=False,
    help="Serve no follow_joint_trajectory.",
)
@click.option(
    "--strict-action",
    is_flag=True,
    help="Trajectories must begin where the arm is, as Rethink's server has it.",
)
@click.option(
    "--no-cameras",
    "cameras",
    is_flag=True,
    flag_value=False,
    default=True,
    show_default=False,
    help="Serve no cameras.",
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME",
    help="A fault that the twin has, for the doctor to find; 'list' shows them all.",
)
@world_option
@FOR
@json_option
def twin_command(
    master: str | None,
    robot: Path | None,
    tool: str | None,
    start: str,
    enabled: bool,
    seed: int,
    world: World | None,
    seconds: float | None,
    as_json: bool,
    cameras: bool,
    faults: tuple[str, ...],
    **choices: bool,
) -> None:
    """Serves the simulated robot on a real robot's topics, services and parameters.

    Where no ROS master answers at an address of this machine, one is started there: ROS need not be
    installed.
    """
    from baxterkit.ros.graph.node import master_uri
    from baxterkit.ros.graph.rosout import Rosout
    from baxterkit.ros.robot.behaviour import Behaviour
    from baxterkit.ros.robot.camera_process import CameraProcess
    from baxterkit.ros.robot.process import served
    from baxterkit.sim import Twin

    if "list" in faults:
        from baxterkit.ros.robot.faults import FAULTS

        say_list({name: fault.sentence for name, fault in FAULTS.items()}, as_json)
        return
    behaviour = Behaviour(**choices, faults=faults)
    twin = Twin(robot, world=world, tool=tool, start=start, seed=seed)
    own = _master(master)
    with ExitStack() as parts:
        if own is not None:
            parts.enter_context(own)
            parts.enter_context(Rosout(own.uri))
        uri = master_uri(master if own is None else own.uri)
        serving = parts.enter_context(served(twin, uri, enabled, behaviour))
        if cameras:
            parts.enter_context(CameraProcess(serving, uri))
        text = f"the twin is a robot at {uri}"
        serve({"master": uri}, text, as_json, seconds, serving.ended)


def _master(master: str | None) -> OwnMaster | None:
    """A master of our own, if none answers and the address is this machine's."""
    from urllib.parse import urlparse

    from baxterkit.ros.errors import MasterError
    from baxterkit.ros.graph.master import Master
    from baxterkit.ros.graph.node import master_uri
    from baxterkit.ros.graph.own_master import OwnMaster

    uri = master_uri(master)
    if uri.rstrip("/") in ("http://localhost:0", "http://127.0.0.1:0"):  # any port that is free
        return OwnMaster(0)
    try:
        Master(uri, "/baxterkit").greet()
        return None
    except MasterError:
        parts = urlparse(uri)
        if parts.hostname not in ("localhost", "127.0.0.1"):
            raise
        return OwnMaster(parts.port or 11311)


@verb("press", "baxterkit ros press left_cuff --for 2", "baxterkit ros press torso_left_ok")
@click.argument("button")
@MASTER
@click.option("--for", "seconds", type=float, default=0.5, help="For how long [s].")
@json_option
def press_command(button: str, master: str | None, seconds: float, as_json: bool) -> None:
    """Presses a button of the twin: a cuff, a navigator's ok, cancel or show; a robot is refused.

    While a cuff is squeezed, the arm floats.
    """
    from baxterkit.ros import TwinHardware

    with TwinHardware(master) as hardware:
        hardware.press(button, seconds)
    text = f"{button} was pressed for {seconds:g} s"
    say_at_once({"button": button, "seconds": seconds}, text, as_json)


@verb("estop", "baxterkit ros estop", "baxterkit ros estop --release")
@MASTER
@click.option("--release", is_flag=True, help="Release it.")
@json_option
def estop_command(master: str | None, release: bool, as_json: bool) -> None:
    """Presses the emergency stop of the twin, or releases it; a robot is refused.

    Released, the twin stays stopped until it is reset, as the robot does.
    """
    from baxterkit.ros import TwinHardware

    with TwinHardware(master) as hardware:
        hardware.estop(not release)
    word = "released" if release else "pressed"
    say_at_once({"estop": not release}, f"the emergency stop is {word}", as_json)


COMMANDS = (twin_command, press_command, estop_command)
