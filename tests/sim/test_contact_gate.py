"""The search for contacts is left out while nothing is near, and that changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("mujoco")

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.sim import Physics, Twin
from baxterkit.sim.contact_gate import MARGIN

BOX = World()
BOX.add_box("crate", (0.2, 0.2, 0.2), (0.75, 0.35, 0.15))


def always_on(**options: object) -> Twin:
    """A twin that searches for contacts in every step."""
    twin = Twin(**options).enable()  # type: ignore[arg-type]
    gate = twin._gate
    gate._world, gate.checker, gate.is_open = None, None, True
    gate._option.disableflags = gate._flags
    return twin


def run(twin: Twin, speeds: np.ndarray, every: int = 50) -> tuple[np.ndarray, list[object]]:
    """States after every step and contacts of every tenth, under velocity commands (n, 2, 7)."""
    states, contacts = [], []
    for rows in speeds:
        for limb, speed in zip(twin.limbs, rows, strict=True):
            limb.command_velocity(speed)
        for n in range(every):
            twin.step()
            states.append(np.concatenate([twin.data.qpos, twin.data.qvel]))
            if n % 10 == 0:
                contacts.append(twin.contacts)
    return np.array(states), contacts


def across(n: int = 22) -> np.ndarray:
    """Both arms turn to the middle, where they meet."""
    speeds = np.zeros((n, 2, 7))
    speeds[:, 0, 0], speeds[:, 1, 0] = -1.2, 1.2
    return speeds


@pytest.mark.parametrize(
    "options",
    [
        {"world": BOX, "tool": "vacuum"},
        {"rigid": True, "physics": Physics(integrator="rk4")},
        {"tool": "electric_extended"},
    ],
    ids=["scene", "rk4", "fingers"],
)
def test_states_are_the_same_to_the_bit_far_and_near(options: dict[str, object]) -> None:
    gated, other = Twin(**options).enable(), always_on(**options)  # type: ignore[arg-type]
    assert not gated._gate.searches
    states, contacts = run(gated, across())
    expected, all_contacts = run(other, across())
    assert (states == expected).all()
    assert contacts == all_contacts
    assert not contacts[0]
    assert any(contacts)
    assert gated._gate.searches


def test_random_motions_have_the_same_contacts() -> None:
    speeds = np.random.default_rng(0).uniform(-1.0, 1.0, (25, 2, 7))
    gated, other = Twin(tool="electric_extended").enable(), always_on(tool="electric_extended")
    states, contacts = run(gated, speeds)
    expected, all_contacts = run(other, speeds)
    assert (states == expected).all()
    assert contacts == all_contacts


def test_fingers_that_close_search() -> None:
    twin = Twin(tool="electric_extended").enable()
    assert not twin._gate.searches
    twin.left.move_gripper(0.0, timeout=0.0)
    twin.step(20)
    assert twin._gate.searches
    twin.step(800)
    assert not twin._gate.searches


def test_things_that_move_are_always_searched_for() -> None:
    world = World()
    world.add_sphere("ball", 0.05, (0.8, 0.0, 0.0), mass=0.2)
    twin = Twin(world=world).enable()
    assert twin._gate.searches
    twin.step(500)
    assert ("ball", "floor") in [tuple(sorted(pair)) for pair in twin.contacts]


def test_the_floor_is_near() -> None:
    pole = np.eye(4)
    pole[2, 3] = 0.5
    twin, world = Twin(Baxter(Arm("left", tool=pole))).enable(), World()
    world.add_plane("floor", (0, 0, 1), -0.93)
    right = twin.right.arm.configuration("untuck")
    down = np.array([0.2, 1.04, 0.0, 0.0, 0.0, 0.4, 0.0])
    gap = [float(twin.robot.scene(w).clearance(down, right)) for w in (None, world)]
    assert gap[1] < MARGIN < gap[0]
    twin.place(left=down)
    assert twin._gate.searches
