"""Buttons, lamps, wheels and switches: `/robot/digital_io`, `/robot/analog_io`, the navigators."""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.errors import InputError, UnknownNameError
from baxterkit.messages import Message, message_class
from baxterkit.ros.node import Node
from baxterkit.ros.robot.components import (
    ANALOG,
    ANALOG_OUTPUTS,
    DIGITAL,
    NAVIGATORS,
    OUTPUTS,
    button,
)
from baxterkit.ros.robot.outlet import listen, outlet

Digital = message_class("baxter_core_msgs/DigitalIOState")
Analog = message_class("baxter_core_msgs/AnalogIOState")
Navigator = message_class("baxter_core_msgs/NavigatorState")
KEYS = {"ok": "OK_BUTTON", "back": "CANCEL_BUTTON", "show": "SHOW_BUTTON"}
"""Buttons of a navigator, in their order: the wheel, that above and that below it (Rethink)."""
LIGHTS = ("inner", "outer")
MOST_OUTPUT = 100
"""Greatest value of an analog output [%]."""


class Io:
    """Everything that is on or off, or has a value from 0 to 65535.

    Args:
        node: The node that publishes it.
        read: Gives the values that something else in the robot knows, by component.
    """

    def __init__(self, node: Node, read: Callable[[], dict[str, float]]) -> None:
        self._read = read
        self._on = dict.fromkeys(DIGITAL, False)
        self._value: dict[str, float] = dict.fromkeys(ANALOG, 0.0)
        self._digital = {n: outlet(node, f"/robot/digital_io/{n}/state") for n in DIGITAL}
        self._analog = {n: outlet(node, f"/robot/analog_io/{n}/state") for n in ANALOG}
        self._numbers = {n: outlet(node, f"/robot/analog_io/{n}/value_uint32") for n in ANALOG}
        self._navigators = {
            n: outlet(node, f"/robot/navigators/{n}_navigator/state") for n in NAVIGATORS
        }
        self._all_digital = outlet(node, "/robot/digital_io_states")
        self._all_analog = outlet(node, "/robot/analog_io_states")
        self._all_navigators = outlet(node, "/robot/navigators_states")
        listen(node, "/robot/digital_io/command", self._switch)
        listen(node, "/robot/analog_io/command", self._set)

    def press(self, name: str, on: bool = True) -> None:
        """Presses or releases a button, as a person would.

        Args:
            name: Such as "left_ok", "torso_left_show" (of navigators), "left_cuff".
            on: Whether it is pressed from now on.

        Raises:
            UnknownNameError: If there is no such button.
        """
        self._on[button(name)] = on

    def turn(self, navigator: str, steps: int) -> None:
        """Turns the wheel of a navigator by whole steps; it counts from 0 to 255 and around.

        Raises:
            UnknownNameError: If there is no such navigator.
            InputError: If the steps are no whole number.
        """
        if navigator not in NAVIGATORS:
            raise UnknownNameError("navigator", navigator, NAVIGATORS)
        if int(steps) != steps:
            raise InputError(f"steps = {steps}; a wheel turns by whole steps")
        wheel = f"{navigator}_wheel"
        self._value[wheel] = (self._value[wheel] + int(steps)) % 256

    def is_on(self, name: str) -> bool:
        """Whether a digital component is on."""
        return self._on[name]

    def publish(self, stamp: int) -> None:
        """Publishes the state of all components that have listeners."""
        if not self._heard():
            return
        known = self._read()
        on = {name: bool(known.get(name, state)) for name, state in self._on.items()}

        def digital(name: str) -> Message:
            return Digital(state=int(on[name]), isInputOnly=name not in OUTPUTS)

        for name, single in self._digital.items():
            if single:
                single.send(digital(name))
        if self._all_digital:
            self._all_digital(names=list(DIGITAL), states=[digital(name) for name in DIGITAL])
        self._publish_analog(known, stamp)
        self._publish_navigators(on)

    def _heard(self) -> bool:
        """Whether anybody listens to any of it."""
        single = (self._digital, self._analog, self._numbers, self._navigators)
        every = (self._all_digital, self._all_analog, self._all_navigators)
        return any(every) or any(any(topics.values()) for topics in single)

    def _publish_analog(self, known: dict[str, float], stamp: int) -> None:
        value = {name: known.get(name, state) for name, state in self._value.items()}

        def analog(name: str) -> Message:
            inputs = name not in ANALOG_OUTPUTS
            return Analog(timestamp=stamp, value=value[name], isInputOnly=inputs)

        for name, single in self._analog.items():
            if single:
                single.send(analog(name))
        for name, number in self._numbers.items():
            if number:
                number(data=int(value[name]))
        if self._all_analog:
            self._all_analog(names=list(ANALOG), states=[analog(name) for name in ANALOG])

    def _publish_navigators(self, on: dict[str, bool]) -> None:
        def navigator(place: str) -> Message:
            return Navigator(
                button_names=list(KEYS.values()),
                buttons=[on[f"{place}_button_{key}"] for key in KEYS],
                wheel=int(self._value[f"{place}_wheel"]),
                light_names=list(LIGHTS),
                lights=[on[f"{place}_{light}_light"] for light in LIGHTS],
            )

        for place, single in self._navigators.items():
            if single:
                single.send(navigator(place))
        if self._all_navigators:
            self._all_navigators(
                names=[f"{place}_navigator" for place in NAVIGATORS],
                states=[navigator(place) for place in NAVIGATORS],
            )

    def _switch(self, message: Message) -> None:
        if message.name in OUTPUTS:
            self._on[message.name] = bool(message.value)

    def _set(self, message: Message) -> None:
        if message.name in ANALOG_OUTPUTS:
            self._value[message.name] = min(int(message.value), MOST_OUTPUT)
