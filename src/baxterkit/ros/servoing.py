"""Hands of a robot over the link that follow a target: every command goes through the gate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from baxterkit.robot.servoing import PERIOD, servo
from baxterkit.ros.following import Ending, alone, under_way
from baxterkit.scene import Scene
from baxterkit.servo.guide import Guide
from baxterkit.servo.result import Log, ServoResult
from baxterkit.servo.settings import ServoSettings
from baxterkit.servo.targets import Source, Targets

if TYPE_CHECKING:
    from baxterkit.ros.link import RobotLink


def follow_target(
    link: RobotLink, source: Source, sides: tuple[str, ...], seconds: float, settings: ServoSettings
) -> ServoResult:
    """See `Robot.servo`."""
    link._gate.need_control()
    log = Log()
    targets = Targets(source, sides, settings.silence, log)
    limbs = {limb.side: limb for limb in (link.left, link.right)}
    with alone(link, set(sides)):
        q = {side: limb.q for side, limb in limbs.items()}
        guide = Guide({side: limbs[side].arm for side in sides}, q, settings, log)
        with under_way(link, [limbs[side] for side in sides]) as ending:
            end = (seconds, link.rules.stall)
            return servo(_Body(link, ending), limbs, guide, targets, log, end)


class _Body:
    """The link's time, and the scene that its gate measures."""

    def __init__(self, link: RobotLink, ending: Ending) -> None:
        self._link, self._ending = link, ending

    def ticks(self) -> Iterator[float]:
        clock = self._link.clock
        start = due = clock.now()
        while True:
            self._ending.check(f"the hand was told to stop after {clock.now() - start:.2f} s")
            yield clock.now() - start
            due = max(due + PERIOD, clock.now())
            clock.sleep_until(due)

    def scene(self) -> Scene:
        return self._link.scene

    def age(self, side: str) -> float:
        return min(max(self._link.limb(side).published.age, 0.0), PERIOD * 5.0)
