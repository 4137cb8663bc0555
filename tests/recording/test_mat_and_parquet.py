"""MATLAB and Parquet files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tolerances import ROUNDING, assert_close

from baxterkit import Arm, recording
from baxterkit.errors import RecordingError
from baxterkit.model.names import JOINTS, joint_names
from baxterkit.spatial import matrix_to_quaternion
from baxterkit.types import Array


def variables(n: int = 40) -> dict[str, Array]:
    """Variables of a recording as MATLAB has them: rows are columns."""
    rng = np.random.default_rng(0)
    t = np.arange(n) * 0.01
    q = 0.3 * np.sin(t[:, None] + np.arange(7))
    qd = 0.3 * np.cos(t[:, None] + np.arange(7))
    arm = Arm("right", "electric_extended")
    J = arm.jacobian(q)
    twist = np.einsum("nij,nj->ni", J, qd)
    return {
        "time": t[None],
        "q": q.T,
        "dq": qd.T,
        "tau": rng.normal(size=(7, n)),
        "xp": arm.fk(q)[:, :3, 3].T,
        "dxp": twist[:, :3].T,
        "J": np.moveaxis(J, 0, -1),
    }


def write(path: Path, content: dict[str, object]) -> Path:
    import scipy.io

    scipy.io.savemat(path, content)
    return path


def test_matlab_variables_are_read_along_either_axis(tmp_path: Path) -> None:
    given = variables()
    rec = recording.load(write(tmp_path / "a.mat", {**given, "name": "right_arm"}))
    assert rec.side == "right"
    np.testing.assert_array_equal(rec.q, given["q"].T)
    np.testing.assert_array_equal(rec.tau, given["tau"].T)
    np.testing.assert_array_equal(rec.jacobian, np.moveaxis(given["J"], -1, 0))
    assert_close(rec.twist, Arm("right", "electric_extended").twist(rec.q, rec.qd), ROUNDING)
    turned = {name: given[name].T for name in ("time", "q", "dq")}
    other = recording.load(write(tmp_path / "left.mat", turned))
    assert other.side == "left"
    np.testing.assert_array_equal(other.q, rec.q)


@pytest.mark.parametrize("gain", ["Kx", "Kq", "Kr", "k", "quat_des"])
def test_commanded_torque_is_not_taken_for_sensed_torque(tmp_path: Path, gain: str) -> None:
    rec = recording.load(write(tmp_path / "a.mat", {**variables(), gain: np.eye(3)}), "right")
    assert rec.tau is None
    assert "tau is what a controller commanded, not what was sensed; left out" in rec.notes


def test_variables_that_were_never_stored_are_left_out(tmp_path: Path) -> None:
    zeros = {name: 0.0 * variables()[name] for name in ("dq", "xp", "J")}
    rec = recording.load(write(tmp_path / "a.mat", {**variables(), **zeros}), "right")
    assert rec.fields == ("q", "tau")
    assert rec.notes == tuple(
        f"{name} is zero throughout, so it was never stored; left out" for name in ("dq", "xp", "J")
    )
    still = {"time": np.arange(40.0), "q": np.full((7, 40), 0.2), "dq": np.zeros((7, 40))}
    assert recording.load(write(tmp_path / "b.mat", still), "right").fields == ("q", "qd")


def test_matlab_quaternions_have_their_real_part_first(tmp_path: Path) -> None:
    given = variables()
    R = Arm("right").fk(given["q"].T)[:, :3, :3]
    xyzw = matrix_to_quaternion(R)
    for name, stored in (("quat", np.roll(xyzw, 1, axis=1)), ("quaternion", xyzw)):
        rec = recording.load(write(tmp_path / "a.mat", {**given, name: stored.T}), "right")
        assert rec.quaternion is not None
        np.testing.assert_array_equal(rec.quaternion, xyzw)
        assert ("quat was taken as w x y z" in rec.notes) == (name == "quat")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros((6, 40))}, "q must be 7 by n, it is 6 by 40"),
        ({"dq": np.zeros((7, 39))}, "dq must be 7 by 40 as q is, it is 7 by 39"),
        ({"dxp": np.zeros((6, 40))}, "dxp must be 3 by 40 as q is, it is 6 by 40"),
        ({"time": "noon"}, "time must be a full matrix of real numbers, it is text"),
        ({"q": np.full((7, 40), 1j)}, "q must be a full matrix of real numbers, it is complex"),
        (
            {"dxp": np.array([[1.0, "a"]], dtype=object)},
            "dxp must be a full matrix of real numbers, it is a cell array",
        ),
        (
            {"q": np.zeros((7, 40))},
            "q is zero in every column: the joint positions were never stored",
        ),
        ({"time": np.zeros((1, 3))}, "time has 3 values, q has 40 columns"),
    ],
)
def test_variables_that_do_not_fit_are_named(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = write(tmp_path / "a.mat", {**variables(), **change})
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == f"{path}: {message}"


def test_a_matlab_file_without_joints_says_what_it_holds(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mat", {"speed": np.zeros(3), "name": "x"})
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == f"{path}: no variable q (7 by n) in it; it holds speed, name"


@pytest.mark.parametrize("name", ["a.mat", "a.parquet"])
def test_damaged_files_are_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"this is text, and no such file" * 10)
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    kind = "MATLAB v5" if name.endswith(".mat") else "Parquet"
    assert str(caught.value).startswith(f"{path}: this is not a {kind} file, or ")


def test_a_matlab_7_3_file_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file" + bytes(200))
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == (
        f"{path}: MATLAB v7.3 is HDF5; save it again with save(..., '-v7')"
    )


def test_parquet_of_others_is_read_by_column_names(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    given = variables()
    columns = {"time": given["time"][0], "label": ["x"] * 40}
    columns |= dict(zip(joint_names("left"), given["q"], strict=True))
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    rec = recording.load(path)
    assert rec.side == "left"
    np.testing.assert_array_equal(rec.q, given["q"].T)


def test_parquet_with_points_in_time_and_foreign_notes_is_read(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    given = variables()
    stamps = np.datetime64("2022-08-21T12:00:00", "ns") + (given["time"][0] * 1e9).astype(int)
    columns = {"time": stamps, **dict(zip(joint_names("left"), given["q"], strict=True))}
    path = tmp_path / "a.parquet"
    for about in (b"{}", b"[1]", b"no JSON", b'{"side": "middle"}'):
        table = pyarrow.table(columns).replace_schema_metadata({b"baxterkit": about})
        parquet.write_table(table, path)
        rec = recording.load(path)
        assert_close(rec.t, given["time"][0], 1e-8)
        assert (rec.side, rec.notes) == ("left", ())


def test_empty_parquet_and_nan_rows_are_named(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    names = ["time", *(f"q_{joint}" for joint in JOINTS)]
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({name: np.zeros(0) for name in names}), path)
    with pytest.raises(RecordingError) as caught:
        recording.load(path)
    assert str(caught.value) == f"{path}: the file holds no rows"
    columns = {name: np.arange(5.0) / 10.0 for name in names}
    columns["q_e1"][3] = np.nan
    parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(RecordingError, match="row 3: q_e1 is nan"):
        recording.load(path)
