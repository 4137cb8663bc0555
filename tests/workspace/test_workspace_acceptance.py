"""Maps against brute force, and at full size: `pytest -s -m acceptance tests/workspace`."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from components import require

from baxterkit import Arm, Baxter, workspace
from baxterkit.ik import IkStatus, exact
from baxterkit.spatial import inverse, so3_log, transform

pytestmark = pytest.mark.acceptance
POSES = 10_000
RESTARTS = 60
ITERATIONS = 60
REACHED = 1e-9


def beyond_reach(arm: Arm, T: np.ndarray) -> np.ndarray:
    """Poses whose wrist is farther from the shoulder's circle than the stretched arm is long."""
    hand = inverse(arm.model.T_base_s0) @ T @ inverse(arm.model.T_hand_tip)
    wrist = hand[..., :3, 3] - exact.D7 * hand[..., :3, 2]
    away = np.hypot(np.hypot(wrist[..., 0], wrist[..., 1]) - exact.A1, wrist[..., 2] - exact.D1)
    longest = np.hypot(exact.A3, exact.D3) + np.hypot(exact.A5, exact.D5)
    return np.asarray(away > longest + 2 * exact.A1 + 1e-9)


def by_restarts(arm: Arm, T: np.ndarray, rng: np.random.Generator, count: int) -> np.ndarray:
    """Solutions within the limits of poses (n, 4, 4) from random starts, NaN: (n, count, 7)."""
    lower, upper = arm.limits.lower, arm.limits.upper
    q = rng.uniform(lower, upper, (len(T), count, 7)).reshape(-1, 7)
    goal = np.repeat(T, count, axis=0)
    damping = np.full(len(q), 1e-2)
    error = _error(arm, q, goal)
    active = np.arange(len(q))
    for _ in range(ITERATIONS):
        now = np.linalg.norm(error[active], axis=-1)
        active = active[now > 1e-11]
        if not len(active):
            break
        J = arm.jacobian(q[active])
        normal = J.swapaxes(-1, -2) @ J
        normal[:, range(7), range(7)] += damping[active, None]
        step = np.linalg.solve(normal, (J.swapaxes(-1, -2) @ error[active, :, None]))[..., 0]
        size = np.abs(step).max(axis=-1, keepdims=True)
        trial = np.clip(q[active] + step * np.minimum(1.0, 0.8 / size), lower, upper)
        after = _error(arm, trial, goal[active])
        better = np.linalg.norm(after, axis=-1) < np.linalg.norm(error[active], axis=-1)
        q[active[better]], error[active[better]] = trial[better], after[better]
        damping[active] = np.clip(np.where(better, 0.2, 6.0) * damping[active], 1e-12, 1e3)
    q[np.linalg.norm(error, axis=-1) > REACHED] = np.nan
    return q.reshape(len(T), count, 7)


def _error(arm: Arm, q: np.ndarray, T: np.ndarray) -> np.ndarray:
    found = arm.fk(q)
    turn = so3_log(T[:, :3, :3] @ found[:, :3, :3].swapaxes(-1, -2))
    return np.concatenate([T[:, :3, 3] - found[:, :3, 3], turn], axis=-1)


def test_a_map_agrees_with_brute_force(tmp_path: Path, robot: Baxter) -> None:
    """Reach and limits by restarts; the body by restarts too, and by the meshes where they are."""
    made = workspace.make_map(
        tmp_path / "map.zarr", workspace.Question("left", 0.1, 40, level="body"), robot
    )
    rng = np.random.default_rng(int(os.environ.get("BAXTERKIT_SEED", "0")))
    cells = rng.integers(0, made.grid.shape, (POSES, 3))
    which = rng.integers(0, made.settings.orientations, POSES)
    T = transform(made.orientations[which], made.grid.middles()[tuple(cells.T)])
    status = made["status"][0][(*cells.T, which)]
    arm, other = robot.left, robot.right.configuration("untuck")
    far = beyond_reach(arm, T)
    assert (status[far] == IkStatus.OUT_OF_REACH).all()
    near = np.nonzero(~far)[0]
    solutions: dict[int, np.ndarray] = {}
    for some in np.array_split(near, max(len(near) // 200, 1)):
        found = by_restarts(arm, T[some], rng, RESTARTS)
        for n, q in zip(some.tolist(), found, strict=True):
            solutions[n] = q[np.isfinite(q[:, 0])]
    reached = np.array([n in solutions and len(solutions[n]) > 0 for n in range(POSES)])
    by_map = np.isin(status, [IkStatus.SOLVED, IkStatus.COLLISION])
    missed_by_map = np.nonzero(reached & ~by_map)[0]
    missed_by_restarts = int((by_map & ~reached).sum())
    free = np.nonzero(status == IkStatus.SOLVED)[0]
    answers = robot.ik("left", T[free], other)
    np.testing.assert_allclose(arm.fk(answers.q), T[free], atol=1e-9)
    blocked = np.nonzero(status == IkStatus.COLLISION)[0]
    missed_free = 0
    for n in blocked.tolist():
        if len(solutions[n]):
            missed_free += not np.asarray(robot.in_collision(solutions[n], other)).all()
    print(
        f"\n{POSES} poses: {len(free)} reached, {len(blocked)} forbidden by the body, "
        f"{(status == IkStatus.LIMITS).sum()} by limits; {RESTARTS} restarts found "
        f"{reached.sum()}, of which the map missed {len(missed_by_map)}, and missed "
        f"{missed_by_restarts}; free solutions where the map says COLLISION: {missed_free}"
    )
    assert len(missed_by_map) == 0
    assert missed_free == 0
    _compare_with_meshes(robot, T, answers.q, blocked, solutions, other)


def _compare_with_meshes(
    robot: Baxter,
    T: np.ndarray,
    q: np.ndarray,
    blocked: np.ndarray,
    solutions: dict[int, np.ndarray],
    other: np.ndarray,
) -> None:
    require("meshes")
    from oracles.mesh_robot import MeshRobot

    meshes = MeshRobot()
    wrong = int(meshes.touches(np.concatenate([q, np.tile(other, (len(q), 1))], axis=-1)).sum())
    fatter = 0
    for n in blocked.tolist():
        for configuration in solutions[n]:
            if not meshes.touches(np.concatenate([configuration, other])[None])[0]:
                fatter += 1
                break
    print(
        f"by the meshes: {wrong} of {len(q)} answers touch; {fatter} of {len(blocked)} poses that "
        "the body forbids have a configuration that the meshes allow"
    )
    assert wrong == 0


@pytest.mark.parametrize(("level", "most"), [("reach", 120.0), ("body", 600.0), ("full", 3600.0)])
def test_a_map_of_five_centimetres(tmp_path: Path, level: str, most: float) -> None:
    """100 orientations: seconds of processor time, of which two cores have two a second."""
    start, wall = time.process_time(), time.monotonic()
    told: list[Any] = []
    made = workspace.make_map(
        tmp_path / "map.zarr", workspace.Question(level=level), progress=told.append
    )
    spent = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    size = sum(f.stat().st_size for f in (tmp_path / "map.zarr").rglob("*") if f.is_file())
    print(
        f"\n{level}: {made.settings.poses} poses, {made.reasons()}; {spent:.1f} s of processor "
        f"time ({1e6 * spent / made.settings.poses:.2f} us a pose), {time.monotonic() - wall:.1f} s"
        f" here, {memory:.0f} MB at most, {size / 1e6:.1f} MB on disk"
    )
    assert spent < most
    assert memory < 1024.0
