"""Draw the pictures of docs/ik.md into docs/images: self-motion curves, and solvers in action."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from baxterkit import Arm, plot
from baxterkit.ik import Trace, exact
from baxterkit.plot import style

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
COLORS = (
    style.BLUE, style.VERMILION, style.GREEN, style.ORANGE,
    style.PURPLE, style.SKY, style.YELLOW, style.BLACK,
)  # fmt: skip
POSTURE = (0.4, -0.9, 0.5, 1.6, -0.4, 0.9, 0.3)
"""The pose of the picture is the one that these joint angles reach."""
AWKWARD = (-1.1, -1.5, -0.4, 1.5, 2.4, 0.7, -2.4)
"""A target that Algorithm 1 from the neutral pose reaches only beyond the limits."""


def self_motion(arm: Arm) -> Any:
    """Six joints over e0 for one pose: all solutions pale, those within the limits in colour."""
    T = arm.fk(np.array(POSTURE))
    motion = arm.self_motion(T)
    e0 = np.linspace(-np.pi, np.pi, 2001)
    q = arm.ik_all(np.broadcast_to(T, (len(e0), 4, 4)), e0, limits=False)
    q = q[~np.isnan(q[..., 0])]
    inside = arm.limits.contains(q)
    curve = _curve_of(q, motion)
    figure = style.new_figure(9.0, 5.4)
    with style.matplotlib().rc_context(style.RC):
        axes = figure.subplots(2, 3, sharex=True)
        for ax, joint in zip(axes.ravel(), (0, 1, 3, 4, 5, 6), strict=True):
            lower, upper = arm.limits.lower[joint], arm.limits.upper[joint]
            ax.axhspan(-3.4, lower, color=style.PALE, lw=0)
            ax.axhspan(upper, 3.4, color=style.PALE, lw=0)
            for index in range(len(motion.curves)):
                color = COLORS[index % len(COLORS)]
                mine = curve == index
                pale, full = q[mine & ~inside], q[mine & inside]
                ax.plot(pale[:, 2], pale[:, joint], ".", ms=0.7, color=color, alpha=0.12)
                ax.plot(full[:, 2], full[:, joint], ".", ms=2.6, color=color)
            for segment in motion.feasible:
                if not segment.closed:
                    ends = segment.q[[0, -1]]
                    ax.plot(ends[:, 2], ends[:, joint], "o", ms=4, mfc="white", mec=style.INK)
            ax.set_title(arm.joint_names[joint].split("_")[1])
            ax.set_xlim(-np.pi, np.pi)
            ax.set_ylim(-3.4, 3.4)
            ax.grid(visible=True)
        for ax in axes[1]:
            ax.set_xlabel("e0 [rad]")
        for ax in axes[:, 0]:
            ax.set_ylabel("joint [rad]")
        figure.suptitle(
            f"One pose: {len(motion.curves)} solution curves, {len(motion.feasible)} stretches "
            "within the limits (thick; rings: a joint meets its limit)",
            fontsize=10.5,
        )
        figure.tight_layout()
    return figure


def _curve_of(q: np.ndarray, motion: Any) -> np.ndarray:
    """Which curve each solution lies on: the one whose points come nearest."""
    nearest = np.full((len(motion.curves), len(q)), np.inf)
    for i, curve in enumerate(motion.curves):
        a, b = curve.q[:-1], curve.q[1:]
        fine = np.concatenate([a + s * (b - a) for s in np.linspace(0.0, 1.0, 9)])
        for start in range(0, len(q), 500):
            part = q[start : start + 500]
            gaps = np.abs(exact.wrap(part[:, None] - fine[None])).max(axis=-1)
            nearest[i, start : start + 500] = gaps.min(axis=-1)
    return np.argmin(nearest, axis=0)


def in_action(arm: Arm) -> Any:
    """Error over iterations of the papers' solvers on one target."""
    T = arm.fk(np.array(AWKWARD))
    seed = arm.pose("neutral")
    runs = {
        "Algorithm 1 as printed": ("pseudoinverse", {"shorten": False}),
        "step shortened (ends beyond the limits)": ("pseudoinverse", {}),
        "with random restarts": ("pseudoinverse_restarts", {}),
        "Levenberg-Marquardt": ("lm", {}),
        "CCD (with orientation)": ("ccd", {"tolerance": 1e-9}),
        "CCD, then Algorithm 1": ("ccd_pseudoinverse", {}),
    }
    figure = style.new_figure(7.2, 4.0)
    with style.matplotlib().rc_context(style.RC):
        ax = figure.subplots()
        for (label, (method, options)), color in zip(runs.items(), COLORS, strict=False):
            result = arm.ik(T, seed, method=method, trace=True, **options)
            trace = result.trace
            assert isinstance(trace, Trace)
            size = np.hypot(trace.position_error, trace.orientation_error)[:80]
            ax.semilogy(np.maximum(size, 1e-13), "-", color=color, lw=1.6, label=label)
        ax.set_xlabel("iteration (CCD: sweep)")
        ax.set_ylabel("error, m and rad together")
        ax.set_xlim(0, 79)
        ax.grid(visible=True)
        ax.legend(fontsize=8.5, frameon=True, facecolor="white", framealpha=1.0)
        ax.set_title("The papers' solvers in action, one target")
        figure.tight_layout()
    return figure


def main() -> None:
    """Draws them all."""
    arm = Arm("left")
    for name, figure in (("self_motion", self_motion(arm)), ("ik_in_action", in_action(arm))):
        print(plot.save(figure, IMAGES / f"{name}.png").name)


if __name__ == "__main__":
    main()
