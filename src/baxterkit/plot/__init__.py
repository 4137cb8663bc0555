"""Pictures (extra `[plot]`, matplotlib), drawn without a screen and without global state.

Every function returns a `matplotlib.figure.Figure`; `save` writes it as PNG, SVG or PDF.
"""

from __future__ import annotations

from baxterkit.plot.signals import torques, tracking
from baxterkit.plot.skeleton import draw_arm, skeleton, skeleton_both
from baxterkit.plot.style import save
from baxterkit.plot.workspace import workspace

__all__ = [
    "draw_arm",
    "save",
    "skeleton",
    "skeleton_both",
    "torques",
    "tracking",
    "workspace",
]
