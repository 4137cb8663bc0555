from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

# The map of the examples: the left arm, full.
from components import ROOT
from workspace_maps import table

from baxterkit import Baxter, spatial, workspace
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.workspace.compute import Job
from baxterkit.workspace.reading import Statuses


@pytest.fixture(scope="module")
def example() -> workspace.Map:
    return workspace.open_map(ROOT / "examples" / "left_arm.zarr")


def test_the_example_is_small_and_of_todays_robot(example: workspace.Map) -> None:
    """If this fails after a change of the body: tools/example_map.py makes the map again."""
    files = [f for f in Path(example.path).rglob("*") if f.is_file()]
    assert sum(f.stat().st_size for f in files) <= 300_000
    assert example.settings.level == "full"
    rng = np.random.default_rng(0)
    cells = rng.integers(0, example.grid.shape, (400, 3))
    which = rng.integers(0, example.settings.orientations, 400)
    T = spatial.transform(example.orientations[which], example.grid.middles()[tuple(cells.T)])
    status, _ = example.answers(T)
    np.testing.assert_array_equal(status, example["status"][0][(*cells.T, which)])


def test_grasps_are_reached_free_and_in_order(example: workspace.Map, robot: Baxter) -> None:
    p = np.array([0.7, 0.3, 0.1])
    other = robot.right.configuration("untuck")
    for by in ("manipulability", "clearance", "margin", "width"):
        found = example.best_grasps(p, 6, by=by)
        assert len(found) == 6
        assert 6 <= found.reached <= found.tried == 48
        np.testing.assert_allclose(robot.left.fk(found.q), found.T, atol=1e-9)
        np.testing.assert_array_equal(found.T[:, :3, 3], np.broadcast_to(p, (6, 3)))
        assert not np.asarray(robot.in_collision(found.q, other)).any()
        assert robot.left.limits.contains(found.q).all()
        values = getattr(found, by)
        assert (np.diff(values) <= 0).all()
        np.testing.assert_allclose(found.manipulability, robot.left.manipulability(found.q))


def test_a_grasp_is_no_worse_than_any_other_orientations(example: workspace.Map) -> None:
    p = np.array([0.7, 0.3, 0.1])
    best = example.best_grasps(p, 1).manipulability[0]
    every = example.best_grasps(p, 1000)
    assert len(every) == every.reached
    assert best == every.manipulability.max()


def test_where_nothing_is_reached_there_are_no_grasps(example: workspace.Map) -> None:
    found = example.best_grasps([2.0, 0.0, 0.0])
    assert found.reason.startswith(f"{found.tried} out of reach; the tip comes within ")
    some = example.best_grasps([0.7, 0.3, 0.1])
    assert sum(int(x) for x in re.findall(r"\d+", some.reason)) == some.tried - some.reached
    assert (len(found), found.reached) == (0, 0)


def test_a_table_is_checked_with_the_table_there(example: workspace.Map, robot: Baxter) -> None:
    places = example.best_table((0.5, 0.8), (-0.3, 0.2), count=4)
    shares = [place.share for place in places]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.1
    best = places[0]
    assert -0.3 <= best.top <= 0.2
    # By hand: the same poses, with a table of our own there.
    T_table = np.eye(4)
    T_table[:3, 3] = best.x, best.y, best.top - 0.02
    world = table()
    world.remove("table")
    world.add_box("table", (0.5, 0.8, 0.04), T_table)
    x, y = best.x + 0.5 * (np.arange(5) - 2) / 5, best.y + 0.8 * (np.arange(5) - 2) / 5
    points = np.stack(np.meshgrid(x, y, best.top + np.array([0.05, 0.2]), indexing="ij"), axis=-1)
    R = example.orientations[::2]
    T = spatial.transform(R[None], points.reshape(-1, 1, 3) + np.zeros((24, 3)))
    solved = robot.scene(world).ik("left", T, robot.right.configuration("untuck")).solved
    assert best.share == pytest.approx(solved.mean(), abs=1e-12)


@pytest.mark.slow
def test_a_wider_range_of_heights_finds_no_worse_table(example: workspace.Map) -> None:
    narrow, wide = (example.best_table(heights=h)[0] for h in ((-0.1, 0.1), (-0.6, 0.6)))
    assert wide.share >= narrow.share


@pytest.mark.parametrize(("number", "used"), [(12, 12), (24, 24), (36, 24), (47, 24), (48, 24)])
def test_a_table_is_tried_with_two_dozen_orientations(
    example: workspace.Map, monkeypatch: pytest.MonkeyPatch, number: int, used: int
) -> None:
    asked: list[int] = []

    def answers(job: object, side: int, T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked.append(len(T))
        assert len(np.unique(T[:, :3, :3].round(9).reshape(-1, 9), axis=0)) == used
        return np.zeros(len(T), dtype=np.uint8), np.zeros((len(T), 7))

    monkeypatch.setattr(Job, "answers", answers)
    monkeypatch.setitem(vars(example), "orientations", example.orientations[:number])
    assert example.best_table((0.5, 0.8), (-0.3, 0.2), count=4)
    assert set(asked) == {50 * used}


@pytest.mark.slow
def test_a_table_never_stands_in_the_robot(example: workspace.Map) -> None:
    for place in example.best_table((0.3, 0.3), (-0.1, 0.1), count=12):
        outside = abs(place.x) > 0.15 + 0.1 or abs(place.y) > 0.15 + 0.1
        assert outside


def test_the_robot_is_put_where_it_reaches_the_poses(example: workspace.Map, robot: Baxter) -> None:
    """Poses that one place reaches, seen from elsewhere: such a place is found."""
    rng = np.random.default_rng(1)
    q = robot.left.configuration("neutral") + rng.uniform(-0.3, 0.3, (12, 7))
    T_room_base = np.eye(4)
    T_room_base[:3, :3] = spatial.rpy_to_matrix([0.0, 0.0, 2.0])
    T_room_base[:3, 3] = 3.0, -1.0, 0.9
    T = T_room_base @ robot.left.fk(q)
    found = example.best_base(T, height=0.9)
    best = found[0]
    assert best.reached.all()
    np.testing.assert_allclose(best.T_room_base @ robot.left.fk(best.q), T, atol=1e-8)
    np.testing.assert_allclose(best.T_room_base[2], [0, 0, 1, 0.9], atol=1e-12)
    counts = [int(place.reached.sum()) for place in found]
    assert counts == sorted(counts, reverse=True)


def test_scores_of_a_batch_keep_its_shape(example: workspace.Map, robot: Baxter) -> None:
    rng = np.random.default_rng(2)
    q = rng.uniform(robot.left.limits.lower, robot.left.limits.upper, (2, 3, 7))
    score = example.score(robot.left.fk(q))
    found = robot.ik("left", robot.left.fk(q), robot.right.configuration("untuck"))
    np.testing.assert_array_equal(score.status, found.status)
    np.testing.assert_array_equal(score.q, found.q)
    assert score.fraction.shape == score.guess.shape == (2, 3)
    far = np.eye(4)
    far[0, 3] = 9.0
    assert example.score(far).fraction == 0.0
    assert example.score(far).guess == 1


def test_poses_far_away_are_out_of_reach_without_a_warning(
    example: workspace.Map, robot: Baxter
) -> None:
    T = robot.left.fk(robot.left.configuration("neutral"))
    far = T.copy()
    far[:3, 3] = 1e20
    assert example.guesses(far[None])[0] == 1
    aside = np.zeros((4, 4))
    aside[1, 3] = 12.0
    places = example.best_base([T, T + aside], turns=2)  # one of them from each place
    assert [int(place.reached.sum()) for place in places] == [1, 1, 1]
    with pytest.raises(InputError, match=r"up to 1e\+20 m apart, too far for one place"):
        example.best_base([T, far])


def test_a_score_reads_the_chunks_that_it_needs(
    tmp_path: Path, robot: Baxter, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = workspace.make_map(
        tmp_path / "map.zarr", workspace.Question(step=0.5, orientations=5, chunk=3)
    )
    read: list[object] = []
    store = made._store
    whole, chunk = store.array, store.read
    monkeypatch.setattr(store, "array", lambda name: read.append(name) or whole(name))
    monkeypatch.setattr(store, "read", lambda index: read.append(index) or chunk(index))
    T = robot.left.fk(
        np.array([robot.left.configuration("neutral"), robot.left.configuration("neutral")])
    )
    score = made.score(T)
    assert "status" not in read
    assert len([one for one in read if isinstance(one, tuple)]) == 1
    cells, _ = made.grid.cell_of(T[:, :3, 3])
    near = made.nearest_orientation(T[:, :3, :3])
    np.testing.assert_array_equal(score.guess, made["status"][0][(*cells.T, near)])


def test_statuses_of_all_cells_are_those_of_the_array(
    example: workspace.Map, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if nothing fits into the memory that is allowed."""
    monkeypatch.setattr("baxterkit.workspace.reading.MOST_BYTES", 1)
    rng = np.random.default_rng(6)
    cells = rng.integers(0, example.grid.shape, (2000, 3))
    which = rng.integers(0, example.settings.orientations, 2000)
    found = Statuses(example._store).at(0, cells, which)
    np.testing.assert_array_equal(found, example["status"][0][(*cells.T, which)])


def test_the_maps_guess_is_mostly_right(example: workspace.Map, robot: Baxter) -> None:
    """A map of 10 cm and 48 orientations guesses; inverse kinematics knows."""
    rng = np.random.default_rng(3)
    T = robot.left.fk(rng.uniform(robot.left.limits.lower, robot.left.limits.upper, (1500, 7)))
    score = example.score(T)
    right = (score.guess == 0) == score.reached
    assert 0.55 < right.mean() < 0.95


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: m.best_grasps([0, 0]), r"p must have shape \(3,\)"),
        (lambda m: m.best_grasps([0, 0, 0], 0), "count must be a whole number, 1 or above, got 0"),
        (lambda m: m.best_grasps([0, 0, 0], 2.5), "count must be a whole number"),
        (lambda m: m.best_table(heights=3.0), "must be the least and the greatest"),
        (lambda m: m.best_table(above=9.0), "with 9 m above it is larger than the map"),
        (lambda m: m.best_base(np.eye(4), height=np.nan), "height = nan"),
        (lambda m: m.best_grasps([0, 0, 0], by="luck"), "unknown quality 'luck'"),
        (lambda m: m.best_table((0.0, 1.0)), "size must be two positive numbers"),
        (lambda m: m.best_table((9.0, 1.0)), "is larger than the map"),
        (lambda m: m.best_table(heights=(1.0, 0.0)), "must be the least and the greatest"),
        (
            lambda m: m.best_table(heights=(70, 90)),
            r"heights = \(70, 90\) m holds none of the heights .* in base, every 0\.1 m \(the",
        ),
        (lambda m: m.best_table(heights=(0.02, 0.03)), "holds none of the heights that the map"),
        (lambda m: m.best_base(np.empty((0, 4, 4))), "one pose at least"),
        (
            lambda m: m.best_base(np.eye(4)[None], turns=0),
            "turns must be a whole number, 1 or above, got 0",
        ),
    ],
)
def test_bad_questions_are_refused(example: workspace.Map, ask: object, message: str) -> None:
    with pytest.raises((InputError, UnknownNameError, ValueError), match=message):
        ask(example)  # type: ignore[operator]


def test_a_table_needs_a_map_of_the_body(reach_map: workspace.Map) -> None:
    with pytest.raises(InputError, match='make the map with level="body" or "full"'):
        reach_map.best_table()
