"""Buttons, switches, lamps, wheels and sensors of the robot by the names of its topics."""

from __future__ import annotations

from baxterkit.errors import UnknownNameError
from baxterkit.model.names import SIDES

NAVIGATORS = ("left", "right", "torso_left", "torso_right")
_LIGHTS = tuple(f"{place}_{light}_light" for place in NAVIGATORS for light in ("inner", "outer"))
_KEYS = tuple(f"{place}_button_{key}" for place in NAVIGATORS for key in ("ok", "back", "show"))
_HAND_BUTTONS = ("lower_button", "upper_button", "lower_cuff", "shoulder_button")
BUTTONS = (
    *_KEYS,
    *(f"{side}_{name}" for side in SIDES for name in _HAND_BUTTONS),
    "torso_foot_pedal",
)
"""What a person can press."""
OUTPUTS = (
    *_LIGHTS,
    *(f"head_{color}_light" for color in ("red", "green", "yellow")),
    "head_lcd_auto_config",
    *(f"{side}_{name}" for side in SIDES for name in ("blow", "suck", "pneumatic")),
    *(f"{place}_camera_power" for place in ("left_hand", "right_hand", "torso")),
    "right_blue_light",
    "torso_brake",
    *(f"torso_ui_output{n}" for n in range(4)),
)
"""What a program can switch."""
_SENSED = (
    *(f"limit_switch_{n}" for n in (1, 2, 3)),
    "motor_fault_signal",
    "torso_brake_sensor",
    "torso_digital_input0",
    "torso_process_sense0",
    "torso_process_sense1",
    "torso_safety_stop",
)
DIGITAL = tuple(sorted((*BUTTONS, *OUTPUTS, *_SENSED)))
"""Every digital component, as the robot orders them."""
WHEELS = tuple(f"{place}_wheel" for place in NAVIGATORS)
ANALOG_OUTPUTS = ("torso_fan", "torso_lighting")
ANALOG = tuple(
    sorted(
        (
            *WHEELS,
            *ANALOG_OUTPUTS,
            *(
                f"{side}_{name}"
                for side in SIDES
                for name in ("hand_range", "vacuum_sensor_analog")
            ),
        )
    )
)
"""Every analog component."""
CAMERAS = ("head_camera", "left_hand_camera", "right_hand_camera")
_SHORT = (
    {f"{place}_ok": f"{place}_button_ok" for place in NAVIGATORS}
    | {f"{place}_cancel": f"{place}_button_back" for place in NAVIGATORS}
    | {f"{place}_show": f"{place}_button_show" for place in NAVIGATORS}
    | {f"{side}_cuff": f"{side}_lower_cuff" for side in SIDES}
)


def button(name: str) -> str:
    """The full name of a button; "left_ok" and "left_cuff" are short for one.

    Raises:
        UnknownNameError: If there is no such button.
    """
    full = _SHORT.get(name, name)
    if full not in BUTTONS:
        raise UnknownNameError("button", name, (*_SHORT, *BUTTONS))
    return full
