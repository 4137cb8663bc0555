"""Long batches: past the cache, on threads, beside other Python threads, and without copies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import problems
import pytest
from kernel_calls import ARM, CALLS, KernelCall

from baxterkit import _native

CACHE_BYTES = 1 << 22  # larger results are written past the cache


def rows_past_the_cache(call: KernelCall) -> int:
    return int(CACHE_BYTES / (8 * max(1, int(np.prod(call.core, dtype=int))))) + 1101


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_long_results_equal_short_ones_wherever_they_lie(
    call: KernelCall, isa: str, threads: None
) -> None:
    n = rows_past_the_cache(call)
    size = int(np.prod(call.core, dtype=int))
    source = call.inputs(1009)
    inputs = [np.tile(x, (n // 1009 + 1, 1))[:n] for x in source]
    short = call.run(ARM, *source)
    expected = np.tile(short, (n // 1009 + 1, *([1] * len(call.core))))[:n]
    for shift in range(0, 8, 3):
        for count in (1, 3):
            _native.set_threads(count)
            memory = np.full(n * size + 16, -1.25)
            start = (-(memory.ctypes.data // 8)) % 8 + shift  # numbers past a 64-byte line
            out = memory[start : start + n * size].reshape(n, *call.core)
            assert call.run(ARM, *inputs, out=out) is out
            assert np.array_equal(out, expected)
            assert (memory[:start] == -1.25).all()
            assert (memory[start + n * size :] == -1.25).all()


def test_not_finite_numbers_are_found_in_long_batches(threads: None) -> None:
    n = 40_000
    for row in (0, 1023, 1024, 20_001, n - 1):
        q = np.zeros((n, 7))
        q[row, 5] = np.nan
        for count in (1, 3):
            _native.set_threads(count)
            with pytest.raises(ValueError, match=rf"^q\[{row}, 5\] = nan; every value of q must"):
                ARM.fk(q)


@pytest.mark.timing
def test_other_python_threads_run_during_a_batch(threads: None) -> None:
    # While one thread computes, the main thread notes the time again and again. If the GIL were
    # held, the notes would have a gap as long as the computation. The short switch interval keeps
    # the worker from waiting for the GIL before and after it.
    _native.set_threads(1)
    interval = sys.getswitchinterval()
    q = np.zeros((2_000_000, 7))
    out = np.empty((len(q), 4, 4))
    ARM.fk(q, out=out)
    span: list[float] = []

    def work() -> None:
        span.append(time.perf_counter())
        ARM.fk(q, out=out)
        span.append(time.perf_counter())

    def runs_meanwhile() -> bool:
        span.clear()
        notes = []
        worker = threading.Thread(target=work)
        worker.start()
        while worker.is_alive():
            notes.append(time.perf_counter())
        worker.join()
        start, end = span
        when = [(note - start) / (end - start) for note in notes]
        return any(0.2 < x < 0.4 for x in when) and any(0.6 < x < 0.8 for x in when)

    sys.setswitchinterval(1e-4)
    try:
        # A busy machine may keep the main thread waiting, but not every time.
        assert any(runs_meanwhile() for _ in range(5))
    finally:
        sys.setswitchinterval(interval)


def test_threads_may_share_one_arm() -> None:
    q = problems.uniform(ARM, 3000)
    expected = {"fk": ARM.fk(q).tobytes(), "jacobian": ARM.jacobian(q).tobytes()}
    wrong: list[str] = []

    def work(name: str) -> None:
        for _ in range(20):
            if getattr(ARM, name)(q).tobytes() != expected[name]:
                wrong.append(name)

    workers = [threading.Thread(target=work, args=(name,)) for name in (*expected, *expected)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


PEAK = """
import json, resource, sys
import numpy as np
import baxterkit
rows, with_out = int(sys.argv[1]), sys.argv[2] == "out"
arm = baxterkit.Arm("left")
arm.fk(np.zeros((10_000, 7)))
q = np.zeros((rows, 7))
q += 0.1
out = np.zeros((rows, 4, 4))
out += 1.0
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
if with_out:
    arm.fk(q, out=out)
else:
    del out
    out = arm.fk(q)
extra = peak() - before
same = bool((out == arm.fk(q[:1])).all())
print(json.dumps({"extra": extra, "result": out.nbytes, "same": same}))
"""


def peak_growth(rows: int, mode: str) -> dict[str, int]:
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(rows), mode], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, int] = json.loads(done.stdout)
    return result


measures_memory = pytest.mark.skipif(
    bool(os.environ.get("BAXTERKIT_SANITIZE")), reason="the sanitizers keep memory of their own"
)


@pytest.mark.slow
@measures_memory
@pytest.mark.parametrize("mode", ["out", "new"])
def test_a_million_rows_need_no_memory_beyond_input_and_output(mode: str) -> None:
    result = peak_growth(1_000_000, mode)
    assert result["same"]
    # Threads' stacks and the allocator's slack, against 56 MB of input and 128 MB of output.
    assert result["extra"] < 4e6


@pytest.mark.acceptance
@measures_memory
@pytest.mark.parametrize("mode", ["out", "new"])
def test_ten_million_rows_need_no_memory_beyond_input_and_output(mode: str) -> None:
    result = peak_growth(10_000_000, mode)
    assert result["same"]
    assert result["result"] == 1_280_000_000
    assert result["extra"] < 4e6
