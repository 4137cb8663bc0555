"""Faults at random: the robot falls silent, repeats itself, is stopped; the master dies; commands
are mad. Nothing outside the limits or into a collision reaches the robot, and nothing hangs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np
import pytest
from twin_process import linked

from baxterkit.errors import InputError
from baxterkit.messages import message_class
from baxterkit.ros import LocalGraph, RefusedError, RosError, Rules, TwinRobot
from baxterkit.ros.graph.own_master import OwnMaster
from baxterkit.ros.robot.arm import Received
from baxterkit.sim import Twin

Header = message_class("std_msgs/Header")
LONGEST = 20.0
"""No call may take longer than this [s]."""


class Chaos:
    """A twin as a robot, a link to it, another link that commands it too, and ways to disturb them.

    Without a master all of it is in one process on simulated time.
    """

    def __init__(self, seed: int, master: OwnMaster | None = None) -> None:
        self.rng = np.random.default_rng(seed)
        self.received: list[Received] = []
        self.master = master
        graph = LocalGraph() if master is None else master.uri
        self.robot = TwinRobot(
            Twin(start="neutral"), graph, enabled=True, on_command=self.received.append
        )
        rules = Rules(stale=0.3, stall=5.0)
        self.link, self.rival = (linked(graph, rules=rules) for _ in range(2))
        self.clock = self.link.clock
        for link in (self.link, self.rival):
            link.take_control()
        self.faults = (
            self.silence, self.repeat, self.reorder, self.broken, self.disable, self.press,
            self.nan, self.beyond, self.jump, self.into_contact, self.fast, self.strong, self.fight,
            self.wander,
        )  # fmt: skip

    def close(self) -> None:
        self.rival.close()
        self.link.close()
        self.robot.close()
        if self.master is not None:
            self.master.close()

    def inject(self, i: int) -> float:
        """One fault, with commands all along; returns the longest call [s]."""
        fault = self.faults[self.rng.integers(len(self.faults))]
        if self.master is not None and i % 100 == 99:
            fault = self.restart
        started = self.clock.now()
        fault()
        self.command()
        self.clock.sleep(0.01)
        return self.clock.now() - started

    def eventually(self, what: Callable[[], object]) -> None:
        """Waits until `what()` is true."""
        end = self.clock.now() + LONGEST
        while not what():
            assert self.clock.now() < end, f"not within {LONGEST} s"
            self.clock.sleep(0.01)

    def command(self) -> None:
        """A command that may or may not pass."""
        side = ("left", "right")[self.rng.integers(2)]
        limb = self.link.limb(side)
        kind = self.rng.integers(4)
        try:
            if kind == 0:
                limb.command_position(limb.q + 0.05 * self.rng.standard_normal(7))
            elif kind == 1:
                limb.command_velocity(0.2 * self.rng.standard_normal(7))
            elif kind == 2:
                limb.command_torque(0.5 * self.rng.standard_normal(7))
            else:
                limb.command_position(limb.q + 0.002 * self.rng.standard_normal(7), raw=True)
        except RefusedError:
            pass

    def refused(self, act: object, values: object) -> None:
        assert callable(act)
        with pytest.raises((RefusedError, InputError)):
            act(values)

    def silence(self) -> None:
        self.robot.paused.set()
        self.clock.sleep(0.02)
        self.command()
        self.robot.paused.clear()

    def states(self, shift: float, **fields: object) -> None:
        """A message of the robot's own node, with a stamp of its own."""
        stamp = self.clock.stamp() + int(shift * 1e9)
        states = self.robot._states
        states._states(**{**states.message(stamp), **fields})

    def repeat(self) -> None:
        for _ in range(3):
            self.states(-0.01)

    def reorder(self) -> None:
        for shift in (-0.005, -0.5, -0.02):
            self.states(shift)

    def broken(self) -> None:
        self.states(0.0, position=np.full(17, np.nan))
        self.states(0.0, name=["left_s0"], position=[0.0])

    def disable(self) -> None:
        self.robot.assembly.enabled = False
        self.clock.sleep(0.02)
        self.command()
        self.robot.assembly.enabled = True

    def press(self) -> None:
        self.robot.assembly.press()
        self.clock.sleep(0.02)
        self.command()
        self.robot.assembly.press(False)
        self.robot.assembly.stopped, self.robot.assembly.enabled = False, True

    def nan(self) -> None:
        values = np.zeros(7)
        values[self.rng.integers(7)] = (np.nan, np.inf)[self.rng.integers(2)]
        self.refused(self.link.left.command_position, values)
        self.refused(self.link.left.command_torque, values)

    def beyond(self) -> None:
        limits = self.link.left.arm.limits
        self.refused(self.link.left.command_position, limits.upper + 0.01)
        self.refused(self.link.left.command_velocity, 1.01 * limits.velocity)
        self.refused(self.link.left.command_torque, -1.01 * limits.effort)

    def jump(self) -> None:
        q = self.link.left.q.copy()
        q[0] += 0.5
        self.refused(self.link.left.command_position, q)

    def into_contact(self) -> None:
        limits = self.link.left.arm.limits
        rows = self.rng.uniform(limits.lower, limits.upper, (40, 7))
        hits = rows[self.link.robot.in_collision(rows, self.link.right.q)]
        if len(hits):
            self.refused(self.link.left.command_position, hits[0])

    def fast(self) -> None:
        limits = self.link.left.arm.limits
        with contextlib.suppress(RefusedError):
            self.link.left.command_velocity(self.rng.uniform(-1.0, 1.0, 7) * limits.velocity)

    def strong(self) -> None:
        limits = self.link.right.arm.limits
        self.refused(
            self.link.right.command_torque, self.rng.choice([-1.0, 1.0], 7) * limits.effort
        )

    def fight(self) -> None:
        for link in (self.link, self.rival, self.link):
            with contextlib.suppress(RefusedError):
                link.left.command_velocity(0.1 * self.rng.standard_normal(7))

    def wander(self) -> None:
        for _ in range(5):
            self.command()
            self.clock.sleep(0.01)

    def restart(self) -> None:
        """The master dies, commands go on, it comes back and knows the link again."""
        assert self.master is not None
        self.master.close()
        self.command()
        self.clock.sleep(0.1)
        self.master = OwnMaster(int(self.master.uri.rpartition(":")[2]))
        node = self.link._listener
        self.eventually(lambda: self.known(node))

    def known(self, node: object) -> bool:
        try:
            names = node.publishers_of("/robot/limb/left/joint_command")  # type: ignore[attr-defined]
            return len(names) == 2 and bool(node.publishers_of("/robot/state"))  # type: ignore[attr-defined]
        except RosError:
            return False

    def check(self) -> None:
        """Of all that has reached the robot: within the limits, finite, free of contacts."""
        arms = {side: getattr(self.link.robot, side) for side in ("left", "right")}
        for command in self.received:
            arm = arms[command.side]
            values = np.array([command.values[name] for name in arm.joint_names])
            assert np.isfinite(values).all()
            if command.mode in ("position", "raw position"):
                arm.limits.check(values, 1e-6)
            elif command.mode == "velocity":
                assert (np.abs(values) <= arm.limits.velocity + 1e-9).all()
            else:
                assert (np.abs(values) <= arm.limits.effort).all()
        assert not self.robot.twin.contacts


def run(chaos: Chaos, count: int) -> None:
    touched: set[tuple[str, str]] = set()
    longest = 0.0
    for i in range(count):
        longest = max(longest, chaos.inject(i))
        with chaos.robot.lock:
            touched.update(chaos.robot.twin.contacts)
    assert not touched
    assert longest < LONGEST
    chaos.check()
    modes = {command.mode for command in chaos.received}
    print(f"\n{count} faults: {len(chaos.received)} commands received {modes}, "
          f"{chaos.link._gate.refused} refused, longest call {longest:.2f} s")  # fmt: skip
    assert modes == {"position", "raw position", "velocity", "torque"}
    chaos.eventually(lambda: chaos.link.left.published.age < 0.3)
    chaos.eventually(lambda: chaos.link._assembly.estop_button == 0)
    chaos.link.enable()
    chaos.eventually(lambda: np.abs(chaos.link.left.qd).max() < 0.02)
    here = chaos.link.left.q.copy()
    chaos.link.follow({"left": _still(here)})


def _still(q: np.ndarray) -> object:
    from baxterkit.trajectory import Trajectory

    t = np.linspace(0.0, 0.5, 6)
    return Trajectory.from_points(t, np.tile(q, (6, 1)) + 1e-4 * t[:, None])


def test_fifty_faults() -> None:
    with contextlib.closing(Chaos(11)) as chaos:
        run(chaos, 50)


@pytest.mark.acceptance
@pytest.mark.real_clock
def test_a_thousand_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baxterkit.ros.graph.watch.PERIOD", 0.05)
    with contextlib.closing(Chaos(11, OwnMaster(0))) as chaos:
        run(chaos, 1000)
