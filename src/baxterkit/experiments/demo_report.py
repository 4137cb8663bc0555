"""The demo's report: one HTML file with the moving robot, plots and tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import baxterkit
from baxterkit import disk
from baxterkit.experiments.demo import MOVING, RATE, SEED, SMOOTH, Demo
from baxterkit.plot import torques, tracking
from baxterkit.plot.page import Page
from baxterkit.plot.player import player

FPS = 25.0
"""Pictures per second, and points per second in figures."""


def write_report(demo: Demo, folder: str | Path) -> Path:
    """Writes `report.html`, which holds its pictures and needs no other file.

    Args:
        demo: The results.
        folder: The folder; made if necessary.

    Returns:
        The path of the report.
    """
    page = Page(
        "baxterkit demo: Smith's circle in the twin",
        lead=f"A Baxter in simulation follows {_path(demo.arm.side)} with its {demo.arm.side} "
        "hand, once with each of two controllers.",
        footer=f"Made by `baxterkit demo`, version {baxterkit.__version__}, in "
        f"{demo.seconds:.1f} s. Joints in the order s0 s1 e0 e1 w0 w1 w2.",
    )
    tiles: dict[str, object] = {}
    for one in demo.followers:
        tiles[f"tip error, {one.name} (RMS)"] = f"{1e3 * one.tip_rms:.2f} mm"
    best = demo.followers[0]
    tiles["R² of the s1 torque, model against sensed"] = f"{best.torque_r2[1]:.4f}"
    tiles["times real time, both loops at 1 kHz"] = f"{max(f.speed for f in demo.followers):.0f}"
    page.tiles(tiles)
    page.raw(_player(demo))
    with page.section("Following"):
        page.table(("", *demo.joint_names), _tracking_rows(demo), digits=2)
        page.text(
            "True errors of the joints. Computed torque knows the arm's equations of motion, its "
            "springs and its friction. The double loop is that of the paper, with gravity "
            "compensated: it knows nothing of the motion to come, so it lags."
        )
    with page.section("Torques"):
        page.table(("", *demo.joint_names), _torque_rows(demo), digits=3)
        page.text(
            "What the twin's joints sense (steps of 0.004 N m, noise) against inverse dynamics of "
            "the wanted motion, in the manner of Smith's Table V. R² is given where a torque moves "
            f"by more than {MOVING:g} N m, for sensed torques smoothed over {SMOOTH:g} s."
        )
    every = round(RATE / FPS)
    t = best.record.t[::every]
    page.figure(
        tracking(
            t,
            best.record.reference.q[::every],
            {one.name: one.record.truth.q[::every] for one in demo.followers},
            title="Joint positions, wanted and true",
        ),
        caption="Each joint with its error below; root mean squares at the end.",
    )
    assert best.record.tau is not None
    page.figure(
        torques(
            t,
            best.record.tau[::every],
            {"inverse dynamics": best.predicted[::every]},
            title="Torques under computed torque: sensed, and of the model",
        ),
        caption="Sensed torques hold sensor noise and what the controller makes of noisy "
        "velocities; the model is that of the twin.",
    )
    page.heading("Do it yourself")
    page.code(snippet(demo))
    page.facts(
        {
            "twin": "MuJoCo, both arms, series elasticity, springs, friction, sensors",
            "inner loop": "1 kHz",
            "recorded": f"{RATE:g} Hz",
            "simulated": f"{demo.trajectory.duration * len(demo.followers):.0f} s",
            **demo.backend,
        }
    )
    disk.make_folder(folder)
    return page.save(Path(folder) / "report.html")


def _path(side: str) -> str:
    """The reference motion of the tip; mirrored for the left arm."""
    y = "-0.2 + 0.1 cos t" if side == "right" else "0.2 - 0.1 cos t"
    return f"x = 0.6 + 0.1 sin t, y = {y}, z = 0.1 + 0.1 cos 0.2 t"


def snippet(demo: Demo) -> str:
    """The first row of the report's first table, in Python."""
    nominal = ", nominal_effects" if "nominal_effects" in demo.made else ""
    return f"""from baxterkit import Arm
from baxterkit.control import ComputedTorque
from baxterkit.sim import Twin{nominal}
from baxterkit.trajectory import smith_set

# The controller knows the springs and the friction that the twin has.
{demo.made}
motion = smith_set(1, arm)  # poses -> exact IK -> joint motion, limits checked
twin = Twin(arm, seed={SEED}).enable().place_at(motion)
record = twin.follow(motion, ComputedTorque(arm), settle=0.0)["{demo.arm.side}"]
rms = (record.error**2).mean(axis=0) ** 0.5
print((1e3 * rms).round(2), "mrad, joint by joint, as in the table above")
print(record)  # q, qd, tau as sensed; record.truth, record.reference"""


def _player(demo: Demo) -> str:
    every = round(RATE / FPS)
    return player(
        demo.robot,
        demo.arm.side,
        {one.name: one.record.truth.q[::every] for one in demo.followers},
        fps=FPS,
        wanted=demo.followers[0].record.reference.q[::every],
    )


def _tracking_rows(demo: Demo) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for one in demo.followers:
        rows.append((f"{one.name}, RMS [mrad]", *(1e3 * one.joint_rms)))
        rows.append((f"{one.name}, largest [mrad]", *(1e3 * one.joint_max)))
    return rows


def _torque_rows(demo: Demo) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for one in demo.followers:
        rows.append((f"{one.name}, mean |error| [N m]", *one.torque_mae))
        rows.append((f"{one.name}, smoothed [N m]", *one.smooth_mae))
        r2 = ["" if np.isnan(x) else f"{x:.4f}" for x in one.torque_r2]
        rows.append((f"{one.name}, R²", *r2))
    return rows
