"""Every argument with an angle or a length says that it seems to be in degrees or millimetres."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, Baxter, Payload, planning, spatial, trajectory
from baxterkit.collision import World
from baxterkit.errors import InputError, UnitsWarning

ROBOT = Baxter()
LEFT, RIGHT = (
    np.array(ROBOT.left.configuration("neutral")),
    np.array(ROBOT.right.configuration("neutral")),
)
DEGREES = np.rad2deg(LEFT)
BOTH = np.concatenate([LEFT, RIGHT])


def said(call: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(w.category is UnitsWarning for w in caught)
    assert all(w.filename == __file__ for w in caught), [w.filename for w in caught]
    return sorted({str(w.message) for w in caught})


ANGLES: dict[str, Callable[[], object]] = {
    "q holds 72": lambda: ROBOT.left.fk(DEGREES),  # a plain array, the quick path of the kernels
    "q holds": lambda: ROBOT.left.gravity(DEGREES),
    "q_left holds": lambda: ROBOT.in_collision(DEGREES, RIGHT),
    "q_right holds": lambda: ROBOT.in_collision(LEFT, DEGREES),
    "q_left holds 72": lambda: ROBOT.clearance(np.stack([DEGREES] * 2), RIGHT),
    "q_left holds 72.": lambda: ROBOT.nearest(DEGREES, RIGHT),
    "q0 holds": lambda: ROBOT.edge_free(np.rad2deg(BOTH), BOTH),
    "q1 holds": lambda: ROBOT.edge_free(BOTH[None], np.rad2deg(BOTH)[None]),
    "pan holds 45": lambda: ROBOT.head.fk(45.0),
    "rpy holds 180": lambda: spatial.rpy_to_matrix([180.0, 0.0, 0.0]),
    "rpy holds 90": lambda: spatial.rpy_to_matrix([[0.0, 0.0, 0.0], [0.0, -90.0, 0.0]]),
    "yaw holds 90": lambda: trajectory.tool_down(90.0),
    "phase holds 90": lambda: trajectory.circle((0.6, 0.2, 0.1), phase=90.0),
    "max_step holds 30": lambda: ROBOT.left.ik_path(ROBOT.left.fk(LEFT)[None], max_step=30.0),
}


@pytest.mark.parametrize("words", ANGLES)
def test_degrees_are_said_once(words: str) -> None:
    (message,) = said(ANGLES[words])
    assert message.startswith(words)
    assert "are these degrees?" in message


HEADS: dict[str, Callable[[], object]] = {
    "45.0": lambda: ROBOT.in_collision(LEFT, RIGHT, 45.0),
    "-40.0": lambda: ROBOT.clearance(LEFT, RIGHT, np.array([0.0, -40.0])),
    "30.0": lambda: ROBOT.edge_free(BOTH, BOTH, 30.0),
    "20.0": lambda: ROBOT.scene(head=20.0),
    "10.0": lambda: ROBOT.ik("left", ROBOT.left.fk(LEFT), other=RIGHT, head=10.0),
}


@pytest.mark.parametrize("pan", HEADS)
def test_a_head_in_degrees_is_refused(pan: str) -> None:
    with pytest.raises(InputError, match=rf"head_pan = {pan}000 rad is .*are these degrees\?"):
        HEADS[pan]()


def added(add: Callable[[World], object]) -> Callable[[], object]:
    def call() -> None:
        world = World()
        world.add_box("cube", (0.1, 0.1, 0.1), (0.7, 0.0, 0.0))
        add(world)

    return call


CLOUD = np.random.default_rng(0).uniform(0.4, 0.9, (100, 3))
GROUND = np.full((4, 4), 0.1)
LENGTHS: dict[str, Callable[[], object]] = {
    "size is 100 m": added(lambda w: w.add_box("x", (100, 100, 100), (0.6, 0.0, 0.0))),
    "T is 600 m": added(lambda w: w.add_box("x", (0.1, 0.1, 0.1), (600, 0, 0))),
    "center is 600 m": lambda: trajectory.circle((600, 200, 100)),
    "radius is 100 m": lambda: trajectory.circle((0.6, 0.2, 0.1), radius=100),
    "side is 200 m": lambda: trajectory.square((0.6, 0.2, 0.1), side=200),
    "points is 600 m": lambda: trajectory.lines([(600, 200, 100), (600, 300, 100)]),
    "radius is 50 m": added(lambda w: w.add_sphere("x", 50, (0.6, 0.0, 0.0))),
    "height is 120 m": added(lambda w: w.add_capsule("x", 120, 20, (0.6, 0.0, 0.0))),
    "radius is 120 m": added(lambda w: w.add_cylinder("x", 100, 120, (0.6, 0.0, 0.0))),
    "offset is 900 m": added(lambda w: w.add_plane("x", (0, 0, 1), -900)),
    "points holds": added(lambda w: w.add_points("x", 1000.0 * CLOUD, 0.01)),
    "radius is 5 m": added(lambda w: w.add_points("x", CLOUD, 5.0)),
    "T is 601 m": added(lambda w: w.add_points("x", CLOUD, 0.01, (601, 0, 0))),
    "heights holds": added(lambda w: w.add_height_field("x", 1e3 * GROUND, 0.05, (0.5, 0.0, 0.0))),
    "cell is 50 m": added(lambda w: w.add_height_field("x", GROUND, 50, (0.5, 0.0, 0.0))),
    "bottom is 500 m": added(lambda w: w.add_height_field("x", GROUND, 0.1, (0.5, 0, 0), -500)),
    "T is 50 m": added(lambda w: w.attach("cube", "left", (0.0, 0.0, 50.0))),
    "T is 602 m": added(
        lambda w: (w.attach("cube", "left", (0, 0, 0.05)), w.detach("cube", (602, 0, 0)))
    ),
    "margin is 20 m": lambda: ROBOT.scene(margin=20.0).in_collision(LEFT, RIGHT),
    "margin is 21 m": lambda: ROBOT.scene(margin=21.0).edge_free(BOTH, BOTH),
    "margin is 22 m": lambda: ROBOT.scene(margin=22.0).first_contact(LEFT[None], RIGHT[None]),
    "margin is 23 m": lambda: planning.plan(
        ROBOT.scene(margin=23.0), LEFT, LEFT + 0.1, group="left"
    ),
    "payload com is 50 m": lambda: Payload(1.0, (0, 0, 50)),
}


@pytest.mark.parametrize("words", LENGTHS)
def test_millimetres_are_said_once(words: str) -> None:
    (message,) = said(LENGTHS[words])
    assert message.startswith(words)
    assert "are these millimetres?" in message


def test_a_payload_in_grams_is_said() -> None:
    (message,) = said(lambda: Payload(500.0))
    assert (
        message
        == "payload mass is 500 kg: are these grams? Masses are in kilograms: divide by 1000"
    )


def test_scenes_in_metres_are_left_alone() -> None:
    rng = np.random.default_rng(1)
    world = World()
    world.add_box("floor", (20.0, 20.0, 0.1), (0.0, 0.0, -1.0))
    world.add_box("wall", (0.2, 12.0, 4.0), (3.0, 0.0, 0.0))
    world.add_cylinder("column", 5.0, 0.4, (2.0, 2.0, 0.0))
    world.add_plane("ground", (0.0, 0.0, 1.0), -0.93)
    hall = rng.normal(0.0, 8.0, (1000, 3))  # a hall in metres, with far points
    hall[::3] = 0.0  # a camera's way to say that it saw nothing
    world.add_points("hall", hall, 0.02)
    world.add_height_field("field", rng.uniform(-1.0, 12.0, (9, 9)), 0.1, (0.5, 0.0, 0.0), -1.0)
    ROBOT.scene(world, margin=0.05).in_collision(LEFT, RIGHT, 1.3)
    spatial.rpy_to_matrix([2.0 * np.pi, -2.0 * np.pi, 0.0])
    Arm("left", payload=Payload(2.2, (0.0, 0.0, 0.1)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "unit"),
    [
        ("ik 0.7 0.2 0.1 --rpy 180 0 0", "rpy holds 180 rad"),
        ("fk 0 -31.5 0 43 0 72 0", "q holds 72 rad"),
        ("collide 0 -31.5 0 43 0 72 0", "q_left holds 72 rad"),
        ("collide neutral --margin 20", "margin is 20 m"),
        ("trajectory shape circle --yaw 90", "yaw holds 90 rad"),
        ("dynamics neutral --payload 500", "payload mass is 500 kg"),
    ],
)
def test_the_command_line_says_it_on_its_error_stream(words: str, unit: str) -> None:
    run: Any = subprocess.run(
        [sys.executable, "-m", "baxterkit", *words.split()], capture_output=True, text=True
    )
    assert unit in run.stderr, run.stdout + run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("gravity", "words"),
    [
        ([0.0, 0.0, -9810.0], "gravity is 9810 m/s², and the Earth's is 9.81: is this in cm/s² or"),
        ([0.0, 0.0, -25.0], "gravity is 25 m/s²"),
        ([0.0, 0.0, -1.0], "gravity is 1 m/s², and the Earth's is 9.81: is this in g?"),
        ([0.0, 0.0, 9.81], "gravity points upwards in base (z = +9.81 m/s²): has it the wrong"),
    ],
)
def test_odd_gravity_is_said(gravity: list[float], words: str) -> None:
    with pytest.warns(UnitsWarning, match=re.escape(words)) as said:
        Arm("left", gravity_vector=gravity)
    assert [w.filename for w in said] == [__file__]
    with pytest.warns(UnitsWarning, match=re.escape(words)):
        Arm("left").replace(gravity_vector=gravity)


def test_gravity_that_may_be_meant_is_left_alone() -> None:
    upside_down = np.diag([1.0, -1.0, -1.0, 1.0]) @ Arm("left").model.T_base_s0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for gravity in ([0, 0, 0], [0, 0, -1.62], [0, 9.81, 0], [6.0, 0.0, -7.8]):
            Arm("left", gravity_vector=gravity)
        Arm("left", mount=upside_down, gravity_vector=[0, 0, 9.81])
        Arm("left", mount=upside_down)


def test_odd_gravity_in_a_robot_file_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    Arm("left").to_file(path)
    text = path.read_text()
    assert "-9.81" in text
    path.write_text(text.replace("-9.81", "9.81", 1))
    for read in (Arm.from_file, Baxter.from_file):
        with pytest.warns(UnitsWarning, match="gravity points upwards") as said:
            read(path)
        assert len(said) == 1
