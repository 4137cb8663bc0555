"""Inverse kinematics: the exact solver of Baxter's geometry, and the papers' iterative ones."""

from baxterkit.ik.result import Attempt, IkError, IkResult, IkStatus, Trace
from baxterkit.ik.target import Pointing, Position

__all__ = ["Attempt", "IkError", "IkResult", "IkStatus", "Pointing", "Position", "Trace"]
