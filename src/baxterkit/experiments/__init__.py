"""The papers' experiments repeated: paper | ours | verdict, with figures and one HTML report.

>>> from baxterkit import experiments
>>> result = experiments.run("ju_pose")
>>> experiments.write_report([result], "reproduce-out")
"""

from __future__ import annotations

from baxterkit.experiments.registry import EXPERIMENTS, run, run_all
from baxterkit.experiments.report import write_report
from baxterkit.experiments.result import Result, Row, Section
from baxterkit.experiments.settings import Settings
from baxterkit.experiments.synthetic import pose_recording, tracked_poses

__all__ = [
    "EXPERIMENTS",
    "Result",
    "Row",
    "Section",
    "Settings",
    "pose_recording",
    "run",
    "run_all",
    "tracked_poses",
    "write_report",
]
