"""The viewer: a session, a server for browsers, and the one thread that moves the arms."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.baxter import Baxter
from baxterkit.clock import SYSTEM, Clock
from baxterkit.collision.world import World
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.look.meshes import find_meshes, load_meshes
from baxterkit.model.tool import ToolLike
from baxterkit.robot.hardware import Hardware
from baxterkit.robot.live import LiveRobot
from baxterkit.viewer.page.controls import Controls
from baxterkit.viewer.page.dragging import Dragging
from baxterkit.viewer.page.file_panel import FilePanel
from baxterkit.viewer.page.hardware_panel import HardwarePanel
from baxterkit.viewer.page.plan_panel import PlanPanel
from baxterkit.viewer.page.reach_layer import ReachLayer
from baxterkit.viewer.page.robot_panel import RobotPanel
from baxterkit.viewer.page.stage import CAMERA, DEEP, FAR, LOOK_AT, TALL, Stage
from baxterkit.viewer.page.studio import Studio
from baxterkit.viewer.page.teach_panel import TeachPanel
from baxterkit.viewer.server.gate import AccessGate
from baxterkit.viewer.server.listening import listen
from baxterkit.viewer.server.mailbox import Mailbox
from baxterkit.viewer.server.shield import shield
from baxterkit.viewer.server.viser_types import Viser
from baxterkit.viewer.server.worker import Worker
from baxterkit.viewer.state.history import History
from baxterkit.viewer.state.motion import Motion
from baxterkit.viewer.state.objects import PlacedObjects
from baxterkit.viewer.state.pieces import motion_piece
from baxterkit.viewer.state.readout import elbow_of
from baxterkit.viewer.state.session import SIDES, Session
from baxterkit.workspace.maps import Map

LOOPBACK = "127.0.0.1"
PORT = 8080
RATE = 90.0
"""Steps per second while something moves [Hz]."""
PANEL_RATE = 12.0
"""Updates of the panels per second while something moves [Hz]."""


class Viewer:
    """Baxter in the browser.

    The server listens as soon as the viewer is made, and everyone who opens its address sees and
    moves the same robot. Use it as a context manager, or call `stop`.

    Args:
        robot: The robot; that of `reach`, or the nominal one, if None.
        host: Address to listen on. By default only this machine can connect.
        port: Port; the next free one if it is taken, any free one if 0.
        motions: Entries of the play list besides the papers' trajectories.
        meshes: Folder of a `baxter_description` with Rethink's meshes; "auto" takes them from the
            package `example-robot-data` if it is installed, None draws capsules of our own.
        allow_hosts: Further host names that browsers may use, such as a proxy's. Pages of other
            servers are refused.
        reach: A map of the workspace to show, of `baxterkit.workspace`.
        live: A robot that is shown live by `show_robot`, such as `baxterkit.ros.steering`'s: a
            tab moves it, once a user has taken control there.

    Attributes:
        session: The joint values and their changes; only the viewer's thread uses it.
        failures: Unexpected exceptions so far; none of them stops the viewer.
        updates: Gizmo updates so far.
        clock: What it keeps its pace by; of a class, so that another class may have another one.
    """

    clock: Clock = SYSTEM
    threads = True
    """Whether it goes on by itself, in threads of its own; else somebody calls `turn`."""

    def __init__(
        self,
        robot: Baxter | None = None,
        *,
        host: str = LOOPBACK,
        port: int = PORT,
        motions: Sequence[Motion] = (),
        meshes: str | Path | None = "auto",
        allow_hosts: Sequence[str] = (),
        reach: Map | None = None,
        live: LiveRobot | None = None,
    ) -> None:
        if robot is None and reach is not None:
            robot = reach.scene.robot
        self.session = Session(robot)
        self.history = History(self.session, self.clock.now)
        folder = find_meshes() if meshes == "auto" else meshes
        look = None if folder is None else load_meshes(folder, self.session.robot.head)
        self.mailbox = Mailbox()
        self.failures = 0
        self.updates = 0
        self._stopping = threading.Event()
        self._workers: list[Worker] = []
        gate = AccessGate(host, allow_hosts)
        self.server: Viser = listen(host, port, gate)
        self.uploads = shield(self.server, gate, self._tell)
        self.dragging = Dragging(self)
        self.server.initial_camera.position = CAMERA
        self.server.initial_camera.look_at = LOOK_AT
        self.server.initial_camera.fov = np.radians(42.0)
        self.stage = Stage(self.server.scene, self.session, look)
        self.controls = Controls(self)
        self.on_change, self.put = self.controls.on_change, self.controls.put
        self.put_vector, self.add_clearance = self.controls.put_vector, self.controls.add_clearance
        self.tell, self.told = self.controls.tell, self.controls.told
        self.place_gizmos = self.controls.place_gizmos
        self.controls.build()
        self.studio = Studio(self, self.controls.tabs, list(motions))
        self.planner = PlanPanel(
            self, self.controls.tabs, lambda motion: self.studio.add(motion_piece(motion))
        )
        self.files = FilePanel(self, self.controls.tabs, self.planner)
        self.reach = None if reach is None else ReachLayer(self, self.controls.tabs, reach)
        self.robot_panel: RobotPanel | None = None
        self.teaching: TeachPanel | None = None
        self.hardware: HardwarePanel | None = None
        self.stage.on_ghost = lambda side, index: self.mailbox.post(
            ("ghost", side), lambda: self.go_to_branch(side, index)
        )
        if live is not None:
            tabs = self.controls.tabs
            self.robot_panel = RobotPanel(self, tabs, live, lambda: self.planner.route)
            self.teaching = TeachPanel(self, tabs, live, self.robot_panel)
            self._watch()
        self.server.on_client_connect(_look)
        self.dragging.connect()
        self.stage.show(self.session)
        self.controls.update(self.session)
        for side, limb in self.session.limbs.items():
            self.controls.show_elbow(side, elbow_of(limb, self.dragging.touches(side)))
        self._last = self._panel = self.clock.now()
        self._stale = False
        self._thread = threading.Thread(target=self._run, name="baxterkit viewer", daemon=True)
        if self.threads:
            self._thread.start()

    def worker(self, name: str) -> Worker:
        """A thread for slow actions."""
        self._workers.append(Worker(f"baxterkit viewer {name}", self.guarded, self.threads))
        return self._workers[-1]

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        host = self.server.get_host()
        shown = LOOPBACK if host in ("0.0.0.0", "::") else host
        return f"http://{shown}:{self.server.get_port()}"

    def stop(self) -> None:
        """Stops the server and the threads; a second call does nothing."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        for part in (self.teaching, self.robot_panel, self.studio, self.planner):
            if part is not None:
                part.stop()
        self.mailbox.post("stop", lambda: None)
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)
        for worker in self._workers:
            worker.stop()
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()

    def __enter__(self) -> Viewer:
        if self._stopping.is_set():
            raise InputError("this viewer was stopped; make another one: Viewer(...)")
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def show_robot(
        self,
        q_left: ArrayLike,
        q_right: ArrayLike,
        head: float = 0.0,
        openings: tuple[float | None, float | None] = (None, None),
    ) -> None:
        """Shows the joint positions of a robot that is watched; from any thread.

        From then on nothing else moves the arms, and the controls that would are hidden.

        Args:
            q_left: Joint positions of the left arm [rad], shape (7,).
            q_right: Joint positions of the right arm [rad], shape (7,).
            head: Pan of the head [rad].
            openings: Gripper openings from 0 to 1, left and right; None where none is known.
        """
        given = {"left": np.array(q_left), "right": np.array(q_right)}

        def place() -> None:
            if not self.session.watched:
                self._watch()
            for side, q in given.items():
                self.session.limb(side).set_joints(q)
            for side, opening in zip(SIDES, openings, strict=True):
                if opening is not None:
                    self.session.open_gripper(side, opening)
            self.session.turn_head(head)

        self.mailbox.post("robot shown", place)

    def show_screen(self, picture: NDArray[np.uint8]) -> None:
        """Puts a picture on the head's screen, shape (height, width, 3); from any thread."""
        self.mailbox.post("screen", lambda: self.stage.show_screen(picture), quiet=True)

    def add_hardware(self, hardware: Hardware) -> None:
        """Adds a tab for hands on a robot that is shown live: buttons, wheels, pulls.

        Args:
            hardware: Such as `baxterkit.ros.TwinHardware` of a twin.
        """
        self.hardware = HardwarePanel(self, self.controls.tabs, hardware)

    def show_world(self, world: World) -> None:
        """Puts the objects of a world around the robot; from any thread.

        Raises:
            InputError: If a hand holds one, or there are too many, or one is too large or far.
        """
        made = PlacedObjects()
        made.put_world(world)

        def place() -> None:
            self.session.objects.replace(made[name] for name in made.names)
            self.rebuild()

        self.mailbox.post("world", place)

    def _watch(self) -> None:
        """The arms are a robot's from now on."""
        self.session.watched = True
        self.controls.watch()
        self.studio.watch()

    def undo(self) -> None:
        """Goes one step back; for the viewer's thread."""
        if self.session.watched or not self.history.undo():
            self.tell("There is nothing to undo.")
            return
        self.rebuild()

    def rebuild(self) -> None:
        """Draws arms, objects and goals anew after they were replaced; for the viewer's thread."""
        for side in SIDES:
            self.stage.build_arm(side, self.session)
        self.planner.reload()
        self.place_gizmos()

    def change_tool(self, side: str, tool: ToolLike) -> None:
        """Changes the tool of a hand; for the viewer's thread."""
        self.session.change_tool(side, tool)
        self.stage.build_arm(side, self.session)
        self.planner.changed()

    def slide_elbow(self, side: str, e0: float) -> None:
        """Moves the elbow while the hand stays; for the viewer's thread."""
        self.session.limb(side).slide_elbow(e0)

    def go_to_branch(self, side: str, index: int) -> None:
        """Sends an arm to one of the IK branches that are shown; for the viewer's thread."""
        branches, limb = self.stage.branches[side], self.session.limb(side)
        if index >= len(branches) or self.session.watched:  # the arm has moved on since
            return
        self.history.note(("branch", side))
        if not limb.arm.limits.contains(branches[index]):
            self.tell(
                "That branch is beyond the joint limits; green ones are within.", warning=True
            )
            return
        self.tell("")
        self.session.stop_playing()
        limb.go_to(branches[index])

    def _run(self) -> None:
        while not self._stopping.is_set():
            busy = self.session.moving or self._stale or self.controls.settling
            self.turn(max(self._last + 1.0 / RATE - self.clock.now(), 0.0) if busy else 0.5)

    def turn(self, timeout: float = 0.0) -> None:
        """Does what was posted, moves the arms on, and shows it; for the viewer's thread.

        Args:
            timeout: Longest wait for something to be posted [s].
        """
        if not self.threads:
            for worker in self._workers:
                worker.work()
        self._stale = self._stale or self.controls.settling
        letters = self.mailbox.take(timeout)
        now = self.clock.now()
        for letter in letters:
            self.guarded(letter.action)
        for panel in (self.robot_panel, self.teaching, self.hardware):
            if panel is not None:
                self.guarded(panel.watch)
        moved = self.guarded(partial(self.session.step, min(now - self._last, 0.05)))
        self._last = now
        self._stale = self._stale or bool(moved) or not all(letter.quiet for letter in letters)
        if moved or letters:
            self.guarded(self._show)
        if self._stale and now - self._panel > 1.0 / PANEL_RATE:
            self._panel, self._stale = now, False
            self.guarded(lambda: self.controls.update(self.session))
            for part in (self.studio, self.planner, self.files):
                self.guarded(part.update)
            for side in SIDES:
                self.dragging.start_slow_work(side)

    def _tell(self, text: str) -> None:
        """Shows a warning where the user looks; from any thread."""
        self.mailbox.post("tell", lambda: self.tell(text, warning=True), quiet=True)

    def _show(self) -> None:
        with self.server.atomic():
            self.stage.show(self.session)
            self.planner.show()
        self.server.flush()

    def guarded(self, action: Callable[[], object]) -> object:
        """Runs an action; an exception is printed, and the viewer continues."""
        try:
            return action()
        except BaxterkitError as error:
            print(f"baxterkit view: {error}", file=sys.stderr)
        except Exception:
            self.failures += 1
            traceback.print_exc()
        return None


async def _look(client: Viser) -> None:
    """Gives a browser with a tall window a start where the robot is above the panel."""
    if client.camera.aspect < TALL:
        start, look_at = np.array(CAMERA), np.array(LOOK_AT) - [0.0, 0.0, DEEP]
        client.camera.position = look_at + FAR * (start - LOOK_AT)
        client.camera.look_at = look_at
