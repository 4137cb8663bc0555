"""The electric gripper: calibrate, configure, go, grip, release, stop.

Its fingers are those of the twin, which close on objects and hold them.
"""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.node import Node
from baxterkit.ros.robot.end_effector import EndEffector, number
from baxterkit.ros.robot.pace import Pace
from baxterkit.ros.robot.tree import STROKE
from baxterkit.sim.limb import TwinLimb

IDENTITY = 65664
"""Number of the electric gripper's hardware; chosen here."""
HOLDING = 30.0
"""Force with which it holds [% of the greatest], unless it is configured otherwise."""
DEAD_ZONE = 5.0
"""Opening below which closed fingers have missed [%]."""
STILL = 1e-6
"""Openings this close are equal."""


class ElectricGripper(EndEffector):
    """The electric gripper of one hand.

    Args:
        node: The node `end_effector_publisher`.
        limb: The arm in the twin; its tool has fingers, or none that the twin knows.
        pace: Of the twin.
    """

    def __init__(self, node: Node, limb: TwinLimb, pace: Pace) -> None:
        self._limb = limb
        self._fixed = 1.0  # the opening of fingers that the twin does not know
        self._wanted = self.opening
        self._calibrated = False
        self._holding = HOLDING
        super().__init__(
            node,
            limb,
            pace,
            "electric",
            {
                "id": IDENTITY,
                "manufacturer": "Rethink Research Robot",
                "product": "Electric Parallel Gripper",
                "serial_number": "0",
                "hardware_rev": "1",
                "firmware_rev": "1.1.242",
                "firmware_date": "2015/1/1 00:00:00",
                "has_calibration": True,
                "controls_grip": True,
                "senses_grip": True,
                "controls_force": True,
                "senses_force": True,
                "controls_position": True,
                "senses_position": True,
            },
        )

    @property
    def opening(self) -> float:
        """How far it is open, 0 (closed) to 1 (open)."""
        opening = self._limb.opening
        return self._fixed if opening is None else opening

    @property
    def finger(self) -> float:
        """Position of a finger [m]."""
        return STROKE * self.opening

    @property
    def grips(self) -> bool:
        """Whether something keeps the fingers from closing as far as they were told to."""
        return not self._limb.fingers_move and self.opening > self._wanted + STILL

    def _status(self) -> dict[str, object]:
        opening, moves, grips = self.opening, self._limb.fingers_move, self.grips
        return {
            "id": IDENTITY,
            "enabled": 1,
            "calibrated": int(self._calibrated),
            "ready": int(self._calibrated),
            "moving": int(moves),
            "gripping": int(grips),
            "missed": int(not moves and not grips and 100.0 * opening <= DEAD_ZONE),
            "position": 100.0 * opening,
            "force": self._holding if grips else 0.0,
            "state": "moving" if moves else "gripping" if grips else "idle",
        }

    def _actions(self) -> dict[str, Callable[[str], None]]:
        return {
            "calibrate": lambda _: self._calibrate(True),
            "clear_calibration": lambda _: self._calibrate(False),
            "configure": self._configure,
            "go": lambda args: self._go(number(args, "position", 100.0 * self._wanted)),
            "grip": lambda _: self._go(0.0),
            "release": lambda _: self._go(100.0),
            "stop": lambda _: self._move(self.opening),
        }

    def _calibrate(self, on: bool) -> None:
        self._calibrated = on
        if on:
            self._move(1.0)

    def _configure(self, args: str) -> None:
        self._holding = number(args, "holding_force", self._holding)

    def _go(self, percent: float) -> None:
        if self._calibrated:
            self._move(percent / 100.0)
        else:
            LOG.warning("the %s gripper is not calibrated, and stays", self._limb.side)

    def _move(self, opening: float) -> None:
        self._wanted = opening
        if self._limb._fingers is not None:
            self._limb._fingers.command(opening)
        else:
            self._fixed = opening
