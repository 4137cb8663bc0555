"""On a busy machine motions slow down, and finish: the twin in a process of its own, eight others.

What starved was first the twin (it lived up to 0.5 s behind the clock, so that every state was
stale), then the threads of this process between each other's turns, then all of them together while
Python looked for garbage.
"""

from __future__ import annotations

import contextlib
import gc
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from link_scene import bump
from twin_process import linked, twin_process

from baxterkit.ros import Rules
from baxterkit.ros.priority import NICE, YIELDS, give_way, prefer, preferred, without_pauses

BURN = "import time\nend = time.monotonic() + 600.0\nwhile time.monotonic() < end: sum(range(9999))"


@pytest.fixture
def busy() -> Iterator[None]:
    """As many processes that compute as make a load of eight with what runs already."""
    missing = max(8 - round(os.getloadavg()[0]), 0)
    others = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(missing)]
    yield
    for other in others:
        other.kill()
        other.wait()


@pytest.mark.acceptance
@pytest.mark.real_clock
def test_twenty_motions_of_six_seconds_finish_at_a_load_of_eight(busy: None) -> None:
    """And both arms are tucked and untucked."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        uri = f"http://127.0.0.1:{probe.getsockname()[1]}"
    with twin_process(uri, "--enabled"), linked(uri, rules=Rules()) as link:  # its own master
        link.take_control()
        link.enable(30.0)
        delays, errors = [], []
        for _ in range(20):
            done = link.follow({"left": bump(link, "left", 0.3, 6.0)})["left"]
            delays.append(done.delay)
            errors.append(float(np.abs(done.error).max()))
        print(f"\nload {os.getloadavg()[0]:.1f}: delays {np.median(delays):.2f}, at most "
              f"{max(delays):.2f} s; errors at most {1e3 * max(errors):.1f} mrad")  # fmt: skip
        assert max(errors) < 0.1
        assert link.tuck()
        assert link.untuck()


def test_garbage_is_not_looked_for_among_all_objects_during_a_motion() -> None:
    before, full = gc.get_threshold(), gc.get_stats()[2]["collections"]
    kept = []
    with without_pauses():
        for _ in range(200_000):
            loop: list[object] = []
            loop.append(loop)  # garbage that only the search finds
        kept = [[] for _ in range(200_000)]
        assert gc.get_stats()[2]["collections"] == full
    assert gc.get_threshold() == before
    assert len(kept) == 200_000


def test_a_loop_goes_before_others_where_that_is_allowed_and_gives_it_back() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("niceness of a thread is Linux's")
    seen: list[int] = []

    def nice() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def work() -> None:
        before, switch = nice(), sys.getswitchinterval()
        with preferred():
            seen.append(nice())
            assert sys.getswitchinterval() <= 5e-4
        assert nice() == before
        assert sys.getswitchinterval() == switch
        changed = prefer()
        assert nice() == (NICE if changed is not None else before)

    thread = threading.Thread(target=work)
    before = nice()
    thread.start()
    thread.join()
    assert seen[0] in (NICE, before)
    assert nice() == before  # other threads keep theirs


def test_pictures_go_after_states_whatever_class_they_inherit() -> None:
    """Cameras of a twin in a real-time class had it too, and the states waited for pictures."""
    if not sys.platform.startswith("linux"):
        pytest.skip("niceness of a thread is Linux's")
    seen: list[tuple[int, int]] = []

    def draw() -> None:
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        prefer()
        give_way()
        seen.append((os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)))

    thread = threading.Thread(target=draw)
    thread.start()
    thread.join()
    assert seen[0][0] == os.SCHED_OTHER
    assert seen[0][1] >= YIELDS
