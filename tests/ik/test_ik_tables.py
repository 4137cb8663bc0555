"""Answers of inverse kinematics as tables."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.errors import InputError

ARM = Arm("left")


def poses(shape: tuple[int, ...]) -> np.ndarray:
    """Targets, the last of them out of reach."""
    limits, rng = ARM.limits, np.random.default_rng(1)
    T = ARM.fk(rng.uniform(limits.lower, limits.upper, (*shape, 7)))
    if T.size:
        T.reshape(-1, 4, 4)[-1, :3, 3] = 5.0
    return T


@pytest.mark.filterwarnings("ignore::baxterkit.errors.UnitsWarning")
@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2), (0,)])
def test_every_answer_is_a_row(shape: tuple[int, ...], tmp_path: Path) -> None:
    result = ARM.ik(poses(shape))
    table, count = result.to_table(), int(np.prod(shape))
    assert list(table) == [*ARM.joint_names, "position_error", "orientation_error", "status"]
    assert all(len(column) == count for column in table.values())
    if count:
        assert table["status"][-1] == "OUT_OF_REACH"
    np.testing.assert_array_equal(table["left_e0"], result.q.reshape(-1, 7)[:, 2])
    with open(result.save(tmp_path / "answers.csv")) as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == table["status"]
    np.testing.assert_array_equal([float(row["left_e0"]) for row in rows], table["left_e0"])


def test_parquet_holds_the_same(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    result = ARM.ik(ARM.fk(np.zeros((4, 7))))
    kept = parquet.read_table(result.save(tmp_path / "answers.parquet")).to_pydict()
    assert kept["status"] == ["SOLVED"] * 4
    np.testing.assert_array_equal(kept["left_w2"], result.q[:, 6])
    with pytest.raises(InputError, match=r"answers.xlsx: a table is a file that ends in .csv or"):
        result.save(tmp_path / "answers.xlsx")


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_columns_name_the_arm(backend: str, tmp_path: Path) -> None:
    arm = Arm("right", backend=backend)
    T = arm.fk(arm.configuration("neutral"))
    for result in (arm.ik(T), arm.ik([T, T]), arm.ik([T, T])[0], Baxter().ik("right", T)):
        assert list(result.to_table())[:7] == list(arm.joint_names)
    path = arm.ik([T, T]).save(tmp_path / "answers.csv")
    with pytest.raises(InputError, match=r"holds joints of the right arm .* this is the left arm"):
        ARM.fk(dict.fromkeys(path.read_text().splitlines()[0].split(","), 0.0))
