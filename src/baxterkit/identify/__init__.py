"""The model of your robot from its recordings.

>>> from baxterkit import identify, recording
>>> fit = identify.mount(recording.load("poses.bag", side="left"))
>>> fit.save("robot.toml")
"""

from __future__ import annotations

from baxterkit.identify.mount import mount
from baxterkit.identify.mount_fit import MountFit

__all__ = ["MountFit", "mount"]
