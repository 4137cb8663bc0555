"""Enabling and stopping the robot.

A robot with tucked arms ignores a plain request: its collision avoidance sees a collision. So
avoidance is suppressed and the request repeated, both at 20 Hz, until the state flips.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from baxterkit.messages import Message
from baxterkit.model.names import SIDES
from baxterkit.robot.errors import RefusedError
from baxterkit.ros.errors import NoReplyError
from baxterkit.ros.gate import Gate
from baxterkit.ros.states import States
from baxterkit.ros.waiting import seconds

PERIOD = 0.05
"""Period of the requests [s]."""


def enable(gate: Gate, states: States, timeout: float) -> None:
    """Enables the robot; clears a stop first."""
    end = states.clock.now() + seconds(timeout)
    state = states.assembly
    if state is not None and state.estop_button == 1:
        raise RefusedError("stopped", "the emergency stop is pressed: release it first")
    _until(states, "reset", lambda state: not state.stopped, gate.reset, end, timeout)

    def ask() -> None:
        for side in SIDES:
            gate.suppress_avoidance(side)
        gate.enable(True)

    _until(states, "enabled", lambda state: bool(state.enabled), ask, end, timeout)


def disable(gate: Gate, states: States, timeout: float) -> None:
    """Disables the robot."""
    end = states.clock.now() + seconds(timeout)
    off = partial(gate.enable, False)
    _until(states, "disabled", lambda state: not state.enabled, off, end, timeout)


def stop(gate: Gate, states: States, timeout: float) -> None:
    """Stops the robot."""
    end = states.clock.now() + seconds(timeout)
    _until(states, "stopped", lambda state: bool(state.stopped), gate.stop, end, timeout)


def _until(
    states: States,
    word: str,
    done: Callable[[Message], bool],
    ask: Callable[[], None],
    end: float,
    timeout: float,
) -> None:
    """Asks over and over until the robot's state is what it should be, or raises at `end` [s]."""
    while states.assembly is None or not done(states.assembly):
        if states.clock.now() > end:
            raise NoReplyError(
                f"the robot has not {word} within {timeout:g} s; is it on, and its button released?"
            )
        ask()
        states.clock.sleep(PERIOD)
