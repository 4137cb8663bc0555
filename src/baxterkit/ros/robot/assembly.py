"""The state of the whole robot: enabled, stopped, and the deadlock of enabling from tuck.

On one real robot whose arms were tucked, collision avoidance reported a collision, and the robot
ignored requests to enable it unless avoidance was suppressed meanwhile, over and over
(yunusdanabas/baxter_ros2_jazzy, 2026). `Behaviour.enables_tucked` is the robot of the documents.
"""

from __future__ import annotations

from baxterkit.clock import SYSTEM, Clock
from baxterkit.messages import Message, message_class
from baxterkit.model.names import SIDES
from baxterkit.sim.limb_state import Power

AssemblyState = message_class("baxter_core_msgs/AssemblyState")
SUPPRESSED = 0.25
"""Time for which one message suppresses collision avoidance [s]; chosen here."""
PATIENCE = 5
"""Requests to enable, under suppression, until a tucked robot obeys; chosen here."""


class Assembly:
    """State of the robot as `/robot/state` shows it.

    Args:
        power: Whether the twin may move: enabled, or stopped; then it must be reset first.
        clock: The robot's clock.
        enables_tucked: Whether tucked arms do not matter to a request to enable.

    Attributes:
        button: Whether the emergency stop is pressed: a reset does not help then.
        near: Sides whose arm is within the field of collision avoidance.
    """

    def __init__(
        self, power: Power, clock: Clock = SYSTEM, *, enables_tucked: bool = False
    ) -> None:
        self._power, self.clock = power, clock
        self._enables_tucked = enables_tucked
        self.button = False
        self.near: set[str] = set()
        self._suppressed: dict[str, float] = {}
        self._requests = 0

    @property
    def enabled(self) -> bool:
        """Whether the joints are powered."""
        return self._power.enabled

    @enabled.setter
    def enabled(self, on: bool) -> None:
        self._power.enabled = on

    @property
    def stopped(self) -> bool:
        """Whether it was stopped."""
        return self._power.stopped

    @stopped.setter
    def stopped(self, on: bool) -> None:
        self._power.stopped = on

    def suppress(self, side: str) -> None:
        """A message on an arm's `suppress_collision_avoidance`."""
        self._suppressed[side] = self.clock.now()

    def suppressed(self, side: str) -> bool:
        """Whether collision avoidance of that arm is suppressed now."""
        return self.clock.now() - self._suppressed.get(side, -1.0e9) < SUPPRESSED

    def enable(self, on: bool) -> None:
        """A message on `set_super_enable`."""
        if not on:
            self.enabled, self._requests = False, 0
            return
        if self.stopped or self.button:
            return
        near = set() if self._enables_tucked else self.near
        if all(self.suppressed(side) for side in SIDES if side in near):
            self._requests += 1
            if not near or self._requests >= PATIENCE:
                self.enabled, self._requests = True, 0
        else:
            self._requests = 0

    def reset(self) -> None:
        """A message on `set_super_reset`: clears a stop, unless the button is pressed."""
        self.enabled = False
        self.stopped = self.button

    def stop(self) -> None:
        """A message on `set_super_stop`."""
        self.enabled, self.stopped = False, True

    def press(self, on: bool = True) -> None:
        """Presses or releases the emergency stop."""
        self.button = on
        if on:
            self.enabled, self.stopped = False, True

    def message(self) -> Message:
        """The state as a message."""
        kind = AssemblyState
        pressed = kind.ESTOP_BUTTON_PRESSED if self.button else kind.ESTOP_BUTTON_UNPRESSED  # type: ignore[attr-defined]
        source = kind.ESTOP_SOURCE_USER if self.stopped else kind.ESTOP_SOURCE_NONE  # type: ignore[attr-defined]
        return AssemblyState(
            ready=False,
            enabled=self.enabled,
            stopped=self.stopped,
            error=False,
            estop_button=pressed,
            estop_source=source,
        )
