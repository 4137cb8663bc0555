"""Goals in the 3D scene: a ghost of each arm that has one, and a gizmo at its hand."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from baxterkit.look.colors import TOUCHING
from baxterkit.look.robot import arm_parts
from baxterkit.look.shapes import merged
from baxterkit.model.model import ArmModel
from baxterkit.types import JointVector, Transform
from baxterkit.viewer.page.stage import GHOST_SCALE, GREEN, MESSAGE_LIFT, on_moved, wxyz
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.dragged_arm import DraggedArm
from baxterkit.viewer.state.session import SIDES, Session

OPACITY = 0.4
WIDEST = 24
"""Longest line above a ghost [characters]: one that a telephone shows whole."""


@dataclass(eq=False)
class Ghost:
    """Scene nodes of one goal.

    Attributes:
        model: The arm as it is drawn.
        frames: Nodes of its links.
        meshes: Their meshes.
        gizmo: At the wanted pose of the hand.
        label: Above the hand.
        shown: Joint positions [rad] that are drawn, shape (7,).
    """

    model: ArmModel
    frames: list[Viser]
    meshes: list[Viser]
    gizmo: Viser
    label: Viser
    shown: JointVector | None = None


class GoalStage:
    """Scene nodes of the goals.

    Args:
        api: The server's `scene`.

    Attributes:
        ghosts: By side, for the arms that have had a goal.
        dragged: Sides whose gizmo a user holds.
        on_drag: Called with side and the hand's new pose, in the server's loop; None: let go.
    """

    def __init__(self, api: Viser) -> None:
        self._api = api
        self.ghosts: dict[str, Ghost] = {}
        self.dragged: set[str] = set()
        self.on_drag: Callable[[str, Transform | None], None] = lambda side, T: None

    def show(self, session: Session) -> None:
        """Moves the ghosts to their goals; unchanged ones cost nothing."""
        for side in SIDES:
            goal, ghost = session.goals.get(side), self.ghosts.get(side)
            if goal is None:
                if ghost is not None:
                    self._hide(ghost)
                continue
            if ghost is not None and ghost.model is not goal.arm.model:
                self._remove(ghost)
                ghost = None
            if ghost is None:
                ghost = self.ghosts[side] = self._make(side, goal.arm.model)
            self._place(side, ghost, goal)

    def tell(self, session: Session, problems: Mapping[str, str]) -> None:
        """Colours the ghosts, and says above them what is wrong with them, or with a plan."""
        at = {side: limb.q for side, limb in session.limbs.items()}
        at.update({side: goal.q for side, goal in session.goals.items()})
        if not session.goals:
            return
        near = session.scene.nearest(at["left"], at["right"])
        touches = float(near.clearance) < 0.0
        for side, goal in session.goals.items():
            ghost = self.ghosts[side]
            whose = touches and any(name.startswith(f"{side}_") for name in near.names)
            for mesh in ghost.meshes:
                put(mesh, color=TOUCHING if whose else GREEN)
            text = f"{near.names[0]} touches {near.names[1]}" if whose else f"{side} goal"
            if problems.get(side):
                text = problems[side]
            elif goal.message:
                text = re.split("[,;:.]", goal.message)[0]
            put(ghost.label, text=textwrap.fill(text, WIDEST))

    def _make(self, side: str, model: ArmModel) -> Ghost:
        api, parts = self._api, arm_parts(model)
        frames, meshes = [], []
        for i in range(7):
            mesh = merged([part.at(1.0) for part in parts if part.frame == i])
            frames.append(api.add_frame(f"/goal/{side}/{i}", show_axes=False))
            meshes.append(
                api.add_mesh_simple(
                    f"/goal/{side}/{i}/mesh",
                    mesh.vertices,
                    mesh.faces,
                    color=GREEN,
                    opacity=OPACITY,
                    scale=GHOST_SCALE,
                    cast_shadow=False,
                    receive_shadow=False,
                )
            )
        gizmo = api.add_transform_controls(
            f"/goal_hand/{side}", scale=0.16, line_width=3.0, depth_test=False, opacity=0.85
        )
        label = api.add_label(f"/goal_label/{side}", f"{side} goal", anchor="bottom-center")
        on_moved(gizmo, lambda T, _: self.on_drag(side, T))
        return Ghost(model, frames, meshes, gizmo, label)

    def _place(self, side: str, ghost: Ghost, goal: DraggedArm) -> None:
        if ghost.shown is not goal.q:
            if ghost.shown is None:
                for node in (*ghost.frames, ghost.gizmo, ghost.label):
                    node.visible = True
            ghost.shown = goal.q
            poses = goal.arm.link_poses(goal.q)
            for frame, T in zip(ghost.frames, poses[:7], strict=True):
                frame.position, frame.wxyz = T[:3, 3], wxyz(T[:3, :3])
            ghost.label.position = poses[7, :3, 3] + [0.0, 0.0, MESSAGE_LIFT]
        if side not in self.dragged:
            T = goal.wanted
            ghost.gizmo.position, ghost.gizmo.wxyz = T[:3, 3], wxyz(T[:3, :3])

    def _hide(self, ghost: Ghost) -> None:
        if ghost.shown is not None:
            ghost.shown = None
            for node in (*ghost.frames, ghost.gizmo, ghost.label):
                node.visible = False

    def _remove(self, ghost: Ghost) -> None:
        for node in (*ghost.meshes, *ghost.frames, ghost.gizmo, ghost.label):
            node.remove()
