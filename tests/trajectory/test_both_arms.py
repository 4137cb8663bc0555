"""A motion of both arms is a `Trajectory` of 14 columns: it is made, checked, drawn and stored."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, Baxter
from baxterkit.errors import InputError, ShapeError
from baxterkit.trajectory import (
    ContactError,
    Trajectory,
    TrajectoryError,
    both_arms,
    min_jerk,
    save_playback,
)

ROBOT = Baxter()
LEFT = min_jerk(ROBOT.left, ROBOT.left.configuration("untuck"), ROBOT.left.configuration("neutral"))
RIGHT = min_jerk(
    ROBOT.right, ROBOT.right.configuration("untuck"), ROBOT.right.configuration("tuck")
)
BOTH = both_arms(LEFT, RIGHT)
SAME = 1e-12
"""Rounding of polynomials that are cut at other times [rad, rad/s, rad/s²]."""


def test_each_arm_moves_as_alone_and_the_shorter_one_rests() -> None:
    assert (BOTH.side, BOTH.sides) == ("both", ("left", "right"))
    assert BOTH.duration == max(LEFT.duration, RIGHT.duration)
    assert BOTH.joint_names == ROBOT.left.joint_names + ROBOT.right.joint_names
    t = np.linspace(-0.1, BOTH.duration + 0.1, 301)
    t = t[np.abs(t[:, None] - BOTH.knots).min(axis=1) > 1e-6]  # accelerations jump at knots
    for got, alone in ((BOTH.of("left"), LEFT), (BOTH.of("right"), RIGHT)):
        for x, y in zip(got.sample(t), alone.sample(t), strict=True):
            assert_close(x, y, SAME)
    assert_close(BOTH.sample(t).q, np.hstack([LEFT.sample(t).q, RIGHT.sample(t).q]), SAME)
    assert_close(BOTH.sample(0.4).q, BOTH.sample([0.4]).q[0], SAME)


def test_changes_keep_both_arms() -> None:
    back = BOTH.of("left").of("left")
    assert (back.side, back.limits and back.limits.names) == ("left", ROBOT.left.joint_names)
    again = both_arms(BOTH.of("left"), BOTH.of("right"))
    assert (again.coefficients == BOTH.coefficients).all()
    for motion in (BOTH.stretched(2.0), pickle.loads(pickle.dumps(BOTH))):
        assert (motion.side, motion.coefficients.shape[-1]) == ("both", 14)
    rest = Trajectory(np.array([0.0, 1.0]), BOTH.end[None, None])
    assert BOTH.then(rest).duration == BOTH.duration + 1.0
    with pytest.raises(InputError, match="one is of both arms and the other is not"):
        LEFT.then(BOTH)
    unknown = Trajectory(LEFT.knots, LEFT.coefficients, side="left")
    assert pickle.loads(pickle.dumps(unknown)).side == "left"


def test_columns_and_sides_must_agree() -> None:
    for side, columns in (("both", 7), ("left", 14)):
        with pytest.raises(InputError, match=f"a motion of {side} has {21 - columns} columns"):
            Trajectory(np.array([0.0, 1.0]), np.zeros((1, 2, columns)), side=side)
    with pytest.raises(ShapeError, match="14 columns, and its limits are of 7"):
        Trajectory(np.array([0.0, 1.0]), np.zeros((1, 2, 14)), ROBOT.left.limits)
    with pytest.raises(InputError, match="this motion is the left arm's"):
        both_arms(LEFT, LEFT)
    with pytest.raises(ShapeError, match="coefficients is ragged"):
        Trajectory(np.array([0.0, 1.0]), [[[0.0] * 7, [0.0] * 14]])  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", [".npz", ".json", ".csv"])
def test_files_hold_both_arms(tmp_path: Path, ending: str) -> None:
    path = BOTH.save(tmp_path / f"both{ending}")
    again = Trajectory.load(path)
    assert again.side == "both"
    assert (again.coefficients == BOTH.coefficients).all()
    assert (again.knots == BOTH.knots).all()
    again.check(arm=ROBOT.left)
    for side in BOTH.sides:
        assert (Trajectory.load(path, side).coefficients == BOTH.of(side).coefficients).all()


def test_a_table_of_both_without_its_pieces_is_read_by_its_samples(tmp_path: Path) -> None:
    path = BOTH.save(tmp_path / "both.csv")
    text = path.read_text(encoding="utf-8").splitlines()
    width = 1 + 3 * 14
    lines = [",".join(line.split(",")[:width]) for line in text]
    path.write_text("\n".join(lines), encoding="utf-8")
    again = Trajectory.load(path)
    assert again.side == "both"
    t = np.linspace(0.0, BOTH.duration, 101)
    assert_close(again.sample(t).q, BOTH.sample(t).q, 1e-6)
    assert_close(Trajectory.load(path, "right").sample(t).q, BOTH.sample(t).q[:, 7:], 1e-6)


def test_rethinks_playback_takes_both_at_once(tmp_path: Path) -> None:
    path = save_playback(tmp_path / "play.csv", BOTH)
    again = Trajectory.load(path)
    assert (again.coefficients == BOTH.coefficients).all()
    assert path.read_bytes() == save_playback(tmp_path / "two.csv", LEFT, RIGHT).read_bytes()


@pytest.mark.parametrize("moved", [{"left": LEFT}, {"right": RIGHT}])
def test_a_motion_beside_an_arm_at_rest_keeps_its_name(
    tmp_path: Path, moved: dict[str, Trajectory]
) -> None:
    (motion,) = moved.values()
    (side,) = moved
    path = save_playback(tmp_path / "play.csv", **moved)
    assert Trajectory.load(path).name == Trajectory.load(path, side).name == motion.name != "rest"


def test_limits_of_one_arm_check_that_arm() -> None:
    quick = both_arms(LEFT, RIGHT.stretched(0.1))
    assert quick.check(ROBOT.left.limits, arm=ROBOT.left) is quick
    with pytest.raises(TrajectoryError, match="velocity of right_"):
        quick.check(ROBOT.right.limits)
    assert LEFT.check(BOTH.limits) is LEFT
    with pytest.raises(InputError, match="limits of 7 joints do not tell which arm"):
        BOTH.check(replace(ROBOT.left.limits, names=()))


def test_checks_see_both_arms() -> None:
    BOTH.check(acceleration=100.0, arm=ROBOT.right, scene=ROBOT)
    with pytest.raises(TrajectoryError, match="velocity of right_"):
        both_arms(LEFT.stretched(9.0), RIGHT.stretched(0.1)).check()
    inward = [arm.configuration("neutral").copy() for arm in (ROBOT.left, ROBOT.right)]
    inward[0][0], inward[1][0] = -1.6, 1.6
    meeting = both_arms(
        *(
            min_jerk(arm, arm.configuration("untuck"), q)
            for arm, q in zip(arms(), inward, strict=True)
        )
    )
    with pytest.raises(ContactError):
        meeting.check(scene=ROBOT)


def arms() -> tuple[Arm, Arm]:
    return ROBOT.left, ROBOT.right


def test_the_figure_shows_both_arms() -> None:
    titles = [axes.get_title(loc="left") or axes.get_title() for axes in BOTH.plot().axes]
    texts = titles + [text.get_text() for axes in BOTH.plot().axes for text in axes.texts]
    for side in BOTH.sides:
        assert sum(side in text for text in texts) == 3
    assert len(BOTH.plot(ROBOT.left).axes) == len(LEFT.plot(ROBOT.left).axes)
    assert "14" not in BOTH._repr_html_().partition("<tr>")[0]
    assert BOTH._repr_html_().count("right_") == 7
