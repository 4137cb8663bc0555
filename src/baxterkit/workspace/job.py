"""Making a map: its missing chunks, on this machine's threads or on a Dask cluster."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.checks.numbers import count
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.native import backend_info, load, set_threads
from baxterkit.workspace.compute import Job
from baxterkit.workspace.description import copied, describe
from baxterkit.workspace.places import AnyPath
from baxterkit.workspace.settings import APART, SAMPLES, make_settings
from baxterkit.workspace.store import Index, MapStore, create

if TYPE_CHECKING:
    from baxterkit.workspace.maps import Map

__all__ = ["Progress", "make_map"]


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
    side: str = "left",
    step: float = 0.05,
    orientations: int = 100,
    *,
    level: str = "reach",
    robot: Baxter | None = None,
    world: World | None = None,
    box: tuple[Any, Any] | None = None,
    other: Any = None,
    head: float = 0.0,
    opening: float | tuple[float, float] = 1.0,
    padding: float = 0.0,
    without: tuple[tuple[str, str], ...] = (),
    samples: int = SAMPLES,
    apart: float = APART,
    chunk: int | None = None,
    threads: int | None = None,
    scheduler: str | None = None,
    repair: bool = False,
    progress: Tell | None = None,
) -> Map:
    """Makes a map, or finishes one: where can the tip go, with which orientation, and how well?

    Every pose is answered by exact inverse kinematics. The same call on an unfinished map goes on
    where it stopped; chunks that were being computed when it stopped are computed again.

    Args:
        path: The folder, or an address such as s3://bucket/map.zarr (by fsspec).
        side: "left", "right", "both" (each arm alone, the other one at rest), or "pair": both hands
            at once, `apart` from each other along y of the pose and facing each other, as around an
            object whose pose is asked for.
        step: Distance of the positions [m].
        orientations: Number of orientations at each position.
        level: "reach" (within reach and limits), "body" (and the robot touches neither itself nor
            the world), or "full" (and how well: manipulability, clearance, margin, width).
        robot: The robot; a nominal one if None.
        world: Obstacles, for "body" and "full".
        box: Two corners of the box of positions in base [m]; all that the arm reaches if None.
        other: Joint positions of the arm that does not move [rad], shape (7,); of left and right
            for a map of both, shape (2, 7); untucked if None.
        head: Pan of the head [rad].
        opening: Opening of the hands, as in `Baxter.in_collision`.
        padding: What is nearer than this [m] counts as touching.
        without: Pairs that are not checked, as in `Baxter.in_collision`.
        samples: Number of e0 values at which the full map looks at solutions.
        apart: Distance of the tips for "pair" [m].
        chunk: Edge of a chunk in cells; by default, so that it holds about 50,000 poses.
        threads: Number of threads; as `baxterkit.set_threads` says if None.
        scheduler: Address of a Dask scheduler, whose workers then compute and write.
        repair: Whether to compute damaged chunks again, instead of refusing the map.
        progress: Called with a `Progress` after each chunk.

    Returns:
        The finished map.

    Raises:
        FileError: If the folder cannot be used: something else is there, damage, a full disk.
        InputError: If a map of other settings is there.
        MissingExtraError: If zarr (or Dask, for `scheduler`) is not installed: extra `[scale]`.
    """
    robot = Baxter() if robot is None else robot
    settings = make_settings(
        robot, side, step, orientations, level=level, box=box, other=other, head=head,
        opening=opening, padding=padding, without=without, samples=samples, apart=apart,
        chunk=chunk,
    )  # fmt: skip
    if threads is not None:
        threads = count(threads, "threads", 1)
    if world is not None and level == "reach":
        raise InputError('a world counts for level="body" and "full", not for "reach"')
    world = copied(world)
    job = Job(settings, robot.left, robot.right, world)
    if level != "reach":
        robot.in_collision(  # names and openings are checked before the work
            robot.left.pose("untuck"), robot.right.pose("untuck"), head, opening=settings.opening,
            without=settings.without, world=world,
        )  # fmt: skip
    store = create(path, describe(settings, robot, world), repair)
    bad = store.unwanted()
    if bad and not repair:
        raise InputError(
            f"{path}: {len(bad)} chunks are damaged, the first is {bad[0]}; repair=True (--repair) "
            "computes them again"
        )
    store.forget(bad)
    run(job, store, threads=threads, scheduler=scheduler, progress=progress)
    from baxterkit.workspace.maps import open_map

    return open_map(path, robot=robot, world=world)


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
        self.start, self.poses, self.own = time.monotonic(), 0, 0

    def chunk(self, index: Index) -> None:
        """One more chunk is done."""
        sizes = [part.stop - part.start for part in self.job.settings.part(index[1:])]
        self.poses += int(np.prod(sizes)) * self.job.settings.orientations
        self.done += 1
        self.own += 1
        if self.progress is not None:
            seconds = time.monotonic() - self.start
            left = seconds / self.own * (self.total - self.done)
            self.progress(Progress(self.done, self.total, self.poses, seconds, left))
