"""Inverse kinematics: the exact solver of Baxter's geometry, and the papers' iterative ones.

Reading order: `inverse.py` is the path from `arm.ik` to a solver. `exact.py` derives every solution
with e0 given; `self_motion.py`, `track.py` and `path.py` build on it; `exact_solver.py` is the
interface of an exact solver, `exact_numpy.py` and `exact_native.py` implement it. `methods.py`
lists the iterative solvers, `iterate.py` is their loop. `target.py`, `objectives.py` and
`result.py` define targets, costs and answers.
"""

from baxterkit.ik.options import IkOptions
from baxterkit.ik.result import Attempt, IkError, IkResult, IkStatus, Trace
from baxterkit.ik.shortfall import Shortfall
from baxterkit.ik.target import Pointing, Position

__all__ = [
    "Attempt",
    "IkError",
    "IkOptions",
    "IkResult",
    "IkStatus",
    "Pointing",
    "Position",
    "Shortfall",
    "Trace",
]
