"""What is wrong between this computer and a robot: it listens, measures, and names the fix.

Reading order: `advice` (every finding with its fix), `diagnosis` (the result), `ears` (what was
heard), then the checks: `network`, `streams`, `body`, `others`, `machine`; `examine` runs them.
Nothing is commanded, and nothing moves.
"""

from __future__ import annotations

from baxterkit.ros.doctor.advice import ADVICE
from baxterkit.ros.doctor.diagnosis import Diagnosis, Finding
from baxterkit.ros.doctor.examine import diagnose

__all__ = ["ADVICE", "Diagnosis", "Finding", "diagnose"]
