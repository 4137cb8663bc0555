"""Hands of the twin that follow a target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from baxterkit.robot.errors import RefusedError, not_enabled
from baxterkit.robot.servoing import PERIOD, servo
from baxterkit.scene import Scene
from baxterkit.servo.guide import Guide
from baxterkit.servo.result import Log, ServoResult
from baxterkit.servo.settings import ServoSettings
from baxterkit.servo.targets import Source, Targets

if TYPE_CHECKING:
    from baxterkit.sim.twin import Twin

LOOK = 0.5
"""Time between two looks at the objects of the world [s]."""
STALL = 1.0
"""Time without a command after which it ends [s]."""


def follow_target(
    twin: Twin, source: Source, sides: tuple[str, ...], seconds: float, settings: ServoSettings
) -> ServoResult:
    """See `Robot.servo`."""
    if not twin.enabled:
        raise not_enabled(twin.stopped)
    if twin._led & set(sides):
        raise RefusedError(
            "moving", f"the {min(twin._led & set(sides))} hand follows another target already"
        )
    log = Log()
    limbs = {limb.side: limb for limb in twin.limbs}
    q = {side: limb.q for side, limb in limbs.items()}
    guide = Guide({side: limbs[side].arm for side in sides}, q, settings, log)
    targets = Targets(source, sides, settings.silence, log)
    twin._led |= set(sides)
    try:
        return servo(_Body(twin), limbs, guide, targets, log, (seconds, STALL))
    finally:
        twin._led -= set(sides)
        for side in sides:
            limbs[side].hold()


class _Body:
    """The twin's time and surroundings."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self._scene, self._looked, self._hands = twin.scene, twin.t, self._held()

    def ticks(self) -> Iterator[float]:
        twin, start = self._twin, self._twin.t
        while True:
            if not twin.enabled:
                raise not_enabled(twin.stopped)
            yield twin.t - start
            twin.step(round(1000.0 * PERIOD))

    def scene(self) -> Scene:
        hands = self._held()
        if hands != self._hands or self._twin.t - self._looked > LOOK:
            self._scene, self._looked, self._hands = self._twin.scene, self._twin.t, hands
        return self._scene

    def age(self, side: str) -> float:
        return 0.0

    def _held(self) -> tuple[object, ...]:
        return tuple((limb.holds, limb.opening) for limb in self._twin.limbs)
