"""Every sentence of the papers that claims something, with a verdict.

Verdicts follow one rule, which `RULE` and `WORDS` state. Sentences that only define a term,
describe what was done, report other papers or speak of robots in general are left out; printed
formulas and tables are in `errata`.
"""

from __future__ import annotations

from baxterkit.experiments import claims_ju, claims_kumar, claims_smith
from baxterkit.experiments.claims_evidence import RULE, WORDS, Evidence
from baxterkit.experiments.result import Result
from baxterkit.experiments.settings import Settings

TITLE = "The papers' claims: sentence by sentence"


def run(settings: Settings) -> Result:
    """Judges every claim; other experiments that it needs run first, unless they did before."""
    evidence = Evidence(settings)
    rows = [
        *claims_kumar.rows(evidence),
        *claims_smith.rows(evidence),
        *claims_ju.rows(evidence),
    ]
    words = "; ".join(f"{word}: {meaning}" for word, meaning in WORDS.items())
    return Result("claims", TITLE, rows, notes=(*RULE, f"Words without a number mean: {words}."))
