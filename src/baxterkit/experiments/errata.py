"""Every printed form of the papers that is wrong, run beside the corrected one.

Each row names the place ("Kumar eq. 8"), what is printed, what is true, and the largest effect over
the joint range: an optimised bound, and the mean of a sample whose size and seed are stated.
docs/errata.md is made from these rows.
"""

from __future__ import annotations

from baxterkit.experiments import errata_ju, errata_kumar, errata_smith
from baxterkit.experiments.errata_lab import Lab
from baxterkit.experiments.result import Result
from baxterkit.experiments.settings import Settings

TITLE = "The papers' errata: printed forms beside corrected ones"


def run(settings: Settings) -> Result:
    """Runs every printed form; see `baxterkit.experiments`."""
    lab = Lab(settings)
    rows = []
    for i, paper in enumerate((errata_smith, errata_ju, errata_kumar)):
        settings.progress(f"errata: {paper.PAPER}", i / 3.0)
        rows += paper.rows(lab)
    return Result("errata", TITLE, rows, notes=lab.notes())
