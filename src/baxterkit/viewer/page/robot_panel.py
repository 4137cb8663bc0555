"""The tab "Robot": a robot that is shown live, and moved only while a page has control.

Nothing here decides what is safe: each command goes to the robot's link, whose safety gate does.
Only the page in control moves and enables the robot, sets its speed and releases control; all
others see which page it is. Every page can stop the robot. Control is released when the
page that has it is closed, when the robot falls silent, and when the viewer stops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from baxterkit.checks.arrays import finite_array
from baxterkit.errors import BaxterkitError
from baxterkit.robot.live import LiveRobot
from baxterkit.viewer.page.html import frame_html, stop_html
from baxterkit.viewer.server.gate import LOOPBACK
from baxterkit.viewer.server.job import Job
from baxterkit.viewer.server.viser_types import Viser, put
from baxterkit.viewer.state.route import Route
from baxterkit.viewer.state.session import CONFIGURATIONS

if TYPE_CHECKING:
    from baxterkit.viewer.app import Viewer

ENABLE, DISABLE, STOP = "enable", "disable", "STOP"
PLANNED, HOLD = "along the plan", "hold"
BUTTONS = {
    r"call enable\(\) to go on": "press “enable” to go on",
    r"call enable\(\) first": "press “enable” first",
    r"or link\.cancel\(\)": "or press “hold”",
    r"\(robot\.untuck\(\)\)": "(press “untuck”)",
    r"link\.reset\(\)": "“enable”",
    r"(?:call |or )?(?:link|robot)\.(enable|disable|untuck|tuck)\(\)": r"press “\1”",
    r"(?:link|robot)\.stop\(\)": "press “STOP”",
    r"or set a smaller one: link\.scene = \S+": "or plan with a smaller margin (Plan, Settings)",
    r"link\.scene = link\.scene\.replace\(world=world\)": "add them in the tab Plan",
}
"""What messages for programs say of calls, in the words of the page."""
GRIPS = {
    "open the left": ("left", 1.0),
    "close the left": ("left", 0.0),
    "open the right": ("right", 1.0),
    "close the right": ("right", 0.0),
}
SPEED = 0.2
"""Share of the speed at first."""
SLOWEST = 0.02
PROGRAM = -1
"""The number of the program that made the viewer, beside those of the pages."""


class RobotPanel:
    """The tab of a robot that is shown live.

    Args:
        viewer: The viewer.
        tabs: The tab group to add to.
        live: The robot.
        planned: The last plan; None if there is none.

    Attributes:
        share: Share of the motions' speed that is set.
        stop_button: The button STOP, above the tabs.
        frame: The frame around the window while commands are sent.
        status: What the robot says.
        switch: The checkbox that gives control.
        power: The buttons enable and disable.
        moves: The buttons that move the arms, and the one that ends a motion.
        grips: The buttons of the grippers.
        speed: Share of the motions' speed.
        job: Commands, one at a time.
    """

    def __init__(
        self, viewer: Viewer, tabs: Viser, live: LiveRobot, planned: Callable[[], Route | None]
    ) -> None:
        self._viewer, self._live, self._planned = viewer, live, planned
        self._holder: int | None = None
        self._boxed: bool | None = False  # what the box was set to; None once a page has changed it
        self.share = SPEED
        self.job = Job(viewer.worker("job"))
        self._urgent = viewer.worker("stop")
        gui = viewer.server.gui
        self.stop_button = gui.add_button(STOP, color="red", order=-2.0, hint="Esc")
        gui.add_html(stop_html(self.stop_button._impl.uuid), order=-3.0)
        self.frame = gui.add_html("", order=-4.0)
        with tabs.add_tab("Robot"):
            self.status = gui.add_markdown("")
            self.switch = gui.add_checkbox(
                "control",
                False,
                hint="On: commands are sent. Off: the robot is only watched. The page that ticks "
                "it has control, until it is unticked or the page is closed.",
            )
            self.power = gui.add_button_group("robot", (ENABLE, DISABLE))
            self.speed = gui.add_slider("speed", SLOWEST, 1.0, 0.01, SPEED)
            self.moves = gui.add_button_group("move", (PLANNED, *CONFIGURATIONS, HOLD))
            self.grips = gui.add_button_group("grippers", tuple(GRIPS))
        self.connect(self.stop_button, STOP, lambda value, who: self.press(STOP, who))
        command = gui.add_command("STOP the robot", hotkey="escape", icon=None)

        async def escape(event: Viser) -> None:
            viewer.mailbox.post(STOP, lambda: self.press(STOP))

        command.on_trigger(escape)
        self.connect(self.switch, "control", self.set_control)
        self.connect(self.power, "power", self.press)
        self.connect(self.speed, "speed", self.set_speed)
        self.connect(self.moves, "move", self.move)
        self.connect(self.grips, "grip", self.grip)

        async def gone(client: Viser) -> None:
            who = client.client_id
            viewer.mailbox.post(("gone", who), lambda: self.left(who))

        viewer.server.on_client_disconnect(gone)
        self.watch()

    def connect(self, handle: Viser, key: Hashable, action: Callable[[Viser, int], None]) -> None:
        """Posts an action with a control's value and the page that has changed it.

        Pages have letters of their own, and so has STOP: none replaces another one's.
        """

        async def changed(event: Viser) -> None:
            if event.client is not None:
                value, who = handle.value, event.client_id
                letter = STOP if key == STOP else (key, who)
                self._viewer.mailbox.post(letter, lambda: action(value, who))

        register = getattr(handle, "on_click", None) or handle.on_update
        register(changed)

    def set_control(self, on: bool, who: int = PROGRAM) -> None:
        """Takes or releases control, as the page `who` asks, or a program.

        Control that another page has stays with that page.
        """
        self._boxed = None
        if self.is_anothers(who, "take control" if on else "release control"):
            put(self.switch, value=self._live.in_control)
            return
        if not on:
            self.release_control("Control released: the robot is only watched.")
            return
        if self._live.in_control and who not in (PROGRAM, self._holder):
            self._refuse(
                who, "a program has control of the robot; release it first, so that {} can"
            )
            return
        self._holder = who

        def act() -> None:
            self._live.take_control()
            if self._holder != who:  # the page is gone already
                self._live.release_control()

        done = "In control: commands are sent to the robot."
        self.start("take control", act, done, who, needs_control=False)

    def release_control(self, why: str, warning: bool = False) -> None:
        """Ends what moves, and sends no more."""
        self._holder = None
        self.job.cancel()
        self._live.release_control()
        self._viewer.tell(why, warning=warning)
        self.watch()

    def left(self, who: int) -> None:
        """A page was closed."""
        if self._holder is not None and who == self._holder:
            self.release_control("Control released: the page that had it was closed.", warning=True)

    def press(self, name: str, who: int = PROGRAM) -> None:
        """Enables or disables the robot, as the page in control asks; or stops it, for all."""
        if name == STOP:
            self.job.cancel()
            self._live.halt()
            self._urgent.post("stop", self._told(self._live.stop, "The robot is stopped."))
        elif name == ENABLE:
            self.start("enable", self._live.enable, "The robot is enabled.", who)
        elif name == DISABLE:
            self.start("disable", self._live.disable, "The robot is disabled.", who)

    def set_speed(self, share: float, who: int = PROGRAM) -> None:
        """Sets the speed of the motions to come: a share from 0.02 to 1."""
        if self.is_anothers(who, "set its speed"):
            self.speed.value = self.share
            return
        value = float(finite_array(share, "speed"))
        if SLOWEST <= value <= 1.0:
            self.share = value
        else:
            self._viewer.tell(f"speed {value:g}: from {SLOWEST:g} to 1, please.", warning=True)
        put(self.speed, value=self.share)

    def move(self, name: str, who: int = PROGRAM) -> None:
        """Moves the arms along the last plan or to a named configuration, or ends a motion."""
        speed = self.share
        if name == HOLD:
            if not self.is_anothers(who, "hold"):
                self.job.cancel()
                self._live.halt()
                self._viewer.tell("The motion was ended.")
        elif name in CONFIGURATIONS:
            self.start(f"go to {name}", lambda: self._live.go_to(name, speed), f"At {name}.", who)
        elif name == PLANNED:
            self._follow_plan(speed, who)

    def grip(self, name: str, who: int = PROGRAM) -> None:
        """Opens or closes a gripper."""
        if name in GRIPS:
            side, opening = GRIPS[name]
            doing = f"{name} gripper"
            self.start(doing, lambda: self._live.grip(side, opening), f"{doing}: done.", who)

    def watch(self) -> None:
        """Shows the robot's state; control of a silent robot is released."""
        live = self._live
        heard = live.heard
        if live.in_control and not heard:
            self.release_control("Control released: the robot has fallen silent.", warning=True)
        if not live.in_control and not self.job.running:
            self._holder = None  # taking it has failed, or the link has released it
        words = live.report() if heard else "**silent**: no states come"
        holder = self._name(self._holder)
        mode = f"**{holder} IN CONTROL: commands are sent**" if live.in_control else "only watched"
        text = f"Robot: {words}; {mode}."
        put(self.status, content=text)
        put(self.frame, content=frame_html() if live.in_control else "")
        for handle in (self.power, self.speed, self.moves, self.grips):
            put(handle, visible=live.in_control)  # nothing is sent before
        route = self._planned()
        planned = (PLANNED,) if route is not None and route.trajectories else ()
        put(self.moves, options=(*planned, *CONFIGURATIONS, HOLD))
        if not self.job.running and self._boxed is not live.in_control:
            # Not each time: a page that unticks it at that moment would be taken to have ticked it.
            put(self.switch, value=live.in_control)
            self._boxed = live.in_control

    def is_anothers(self, who: int, doing: str) -> bool:
        """Whether another page has control; its number is shown to the one that asks."""
        if self._holder in (None, PROGRAM, who):
            return False
        self._refuse(
            who, f"{self._name(self._holder)} has control of the robot, so {{}} cannot {doing}"
        )
        return True

    def _refuse(self, who: int, text: str) -> None:
        """Tells all pages that one of them may not act, and that one by a notice of its own."""
        end = "; STOP works from every page."
        said = text.format(self._name(who)) + end
        self._viewer.tell(said[0].upper() + said[1:], warning=True)
        client = self._viewer.server.get_clients().get(who)
        if client is not None:
            client.add_notification(
                "Not this page", text.format("this page") + end, auto_close_seconds=8.0
            )

    def _name(self, who: int | None) -> str:
        """How a page is called: by its number and, from another machine, its address."""
        if who is None or who == PROGRAM:
            return "a program"
        sockets = getattr(self._viewer.server, "_websock_server", None)
        connection = getattr(sockets, "_live_connections", {}).get(who)
        address = getattr(connection, "remote_address", None)
        host = address[0] if address else "127.0.0.1"
        return f"page {who}" if host in LOOPBACK else f"page {who} at {host}"

    def stop(self) -> None:
        """Releases control, and ends the threads."""
        self.job.cancel()
        self._live.release_control()
        self.job.stop()
        self._urgent.stop()

    def _follow_plan(self, speed: float, who: int) -> None:
        route = self._planned()
        if route is None or not route.trajectories:
            self._viewer.tell("Plan a motion first, in the tab Plan.", warning=True)
            return
        motions, world = route.trajectories, route.problem.scene.world
        self.start(
            "follow the plan",
            lambda: self._live.follow(motions, speed, world),
            "The robot has followed the plan.",
            who,
        )

    def start(
        self, doing: str, act: Callable[[], None], done: str, who: int, needs_control: bool = True
    ) -> bool:
        """Does something in the job's thread, after what it does now has been ended.

        Only the page that has control of the robot may; a program's robot is its own.

        Returns:
            Whether it may.
        """
        if needs_control and not self._live.in_control:
            self._viewer.tell(f"Not in control: tick “control” first, to {doing}.", warning=True)
            return False
        if self.is_anothers(who, doing):
            return False
        if needs_control and (PROGRAM if self._holder is None else self._holder) != who:
            self._refuse(who, f"a program has control of the robot, so {{}} cannot {doing}")
            return False
        self._live.halt()
        self._viewer.tell(f"{doing} …")
        told = self._told(act, done)
        self.job.start(lambda go_on: told() if go_on() else None)
        return True

    def _told(self, act: Callable[[], None], done: str) -> Callable[[], None]:
        """The action, with its outcome shown in the panel."""
        post, tell = self._viewer.mailbox.post, self._viewer.tell

        def run() -> None:
            try:
                act()
                text, warning = done, False
            except BaxterkitError as error:
                text, warning = in_buttons(str(error)), True
            post("robot", lambda: tell(text, warning=warning))

        return run


def in_buttons(text: str) -> str:
    """A message for programs, with the page's buttons in place of calls."""
    for call, button in BUTTONS.items():
        text = re.sub(call, button, text)
    return text
