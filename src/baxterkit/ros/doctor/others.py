"""Other programs that send the robot commands: it obeys whoever spoke last."""

from __future__ import annotations

from collections.abc import Iterator

from baxterkit.ros.doctor.diagnosis import Finding
from baxterkit.ros.doctor.ears import Ears

WORDS = {
    "commands": ("rival_commands", "sends joint commands to {whom}"),
    "timeout": ("rival_timeout", "sets the command timeout of {whom}"),
    "enable": ("rival_enable", "sends on {whom}"),
    "gravity": ("gravity_suppressed", "suppresses gravity compensation of {whom}"),
}
"""What another program sends -> finding, and what it does."""


def check(ears: Ears) -> Iterator[Finding]:
    """Findings on other programs; one that commands an arm may well set its timeout too."""
    commanders = ears.rivals.get("commands", {})
    for what, (name, does) in WORDS.items():
        for who, whom in ears.rivals.get(what, {}).items():
            if what == "timeout" and who in commanders:
                continue
            yield Finding(name, f"{who[:100]} {does.format(whom=whom)}")
