"""The tab "Robot": a robot that is shown live, and moved only while a user has armed it.

Nothing here decides what is safe: each command goes to the robot's link, whose safety gate does.
The robot is disarmed when the browser that armed it is closed, when the robot falls silent, and
when the viewer stops.
"""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.checks.arrays import finite_array
from baxterkit.errors import BaxterkitError
from baxterkit.viewer.page.host import Host
from baxterkit.viewer.server.job import Job
from baxterkit.viewer.server.viser_types import Viser
from baxterkit.viewer.server.worker import Worker
from baxterkit.viewer.state.live import LiveRobot
from baxterkit.viewer.state.route import Route
from baxterkit.viewer.state.session import POSES

ENABLE, DISABLE, STOP = "enable", "disable", "STOP"
PLANNED, HOLD = "along the plan", "hold"
GRIPS = {
    "left open": ("left", 1.0),
    "left close": ("left", 0.0),
    "right open": ("right", 1.0),
    "right close": ("right", 0.0),
}
SPEED = 0.2
"""Share of the speed at first."""
SLOWEST = 0.02
PROGRAM = -1
"""Who arms if it is no browser."""


class RobotPanel:
    """The tab of a robot that is shown live.

    Args:
        viewer: The viewer.
        tabs: The tab group to add to.
        live: The robot.
        planned: The last plan; None if there is none.

    Attributes:
        status: What the robot says.
        switch: The checkbox that arms.
        power: The buttons enable, disable and STOP.
        moves: The buttons that move the arms, and the one that ends a motion.
        grips: The buttons of the grippers.
        speed: Share of the motions' speed.
        job: Commands, one at a time.
    """

    def __init__(
        self, viewer: Host, tabs: Viser, live: LiveRobot, planned: Callable[[], Route | None]
    ) -> None:
        self._viewer, self._live, self._planned = viewer, live, planned
        self._armer: int | None = None
        self.job = Job(viewer.guarded)
        self._urgent = Worker("baxterkit viewer stop", viewer.guarded)
        gui = viewer.server.gui
        with tabs.add_tab("Robot"):
            self.status = gui.add_markdown("")
            self.switch = gui.add_checkbox(
                "armed: commands are sent",
                False,
                hint="Off: the robot is only watched. It goes off when this page is closed.",
            )
            self.power = gui.add_button_group("robot", (ENABLE, DISABLE, STOP))
            self.speed = gui.add_slider("speed", SLOWEST, 1.0, 0.01, SPEED)
            self.moves = gui.add_button_group("move", (PLANNED, *POSES, HOLD))
            self.grips = gui.add_button_group("grippers", tuple(GRIPS))
        viewer.on_change(self.power, "power", self.press)
        viewer.on_change(self.moves, "move", self.move)
        viewer.on_change(self.grips, "grip", self.grip)
        self._connect_switch()
        self.watch()

    def _connect_switch(self) -> None:
        post = self._viewer.mailbox.post

        async def toggled(event: Viser) -> None:
            if event.client is not None:
                on, who = bool(self.switch.value), event.client_id
                post("arm", lambda: self.arm(on, who))

        async def gone(client: Viser) -> None:
            who = client.client_id
            post(("gone", who), lambda: self.left(who))

        self.switch.on_update(toggled)
        self._viewer.server.on_client_disconnect(gone)

    def arm(self, on: bool, who: int = PROGRAM) -> None:
        """Arms or disarms the robot, as the browser `who` asks, or a program."""
        if not on:
            self.disarm("Disarmed: the robot is only watched.")
            return
        self._armer = who

        def act() -> None:
            self._live.arm()
            if self._armer != who:  # the browser is gone already
                self._live.disarm()

        self._start("arm", act, "Armed: commands are sent to the robot.", needs_arm=False)

    def disarm(self, why: str, warning: bool = False) -> None:
        """Ends what moves, and sends no more."""
        self._armer = None
        self.job.cancel()
        self._live.disarm()
        self._viewer.tell(why, warning=warning)
        self.watch()

    def left(self, who: int) -> None:
        """A browser was closed."""
        if self._armer is not None and who == self._armer:
            self.disarm("Disarmed: the page that had armed the robot was closed.", warning=True)

    def press(self, name: str) -> None:
        """Enables, disables or stops the robot."""
        if name == STOP:
            self.job.cancel()
            self._live.halt()
            self._urgent.post("stop", self._told(self._live.stop, "The robot is stopped."))
        elif name == ENABLE:
            self._start("enable", self._live.enable, "The robot is enabled.")
        elif name == DISABLE:
            self._start("disable", self._live.disable, "The robot is disabled.")

    def move(self, name: str) -> None:
        """Moves the arms along the last plan or to a named pose, or ends a motion."""
        if name == HOLD:
            self.job.cancel()
            self._live.halt()
            self._viewer.tell("The motion was ended.")
            return
        speed = float(finite_array(self.speed.value, "speed"))
        if not SLOWEST <= speed <= 1.0:
            self._viewer.tell(f"speed {speed:g}: from {SLOWEST:g} to 1, please.", warning=True)
        elif name in POSES:
            self._start(f"go to {name}", lambda: self._live.go_to(name, speed), f"At {name}.")
        elif name == PLANNED:
            self._follow_plan(speed)

    def grip(self, name: str) -> None:
        """Opens or closes a gripper."""
        if name in GRIPS:
            side, opening = GRIPS[name]
            self._start(name, lambda: self._live.grip(side, opening), f"{name}: done.")

    def watch(self) -> None:
        """Shows the robot's state; a robot that is silent is disarmed."""
        live = self._live
        heard = live.heard
        if live.armed and not heard:
            self.disarm("Disarmed: the robot has fallen silent.", warning=True)
        words = live.report() if heard else "**silent**: no states come"
        mode = "**ARMED: commands are sent**" if live.armed else "only watched"
        text = f"Robot: {words}; {mode}."
        if self.status.content != text:
            self.status.content = text
        if not self.job.running and self.switch.value != live.armed:
            self.switch.value = live.armed

    def stop(self) -> None:
        """Disarms the robot, and ends the threads."""
        self.job.cancel()
        self._live.disarm()
        self.job.stop()
        self._urgent.stop()

    def _follow_plan(self, speed: float) -> None:
        route = self._planned()
        if route is None or not route.trajectories:
            self._viewer.tell("Plan a motion first, in the tab Plan.", warning=True)
            return
        motions, world = route.trajectories, route.problem.world
        self._start(
            "follow the plan",
            lambda: self._live.follow(motions, speed, world),
            "The robot has followed the plan.",
        )

    def _start(
        self, doing: str, act: Callable[[], None], done: str, needs_arm: bool = True
    ) -> None:
        """Does something in the job's thread, after what it does now has been ended."""
        if needs_arm and not self._live.armed:
            self._viewer.tell(f"Not armed: tick “armed” first, to {doing}.", warning=True)
            return
        self._live.halt()
        self._viewer.tell(f"{doing} …")
        told = self._told(act, done)
        self.job.start(lambda go_on: told() if go_on() else None)

    def _told(self, act: Callable[[], None], done: str) -> Callable[[], None]:
        """The action, with its outcome shown in the panel."""
        post, tell = self._viewer.mailbox.post, self._viewer.tell

        def run() -> None:
            try:
                act()
                text, warning = done, False
            except BaxterkitError as error:
                text, warning = str(error), True
            post("robot", lambda: tell(text, warning=warning))

        return run
