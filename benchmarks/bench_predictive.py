"""Time of an update of predictive control: away from the limits, and at them.

Every update is timed by itself, by the processor time of the thread; p99 and worst are of single
updates. States are those of Smith's second set, 1.4 times as fast, with small errors. At the limits
the quadratic program is solved; elsewhere it is not needed.

Usage: python benchmarks/bench_predictive.py [--json FILE] [--rounds N] [--check]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from harness import Report, Timing, parse_options

from baxterkit import Arm, control
from baxterkit.control import Controller, Reference, State
from baxterkit.experiments.smith_predictive import SPEED, limited_effort
from baxterkit.sim import with_known_effects
from baxterkit.trajectory import smith_set

CALLS = 2800  # two switches
LIMIT = 1e3  # microseconds: the median of an update in a loop of 1 kHz

RIGID = Arm("right")
REAL = with_known_effects(RIGID)
MOTION = smith_set(2, REAL, method="resolved_rate").stretched(1.0 / SPEED[2])


def states() -> list[tuple[State, Reference]]:
    rng = np.random.default_rng(0)
    found = []
    for i in range(CALLS):
        s = MOTION.sample(1e-3 * i)
        state = State(s.q + 1e-3 * rng.normal(size=7), s.qd + 1e-2 * rng.normal(size=7))
        found.append(
            (
                state,
                Reference(
                    s.q, s.qd, s.qdd, ahead=lambda later, t=1e-3 * i: MOTION.sample(t + later)
                ),
            )
        )
    return found


def timed(
    name: str, law: Controller, rows: list[tuple[State, Reference]], turns: int
) -> tuple[Timing, float]:
    """Times of single updates, and the share of them with a joint at its limit."""
    spent, limited = [], 0
    law.update(*rows[0], 1e-3)
    for _ in range(turns):
        for state, reference in rows:
            start = time.thread_time_ns()
            tau = law.update(state, reference, 1e-3)
            spent.append(time.thread_time_ns() - start)
            limited += bool((np.abs(tau) > (1.0 - 1e-6) * law.effort).any())
            if (np.abs(tau) > law.effort).any():
                raise SystemExit(f"{name}: a command beyond its limits")
    return Timing(name, np.array(spent)), limited / len(spent)


def main() -> int:
    """Checks that commands are within limits, and times."""
    options = parse_options(__doc__ or "")
    report = Report("Predictive control")
    rows = states()
    notes = {"limit": f"{LIMIT:g} us, median", "clock": "processor time of the thread, each update"}
    slow = []
    for kind, arm in (("rigid", RIGID), ("with effects", REAL)):
        for where, bound in (
            ("away from the limits", None),
            ("at the limits", limited_effort(arm, MOTION)),
        ):
            name = f"predictive, {kind}, {where}"
            law = control.Predictive(arm, effort=bound)
            timing, share = timed(name, law, rows, max(1, options.rounds // 100))
            report.add(name, timing)
            notes[name] = f"limited in {100 * share:.0f} % of the updates"
            if timing.median > 1e3 * LIMIT:
                slow.append(f"{name}: {timing.median / 1e3:.0f} us, wanted {LIMIT:g} us")
    status = report.finish(options, notes)
    for text in slow:
        print(f"above the limit: {text}")
    return 1 if options.check and slow else status


if __name__ == "__main__":
    sys.exit(main())
