"""Making a map: its missing chunks, on this machine's threads or on a Dask cluster."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.checks.numbers import count
from baxterkit.errors import InputError
from baxterkit.native import backend_info, load, set_threads
from baxterkit.scene.scene import SceneLike, as_scene
from baxterkit.workspace.addresses import AnyPath
from baxterkit.workspace.compute import Job
from baxterkit.workspace.description import describe
from baxterkit.workspace.settings import Question, make_settings
from baxterkit.workspace.store import Index, MapStore, create

if TYPE_CHECKING:
    from baxterkit.workspace.maps import Map


@dataclass(frozen=True)
class Progress:
    """How far a job is.

    Attributes:
        done: Number of chunks that are done, those of former runs included.
        total: Number of all chunks.
        poses: Number of poses that this run has answered.
        seconds: How long this run has been going [s].
        left: Time that the rest will take at this rate [s]; NaN before the first chunk.
    """

    done: int
    total: int
    poses: int
    seconds: float
    left: float

    @property
    def rate(self) -> float:
        """Poses per second of this run."""
        return self.poses / self.seconds if self.seconds > 0.0 else 0.0


Tell = Callable[[Progress], object]


def make_map(
    path: AnyPath,
    question: Question | None = None,
    scene: SceneLike | None = None,
    *,
    threads: int | None = None,
    scheduler: str | None = None,
    device: str | None = None,
    repair: bool = False,
    progress: Tell | None = None,
) -> Map:
    """Makes a map, or finishes one: where can the tip go, with which orientation, and how well?

    Every pose is answered by exact inverse kinematics. The same call on an unfinished map goes on
    where it stopped; chunks that were being computed when it stopped are computed again.

    Args:
        path: The folder, or an address such as s3://bucket/map.zarr (by fsspec).
        question: Which arm, positions, orientations, and how much about them.
        scene: The robot, alone or among obstacles; a nominal one if None.
        threads: Number of threads of this machine, as `baxterkit.set_threads` says if None; a
            cluster has its own.
        scheduler: Address of a Dask scheduler, whose workers then compute and write.
        device: A GPU, "cuda" or "cuda:1", that answers the poses; not for pairs of hands.
        repair: Whether to compute damaged chunks again, instead of refusing the map.
        progress: Called with a `Progress` after each chunk.

    Returns:
        The finished map.

    Raises:
        FileError: If the folder cannot be used: something else is there, damage, a full disk.
        InputError: If a map of other settings is there.
        MissingExtraError: If zarr (or Dask, for `scheduler`) is not installed: extra `[scale]`.
    """
    where = as_scene(Baxter() if scene is None else scene)
    settings = make_settings(where, question or Question())
    if threads is not None:
        threads = count(threads, "threads", 1)
    if device is not None:
        from baxterkit.workspace.on_device import check_device

        check_device(device, settings, scheduler)
    job = Job(settings, where, device)
    store = create(path, describe(settings, where), repair)
    bad = store.unwanted()
    if bad and not repair:
        raise InputError(
            f"{path}: {len(bad)} chunks are damaged, the first is {bad[0]}; repair=True (--repair) "
            "computes them again"
        )
    store.forget(bad)
    run(job, store, threads=threads, scheduler=scheduler, progress=progress)
    from baxterkit.workspace.maps import open_map

    return open_map(path, where)


def run(
    job: Job,
    store: MapStore,
    *,
    threads: int | None = None,
    scheduler: str | None = None,
    progress: Tell | None = None,
) -> None:
    """Computes and writes the chunks of a map that are missing."""
    marks = store.done()
    missing = [index for index in job.indices if marks[index] == 0]
    # In a mixed order the rate of the first chunks is that of all; the numbers do not depend on it.
    np.random.default_rng(0).shuffle(missing)
    missing = [(a, x, y, z) for a, x, y, z in missing]
    tell = _Teller(job, marks.size, marks.size - len(missing), progress)
    if not missing:
        return
    if scheduler is not None:
        from baxterkit.workspace.cluster import run_on_cluster

        run_on_cluster(job, store, missing, scheduler, tell.chunk)
        return
    number = int(str(backend_info()["threads"])) if threads is None else threads
    _run_here(job, store, missing, min(number, len(missing)), tell.chunk)


def _run_here(
    job: Job, store: MapStore, missing: list[Index], threads: int, tell: Callable[[Index], None]
) -> None:
    """Each thread has a chunk; on Ctrl-C or an error all stop within a few blocks."""
    stop = threading.Event()

    def one(index: Index) -> Index:
        store.write(index, job.chunk(index, stop.is_set))
        return index

    waiting = iter(missing)
    with _single_threaded_batches(), ThreadPoolExecutor(threads) as pool:
        futures: set[Future[Index]] = set()
        try:
            while True:
                for index in waiting:
                    futures.add(pool.submit(one, index))
                    if len(futures) >= 2 * threads:
                        break
                if not futures:
                    return
                finished, futures = wait(futures, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in finished:
                    tell(future.result())
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@contextmanager
def _single_threaded_batches() -> Iterator[None]:
    """While several threads compute chunks, each batch runs on one of them."""
    extension = load()
    before = 1 if extension is None else extension.get_threads()
    set_threads(1)
    try:
        yield
    finally:
        set_threads(before)


class _Teller:
    """Counts chunks and says how long the rest will take."""

    def __init__(self, job: Job, total: int, done: int, progress: Tell | None) -> None:
        self.job, self.total, self.done, self.progress = job, total, done, progress
        self.start, self.poses, self.own = time.perf_counter(), 0, 0

    def chunk(self, index: Index) -> None:
        """One more chunk is done."""
        sizes = [part.stop - part.start for part in self.job.settings.part(index[1:])]
        self.poses += int(np.prod(sizes)) * self.job.settings.orientations
        self.done += 1
        self.own += 1
        if self.progress is not None:
            seconds = time.perf_counter() - self.start
            left = seconds / self.own * (self.total - self.done)
            self.progress(Progress(self.done, self.total, self.poses, seconds, left))
