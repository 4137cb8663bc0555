"""The twin's speed: a millisecond of both arms held, moved and under controllers; and of a batch.

Controllers in Python are of a class of their own: those of baxterkit run within the compiled step.

Usage: python benchmarks/bench_twin.py [--json FILE] [--rounds N] [--check]
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
from harness import Report, Run, measure, parse_options

from baxterkit import Arm, Baxter, set_threads
from baxterkit.control import (
    CartesianImpedance,
    ComputedTorque,
    DoubleLoopPid,
    JointImpedance,
    PdGravity,
)
from baxterkit.learn import BaxterVectorEnv
from baxterkit.native import backend_info
from baxterkit.sim import Twin, TwinBatch, Variation
from baxterkit.sim.nominal import nominal_effects
from baxterkit.trajectory import Trajectory, min_jerk

MILLISECONDS = 2000  # of one round
BATCH, PERIOD, PERIODS = 64, 20, 10  # twins; milliseconds between commands; commands of a round
ALONE = "MuJoCo's step alone"
HELD = "full twin, both arms held"
COMPILED = {
    "full twin, two compiled computed torques": ComputedTorque,
    "full twin, two compiled PDs with gravity": PdGravity,
    "full twin, two compiled joint impedances": JointImpedance,
    "full twin, two compiled Cartesian impedances": CartesianImpedance,
    "full twin, two compiled double-loop PIDs": DoubleLoopPid,
}
BATCHED = f"batch of {BATCH}, velocity commands every {PERIOD} ms, one core"
OWN_STEPS = 2.0  # greatest time of a compiled millisecond, in MuJoCo's own steps
REAL_TIME = {"full twin, two computed torques": 30.0, "full twin, two double-loop PIDs": 30.0,
             "full twin, two computed torques at 100 Hz": 60.0}  # fmt: skip
CONTROL_STEPS = 3000.0  # least commands of the batch, per second and core
TWO_CORES = 1.8  # least gain of two cores
REACH = f"reach with {BATCH} robots, velocity actions every {PERIOD} ms, one core"
STARTUP, MEMORY = 0.1, 3.0  # most seconds to make a twin; most megabytes of one more in a batch

ARMS = {side: Arm(side).with_effects(nominal_effects()) for side in ("left", "right")}


class PythonTorque(ComputedTorque):
    """Computed torque called from Python."""


class PythonPid(DoubleLoopPid):
    """The double loop called from Python."""


def motions() -> dict[str, Trajectory]:
    """A motion of each arm, of one round."""
    return {
        side: min_jerk(
            arm, arm.configuration("untuck"), arm.configuration("untuck") + 0.05, MILLISECONDS / 1e3
        )
        for side, arm in ARMS.items()
    }


def controlled(
    make: Callable[[Arm], object], rigid: bool = False, rate: float = 1000.0
) -> Callable[[], None]:
    """Both arms under controllers."""
    twin = Twin(Baxter(**ARMS), rigid=rigid).enable()
    twin.control_rate = rate
    arms = {side: arm.with_effects(None) for side, arm in ARMS.items()} if rigid else ARMS
    motion = motions()
    laws = {side: make(arms[side]) for side in motion}

    def call() -> None:
        records = twin.place_at(motion).follow(motion, laws, settle=0.0)  # type: ignore[arg-type]
        if any(record.held.any() for record in records.values()):
            raise SystemExit("the robot had to hold an arm")

    return call


def batched() -> Callable[[], None]:
    """A batch under velocity commands."""
    varied = Variation(payload=(0.0, 1.0), friction=(0.5, 2.0))
    batch = TwinBatch(BATCH, variation=varied).enable()
    speeds = np.random.default_rng(0).uniform(-0.2, 0.2, (PERIODS, BATCH, 14))

    def call() -> None:
        for row in (*speeds, *-speeds):
            batch.command_velocity(row)
            batch.step(PERIOD)

    return call


def reaching() -> Callable[[], None]:
    """The same as an environment, through the safety gate."""
    env = BaxterVectorEnv("reach", BATCH)
    env.reset(seed=0)
    actions = np.random.default_rng(0).uniform(-0.3, 0.3, (2 * PERIODS, BATCH, 7))

    def call() -> None:
        for row in actions:
            env.step(row)

    return call


def startup() -> float:
    """Processor time to make a twin, the best of some [s]."""
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        Twin()
        best = min(best, time.process_time() - start)
    return best


def memory(n: int = 100) -> float:
    """Resident memory of one more twin [MB]."""
    page = resource.getpagesize()
    statm = Path("/proc/self/statm")
    before = int(statm.read_text().split()[1])
    batch = TwinBatch(n)
    batch.step(1)
    return (int(statm.read_text().split()[1]) - before) * page / n / 1e6


def seconds(call: Callable[[], None], rounds: int = 5) -> float:
    """Wall-clock time of a call, the best of some [s]."""
    best = np.inf
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> int:
    """Checks that nothing is refused, then times."""
    options = parse_options(__doc__ or "")
    report = Report("Twin, a millisecond")
    held, moved = Twin(Baxter(**ARMS)).enable(), Twin(Baxter(**ARMS)).enable()
    bare, idle = (
        Twin(Baxter(**ARMS), rigid=True).enable(),
        Twin(Baxter(**ARMS), rigid=True).enable(),
    )
    idle.model.opt.gravity[:] = 0.0  # nothing moves
    velocity = np.full(7, 1e-3)

    def commanded() -> None:
        for _ in range(MILLISECONDS // 100):
            for limb in moved.limbs:
                limb.command_velocity(velocity)
            moved.step(100)

    many = batched()
    threads = int(str(backend_info()["threads"]))
    set_threads(1)
    runs = [
        Run(ALONE, lambda: mujoco.mj_step(idle.model, idle.data, MILLISECONDS), MILLISECONDS),
        Run("rigid twin, both arms held", lambda: bare.step(MILLISECONDS), MILLISECONDS),
        Run(HELD, lambda: held.step(MILLISECONDS), MILLISECONDS),
        Run("full twin, both arms moved by velocity commands", commanded, MILLISECONDS),
        *(Run(name, controlled(law), MILLISECONDS) for name, law in COMPILED.items()),
        Run("full twin, two computed torques", controlled(PythonTorque), MILLISECONDS),
        Run("full twin, two double-loop PIDs", controlled(PythonPid), MILLISECONDS),
        Run(
            "full twin, two computed torques at 100 Hz",
            controlled(PythonTorque, rate=100.0),
            MILLISECONDS,
        ),
        Run("rigid twin, two computed torques", controlled(PythonTorque, True), MILLISECONDS),
        Run(BATCHED, many, 2 * PERIODS * PERIOD * BATCH),
        Run(REACH, reaching(), 2 * PERIODS * PERIOD * BATCH),
    ]
    timings = measure(runs, max(5, options.rounds // 5))
    slow = []
    own = timings[ALONE].best
    for run in runs:
        timing = timings[run.name]
        report.add(run.name, timing)
        factor, steps = 1e6 / timing.best, timing.best / own
        print(f"{run.name}: {factor:.1f} times real time at best, {steps:.2f} of MuJoCo's own step")
        if factor < REAL_TIME.get(run.name, 0.0):
            slow.append(f"{run.name}: {factor:.1f} times real time, wanted {REAL_TIME[run.name]:g}")
        if run.name in (HELD, *COMPILED) and steps > OWN_STEPS:
            slow.append(f"{run.name}: {steps:.2f} of MuJoCo's own steps, wanted {OWN_STEPS:g}")
    for name, short in ((BATCHED, "batch"), (REACH, "reach")):
        rate = 1e9 / (PERIOD * timings[name].best)
        print(f"{short}: {rate:.0f} commands of {PERIOD} ms per second and core")
        if rate < CONTROL_STEPS:
            slow.append(f"{short}: {rate:.0f} commands per second, wanted {CONTROL_STEPS:g}")
    made, more = startup(), memory()
    print(f"a twin is made in {made:.3f} s; one more takes {more:.2f} MB")
    if made > STARTUP:
        slow.append(f"a twin is made in {made:.3f} s, wanted {STARTUP:g}")
    if more > MEMORY:
        slow.append(f"one more twin takes {more:.2f} MB, wanted {MEMORY:g}")
    notes = {
        "limit": "30 times real time with controllers in Python",
        "a twin is made in": f"{made:.3f} s",
        "one more takes": f"{more:.2f} MB",
    }
    if threads > 1:
        one = seconds(many)
        set_threads(2)
        gain = one / seconds(many)
        notes["a batch on two cores is"] = f"{gain:.2f} times as fast"
        print(f"batch: two cores are {gain:.2f} times as fast as one")
        if gain < TWO_CORES:
            slow.append(f"batch: two cores gain {gain:.2f}, wanted {TWO_CORES:g}")
    set_threads(threads)
    status = report.finish(options, notes)
    for text in slow:
        print(f"too slow: {text}")
    return 1 if options.check and slow else status


if __name__ == "__main__":
    sys.exit(main())
