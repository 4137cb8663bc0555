"""Fingers close on things and hold them, stop at what is fixed, and leave the equations alone."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.sim import Twin

TABLE = -0.15
SIDE = 0.036


WIDE = 2 * (0.05503 - 0.01725)
"""How much farther apart wide fingers are [m]."""


def at_a_cube(
    shift: float = 0.0, mass: float = 0.1, tool: str = "electric_extended", across: float = SIDE
) -> Twin:
    """The left hand around a block on the table, which is off its middle by `shift` [m]."""
    world = World()
    world.add_table("table", TABLE)
    world.add_box("cube", (SIDE, across, SIDE), (0.7, 0.3 + shift, TABLE + SIDE / 2), mass=mass)
    arm = Arm("left", tool)
    twin = Twin(Baxter(left=arm), world=world).enable()
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = 0.7, 0.3, TABLE + 0.025
    twin.place(left=arm.ik(T, seed=arm.configuration("neutral")).raise_if_failed().q)
    return twin


def lift(twin: Twin) -> None:
    arm = twin.left.arm
    T = arm.fk(twin.left.truth.q)
    T[2, 3] += 0.2
    assert twin.move_to(left=arm.ik(T, seed=twin.left.truth.q).raise_if_failed().q)


@pytest.mark.parametrize(
    ("shift", "tool", "across"),
    [
        (0.0, "electric_extended", SIDE),
        (0.005, "electric_extended", SIDE),
        (0.0, "electric_standard", SIDE),
        (0.0, "electric_standard_wide", SIDE + WIDE),
        (0.0, "electric_extended_wide", SIDE + WIDE),
    ],
)
def test_a_cube_is_taken_lifted_and_let_go(shift: float, tool: str, across: float) -> None:
    twin = at_a_cube(shift, tool=tool, across=across)
    assert twin.left.opening == 1.0
    assert twin.contacts == [("table", "cube")]
    twin.left.move_gripper(0.0)
    assert twin.left.holds == "cube"
    opening = twin.left.opening
    assert opening is not None
    assert 0.5 < opening < 0.8
    lift(twin)
    assert twin.object_pose("cube")[2, 3] > TABLE + 0.15
    twin.left.move_gripper(1.0, timeout=0.0)
    twin.step(1000)
    assert twin.left.holds is None
    assert twin.left.opening == 1.0
    assert twin.object_pose("cube")[2, 3] == pytest.approx(TABLE + SIDE / 2, abs=1e-3)


def test_what_is_fixed_stops_the_fingers_and_is_not_held() -> None:
    twin = at_a_cube(mass=0.0)
    twin.left.move_gripper(0.0)
    opening = twin.left.opening
    assert twin.left.holds is None
    assert opening is not None
    assert 0.5 < opening < 0.8


def test_fingers_that_cannot_close_on_a_wide_block_do_not_hold_it() -> None:
    twin = at_a_cube(across=0.0505)
    twin.left.move_gripper(0.0)
    assert twin.left.opening == 1.0
    assert twin.left.holds is None
    twin.left.pick_up("cube")
    twin.left.move_gripper(1.0)
    assert twin.left.holds is None


def test_without_a_thing_they_close_and_open_again() -> None:
    twin = Twin(tool="electric_extended").enable()
    twin.right.move_gripper(0.0, timeout=0.0)
    twin.step(200)
    opening = twin.right.opening
    assert opening is not None
    assert opening == pytest.approx(0.5, abs=0.01)
    twin.step(300)
    assert (twin.left.opening, twin.right.opening) == (1.0, 0.0)
    assert twin.right.holds is None
    assert twin.contacts == []
    twin.right.move_gripper(0.3, timeout=0.0)
    twin.step(300)
    assert twin.right.opening == pytest.approx(0.3)
    twin.reset()
    assert twin.right.opening == 1.0


def test_where_the_fingers_are_does_not_change_how_the_arm_moves() -> None:
    ends = []
    for opening in (1.0, 0.0):
        twin = Twin(tool="electric_extended", noise=0.0).enable()
        twin.left.move_gripper(opening, timeout=0.0)
        twin.step(500)
        twin.move_to(left="neutral")
        ends.append(twin.left.truth.q)
    assert (ends[0] == ends[1]).all()


def test_mistakes_are_refused() -> None:
    with pytest.raises(
        InputError, match="'hand' has no fingers that move; 'electric_standard' and"
    ):
        Twin().enable().left.move_gripper(0.0)
    assert Twin().enable().left.opening is None
    twin = Twin(tool="electric_extended").enable()
    for wrong in (-0.1, 1.1, np.nan, [0.0, 1.0]):
        with pytest.raises(InputError, match="opening"):
            twin.left.move_gripper(wrong)  # type: ignore[arg-type]
    assert twin.left.opening == 1.0
