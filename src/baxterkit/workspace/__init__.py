"""Where the hands can go: samples of the workspace, and maps by exact inverse kinematics.

`sample_reach` draws configurations, and `canopy` makes the surface around the reachable positions.
`make_map` asks at every position of a grid for every orientation of a fixed set, in chunks that can
be computed on several machines; `open_map` reads a map, whose queries are checked by inverse
kinematics (extra `[scale]`: zarr, distributed, fsspec).

From `make_map(path, question, scene)` to the numbers: `making` checks the `Question` (`settings`
are what it asks once checked), makes the folder (`store`) and a `compute.Job`, and lets threads of
this machine or the workers of a Dask cluster (`cluster`) call `Job.chunk`, which asks `scene.ik`
for every pose. Whoever computes a chunk writes it. `maps` is a map to its users, `reading` reads
its chunks, `queries` and `base_places` answer questions about it.
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
