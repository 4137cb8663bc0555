"""The `Recording` type: checks, rows, time, files."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pytest
from tolerances import RESAMPLED, assert_close

from baxterkit import Arm, recording
from baxterkit.errors import InputError, ShapeError, UnitsWarning, UnknownNameError
from baxterkit.model.names import joint_names
from baxterkit.recording import Recording
from baxterkit.spatial import matrix_to_quaternion, pose_error


def full(n: int = 50) -> Recording:
    """A recording with every quantity."""
    rng = np.random.default_rng(3)
    arm = Arm("right", "vacuum")
    q = np.cumsum(rng.normal(0.0, 0.02, (n, 7)), axis=0)
    T = arm.fk(q)
    joints = {
        name: rng.normal(size=(n, 7))
        for name in ("qd", "qdd", "tau", "actuator", "gravity", "hysteresis", "crosstalk")
    }
    return Recording(
        t=np.cumsum(rng.uniform(0.009, 0.011, n)),
        q=q,
        position=T[:, :3, 3],
        quaternion=matrix_to_quaternion(T[:, :3, :3]),
        twist=rng.normal(size=(n, 6)),
        wrench=rng.normal(size=(n, 6)),
        jacobian=arm.jacobian(q),
        side="right",
        source="made up",
        notes=("a note", "another, with a comma"),
        cutoff=2.5,
        **joints,
    )


def test_arrays_are_read_only_copies() -> None:
    q = np.zeros((3, 7))
    rec = Recording(t=np.arange(3.0), q=q)
    q[0, 0] = 1.0
    assert rec.q[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        rec.q[0, 0] = 1.0


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda rec: pickle.loads(pickle.dumps(rec))])
def test_copies_keep_everything(copied) -> None:  # type: ignore[no-untyped-def]
    rec, other = full(), copied(full())
    assert_same(rec, other)
    assert not other.q.flags.writeable


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_saved_recordings_are_read_back_digit_for_digit(tmp_path: Path, ending: str) -> None:
    rec = full()
    path = rec.save(tmp_path / f"rec{ending}")
    other = recording.load(path)
    assert_same(rec, other)
    again = other.save(tmp_path / f"again{ending}")
    assert ending == ".parquet" or len(again.read_bytes()) > 0


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".mcap"])
@pytest.mark.parametrize("cutoff", [2.0, 1.0 / 3.0, 1e-5, np.inf])
def test_saved_recordings_keep_the_cutoff_of_their_filters(
    tmp_path: Path, ending: str, cutoff: float
) -> None:
    rec = dataclasses.replace(full(), cutoff=cutoff)
    again = recording.load(rec.save(tmp_path / f"rec{ending}"))
    notes = again.notes[: len(rec.notes)]  # an .mcap has another time 0, and a note says so
    assert (again.cutoff, notes, again.side) == (cutoff, rec.notes, rec.side)


def test_a_filter_before_and_after_a_file_is_one(tmp_path: Path) -> None:
    t = np.arange(300) / 100.0
    rec = Recording(t=t, q=0.3 * np.sin(t[:, None] + np.arange(7)), side="left")
    again = recording.load(rec.filtered(2.0).save(tmp_path / "f.csv"))
    assert again.filtered(5.0).cutoff == again.cutoff == 2.0


def test_equal_recordings_are_equal_files(tmp_path: Path) -> None:
    first, second = full().save(tmp_path / "a.csv.gz"), full().save(tmp_path / "b.csv.gz")
    assert first.read_bytes() == second.read_bytes()


def assert_same(rec: Recording, other: Recording) -> None:
    assert other.fields == rec.fields
    np.testing.assert_array_equal(other.t, rec.t)
    for name in rec.fields:
        np.testing.assert_array_equal(getattr(other, name), getattr(rec, name))
    assert (other.side, other.notes, other.cutoff) == (rec.side, rec.notes, rec.cutoff)


def test_a_saved_arm_cannot_be_read_as_the_other(tmp_path: Path) -> None:
    path = full().save(tmp_path / "rec.csv")
    with pytest.raises(recording.RecordingError) as caught:
        recording.load(path, side="left")
    assert str(caught.value) == f"{path}: the file holds the right arm only, not the left one"


def test_other_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        full().save(tmp_path / "rec.xlsx")
    assert (
        str(caught.value) == "rec.xlsx: a recording is written as .parquet, .csv, .csv.gz or .mcap"
    )


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"q": np.zeros((3, 6))}, ShapeError, "q must have shape (3, 7), got (3, 6)"),
        ({"t": np.zeros((3, 1))}, ShapeError, "t must have shape (n,) with at least one row"),
        (
            {"t": [0.0, 0.2, 0.2]},
            InputError,
            "t[2] = 0.2 s is not after t[1] = 0.2 s; time must increase from row to row",
        ),
        ({"tau": np.full((3, 7), np.nan)}, InputError, "tau[0, 0] = nan; every value of tau"),
        ({"side": "middle"}, UnknownNameError, "unknown side 'middle'; available: left, right"),
    ],
)
def test_wrong_arrays_are_refused(changes: dict[str, object], error: type, message: str) -> None:
    given = {"t": np.arange(3.0), "q": np.zeros((3, 7)), **changes}
    with pytest.raises(error) as caught:
        Recording(**given)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


def test_rows_are_taken_by_time_and_by_index() -> None:
    rec = Recording(t=np.arange(10) / 10.0, q=0.1 * np.arange(70.0).reshape(10, 7))
    assert_close(rec.slice(0.3, 0.6).t, [0.3, 0.4, 0.5], 0.0)
    assert len(rec.slice(0.55)) == 4
    assert_close(rec[2:4].q[:, 0], [0.1 * 14.0, 0.1 * 21.0], 0.0)
    assert_close(rec[rec.q[:, 0] > 5.0].t, [0.8, 0.9], 0.0)
    with pytest.raises(InputError) as caught:
        rec.slice(5.0)
    assert str(caught.value) == (
        "no row of this recording lies from 5.0 to None s; it goes from 0 to 0.9 s"
    )


def test_what_was_not_recorded_is_named() -> None:
    rec = Recording(t=np.arange(3.0), q=np.zeros((3, 7)), qd=np.zeros((3, 7)), source="a.csv")
    with pytest.raises(InputError) as caught:
        rec.required("tau")
    assert str(caught.value) == "a.csv holds no tau; it has q, qd"
    with pytest.raises(InputError, match=r"a\.csv holds no quaternion"):
        _ = rec.T_base_tip


def test_the_pose_is_that_of_position_and_quaternion() -> None:
    rec = full()
    distance, angle = pose_error(rec.T_base_tip, Arm("right", "vacuum").fk(rec.q))
    assert_close(distance, np.zeros(len(rec)), RESAMPLED)
    assert_close(angle, np.zeros(len(rec)), 1e-7)  # arccos-free angle of rounded quaternions


def test_the_printed_form_says_what_is_in_it() -> None:
    rec = Recording(t=np.arange(101) / 100.0, q=np.zeros((101, 7)), side="left", source="x.csv")
    assert repr(rec) == "<Recording: left arm, 101 rows, 1 s at 100 Hz, q, source='x.csv'>"
    doubtful = dataclasses.replace(rec, notes=("e1 jumps 2 times", "e1 leaves its limits"))
    assert repr(doubtful).endswith(" source='x.csv', 2 notes>")


def test_rows_that_are_taken_keep_every_digit_and_sign() -> None:
    rng = np.random.default_rng(0)
    quaternion = rng.normal(size=(20, 4))
    quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
    rec = Recording(t=np.arange(20.0), q=np.zeros((20, 7)), quaternion=quaternion)
    np.testing.assert_array_equal(rec[3:9].quaternion, quaternion[3:9])
    np.testing.assert_array_equal(rec.slice(4.0).quaternion, quaternion[4:])


def test_tables_are_read_by_the_names_of_the_joints() -> None:
    q = np.arange(14.0).reshape(2, 7) / 10
    names = joint_names("right")
    shuffled = {name: q[:, names.index(name)] for name in sorted(names)}
    rec = Recording(t=[0.0, 0.1], q=shuffled, tau=shuffled, side="right")  # type: ignore[arg-type]
    assert rec.tau is not None
    assert_close(rec.q, q, 0.0)
    assert_close(rec.tau, q, 0.0)
    with pytest.raises(InputError, match=r"q holds joints of the right arm .*this is the left arm"):
        Recording(t=[0.0, 0.1], q=shuffled, side="left")  # type: ignore[arg-type]


def test_degrees_are_noticed() -> None:
    with pytest.warns(UnitsWarning, match=r"q holds 111\.154 rad, 17\.7 turns: are these degrees"):
        Recording(t=[0.0], q=[np.degrees(Arm("left").configuration("untuck"))])  # type: ignore[arg-type]


def test_wrong_arguments_are_refused_in_words() -> None:
    rec = Recording(t=np.arange(3.0), q=np.zeros((3, 7)))
    with pytest.raises(InputError, match="hz must hold real numbers, got the text '5'"):
        rec.filtered("5")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="these rows are none of the 3 of this recording"):
        rec[5:9]
    late = (1.6e9 + 0.01 * np.arange(3)).astype(np.float32)
    with pytest.raises(InputError, match=r"float32 is too coarse for such times; take float64"):
        Recording(t=late, q=np.zeros((3, 7)))  # type: ignore[arg-type]
