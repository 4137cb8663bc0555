"""`connect`: a robot to move, by one argument: a twin in this process, one behind ROS, or a robot.

All three are a `RobotLink`: what a program may send, and what is refused, is the same. A twin in
this process runs on simulated time, as fast as the machine; the others run in real time.
"""

from __future__ import annotations

import re
from pathlib import Path

from baxterkit.baxter import Baxter
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.ros.link import RobotLink
from baxterkit.ros.one_process import in_process
from baxterkit.ros.robot.process import TwinProcess
from baxterkit.ros.rules import Rules
from baxterkit.sim.twin import Twin

TWIN = "twin"
"""The address that starts a twin behind ROS."""
PORT = 11311
"""A ROS master's usual port."""
_ADDRESS = re.compile(
    r"(?:https?://)?(?P<host>[A-Za-z0-9][A-Za-z0-9._-]*)(?::(?P<port>\d{1,5}))?/?"
)


def connect(
    where: str | Twin | None = None,
    *,
    robot: Baxter | str | Path | None = None,
    world: World | None = None,
    rules: Rules | None = None,
    timeout: float = 20.0,
) -> RobotLink:
    """A robot to read and, after `enable()`, to move; closed at the end of a `with`.

    Args:
        where: None: a twin in this process, on simulated time. A `Twin`: that one. "twin": a twin
            behind ROS, in a process of its own, in real time. Else the robot whose ROS master this
            is: "http://011305P0009.local:11311", "011305P0009.local:11311" or "011305P0009.local".
        robot: The robot's model, or its file; of a twin: the robot that is simulated, which the
            link knows with its tools and payloads. If None, the nominal one, or what the robot says
            of itself.
        world: Obstacles that the safety gate keeps clear of; none if None.
        rules: What the safety gate allows.
        timeout: Time to wait for the robot's first states [s].

    Raises:
        InputError: If `where` is none of these, or `robot` does not go with it.
        MasterError: If no ROS master answers there.
        NoReplyError: If no robot is heard there in time.
    """
    if where is None or isinstance(where, Twin):
        if isinstance(where, Twin) and robot is not None:
            raise InputError(
                "a Twin has its robot already; give robot= to Twin, or leave where out"
            )
        twin = Twin(robot) if where is None else where
        both = in_process(twin, model=twin.robot, world=world, rules=rules)
        both.link.owns(both.robot.close, both.twin)
        return both.link
    if not isinstance(where, str):
        raise InputError(
            "where must be None (a twin in this process), a Twin, 'twin' (one behind ROS), or the "
            f"address of a robot's ROS master as 'http://robot.local:11311'; got {where!r}"
        )
    if where == TWIN:
        if isinstance(robot, Baxter):
            raise InputError(
                "a twin in a process of its own is made from a robot file; give "
                "robot='robot.toml', or connect(Twin(robot)) for one in this process"
            )
        model = None if robot is None else Baxter.from_file(robot)
        process = TwinProcess(robot)
        try:
            link = RobotLink(process.uri, robot=model, world=world, rules=rules, timeout=timeout)
        except BaseException:
            process.close()
            raise
        link.owns(process.close)
        return link
    model = robot if robot is None or isinstance(robot, Baxter) else Baxter.from_file(robot)
    return RobotLink(address(where), robot=model, world=world, rules=rules, timeout=timeout)


def address(text: str) -> str:
    """The address of a master: "http://host:port".

    Raises:
        InputError: If it is none.
    """
    found = _ADDRESS.fullmatch(text)
    port = PORT if found is None else int(found["port"] or PORT)
    if found is None or not 0 < port < 65536:
        raise InputError(
            f"{text!r} is no address of a ROS master; give it as 'http://robot.local:11311', "
            "'robot.local:11311' or 'robot.local', or 'twin' for a twin behind ROS"
        )
    return f"http://{found['host']}:{port}"
