"""A robot while it is taught: its arms, its cuffs' buttons and what its grippers are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from baxterkit.messages import Message, message_class
from baxterkit.model.names import SIDES
from baxterkit.robot.teaching import CLOSES, MARKS, OPENS, Witness
from baxterkit.ros import topics

if TYPE_CHECKING:
    from baxterkit.ros.link import RobotLink

BUTTONS = (OPENS, CLOSES, MARKS)
"""Buttons of an arm that are listened to."""
FIXED = {"grip": 0.0, "release": 1.0}
"""Commands of a gripper without a position, and the openings that they mean."""


@contextmanager
def witnessed(link: RobotLink, witness: Witness) -> Iterator[None]:
    """Tells a witness what happens within a `with`, by the robot's clock."""
    states = link._states

    def stamp() -> float:
        state = link.left.published
        return state.t + (link.clock.now() - state.arrived)

    def look(topic: str, _message: Message) -> None:
        if topic == topics.of_robot("joint_states").name:
            arms = {side: states.arm(side) for side in SIDES}
            left, right = arms["left"], arms["right"]
            if left is not None and right is not None:
                witness.state(left.t, {"left": left.q, "right": right.q})

    def presses(name: str) -> Callable[[Message, str], None]:
        pressed = [True]  # a button that is held from before does not count

        def hear(message: Message, _who: str) -> None:
            now = bool(message.state)
            if now and not pressed[0]:
                witness.press(stamp(), name)
            pressed[0] = now

        return hear

    def grips(side: str) -> Callable[[Message, str], None]:
        def hear(message: Message, _who: str) -> None:
            opening = _opening(message)
            if opening is not None:
                witness.grip(stamp(), side, opening)

        return hear

    with ExitStack() as stack:
        states.taps.append(look)
        stack.callback(states.taps.remove, look)
        digital = message_class("baxter_core_msgs/DigitalIOState")
        for side in SIDES:
            for key in BUTTONS:
                name = f"{side}_{key}"
                topic = f"/robot/digital_io/{name}/state"
                heard = link._listener.subscribe(topic, digital, presses(name))
                stack.callback(heard.close)
            told = topics.limb(side, "gripper")
            stack.callback(link._listener.subscribe(*told, grips(side)).close)
        yield


def _opening(message: Message) -> float | None:
    """The opening that a gripper's command asks for; None of other commands."""
    if message.command in FIXED:
        return FIXED[message.command]
    if message.command != "go":
        return None
    try:
        percent = float(json.loads(message.args)["position"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return min(max(0.01 * percent, 0.0), 1.0)
