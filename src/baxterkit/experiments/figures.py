"""Every figure of the three papers, drawn anew: one picture each, and a page that lists them.

Pictures of experiments come from the experiments; the others are drawn from the model. Photographs
are replaced by drawings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import baxterkit
from baxterkit import disk
from baxterkit.experiments.registry import attempt
from baxterkit.experiments.result import Result
from baxterkit.experiments.settings import Settings
from baxterkit.plot.page import Page
from baxterkit.plot.style import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAPERS = {"kumar": "Kumar et al.", "smith": "Smith et al. 2016", "ju": "Ju et al. 2014"}


@dataclass(frozen=True)
class PaperFigure:
    """A figure of a paper.

    Attributes:
        shows: What the paper's figure shows.
        source: Where ours comes from: an experiment and the name of its figure, or the function
            that draws it, as "module:function".
        differs: How ours differs from the paper's.
    """

    shows: str
    source: tuple[str, str] | str
    differs: str = ""


_REDRAWN = "Redrawn from the model in place of the picture."
_TWIN = "In the twin, not on the paper's robot."
FIGURES: dict[str, PaperFigure] = {
    "kumar_1": PaperFigure("The arm and the names of its joints", "figures_robot:kumar_1",
                           _REDRAWN),
    "kumar_2": PaperFigure("Link diagram with DH frames", "figures_frames:dh_frames",
                           "Frames of Table I as printed, over the arm."),
    "kumar_3": PaperFigure("Simulator and skeleton in the home configuration",
                           "figures_frames:home_pose", "All joints at zero in both."),
    "kumar_4": PaperFigure("Workspace by manipulability", ("kumar_pictures", "fig4_workspace"),
                           "A colour scale that colour-blind readers can tell apart."),
    "kumar_5": PaperFigure("Pseudo-inverse with random restarts in action",
                           ("kumar_pictures", "fig5_restarts"), "Our choice of the target."),
    "kumar_6": PaperFigure("CCD in action", ("kumar_pictures", "fig6_ccd"),
                           "Our choice of the target."),
    "kumar_7": PaperFigure("Flow chart of CCD", "figures_diagrams:ccd_flow",
                           "With the formula of the angle, which the text does not print."),
    "kumar_8": PaperFigure("The robot follows a circle", ("kumar_circle", "circle"), _TWIN),
    "smith_1": PaperFigure("The robot, its joints and springs", "figures_robot:numbered_robot",
                           _REDRAWN),
    "smith_2": PaperFigure("Block diagram of the torque controller",
                           "figures_diagrams:torque_control"),
    "smith_3": PaperFigure("Trajectories of the three sets", ("smith_twin", "fig3_paths"),
                           f"{_TWIN} Sets 2 and 3 with numbers of our choice."),
    "smith_4": PaperFigure("The robot in the test position", "figures_robot:test_position",
                           _REDRAWN),
    "smith_5": PaperFigure("Torques of set 1: recorded, L-E, RN-E, error",
                           ("smith_twin", "fig5_set1"), _TWIN),
    "smith_6": PaperFigure("Torques of set 2", ("smith_twin", "fig6_set2"), _TWIN),
    "smith_7": PaperFigure("Torques of set 3", ("smith_twin", "fig7_set3"), _TWIN),
    "ju_1": PaperFigure("A person and the robot in a factory", "figures_robot:factory",
                        "A drawing in place of a frame of a video."),
    "ju_2": PaperFigure("Joints and assemblies of the arm", "figures_robot:ju_2", _REDRAWN),
    "ju_3": PaperFigure("Link and joint of a URDF file", "figures_diagrams:urdf_parts"),
    "ju_4": PaperFigure("Tree of links and joints", "figures_diagrams:left_tree",
                        "From the base to the left hand."),
    "ju_5": PaperFigure("Definition of DH parameters", "figures_frames:dh_definition",
                        "Over the upper arm, with the numbers of link 3."),
    "ju_6": PaperFigure("Frames of the first three joints", "figures_frames:first_frames"),
    "ju_7": PaperFigure("Robot and model in four configurations",
                        "figures_frames:configurations",
                        "The nominal robot, not a measured one; (a) and (c) are our choice."),
    "ju_8": PaperFigure("The tip while the arm is untucked and tucked", ("ju_tuck", "fig8_left"),
                        _TWIN),
    "ju_9": PaperFigure("Joint e0 on the robot and in the DH table", "figures_frames:elbow_frames"),
}  # fmt: skip
"""Name -> figure; the name is the paper's and its number, and the file's."""


def write_figures(
    folder: str | Path, settings: Settings | None = None, results: Iterable[Result] = ()
) -> Path:
    """Writes one PNG for each of the 24 figures, and `index.html` beside them.

    Args:
        folder: The folder; made if necessary.
        settings: Settings of the experiments that are run.
        results: Experiments that ran already; the others that figures need are run here.

    Returns:
        The path of the page.

    Raises:
        MissingExtraError: If matplotlib is not installed. Without MuJoCo the figures of the twin
            are left out, and the page states it.
    """
    folder = Path(folder)
    disk.make_folder(folder)
    chosen = settings or Settings()
    ran = {result.name: result for result in results}
    page = Page(
        "The papers' figures",
        f"All {len(FIGURES)} figures of the three papers, by their numbers, drawn anew.",
        f"Made by `baxterkit reproduce figures`, version {baxterkit.__version__}.",
    )
    for i, (name, one) in enumerate(FIGURES.items()):
        chosen.progress(f"figures: {name}", i / len(FIGURES))
        paper, number = name.split("_")
        if number == "1":
            page.heading(PAPERS[paper])
        source = one.source if isinstance(one.source, str) else f"experiment {one.source[0]}"
        words = f"**Fig. {number}** {one.shows}. {one.differs} [{source}]"
        with page.section(name=name):
            try:
                path = save(_drawn(one, chosen, ran), folder / f"{name}.png")
                page.image(path, caption=words, alt=one.shows)
            except _LeftOutError as error:
                page.text(f"{words}\n\nLeft out: {error}")
    return page.save(folder / "index.html")


class _LeftOutError(Exception):
    """A figure whose experiment could not run."""


def _drawn(one: PaperFigure, settings: Settings, ran: dict[str, Result]) -> Figure:
    if isinstance(one.source, str):
        from importlib import import_module

        module, function = one.source.split(":")
        draw: Callable[[], Figure] = getattr(
            import_module(f"baxterkit.experiments.{module}"), function
        )
        return draw()
    experiment, figure = one.source
    if experiment not in ran:
        ran[experiment] = attempt(experiment, settings)
    result = ran[experiment]
    if figure not in result.figures:
        raise _LeftOutError(" ".join(result.notes) or f"{experiment} drew no {figure}")
    return result.figures[figure]
