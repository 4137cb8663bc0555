"""The twin's speed: a millisecond of both arms held, and under two controllers in Python.

Usage: python benchmarks/bench_twin.py [--json FILE] [--rounds N] [--check]
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import mujoco
import numpy as np
from harness import Report, Run, measure, parse_options

from baxterkit import Arm, Baxter
from baxterkit.control import ComputedTorque, DoubleLoopPid
from baxterkit.sim import Twin
from baxterkit.sim.nominal import nominal_effects
from baxterkit.trajectory import Trajectory, min_jerk

MILLISECONDS = 500  # of one round
REAL_TIME = 15.0  # least simulated seconds per second, both arms with controllers

ARMS = {side: Arm(side).with_effects(nominal_effects()) for side in ("left", "right")}


def motions() -> dict[str, Trajectory]:
    """Half a second's motion of each arm."""
    return {
        side: min_jerk(arm, arm.pose("untuck"), arm.pose("untuck") + 0.05, MILLISECONDS / 1e3)
        for side, arm in ARMS.items()
    }


def controlled(make: Callable[[Arm], object], rigid: bool = False) -> Callable[[], None]:
    """Both arms under controllers at 1 kHz."""
    twin = Twin(Baxter(**ARMS), rigid=rigid).enable()
    arms = {side: arm.with_effects(None) for side, arm in ARMS.items()} if rigid else ARMS
    motion = motions()
    laws = {side: make(arms[side]) for side in motion}

    def call() -> None:
        records = twin.place_at(motion).follow(motion, laws, settle=0.0)  # type: ignore[arg-type]
        if any(record.held.any() for record in records.values()):
            raise SystemExit("the robot had to hold an arm")

    return call


def main() -> int:
    """Checks that nothing is refused, then times."""
    options = parse_options(__doc__ or "")
    report = Report("Twin, a millisecond")
    held = Twin(Baxter(**ARMS)).enable()
    bare, idle = (
        Twin(Baxter(**ARMS), rigid=True).enable(),
        Twin(Baxter(**ARMS), rigid=True).enable(),
    )
    idle.model.opt.gravity[:] = 0.0  # nothing moves
    velocity = np.full(7, 1e-3)

    def commanded() -> None:
        for _ in range(MILLISECONDS // 100):
            for limb in held.limbs:
                limb.command_velocity(velocity)
            held.step(100)

    runs = [
        Run(
            "MuJoCo's step alone",
            lambda: mujoco.mj_step(idle.model, idle.data, MILLISECONDS),
            MILLISECONDS,
        ),
        Run("rigid twin, both arms held", lambda: bare.step(MILLISECONDS), MILLISECONDS),
        Run("full twin, both arms moved by velocity commands", commanded, MILLISECONDS),
        Run("full twin, two computed torques", controlled(ComputedTorque), MILLISECONDS),
        Run("full twin, two double-loop PIDs", controlled(DoubleLoopPid), MILLISECONDS),
        Run("rigid twin, two computed torques", controlled(ComputedTorque, True), MILLISECONDS),
    ]
    timings = measure(runs, max(5, options.rounds // 5))
    slow = []
    for run in runs:
        timing = timings[run.name]
        report.add(run.name, timing)
        factor = 1e6 / timing.best
        print(f"{run.name}: {factor:.1f} times real time at best")
        if "two" in run.name and factor < REAL_TIME:
            slow.append(f"{run.name}: {factor:.1f} times real time, wanted {REAL_TIME:g}")
    status = report.finish(options, {"limit": f"{REAL_TIME:g} times real time"})
    for text in slow:
        print(f"too slow: {text}")
    return 1 if options.check and slow else status


if __name__ == "__main__":
    sys.exit(main())
