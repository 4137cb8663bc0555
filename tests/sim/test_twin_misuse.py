"""What the twin does with what it should not be given, and after something went wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from placed import placed
from test_twin_commands import Failing, refused

from baxterkit import Arm
from baxterkit.collision import World
from baxterkit.control import ResolvedRate
from baxterkit.robot import RefusedError
from baxterkit.sim import Physics, Twin
from baxterkit.trajectory import min_jerk


def fastest(twin: Twin, milliseconds: int) -> float:
    """Greatest speed of any joint on the way [rad/s]."""
    speed = 0.0
    for _ in range(milliseconds):
        twin.step()
        speed = max(speed, *(float(np.abs(limb.truth.qd).max()) for limb in twin.limbs))
    return speed


def test_a_placement_that_is_refused_moves_no_arm() -> None:
    twin = Twin().enable()
    neutral = twin.left.arm.configuration("neutral")
    message = "right[0] = nan; every value of right must be finite"
    assert refused(lambda: twin.place(neutral, np.full(7, np.nan))) == message
    assert fastest(twin, 50) < 0.01


def test_arms_are_placed_within_their_limits() -> None:
    far = np.zeros(7)
    far[0] = 9.0
    assert refused(lambda: Twin().enable().place(left=far)) == (
        "left_s0 = 9.000 rad is above its limit 1.702 rad; clip with arm.limits.clip(q)"
    )
    twin = Twin(rigid=True, physics=Physics(limits=False, contacts=False)).enable()
    twin.place(left=far)
    assert twin.left.truth.q[0] == 9.0


def test_velocities_need_positions() -> None:
    message = "qd_left needs left, the positions of that arm"
    assert refused(lambda: Twin().enable().place(qd_left=np.ones(7))) == message


def test_a_controller_that_breaks_leaves_an_arm_that_holds() -> None:
    class Breaking(Failing):
        def update(self, state: object, reference: object, dt: float) -> object:
            if self.calls == 500:
                raise ZeroDivisionError
            return super().update(state, reference, dt)  # type: ignore[arg-type]

    twin = Twin().enable()
    arm = twin.left.arm
    motion = min_jerk(arm, arm.configuration("untuck"), arm.configuration("untuck") + 0.3, 1.5)
    with pytest.raises(ZeroDivisionError):
        placed(twin, motion, Breaking(twin, None))  # type: ignore[arg-type]
    assert twin.left.mode == "hold"
    before = np.abs(twin.left.truth.qd).max()
    assert before > 0.1
    assert fastest(twin, 400) < 1.3 * before


def test_arms_that_push_each_other_come_to_rest() -> None:
    twin = Twin(noise=0.0).enable()
    across = [limb.arm.configuration("neutral").copy() for limb in twin.limbs]
    across[0][0], across[1][0] = -1.2, 1.2
    with pytest.raises(RefusedError, match="rad off the motion"):
        twin.move_to(*across)
    for _ in range(500):
        for limb, q in zip(twin.limbs, across, strict=True):
            limb.command_position(q)
        twin.step(10)
    twin.step(1000)
    assert twin.contacts
    assert fastest(twin, 200) < 0.05
    assert twin.move_to("untuck", "untuck")


def test_readings_cannot_be_written_to() -> None:
    limb = Twin().enable().left
    for row in (limb.q, limb.qd, limb.tau, limb.published.q):
        with pytest.raises(ValueError, match="read-only"):
            row[0] = 1.0


def test_a_reset_twin_does_what_a_new_one_does() -> None:
    runs = []
    for used in (False, True):
        twin = Twin(seed=5).enable()
        if used:
            twin.pan_head(0.5)
            twin.left.command_velocity(np.full(7, 0.5))
            twin.step(333)
            twin.reset()
        twin.left.command_velocity(np.full(7, 0.2))
        twin.step(150)
        runs.append((twin.left.q, twin.left.truth.tau, twin.right.truth.q, twin.head_pan))
    for a, b in zip(*runs, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Twin(seed=-1).enable(), "seed must be a whole number, 0 or above, got -1"),
        (lambda: Twin(seed=None).enable(), "seed must be a whole number, 0 or above, got None"),
        (lambda: Twin().enable().step(1.5), "n must be a whole number, 0 or above, got 1.5"),
        (lambda: Twin().enable().step(-1), "n must be a whole number, 0 or above, got -1"),
        (lambda: Twin(world=3), "world must be a collision.World, got int"),
        (lambda: Twin(physics="rk4"), "physics must be a Physics, got str"),
        (
            lambda: Twin().enable().place([0, 0, 0, 1, 0, 0, 0], qd_left=[0, 1e300, *[0] * 5]),
            "qd_left[1] = 1e+300 rad/s; the twin takes up to 100 rad/s either way",
        ),
        (
            lambda: (
                Twin(physics=Physics(limits=False)).enable().place(right=[0, 0, -1e300, 0, 0, 0, 0])
            ),
            "right[2] = -1e+300 rad; the twin takes up to 10000 rad either way",
        ),
        (
            lambda: Twin().enable().move_to("neutral", timeout=np.nan),
            "timeout = nan; every value of timeout must be finite",
        ),
        (
            lambda: Twin().enable().move_to("neutral", timeout=np.inf),
            "timeout = inf; every value of timeout must be finite",
        ),
        (
            lambda: Twin().enable().move_to("neutral", timeout=-1.0),
            "timeout = -1.0 s; it must not be negative",
        ),
        (
            lambda: Twin().enable().move_to("neutral", tolerance=np.nan),
            "tolerance = nan; every value of tolerance must be finite",
        ),
        (
            lambda: Twin().enable().move_to("neutral", tolerance=-1.0),
            "tolerance = -1.0 rad; it must not be negative",
        ),
        (
            lambda: Twin(Arm("left"), tool="vacuum").enable(),
            "tool='vacuum' is for a nominal robot; this one's arms have their tools: give "
            "Arm(side, 'vacuum'), or leave tool out",
        ),
        (
            lambda: Twin(world=with_sphere("left_w2_link", 0.05)),
            "a part of the robot or of the room is called 'left_w2_link' already",
        ),
        (
            lambda: (
                Twin()
                .enable()
                .follow(
                    min_jerk(Arm("left"), np.zeros(7), np.full(7, 0.1)), ResolvedRate(Arm("left"))
                )
            ),
            "ResolvedRate commands joint velocities, and torques are wanted here; send what its "
            "joint_velocity gives by limb.command_velocity, or take a torque controller such as "
            "ComputedTorque",
        ),
        (
            lambda: (
                Twin()
                .enable()
                .follow({"right": min_jerk(Arm("left"), np.zeros(7), np.full(7, 0.1))})
            ),
            "this motion is the left arm's, not the right arm's",
        ),
        (
            lambda: Twin().enable().follow({}),
            "no arm to move: give a motion for the left arm, the right arm or both",
        ),
        (
            lambda: (
                Twin()
                .enable()
                .follow(min_jerk(Arm("left"), np.zeros(7), np.full(7, 0.1)), settle=-1.0)
            ),
            "settle = -1.0 s; it must be between 0 and 1e+06 s",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], object], message: str) -> None:
    assert refused(make) == message


def with_sphere(name: str, radius: float, at: object = (1, 0, 0), mass: float = 0.0) -> World:
    """A world of one sphere."""
    world = World()
    world.add_sphere(name, radius, at, mass=mass)  # type: ignore[arg-type]
    return world


@pytest.mark.parametrize(
    ("sphere", "message"),
    [
        (("a\0b", 0.1), "the object's name 'a\\x00b' has characters that cannot be printed"),
        (("a\ud800", 0.1), "the object's name 'a\\ud800' has characters that cannot be printed"),
        (("a", 1e-9), "size of a is [1e-09] m; the twin takes lengths from"),
        (("a", 1e5), "size of a is [100000.0] m; the twin takes"),
        (("a", 0.1, [1e5, 0, 0]), "position of a is [100000.0, 0.0, 0.0] m; the twin"),
        (("a", 0.1, (1, 0, 0), 1e-30), "mass of a is 1e-30 kg; the twin takes 1e-05"),
        (("a", 0.1, (1, 0, 0), 1e30), "mass of a is 1e+30 kg; the twin takes 1e-05"),
    ],
)
@pytest.mark.filterwarnings("ignore::baxterkit.errors.UnitsWarning")
def test_objects_that_no_simulation_could_hold_are_refused(
    sphere: tuple[object, ...], message: str
) -> None:
    world = with_sphere(*sphere)  # type: ignore[arg-type]
    assert refused(lambda: Twin(world=world)).startswith(message)


def test_a_cloud_of_too_many_points_is_refused() -> None:
    world = World()
    world.add_points("cloud", np.ones((20_001, 3)), 0.01)
    assert "cloud consists of 20001 shapes; the twin takes up to 20000" in refused(
        lambda: Twin(world=world)
    )


def test_the_smallest_and_lightest_thing_falls() -> None:
    world = World()
    world.add_box("small", [1e-4] * 3, [1.5, 0.0, 0.0], mass=1e-5)
    twin = Twin(world=world).enable()
    height = twin.object_pose("small")[2, 3]
    twin.step(100)
    assert height - twin.object_pose("small")[2, 3] > 0.01
