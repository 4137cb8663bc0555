"""Enabling and stopping the robot.

A robot with tucked arms ignores a plain request: its collision avoidance sees a collision. So
avoidance is suppressed and the request repeated, both at 20 Hz, until the state flips.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from baxterkit.clock import Clock
from baxterkit.model.names import SIDES
from baxterkit.robot.errors import RefusedError
from baxterkit.ros.errors import NoReplyError
from baxterkit.ros.gate import Gate
from baxterkit.ros.states import States
from baxterkit.ros.waiting import seconds

PERIOD = 0.05
"""Period of the requests [s]."""


def enable(gate: Gate, states: States, timeout: float) -> None:
    """Enables the robot; resets it first if it was stopped."""
    end = states.clock.now() + seconds(timeout)
    if _state(states).estop_button == 1:
        raise RefusedError("stopped", "the emergency stop is pressed: release it first")
    if _state(states).stopped:
        reset(gate, states, timeout)

    def ask() -> None:
        for side in SIDES:
            gate.suppress_avoidance(side)
        gate.enable(True)

    _until(
        states.clock, lambda: _state(states).enabled, ask, end, f"not enabled within {timeout:g} s"
    )


def disable(gate: Gate, states: States, timeout: float) -> None:
    """Disables the robot."""
    end = states.clock.now() + seconds(timeout)
    message = f"not disabled within {timeout:g} s"
    _until(
        states.clock, lambda: not _state(states).enabled, lambda: gate.enable(False), end, message
    )


def reset(gate: Gate, states: States, timeout: float) -> None:
    """Clears a stop."""
    end = states.clock.now() + seconds(timeout)
    if _state(states).estop_button == 1:
        raise RefusedError("stopped", "the emergency stop is pressed: release it first")
    _until(
        states.clock,
        lambda: not _state(states).stopped,
        gate.reset,
        end,
        f"not reset within {timeout:g} s",
    )


def stop(gate: Gate, states: States, timeout: float) -> None:
    """Stops the robot."""
    end = states.clock.now() + seconds(timeout)
    _until(
        states.clock,
        lambda: _state(states).stopped,
        gate.stop,
        end,
        f"not stopped within {timeout:g} s",
    )


def _until(
    clock: Clock, done: Callable[[], bool], ask: Callable[[], None], end: float, message: str
) -> None:
    while not done():
        if clock.now() > end:
            raise NoReplyError(f"the robot has {message}; is it on, and its button released?")
        ask()
        clock.sleep(PERIOD)


def _state(states: States) -> Any:
    return states.assembly
