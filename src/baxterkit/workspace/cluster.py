"""The chunks of a map on a Dask cluster: workers compute them and write them to shared storage.

A chunk that a worker loses goes to another one. When the scheduler is lost, the job ends with a
message; the chunks that were written stay, and the same command resumes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
from collections import Counter
from collections.abc import Callable, Generator
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias

from baxterkit.errors import BaxterkitError, InputError
from baxterkit.extras import load_extra
from baxterkit.native import backend_info, set_threads
from baxterkit.version import VERSION
from baxterkit.workspace.addresses import AnyPath
from baxterkit.workspace.compute import Job
from baxterkit.workspace.store import RESUME, Index, MapStore, open_store

Written: TypeAlias = Callable[[Index], None]

AHEAD = 16
"""Number of chunks that wait for each thread of the cluster, so that its scheduler stays small."""
LEAST_AHEAD = 64
"""Number of chunks that wait at least: an adaptive cluster grows by what waits."""
DEATHS = 3
"""How often a chunk is given to the cluster again that has given it up, after workers were lost."""
TIMEOUT = 15.0
"""How long an address may take to answer [s]."""


def compute_and_write(blob: bytes, path: AnyPath, index: Index) -> Index:
    """What a worker does with a chunk.

    Raises:
        InputError: If the worker has another instruction set or version than the map was begun
            with.
    """
    set_threads(1)  # a worker has a thread for each of its tasks
    store = open_store(path, writing=True)
    here, isa = backend_info()["isa"], store.description["isa"]
    if store.description["baxterkit"] != VERSION:
        raise InputError(
            f"this worker has baxterkit {VERSION}, the map was begun with "
            f"{store.description['baxterkit']}: install that version on all workers"
        )
    if here != isa:
        raise InputError(
            f"this worker computes with {here}, the map was begun with {isa}: start all workers "
            f"with BAXTERKIT_ISA={isa}, or make the map with the least of them"
        )
    store.write(index, _job(blob).chunk(index))
    return index


def run_on_cluster(
    job: Job,
    store: MapStore,
    missing: list[Index],
    address: str,
    tell: Written,
) -> None:
    """Computes and writes chunks on the workers of a scheduler.

    Args:
        job: What computes any chunk; workers get it pickled.
        store: Its folder, at a path that is the same for all workers, or an address.
        missing: The chunks.
        address: Of the scheduler, such as tcp://10.0.0.1:8786.
        tell: Called with each chunk that is done.

    Raises:
        InputError: If there is no scheduler at the address, or it is lost.
    """
    distributed = load_extra(
        "distributed", feature="A map on a cluster", package="Dask (distributed)", extra="scale"
    )
    try:
        client = distributed.Client(address, timeout=TIMEOUT, set_as_default=False)
    except (OSError, TimeoutError, TypeError, ValueError) as error:
        raise InputError(f"no Dask scheduler answers at {address} ({_reason(error)})") from error
    try:
        with contextlib.closing(_until_lost(client, job, store, missing, address)) as done:
            for index in done:
                tell(index)
    finally:
        client.close(timeout=2.0)


def _until_lost(
    client: Any, job: Job, store: MapStore, missing: list[Index], address: str
) -> Generator[Index]:
    """The chunks that are done, one after another.

    Raises:
        InputError: If the cluster is lost.
    """
    try:
        yield from _feed(client, job, store, missing)
    except BaxterkitError:
        raise
    except Exception as error:
        raise InputError(
            f"the cluster at {address} was lost ({_reason(error)}); {RESUME}"
        ) from error


def _feed(client: Any, job: Job, store: MapStore, missing: list[Index]) -> Generator[Index]:
    """Keeps a few chunks for each thread of the cluster under way until all are done."""
    blob = pickle.dumps(job)
    path = store.path if "://" in str(store.path) else os.path.abspath(store.path)
    finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
    waiting = iter(missing)
    running: dict[Any, Index] = {}
    deaths: Counter[Index] = Counter()

    def submit(index: Index) -> None:
        future = client.submit(compute_and_write, blob, path, index, pure=False, retries=2)
        running[future] = index
        future.add_done_callback(finished.put)

    try:
        while True:
            room = max(AHEAD * sum(client.nthreads().values()), LEAST_AHEAD)
            for index in islice(waiting, max(room - len(running), 0)):
                submit(index)
            if not running:
                return
            try:
                future = finished.get(timeout=1.0)
            except queue.Empty:
                if client.status != "running":
                    raise ConnectionError("its scheduler does not answer any more") from None
                continue
            index = running.pop(future)
            if future.status == "error" and type(future.exception()).__name__ == "KilledWorker":
                # The scheduler gives a task up whose workers were lost several times.
                deaths[index] += 1
                if deaths[index] <= DEATHS:
                    submit(index)
                    continue
            if future.status in ("cancelled", "lost"):
                raise ConnectionError("its scheduler has forgotten the work")
            yield future.result()
    finally:
        for future in running:
            with contextlib.suppress(Exception):
                future.cancel()


@lru_cache(maxsize=2)
def _job(blob: bytes) -> Job:
    """The job of a map, unpacked once in each worker."""
    job = pickle.loads(blob)
    assert isinstance(job, Job)
    return job


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text[:200] or type(error).__name__
