"""The suction cup: sucks for a while, holds an object that it touches, and blows it off.

The sensor's values are chosen here; Rethink's programs compare them with a threshold of 18 %.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from baxterkit.model.tool import CUP_YIELDS
from baxterkit.ros.node import Node
from baxterkit.ros.robot.end_effector import EndEffector, number
from baxterkit.ros.robot.pace import Pace
from baxterkit.sim.limb import TwinLimb

IDENTITY = 65537
"""Number of the cup's hardware; chosen here."""
SEALED, LEAKING, IDLE = 204, 20, 0
"""Reading of the vacuum sensor [0 to 255] with an object, sucking air, and at rest."""
THRESHOLD = 18.0
"""Vacuum from which on an object counts as held [%]."""
BLOW_OFF = 0.4
"""Time for which the cup blows after it has held something [s]."""
LONGEST = 300.0
"""Longest time of an attempt [s]."""


class SuctionCup(EndEffector):
    """The suction cup of one hand.

    Args:
        node: The node `end_effector_publisher`.
        limb: The arm in the twin.
        pace: Of the twin.
    """

    def __init__(self, node: Node, limb: TwinLimb, pace: Pace) -> None:
        self._until = self._blows_until = -1.0
        self._missed = False
        self._threshold, self._blow_off = THRESHOLD, BLOW_OFF
        super().__init__(
            node,
            limb,
            pace,
            "suction",
            {
                "id": IDENTITY,
                "manufacturer": "Rethink Research Robot",
                "product": "Vacuum Cup Gripper",
                "serial_number": "0",
                "hardware_rev": "1",
                "controls_grip": True,
                "senses_grip": True,
            },
        )

    @property
    def sucking(self) -> bool:
        """Whether it sucks."""
        return self._pace.t < self._until

    @property
    def blowing(self) -> bool:
        """Whether it blows."""
        return self._pace.t < self._blows_until

    @property
    def reading(self) -> int:
        """The vacuum sensor, 0 to 255."""
        if not self.sucking:
            return IDLE
        return SEALED if self._limb.holds is not None else LEAKING

    @property
    def vacuum(self) -> bool:
        """Whether the vacuum is above its threshold."""
        return 100.0 * self.reading / 255.0 > self._threshold

    def step(self) -> None:
        """Takes what the cup touches; a grip lasts, an attempt that finds nothing ends."""
        with self._pace:
            limb = self._limb
            if limb.holds is not None and self._until > 0.0:
                self._until = max(self._until, self._pace.t + 1.0)
            elif self.sucking:
                near = limb._grip.nearest(limb.true_tip[:3, 3])
                if near is not None and near[1] <= CUP_YIELDS:
                    limb.pick_up(near[0])
            elif self._until > 0.0:
                self._until, self._missed = -1.0, True

    def _status(self) -> dict[str, object]:
        vacuum = self.vacuum
        return {
            "id": IDENTITY,
            "enabled": 1,
            "calibrated": 1,
            "ready": 1,
            "gripping": int(vacuum),
            "missed": int(self._missed),
            "force": 100.0 * self.reading / 255.0,
            "state": json.dumps(
                {
                    "vacuum sensor": self.reading,
                    "vacuum": vacuum,
                    "sucking": self.sucking,
                    "blowing": self.blowing,
                }
            ),
        }

    def _actions(self) -> dict[str, Callable[[str], None]]:
        return {
            "go": self._suck,
            "grip": self._suck,
            "stop": lambda _: self._let_go(),
            "release": lambda _: self._let_go(),
            "configure": self._configure,
        }

    def _suck(self, args: str) -> None:
        self._missed = False
        self._blows_until = -1.0
        self._until = self._pace.t + number(args, "grip_attempt_seconds", 5.0, LONGEST)

    def _let_go(self) -> None:
        self._until = -1.0
        if self._limb.holds is not None:
            self._limb._grip.release_item()
            self._blows_until = self._pace.t + self._blow_off

    def _configure(self, args: str) -> None:
        self._threshold = number(args, "vacuum_sensor_threshold", self._threshold)
        self._blow_off = number(args, "blow_off_seconds", self._blow_off, LONGEST)
