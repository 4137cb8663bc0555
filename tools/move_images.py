"""Draw the pictures of docs/trajectories.md and docs/contact.md into docs/images."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from baxterkit import Arm, estimate_external_torque, plot, trajectory
from baxterkit.dynamics.external_torque import ExternalTorque

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
PUSHES = ((2.0, 3.0, (0.0, 0.0, -12.0)), (4.5, 5.2, (6.0, 3.0, 0.0)))
"""Start and end [s], and the force on the tip [N]."""


def main() -> None:
    """Draws them all."""
    arm = Arm("right")
    eight = trajectory.figure_eight([0.6, -0.2, 0.1]).to_joints(arm)
    figures = {
        "smith_set_1": trajectory.smith_set(1).plot(arm),
        "time_optimal": trajectory.time_optimal(arm, eight, acceleration=None).plot(arm),
        "contact": plot.external_torque(pushed(arm), title="Two pushes on a circle"),
    }
    for name, figure in figures.items():
        print(plot.save(figure, IMAGES / f"{name}.png"))


def pushed(arm: Arm) -> ExternalTorque:
    """What is estimated while the tip goes round a circle and is pushed twice."""
    arm = arm.with_effects(coulomb=[0.8] * 4 + [0.2] * 3, viscous=[0.4] * 7)
    t, q, qd, qdd = trajectory.circle([0.6, -0.2, 0.1]).to_joints(arm).at_rate(100.0)
    push = np.zeros((len(t), 6))
    for start, end, force in PUSHES:
        push[(t > start) & (t < end), :3] = force
    rng = np.random.default_rng(0)
    tau = arm.inverse_dynamics(q, qd, qdd, wrench=push) + rng.normal(0.0, 0.02, q.shape)
    qd = np.pi / 8000 * np.round(qd / (np.pi / 8000))
    return estimate_external_torque(arm, (t, q, qd, 0.004 * np.round(tau / 0.004)))


if __name__ == "__main__":
    main()
