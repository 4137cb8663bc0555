"""Pictures (extra `[plot]`, matplotlib), drawn without a screen and without global state.

Every function returns a `matplotlib.figure.Figure`, which `save` writes as PNG, SVG or PDF, or an
animation, which `save_animation` writes as GIF or HTML. `Page` puts them into a report of one file.
"""

from __future__ import annotations

from baxterkit.plot.animation import Animation, animate, ik_animation, save_animation
from baxterkit.plot.external_torques import external_torque
from baxterkit.plot.ik import ik_convergence, ik_steps
from baxterkit.plot.map_pages import map_report
from baxterkit.plot.maps import workspace_map, workspace_reasons
from baxterkit.plot.page import Mark, Page
from baxterkit.plot.self_motions import self_motion
from baxterkit.plot.signals import torques, tracking
from baxterkit.plot.skeletons import draw_arm, skeleton, skeleton_both
from baxterkit.plot.style import save
from baxterkit.plot.trajectories import trajectory
from baxterkit.plot.workspaces import workspace

__all__ = [
    "Animation",
    "Mark",
    "Page",
    "animate",
    "draw_arm",
    "external_torque",
    "ik_animation",
    "ik_convergence",
    "ik_steps",
    "map_report",
    "save",
    "save_animation",
    "self_motion",
    "skeleton",
    "skeleton_both",
    "torques",
    "tracking",
    "trajectory",
    "workspace",
    "workspace_map",
    "workspace_reasons",
]
