"""Time of one `update` of every controller, of an arm alone and of one with joint effects.

Usage: python benchmarks/bench_control.py [--json FILE] [--rounds N] [--check]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np
from harness import Report, Run, measure, parse_options

from baxterkit import Arm, control
from baxterkit.control import Controller, Reference, State
from baxterkit.dynamics.joint_effects import JointEffects

CALLS = 200  # states of one round
LIMIT = 15.0  # microseconds that an update may take

RIGID = Arm("right")
REAL = RIGID.with_effects(
    JointEffects(
        bias=np.full(7, 0.1),
        coulomb=np.full(7, 0.2),
        viscous=np.full(7, 0.1),
        spring_sin=np.full((7, 1), 5.0),
        spring_cos=np.full((7, 1), 5.0),
    )
)


def by_velocity(law: control.ResolvedRate) -> Controller:
    """A law of velocities with the methods of a controller, to be timed like one."""
    return cast(Controller, SimpleNamespace(update=law.joint_velocity, reset=law.reset))


CONTROLLERS: dict[str, Callable[[Arm], Controller]] = {
    "double-loop PID": lambda arm: control.DoubleLoopPid(),
    "double-loop PID with gravity": control.DoubleLoopPid,
    "PD with gravity": control.PdGravity,
    "computed torque": control.ComputedTorque,
    "computed torque, smoothed": lambda arm: control.Smoothed(control.ComputedTorque(arm)),
    "sliding mode": control.SlidingMode,
    "adaptive, with friction": control.Adaptive,
    "adaptive, links alone": lambda arm: control.Adaptive(arm, friction=False),
    "joint impedance": control.JointImpedance,
    "Cartesian impedance": control.CartesianImpedance,
    "resolved rate": lambda arm: by_velocity(control.ResolvedRate(arm)),
}


def states() -> list[tuple[State, Reference]]:
    """A motion with small errors, as a controller sees it."""
    rng = np.random.default_rng(0)
    neutral = RIGID.configuration("neutral")
    found = []
    for t in np.arange(CALLS) * 1e-3:
        q, qd = neutral + 0.3 * np.sin(t), np.full(7, 0.3 * np.cos(t))
        reference = Reference(q, qd, np.full(7, -0.3 * np.sin(t)))
        state = State(q + 1e-3 * rng.normal(size=7), qd + 1e-2 * rng.normal(size=7))
        found.append((state, reference))
    return found


def loop(controller: Controller, rows: list[tuple[State, Reference]]) -> Callable[[], None]:
    """One update for every row, from a fresh start."""
    update, reset = controller.update, controller.reset

    def call() -> None:
        reset()
        for state, reference in rows:
            update(state, reference, 1e-3)

    return call


def main() -> int:
    """Checks that commands are within limits, then times."""
    options = parse_options(__doc__ or "")
    report = Report("Control")
    rows = states()
    runs = []
    for kind, arm in (("rigid", RIGID), ("with effects", REAL)):
        for name, make in CONTROLLERS.items():
            controller = make(arm)
            top = arm.limits.velocity if name == "resolved rate" else arm.limits.effort
            for state, reference in rows:
                if not (np.abs(controller.update(state, reference, 1e-3)) <= top).all():
                    raise SystemExit(f"{name}: a command beyond its limits")
            runs.append(Run(f"{name}, {kind}", loop(controller, rows), CALLS))
    timings = measure(runs, options.rounds)
    slow = []
    for run in runs:
        timing = timings[run.name]
        report.add(run.name, timing)
        if timing.best > 1e3 * LIMIT:
            slow.append(f"{run.name}: {timing.best / 1e3:.1f} us, wanted {LIMIT:g} us")
    status = report.finish(options, {"limit": f"{LIMIT:g} us an update"})
    for text in slow:
        print(f"above the limit: {text}")
    return 1 if options.check and slow else status


if __name__ == "__main__":
    sys.exit(main())
