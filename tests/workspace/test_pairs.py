"""Maps of both hands at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from workspace_maps import same, table

from baxterkit import Baxter, spatial, workspace
from baxterkit.errors import InputError
from baxterkit.ik import IkStatus

OPTIONS: dict[str, Any] = {
    "step": 0.3,
    "orientations": 8,
    "level": "body",
    "box": ((0.2, -0.6, -0.3), (1.1, 0.6, 0.6)),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, robot: Baxter) -> workspace.Map:
    path = tmp_path_factory.mktemp("maps") / "pair.zarr"
    return workspace.make_map(path, workspace.Question("pair", **OPTIONS), robot)


def hands(T: np.ndarray, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Tips at the ends of a rod along y of T, which look at each other."""
    grips = []
    for sign in (1.0, -1.0):
        turn = spatial.rpy_to_matrix([sign * np.pi / 2.0, 0.0, 0.0])
        grips.append(T @ spatial.transform(turn, [0.0, sign * apart / 2.0, 0.0]))
    return grips[0], grips[1]


def test_every_status_is_that_of_the_pair(made: workspace.Map, robot: Baxter) -> None:
    middles = made.grid.middles().reshape(-1, 1, 3)
    R = made.orientations
    T = spatial.transform(
        np.broadcast_to(R, (len(middles), *R.shape)), middles + np.zeros((len(R), 3))
    ).reshape(-1, 4, 4)
    left, right = hands(T, 0.4)
    np.testing.assert_allclose(left[:, :3, 2], -T[:, :3, 1], atol=1e-12)
    status = made["status"].reshape(-1)
    found = robot.ik_pair(left, right)
    np.testing.assert_array_equal(status == IkStatus.SOLVED, found.solved)
    alone = np.stack([robot.left.ik(left).status, robot.right.ik(right).status])
    reached = (alone == IkStatus.SOLVED).all(axis=0)
    np.testing.assert_array_equal(status == IkStatus.COLLISION, reached & ~found.solved)
    far = (alone == IkStatus.OUT_OF_REACH).any(axis=0)
    np.testing.assert_array_equal(status == IkStatus.OUT_OF_REACH, far)
    assert (status == IkStatus.SOLVED).sum() > 5
    assert (status == IkStatus.COLLISION).sum() > 5


def test_a_pose_between_the_hands_is_scored(made: workspace.Map, robot: Baxter) -> None:
    T = np.eye(4)
    T[:3, 3] = 0.7, 0.0, 0.1
    score = made.score(T)
    assert score.reached
    assert score.q.shape == (14,)
    left, right = hands(T, 0.4)
    np.testing.assert_allclose(robot.left.fk(score.q[:7]), left, atol=1e-8)
    np.testing.assert_allclose(robot.right.fk(score.q[7:]), right, atol=1e-8)
    assert not robot.in_collision(score.q[:7], score.q[7:])
    again = workspace.open_map(made.path)
    np.testing.assert_array_equal(again.score(T).q, score.q)
    assert again.best_base(T, turns=4)[0].reached.all()
    with pytest.raises(InputError, match="a grasp is of one hand"):
        made.best_grasps([0.7, 0.0, 0.1])


def test_chunks_do_not_change_a_bit_of_a_pair(
    tmp_path: Path, made: workspace.Map, robot: Baxter
) -> None:
    other = workspace.make_map(
        tmp_path / "map.zarr", workspace.Question("pair", chunk=2, **OPTIONS), robot, threads=3
    )
    same(made, other)


def test_hands_reach_more_than_hands_that_must_not_touch(
    tmp_path: Path, made: workspace.Map
) -> None:
    reach = workspace.make_map(
        tmp_path / "a.zarr", workspace.Question("pair", **{**OPTIONS, "level": "reach"})
    )
    blocked = workspace.make_map(
        tmp_path / "b.zarr", workspace.Question("pair", **OPTIONS), Baxter().scene(table())
    )
    assert (reach.fraction >= made.fraction).all()
    assert (made.fraction >= blocked.fraction).all()
    assert reach.fraction.sum() > made.fraction.sum() > blocked.fraction.sum()
