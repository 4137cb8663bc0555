"""A rehearsal refuses what a link would refuse, before anything moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.lesson import Lesson, TaughtHand
from baxterkit.lesson.rehearsal import rehearse
from baxterkit.lesson.retiming import pauses
from baxterkit.robot import RefusedError
from baxterkit.robot.replaying import _grips
from baxterkit.scene import Scene
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory, min_jerk
from baxterkit.trajectory.both import at_rest
from baxterkit.trajectory.checks import ContactError

MARGIN, RADIUS = 0.005, 0.02
TOOL = "electric_standard"


def swing(robot: Baxter) -> tuple[Trajectory, dict[str, np.ndarray]]:
    """The left arm turns at its shoulder; the right one stays."""
    arm = robot.left
    here = arm.configuration("untuck")
    motion = min_jerk(arm, here, here + 0.4 * np.eye(7)[0], 2.0)
    return motion, {"left": here, "right": robot.right.configuration("untuck")}


def among(robot: Baxter, at: np.ndarray) -> Scene:
    world = World()
    world.add_sphere("ball", RADIUS, tuple(at))
    return robot.scene(world, margin=MARGIN)


def clearance(scene: Scene, motion: Trajectory, still: dict[str, np.ndarray]) -> float:
    q = motion.sample(np.linspace(0.0, motion.duration, 300)).q
    return float(scene.clearance(q, np.broadcast_to(still["right"], q.shape)).min())


def below_the_hand(robot: Baxter, motion: Trajectory, gap: float) -> Scene:
    """A ball that the motion passes above, at this distance [m]."""
    _, still = swing(robot)
    tip = robot.left.fk(motion.sample(1.0).q)[:3, 3]
    low, high = 0.05, 0.4
    for _ in range(40):
        down = 0.5 * (low + high)
        scene = among(robot, tip - [0.0, 0.0, down])
        low, high = (low, down) if clearance(scene, motion, still) > gap else (down, high)
    return scene


def test_a_path_that_clears_the_margin_by_less_than_arms_stray_is_refused() -> None:
    """A link sweeps what is beside the path too; it would refuse a later part of the lesson."""
    robot = Baxter()
    motion, still = swing(robot)
    scene = below_the_hand(robot, motion, MARGIN + 2e-4)
    q = motion.sample(np.linspace(0.0, motion.duration, 60)).q
    assert scene.first_contact(q, np.broadcast_to(still["right"], q.shape)) is None
    with pytest.raises(ContactError, match="ball"):
        rehearse(scene, motion, still, ())
    assert rehearse(below_the_hand(robot, motion, MARGIN + 0.02), motion, still, ()) == []


def test_a_closed_gripper_is_rehearsed_closed() -> None:
    """A gripper of which the lesson says nothing is as it is now."""
    robot = Baxter(Arm("left", tool=TOOL), Arm("right", tool=TOOL))
    here = robot.left.configuration("untuck")
    motion = min_jerk(robot.left, here, here + 2.4 * np.eye(7)[6], 2.0)
    still = {"right": robot.right.configuration("untuck")}
    T = robot.left.fk(motion.sample(1.0).q)
    scene = among(robot, (T @ [0.0, 0.06, -0.02, 1.0])[:3])
    closed, opened = (clearance(scene.replace(opening=(x, 1.0)), motion, still) for x in (0.0, 1.0))
    assert closed > MARGIN + 0.005 > 0.0 > opened, "open fingers touch it, closed ones do not"
    twin = Twin(robot, world=scene.world, start="untuck").enable()
    assert twin.left.opening == 1.0
    lesson = Lesson(motion, hands={"left": TaughtHand(robot.left.tool.name)})
    with pytest.raises(RefusedError, match="left_fingers touches ball"):
        lesson.replay(twin)
    twin.left.move_gripper(0.0)
    assert twin.left.opening == 0.0
    assert lesson.replay(twin)


@pytest.mark.parametrize("late", [-5e-7, 5e-7])
def test_a_grip_at_the_edge_of_a_pause_is_at_rest_in_rehearsal_and_replay(late: float) -> None:
    """Replayed, the fingers close before the arm goes on; so the rehearsal has them closed too."""
    robot = Baxter(Arm("left", tool=TOOL), Arm("right", tool=TOOL))
    here = robot.left.configuration("untuck")
    turn = min_jerk(robot.left, here, here + 2.4 * np.eye(7)[6], 1.4)
    still = {"right": robot.right.configuration("untuck")}
    T = robot.left.fk(turn.sample(0.7).q)
    scene = among(robot, (T @ [0.0, 0.06, -0.02, 1.0])[:3]).replace(opening=(1.0, 1.0))
    motion = replace(at_rest(here, robot.left.limits, 1.0), side="left").then(turn)
    _, end = pauses(motion)[0]
    with pytest.raises(ContactError, match="left_fingers"):
        rehearse(scene, motion.with_grippers(left=[(end + 0.05, 0.0)]), still, ())
    closes = motion.with_grippers(left=[(end + late, 0.0)])
    assert rehearse(scene, closes, still, ()) == []
    assert len(_grips(closes, *pauses(closes)[0])) == 1
