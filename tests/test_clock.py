"""The clock: simulated time passes only while the program waits, in one order, and repeats."""

from __future__ import annotations

import ast
import itertools
import threading
import time
from collections.abc import Iterator

import components
import pytest

from baxterkit.clock import SYSTEM, Clock, ClockError, Deadline, SimulatedClock, SystemClock


def test_simulated_time_passes_only_while_the_program_waits() -> None:
    clock = SimulatedClock(wall=5_000_000_000)
    assert clock.now() == 0.0
    assert clock.stamp() == 5_000_000_000
    before = time.perf_counter()
    clock.sleep(3600.0)
    assert time.perf_counter() - before < 1.0
    assert clock.now() == 3600.0
    assert clock.stamp() == 3_605_000_000_000
    clock.sleep(-1.0)
    clock.sleep_until(10.0)
    assert clock.now() == 3600.0


def test_what_is_due_runs_in_the_order_of_time_then_of_asking() -> None:
    clock, seen = SimulatedClock(), list[tuple[str, float]]()
    for name, t in (("c", 0.3), ("a", 0.1), ("b", 0.1), ("late", 0.9)):
        clock.call_at(t, lambda name=name: seen.append((name, clock.now())))
    clock.sleep(0.5)
    assert seen == [("a", 0.1), ("b", 0.1), ("c", 0.3)]
    assert clock.now() == 0.5
    clock.sleep(0.5)
    assert seen[-1] == ("late", 0.9)


def test_a_timer_keeps_its_period_without_drift_until_it_is_closed() -> None:
    clock, seen = SimulatedClock(), list[int]()
    timer = clock.every(0.01, lambda: seen.append(clock.stamp() - clock._wall), "timer")
    clock.sleep(10.0)
    assert seen == [10_000_000 * (i + 1) for i in range(1000)]
    timer.close()
    timer.close()
    clock.sleep(1.0)
    assert len(seen) == 1000


def test_a_task_goes_on_at_the_times_that_it_yields() -> None:
    clock, seen = SimulatedClock(), list[float]()

    def work() -> Iterator[float]:
        for pause in (0.5, 0.0, 0.25):
            seen.append(clock.now())
            yield clock.now() + pause
        seen.append(clock.now())

    clock.start(work(), "work")
    assert seen == [0.0]
    clock.sleep(10.0)
    assert seen == [0.0, 0.5, 0.5, 0.75]


def test_who_waits_within_a_call_holds_up_the_others() -> None:
    clock, seen = SimulatedClock(), list[str]()

    def slow() -> None:
        clock.sleep(1.0)
        seen.append("slow")

    clock.call_at(0.1, slow)
    clock.call_at(0.5, lambda: seen.append("beside"))
    clock.sleep(0.2)
    assert seen == ["beside", "slow"]
    assert clock.now() == 1.1


def test_a_condition_ends_when_it_holds_or_when_time_is_up() -> None:
    clock = SimulatedClock()
    changed, facts = clock.condition(), list[int]()

    def tell() -> None:
        facts.append(1)
        changed.notify()

    clock.every(0.1, tell, "tell")
    assert changed.wait_for(lambda: len(facts) == 3, 1.0)
    assert clock.now() == pytest.approx(0.3, abs=1e-9)
    assert not changed.wait_for(lambda: len(facts) == 30, 1.0)
    assert clock.now() == pytest.approx(1.3, abs=1e-9)
    assert changed.wait_for(lambda: True, 0.0)


def test_the_wall_may_jump_and_everything_may_stall() -> None:
    clock, seen = SimulatedClock(), list[float]()
    clock.call_at(0.1, lambda: seen.append(clock.now()))
    clock.jump(-100.0)
    assert clock.now() == 0.0
    assert clock.stamp() == SimulatedClock().stamp() - 100_000_000_000
    clock.stall(0.4)
    assert seen == []
    clock.sleep(0.0)
    assert seen == [0.4]


def test_another_thread_cannot_wait_by_a_simulated_clock() -> None:
    clock, errors = SimulatedClock(), list[Exception]()

    def wait() -> None:
        try:
            clock.sleep(1.0)
        except ClockError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join()
    assert "for the thread that has made it" in str(errors[0])
    assert clock.now() == 0.0


@pytest.mark.parametrize("clock", [SYSTEM, SimulatedClock()], ids=["system", "simulated"])
def test_both_clocks_do_the_same(clock: Clock) -> None:
    facts, changed = list[float](), clock.condition()

    def note() -> None:
        facts.append(clock.now())
        changed.notify()

    start = clock.now()
    timer = clock.every(0.01, note, "timer")
    assert changed.wait_for(lambda: len(facts) >= 3, 20.0)
    timer.close()
    assert clock.now() >= start + 0.03 - 1e-6
    assert all(b > a for a, b in itertools.pairwise(facts))
    count = len(facts)
    clock.sleep(0.05)
    assert len(facts) == count
    assert abs(clock.stamp() - SystemClock().stamp()) < 1e18


def test_a_task_may_close_itself() -> None:
    for clock in (SYSTEM, SimulatedClock()):
        done, tasks = clock.condition(), list[object]()

        def once(clock: Clock = clock, tasks: list[object] = tasks, done: object = done) -> None:
            if tasks:
                tasks[0].close()  # type: ignore[attr-defined]
                tasks.append("closed")
                done.notify()  # type: ignore[attr-defined]

        tasks.append(clock.every(0.01, once, "once"))
        assert done.wait_for(lambda tasks=tasks: len(tasks) == 2, 20.0)
        clock.sleep(0.05)
        assert len(tasks) == 2


def test_a_deadline_passes_by_its_clock() -> None:
    clock = SimulatedClock()
    deadline = Deadline(2.0, clock)
    assert deadline.left == 2.0
    clock.sleep(2.0)
    assert not deadline.passed
    clock.sleep(0.5)
    assert deadline.passed
    assert deadline.left == -0.5
    assert repr(deadline) == "<Deadline: -0.500 s left>"
    assert not Deadline(float("inf")).passed


MEASURING = {"perf_counter", "process_time", "thread_time"}
"""What a report may measure with; all else of `time` is the clock's."""


@pytest.mark.slow
def test_one_module_alone_waits_and_stamps_by_time() -> None:
    package = components.ROOT / "src" / "baxterkit"
    found = {
        f"{path.relative_to(package)}:{line} {name}"
        for path in package.rglob("*.py")
        if path.name != "clock.py"
        for line, name in times_of(path.read_text(encoding="utf-8"))
    }
    assert not found
    assert [name for _, name in times_of("import time as t\nfrom time import sleep")] == [
        "t",
        "sleep",
    ]
    assert [name for _, name in times_of("import time\ntime.monotonic(); time.perf_counter()")] == [
        "monotonic"
    ]


def times_of(source: str) -> list[tuple[int, str]]:
    """Where a source uses `time` for more than measuring: lines and names."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, x.asname) for x in node.names if x.name == "time" and x.asname]
        elif isinstance(node, ast.ImportFrom) and node.module == "time" and not node.level:
            found += [(node.lineno, x.name) for x in node.names if x.name not in MEASURING]
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "time"
            and node.attr not in MEASURING
        ):
            found.append((node.lineno, node.attr))
    return found
