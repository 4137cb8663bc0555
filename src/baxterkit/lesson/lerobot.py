"""Lessons as a dataset of LeRobot, version 3.0, and back: demonstrations for learning.

An episode is a lesson, and its task the lesson's name. Rows have the joints [rad] and the grippers'
openings, 0 (closed) to 1 (open), as they are (`observation.state`) and as they are one row later
(`action`). `meta/baxterkit.json`, which LeRobot does not read, keeps what rows cannot: waypoints,
hands, notes, and grips between rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np

from baxterkit import disk
from baxterkit.errors import BaxterkitError, InputError, shortened
from baxterkit.extras import load_extra
from baxterkit.lesson.episodes import GRIPPER, extras_of, lesson_of, names_of, rows_of, with_extras
from baxterkit.lesson.lesson import Lesson
from baxterkit.lesson.video import Camera, Film
from baxterkit.model.names import SIDES, joint_names
from baxterkit.types import Array

VERSION = "v3.0"
STATE, ACTION, IMAGES = "observation.state", "action", "observation.images."
PLACE = "chunk-{chunk_index:03d}/file-{file_index:03d}"
DATA, VIDEO = f"data/{PLACE}.parquet", f"videos/{{video_key}}/{PLACE}.mp4"
EPISODES = "meta/episodes/chunk-000/file-000.parquet"
INFO, STATS, TASKS = "meta/info.json", "meta/stats.json", "meta/tasks.parquet"
OURS = "meta/baxterkit.json"
FILES = 1000
"""Files in a folder, at most."""
ROWS = 200_000
"""Rows after which a new file of data begins."""
MOST = 2_000_000
"""Most rows that are read."""
QUANTILES = {"q01": 0.01, "q10": 0.1, "q50": 0.5, "q90": 0.9, "q99": 0.99}
FASTEST = 200
"""Most rows per second [Hz]."""


def save_lerobot(
    folder: str | Path,
    lessons: Sequence[Lesson],
    rate: int = 30,
    cameras: Mapping[str, Camera] | None = None,
) -> Path:
    """Writes lessons of the same arms as a dataset of LeRobot (version 3.0).

    Args:
        folder: A folder that does not exist yet, or is empty.
        lessons: The lessons; each is an episode, and its name the task.
        rate: Rows per second [Hz], an integer.
        cameras: By name, functions of a lesson and a time in it [s] that give pictures of uint8,
            shape (height, width, 3), all of one even size. They become videos (AV1).

    Returns:
        The folder.

    Raises:
        InputError: If there is no lesson, they are of different arms, the folder is not empty, or a
            picture is none.
        MissingExtraError: If pyarrow, or PyAV for videos, is not installed.
    """
    names = names_of(lessons)
    if isinstance(rate, bool) or not isinstance(rate, int) or not 1 <= rate <= FASTEST:
        raise InputError(f"rate = {rate} Hz; it must be an integer from 1 to {FASTEST}")
    films = {f"{IMAGES}{n}": Film(n, camera, rate) for n, camera in (cameras or {}).items()}
    writer = _Writer(_empty(folder), names, rate, films)
    for lesson in lessons:
        writer.add(lesson)
    return writer.close()


class _Writer:
    """A dataset that is being written; `close` makes it one."""

    def __init__(
        self, folder: Path, names: list[str], rate: int, films: Mapping[str, Film]
    ) -> None:
        self._arrow, self._parquet = _arrow()
        self._folder, self._names, self._rate, self._films = folder, names, rate, films
        self._tasks: dict[str, int] = {}
        self._episodes: list[dict[str, object]] = []
        self._extras: list[dict[str, object]] = []
        self._seen: dict[str, list[Array]] = {}
        self._rows: list[dict[str, Array]] = []
        self._file = self._count = self._in_file = 0

    def add(self, lesson: Lesson) -> None:
        """Adds an episode."""
        number, task = len(self._episodes), self._tasks.setdefault(lesson.name, len(self._tasks))
        t, state = rows_of(lesson, self._names, self._rate)
        n = len(t)
        rows = {
            STATE: state, ACTION: np.concatenate([state[1:], state[-1:]]), "timestamp": t,
            "frame_index": np.arange(n), "episode_index": np.full(n, number),
            "index": self._count + np.arange(n), "task_index": np.full(n, task),
        }  # fmt: skip
        episode: dict[str, object] = {
            "episode_index": number, "tasks": [lesson.name], "length": n,
            "data/chunk_index": self._file // FILES, "data/file_index": self._file % FILES,
            "dataset_from_index": self._count, "dataset_to_index": self._count + n,
            "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0,
        }  # fmt: skip
        seen = {key: column.reshape(n, -1) for key, column in rows.items()}
        for key, film in self._films.items():
            place = {"chunk_index": number // FILES, "file_index": number % FILES}
            path = self._place(VIDEO.format(video_key=key, **place))
            seen[key] = film.shoot(path, lesson, np.minimum(t, lesson.duration).tolist())
            times = {"from_timestamp": 0.0, "to_timestamp": n / self._rate}
            episode |= {f"videos/{key}/{name}": x for name, x in (place | times).items()}
        for key, column in seen.items():
            self._seen.setdefault(key, []).append(column)
            found = _statistics(column, key in self._films)
            episode |= {f"stats/{key}/{name}": x for name, x in found.items()}
        self._episodes.append(episode)
        self._extras.append(extras_of(lesson))
        self._rows.append(rows)
        self._count, self._in_file = self._count + n, self._in_file + n
        if self._in_file >= ROWS:
            self._flush()

    def close(self) -> Path:
        """Writes what is left; the description comes last."""
        self._flush()
        table = self._arrow.Table.from_pylist(self._episodes)
        self._write(EPISODES, table)
        self._write(TASKS, self._task_table())
        stats = {
            key: _statistics(np.concatenate(rows), key in self._films)
            for key, rows in self._seen.items()
        }
        self._write_json(STATS, stats)
        self._write_json(OURS, {"episodes": self._extras})
        self._write_json(INFO, self._info())
        return self._folder

    def _flush(self) -> None:
        """Writes a file of data."""
        if not self._rows:
            return
        pa, n = self._arrow, len(self._names)
        columns = {}
        for key in self._rows[0]:
            rows = np.concatenate([one[key] for one in self._rows])
            if rows.ndim == 2:
                values = pa.array(rows.astype(np.float32).ravel())
                columns[key] = pa.FixedSizeListArray.from_arrays(values, n)
            else:
                columns[key] = pa.array(rows.astype(np.float32 if key == "timestamp" else np.int64))
        place = {"chunk_index": self._file // FILES, "file_index": self._file % FILES}
        self._write(DATA.format(**place), pa.table(columns))
        self._rows, self._in_file, self._file = [], 0, self._file + 1

    def _task_table(self) -> object:
        """Tasks as pandas writes them: the index is the task."""
        pa, index = self._arrow, "__index_level_0__"
        table = pa.table({"task_index": list(self._tasks.values()), index: list(self._tasks)})
        kinds = {"task_index": ("int64", "int64"), index: ("unicode", "object")}
        columns = [
            {"name": None if name == index else name, "field_name": name, "pandas_type": kind,
             "numpy_type": numpy, "metadata": None}
            for name, (kind, numpy) in kinds.items()
        ]  # fmt: skip
        about = {"index_columns": [index], "column_indexes": [], "columns": columns}
        return table.replace_schema_metadata({"pandas": json.dumps(about)})

    def _info(self) -> dict[str, object]:
        vector = {"dtype": "float32", "shape": [len(self._names)], "names": self._names}
        features: dict[str, object] = {STATE: vector, ACTION: vector}
        features |= {key: film.feature() for key, film in self._films.items()}
        for key in ("timestamp", "frame_index", "episode_index", "index", "task_index"):
            kind = "float32" if key == "timestamp" else "int64"
            features[key] = {"dtype": kind, "shape": [1], "names": None}
        return {
            "codebase_version": VERSION, "robot_type": "baxter",
            "total_episodes": len(self._episodes), "total_frames": self._count,
            "total_tasks": len(self._tasks), "chunks_size": FILES,
            "data_files_size_in_mb": 100, "video_files_size_in_mb": 200, "fps": self._rate,
            "splits": {"train": f"0:{len(self._episodes)}"}, "data_path": DATA,
            "video_path": VIDEO if self._films else None, "features": features,
        }  # fmt: skip

    def _write(self, name: str, table: object) -> None:
        with disk.replacing(self._place(name)) as file:
            self._parquet.write_table(table, file)

    def _write_json(self, name: str, content: object) -> None:
        disk.write_text(self._place(name), json.dumps(content, indent=4) + "\n")

    def _place(self, name: str) -> Path:
        """The path of a file, its folders made."""
        path = self._folder / name
        for folder in reversed(path.relative_to(self._folder).parents[:-1]):
            disk.make_folder(self._folder / folder)
        return path


def load_lerobot(folder: str | Path) -> tuple[Lesson, ...]:
    """Reads the lessons of a dataset of LeRobot (version 3.0): of ours, or of others of a Baxter.

    Args:
        folder: The dataset. Its state or action has the joints of an arm, or of both, by the names
            that the robot gives them, and maybe left_gripper and right_gripper.

    Raises:
        InputError: If it is no such dataset, or a lesson of it jumps.
        MissingExtraError: If pyarrow is not installed.
    """
    folder = disk.as_path(folder, "folder")
    info = _read_json(folder / INFO)
    if info.get("codebase_version") != VERSION:
        raise InputError(
            f"{folder}: a dataset of LeRobot {info.get('codebase_version')!r}; {VERSION!r} is read"
            ": convert it with lerobot.datasets.v30.convert_dataset_v21_to_v30"
        )
    try:
        rate = float(info["fps"])  # type: ignore[arg-type]
        state, action = (_columns(info, key) for key in (STATE, ACTION))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{folder / INFO}: it does not describe a dataset: {error}") from error
    joints, key = (state, STATE) if _sides(state) else (action, ACTION)
    sides = _sides(joints)
    if not sides or not 0.0 < rate <= FASTEST:
        raise InputError(
            f"{folder}: its {STATE} and {ACTION} hold no joints of a Baxter, or its fps is wrong; "
            f"names such as {', '.join(joint_names('left')[:2])} are needed"
        )
    rows = _data(folder)
    tasks = _tasks(folder)
    extras = _extras(folder)
    lessons = []
    try:
        for number in np.unique(rows["episode_index"]):
            own = rows["episode_index"] == number
            q = rows[key][own]
            grips = state if key == STATE else action
            name = tasks.get(int(rows["task_index"][own][0]), f"episode {number}")
            lesson = lesson_of(
                name,
                np.arange(int(own.sum())) / rate,
                {s: q[:, [joints.index(j) for j in joint_names(s)]] for s in sides},
                {
                    s: q[:, grips.index(GRIPPER.format(s))]
                    for s in sides
                    if GRIPPER.format(s) in grips
                },
            )
            if number < len(extras):
                lesson = with_extras(lesson, extras[number])
            lessons.append(lesson)
    except BaxterkitError as error:
        raise InputError(f"{folder}, episode {number}: {error}") from error
    except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise InputError(f"{folder}: it is damaged: {_short(error)}") from error
    return tuple(lessons)


def _columns(info: Mapping[str, object], key: str) -> list[str]:
    """Names of the columns of a vector; empty if there is none."""
    feature = info["features"].get(key)  # type: ignore[attr-defined]
    names = [] if feature is None else feature.get("names") or []
    if isinstance(names, Mapping):  # {"motors": [...]}, as older ones have it
        names = [name for group in names.values() for name in group]
    return [str(name) for name in names]


def _sides(names: Sequence[str]) -> list[str]:
    return [side for side in SIDES if set(joint_names(side)) <= set(names)]


def _data(folder: Path) -> dict[str, Array]:
    """All rows, in their order."""
    arrow, parquet = _arrow()
    found: dict[str, list[Array]] = {}
    paths, count = sorted((folder / "data").glob("*/*.parquet")), 0
    if not paths:
        raise InputError(f"{folder / 'data'}: there are no files of data")
    for path in paths:
        raw = disk.read_bytes(path)
        try:
            file = parquet.ParquetFile(arrow.BufferReader(raw))
            count += int(file.metadata.num_rows)
            if count > MOST:
                raise InputError(f"it has more than {MOST} rows")
            names = [name for name in (STATE, ACTION, "episode_index", "index", "task_index")
                     if name in file.schema_arrow.names]  # fmt: skip
            table = file.read(columns=names, use_threads=False)
            for name in names:
                column = table.column(name)
                if name in (STATE, ACTION):
                    flat = np.concatenate([c.flatten().to_numpy() for c in column.chunks])
                    values = flat.reshape(table.num_rows, -1)
                else:
                    values = column.to_numpy()
                found.setdefault(name, []).append(np.asarray(values))
        except Exception as error:  # damaged files make Arrow raise nearly anything
            raise InputError(f"{path}: it is no file of data: {_short(error)}") from error
    try:
        rows = {name: np.concatenate(parts) for name, parts in found.items()}
        order = np.argsort(rows["index"], kind="stable")
        return {name: values[order] for name, values in rows.items()}
    except (KeyError, ValueError, IndexError) as error:
        raise InputError(
            f"{folder / 'data'}: files do not fit together: {_short(error)}"
        ) from error


def _tasks(folder: Path) -> dict[int, str]:
    """Tasks by their numbers."""
    arrow, parquet = _arrow()
    raw = disk.read_bytes(folder / TASKS)
    try:
        rows = parquet.ParquetFile(arrow.BufferReader(raw)).read(use_threads=False).to_pylist()
        return {int(row.pop("task_index")): str(next(iter(row.values()))) for row in rows[:MOST]}
    except Exception as error:
        raise InputError(f"{folder / TASKS}: it is no list of tasks: {_short(error)}") from error


def _extras(folder: Path) -> list[Mapping[str, object]]:
    """What ours keep besides; empty of datasets of others."""
    if not (folder / OURS).exists():
        return []
    found = _read_json(folder / OURS).get("episodes")
    return found if isinstance(found, list) else []


def _statistics(rows: Array, pixels: bool) -> dict[str, object]:
    """Statistics of a column, of pixels with the shape (3, 1, 1)."""
    found = {"min": rows.min(0), "max": rows.max(0), "mean": rows.mean(0), "std": rows.std(0)}
    quantiles = np.quantile(rows, list(QUANTILES.values()), axis=0)
    found |= dict(zip(QUANTILES, quantiles, strict=True))
    shaped: dict[str, object] = {
        name: (x[:, None, None] if pixels else x).astype(np.float64).tolist()
        for name, x in found.items()
    }
    return shaped | {"count": [len(rows)]}


def _empty(folder: str | Path) -> Path:
    path = disk.as_path(folder, "folder")
    disk.make_folder(path)
    if any(path.iterdir()):
        raise InputError(f"{path}: the folder is not empty; a dataset is written into a new one")
    return path


def _read_json(path: Path) -> dict[str, object]:
    try:
        content = json.loads(disk.read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: it is no JSON: {_short(error)}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: it holds no table")
    return content


def _short(error: Exception) -> str:
    return shortened(" ".join(str(error).split()), 200)


def _arrow() -> tuple[ModuleType, ModuleType]:
    feature = "LeRobot's datasets"
    arrow = load_extra("pyarrow", feature=feature, package="pyarrow", extra="lerobot")
    return arrow, load_extra("pyarrow.parquet", feature=feature, package="pyarrow", extra="lerobot")
