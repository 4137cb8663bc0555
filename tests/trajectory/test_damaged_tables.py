"""Tables of samples that contradict themselves are refused: names, units, speeds and ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm
from baxterkit.errors import InputError
from baxterkit.trajectory import (
    Trajectory,
    TrajectoryError,
    both_arms,
    min_jerk,
    point_to_point,
    save_playback,
    through,
)
from baxterkit.trajectory.ends import speeds_at_end

RIGHT = Arm("right")
Change = Callable[[str], str]


@pytest.fixture(scope="module")
def motion() -> Trajectory:
    return min_jerk(RIGHT, RIGHT.configuration("untuck"), RIGHT.configuration("neutral"), 3.0)


def header_changed(path: Path, change: Change) -> Path:
    """Renames columns of the samples; the pieces stay."""
    first, rest = path.read_text(encoding="utf-8").split("\n", 1)
    names, mark, pieces = first.partition("pieces:")
    path.write_text(f"{change(names)}{mark}{pieces}\n{rest}", encoding="utf-8")
    return path


def values_changed(path: Path, change: Callable[[np.ndarray], np.ndarray]) -> Path:
    """Writes other rows; the pieces are outdated."""
    first, rest = path.read_text(encoding="utf-8").split("\n", 1)
    rows = change(np.loadtxt(rest.splitlines(), delimiter=","))
    lines = [",".join(map(repr, row)) for row in rows.tolist()]
    path.write_text("\n".join([first, *lines]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x.replace("right", "left"),
         r"columns are named for the left arm, and its pieces are of the right arm; columns seem"),
        (lambda x: x.replace("q_right_s0,q_right_s1", "q_right_s1,q_right_s0", 1),
         r"q_right_s0 is -1 in line 2, and 0\.08 by its pieces; columns seem to be renamed"),
        (lambda x: x.replace("qd_right_e1", "X").replace("q_right_e1", "qd_right_e1")
         .replace("X", "q_right_e1"), r"q_right_e1 is 0 in line 2, and 1\.94 by its pieces"),
        (lambda x: x.replace("right_gripper", "left_gripper"), "move the right gripper, and no co"),
        (lambda x: x.replace("q_right_s0", "other", 1), "it lacks the column q_right_s0"),
    ],
)  # fmt: skip
def test_columns_that_are_renamed_contradict_the_pieces(
    motion: Trajectory, tmp_path: Path, change: Change, message: str
) -> None:
    moving = motion.with_grippers(right=[(0.0, 1.0), (1.5, 0.0)])
    path = header_changed(moving.save(tmp_path / "motion.csv"), change)
    with pytest.raises(InputError, match=message):
        Trajectory.load(path)


def test_columns_of_both_arms_that_change_sides_contradict_the_pieces(
    motion: Trajectory, tmp_path: Path
) -> None:
    left = Arm("left")
    other = min_jerk(left, left.configuration("neutral"), left.configuration("untuck"), 2.0)
    both = both_arms(other, motion).with_grippers(left=[(0.5, 1.0), (1.0, 0.2)])
    for path in (both.save(tmp_path / "a.csv"), save_playback(tmp_path / "b.csv", left=both)):
        assert Trajectory.load(path).grippers.keys() >= {"left"}
        swapped = header_changed(
            path, lambda x: x.replace("left", "L").replace("right", "left").replace("L", "right")
        )
        with pytest.raises(InputError, match=r"by its pieces|the left gripper, and no column"):
            Trajectory.load(swapped)


def test_names_with_units_and_of_an_arm_do_not_contradict_the_pieces(
    motion: Trajectory, tmp_path: Path
) -> None:
    path = header_changed(
        motion.save(tmp_path / "a.csv"),
        lambda x: x.replace("t,q_right_s0,", '"time [s]",Q_right_s0 [rad],', 1),
    )
    assert_close(Trajectory.load(path).coefficients, motion.coefficients, 0.0)
    nameless = Trajectory(motion.knots, motion.coefficients)
    path = header_changed(nameless.save(tmp_path / "b.csv"), lambda x: x.replace("_", "_left_"))
    assert Trajectory.load(path).side == "left"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x.replace("q_right_s0,", "q_right_s0 [deg],", 1),
         r"the column q_right_s0 \[deg\] is in degrees; recording\.load\(\.\.\., angles='deg'\)"),
        (lambda x: x.replace("qd_right_w2,", "qd_right_w2 (deg/s),"), "is in degrees"),
        (lambda x: x.replace("t,", "t [ms],", 1), r"t \[ms\] is in milliseconds; divide"),
        (lambda x: x.replace("t,", "Time_ms,", 1), "Time_ms is in milliseconds; divide it by 1000"),
    ],
)  # fmt: skip
def test_units_in_names_of_columns_count(
    motion: Trajectory, tmp_path: Path, change: Change, message: str
) -> None:
    path = header_changed(motion.save(tmp_path / "motion.csv"), change)
    with pytest.raises(InputError, match=message):
        Trajectory.load(path)


def scaled(columns: slice, factor: float) -> Callable[[np.ndarray], np.ndarray]:
    def change(rows: np.ndarray) -> np.ndarray:
        rows = rows.copy()
        rows[:, columns] *= factor
        return rows

    return change


TIMES, VELOCITIES = slice(0, 1), slice(8, 15)


@pytest.mark.parametrize(
    ("columns", "factor", "message"),
    [
        (
            TIMES,
            2.0,
            r"rad in the 0\.02 s up to line 15\d, .* velocities are 2 times the change of",
        ),
        (TIMES, 0.5, "velocities are 0.5 times the change of positions; mend the column"),
        (TIMES, 1e3, "time seems to be in milliseconds"),
        (VELOCITIES, 180.0 / np.pi, "velocities seem to be in degrees per second"),
        (VELOCITIES, -1.0, "velocities are -1 times the change"),
    ],
)
def test_velocities_that_contradict_positions_over_time_are_refused(
    motion: Trajectory, tmp_path: Path, columns: slice, factor: float, message: str
) -> None:
    path = values_changed(motion.save(tmp_path / "motion.csv"), scaled(columns, factor))
    with pytest.raises(InputError, match=message):
        Trajectory.load(path)


@pytest.mark.parametrize("rate", [1.0, 3.0, 7.0, 30.0])
def test_few_samples_do_not_contradict_themselves(tmp_path: Path, rate: float) -> None:
    goals = [RIGHT.configuration(name) for name in ("untuck", "neutral", "tuck")]
    for a, b in ((0, 1), (1, 2), (2, 0)):
        for motion in (
            min_jerk(RIGHT, goals[a], goals[b], 6.0),
            point_to_point(RIGHT, goals[a], goals[b]),
        ):
            lines = motion.save(tmp_path / "a.csv", rate).read_text(encoding="utf-8").split("\n")
            plain = "\n".join(",".join(line.split(",")[:22]) for line in lines)
            (tmp_path / "few.csv").write_text(plain, encoding="utf-8")
            assert_close(Trajectory.load(tmp_path / "few.csv").end, goals[b], 1e-9)


def test_waypoints_at_rest_do_not_contradict_themselves(tmp_path: Path) -> None:
    joints = ("s0", "s1", "e0", "e1", "w0", "w1", "w2")
    names = ",".join(f"{part}_left_{j}" for part in ("q", "qd", "qdd") for j in joints)
    rows = [f"{t},{0.1 * t},0,0,1,0,1,0" + 14 * ",0" for t in range(3)]
    (tmp_path / "a.csv").write_text("\n".join([f"t,{names}", *rows]), encoding="utf-8")
    assert Trajectory.load(tmp_path / "a.csv").end[0] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (slice(None, 150), r"ends at speed: qd_right_e0 is -0\.74\d* rad/s in line 151.* cut off"),
        (slice(150, None), r"begins at speed: qd_right_e0 is .* rad/s in line 2, .*first rows\? A"),
    ],
)
def test_a_part_of_a_file_is_refused(
    motion: Trajectory, tmp_path: Path, rows: slice, message: str
) -> None:
    path = values_changed(motion.save(tmp_path / "motion.csv"), lambda x: x[rows])
    with pytest.raises(InputError, match=message):
        Trajectory.load(path)


def test_positions_alone_that_are_a_part_of_a_motion_are_told(motion: Trajectory) -> None:
    t, q, _, _ = motion.at_rate(100.0)
    for part, when in ((slice(None, 150), "ends"), (slice(150, None), "begins")):
        with pytest.raises(TrajectoryError, match=f"torque .* the motion {when} at speed"):
            Trajectory.from_points(t[part], q[part], side="right").check(arm=RIGHT)


def table(path: Path, motion: Trajectory, rows: slice, quantities: int) -> Path:
    """Time, positions, and velocities and accelerations if wanted, as other programs write them."""
    parts = [part[rows] for part in motion.at_rate(100.0)]
    names = ["time", *(f"{x}_{n}" for x in ("q", "qd", "qdd") for n in motion.joint_names)]
    values = np.column_stack(parts[: 1 + quantities])
    header = ",".join(names[: values.shape[1]])
    np.savetxt(path, values, "%.6f", ",", header=header, comments="")
    return path


@pytest.mark.parametrize(
    ("rows", "when", "line"), [(slice(150), "ends", 151), (slice(150, None), "begins", 2)]
)
@pytest.mark.parametrize("quantities", [1, 2])
def test_a_part_of_a_file_without_accelerations_is_refused(
    motion: Trajectory, tmp_path: Path, rows: slice, when: str, line: int, quantities: int
) -> None:
    path = table(tmp_path / "part.csv", motion, rows, quantities)
    with pytest.raises(InputError, match=rf"the motion {when} at speed: .* in line {line}"):
        Trajectory.load(path)
    t, q = (part[rows] for part in motion.at_rate(100.0)[:2])
    part = Trajectory.from_points(t, q)
    with pytest.raises(TrajectoryError, match=f"the motion {when} at speed"):
        part.check(RIGHT.limits)


def test_velocities_without_accelerations_count(motion: Trajectory, tmp_path: Path) -> None:
    path = table(tmp_path / "whole.csv", motion, slice(None), 2)
    assert_close(Trajectory.load(path).end, motion.end, 1e-6)
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    rows[:, 8:] *= -1.0
    header = path.read_text(encoding="utf-8").partition("\n")[0]
    np.savetxt(path, rows, "%.6f", ",", header=header, comments="")
    with pytest.raises(InputError, match="velocities are -1 times the change of positions"):
        Trajectory.load(path)


@pytest.mark.parametrize("rate", [20.0, 50.0, 100.0, 500.0])
def test_noise_and_quick_starts_are_not_speed_at_an_end(motion: Trajectory, rate: float) -> None:
    rng = np.random.default_rng(0)
    quick = point_to_point(RIGHT, motion.start, motion.end)
    for one in (motion, quick):
        t, q, _, _ = one.at_rate(rate)
        noisy = Trajectory.from_points(t, q + rng.normal(0.0, 2e-4, q.shape))
        for when in ("begins", "ends"):
            assert not speeds_at_end(noisy, when).any()
            assert not speeds_at_end(one, when).any()


def test_a_motion_that_begins_or_ends_at_speed_is_not_within_limits() -> None:
    t, q = np.array([0.0, 1.0]), np.tile(RIGHT.configuration("untuck"), (2, 1))
    qd = np.zeros((2, 7))
    for row, when in ((0, "begins"), (1, "ends")):
        speeds = qd.copy()
        speeds[row, 3] = 0.3
        cut = Trajectory.from_points(t, q, speeds, qd, limits=RIGHT.limits)
        with pytest.raises(TrajectoryError, match=f"e1 is 0.3000 rad/s.* the motion {when} at sp"):
            cut.check()
        speeds[row, 3] = 0.009
        Trajectory.from_points(t, q, speeds, qd, limits=RIGHT.limits).check()


@pytest.mark.parametrize(("mark", "quoted"), [(",", True), (";", True), (";", False)])
def test_quoted_numbers_are_read_and_decimal_commas_named(
    tmp_path: Path, mark: str, quoted: bool
) -> None:
    def cell(x: float, point: str) -> str:
        text = f"{x:.3f}".replace(".", point)
        return f'"{text}"' if quoted else text

    rows = [[t, 0.1 * t, 0, 0, 1, 0, 1, 0] for t in range(3)]
    for point in (".", ","):
        lines = [mark.join(cell(x, point) for x in row) for row in rows]
        path = tmp_path / "a.csv"
        path.write_text("\n".join(["t,s0,s1,e0,e1,w0,w1,w2", *lines]), encoding="utf-8")
        if mark == "," and point == ",":
            with pytest.raises(InputError, match="8 numbers expected, got 16; decimal commas need"):
                Trajectory.load(path)
        else:
            assert Trajectory.load(path).end[0] == pytest.approx(0.2)


@pytest.mark.parametrize("side", [None, "right"])
def test_missing_rows_that_the_pieces_contradict_are_refused(
    tmp_path: Path, side: str | None
) -> None:
    knots = np.tile(RIGHT.configuration("untuck"), (6, 1))
    knots[:, 0] += 0.3 * np.sin(np.arange(6))
    motion = through(RIGHT, knots)
    path = motion.save(tmp_path / "motion.csv")
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join([*lines[:101], *lines[141:]]), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        Trajectory.load(path, side=side)
    assert re.fullmatch(
        r".*motion\.csv: line 102: the rows between 0\.99 and 1\.4 s are missing, and the motion "
        r"through the rest is up to 0\.\d+ rad off there by its pieces; copy the file again, or "
        r"remove the columns that start with pieces: to read the rows that there are",
        str(caught.value),
    )
    path.write_text("\n".join([*lines[:101], *lines[102:]]), encoding="utf-8")  # a row
    t = motion.check_times()
    assert_close(Trajectory.load(path).sample(t)[0], motion.sample(t)[0], 1e-4)


def test_a_gap_between_dense_rows_is_refused_unless_the_arm_rests(tmp_path: Path) -> None:
    t = np.arange(0.0, 8.0, 0.01)
    swing = 0.25 * (1.0 - np.cos(2.0 * np.pi * t / 8.0))
    q = RIGHT.configuration("neutral") + np.outer(swing, np.eye(7)[0])

    def saved(gap: np.ndarray) -> Path:
        rows, header = np.column_stack([t + gap, q]), ",".join(["time", *RIGHT.joint_names])
        np.savetxt(tmp_path / "gap.csv", rows, "%.9f", ",", header=header, comments="")
        return tmp_path / "gap.csv"

    Trajectory.load(saved(0.25 * (t >= 2.0)))
    said = r"gap.csv: rows are missing between the lines 201 and 202: 20\.01 s, where rows are 0"
    with pytest.raises(InputError, match=said):
        Trajectory.load(saved(20.0 * (t >= 2.0)))
    q[t > 4.0] = q[np.searchsorted(t, 4.0)]  # swings out, and stays
    rested = Trajectory.load(saved(20.0 * (t >= 6.0)))
    assert rested.duration == pytest.approx(27.99)
