"""The papers' own models: every printed table and formula, as printed and as corrected.

>>> from baxterkit import papers
>>> papers.smith.printed.inertia(q)       # with every misprint
>>> papers.smith.corrected.inertia(q)     # equals Arm("right").inertia(q)
>>> papers.smith.corrected.misprinted("eq. 8").gravity(q)  # with one misprint
>>> papers.kumar.misprints["eq. 8, l1"]   # the printed form and the true one

`kumar`, `smith` and `ju` each have `printed` and `corrected`. A model is plain data: a DH table,
what the paper prints beyond it, and the names of the misprints that it keeps. Arrays have shape
(*batch, 7) for joints s0 ... w2 [rad]; poses are in the paper's own frame, which `frame_0` names.

Reading order: `paper` (what the models share), `uicker_kahn` (the dynamics of Smith and Kumar),
`smith`, `kumar`, `ju`.

Reference: docs/papers/kumar.md, docs/papers/smith.md, docs/papers/ju.md.
"""

from __future__ import annotations

from baxterkit.papers import ju, kumar, smith
from baxterkit.papers.paper import Misprint, PaperArm

__all__ = ["Misprint", "PaperArm", "ju", "kumar", "smith"]
