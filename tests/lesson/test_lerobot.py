"""Datasets of LeRobot: written, read back, read by LeRobot itself; what is none is refused."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest
from numpy.typing import NDArray
from test_lesson import lesson, motion

from baxterkit.errors import BaxterkitError, InputError
from baxterkit.lesson import Lesson, load_lerobot, save_lerobot
from baxterkit.trajectory import both_arms

SAME = 1e-5
"""Rows are float32, and the spline between them is another one [rad]."""
READER = Path(__file__).with_name("read_lerobot.py")


def two() -> list[Lesson]:
    return [lesson(), replace(lesson().cut(2.0, 5.0).named("place"), notes=("a note",))]


def picture(one: Lesson, t: float) -> NDArray[np.uint8]:
    """A picture whose brightness tells the time; red in one lesson, green in the other."""
    made = np.zeros((64, 96, 3), np.uint8)
    made[:, :, 0 if one.name == "pick" else 1] = round(30.0 + 30.0 * t)
    return made


def info(folder: Path) -> Any:
    return json.loads((folder / "meta" / "info.json").read_text())


def changed(folder: Path, **values: object) -> None:
    (folder / "meta" / "info.json").write_text(json.dumps({**info(folder), **values}))


def test_a_dataset_gives_lessons_back(tmp_path: Path) -> None:
    before = two()
    after = load_lerobot(save_lerobot(tmp_path / "set", before, rate=50))
    assert [one.name for one in after] == ["pick", "place"]
    for one, other in zip(before, after, strict=True):
        assert other.waypoints == one.waypoints
        assert (other.hands, other.notes) == (one.hands, one.notes)
        grips = [g.motion.grippers["left"].t.tolist() for g in (one, other)]
        assert grips[0] == grips[1]
        assert 0.0 <= other.duration - one.duration < 0.02
        t = np.arange(int(one.duration * 50)) / 50
        assert np.abs(other.motion.sample(t).q - one.motion.sample(t).q).max() < SAME


def test_rows_are_state_and_what_comes_next(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    one = lesson()
    folder = save_lerobot(tmp_path / "set", [one, one], rate=20)
    table = pq.read_table(folder / "data" / "chunk-000" / "file-000.parquet").to_pydict()
    state, action = np.array(table["observation.state"]), np.array(table["action"])
    count = 131
    assert state.shape == (2 * count, 8)
    assert info(folder)["features"]["action"]["names"][-2:] == ["left_w2", "left_gripper"]
    assert np.array_equal(action[: count - 1], state[1:count])
    assert state[count - 1, :7] == pytest.approx(one.motion.end, abs=1e-6)
    assert np.flatnonzero(np.diff(state[:count, 7])).tolist() == [35, 63]  # 1.8 and 3.2 s
    assert table["index"] == list(range(2 * count))
    assert table["timestamp"][:3] == pytest.approx([0.0, 0.05, 0.1])
    assert (table["task_index"][-1], info(folder)["total_tasks"]) == (0, 1)
    stats = json.loads((folder / "meta" / "stats.json").read_text())["action"]
    assert stats["max"] == pytest.approx(action.max(0), abs=1e-6)
    assert stats["count"] == [2 * count]


def test_both_arms_and_datasets_of_others(tmp_path: Path) -> None:
    both = Lesson(both_arms(motion(), motion("right")).with_grippers(right=[(1.0, 0.0)]))
    folder = save_lerobot(tmp_path / "set", [both])
    assert info(folder)["features"]["action"]["shape"] == [15]
    (folder / "meta" / "baxterkit.json").unlink()  # as if LeRobot had written it
    back = load_lerobot(folder)[0]
    assert back.sides == ("left", "right")
    assert back.motion.grippers["right"].t == pytest.approx([1.0], abs=0.04)
    assert back.hands["right"].tool is None  # a dataset does not tell
    features = info(folder)["features"]
    features["observation.state"]["names"] = {"motors": features["observation.state"]["names"]}
    changed(folder, features=features)
    assert load_lerobot(folder)[0].sides == ("left", "right")
    del features["observation.state"]
    changed(folder, features=features)
    assert load_lerobot(folder)[0].sides == ("left", "right")


def test_videos_have_a_frame_for_each_row(tmp_path: Path) -> None:
    components.require("av")
    import av

    folder = save_lerobot(tmp_path / "set", two(), cameras={"front": picture})
    feature = info(folder)["features"]["observation.images.front"]
    assert (feature["dtype"], feature["shape"]) == ("video", [64, 96, 3])
    for number, one in enumerate(two()):
        path = (
            folder / "videos" / "observation.images.front" / "chunk-000" / f"file-{number:03d}.mp4"
        )
        with av.open(str(path)) as file:
            frames = [frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]
        assert len(frames) == int(np.ceil(one.duration * 30)) + 1
        for k in (0, 40, 80):
            assert frames[k].mean((0, 1)) == pytest.approx(picture(one, k / 30)[0, 0], abs=4.0)
    stats = json.loads((folder / "meta" / "stats.json").read_text())["observation.images.front"]
    assert np.shape(stats["mean"]) == (3, 1, 1)
    assert 0.1 < np.max(stats["max"]) < 1.0


@pytest.mark.parametrize(
    ("shot", "words"),
    [
        (lambda one, t: np.zeros((64, 96), np.uint8), r"got uint8 of shape \(64, 96\)"),
        (lambda one, t: np.zeros((64, 96, 3)), "got float64 of shape"),
        (lambda one, t: None, r"got NoneType of shape \(\)"),
        (lambda one, t: np.zeros((65, 96, 3), np.uint8), "an even height and width of 64"),
        (lambda one, t: np.zeros((64, 64 + 2 * int(9 * t), 3), np.uint8), "the first one 64 x 64"),
    ],
)
def test_pictures_that_are_none_are_refused(tmp_path: Path, shot: Any, words: str) -> None:
    components.require("av")
    with pytest.raises(InputError, match=words):
        save_lerobot(tmp_path / "set", [lesson()], cameras={"front": shot})


def test_what_cannot_be_a_dataset_is_refused(tmp_path: Path) -> None:
    for given, words in (
        ([], "of one at least"),
        ([7], "of one at least"),
        (
            [lesson(), lesson().mirrored()],
            "is of right, the first one of left; a dataset is of the",
        ),
    ):
        with pytest.raises(InputError, match=words):
            save_lerobot(tmp_path / "set", given)  # type: ignore[arg-type]
    for rate in (0, 1000, 2.5, True):
        with pytest.raises(InputError, match="it must be an integer from 1 to 200"):
            save_lerobot(tmp_path / "set", [lesson()], rate=rate)  # type: ignore[arg-type]
    folder = save_lerobot(tmp_path / "set", [lesson()])
    with pytest.raises(InputError, match="the folder is not empty"):
        save_lerobot(folder, [lesson()])


def test_what_is_no_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BaxterkitError, match=r"info\.json"):
        load_lerobot(tmp_path)
    folder = save_lerobot(tmp_path / "set", two())
    kept = info(folder)
    for values, words in (
        ({"codebase_version": "v2.1"}, "a dataset of LeRobot 'v2.1'; 'v3.0' is read: convert it"),
        ({"features": {}}, "hold no joints of a Baxter"),
        ({"features": 3}, "it does not describe a dataset"),
        ({"fps": 0}, "or its fps is wrong"),
        ({"fps": "fast"}, "it does not describe a dataset"),
    ):
        changed(folder, **{**kept, **values})
        with pytest.raises(InputError, match=words):
            load_lerobot(folder)
    changed(folder, **kept)
    data = folder / "data" / "chunk-000" / "file-000.parquet"
    whole = data.read_bytes()
    for damaged in (b"", whole[:100], whole[:-50], bytes(len(whole))):
        data.write_bytes(damaged)
        with pytest.raises(InputError, match="it is no file of data"):
            load_lerobot(folder)
    data.unlink()
    with pytest.raises(BaxterkitError, match="there are no files of data"):
        load_lerobot(folder)


def test_an_episode_that_jumps_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = save_lerobot(tmp_path / "set", [lesson()])
    path = folder / "data" / "chunk-000" / "file-000.parquet"
    table = pq.read_table(path)
    rows = np.array(table.column("observation.state").to_pylist())
    rows[60:, 3] = np.nan
    bad = pa.FixedSizeListArray.from_arrays(pa.array(rows.astype(np.float32).ravel()), 8)
    pq.write_table(table.set_column(0, "observation.state", bad), path)
    with pytest.raises(InputError, match="episode 0"):
        load_lerobot(folder)


@pytest.mark.acceptance
def test_lerobot_itself_reads_it(tmp_path: Path) -> None:
    """`BAXTERKIT_LEROBOT` is the Python of an environment with `lerobot`, which reads every row."""
    components.require("lerobot")
    components.require("av")
    before = two()
    folder = save_lerobot(tmp_path / "set", before, rate=30, cameras={"front": picture})
    out = tmp_path / "seen.json"
    done = subprocess.run(
        [os.environ["BAXTERKIT_LEROBOT"], str(READER), str(folder), str(out)],
        capture_output=True, text=True, env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    seen = json.loads(out.read_text())
    counts = [int(np.ceil(one.duration * 30)) + 1 for one in before]
    assert (seen["episodes"], seen["frames"], seen["fps"]) == (2, sum(counts), 30)
    assert seen["robot"] == "baxter"
    at = 0
    for one, count in zip(before, counts, strict=True):
        rows = seen["rows"][at : at + count]
        t = np.minimum(np.arange(count) / 30, one.duration)
        q = np.array([row["state"] for row in rows])
        assert np.abs(q[:, :7] - one.motion.sample(t).q).max() < 1e-6
        assert np.array_equal(q[1:], np.array([row["action"] for row in rows])[:-1])
        assert {row["task"] for row in rows} == {one.name}
        shown = np.array([row["picture"] for row in rows])
        wanted = np.array([picture(one, x)[0, 0] for x in t]) / 255.0
        assert np.abs(shown - wanted).max() < 0.02
        at += count
    again = save_again(Path(seen["copy"]))
    assert [one.name for one in again] == ["pick", "place"]


def save_again(folder: Path) -> tuple[Lesson, ...]:
    """The lessons of a dataset that LeRobot has written."""
    assert not (folder / "meta" / "baxterkit.json").exists()
    found = load_lerobot(folder)
    for one, other in zip(two(), found, strict=True):
        t = np.linspace(0.0, one.duration, 50)
        assert np.abs(other.motion.sample(t).q - one.motion.sample(t).q).max() < 1e-3
    return found
