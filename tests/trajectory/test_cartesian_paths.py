"""Shapes are what their names say, move as they say, and start and stop at rest."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tolerances import DIFFERENCE, SPLINE, assert_close

from baxterkit.errors import InputError, ShapeError
from baxterkit.spatial import so3_exp, so3_log, transform
from baxterkit.trajectory import (
    CartesianPath,
    circle,
    drawn,
    figure_eight,
    lines,
    smith_path,
    spiral,
    square,
    tool_down,
)
from baxterkit.trajectory.polylines import sampled_line

Array = NDArray[np.float64]
CENTER = np.array([0.6, -0.2, 0.1])
UPRIGHT = ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
TURNS = transform(
    np.stack([tool_down(), tool_down() @ so3_exp([0.3, -0.4, 0.6]), tool_down(1.0)]),
    np.array([[0.6, -0.2, 0.1], [0.7, -0.1, 0.2], [0.5, -0.2, 0.3]]),
)
PATHS = {
    "circle": circle(CENTER, 0.08, 5.0, turns=1.5, phase=0.4, plane=UPRIGHT),
    "figure eight": figure_eight(CENTER),
    "spiral": spiral(CENTER, rise=0.1),
    "square": square(CENTER, turns=2),
    "poses": lines(TURNS),
    "drawn": drawn(CENTER + 0.1 * np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.5]])),
    "Smith 1": smith_path(1),
    "Smith 2": smith_path(2),
    "Smith 3": smith_path(3),
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_twists_and_accelerations_are_the_derivatives(path: CartesianPath) -> None:
    h = 1e-5
    t = np.linspace(3.0 * h, path.duration - 3.0 * h, 2203)
    now, before, after = path.sample(t), path.sample(t - h), path.sample(t + h)
    v = (after.T - before.T)[:, :3, 3] / (2.0 * h)
    R_step = after.T[:, :3, :3] @ np.swapaxes(before.T[:, :3, :3], -1, -2)
    assert_close(now.twist, np.hstack([v, so3_log(R_step) / (2.0 * h)]), DIFFERENCE)
    change = (after.twist - before.twist) / (2.0 * h)
    # Where the jerk jumps (corners, knots of a drawing) a difference is off by h times the jump.
    assert np.abs(now.acceleration - change).max() < 2e-4


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_paths_start_and_end_at_rest(path: CartesianPath) -> None:
    ends = path.sample(np.array([0.0, path.duration]))
    assert np.abs(ends.twist).max() < SPLINE
    assert np.abs(ends.acceleration).max() < 1e-9
    outside = path.sample(np.array([-1.0, path.duration + 1.0]))
    assert_close(outside.T, ends.T, SPLINE)
    assert not outside.twist.any()


def test_a_circle_is_round_and_in_its_plane() -> None:
    p = PATHS["circle"].sample(np.linspace(0.0, 9.0, 500)).T[:, :3, 3] - CENTER
    assert_close(np.linalg.norm(p, axis=-1), np.full(500, 0.08), SPLINE)
    assert_close(p[:, 0], np.zeros(500), SPLINE)
    assert_close(p[0], 0.08 * np.array([0.0, np.cos(0.4), np.sin(0.4)]), SPLINE)


def test_the_tool_points_down() -> None:
    T = PATHS["figure eight"].sample(1.0).T
    assert_close(T[:3, 2], np.array([0.0, 0.0, -1.0]), SPLINE)


def test_a_figure_eight_crosses_itself_in_its_center() -> None:
    path = figure_eight(CENTER, 0.2, 0.1, 8.0, ramp=1.0)
    middle = path.sample(0.5 + 4.0).T[:3, 3]  # half a round after the ramp's half second
    assert_close(middle, CENTER, SPLINE)
    p = path.sample(np.linspace(0.0, 9.0, 5000)).T[:, :3, 3]
    assert_close(np.ptp(p, axis=0), np.array([0.2, 0.1, 0.0]), 1e-6)


def test_a_spiral_grows_and_rises() -> None:
    path = PATHS["spiral"]
    p = path.sample(np.linspace(0.0, path.duration, 500)).T[:, :3, 3] - CENTER
    r = np.linalg.norm(p[:, :2], axis=-1)
    assert (np.diff(r) > -1e-12).all()
    assert r[-1] == pytest.approx(0.1)
    assert p[-1, 2] == pytest.approx(0.1)


def test_a_square_has_straight_edges_and_true_corners() -> None:
    path = square(CENTER, 0.2, 8.0)
    p = path.sample(np.linspace(0.0, 8.0, 801)).T[:, :3, 3] - CENTER
    assert_close(np.abs(p[:, :2]).max(axis=-1), np.full(801, 0.1), SPLINE)
    corners = path.sample(np.arange(5) * 2.0)
    assert_close(np.abs(corners.T[:, :2, 3] - CENTER[:2]), np.full((5, 2), 0.1), SPLINE)
    assert not corners.twist.any()


def test_lines_go_through_their_poses() -> None:
    times = np.array([0.0, 1.0, 3.0])
    path = lines(TURNS, times)
    assert_close(path.sample(times).T, TURNS, 1e-12)
    R = path.sample(np.linspace(0.0, 1.0, 50)).T[:, :3, :3]
    axis = so3_log(R[0].T @ R[1:-1])
    directions = axis[5:] / np.linalg.norm(axis[5:], axis=-1, keepdims=True)
    assert_close(directions, np.broadcast_to(directions[0], directions.shape), 1e-6)


def test_lines_choose_their_times_by_speed() -> None:
    path = lines([[0.5, 0.0, 0.0], [0.5, 0.4, 0.0], [0.5, 0.4, 0.1]])
    t = np.linspace(0.0, path.duration, 4001)
    speed = np.linalg.norm(path.sample(t).twist[:, :3], axis=-1)
    assert speed.max() == pytest.approx(0.2, rel=1e-3)


def test_in_the_middle_a_ramped_path_is_what_it_was_a_little_later() -> None:
    raw = smith_path_unramped()
    path = raw.ramped(2.0)
    assert path.duration == raw.duration + 2.0
    t = np.linspace(2.0, path.duration - 2.0, 101)
    for a, b in zip(path.sample(t), raw.sample(t - 1.0), strict=True):
        assert_close(a, b, SPLINE)


def smith_path_unramped() -> CartesianPath:
    from baxterkit.trajectory.smith import SET_1_DURATION, _sines

    return CartesianPath.from_curve(SET_1_DURATION, _sines)


def test_smiths_first_set_is_as_printed() -> None:
    path = smith_path(1)
    t = np.linspace(2.0, path.duration - 2.0, 300)
    s = t - 1.0  # the ramp of two seconds takes one
    printed = np.stack(
        [0.6 + 0.1 * np.sin(s), -0.2 + 0.1 * np.cos(s), 0.1 + 0.1 * np.cos(0.2 * s)], axis=-1
    )
    assert_close(path.sample(t).T[:, :3, 3], printed, SPLINE)
    assert_close(path.sample(0.0).T[:3, 3], np.array([0.6, -0.1, 0.2]), SPLINE)


@pytest.mark.parametrize(("number", "moving"), [(2, 1), (3, 2)])
def test_smiths_other_sets_move_along_one_axis(number: int, moving: int) -> None:
    path = smith_path(number)
    p = path.sample(np.linspace(0.0, path.duration, 4001)).T[:, :3, 3]
    extent = np.ptp(p, axis=0)
    assert extent[moving] == pytest.approx(0.2, abs=1e-6)
    assert np.delete(extent, moving).max() < SPLINE
    speed = np.abs(path.sample(np.linspace(0.0, path.duration, 8001)).twist[:, moving]).max()
    assert speed == pytest.approx({2: 0.46875, 3: 0.04}[number], rel=1e-3)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_left_arm_gets_the_mirror_image(number: int) -> None:
    right, left = smith_path(number), smith_path(number, "left")
    for t in (0.0, 4.3, 9.9):
        a, b = right.sample(t), left.sample(t)
        assert_close(b.T[:3, 3], a.T[:3, 3] * [1, -1, 1], SPLINE)
        assert_close(b.twist[:3], a.twist[:3] * [1, -1, 1], SPLINE)


def test_there_are_three_sets() -> None:
    with pytest.raises(ValueError, match=r"^unknown set of Smith et al. 4; available: 1, 2, 3$"):
        smith_path(4)


def test_stretched_takes_longer() -> None:
    path, slow = PATHS["circle"], PATHS["circle"].stretched(3.0)
    a, b = path.sample(1.3), slow.sample(3.9)
    assert_close(a.T, b.T, SPLINE)
    assert_close(a.twist, 3.0 * b.twist, SPLINE)
    assert_close(a.acceleration, 9.0 * b.acceleration, SPLINE)


@pytest.mark.parametrize(
    ("error", "message", "make"),
    [
        (InputError, "radius = -1 must be positive", lambda: circle(CENTER, -1.0)),
        (InputError, "period = 0 must be positive", lambda: figure_eight(CENTER, period=0.0)),
        (InputError, "turns of a square must be a whole number from 1 to 10000, got 1.5",
         lambda: square(CENTER, turns=1.5)),  # type: ignore[arg-type]
        (InputError, "the two directions of a plane must not be parallel or zero",
         lambda: circle(CENTER, plane=((1, 0, 0), (2, 0, 0)))),
        (InputError, "ramp must be in (0, 6.28319] s, the shape's own time, got 9 s",
         lambda: circle(CENTER, ramp=9.0)),
        (ShapeError, "points must have shape (n, 3), or (n, 4, 4) for poses, got (2, 2)",
         lambda: lines([[0, 0], [1, 1]])),
        (InputError, "turns of a square must be a whole number from 1 to 10000, got inf",
         lambda: square(CENTER, turns=np.inf)),
        (ShapeError, "center must have shape (3,), got (2, 3)", lambda: circle([CENTER, CENTER])),
        (ShapeError, "the curve must give shape (1, 3) three times at 1 times, got (1,), (1,) and "
         "(1,)", lambda: CartesianPath.from_curve(1.0, lambda t: (t, t, t)).sample(0.0)),
        (InputError, "seconds must be in (0, 9], the path's duration, got 10",
         lambda: circle(CENTER, period=8.0).ramped(10.0)),
        (InputError, "a path needs at least two points, got 1", lambda: lines([[0, 0, 0]])),
        (ShapeError, "times must have shape (2,), one for each point, got (3,)",
         lambda: lines([[0, 0, 0], [1, 0, 0]], [0, 1, 2])),
        (InputError, "times must increase", lambda: lines([[0, 0, 0], [1, 0, 0]], [1, 0])),
        (InputError, "duration must be positive, got 0 s",
         lambda: CartesianPath.from_curve(0.0, lambda t: (t, t, t))),
    ],
)  # fmt: skip
def test_bad_shapes_are_refused(error: type[Exception], message: str, make: object) -> None:
    with pytest.raises(error) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message


@pytest.mark.parametrize("length", [0.0, 0.01, 0.4])
def test_a_sampled_line_is_one_of_lines_without_a_turn(length: float) -> None:
    start, end = TURNS[0], TURNS[0].copy()
    end[:3, 3] += length * np.array([0.6, 0.0, -0.8])
    t, Ts = sampled_line(start, end, 0.12, 50.0)
    assert t[-1] == max(1.875 * length / 0.12, 0.4)
    assert len(t) == max(int(50.0 * t[-1]), 10)
    assert_close(Ts, lines([start, end], [0.0, t[-1]]).sample(t).T, SPLINE)
    assert np.array_equal(Ts[0], start)
    assert np.abs(np.diff(Ts[:, :3, 3], axis=0)).max() <= 0.12 * np.diff(t).max()
