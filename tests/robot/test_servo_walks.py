"""Random walks of teleoperation through a wall of posts, over the link in one process."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit.collision import World
from baxterkit.ros import in_process
from baxterkit.ros.robot.arm import Received
from baxterkit.servo import Source
from baxterkit.sim import Twin
from baxterkit.types import Transform

WALKS, IN_ONE_WORLD, SECONDS = 1000, 50, 3.0


def posts(rng: np.random.Generator) -> World:
    """A wall of posts before the robot, some of them missing."""
    world = World()
    for i, y in enumerate(np.arange(-0.9, 0.91, 0.2)):
        if rng.random() < 0.75:
            x, height = 0.8 + rng.uniform(-0.05, 0.1), rng.uniform(0.5, 1.4)
            world.add_box(f"post {i}", (0.05, 0.05, height), (x, y, 0.5 * height - 0.4))
    return world


def walks(count: int, seed: int) -> tuple[int, int, float, float]:
    """Contacts, commands, and the greatest share of a velocity limit commanded and measured."""
    rng = np.random.default_rng(seed)
    world, received = posts(rng), list[Received]()
    touched, fast = 0, 0.0
    with in_process(Twin(world=world), world=world, on_command=received.append) as both:
        link, twin = both.link.enable(), both.twin
        top = np.concatenate([limb.arm.limits.velocity for limb in twin.limbs])

        def look(_stamp: int) -> None:
            nonlocal touched, fast
            touched += len(twin.contacts)
            qd = np.concatenate([limb.truth.qd for limb in twin.limbs])
            fast = max(fast, float((np.abs(qd) / top).max()))

        both.robot.after_state.append(look)
        for _ in range(count):
            with both.robot.lock:
                twin.place(*(limb.arm.configuration("untuck") for limb in twin.limbs))
            both.clock.sleep(0.3)
            side = str(rng.choice(["left", "right", "both"]))
            link.servo(source(rng, {s: link.limb(s).tip for s in ("left", "right")}, side), side,
                       seconds=SECONDS)  # fmt: skip
    limits = dict(zip(twin.left.arm.joint_names + twin.right.arm.joint_names, top, strict=True))
    told = max(abs(x) / limits[name] for one in received for name, x in one.values.items())
    return touched, len(received), told, fast


def source(rng: np.random.Generator, start: dict[str, Transform], side: str) -> Source:
    """Targets that walk through the posts, jump, and are missing or NaN at times."""
    at = {each: T.copy() for each, T in start.items() if side in (each, "both")}
    heading = {each: rng.normal(size=3) for each in at}

    def target(t: float) -> dict[str, np.ndarray] | None:
        for each, T in at.items():
            if rng.random() < 0.02:
                heading[each] = rng.normal(size=3) + np.array([0.5, 0.0, 0.0])
            T[:3, 3] += 0.004 * heading[each]
            if rng.random() < 0.005:
                T[:3, 3] = rng.uniform([0.3, -0.9, -0.3], [1.3, 0.9, 0.8])
        if rng.random() < 0.05:
            return None
        bad = rng.random() < 0.02
        return {each: np.full((4, 4), np.nan) if bad else T.copy() for each, T in at.items()}

    return target


@pytest.mark.acceptance
def test_a_thousand_walks_touch_nothing_and_keep_the_limits() -> None:
    found = [walks(IN_ONE_WORLD, seed) for seed in range(WALKS // IN_ONE_WORLD)]
    touched, sent, told, fast = (
        f(x) for f, x in zip((sum, sum, max, max), zip(*found, strict=True), strict=True)
    )
    print(
        f"{WALKS} walks, {sent} commands, {touched} contacts, {told:.3f} and {fast:.3f} of limits"
    )
    assert touched == 0
    assert told <= 1.0
    assert fast <= 1.0
