"""How often and how well plans succeed, on many problems: run by `make acceptance`.

Truth about the bookshelf is the robot's meshes by coal, electric grippers fully open. Fingers may
touch cans there: the goals are grasps by hands that open wider than the robot's.
"""

from __future__ import annotations

import bookshelf
import numpy as np
import pytest
from components import require
from plan_problems import ROBOT, Problem, double, infeasible, single
from tolerances import BODY_REJECTS

from baxterkit.planning import SearchSettings, plan
from baxterkit.planning.request import CLEAR
from baxterkit.trajectory import Trajectory
from baxterkit.trajectory.joint_space import ACCELERATION

pytestmark = pytest.mark.acceptance
SOLVED = 0.999
"""Share of the accepted problems that must be solved within one second."""
RATE = 1000.0
"""Rate of the samples of a motion [Hz]."""


def shelf_pairs(shelf: bookshelf.Shelf) -> tuple[tuple[str, str], ...]:
    """Fingers against cans."""
    cans = [name for name in shelf.world.names if shelf.world[name].kind == "cylinder"]
    return tuple((f"{side}_fingers", can) for side in ("left", "right") for can in cans)


def sampled(motion: Trajectory) -> np.ndarray:
    assert motion.side == "both"
    return motion.at_rate(RATE)[1]


def test_bookshelf_problems_are_solved_and_their_motions_are_free() -> None:
    require("data")
    if bookshelf.folder() is None:
        pytest.skip("BAXTERKIT_DATA has no folder bookshelf")
    accepted = solved = 0
    for shelf in bookshelf.problems():
        without = shelf_pairs(shelf)
        ends = np.stack([shelf.start, shelf.goal])
        scene = ROBOT.scene(shelf.world, without=without)
        if np.any(scene.replace(margin=CLEAR).in_collision(ends[:, :7], ends[:, 7:])):
            continue
        accepted += 1
        result = plan(scene, shelf.start, shelf.goal)
        if not result.solved:
            continue
        solved += 1
        motion = result.trajectory()
        q = sampled(motion)
        assert scene.clearance(q[:, :7], q[:, 7:]).min() >= 0.0, shelf.name
        for arm in (ROBOT.left, ROBOT.right):
            motion.check(acceleration=ACCELERATION, arm=arm)
    print(f"accepted {accepted}, solved {solved}")
    assert accepted > 500
    assert solved >= SOLVED * accepted


def test_the_body_accepts_what_the_meshes_leave_free_and_motions_touch_no_mesh() -> None:
    for part in ("data", "meshes", "pinocchio"):
        require(part)
    if bookshelf.folder() is None:
        pytest.skip("BAXTERKIT_DATA has no folder bookshelf")
    from oracles.mesh_robot import MeshRobot

    meshes = MeshRobot()
    feasible = refused = 0
    for n, shelf in enumerate(bookshelf.problems()):
        without = shelf_pairs(shelf)
        meshes.stand_in(shelf.world, tuple(("finger", can) for _, can in without))
        ends = np.stack([shelf.start, shelf.goal])
        body = np.asarray(
            ROBOT.scene(shelf.world, without=without).in_collision(ends[:, :7], ends[:, 7:])
        )
        truth = meshes.touches(ends)
        assert not (truth & ~body).any(), f"{shelf.name}: the body misses a contact"
        feasible += not truth.any()
        refused += bool(body.any() and not truth.any())
        if n % 30 == 0 and not body.any():
            result = plan(ROBOT.scene(shelf.world, without=without), shelf.start, shelf.goal)
            if result.solved:
                motion = result.trajectory()
                assert not meshes.touches(sampled(motion)).any(), shelf.name
    print(f"free by the meshes {feasible}, of these refused by the body {refused}")
    assert feasible > 500
    assert refused <= BODY_REJECTS * feasible


def test_problems_of_our_own_are_solved() -> None:
    problems: list[Problem] = [*single(60), *double(20)]
    failed = []
    for problem in problems:
        result = plan(ROBOT.scene(problem.world), problem.start, problem.goal, group=problem.group)
        if not result.solved:
            failed.append((problem.kind, result.reason))
            continue
        result.trajectory()  # checks limits and contacts every millisecond
    assert len(failed) <= (1.0 - SOLVED) * len(problems), failed


def test_infeasible_problems_have_their_reasons() -> None:
    for problem in infeasible(100):
        result = plan(
            ROBOT.scene(problem.world),
            problem.start,
            problem.goal,
            group=problem.group,
            search=SearchSettings(samples=2000, timeout=60.0),
        )
        assert result.status is problem.status, f"{problem.kind}: {result}"
