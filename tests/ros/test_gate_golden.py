"""10,000 verdicts of the gate, kept for those who change its surroundings.

The commands are made from a seed; `golden/gate_verdicts.txt` holds a letter for each verdict. After
an intended change, `python tests/ros/test_gate_golden.py` writes it anew; look at what changed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from fake_robot import FakeRobot
from gate_problems import LIMITS, ROBOT, Start, starts

from baxterkit import _native
from baxterkit.clock import SimulatedClock
from baxterkit.messages import message_class
from baxterkit.model.names import SIDES
from baxterkit.ros import RefusedError, Rules
from baxterkit.ros.rules import MARGIN

KEPT = Path(__file__).with_name("golden") / "gate_verdicts.txt"
COUNT, BLOCK = 10_000, 100
MODES = ("position", "raw position", "velocity", "torque")
LETTERS = {
    "sent": ".", "collision": "c", "velocity": "v", "position": "p", "effort": "e", "jump": "j",
    "not at rest": "r", "not finite": "n",
}  # fmt: skip
WRITTEN = "avx512"
"""Instruction set with which the file was written; with the same one every verdict is as kept."""
UNSTEADY = 2
"""Verdicts of a thousand that may differ on another instruction set: sums are rounded in another
order, and some clearances are at the margin."""
GripperState = message_class("baxter_core_msgs/EndEffectorState")


class Gate:
    """The gate of a robot without a network, on a clock of its own."""

    def __init__(self) -> None:
        self._clock = SimulatedClock()
        self._robot = FakeRobot(Rules(stale=50.0), clock=self._clock, model=ROBOT)
        self._robot.gate.take_control()

    def verdict(self, rng: np.random.Generator, start: Start) -> str:
        """The letter of the verdict on a random command."""
        robot = self._robot
        robot.q = {"left": start.q[:7], "right": start.q[7:]}
        moving = rng.random() < 0.5
        robot.qd = {side: 0.3 * moving * rng.standard_normal(7) for side in SIDES}
        robot.among(start.world)
        robot.gate._judge.sent.clear()
        self._clock.sleep(1.0)
        robot.tell(later=1.0)
        for side, opening in zip(SIDES, start.openings, strict=True):
            state = GripperState(position=100.0 * opening, calibrated=1)
            robot.node.callbacks[f"/robot/end_effector/{side}_gripper/state"](state, "/e")
        mode, side = MODES[int(rng.integers(4))], SIDES[int(rng.integers(2))]
        share = rng.uniform(-1.0, 1.0, 7)
        values = {
            "position": robot.q[side] + 0.32 * share,
            "raw position": robot.q[side] + 0.008 * LIMITS.velocity * share,
            "velocity": 1.02 * LIMITS.velocity * share,
            "torque": 0.05 * LIMITS.effort * share,
        }[mode]
        robot.node.sent.clear()
        try:
            robot.gate.joints(side, mode, values)
        except RefusedError as error:
            return LETTERS[error.reason]
        return LETTERS["sent"]


def verdicts(block: int) -> str:
    """The verdicts of one block of commands."""
    rng = np.random.default_rng([24, block])
    gate = Gate()
    return "".join(gate.verdict(rng, start) for start in starts(rng, BLOCK, MARGIN))


def assert_kept(blocks: range) -> None:
    kept = KEPT.read_text(encoding="ascii").split()
    assert len(kept) == COUNT // BLOCK
    changed = []
    for block in blocks:
        now = verdicts(block)
        changed += [
            f"command {block * BLOCK + i}: {was} is now {is_}"
            for i, (was, is_) in enumerate(zip(kept[block], now, strict=True))
            if was != is_
        ]
    unsteady = 0 if _native.isa() == WRITTEN else UNSTEADY
    assert len(changed) <= unsteady * len(blocks) * BLOCK / 1000.0, changed[:20]


def test_a_sample_of_the_verdicts_is_as_kept() -> None:
    assert_kept(range(7, COUNT // BLOCK, 40))


@pytest.mark.acceptance
def test_every_verdict_is_as_kept() -> None:
    assert_kept(range(COUNT // BLOCK))


if __name__ == "__main__":
    KEPT.parent.mkdir(exist_ok=True)
    rows = [verdicts(block) for block in range(COUNT // BLOCK)]
    KEPT.write_text("\n".join(rows) + "\n", encoding="ascii")
    print({word: "".join(rows).count(letter) for word, letter in LETTERS.items()})
