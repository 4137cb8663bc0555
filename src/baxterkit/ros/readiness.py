"""Whether the robot may be commanded at all: who publishes its states, and what it says itself."""

from __future__ import annotations

from baxterkit.model.names import SIDES
from baxterkit.ros.refusals import refusal
from baxterkit.ros.rules import Rules
from baxterkit.ros.states import States
from baxterkit.ros.waiting import LONGEST


def sources_are_single(states: States) -> None:
    """Refuses unless one node publishes the robot's state, and one each arm's joints."""
    nodes = states.state_sources.now()
    if not nodes:
        age = states.state_age
        since = f"for {age:.1f} s" if age < LONGEST else "yet"
        raise refusal(
            "stale", f"/robot/state was not heard {since}; nothing is sent until it comes"
        )
    if len(nodes) > 1:
        raise refusal(
            "publishers",
            f"{len(nodes)} nodes publish /robot/state {nodes}; "
            "one is expected: is a mock still running?",
        )
    for side in SIDES:
        nodes = states.sources[side].now()
        if not nodes:
            raise refusal("stale", f"the {side} arm's joints are not heard any more")
        if len(nodes) > 1:
            raise refusal(
                "publishers",
                f"{len(nodes)} nodes publish the {side} arm's joints "
                f"{nodes}; one is expected: stop the others",
            )


def robot_is_ready(states: States, rules: Rules) -> None:
    """Refuses unless the robot is enabled and not stopped, and was heard just now."""
    sources_are_single(states)
    state, age = states.assembly, states.state_age
    if state is None or age > 5.0 * rules.stale:
        raise refusal("stale", f"/robot/state is {age:.2f} s old; nothing is sent")
    if state.stopped or state.estop_button == 1:
        raise refusal(
            "stopped",
            "the robot was stopped; release its button, and call enable() to go on",
        )
    if not state.enabled:
        raise refusal("disabled", "the robot is not enabled; call enable() first")
