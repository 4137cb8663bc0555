"""Where the hands can go: samples of the workspace, and maps by exact inverse kinematics.

`sample_reach` draws configurations, and `canopy` makes the surface around the reachable positions.
`make_map` asks at every position of a grid for every orientation of a fixed set, in chunks that can
be computed on several machines; `open_map` reads a map, whose queries are checked by inverse
kinematics (extra `[scale]`: zarr, distributed, fsspec).
"""

from __future__ import annotations

from baxterkit.workspace.base_places import BasePlace
from baxterkit.workspace.boundary import Canopy, canopy
from baxterkit.workspace.grid import Grid, orientations, reach_box
from baxterkit.workspace.making import Progress, make_map
from baxterkit.workspace.maps import Map, Score, open_map
from baxterkit.workspace.queries import Grasps, TablePlace
from baxterkit.workspace.sampling import Reach, sample_reach
from baxterkit.workspace.settings import Question
from baxterkit.workspace.surface import Mesh

__all__ = [
    "BasePlace",
    "Canopy",
    "Grasps",
    "Grid",
    "Map",
    "Mesh",
    "Progress",
    "Question",
    "Reach",
    "Score",
    "TablePlace",
    "canopy",
    "make_map",
    "open_map",
    "orientations",
    "reach_box",
    "sample_reach",
]
