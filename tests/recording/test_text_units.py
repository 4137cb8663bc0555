"""Units in text files: degrees, milliseconds, millimetres; by names of columns, and by values."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from bag_files import Messages, joint_state_entries, write_bag
from text_recordings import motion, table, write
from tolerances import RESAMPLED, assert_close

from baxterkit import Arm, recording
from baxterkit.errors import RecordingError
from baxterkit.model.names import JOINTS, joint_names
from baxterkit.types import Array


def in_degrees(scale_q: float, scale_qd: float, scale_t: float = 1.0) -> str:
    t, q, qd, _ = motion()
    columns = {"time": t * scale_t}
    columns |= {f"q_{joint}": scale_q * q[:, i] for i, joint in enumerate(JOINTS)}
    columns |= {f"qd_{joint}": scale_qd * qd[:, i] for i, joint in enumerate(JOINTS)}
    return table(columns)


def test_degrees_are_noticed_and_read_on_request(tmp_path: Path) -> None:
    degree = 180.0 / np.pi
    path = write(tmp_path / "a.csv", in_degrees(degree, degree))
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    q = degree * 0.7 * np.sin(np.arange(7))
    first = int(np.argmax(np.abs(q) > 2.0 * np.pi))
    assert str(caught.value) == (
        f"{path}, line 2: {JOINTS[first]} = {q[first]:g} cannot be radians, and all angles make "
        "sense as degrees; read it with load(..., angles='deg')"
    )
    rec = recording.load(path, angles="deg")
    assert_close(rec.q, motion()[1], RESAMPLED)
    assert_close(rec.qd, motion()[2], RESAMPLED)


def test_one_joint_in_degrees_is_not_taken_for_all(tmp_path: Path) -> None:
    t, q, _, _ = motion()
    columns = {"time": t} | {f"q_{joint}": q[:, i].copy() for i, joint in enumerate(JOINTS)}
    columns["q_e1"] = 40.0 + 20.0 * np.sin(t)
    path = write(tmp_path / "a.csv", table(columns))
    with pytest.raises(RecordingError, match="unless e1 alone is in degrees, or a full turn too"):
        recording.load(path)


@pytest.mark.parametrize("first", [60, 170])  # most rows, or a few
@pytest.mark.parametrize("velocities", [True, False])
def test_a_joint_that_jumps_by_a_full_turn_is_not_taken_for_degrees(
    tmp_path: Path, first: int, velocities: bool
) -> None:
    t, q, qd, _ = motion()
    q[first:, 6] += 2.0 * np.pi
    columns = {"time": t} | {f"q_{joint}": q[:, i] for i, joint in enumerate(JOINTS)}
    if velocities:
        columns |= {f"qd_{joint}": qd[:, i] for i, joint in enumerate(JOINTS)}
    path = write(tmp_path / "a.csv", table(columns))
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == (
        f"{path}, line {first + 2}: w2 jumps by a full turn, from {q[first - 1, 6]:.3f} to "
        f"{q[first, 6]:.3f} rad, and no joint turns that far: it was wrapped or unwrapped (the "
        "jump shows that it is in radians); bring it into -3.059 to 3.059 rad by adding or taking "
        "off 2 pi"
    )


@pytest.mark.parametrize(
    ("scales", "what"),
    [
        ((1.0, 180.0 / np.pi, 1.0), "positions seem to be in radians and velocities in degrees"),
        ((1.0, 1.0, 1e3), "time seems to be in milliseconds; divide it by 1000"),
        ((1.0, 1.0, 1e9), "time seems to be in nanoseconds; divide it by 1e9"),
    ],
)
def test_swapped_units_of_velocity_and_time_are_noticed(
    tmp_path: Path, scales: tuple[float, float, float], what: str
) -> None:
    path = write(tmp_path / "a.csv", in_degrees(*scales))
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value).startswith(f"{path}: positions, velocities and time disagree: {what}")


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "milli"), (1e6, "micro"), (1e9, "nano")])
def test_wrong_units_of_time_show_without_velocities_too(
    tmp_path: Path, factor: float, unit: str
) -> None:
    t, q, _, _ = motion()
    columns = {"time": factor * t, **dict(zip(joint_names("left"), q.T, strict=True))}
    path = write(tmp_path / "a.csv", table(columns))
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == (
        f"{path}: rows of a smooth motion are {0.01 * factor:g} s apart: time seems to be in "
        f"{unit}seconds; it must be in seconds"
    )


def test_configurations_minutes_apart_are_no_wrong_unit(tmp_path: Path) -> None:
    t, q, _, _ = motion(40, step=0.5)
    columns = {"time": 120.0 * t, **dict(zip(joint_names("left"), q.T, strict=True))}
    assert len(recording.load(write(tmp_path / "a.csv", table(columns)))) == 40


def test_positions_in_millimetres_are_noticed(tmp_path: Path) -> None:
    t, q, _, _ = motion(30)
    columns = {"time": t, **dict(zip(joint_names("left"), q.T, strict=True))}
    columns |= {f"position_{axis}": 800.0 + t for axis in "xyz"}
    path = write(tmp_path / "a.csv", table(columns))
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == (
        f"{path}, line 2: no good row is left; the first problem: position_x = 800 m is beyond "
        "±10 m"
    )


def test_units_after_names_are_understood(tmp_path: Path) -> None:
    t, q, qd, _ = motion()
    head = [f"right_{joint} [rad]" for joint in JOINTS], [f"vel_right_{j} (rad/s)" for j in JOINTS]
    columns = {"Time [s]": t, **dict(zip(head[0], q.T, strict=True))}
    columns |= dict(zip(head[1], qd.T, strict=True))
    rec = recording.load(write(tmp_path / "a.csv", table(columns)))
    assert rec.side == "right"
    assert rec.qd is not None
    assert_close(rec.q, q, 0.0)
    degrees = {name.replace("rad", "deg"): values for name, values in columns.items()}
    path = write(tmp_path / "deg.csv", table(degrees))  # so small that they could be radians
    with pytest.raises(RecordingError, match=r"column right_s0 \[deg\] is in degrees; read it wi"):
        recording.load(path)
    assert_close(recording.load(path, angles="deg").q, np.radians(q), 1e-15)
    with pytest.raises(RecordingError, match=r"right_s0 \[rad\] is in radians; leave out angles="):
        recording.load(tmp_path / "a.csv", angles="deg")


@pytest.mark.parametrize("name", ["Time [ms]", "time_ms", "timestamp (ms)"])
def test_a_time_whose_name_is_of_another_unit_is_refused(tmp_path: Path, name: str) -> None:
    t, q, _, _ = motion()
    columns = {name: t, **dict(zip(joint_names("left"), (0.0 * q).T, strict=True))}  # at rest
    with pytest.raises(RecordingError, match=r"is in milliseconds; divide it by 1000, and call it"):
        recording.load(write(tmp_path / "a.csv", table(columns)))


def test_a_slow_motion_is_doubted(tmp_path: Path) -> None:
    t, q, _, _ = motion(2000, 0.001)
    columns = {"time": 1e3 * t, **dict(zip(joint_names("left"), q.T, strict=True))}
    notes = recording.load(write(tmp_path / "a.csv", table(columns))).notes
    assert notes == (
        "rows are 1 s apart, and no joint turns faster than 0.0014 rad/s: is time in milliseconds?",
    )


def untimed(path: Path, scale_qd: float, scale_q: float = 1.0) -> Path:
    """The 21 columns without time, of rows that are 10 ms apart."""
    _, q, qd, tau = motion()
    np.savetxt(path, np.hstack([scale_q * q, scale_qd * qd, tau]))
    return path


def test_without_time_velocities_in_degrees_are_refused(tmp_path: Path) -> None:
    path = untimed(tmp_path / "deg.txt", 180.0 / np.pi)
    what = "positions seem to be in radians and velocities in degrees per second"
    with pytest.raises(RecordingError, match=rf"agree at 57\d\d Hz, above 1100 Hz, .*: {what}"):
        recording.load(path, side="left")
    with pytest.raises(RecordingError, match=f"positions, velocities and time disagree: {what}"):
        recording.load(path, side="left", rate=100.0)


def test_without_time_a_rate_that_velocities_contradict_is_noted(tmp_path: Path) -> None:
    path = untimed(tmp_path / "a.txt", 1.0)
    assert recording.load(path, side="left", rate=100.0).notes == ()
    assert recording.load(path, side="left", rate=10.0).notes == (
        "positions, velocities and time disagree: rows are 0.1 s apart by the rate that was given, "
        "and 0.01 s by positions and velocities",
    )


def test_times_that_velocities_contradict_are_noted(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", in_degrees(1.0, 1.0, 3.0))
    assert recording.load(path).notes == (
        "positions, velocities and time disagree: rows are 0.03 s apart by the file's times, and "
        "0.01 s by positions and velocities",
    )


@pytest.mark.parametrize("with_velocities", [False, True])
def test_milliseconds_are_doubted_at_rest_too(tmp_path: Path, with_velocities: bool) -> None:
    t, q, _, _ = motion()
    columns = {"time": 1e3 * t, **dict(zip(joint_names("left"), (0.0 * q + 0.3).T, strict=True))}
    if with_velocities:
        columns |= {f"vel_{name}": 0.0 * t for name in joint_names("left")}
    path = write(tmp_path / "a.csv", table(columns))
    assert recording.load(path).notes == (
        "rows are 10 s apart, and the arm hardly moves: is time in milliseconds?",
    )


@pytest.mark.parametrize(
    ("change", "notes"),
    [
        (lambda qd: qd, ()),
        (lambda qd: np.roll(qd, 2, axis=0), ()),  # as late as a robot's
        (
            lambda qd: -qd,
            ("velocities contradict the positions: opposite signs in s0, s1, e0, e1, w0, w1, w2",),
        ),
        (
            lambda qd: qd * [1, 1, -1, 1, 1, 0, 1],
            (
                "velocities contradict the positions: opposite signs in e0; zero, while it moves, "
                "in w1",
            ),
        ),
        (
            lambda qd: qd[:, [1, 0, 2, 3, 4, 5, 6]],
            ("velocities contradict the positions: another motion in s0, s1",),
        ),
        (lambda qd: np.roll(qd, 20, axis=0), ("velocities lag the positions by 0.20 s",)),
        (lambda qd: np.roll(qd, -12, axis=0), ("velocities lead the positions by 0.12 s",)),
    ],
)
def test_velocities_that_contradict_positions_are_noted(
    tmp_path: Path, change: Callable[[Array], Array], notes: tuple[str, ...]
) -> None:
    t = 0.01 * np.arange(1000)
    q = 0.4 * np.sin(t[:, None] * np.linspace(0.7, 1.9, 7) + np.arange(7)) + np.eye(7)[3]
    qd = change(np.gradient(q, t, axis=0))
    columns = {"time": t}
    columns |= {f"q_{joint}": q[:, i] for i, joint in enumerate(JOINTS)}
    columns |= {f"qd_{joint}": qd[:, i] for i, joint in enumerate(JOINTS)}
    rec = recording.load(write(tmp_path / "a.csv", table(columns)))
    assert rec.notes == notes
    assert recording.load(rec.save(tmp_path / "again.csv")).notes == notes


def test_decimal_commas_between_commas_are_named(tmp_path: Path) -> None:
    text = in_degrees(1.0, 1.0)
    head, rest = text.split("\n", 1)
    quoted = "\n".join(
        ",".join('"' + cell.replace(".", ",") + '"' for cell in line.split(","))
        for line in rest.splitlines()
    )
    path = write(tmp_path / "a.csv", f"{head}\n{quoted}\n")
    with pytest.raises(RecordingError, match="15 numbers expected, got 30; decimal commas need se"):
        recording.load(path)


def test_units_in_the_names_of_a_parquet_file_count(tmp_path: Path) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    t, q, _, _ = motion()
    for time, joint, error in (
        ("time", "[deg]", r"q_s0 \[deg\] is in degrees; read it with load"),
        ("time [ms]", "[rad]", r"time \[ms\] is in milliseconds"),
    ):
        columns = {time: t, **{f"q_{name} {joint}": q[:, i] for i, name in enumerate(JOINTS)}}
        parquet.write_table(arrow.table(columns), tmp_path / "a.parquet")
        with pytest.raises(RecordingError, match=error):
            recording.load(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    "name", ["motion.csv", "ours.csv", "ours.csv.gz", "ours.parquet", "ours.mcap"]
)
def test_a_file_of_ours_is_not_read_in_degrees(tmp_path: Path, name: str) -> None:
    t, q, _, _ = motion()
    rec = recording.load(
        write(
            tmp_path / "a.csv",
            table({"time": t, **dict(zip(joint_names("left"), q.T, strict=True))}),
        )
    )
    path = tmp_path / name
    rec.to_trajectory().save(path) if name == "motion.csv" else rec.save(path)
    with pytest.raises(RecordingError, match=r"in radians; leave out angles='deg'$"):
        recording.load(path, angles="deg")
    bare = recording.Recording(t=t, q=q)  # which has nothing to say about itself
    bare.save(tmp_path / "bare.csv")
    with pytest.raises(RecordingError, match=r"baxterkit wrote this recording in radians; leave"):
        recording.load(tmp_path / "bare.csv", side="left", angles="deg")


def test_bags_are_in_radians_by_definition(tmp_path: Path) -> None:
    path = write_bag(tmp_path / "a.bag", joint_state_entries(20, Messages()))
    with pytest.raises(RecordingError) as caught:
        recording.load(path, angles="deg")
    assert str(caught.value) == (
        f"{path}: the robot's messages (JointState) are in radians; leave out angles='deg'"
    )


@pytest.mark.parametrize("side", ["right", None])
def test_positions_far_from_the_hand_are_noted(tmp_path: Path, side: str | None) -> None:
    t, q, _, _ = motion()
    arm = Arm("right", tool="electric_standard")
    name = "q_{}" if side is None else f"q_{side}_{{}}"
    columns = {"time": t} | {name.format(j): q[:, i] for i, j in enumerate(JOINTS)}
    columns |= dict(
        zip(("position_x", "position_y", "position_z"), arm.fk(q)[:, :3, 3].T, strict=True)
    )
    path = write(tmp_path / "a.csv", table(columns))
    assert recording.load(path).notes == ()
    (note,) = recording.load(path, angles="deg").notes
    assert re.fullmatch(
        r"position is \d\.\d\d m from where the angles put the hand: are the angles in radians\? "
        r"Then leave out angles='deg'",
        note,
    )
