"""The state of the whole robot: enabled, stopped, and the deadlock of enabling from tuck.

On a real robot whose arms are tucked, collision avoidance reports a collision, and the robot
ignores requests to enable it unless avoidance is suppressed meanwhile, over and over.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from baxterkit.clock import SYSTEM, Clock
from baxterkit.messages import Message, message_class
from baxterkit.model.names import SIDES

__all__ = ["Assembly"]

AssemblyState = message_class("baxter_core_msgs/AssemblyState")
SUPPRESSED = 0.25
"""Time for which one message suppresses collision avoidance [s]."""
PATIENCE = 5
"""Requests to enable, under suppression, until a tucked robot obeys."""


@dataclass
class Assembly:
    """State of the robot as `/robot/state` shows it.

    Attributes:
        enabled: Whether the joints are powered.
        stopped: Whether it was stopped; it must be reset before it can be enabled.
        button: Whether the emergency stop is pressed: a reset does not help then.
        near: Sides whose arm is within the field of collision avoidance.
        clock: The robot's clock.
    """

    enabled: bool = False
    stopped: bool = False
    button: bool = False
    near: set[str] = field(default_factory=set)
    clock: Clock = SYSTEM
    _suppressed: dict[str, float] = field(default_factory=dict)
    _requests: int = 0

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
        if all(self.suppressed(side) for side in SIDES if side in self.near):
            self._requests += 1
            if not self.near or self._requests >= PATIENCE:
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
