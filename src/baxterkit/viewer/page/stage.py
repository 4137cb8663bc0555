"""The 3D scene in the browser: the robot, its gizmos, ellipsoids, elbow paths and ghosts."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.collision import LINKS, Nearest
from baxterkit.collision.obstacle import FLOOR
from baxterkit.look.colors import TOUCHING, Color
from baxterkit.look.meshes import GLASS_SIZE as MESH_GLASS_SIZE
from baxterkit.look.meshes import RobotMeshes
from baxterkit.look.robot import (
    GLASS_SIZE,
    T_HEAD_GLASS,
    Part,
    arm_parts,
    contact_parts,
    hand_parts,
    head_parts,
    torso_parts,
)
from baxterkit.look.shapes import ball, merged
from baxterkit.model.model import ArmModel
from baxterkit.model.names import JOINTS
from baxterkit.spatial.formulas import matrix_to_quaternion, nearest_rotation, quaternion_to_matrix
from baxterkit.types import Array, JointVector, Transform
from baxterkit.viewer.page.face import face
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.readout import Elbow, Readout, other_branches
from baxterkit.viewer.state.session import SIDES, Session

GHOSTS = 7
"""Largest number of branches that are drawn: eight solutions at one e0, less the present one."""
ELLIPSOID_SCALE = 0.22
"""Length of the ellipsoid's axes per tip speed [m per m/s at joint speeds of norm 1]."""
GREEN, GREY, VERMILION, PURPLE = (0, 158, 115), (168, 174, 182), (213, 94, 0), (204, 121, 167)
MESSAGE_LIFT = 0.16
"""Height of a message above its hand [m]."""
GHOST_SCALE = 0.94
"""Ghosts are slimmer than the arm, so that they do not flicker on its surface."""
CAMERA, LOOK_AT = (3.7, 0.45, 1.3), (0.3, 0.0, 0.08)
"""Initial position and target of the camera in base [m]: both hands of every named
configuration are visible beside the panel of a window 1200 pixels wide."""
TALL, FAR, DEEP = 0.8, 1.9, 0.75
"""In windows whose width is less than `TALL` of their height, as those of telephones, the camera
starts `FAR` times as far off and looks `DEEP` metres lower: the panel covers the lower half."""


NEAR = 0.03
"""Clearance below which its line is red [m]."""


class Stage:
    """Scene nodes and their poses. Nodes are flat: every frame is set from our own kinematics.

    Args:
        api: The server's `scene`.
        session: The session to draw first.
        meshes: Rethink's meshes; capsules of our own if None.

    Attributes:
        touching: Names of the two that touch, if any do.
        branches: Joint positions [rad] of the ghosts that are shown, by side, shape (n, 7) each.
        on_ghost: Called with side and index when a user clicks a ghost, in the server's loop.
        standing: Meshes of torso, pedestal and head: which of them, the mesh, its own colour.
    """

    def __init__(self, api: Viser, session: Session, meshes: RobotMeshes | None = None) -> None:
        self.api = api
        self._meshes = meshes
        self._frames: dict[str, list[Viser]] = {}
        self.parts: dict[str, list[Viser]] = {side: [] for side in SIDES}
        self._looks: dict[str, list[Part]] = {side: [] for side in SIDES}
        self._opened: dict[str, float] = {}
        self._shown: dict[str, JointVector] = {}
        self.standing: list[tuple[str, Viser, Color]] = []
        self._surroundings()
        self.gizmos: dict[str, Viser] = {}
        self.dragged: set[str] = set()
        self._ellipsoids: dict[str, Viser] = {}
        self._ghosts: dict[str, list[Viser]] = {side: [] for side in SIDES}
        self._contacts: dict[str, list[Viser]] = {side: [] for side in SIDES}
        self._contacts_shown = False
        self._models: dict[str, ArmModel] = {}
        self._lines: dict[str, Viser] = {}
        self._messages: dict[str, Viser] = {}
        self.touching: tuple[str, ...] = ()
        self.branches: dict[str, JointVector] = {side: np.empty((0, 7)) for side in SIDES}
        self.on_ghost: Callable[[str, int], None] = lambda side, index: None
        for side in SIDES:
            self._frames[side] = [api.add_frame(f"/{side}/{i}", show_axes=False) for i in range(7)]
            self.build_arm(side, session)
            self.gizmos[side] = api.add_transform_controls(
                f"/hand/{side}", scale=0.16, line_width=3.0, depth_test=False, opacity=0.85
            )
            sphere = ball()
            self._ellipsoids[side] = api.add_mesh_simple(
                f"/ellipsoid/{side}",
                sphere.vertices,
                sphere.faces,
                color=GREEN,
                opacity=0.3,
                cast_shadow=False,
                visible=False,
            )
        self._head = api.add_frame("/head", show_axes=False)
        for name, mesh, color in head_parts() if meshes is None else meshes.head:
            handle = api.add_mesh_simple(f"/head/{name}", mesh.vertices, mesh.faces, color=color)
            self.standing.append(("head", handle, color))
        T_glass, size = T_HEAD_GLASS, GLASS_SIZE
        if meshes is not None:
            T_glass, size = meshes.T_head_glass, MESH_GLASS_SIZE
        self._screen = api.add_image(
            "/head/face",
            face(),
            render_width=size[0],
            render_height=size[1],
            wxyz=wxyz(T_glass[:3, :3]),
            position=T_glass[:3, 3],
        )

    def show_screen(self, picture: NDArray[np.uint8]) -> None:
        """Puts a picture on the head's screen, shape (height, width, 3)."""
        self._screen.image = picture[::-1]  # the first row is at the bottom

    def build_arm(self, side: str, session: Session) -> None:
        """Makes an arm's meshes, tool included, and replaces the former ones."""
        for handle in [*self.parts[side], *self._ghosts[side], *self._contacts[side]]:
            handle.remove()
        self._ghosts[side], self._contacts[side] = [], []
        self._models[side] = model = session.limb(side).arm.model
        if self._contacts_shown:
            self._draw_contacts(side)
        parts = arm_parts(model)
        if self._meshes is not None:
            parts = [*self._meshes.arm, *hand_parts(model)]
        self._looks[side] = parts
        self.parts[side] = [
            self.api.add_mesh_simple(
                f"/{side}/{part.frame}/{part.name}",
                part.mesh.vertices,
                part.mesh.faces,
                color=part.color,
            )
            for part in parts
        ]
        self._shown.pop(side, None)
        self._opened.pop(side, None)

    def show(self, session: Session) -> None:
        """Moves every frame to its pose in the session; unchanged arms cost nothing."""
        for side, limb in session.limbs.items():
            self._show_fingers(side, session.openings[side])
            if self._shown.get(side) is limb.q:
                continue
            self._shown[side] = limb.q
            poses = limb.arm.link_poses(limb.q)
            turns = wxyz(poses[:, :3, :3])
            for frame, T, turn in zip(self._frames[side], poses[:7], turns, strict=False):
                frame.wxyz = turn
                frame.position = T[:3, 3]
            if side not in self.dragged:
                self.put_gizmo(side, poses[7])
        T_head = session.robot.head.fk(session.pan)
        self._head.wxyz = wxyz(T_head[:3, :3])
        self._head.position = T_head[:3, 3]

    def _show_fingers(self, side: str, opening: float) -> None:
        if self._opened.get(side) != opening:
            self._opened[side] = opening
            for handle, part in zip(self.parts[side], self._looks[side], strict=True):
                if part.slide is not None:
                    handle.position = opening * part.slide

    def put_gizmo(self, side: str, T_base_tip: Transform) -> None:
        """Moves a hand's gizmo to a pose."""
        self.gizmos[side].wxyz = wxyz(T_base_tip[:3, :3])
        self.gizmos[side].position = T_base_tip[:3, 3]

    def show_clearance(self, session: Session, visible: bool) -> Nearest:
        """Draws a line between the two nearest if it is to be visible, and colours what touches.

        Returns:
            The two, and their clearance.
        """
        left, right = (session.limb(side).q for side in SIDES)
        near = session.scene.nearest(left, right)
        gap = float(near.clearance)
        color = VERMILION if gap < NEAR else GREEN
        self.show_line("/clearance", (near.points,) if visible else (), color, 4.0)
        handle = self._lines.get("/clearance")
        if handle is not None and visible:
            handle.colors = np.broadcast_to(np.array(color, dtype=np.uint8), (1, 2, 3))
        self.touching = near.names if gap < 0.0 else ()
        for side in SIDES:
            marked = {_frame_of(name) for name in self.touching if is_link_of(name, side)}
            for handle, part in zip(self.parts[side], self._looks[side], strict=True):
                put(handle, color=TOUCHING if part.frame in marked else part.color)
        for name, handle, own in self.standing:
            put(handle, color=TOUCHING if name in self.touching else own)
        return near

    def show_contacts(self, visible: bool) -> None:
        """Shows or hides the capsules of the arms in the twin's contacts, once shown made."""
        self._contacts_shown = visible
        for side, handles in self._contacts.items():
            for handle in handles:
                handle.visible = visible
            if visible and not handles:
                self._draw_contacts(side)

    def _draw_contacts(self, side: str) -> None:
        self._contacts[side] = [
            self.api.add_mesh_simple(
                f"/{side}/{part.frame}/{part.name}",
                part.mesh.vertices,
                part.mesh.faces,
                color=PURPLE,
                opacity=0.45,
            )
            for part in contact_parts(self._models[side])
        ]

    def show_ellipsoid(self, readout: Readout, visible: bool) -> None:
        """Draws the velocity ellipsoid at the tip, red near a singularity."""
        handle = self._ellipsoids[readout.side]
        handle.visible = visible
        if visible:
            lengths = np.maximum(ELLIPSOID_SCALE * readout.ellipsoid_axes, 0.003)
            handle.scale = tuple(float(x) for x in lengths)
            handle.color = VERMILION if readout.singular else GREEN
            handle.wxyz = wxyz(readout.ellipsoid_rotation)
            handle.position = readout.T_base_tip[:3, 3]

    def show_message(self, side: str, T_base_tip: Transform, text: str) -> None:
        """Shows a message above a hand; none if the text is empty.

        The panel has the whole message; here is room for its first words.
        """
        text = re.split("[,;:.]", text)[0]
        if text and side not in self._messages:
            self._messages[side] = self.api.add_label(f"/message/{side}", text)
        handle = self._messages.get(side)
        if handle is not None:
            handle.visible = bool(text)
            if text:
                handle.text = text
                handle.position = T_base_tip[:3, 3] + [0.0, 0.0, MESSAGE_LIFT]

    def show_elbow(self, side: str, elbow: Elbow | None) -> None:
        """Draws the elbow's positions within and beyond the limits."""
        for name, pieces, color, width in (
            ("feasible", elbow.feasible if elbow else (), GREEN, 5.0),
            ("touching", elbow.touching if elbow else (), TOUCHING, 7.0),
            ("infeasible", elbow.infeasible if elbow else (), GREY, 1.0),
        ):
            self.show_line(f"/elbow/{side}/{name}", pieces, color, width)

    def show_line(
        self, name: str, pieces: tuple[Array, ...], color: tuple[int, int, int], width: float
    ) -> None:
        """Draws lines, (k, 3) each, in place of those under this name."""
        segments = [np.stack([piece[:-1], piece[1:]], axis=1) for piece in pieces if len(piece) > 1]
        together = np.concatenate(segments) if segments else np.empty((0, 2, 3))
        self.show_segments(name, together, color, width)

    def show_segments(
        self, name: str, segments: Array, color: tuple[int, int, int], width: float
    ) -> None:
        """Draws separate segments, shape (n, 2, 3), in place of the lines under this name."""
        handle = self._lines.get(name)
        if handle is not None:
            if len(segments):
                handle.points = segments
            handle.visible = len(segments) > 0
        elif len(segments):
            self._lines[name] = self.api.add_line_segments(
                name, segments, color, thickness=width, thickness_units="screen"
            )

    def show_ghosts(self, side: str, session: Session, choice: str) -> int:
        """Draws the other IK branches: "off", "within limits" or "all" (purple: beyond them).

        Returns:
            How many there are.
        """
        limb = session.limb(side)
        if choice == "off":
            for handle in self._ghosts[side]:
                handle.visible = False
            self.branches[side] = np.empty((0, 7))
            return 0
        if not self._ghosts[side]:
            self._ghosts[side] = [self._ghost(side, i, limb.arm.model) for i in range(7)]
        branches = other_branches(limb, limits=choice != "all")[:GHOSTS]
        self.branches[side] = branches
        inside = limb.arm.limits.contains(branches)
        colors = np.tile(np.array(GREEN, dtype=np.uint8), (GHOSTS, 1))
        colors[: len(branches)][~inside] = PURPLE
        shown = np.zeros(GHOSTS, dtype=np.float32)
        shown[: len(branches)] = GHOST_SCALE
        poses = np.broadcast_to(np.eye(4), (GHOSTS, 8, 4, 4)).copy()
        if len(branches):
            poses[: len(branches)] = limb.arm.link_poses(branches)
        for i, handle in enumerate(self._ghosts[side]):
            handle.batched_positions = poses[:, i, :3, 3].astype(np.float32)
            handle.batched_wxyzs = wxyz(poses[:, i, :3, :3]).astype(np.float32)
            handle.batched_scales = shown
            handle.batched_colors = colors
            handle.visible = len(branches) > 0
        return len(branches)

    def _ghost(self, side: str, frame: int, model: Viser) -> Viser:
        mesh = merged([part.at(1.0) for part in arm_parts(model) if part.frame == frame])
        handle = self.api.add_batched_meshes_simple(
            f"/ghost/{side}/{frame}",
            mesh.vertices,
            mesh.faces,
            batched_wxyzs=np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (GHOSTS, 1)),
            batched_positions=np.zeros((GHOSTS, 3)),
            batched_scales=np.zeros(GHOSTS),
            opacity=0.22,
            lod="off",
            cast_shadow=False,
            receive_shadow=False,
        )

        async def clicked(event: Viser) -> None:
            if event.instance_index is not None:
                self.on_ghost(side, int(event.instance_index))

        handle.on_click()(clicked)
        return handle

    def _surroundings(self) -> None:
        api = self.api
        api.world_axes.visible = False
        api.set_background_image(_sky(), format="png")
        # Plain lights: an environment map and shadows would cost a software renderer its frames.
        api.configure_environment_map(None)
        api.configure_default_lights(enabled=False)
        api.add_light_hemisphere(
            "/light/sky", sky_color=(255, 255, 255), ground_color=(150, 156, 168), intensity=2.0
        )
        api.add_light_directional("/light/key", intensity=1.7, position=(2.5, 1.5, 4.0))
        api.add_light_directional("/light/rim", intensity=0.7, position=(-2.0, -3.0, 2.0))
        api.add_grid(
            "/floor",
            width=6.0,
            height=6.0,
            position=(0.0, 0.0, FLOOR),
            cell_size=0.25,
            cell_color=(226, 229, 233),
            section_color=(196, 201, 208),
            fade_distance=9.0,
            shadow_opacity=0.25,
            plane_color=(246, 247, 249),
            plane_opacity=1.0,
        )
        for name, mesh, color in torso_parts() if self._meshes is None else self._meshes.torso:
            handle = api.add_mesh_simple(f"/torso/{name}", mesh.vertices, mesh.faces, color=color)
            part = "pedestal" if "pedestal" in name.lower() else "torso"
            self.standing.append((part, handle, color))


def _sky(height: int = 256) -> NDArray[np.uint8]:
    """A soft gradient, darker at the top, shape (height, 4, 3)."""
    top, bottom = np.array([214.0, 221.0, 230.0]), np.array([250.0, 251.0, 252.0])
    part = np.linspace(0.0, 1.0, height)[:, None, None]
    rows = (1.0 - part) * top + part * bottom
    return np.broadcast_to(rows.round(), (height, 4, 3)).astype(np.uint8)


def pose_of(position: ArrayLike, wxyz: ArrayLike) -> Transform:
    """The pose of a gizmo, shape (4, 4); its quaternion need not be of norm 1."""
    T = np.eye(4)
    T[:3, :3] = nearest_rotation(quaternion_to_matrix(np.roll(wxyz, -1)))
    T[:3, 3] = position
    return T


def on_moved(gizmo: Viser, moved: Callable[[Transform | None, int], None]) -> None:
    """Calls `moved` with the pose to which a page drags a gizmo, and the page.

    None is the pose when the user lets go. The call is in the server's loop.
    """

    async def told(event: Viser) -> None:
        ended = event.phase == "end"
        moved(None if ended else pose_of(gizmo.position, gizmo.wxyz), event.client_id)

    gizmo.on_update(told)


def wxyz(R: Array) -> Array:
    """Quaternions w x y z of rotations (*batch, 3, 3)."""
    return np.roll(matrix_to_quaternion(R), 1, axis=-1)


def is_link_of(name: str, side: str) -> bool:
    """Whether a name of `collision.LINKS` or of an object is that of a link of an arm."""
    return name in LINKS and name.startswith(side)


def _frame_of(link: str) -> int:
    """Index of the joint frame that carries a link of an arm; fingers ride on w2."""
    name = link.split("_")[-1]
    return JOINTS.index(name) if name in JOINTS else len(JOINTS) - 1
