"""What is written is what is read: a motion keeps its limits through every kind of file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import plan_problems
import problems
import pytest
from tolerances import assert_close

from baxterkit import planning, recording
from baxterkit.errors import InputError
from baxterkit.trajectory import Trajectory, circle, min_jerk, save_playback, time_optimal

ROBOT = plan_problems.ROBOT
ENDINGS = (".npz", ".json", ".csv")


def planned(count: int, name: str) -> list[Trajectory]:
    """Motions of random plans of one arm and of both."""
    rng, found = problems.generator(name), list[Trajectory]()
    while len(found) < count:
        group = ("left", "right", "both")[len(found) % 3]
        n = 14 if group == "both" else 7
        goal = np.resize(rng.uniform(plan_problems.LOWER, plan_problems.UPPER, (2, 7)), n)
        start = plan_problems.UNTUCK if n == 14 else plan_problems.UNTUCK[7 * (group == "right") :]
        result = planning.plan(
            ROBOT, start[:n], goal, group=group, search=planning.SearchSettings(seed=len(found))
        )
        if result.solved:
            found.append(result.trajectory())
    return found


def same(again: Trajectory, motion: Trajectory) -> None:
    assert again.side == motion.side
    assert_close(again.knots, motion.knots, 0.0)
    assert_close(again.coefficients, motion.coefficients, 0.0)
    again.check()
    for side in motion.sides:
        again.check(arm=getattr(ROBOT, side))


def played(folder: Path, motion: Trajectory) -> Path:
    """A file of Rethink's playback; a motion of one arm, or of both, in its place."""
    given = {"right" if motion.side == "right" else "left": motion}
    return save_playback(folder / "play.csv", **given)


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1.0, 1.1, 7.3])
def test_random_plans_keep_their_limits_in_every_file(tmp_path: Path, factor: float) -> None:
    """Read through samples at the default rate, they were up to 0.1 % too fast."""
    for motion in planned(6, "plans in files"):
        moved = motion if factor == 1.0 else motion.stretched(factor)
        for ending in ENDINGS:
            again = Trajectory.load(moved.save(tmp_path / f"plan{ending}"))
            same(again, moved)
            for side in moved.sides:
                same(Trajectory.load(tmp_path / f"plan{ending}", side), moved.of(side))
        path = played(tmp_path, moved)
        assert Trajectory.load(path).side == "both"
        for side in moved.sides:
            same(Trajectory.load(path, side), moved.of(side))


@pytest.mark.acceptance
def test_a_thousand_plans_keep_their_limits_in_every_file(tmp_path: Path) -> None:
    for motion in planned(1000, "a thousand plans in files"):
        for ending in ENDINGS:
            same(Trajectory.load(motion.save(tmp_path / f"plan{ending}")), motion)
        path = played(tmp_path, motion)
        for side in motion.sides:
            same(Trajectory.load(path, side), motion.of(side))


def test_other_motions_come_back_too(tmp_path: Path) -> None:
    arm = ROBOT.right
    path = circle((0.6, -0.2, 0.1), 0.1, 4.0).to_joints(arm)
    for motion in (
        path,
        time_optimal(arm, path),
        min_jerk(arm, arm.configuration("tuck"), path.start),
    ):
        for rate in (7.0, 100.0):
            same(Trajectory.load(motion.save(tmp_path / "motion.csv", rate)), motion)


def test_edited_samples_count_more_than_the_pieces(tmp_path: Path) -> None:
    arm = ROBOT.left
    motion = min_jerk(arm, arm.configuration("neutral"), arm.configuration("untuck"))
    path = motion.save(tmp_path / "motion.csv")
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\r\n".join([lines[0], *lines[1::2], ""]), encoding="utf-8")
    thin = Trajectory.load(path)
    assert (thin.side, len(thin)) == ("left", len(lines[1::2]) - 1)
    path.write_text("\r\n".join(lines), encoding="utf-8")  # line ends are not numbers
    same(Trajectory.load(path), motion)


def test_damaged_pieces_are_said(tmp_path: Path) -> None:
    arm = ROBOT.left
    path = min_jerk(arm, arm.configuration("neutral"), arm.configuration("untuck")).save(
        tmp_path / "motion.csv"
    )
    text = path.read_text(encoding="utf-8")
    at = text.index("pieces:") + 40
    for change in (text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :],
                   text[:at] + text[at + 9 :], text[:at] + text[text.index("\n") :]):  # fmt: skip
        path.write_text(change, encoding="utf-8")
        with pytest.raises(InputError, match=r"its pieces are damaged .* copy the file again"):
            Trajectory.load(path)


def test_samples_are_read_by_other_readers_as_before(tmp_path: Path) -> None:
    arm = ROBOT.left
    motion = min_jerk(arm, arm.configuration("neutral"), arm.configuration("untuck"))
    path = motion.save(tmp_path / "motion.csv")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    t, q, qd, _ = motion.at_rate(100.0)
    assert_close(table[:, :8], np.column_stack([t, q]), 0.0)
    rec = recording.load(path)
    assert rec.side == "left"
    assert_close(rec.q, q, 0.0)
    assert rec.qd is not None
    assert_close(rec.qd, qd, 0.0)
