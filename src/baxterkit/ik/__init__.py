"""Inverse kinematics: the exact solver of Baxter's geometry, and the papers' iterative ones.

To read: `inverse.py` is the way from `arm.ik` to a solver. `exact.py` derives every solution with
e0 given; `self_motion.py`, `track.py` and `path.py` build on it; `exact_solver.py` says what an
exact solver offers, `exact_numpy.py` and `exact_native.py` are the two. `methods.py` lists the
iterative solvers, `iterate.py` is their loop. `target.py`, `objectives.py` and `result.py` are what
is asked and answered.
"""

from baxterkit.ik.options import IkOptions
from baxterkit.ik.result import Attempt, IkError, IkResult, IkStatus, Trace
from baxterkit.ik.target import Pointing, Position

__all__ = [
    "Attempt",
    "IkError",
    "IkOptions",
    "IkResult",
    "IkStatus",
    "Pointing",
    "Position",
    "Trace",
]
