"""Calls from several threads at once, and batches that a signal ends."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import ik_sets
import numpy as np
import pytest

from baxterkit import Arm, native

pytestmark = pytest.mark.skipif(native.load() is None, reason="the extension is not built")


def test_threads_that_share_an_arm_get_the_answers_of_one() -> None:
    arm = Arm("left")
    T = ik_sets.poses(arm, np.concatenate([ik_sets.uniform(arm, 40), ik_sets.beyond(arm, 40)]))

    def answers(_: int) -> bytes:
        parts = []
        for i, x in enumerate(T):
            parts.append(arm.ik(x).q)
            if i % 8 == 0:
                parts.append(arm.ik(x, objective="nearest").q)
                parts.append(arm.ik(x, objective=lambda q: np.sum(q**2, axis=-1)).q)
                parts += [segment.q for segment in arm.self_motion(x).feasible]
        return np.concatenate([part.reshape(-1, 7) for part in parts]).tobytes()

    alone = answers(0)
    with ThreadPoolExecutor(4) as pool:
        assert all(other == alone for other in pool.map(answers, range(4)))


PATIENCE = 60.0  # s; on a busy machine the other thread may have to wait for a processor


def _passes_meanwhile(call: object) -> int:
    """How often another thread got to run while `call` was under way, and at no other time; the
    call is repeated until it did, or for `PATIENCE`.
    """
    assert callable(call)
    passes = [0]
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            passes[0] += 1
            time.sleep(0.0)  # gives the interpreter back

    thread = threading.Thread(target=tick)
    before = sys.getswitchinterval()
    thread.start()
    sys.setswitchinterval(1000.0)  # nobody is made to give the interpreter away
    try:
        meanwhile, end = 0, time.monotonic() + PATIENCE
        while not meanwhile and time.monotonic() < end:
            start = passes[0]
            call()
            meanwhile += passes[0] - start
    finally:
        sys.setswitchinterval(before)
        stop.set()
        thread.join()
    return meanwhile


def test_long_single_calls_let_other_threads_run() -> None:
    arm = Arm("left")
    T = arm.fk(np.array([-1.0, 1.3, -1.1, 1.2, 0.2, 2.3, 1.4]))  # blocked: the longest search
    assert not arm.ik(T).solved
    calls = (
        lambda: arm.ik(T),
        lambda: arm.ik(T, objective="nearest"),
        lambda: arm.ik(T, objective="gravity"),
        lambda: arm.self_motion(T),
    )
    for call in calls:
        assert _passes_meanwhile(call) > 0


STOPPED = """
import signal, sys, time
import numpy as np
import baxterkit
from baxterkit import Arm

class Stop(Exception):
    pass

def handler(*_):
    raise Stop

baxterkit.set_threads(2)
arm = Arm("left")
q = np.random.default_rng(0).uniform(-np.pi, np.pi, (1500, 7))
T = np.ascontiguousarray(arm.fk(q))
x = np.arange(60000)[:, None] * np.array([3, 2, 5, 1, 4, 2, 3]) / 1000.0 + np.arange(7)
P = np.ascontiguousarray(
    arm.fk(arm.limits.middle + 0.2 * np.sin(x) * (arm.limits.upper - arm.limits.lower))
)
start = time.perf_counter()
{one}
whole = 40 * (time.perf_counter() - start)
T = np.tile(T, (40, 1, 1))
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, min(0.1, whole / 8))
start = time.perf_counter()
result = None
try:
    {call}
except Stop:
    print("stopped", result is None, (time.perf_counter() - start) / whole)
"""


@pytest.mark.slow
@pytest.mark.timing
@pytest.mark.parametrize(
    "call",
    [
        "result = arm.ik(T)",
        "result = arm.ik(T, objective='limits')",
        "result = arm.ik_all(T, 0.3)",
        "result = arm.ik_path(P[: len(T)])",
    ],
)
def test_a_signal_ends_a_batch_without_a_result(call: str) -> None:
    code = STOPPED.format(one=call.replace("result", "_"), call=call)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    word, none, share = done.stdout.split()
    assert (word, none) == ("stopped", "True")
    assert float(share) < 0.8  # of the time that the whole batch takes


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from baxterkit import Arm

signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
arm = Arm("left")
T = np.ascontiguousarray(arm.fk(np.random.default_rng(0).uniform(-np.pi, np.pi, (1000, 7))))
T = np.tile(T, (200, 1, 1))
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    arm.ik(T)
except KeyboardInterrupt as error:
    print(error)
"""


@pytest.mark.slow
def test_ctrl_c_says_that_there_is_no_result() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=100
    )
    assert done.stdout.startswith("stopped before the batch was done: there is no result"), done
