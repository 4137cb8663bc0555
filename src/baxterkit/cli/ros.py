"""`baxterkit ros`: the twin as a robot, our IK as its service, a look at a robot."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from baxterkit.cli import ros_teach, ros_twin
from baxterkit.cli.identify import show_fit
from baxterkit.cli.options import json_option, out_option, world_option
from baxterkit.cli.serving import FOR, MASTER, serve
from baxterkit.cli.show import number, progress_parts, say, show, show_json, table
from baxterkit.cli.status import without_answer
from baxterkit.cli.verbs import VerbGroup
from baxterkit.collision.world import World
from baxterkit.model.names import JOINTS, SIDES


@click.group("ros", cls=VerbGroup)
def command() -> None:
    """The robot over ROS 1: its state, the twin in its place, inverse kinematics as its service."""


@command.verb("ik-service", "baxterkit ros ik-service --suffix _exact")
@MASTER
@click.option("--suffix", default="", help="Added to the services' names; the robot's keep theirs.")
@click.option("--no-collisions", is_flag=True, help="Answers may touch the robot itself.")
@FOR
@json_option
def ik_command(
    master: str | None,
    suffix: str,
    no_collisions: bool,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Answers SolvePositionIK with exact, collision-free inverse kinematics.

    The service has the robot's name, message, seed modes and result types, so old programs use it
    unchanged. Mounts are those of /robot_description; the other arm is where the robot says.
    """
    from baxterkit.ros.ik_node import IkNode

    with IkNode(master, suffix=suffix, collisions=not no_collisions) as node:
        serve({"services": node.names}, f"answering {', '.join(node.names)}", as_json, seconds)


@command.verb("state", "baxterkit ros state --master http://robot.local:11311")
@MASTER
@json_option
def state_command(master: str | None, as_json: bool) -> None:
    """Shows what a robot says of itself; sends nothing."""
    from baxterkit.ros import RobotLink

    with RobotLink(master) as link:
        link.clock.sleep(0.2)
        limbs = {side: link.limb(side) for side in SIDES}
        if as_json:
            arms = {
                side: {
                    "q": limb.q,
                    "qd": limb.qd,
                    "tau": limb.tau,
                    "mount": link.mount(side),
                    "tool": link.tools[side].tool.name,
                    "tool_known": link.tools[side].known,
                }
                for side, limb in limbs.items()
            }
            show_json(
                {"enabled": link.enabled, "stopped": link.stopped, "head": link.head_pan, **arms}
            )
            return
        word = "stopped" if link.stopped else "enabled" if link.enabled else "disabled"
        rows = []
        for side, limb in limbs.items():
            for what, values in (("[rad]", limb.q), ("[rad/s]", limb.qd), ("[N m]", limb.tau)):
                rows.append((f"{side} {what}", *(number(x, 3) for x in values)))
        show(table(f"robot {word}, head {link.head_pan:.3f} rad", ("", *JOINTS), rows))
        off = [1e3 * float(np.linalg.norm(link.mount(s)[:3, 3] - _nominal(s))) for s in SIDES]
        show(f"mounts off the nominal ones by {off[0]:.1f} mm (left), {off[1]:.1f} mm (right)")
        for side in SIDES:
            hand = link.tools[side]
            show(f"{side} hand: {hand.tool.name} ({hand.reason})")


@command.verb(
    "doctor",
    "baxterkit ros doctor --master http://robot.local:11311",
    "baxterkit ros doctor --seconds 10 --json",
)
@MASTER
@click.option("--seconds", default=3.0, help="Time to listen [s], at most 60.")
@click.option("--timeout", default=3.0, help="Time for each answer of the network [s].")
@json_option
def doctor_command(master: str | None, seconds: float, timeout: float, as_json: bool) -> None:
    """Finds what keeps a robot from working, each finding with its fix; sends nothing.

    It looks at names and addresses both ways, clocks, software, the emergency stop and errors,
    calibration, publishers, other programs, rates, and whether this computer can follow motions in
    time. The exit status is 1 if there is a finding.
    """
    from baxterkit.ros import diagnose

    diagnosis = diagnose(master, seconds=seconds, timeout=timeout)
    say(diagnosis.to_dict(), str(diagnosis), as_json)
    if not diagnosis:
        without_answer()


@command.verb(
    "learn",
    "baxterkit ros learn --master http://robot.local:11311 --moves -o robot.toml",
    "baxterkit ros learn --moves --side left --seconds 30 --world lab.toml",
)
@MASTER
@click.option("--moves", is_flag=True, help="The arms may move: nobody is within reach.")
@click.option("--side", type=click.Choice(SIDES), help="One arm only; both if not given.")
@click.option("--seconds", default=60.0, help="Length of each motion [s].")
@click.option("--motions", default=3, help="Motions to fit, for each arm.")
@world_option
@out_option("robot.toml", "The robot file to write; reports and bags stand beside it.")
@json_option
def learn_command(
    master: str | None,
    moves: bool,
    side: str | None,
    seconds: float,
    motions: int,
    world: World | None,
    out: Path,
    as_json: bool,
) -> None:
    """Identifies a robot: moves its arms in turn, records, fits, predicts one motion more.

    Both arms take ten minutes with the defaults. The motions keep off the robot's own body and the
    obstacles of --world; keep everything else, and everybody, out of the arms' reach, and hold the
    emergency stop. Without
    --moves the motions are planned from where the arms are, and nothing is sent.
    """
    from baxterkit.ros import RobotLink, learning

    sides = SIDES if side is None else (side,)
    with progress_parts() as tell, RobotLink(master, world=world) as link:
        if not moves:
            planned = learning.plan(link, sides=sides, seconds=seconds, motions=motions)
        else:
            fits = learning.learn(
                link.enable(),
                sides=sides,
                seconds=seconds,
                motions=motions,
                folder=out.parent,
                progress=tell,
            )
    if not moves:
        spans = {one: np.ptp(np.concatenate([m.q for m in ms]), 0) for one, ms in planned.items()}
        if as_json:
            show_json({"motions": motions + 1, "seconds": seconds, "span": spans})
            return
        rows = [(one, *(number(x, 2) for x in span)) for one, span in spans.items()]
        title = f"{motions + 1} motions of {seconds:g} s for each arm, range [rad]"
        show(table(title, ("", *JOINTS), rows))
        click.echo("nothing was sent; --moves runs them")
        return
    facts: dict[str, object] = {}
    for one, fit in fits.items():
        fit.report(report := out.with_name(f"{out.stem}_{one}.html"))
        fit.save(out)
        facts[one] = {"report": str(report), **fit.provenance()}
        if not as_json:
            show_fit(fit)
            click.echo(f"report: {report}")
    say({"robot": str(out), **facts}, f"robot: {out}", as_json)


@command.verb("foxglove", "baxterkit ros foxglove --master http://robot.local:11311")
@MASTER
@click.option("--port", type=int, default=8765, help="Port; a free one if 0.")
@FOR
@json_option
def foxglove_command(master: str | None, port: int, seconds: float | None, as_json: bool) -> None:
    """Shows what a robot says in Foxglove, live; sends the robot nothing.

    Open a connection to the address that is printed there. Needs the extra [foxglove].
    """
    from baxterkit.ros import RobotLink

    with RobotLink(master) as link, link.foxglove(port) as server:
        serve({"address": server.address}, f"Foxglove: {server.address}", as_json, seconds)


for part in (*ros_teach.COMMANDS, *ros_twin.COMMANDS):
    command.add_command(part)


def _nominal(side: str) -> np.ndarray:
    from baxterkit.model.library import baxter_arm

    return baxter_arm(side).T_base_s0[:3, 3]
