"""The tabs "Draw" and "Play": a path drawn with the mouse, recordings, trajectories, the twin."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.control.by_name import CONTROLLERS
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.types import Transform
from baxterkit.viewer.page.file_panel import take_file
from baxterkit.viewer.page.plots import Plots
from baxterkit.viewer.page.stage import CAMERA, LOOK_AT, wxyz
from baxterkit.viewer.server.job import Job
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.motion import Motion, load_motion
from baxterkit.viewer.state.pieces import Piece, motion_piece, paper_pieces, trajectory_piece
from baxterkit.viewer.state.session import SIDES
from baxterkit.viewer.state.sketch import PLANES, SIZE, Sketch
from baxterkit.viewer.state.twin_run import Cancelled, TwinRun, run_in_twin

if TYPE_CHECKING:
    from baxterkit.trajectory import Trajectory
    from baxterkit.viewer.app import Viewer

INK, PAPER, EDGE = (213, 94, 0), (222, 236, 247), (0, 114, 178)
SQUARE = 0.1
"""Side of the squares that the drawing plane is ruled with [m]."""
BOARD = 0.004
"""Thickness of the plane that is drawn on [m]."""
CENTERS = {"table": (0.65, 0.25, 0.0), "wall": (0.75, 0.25, 0.2)}
"""Middle of the plane for the left arm [m]; y is mirrored for the right one."""
VIEWS = {"table": np.array([0.75, 0.25, 1.25]), "wall": np.array([1.7, 0.35, 0.35])}
"""From the plane's middle to the camera that looks at it [m]; y is mirrored for the right arm."""
LONGEST = 200
"""Longest name of a file [bytes]."""


class Studio:
    """The tabs to draw, to play and to run motions in the twin.

    Args:
        viewer: The viewer.
        tabs: The tab group to add to.
        motions: Entries of the play list besides the papers' trajectories.
    """

    def __init__(self, viewer: Viewer, tabs: Viser, motions: list[Motion]) -> None:
        self._viewer = viewer
        self._gui = viewer.server.gui
        self._tell = viewer.tell
        self.job = Job(viewer.worker("job"))
        self.sketch = Sketch(center=np.array(CENTERS["table"]))
        self.pieces: dict[str, Piece] = {}
        self._tabs = [tabs.add_tab("Draw"), tabs.add_tab("Play")]
        with self._tabs[0]:
            self._build_draw()
        with self._tabs[1]:
            self._build_play()
        for piece in [*map(motion_piece, motions), *paper_pieces()]:
            self.add(piece)
        if motions:
            self._choice.value = motions[0].name
        self._build_plane()

    def add(self, piece: Piece) -> None:
        """Puts a piece on the play list, in place of one with the same name."""
        self.pieces[piece.name] = piece
        if self._viewer.session.watched:
            return
        chosen = self._choice.value
        self._choice.options = tuple(self.pieces)
        self._choice.value = chosen if chosen in self.pieces else piece.name
        self._offer()

    def watch(self) -> None:
        """Takes the tabs away: they move arms that only a robot moves from now on."""
        self.job.cancel()
        self._active.value = False
        self._place_plane()
        for tab in self._tabs:
            tab.remove()

    def stop(self) -> None:
        """Ends the thread of motions and runs."""
        self.job.stop()

    def update(self) -> None:
        """Shows the motion's plots, and the buttons that have an effect now."""
        session = self._viewer.session
        if session.watched:
            return
        self.plots.update(session.player)
        for button in self._cancel:
            put(button, visible=self.job.running)

    def draw_to(self, origin: ArrayLike, direction: ArrayLike, first: bool) -> None:
        """Extends the drawing to the point where a ray meets the plane; for the viewer's thread."""
        point = self.sketch.hit(origin, direction)
        if point is None:
            return
        if first:
            self._tell("")
            self.sketch.clear()
        if self.sketch.add(point) or first:
            self._show_sketch()

    def run_drawing(self, controller: str | None = None) -> None:
        """Turns the drawing into a motion, and plays it, or runs it in the twin.

        Args:
            controller: A name of `CONTROLLERS`; no twin if None.
        """
        side, speed = self._side.value, self._speed.value
        limb = self._viewer.session.limb(side)
        arm, q = limb.arm, limb.q
        sketch = Sketch(self.sketch.plane, self.sketch.center, list(self.sketch.points))

        def make() -> Trajectory:
            return sketch.trajectory(arm, speed, q)

        self._compute(make, side, controller)

    def play(self, name: str) -> None:
        """Plays a piece of the list."""
        piece = self.pieces[name]
        if piece.motion is not None:
            self._play(piece.motion)
        elif piece.make is not None:
            arm = self._viewer.session.limb(piece.side).arm
            self._compute(partial(piece.make, arm), piece.side)

    def run(self, name: str, controller: str = "computed-torque") -> None:
        """Runs a piece of the list in the twin, under a controller of `CONTROLLERS`."""
        piece = self.pieces[name]
        if piece.make is None:
            self._tell("A recording is played, not run; choose a trajectory.", warning=True)
            return
        arm = self._viewer.session.limb(piece.side).arm
        self._compute(partial(piece.make, arm), piece.side, controller)

    def _compute(
        self, make: Callable[[], Trajectory], side: str, controller: str | None = None
    ) -> None:
        """Makes a trajectory and plays it, or runs it in the twin and plays the result."""
        robot = self._viewer.session.robot
        post = self._viewer.mailbox.post
        self._tell("Computing …")

        def work(go_on: Callable[[], bool]) -> Motion | TwinRun:
            trajectory = make()
            if not go_on():
                raise Cancelled
            post("list", lambda: self.add(trajectory_piece(trajectory, side)))
            if controller is None:
                return Motion.from_trajectory(trajectory, trajectory.name, side)
            progress = self._viewer.controls.twin_progress(self.job, go_on)
            return run_in_twin(robot, {side: trajectory}, controller, progress)

        self._viewer.controls.compute(self.job, work, self._show)

    def _play(self, motion: Motion) -> None:
        self._set_pace()
        self._viewer.session.play(motion)

    def _show(self, made: Motion | TwinRun) -> None:
        if isinstance(made, Motion):
            self._tell("")
            self._play(made)
            return
        self._tell(f"{made.motion.name}: {made.summary}. Plots: in the tab Play.")
        self.add(motion_piece(made.motion))
        self._play(made.motion)

    def _build_draw(self) -> None:
        gui, controls = self._gui, self._viewer.on_change
        self._active = gui.add_checkbox("drawing plane", False)
        controls(self._active, "plane", lambda value: self.show_plane())
        self._side = gui.add_dropdown("arm", SIDES, initial_value="left", visible=False)
        controls(self._side, "plane", lambda value: self.show_plane(moved=True))
        self._plane = gui.add_dropdown("plane", PLANES, initial_value="table", visible=False)
        controls(self._plane, "plane", lambda value: self.show_plane(moved=True))
        self._shift = gui.add_slider("shift [m]", -0.3, 0.3, 0.01, 0.0, visible=False)
        controls(self._shift, "plane", lambda value: self._place_plane())
        self._hint = gui.add_markdown("Show the plane to draw a path on it with the mouse.")
        self._speed = gui.add_slider("speed [m/s]", 0.02, 0.5, 0.01, 0.15, visible=False)
        law = gui.add_dropdown("controller", tuple(CONTROLLERS), visible=False)
        self._drawn = [self._speed, law]
        for label, key, action in (
            ("Run in the twin", "run drawing", lambda: self.run_drawing(law.value)),
            ("Move only", "play drawing", lambda: self.run_drawing()),
            ("Clear the drawing", "clear drawing", self._clear),
        ):
            button = gui.add_button(label, visible=False)
            controls(button, key, lambda value, action=action: action())  # type: ignore[misc]
            self._drawn.append(button)
        self._cancel = [self._add_cancel()]

    def _build_play(self) -> None:
        gui, controls = self._gui, self._viewer.on_change
        self._choice = gui.add_dropdown("motion", ("",))
        controls(self._choice, "choose piece", lambda value: self._offer())
        self._rate = gui.add_slider("speed", 0.1, 4.0, 0.1, 1.0)
        controls(self._rate, "rate", lambda value: self._set_pace())
        self._loop = gui.add_checkbox("loop", False)
        controls(self._loop, "loop", lambda value: self._set_pace())
        play = gui.add_button("Play")
        controls(play, "play", lambda value: self.play(self._choice.value))
        law = gui.add_dropdown("controller", tuple(CONTROLLERS))
        run = gui.add_button("Run in the twin")
        controls(run, "run", lambda value: self.run(self._choice.value, law.value))
        self._runs = [law, run]
        self._cancel.append(self._add_cancel())
        upload = gui.add_upload_button("Open a recording …")
        take_file(self._viewer, upload, "upload", self.open_file)
        self.plots = Plots(gui)

    def _add_cancel(self) -> Viser:
        button = self._gui.add_button("Cancel the computation", color="gray", visible=False)
        self._viewer.on_change(button, "cancel", lambda value: self._stop_all())
        return button

    def _offer(self) -> None:
        """Offers a run in the twin for what it can run: not for recordings."""
        piece = self.pieces.get(self._choice.value)
        for handle in self._runs:
            handle.visible = piece is not None and piece.make is not None

    def _set_pace(self) -> None:
        player = self._viewer.session.player
        player.loop, player.speed = self._loop.value, self._rate.value

    def open_file(self, file: Viser) -> None:
        """Reads a recording that a browser sent, with `name` and `content`, and plays it.

        Reading may take long, so it runs outside the viewer's thread.
        """
        name, side = file_name(str(file.name)), self._side.value
        self._tell(f"Reading {name} …")

        def work(go_on: Callable[[], bool]) -> Motion:
            try:
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / name
                    path.write_bytes(file.content)
                    return load_motion(path, side)
            except BaxterkitError:
                raise
            except OSError as error:
                raise InputError(f"{error.strerror}") from error

        self._viewer.controls.compute(self.job, work, self._show_file)

    def _show_file(self, motion: Motion) -> None:
        self._tell("")
        self.add(motion_piece(motion))
        self._choice.value = motion.name
        self._play(motion)

    def _stop_all(self) -> None:
        self.job.cancel()
        self._viewer.session.stop_playing()
        self._tell("Cancelled.")

    def _build_plane(self) -> None:
        width, height = SIZE
        self.board = self._viewer.server.scene.add_box(
            "/board",
            dimensions=(width, height, BOARD),
            color=PAPER,
            opacity=0.8,
            cast_shadow=False,
            visible=False,
        )

        async def dragged(event: Viser) -> None:
            origin = np.array(event.client.camera.position)
            end, first = np.array(event.end_position), event.phase == "start"
            self._viewer.mailbox.post(
                ("draw", event.phase, tuple(end)),
                lambda: self.draw_to(origin, end - origin, first),
            )

        async def clicked(event: Viser) -> None:
            origin, ray = np.array(event.ray_origin), np.array(event.ray_direction)
            self._viewer.mailbox.post(
                ("draw", tuple(ray)), lambda: self.draw_to(origin, ray, first=False)
            )

        self.board.on_drag("left")(dragged)
        self.board.on_click()(clicked)
        self._place_plane()

    def _place_plane(self, moved: bool = False) -> None:
        center = np.array(CENTERS[self._plane.value])
        if self._side.value == "right":
            center[1] = -center[1]
        sketch = Sketch(self._plane.value, center)
        sketch.center = center + self._shift.value * sketch.T_base_plane[:3, 2]
        if not moved and np.allclose(sketch.center, self.sketch.center):
            sketch.points = self.sketch.points
        self.sketch = sketch
        T: Transform = sketch.T_base_plane
        self.board.position = T[:3, 3]
        self.board.wxyz = wxyz(T[:3, :3])
        self.board.visible = self._active.value
        lines = sketch.ruled(SQUARE) if self._active.value else ()
        show_line = self._viewer.stage.show_line
        show_line("/board_rules", tuple(lines[1:]), EDGE, 1.0)
        show_line("/board_edge", tuple(lines[:1]), EDGE, 3.0)
        self._show_sketch()

    def show_plane(self, moved: bool = False) -> None:
        """Shows or hides the plane, and lets every page look at it."""
        self._place_plane(moved)
        shown = self._viewer.session.drawing = self._active.value
        self._viewer.place_gizmos()
        if self._viewer.reach is not None:
            self._viewer.reach.veil()
        for handle in (self._side, self._plane, self._shift):
            handle.visible = shown
        words = "Draw with the mouse: press, move, release. Or click points."
        self._hint.content = words if shown else "Show the plane to draw a path on it."
        look_at = self.sketch.center if shown else np.array(LOOK_AT)
        view = VIEWS[self._plane.value] * [1.0, -1.0 if self._side.value == "right" else 1.0, 1.0]
        for client in self._viewer.server.get_clients().values():
            client.camera.position = look_at + view if shown else np.array(CAMERA)
            client.camera.look_at = look_at

    def _clear(self) -> None:
        self.sketch.clear()
        self._show_sketch()

    def _show_sketch(self) -> None:
        """Shows the drawing on both faces of the board, since a line inside it would be hidden."""
        path, lift = self.sketch.path, 0.75 * BOARD * self.sketch.T_base_plane[:3, 2]
        lines = (path + lift, path - lift) if self._active.value else ()
        self._viewer.stage.show_line("/drawing", lines, INK, 4.0)
        for handle in self._drawn:
            handle.visible = len(path) > 2 and self._active.value


def file_name(name: str) -> str:
    """A name from a browser as a plain file name: no folders, nothing invisible, not too long."""
    plain = "".join(c for c in re.split(r"[/\\]", name)[-1] if c.isprintable())
    plain = plain.strip(". ") or "recording"
    stem, dot, ending = plain.rpartition(".")
    return plain if len(plain.encode()) <= LONGEST else f"{stem[:40]}{dot}{ending[-20:]}"
