"""Controllers: the same motion under four of them, a push, and what happens to a NaN."""

import numpy as np

from baxterkit import Arm, Payload, control
from baxterkit.control import Reference, State
from baxterkit.errors import InputError

arm = Arm("right")
start, swing = arm.configuration("neutral"), np.array([0.2, 0.2, 0.3, 0.2, 0.4, 0.3, 0.5])


def motion(t: float) -> Reference:
    """All joints to and fro, once in three seconds."""
    s, c = np.sin(2 * t), np.cos(2 * t)
    return Reference(start + s * swing, 2 * c * swing, -4 * s * swing)


# One motion, four controllers; none of them knows about the kilogram in the hand.
loaded = arm.replace(payload=Payload(1.0, com=(0.0, 0.0, 0.05)))
for controller in (
    control.DoubleLoopPid(),
    control.ComputedTorque(arm),
    control.SlidingMode(arm),
    control.Adaptive(arm),
):
    run = control.simulate(loaded, controller, motion, 4.0)
    print(f"{type(controller).__name__:15} {1e3 * run.rms(since=1.0):6.1f} mrad rms")

# Soft along the tool's axis, stiff across: push against the tip with 5 N.
soft = control.CartesianImpedance(arm, stiffness=(400, 400, 100, 20, 20, 20))
tool = arm.fk(start)[:3, 2]
push = np.concatenate([-5.0 * tool, np.zeros(3)])
run = control.simulate(arm, soft, Reference(start), 6.0, wrench=lambda t, q, qd: push)
moved = (arm.fk(run.q[-1])[:3, 3] - arm.fk(start)[:3, 3]) @ tool
print(f"\npushed with 5 N, the tip gives way by {-1e3 * moved:.0f} mm")

# A sensor fails: no command leaves, and the controller is as it was.
controller = control.ComputedTorque(arm)
broken = start.copy()
broken[3] = np.nan
try:
    controller.update(State(broken, np.zeros(7)), Reference(start), dt=1e-3)
except InputError as error:
    print(f"\nno command: {error}")
