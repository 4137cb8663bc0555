"""What the gripper did, in recordings, and in motions that are made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from bag_files import START, STEP, Messages, joint_state_entries, write_bag
from text_recordings import joint_recorder, motion, table, write
from tolerances import assert_close

from baxterkit import Arm, recording
from baxterkit.errors import InputError
from baxterkit.model.names import joint_names
from baxterkit.recording import Recording
from baxterkit.recording.bag_messages import GRIPPER_STATE
from baxterkit.trajectory import Trajectory


def seen(t: float) -> float:
    """Openings [%] of fingers that close from 0.5 s to 0.9 s, and open at 1.5 s."""
    return 100.0 if t > 1.5 else float(np.interp(t, (0.5, 0.9), (100.0, 30.0)))


def bag(path: Path, gripping: bool) -> Path:
    messages = Messages()
    entries = joint_state_entries(200, messages)
    for i in range(2, 200, 5):
        stamp, t = START + i * STEP, 0.01 * i
        state = messages.gripper(stamp, seen(t), gripping and 0.85 < t < 1.5)
        entries.append(("/robot/end_effector/right_gripper/state", GRIPPER_STATE, stamp, state))
    return write_bag(path, sorted(entries, key=lambda entry: entry[2]))


@pytest.mark.parametrize("gripping", [False, True])
def test_a_bag_tells_what_the_gripper_did(tmp_path: Path, gripping: bool) -> None:
    path = bag(tmp_path / "a.bag", gripping)
    rec = recording.load(path, side="right")
    assert rec.opening is not None
    assert rec.gripping is not None
    expected = [seen(0.01 * max(5 * ((i - 2) // 5) + 2, 2)) / 100.0 for i in range(200)]
    assert_close(rec.opening, expected, 1e-6)  # float32
    assert bool(rec.gripping.any()) is gripping
    gripper = rec.to_trajectory().grippers["right"]
    late = 0.5  # the motion is brought up to speed in that
    # One event for each movement of the fingers; those that held something close all the way.
    assert_close(gripper.t, [0.0, 0.52 + late, 1.52 + late], 0.06)
    assert_close(gripper.opening, [1.0, 0.0 if gripping else 0.3, 1.0], 1e-6)
    assert recording.load(path, side="left").to_trajectory().grippers == {}
    for name in ("a.csv", "a.parquet", "a.mcap"):
        again = recording.load(rec.save(tmp_path / name))
        assert_close(again.opening, rec.opening, 0.0)
        assert_close(again.gripping, rec.gripping, 0.0)


def test_the_recorder_s_file_gives_the_openings_of_a_loaded_motion(tmp_path: Path) -> None:
    lines = [line.split(",") for line in joint_recorder().splitlines()]
    for i, words in enumerate(lines[1:]):
        words[8] = "100.0" if i < 60 else "20.0"
        words[1:8] = [repr(0.1 * float(np.sin(np.pi * i / 199)) ** 4)] * 7
    text = "\n".join(map(",".join, lines)) + "\n"
    path = write(tmp_path / "a.csv", text)
    gripper = recording.load(path, side="left").to_trajectory().grippers["left"]
    loaded = Trajectory.load(write(tmp_path / "b.csv", text), side="left").grippers["left"]
    assert_close(gripper.opening, loaded.opening, 1e-12)
    assert_close(gripper.t, loaded.t, 1e-12)


@pytest.mark.parametrize("cell", ["", "nan", "unknown", "150"])
def test_a_gripper_that_cannot_be_read_is_left_out_alone(tmp_path: Path, cell: str) -> None:
    t, q, _, _ = motion(30)
    columns = {"time": t, **dict(zip(joint_names("left"), q.T, strict=True)), "right_gripper": t}
    path = write(tmp_path / "a.csv", table(columns))  # the other arm's says nothing of the side
    assert recording.load(path).fields == ("q",)
    lines = table({**columns, "left_gripper": 0.0 * t + 50.0}).splitlines()
    lines[5] = lines[5].removesuffix("50.0") + cell + ("," if not cell else "")
    rec = recording.load(write(path, "\n".join(lines)))
    assert (len(rec), rec.fields) == (30, ("q",))
    assert rec.notes[0].startswith("the gripper is left out: its opening is ")
    assert "in line 6, and must be from 0 to 1 (0 to 100 %)" in rec.notes[0]


def test_openings_hold_and_are_not_filtered() -> None:
    t = np.arange(0.0, 4.0, 0.01)
    q = np.tile(Arm("left").configuration("neutral"), (len(t), 1))
    opening = np.where(t < 2.0, 1.0, 0.2)
    rec = Recording(t=t, q=q, side="left", opening=opening)
    assert_close(rec.filtered(2.0).opening, opening, 0.0)
    even = rec.resampled(7.0)
    assert_close(even.opening, np.where(even.t < 2.0, 1.0, 0.2), 0.0)
    assert_close(rec[150:250].to_trajectory().grippers["left"].t, [0.0, 0.5], 1e-9)
    with pytest.raises(InputError, match=r"opening = 100; it must be from 0 to 1"):
        Recording(t=t, q=q, opening=100.0 * opening)
