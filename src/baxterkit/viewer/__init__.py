"""Baxter in the browser: grab its hand, slide its elbow, see limits and torques.

>>> from baxterkit.viewer import Viewer
>>> with Viewer() as viewer:  # doctest: +SKIP
...     print(viewer.address)

Three rooms: `state` is what is shown, without a browser; `server` lets browsers in and passes their
actions to one thread; `page` is the scene and the panels. `app` makes a viewer of them.
`page/dragging.py` begins with the path of a drag, from the browser to the arm and back.
"""

from __future__ import annotations

from baxterkit.viewer.app import Viewer
from baxterkit.viewer.state.motion import Motion, load_motion
from baxterkit.viewer.state.session import Session

__all__ = ["Motion", "Session", "Viewer", "load_motion"]
