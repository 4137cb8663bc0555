"""Whether this computer can follow motions in time: its loop, its load, the cost of a check."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np

from baxterkit.clock import Clock
from baxterkit.ros.doctor.diagnosis import Finding
from baxterkit.ros.following import PERIOD
from baxterkit.ros.mounts import described
from baxterkit.ros.node import Node
from baxterkit.ros.priority import preferred, without_pauses
from baxterkit.ros.rules import MARGIN, Rules
from baxterkit.ros.safety import Judge
from baxterkit.ros.states import States

LATE = 0.05
"""A command that goes out later than this [s] is late: half of the age at which states expire."""
SHARE = 0.1
"""Share of the time that may pass while commands are late."""
CHECKS = 5
"""Checks of both arms that are timed."""
RATES = frozenset({"gaps", "joints_slow", "late_states", "state_slow"})
"""Findings that a computer which is late itself cannot tell from its own lateness."""


class Loop:
    """Keeps the time of `follow` without sending anything, and notes how late it is.

    Args:
        clock: What it waits by.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.late: list[float] = []
        self.duration = 0.0

    def run(self, duration: float) -> None:
        """Waits for `duration` [s], in periods of `follow`."""
        self.duration += duration
        end = self._clock.now() + duration
        due = self._clock.now() + PERIOD
        with preferred(), without_pauses():
            while due < end:
                self._clock.sleep_until(due)
                now = self._clock.now()
                self.late.append(now - due)
                due = max(due + PERIOD, now)

    @property
    def usual(self) -> float:
        """By how much it was late, at most, in three of four periods [s]."""
        return float(np.quantile(self.late, 0.75)) if self.late else 0.0

    @property
    def held_up(self) -> float:
        """Time in which commands would have been late [s]."""
        return sum(late for late in self.late if late > LATE)


def gate_time(node: Node, states: States) -> float | None:
    """Processor time of the safety checks of one period, both arms [s]; None without states."""
    if states.arm("left") is None or states.arm("right") is None:
        return None
    judge = Judge(states, described(node).scene(margin=MARGIN), Rules())
    judge.prepare()
    spent = []
    for _ in range(CHECKS):
        start = time.thread_time()
        judge.prepare()
        spent.append(time.thread_time() - start)
    return min(spent)


def check(loop: Loop, gate: float | None, facts: dict[str, str]) -> Iterator[Finding]:
    """Findings on this computer.

    Args:
        loop: After its run.
        gate: Time of the safety checks of one period [s]; None if it is not known.
        facts: Gets what was measured.
    """
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    facts["this computer"] = f"load {load:.1f} on {cores} cores"
    if loop.late:
        worst, n = max(loop.late), len(loop.late)
        facts["loop"] = f"{1e3 * worst:.0f} ms late at most, in {n} periods of {1e3 * PERIOD:g} ms"
        if loop.held_up > SHARE * loop.duration:
            yield Finding(
                "loop_late",
                f"this program was held up for {loop.held_up:.2f} of {loop.duration:.1f} s, "
                f"{1e3 * worst:.0f} ms at worst; {100 * SHARE:g} % are tolerated (load {load:.1f} "
                f"on {cores} cores)",
            )
    if gate is not None:
        facts["safety checks"] = f"{1e3 * gate:.1f} ms of {1e3 * PERIOD:g} ms"
        if gate > PERIOD:
            yield Finding(
                "gate_slow",
                f"the safety checks of one command take {1e3 * gate:.0f} ms of processor time; "
                f"{1e3 * PERIOD:g} ms are available",
            )


def that_it_can_tell(findings: list[Finding]) -> list[Finding]:
    """Without `RATES` where this computer is late: it may have caused them."""
    late = any(finding.name == "loop_late" for finding in findings)
    return [finding for finding in findings if not (late and finding.name in RATES)]
