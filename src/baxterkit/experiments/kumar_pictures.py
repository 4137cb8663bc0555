"""Kumar et al., Figs. 3-6: stick figure, workspace by manipulability, two solvers in action.

The paper prints no numbers with these pictures; the experiment adds some.
"""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.experiments.result import Result, Row, Section
from baxterkit.experiments.settings import Settings
from baxterkit.ik import IkResult, Position
from baxterkit.plot.ik import ik_steps, trace_of
from baxterkit.plot.skeletons import skeleton
from baxterkit.plot.workspaces import workspace
from baxterkit.spatial.formulas import pose_error
from baxterkit.workspace.sampling import sample_reach

TITLE = "Kumar et al., Figs. 3-6: the arm, its workspace, and two solvers in action"
SAMPLES = 1_000_000
QUICK_SAMPLES = 20_000
TARGET = (-1.1, -1.5, -0.4, 1.5, 2.4, 0.7, -2.4)
"""The pose to reach is that of these joint angles [rad]; plain Algorithm 1 ends beyond a limit."""
LOW = 0.1
"""Configurations with less than this part of the largest manipulability are nearly singular."""


def run(settings: Settings) -> Result:
    """Draws the figures; see `baxterkit.experiments`."""
    arm = Arm("left")
    settings.progress("kumar_pictures: workspace", 0.0)
    count = QUICK_SAMPLES if settings.quick else SAMPLES
    reach = sample_reach(arm, count, seed=settings.seed)
    distance = np.linalg.norm(reach.position - arm.model.T_base_s0[:3, 3], axis=1)
    index = reach.manipulability
    table = Section(
        f"Fig. 4: workspace of the left hand, {count:,} joint positions within the limits"
    )
    near = 100.0 * float(np.mean(index < LOW * index.max()))
    most = [float(np.median(index)), float(index.max())]
    rows = [
        table.show("farthest from s0 [m]", float(distance.max())),
        table.show("manipulability √det(J Jᵀ): median, largest", most),
        table.show(f"joint positions with less than {LOW:g} of the largest [%]", near),
    ]
    settings.progress("kumar_pictures: solvers", 0.6)
    seed = arm.configuration("neutral")
    T = arm.fk(np.array(TARGET))
    restarts = arm.ik(T, seed, method="pseudoinverse_restarts", trace=True)
    ccd = arm.ik(Position(T[:3, 3]), seed, method="ccd", trace=True)
    rows += _solver_rows(arm, restarts, T, "Fig. 5: Algorithm 1 (corrected) with random restarts")
    rows += _solver_rows(arm, ccd, T, "Fig. 6: CCD for the position alone, as in the paper")
    tries = int(trace_of(restarts).restart.sum())
    figures = {
        "fig3_skeleton": skeleton(
            arm, np.zeros(7), title="Kumar, Fig. 3: all joints at zero"
        ),
        "fig4_workspace": workspace(
            arm, reach, title="Kumar, Fig. 4: workspace by manipulability"
        ),
        "fig5_restarts": ik_steps(
            arm, restarts, T,
            title=f"Kumar, Fig. 5: pseudoinverse, random restarts ({tries} tries)",
        ),
        "fig6_ccd": ik_steps(
            arm, ccd, T, title="Kumar, Fig. 6: CCD, position alone (target's frame ignored)"
        ),
    }  # fmt: skip
    notes = [
        "The paper prints no numbers with these figures, neither poses nor targets: those are our "
        "choice. Fig. 3 of the paper shows the simulator's home configuration; ours has all joints "
        "at zero. Fig. 4 is coloured from low to high manipulability by a scale that colour-blind "
        "readers can tell apart, not from red to green; as in the paper, collisions are ignored."
    ]
    return Result("kumar_pictures", TITLE, rows, figures, notes)


def _solver_rows(arm: Arm, answer: IkResult, T: np.ndarray, section: str) -> list[Row]:
    trace, table = trace_of(answer), Section(section)
    distance, angle = pose_error(arm.fk(trace.q[-1]), T)
    counts = f"{int(trace.restart.sum())}, {len(trace) - 1}"
    return [
        table.show("ended", answer.status.name.lower().replace("_", " ")),
        table.show("tries, iterations (CCD: sweeps)", counts),
        table.show("at the end off by [m]", float(distance)),
        table.show("at the end turned away by [deg]", float(np.degrees(angle))),
    ]
