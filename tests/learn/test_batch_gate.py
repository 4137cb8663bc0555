"""The gate of a batch decides as the link's own gate does, command by command."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest
from fake_robot import FakeRobot
from gate_problems import LIMITS, ROBOT, starts
from problems import generator

from baxterkit import Arm, Baxter, Payload
from baxterkit.clock import SimulatedClock
from baxterkit.learn.gate import REASONS, BatchGate, Seen
from baxterkit.messages import message_class
from baxterkit.model.names import ARM_COLUMNS, SIDES
from baxterkit.ros import RefusedError
from baxterkit.ros.rules import MARGIN
from baxterkit.types import Array

GripperState = message_class("baxter_core_msgs/EndEffectorState")
PERIOD = 0.02
MANY = int(os.environ.get("BAXTERKIT_BATCH_GATE_COMMANDS", "20000"))
LOADED = Baxter(
    Arm("left", "electric_extended", payload=Payload(1.6)),
    Arm("right", "electric_extended", payload=Payload(0.8, com=(0.05, 0.0, 0.1))),
)
"""Hands that carry enough that arms are too weak for some commands."""
EXPECTED = {
    "velocity": {"", "position", "collision"},
    "position": {"", "position", "jump", "velocity", "collision"},
    "torque": {"", "velocity", "position", "collision"},
}


class Links:
    """One link after another, with the robots of a batch."""

    def __init__(self, rng: np.random.Generator, n: int, model: Baxter = ROBOT) -> None:
        found = starts(rng, 8 * n, MARGIN)
        world = found[0].world
        self.starts = [start for start in found if start.world.names == world.names][:n]
        self.robots = []
        for _ in self.starts:
            robot = FakeRobot(clock=SimulatedClock(), model=model, world=world)
            robot.gate.take_control()
            self.robots.append(robot)
        self.model, self.scene = model, model.scene(world, margin=MARGIN)
        self.q = np.array([start.q for start in self.starts])
        self.qd = np.zeros_like(self.q)

    def tell(self) -> Seen:
        """All robots publish their states."""
        for robot, start, q, qd in zip(self.robots, self.starts, self.q, self.qd, strict=True):
            robot.q, robot.qd = {"left": q[:7], "right": q[7:]}, {"left": qd[:7], "right": qd[7:]}
            robot.clock.sleep(PERIOD)
            robot.tell(later=PERIOD)
            for side, opening in zip(SIDES, start.openings, strict=True):
                state = GripperState(position=100.0 * opening, calibrated=1)
                robot.node.callbacks[f"/robot/end_effector/{side}_gripper/state"](state, "/e")
        borne = np.concatenate(
            [self.model.left.gravity(self.q[:, :7]), self.model.right.gravity(self.q[:, 7:])],
            axis=1,
        )
        t = np.array([robot.clock.now() for robot in self.robots])
        return Seen(t, self.q, self.qd, np.zeros_like(self.q), borne)

    def reasons(self, side: str, mode: str, values: Array) -> list[str]:
        """What each link says to a command."""
        found = []
        for robot, row in zip(self.robots, values, strict=True):
            try:
                robot.gate.joints(side, mode, row)
                found.append("")
            except RefusedError as error:
                found.append(error.reason)
        return found


def wanted(rng: np.random.Generator, mode: str, q: Array, sent: Array) -> Array:
    """Commands, some of them too much."""
    share = rng.uniform(-1.0, 1.0, q.shape) * rng.choice([0.1, 0.4, 1.0], (len(q), 1))
    share *= rng.random(q.shape) < 0.7
    if mode == "velocity":
        values = share * LIMITS.velocity * np.where(rng.random((len(q), 1)) < 0.05, 1.2, 1.0)
    elif mode == "torque":
        values = share * LIMITS.effort * rng.choice([0.02, 0.1, 0.5], (len(q), 1))
    else:
        near = np.where(rng.random((len(q), 1)) < 0.7, sent, q)
        values = near + share * rng.choice([0.02, 0.1, 0.32], (len(q), 1))
        values = np.where(
            rng.random((len(q), 1)) < 0.9, np.clip(values, LIMITS.lower, LIMITS.upper), values
        )
    values[rng.random(len(q)) < 0.01, 3] = np.nan
    return values


def compare(mode: str, n: int, periods: int, part: int = 0, model: Baxter = ROBOT) -> Counter[str]:
    """Random commands to both arms; how often each verdict came."""
    rng = generator(f"batch gate {mode} {part}")
    links = Links(rng, n, model)
    gate = BatchGate(len(links.q), links.scene, mode)
    counted: Counter[str] = Counter()
    sent = {"left": links.q[:, :7].copy(), "right": links.q[:, 7:].copy()}
    for period in range(periods):
        seen = links.tell()
        gate.set_openings([
            robot.gate._judge.grippers.spans(robot.states.grippers, robot.clock.now())
            for robot in links.robots
        ])  # fmt: skip
        for side in SIDES:
            columns = ARM_COLUMNS[side]
            values = wanted(rng, mode, links.q[:, columns], sent[side])
            ours = [REASONS[code] for code in gate.judge(side, values, seen)]
            theirs = links.reasons(side, mode, values)
            assert ours == theirs, (mode, period, side)
            allowed = np.array([not reason for reason in ours])
            gate.note(side, values, allowed, seen.t)
            sent[side][allowed] = values[allowed]
            counted.update(ours)
        links.qd = rng.uniform(-0.5, 0.5, links.q.shape) * rng.choice([0.0, 0.01, 1.0], (n, 1))
        links.q = np.clip(
            links.q + PERIOD * links.qd, np.tile(LIMITS.lower, 2), np.tile(LIMITS.upper, 2)
        )
    return counted


@pytest.mark.parametrize("mode", list(EXPECTED))
def test_the_verdicts_are_those_of_the_link(mode: str) -> None:
    counted = compare(mode, 12, 6)
    assert counted.keys() >= EXPECTED[mode], counted
    assert counted[""] > 20


@pytest.mark.parametrize("mode", list(EXPECTED))
def test_the_verdicts_are_those_of_the_link_with_loads(mode: str) -> None:
    counted = compare(mode, 12, 6, model=LOADED)
    assert counted[""] > 20
    assert mode != "velocity" or counted["effort"] > 5, counted


@pytest.mark.acceptance
@pytest.mark.parametrize("model", [ROBOT, LOADED], ids=["bare", "loaded"])
@pytest.mark.parametrize("mode", list(EXPECTED))
def test_the_verdicts_are_those_of_the_link_for_many_commands(mode: str, model: Baxter) -> None:
    counted: Counter[str] = Counter()
    part = 0
    while counted.total() < MANY:
        part += 1
        counted += compare(mode, 24, 20, part, model)
    print(f"\n{mode}: {dict(counted)}")
