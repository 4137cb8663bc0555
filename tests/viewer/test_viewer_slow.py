"""A slow computation holds nobody up."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from viewer_client import Client, wait_for

from baxterkit.viewer import Viewer, app
from baxterkit.viewer.server.job import Job
from baxterkit.viewer.server.worker import Worker
from baxterkit.viewer.state.dragged_arm import DraggedArm, ReachCheck


class Slow:
    """Stands in for something that takes as long as the test likes."""

    def __init__(self, real: Any, when: Any = lambda *_: True) -> None:
        self.real, self.when = real, when
        self.began, self.go = threading.Event(), threading.Event()

    def __call__(self, *args: Any) -> Any:
        if self.when(*args):
            self.began.set()
            assert self.go.wait(60.0)
        return self.real(*args)


@pytest.fixture
def slow_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    """Both slow questions about the left arm: can it be reached, and the self-motion."""
    run = ReachCheck.run
    slow = Slow(run, lambda check: check.arm.side == "left")
    trace = Slow(app.elbow_of, lambda limb, *_: limb.arm.side == "left" and slow.began.is_set())
    trace.go = slow.go
    monkeypatch.setattr(ReachCheck, "run", lambda check: slow(check))
    monkeypatch.setattr(app, "elbow_of", trace)
    yield slow
    slow.go.set()


def test_a_slow_solve_of_one_arm_holds_nobody_up(
    slow_left: Slow, viewer: Viewer, client: Client
) -> None:
    left, right = viewer.session.limb("left"), viewer.session.limb("right")
    far = (5.0, 5.0, 5.0)
    client.drag("left", far)
    assert slow_left.began.wait(30.0)  # its own thread waits, and nobody else:
    other = Client(viewer)
    other.hello()
    wait_for(lambda: other.read() and other.received > 50_000, "a newcomer sees the scene")
    goal = right.T_base_tip[:3, 3] + [0.02, 0.0, 0.05]
    other.drag("right", goal, viewer.stage.gizmos["right"].wxyz)
    wait_for(lambda: np.allclose(right.T_base_tip[:3, 3], goal, atol=1e-6), "the other arm moves")
    slider = viewer.controls.arms["right"].sliders[1]
    wait_for(lambda: abs(slider.value - right.q[1]) < 1e-3, "its panel follows")
    viewer.mailbox.post("tool", lambda: viewer.change_tool("right", "vacuum"))
    wait_for(lambda: right.arm.tool.name == "vacuum", "controls work")
    assert left.message == ""  # nobody knows yet
    slow_left.go.set()
    wait_for(lambda: left.message.startswith("No joint angles reach"), "the answer comes")
    other.close()


def test_an_answer_that_comes_too_late_is_not_acted_on() -> None:
    from baxterkit import Arm

    limb = DraggedArm(Arm("left"))
    far = limb.T_base_tip.copy()
    far[:3, 3] = 5.0
    limb.drag(far)
    check = limb.pending_check()
    assert check is not None
    assert limb.pending_check() is None  # asked once
    near = limb.T_base_tip.copy()
    near[2, 3] += 0.02
    limb.drag(near)
    limb.apply_check(check, check.run())
    assert limb.message == ""
    assert limb.target is not None
    assert limb.target[2, 3] == near[2, 3]


def test_reading_a_long_recording_holds_nobody_up(
    viewer: Viewer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from baxterkit.viewer.page import studio

    slow = Slow(studio.load_motion)
    monkeypatch.setattr(studio, "load_motion", slow)
    file = SimpleNamespace(name="long.csv", content=b"no numbers in it")
    viewer.mailbox.post("upload", lambda: viewer.studio.open_file(file))
    assert slow.began.wait(30.0)
    assert viewer.controls.text == "Reading long.csv …"
    limb = viewer.session.limb("left")
    goal = limb.T_base_tip[:3, 3] + [0.0, 0.0, 0.04]
    client.drag("left", goal, viewer.stage.gizmos["left"].wxyz)
    wait_for(lambda: np.allclose(limb.T_base_tip[:3, 3], goal, atol=1e-6), "the hand follows")
    slow.go.set()
    wait_for(lambda: not viewer.controls.text.startswith("Reading"), "it is done")
    assert "long.csv" in viewer.controls.text  # and what is wrong with it is said


@pytest.mark.real_clock
def test_a_new_job_waits_for_the_old_one_but_nobody_waits_for_a_job() -> None:
    job = Job(Worker("test", lambda action: action()))
    slow, done = Slow(lambda: None), []
    job.start(lambda go_on: (slow(), done.append(("first", go_on()))))
    assert slow.began.wait(30.0)
    job.start(lambda go_on: done.append(("second", go_on())))  # returns at once, is never run
    job.start(lambda go_on: done.append(("third", go_on())))
    assert job.running
    assert done == []
    slow.go.set()
    wait_for(lambda: not job.running, "all is done")
    assert done == [("first", False), ("third", True)]
    job.stop()


@pytest.mark.real_clock
def test_a_worker_survives_what_goes_wrong_and_ends_when_told() -> None:
    failed: list[Exception] = []

    def guard(action: Any) -> None:
        try:
            action()
        except ZeroDivisionError as error:
            failed.append(error)

    worker = Worker("test", guard)
    done: list[int] = []
    worker.post("a", lambda: 1 / 0)
    wait_for(lambda: not worker.busy, "it has failed")
    worker.post("a", lambda: done.append(1))
    wait_for(lambda: done, "the next is done")
    assert len(failed) == 1
    worker.stop()
    worker.post("a", lambda: done.append(2))
    assert done == [1]
    assert not any(thread.name == "test" for thread in threading.enumerate())
