"""Hands that users drag: their gizmos, and the slow questions of each arm.

The path of a drag, from the browser to the picture:

1. `server.shield` lets the browser's message pass, and viser calls `moved` (in `connect`) in
   its own event loop, which leaves a letter with the gizmo's pose in the mailbox; of several
   letters of one hand, the last one counts.
2. The viewer's thread (`Viewer.turn`) takes the letters and calls `_drag`, which hands the pose to
   `DraggedArm.drag`, which makes it the hand's target.
3. 90 times a second it calls `Session.step`, which moves the arm a bounded step towards its
   target by `Arm.ik_track` (`DraggedArm._chase`), and `Stage.show`, which sends the link poses.
4. Where a drag or a step fails, `pending_check` gives the check whether the target can be
   reached at all. The arm's own thread runs it (`start_slow_work`), and `apply_check` acts on its
   result: another path in joint space, or a message in the panel.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from baxterkit.types import Transform
from baxterkit.viewer.page.stage import on_moved
from baxterkit.viewer.state.dragged_arm import DraggedArm, ReachCheck
from baxterkit.viewer.state.readout import Touches, elbow_of, touches_of
from baxterkit.viewer.state.session import SIDES

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer


class Dragging:
    """Moves the arms as users drag their hands.

    Args:
        viewer: The viewer.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._solvers = {side: viewer.worker(side) for side in SIDES}

    def connect(self) -> None:
        """Lets users move the gizmos of both hands."""
        post = self._viewer.mailbox.post
        for side, gizmo in self._viewer.stage.gizmos.items():

            def moved(T: Transform | None, _who: int, side: str = side) -> None:
                if T is None:
                    post(("release", side), lambda: self._release(side))
                else:
                    post(("drag", side), lambda: self._drag(side, T))

            on_moved(gizmo, moved)

    def start_slow_work(self, side: str) -> None:
        """Starts slow computations in an arm's own thread: reachability, and the self-motion."""
        session, controls = self._viewer.session, self._viewer.controls
        post = self._viewer.mailbox.post
        limb = session.limb(side)
        self._start_check("check", side, limb)
        if side in session.goals:
            self._start_check("goal check", side, session.goals[side])
        snapshot, touches = copy.copy(limb), self.touches(side)

        def trace() -> None:
            elbow = elbow_of(snapshot, touches)
            post(("elbow", side), lambda: controls.show_elbow(side, elbow), quiet=True)

        self._solvers[side].post("elbow", trace)

    def touches(self, side: str) -> Touches:
        """Which joint positions of an arm touch something, as everything else stands now."""
        session = self._viewer.session
        other = session.limb("right" if side == "left" else "left").q
        return touches_of(session.scene, side, other)

    def _drag(self, side: str, T: Transform) -> None:
        viewer, session = self._viewer, self._viewer.session
        if session.watched:
            return
        viewer.history.note(("drag", side))
        viewer.stage.dragged.add(side)
        session.stop_playing()
        session.limb(side).drag(T)
        viewer.updates += 1

    def _release(self, side: str) -> None:
        stage, limb = self._viewer.stage, self._viewer.session.limb(side)
        stage.dragged.discard(side)
        limb.release()
        stage.put_gizmo(side, limb.T_base_tip)

    def _start_check(self, key: str, side: str, limb: DraggedArm) -> None:
        check, post = limb.pending_check(), self._viewer.mailbox.post
        if check is not None:

            def run(check: ReachCheck = check) -> None:
                result = check.run()
                post((key, side), lambda: limb.apply_check(check, result))

            self._solvers[side].post(key, run)
