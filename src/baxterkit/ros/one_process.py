"""A link and the twin as a robot in one process, on one simulated clock: no master, no sockets.

For example::

    from baxterkit import ros
    with ros.in_process() as both:
        both.link.enable()
        both.link.move_to("neutral", "neutral")

Time passes while the program waits, as fast as the machine; the same program gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from baxterkit.baxter import Baxter
from baxterkit.clock import SimulatedClock
from baxterkit.collision.world import World
from baxterkit.ros.graph.local import LATENCY, LocalGraph
from baxterkit.ros.link import RobotLink
from baxterkit.ros.robot import TwinRobot
from baxterkit.ros.robot.arm import Received
from baxterkit.ros.rules import Rules
from baxterkit.sim.twin import Twin


@dataclass(frozen=True)
class InProcess:
    """A link, and the robot that it speaks with.

    Attributes:
        link: The link.
        robot: The twin as a robot.
        graph: Their graph; `graph.node("rival")` is another program on it.
    """

    link: RobotLink
    robot: TwinRobot
    graph: LocalGraph

    @property
    def clock(self) -> SimulatedClock:
        """The clock of all of them."""
        return self.graph.clock

    @property
    def twin(self) -> Twin:
        """The twin."""
        return self.robot.twin

    def close(self) -> None:
        """Closes the link, then the robot."""
        self.link.close()
        self.robot.close()

    def __enter__(self) -> InProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_process(
    twin: Twin | None = None,
    *,
    model: Baxter | None = None,
    world: World | None = None,
    rules: Rules | None = None,
    enabled: bool = False,
    on_command: Callable[[Received], None] | None = None,
    latency: float = LATENCY,
    clock: SimulatedClock | None = None,
) -> InProcess:
    """A link to a twin in this process, on a simulated clock.

    Args:
        twin: The twin; a new one if None.
        model: The robot's model of the link; from the robot's own description if None.
        world: Obstacles that the safety gate keeps clear of; none if None.
        rules: What the safety gate allows.
        enabled: Whether the robot is enabled from the start.
        on_command: Called with every joint command that arrives at the robot.
        latency: Time from publishing a message to its delivery [s].
        clock: Their clock; a new one if None.
    """
    graph = LocalGraph(clock, latency)
    robot = TwinRobot(twin, graph, enabled=enabled, on_command=on_command)
    link = RobotLink(graph, robot=model, world=world, rules=rules)
    return InProcess(link, robot, graph)
