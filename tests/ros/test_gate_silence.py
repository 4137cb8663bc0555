"""Commands that end: what the arm still does is what the gate has predicted.

Published velocities are some 15 ms late, so an arm that speeds up is faster than they say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from baxterkit.collision import World
from baxterkit.ros import InProcess, RefusedError, in_process
from baxterkit.sim import Twin
from baxterkit.types import Array

MARGIN = 0.003
"""Clearance that is promised on the twin, with its sensors' noise [m]."""
FASTEST = 1.05
"""Speed that is promised on the twin, as a multiple of the limits."""
NOISE = 0.006
"""How far an arm may be beside its predicted motions [rad]: noise of states, and their age."""


@contextmanager
def watched(world: World | None = None) -> Iterator[tuple[InProcess, list[Array]]]:
    """A twin with its arms untucked, and its true positions and velocities in every step."""
    twin, trace = Twin(start="untuck"), list[Array]()
    step = twin.step

    def steps(n: int = 1) -> None:
        for _ in range(n):
            step(1)
            states = [limb.truth for limb in twin.limbs]
            trace.append(np.array([x for state in states for x in (state.q, state.qd)]))

    with in_process(twin, world=world, enabled=True) as both:
        both.link.take_control()
        both.clock.sleep(0.2)
        twin.step = steps  # type: ignore[method-assign]
        yield both, trace


def until_refused(both: InProcess, command: Callable[[], None], most: int) -> int:
    """Sends a command every 10 ms until it is refused, then nothing; how many were sent."""
    sent = 0
    try:
        while sent < most:
            command()
            sent += 1
            both.clock.sleep(0.01)
    except RefusedError:
        pass
    both.clock.sleep(1.2)
    return sent


@pytest.mark.parametrize("turn", [-0.6, -0.51])
def test_an_arm_that_speeds_up_towards_an_obstacle_stops_before_it(turn: float) -> None:
    """The last of these touched the ball: 0.3 mm inside."""
    arm = Twin(start="untuck").left.arm
    there, velocity = arm.configuration("untuck").copy(), np.zeros(7)
    there[0] += turn
    velocity[0] = -arm.limits.velocity[0]
    world = World()
    world.add_sphere("ball", 0.05, arm.fk(there)[:3, 3])
    with watched(world) as (both, trace):
        assert until_refused(both, lambda: both.link.left.command_velocity(velocity), 100) > 2
        rows = np.array(trace)
        gap = both.link.robot.scene(world).clearance(rows[:, 0], rows[:, 2])
    assert float(gap.min()) >= MARGIN


@pytest.mark.parametrize("share", [-0.2, 0.2])
def test_torques_make_no_joint_too_fast_that_speeds_up_already(share: float) -> None:
    """e1 reached 1.08 times its limit by the second command."""
    with watched() as (both, trace):
        limits = both.twin.left.arm.limits
        tau = share * limits.effort * np.eye(7)[3]
        assert until_refused(both, lambda: both.link.left.command_torque(tau), 100) > 0
        speed = np.abs(np.array(trace)[:, 1]) / limits.velocity
    assert 0.5 < float(speed.max()) <= FASTEST


def by_velocity(both: InProcess) -> None:
    both.link.left.command_velocity(0.9 * both.twin.left.arm.limits.velocity)


def by_torque(both: InProcess) -> None:
    both.link.left.command_torque(0.15 * both.twin.left.arm.limits.effort * np.eye(7)[3])


def by_position(both: InProcess) -> None:
    limb = both.link.left
    limb.command_position(limb.q + 0.25)


@pytest.mark.parametrize(
    ("command", "count", "held"),
    [
        (by_velocity, 8, False),
        (by_velocity, 8, True),
        (by_torque, 1, False),
        (by_position, 1, False),
        (by_position, 1, True),  # who holds sends nothing: the robot goes on until its timeout
    ],
)
def test_the_other_arm_reckons_with_what_an_arm_still_does(
    command: Callable[[InProcess], None], count: int, held: bool
) -> None:
    with watched() as (both, trace):
        for k in range(count):
            if k:
                both.clock.sleep(0.01)
            command(both)
        if held:
            both.link.left.hold()
        judge = both.link._gate._judge
        trace.clear()
        motion = judge._motion_of("left", both.link.left.published).reshape(-1, 7)
        low, high = motion.min(axis=0) - NOISE, motion.max(axis=0) + NOISE
        both.clock.sleep(1.2)
        q = np.array(trace)[:, 0]
    assert np.abs(q[-1] - q[0]).max() > (0.02 if count == 1 else 0.1) or held
    outside = np.maximum(low - q, q - high).max(axis=0)
    assert (outside <= 0.0).all(), outside


@pytest.mark.parametrize(("turn", "last"), [(-0.02, 0.0), (-0.035, 0.3)])
def test_a_refused_raw_stream_brakes_clear_though_a_joint_had_slowed_down(
    turn: float, last: float
) -> None:
    """s0 turns the elbow to the head, s1 lifts it past; but s1 slows down, and velocities are late.

    From the measured ones s1 would still get the elbow past.
    """
    q = np.array([1.105 + turn, -0.931, -2.781, 1.208, 1.753, 1.476, 0.301])
    with watched() as (both, trace):
        limb = both.link.right
        both.twin.place(both.twin.left.truth.q, q)
        both.clock.sleep(0.1)
        trace.clear()
        row, t = limb.q.copy(), 0.0

        def command() -> None:
            nonlocal row, t
            t += 0.01
            slowing = 0.14 + (0.8 - last) / 6.5
            turning = np.interp(t, [0.0, 0.16], [0.0, 0.87])
            lifting = np.interp(t, [0.0, 0.14, slowing], [0.0, 0.8, last])
            row = row + 0.01 * np.array([turning, lifting, 0.0, 0.0, 0.0, 0.0, 0.0])
            limb.command_position(row, raw=True)

        sent = until_refused(both, command, 60)
        assert 10 < sent < 60
        rows = np.array(trace)
        gap = both.link.robot.scene().clearance(rows[:, 0], rows[:, 2])
    assert gap.min() >= MARGIN
