"""Drawn paths go through their points at the given speed, from lists and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tolerances import SPLINE, assert_close

from baxterkit import Arm
from baxterkit.errors import InputError, ShapeError
from baxterkit.trajectory import drawn, read_points

ANGLE = np.linspace(0.0, 2.0 * np.pi, 60)
LOOP = 0.1 * np.stack([np.cos(ANGLE), np.sin(2.0 * ANGLE), 0.2 * np.sin(ANGLE)], axis=-1)


def test_every_point_is_met() -> None:
    path = drawn(LOOP, 0.1)
    p = path.sample(np.linspace(0.0, path.duration, 20001)).T[:, :3, 3]
    nearest = np.linalg.norm(p[None] - LOOP[:, None], axis=-1).min(axis=1)
    assert nearest.max() < 1e-4
    assert_close(p[[0, -1]], LOOP[[0, -1]], SPLINE)


def test_the_speed_is_kept() -> None:
    path = drawn(LOOP, 0.1, ramp=0.5)
    t = np.linspace(0.5, path.duration - 0.5, 999)
    speed = np.linalg.norm(path.sample(t).twist[:, :3], axis=-1)
    assert np.abs(speed / 0.1 - 1.0).max() < 0.02


def test_smoothing_takes_a_tremor_out() -> None:
    rng = np.random.default_rng(0)
    line = np.linspace([0.5, -0.3, 0.1], [0.5, 0.1, 0.1], 200)
    shaky = line + rng.normal(0.0, 3e-4, line.shape)
    smooth, rough = drawn(shaky, 0.1, smoothing=0.05), drawn(shaky, 0.1)
    t = np.linspace(0.0, 4.0, 2000)
    assert np.abs(smooth.sample(t).acceleration).max() < 0.5
    assert np.abs(rough.sample(t).acceleration).max() > 5.0
    p = smooth.sample(t).T[:, :3, 3]
    assert np.abs(p[:, [0, 2]] - [0.5, 0.1]).max() < 1e-3
    assert_close(p[0], shaky[0], 1e-9)


def test_points_on_a_plane() -> None:
    path = drawn(LOOP[:, :2], center=[0.6, -0.2, 0.3], plane=((0, 1, 0), (0, 0, 1)))
    start = path.sample(0.0).T[:3, 3]
    assert_close(start, np.array([0.6, -0.1, 0.3]), SPLINE)


def test_a_resting_pen_does_no_harm() -> None:
    path = drawn(np.repeat(LOOP, 3, axis=0), 0.1)
    assert path.duration == pytest.approx(drawn(LOOP, 0.1).duration)


def test_an_arm_follows_a_drawing(tmp_path: Path) -> None:
    file = tmp_path / "loop.csv"
    rows = ["time,x,y,z,pressure"]
    rows += [f"{i},{x},{y},{z},0.5" for i, (x, y, z) in enumerate(LOOP)]
    file.write_text("\n".join(rows), encoding="utf-8")
    path = drawn(file, center=[0.6, -0.2, 0.1])
    assert path.name == "loop"
    arm = Arm("right")
    motion = path.to_joints(arm)
    t = np.linspace(0.0, path.duration, 500)
    assert np.abs(arm.fk(motion.sample(t).q) - path.sample(t).T).max() < 1e-6


@pytest.mark.parametrize(
    ("text", "shape"),
    [("0 1 2\n3 4 5\n", (2, 3)), ("# x y\n0;1\n2;3\n\n", (2, 2)), ("X,Y\n1,2\n", (1, 2))],
)
def test_files_of_points(tmp_path: Path, text: str, shape: tuple[int, int]) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text, encoding="utf-8")
    assert read_points(path).shape == shape


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3 4\n", "rows of x y or x y z expected, got 4 columns"),
        ("a,b\n1,2\n", "has no columns x and y; it has a, b"),
        ("1 2\n1 2 3\n", "line 2: 2 numbers expected, got 3"),
        ("", "holds no rows of numbers"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_points(path)
    assert str(path) in str(caught.value)


def test_bad_drawings_are_refused() -> None:
    with pytest.raises(InputError, match="a drawn path needs at least 3 different points, got 1"):
        drawn(np.zeros((5, 3)))
    with pytest.raises(InputError, match="speed must be positive, got 0 m/s"):
        drawn(LOOP, 0.0)
    with pytest.raises(InputError, match="smoothing must not be negative, got -1 m"):
        drawn(LOOP, smoothing=-1.0)
    with pytest.raises(ShapeError, match=r"points must have shape \(n, 3\), or \(n, 2\) on a"):
        drawn(np.zeros((5, 4)))


@pytest.mark.slow
def test_smoothing_needs_little_memory() -> None:
    """Thousands of points, or a tiny length: no square of them is held."""
    line = np.linspace([0.5, -0.3, 0.1], [0.5, 0.1, 0.1], 4000)
    for smoothing in (0.05, 1e-7):
        path = drawn(line, 0.1, smoothing=smoothing)
        assert_close(path.sample(path.duration).T[:3, 3], line[-1], SPLINE)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (np.zeros((0, 3)), "a drawn path needs at least 3 different points, got 0"),
        ([[600, 0, 0], [610, 0, 0], [620, 0, 0]], "points must be in metres, got one at 620 m"),
        (1e200 * np.eye(3), "points must be in metres, got one at 1e+200 m"),
    ],
)
def test_no_points_and_far_ones_are_refused(points: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        drawn(points)  # type: ignore[arg-type]
    assert str(caught.value) == message
