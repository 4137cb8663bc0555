"""Velocity commands that an arm is too weak for, with what it carries, are refused."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm, Baxter, Payload
from baxterkit.collision import World
from baxterkit.ros import InProcess, RefusedError, in_process, strength
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory

TOOL = "electric_standard"
START = np.array([0.0, -0.5, 0.0, 1.0, 0.0, 0.4, 0.0])
COMMAND = np.array([1.0, -1.0, 1.0, -1.0, 0.0, -2.5, -2.5])
"""The arm stretched out, and joints that all lift."""


def heavy(mass: float) -> Baxter:
    return Baxter(Arm("left", TOOL, payload=Payload(mass)), Arm("right", TOOL))


def fastest(both: InProcess, command: np.ndarray, ticks: int = 15) -> float:
    """The greatest share of a velocity limit while a command is sent, and after it."""
    top, fast = both.twin.left.arm.limits.velocity, 0.0
    for tick in range(2 * ticks):
        if tick < ticks:
            both.link.left.command_velocity(command)
        both.clock.sleep(0.01)
        fast = max(fast, float((np.abs(both.twin.left.truth.qd) / top).max()))
    return fast


def test_a_step_that_saturates_motors_under_a_known_load_is_refused() -> None:
    """Such ones were sent, and an arm turned at 2.7 times a limit, against its command."""
    with in_process(Twin(heavy(1.2)), model=heavy(1.2)) as both:
        both.link.enable()
        both.twin.place(left=START)
        both.clock.sleep(0.3)
        with pytest.raises(
            RefusedError, match=r"with the load of the hand: go slower.* left_\w\d ="
        ):
            both.link.left.command_velocity(COMMAND)
        both.clock.sleep(0.3)
        assert np.abs(both.twin.left.truth.q - START).max() < 0.02
        assert fastest(both, 0.15 * COMMAND) < 1.05


def test_without_a_load_it_is_sent() -> None:
    with in_process(Twin(tool=TOOL)) as both:
        both.link.enable()
        both.twin.place(left=START)
        both.clock.sleep(0.3)
        assert fastest(both, COMMAND) < 1.05


def test_what_a_hand_holds_counts() -> None:
    world = World()
    world.add_sphere("load", 0.04, (0.6, 0.3, 0.1), mass=3.0)
    world.attach("load", "left", np.eye(4))
    scene = Baxter(Arm("left", TOOL), Arm("right", TOOL)).scene(world)
    both = strength.arms(scene, "left")
    assert both is not None
    assert both[0].model.payload is not None
    assert both[0].model.payload.mass == pytest.approx(3.0)
    assert both[1].model.payload is None
    assert strength.arms(scene, "right") is None


def test_a_motion_that_takes_too_much_does_not_begin() -> None:
    robot = heavy(1.2)
    with in_process(Twin(robot), model=robot) as both:
        link = both.link.enable()
        both.twin.place(left=START)
        both.clock.sleep(0.3)
        here, sent = link.left.q, both.twin.left.truth.q
        away = here - 0.3 * np.eye(7)[1]
        quick = Trajectory.from_points([0.0, 0.5, 1.0], [here, away, here], side="left")
        words = r"with the load of the hand, or to brake on it, and .* are allowed; go at 0\."
        with pytest.raises(RefusedError, match=words) as told:
            link.follow(quick)
        assert np.abs(both.twin.left.truth.q - sent).max() < 1e-3
        share = float(str(told.value).split("go at ")[1].split()[0])
        assert link.follow(quick, speed=share)
