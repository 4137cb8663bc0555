"""Baxter in the browser: grab its hand, slide its elbow, see limits and torques.

>>> from baxterkit.viewer import Viewer
>>> with Viewer() as viewer:  # doctest: +SKIP
...     print(viewer.address)
"""

from __future__ import annotations

from baxterkit.viewer.app import Viewer
from baxterkit.viewer.state.motion import Motion, load_motion
from baxterkit.viewer.state.session import Session

__all__ = ["Motion", "Session", "Viewer", "load_motion"]
