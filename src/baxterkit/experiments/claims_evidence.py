"""How a claim is judged: one rule, the meaning of words, and the results that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baxterkit.experiments.registry import rows_of
from baxterkit.experiments.result import Row, Verdict
from baxterkit.experiments.settings import Settings

RULE = (
    "A claim is tested by the number beside it: on the robot's model, on the recordings or in the "
    "twin, as the number says. Holds: the number is what the claim's words mean. Does not hold: it "
    "is not. Cannot be shown by that experiment: the paper's experiment would have come out the "
    "same had the claim been false. Not tested: what it takes is not here, or the claim has no "
    "threshold; the number's column says which. What a paper reads off its own recordings, which "
    "are not published, is not tested; the causes that it names are, in the twin.",
)
WORDS = {
    "very low": "a rate of at most 10 %",
    "drastic": "failures fall to half or less",
    "comparable": "within a factor of two",
    "reduced, smaller": "by a tenth or more",
    "very small": "at most a tenth of the largest",
    "large": "half of the largest or more",
    "close, similar, good match": "R² of 0.9 or more where the torque moves by more than 1 N m",
    "real time": "faster than the period of the loop: 1 ms for torques, 50 ms for way-points",
    "centred, no bias": "means of at most half of what the paper itself calls a bias",
    "converges": "most poses are met to any tolerance, to 1e-9 too",
    "does not work well": "half or more of its failures have that cause",
    "credible": "within 1 mm",
    "cannot be neglected": "more than a tenth of a joint's greatest torque",
    "performs well": "99 % are solved",
    "no defined orientation": "more than 5 degrees off in the median",
    "unique": "more than 1 mm apart",
    "most": "more than half",
}
"""The thresholds that verdicts on words use."""
VERY_LOW, HALF, FACTOR, TENTH, CLOSE = 10.0, 0.5, 2.0, 0.1, 0.9
TORQUE_PERIOD, WAY_POINT_PERIOD = 1e-3, 0.05
UNSHOWN: Verdict = "cannot be shown by that experiment"


class Evidence:
    """Results of other experiments, run once each."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def row(self, name: str, quantity: str, section: str = "") -> Row | None:
        """The first row of an experiment whose quantity and section begin so; None if missing."""
        for row in rows_of(name, self.settings):
            if row.quantity.startswith(quantity) and row.section.startswith(section):
                return row
        return None

    def numbers(self, name: str, quantity: str, section: str = "") -> Sequence[float] | None:
        """The numbers of such a row."""
        row = self.row(name, quantity, section)
        if row is None or row.ours is None or isinstance(row.ours, str):
            return None
        return [float(x) for x in np.atleast_1d(np.asarray(row.ours, dtype=np.float64))]

    def text(self, name: str, quantity: str, section: str = "") -> str | None:
        """The words of such a row."""
        row = self.row(name, quantity, section)
        return row.ours if row is not None and isinstance(row.ours, str) else None


def judged(
    where: str, sentence: str, number: str, verdict: bool | Verdict, command: str, paper: str
) -> Row:
    """A row of the table of claims.

    Args:
        where: The place, such as "Kumar III.D (1)".
        sentence: The claim, in the paper's words where they are short.
        number: What was measured, with its conditions; or why nothing could be.
        verdict: Whether it holds, or one of the other verdicts.
        command: What gives the number.
        paper: The section of the table.
    """
    if not isinstance(verdict, str):
        verdict = "holds" if verdict else "does not hold"
    details = {"claim": sentence, "number": number, "verdict": verdict, "command": f"`{command}`"}
    return Row(where, sentence, number, verdict, paper, details)
