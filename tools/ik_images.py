"""Draw the pictures of docs/ik.md into docs/images: self-motion curves, and solvers in action."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from baxterkit import Arm, plot

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
CONFIGURATION = (0.4, -0.9, 0.5, 1.6, -0.4, 0.9, 0.3)
"""The pose of the picture is the one that these joint angles reach."""
AWKWARD = (-1.1, -1.5, -0.4, 1.5, 2.4, 0.7, -2.4)
"""A target that Algorithm 1 from the neutral configuration reaches only beyond the limits."""
RUNS = {
    "Algorithm 1 as printed": ("pseudoinverse", {"shorten": False}),
    "step shortened (ends beyond the limits)": ("pseudoinverse", {}),
    "with random restarts": ("pseudoinverse_restarts", {}),
    "Levenberg-Marquardt": ("lm", {}),
    "CCD (with orientation)": ("ccd", {"tolerance": 1e-9}),
    "CCD, then Algorithm 1": ("ccd_pseudoinverse", {}),
}


def main() -> None:
    """Draws them all."""
    arm = Arm("left")
    seed = arm.configuration("neutral")
    T, T_awkward = arm.fk(np.array(CONFIGURATION)), arm.fk(np.array(AWKWARD))
    results = {
        label: arm.ik(T_awkward, seed, method=method, trace=True, **options)
        for label, (method, options) in RUNS.items()
    }
    restarts = results["with random restarts"]
    figures = {
        "self_motion": plot.self_motion(arm, T),
        "ik_in_action": plot.ik_convergence(
            results, iterations=80, title="The papers' solvers in action, one target"
        ),
        "ik_steps": plot.ik_steps(
            arm, arm.ik(T, seed, method="pseudoinverse", trace=True), T, title="Algorithm 1"
        ),
    }
    for name, figure in figures.items():
        print(plot.save(figure, IMAGES / f"{name}.png").name)
    animation = plot.ik_animation(
        arm, restarts, T_awkward, title="Algorithm 1 with restarts (Kumar, Fig. 5)"
    )
    print(plot.save_animation(animation, IMAGES / "ik_restarts.gif").name)


if __name__ == "__main__":
    main()
