"""The tab "Robot": nothing is sent before a user arms it, and it is disarmed when he leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import components
import pytest
from viewer_client import PATIENCE, Client, do, wait_for

from baxterkit.collision import World
from baxterkit.ros import RefusedError
from baxterkit.trajectory import Trajectory
from baxterkit.viewer import Viewer
from baxterkit.viewer.page.robot_panel import RobotPanel


class FakeRobot:
    """A robot that notes what it is told."""

    def __init__(self) -> None:
        self.armed, self.heard = False, True
        self.told: list[Any] = []
        self.refuses = ""

    def report(self) -> str:
        return "enabled"

    def arm(self) -> None:
        if self.refuses:
            raise RefusedError("publishers", self.refuses)
        self.armed = True

    def disarm(self) -> None:
        self.armed = False

    def halt(self) -> None:
        self.told.append("halt")

    def enable(self) -> None:
        self.told.append("enable")

    def disable(self) -> None:
        self.told.append("disable")

    def stop(self) -> None:
        self.told.append("stop")

    def follow(self, motions: Mapping[str, Trajectory], speed: float, world: World) -> None:
        self.told.append(("follow", sorted(motions), speed, len(world)))

    def go_to(self, pose: str, speed: float) -> None:
        self.told.append((pose, speed))

    def grip(self, side: str, opening: float) -> None:
        self.told.append((side, opening))


@pytest.fixture
def robot() -> FakeRobot:
    return FakeRobot()


@pytest.fixture
def viewer(robot: FakeRobot) -> Iterator[Viewer]:
    components.require("viser")
    with Viewer(port=0, live=robot) as viewer:
        yield viewer
        assert viewer.failures == 0
    assert not robot.armed  # the end of the viewer disarms


def panel_of(viewer: Viewer) -> RobotPanel:
    assert viewer.robot_panel is not None
    return viewer.robot_panel


def tick(client: Client, handle: Any, value: Any) -> None:
    client.send("GuiUpdateMessage", uuid=handle._impl.uuid, updates={"value": value})


def commands(robot: FakeRobot) -> list[Any]:
    return [told for told in robot.told if told != "halt"]


def test_commands_need_an_explicit_arm(viewer: Viewer, robot: FakeRobot, client: Client) -> None:
    panel = panel_of(viewer)
    for act in (
        lambda: panel.press("enable"),
        lambda: panel.move("untuck"),
        lambda: panel.grip("left close"),
    ):
        do(viewer, act)
        assert "Not armed" in viewer.controls.text
    assert not robot.told
    assert "only watched" in panel.status.content
    tick(client, panel.switch, True)
    wait_for(lambda: robot.armed, "the robot is armed")
    wait_for(lambda: "ARMED" in panel.status.content, "the panel says so")
    tick(client, panel.speed, 0.1)
    wait_for(lambda: panel.speed.value == 0.1, "the speed is set")
    for act, told in (
        (lambda: panel.press("enable"), "enable"),
        (lambda: panel.move("untuck"), ("untuck", 0.1)),
        (lambda: panel.grip("left close"), ("left", 0.0)),
        (lambda: panel.press("disable"), "disable"),
    ):
        do(viewer, act)
        wait_for(lambda told=told: commands(robot)[-1:] == [told], f"{told} has arrived")
    tick(client, panel.switch, False)
    wait_for(lambda: not robot.armed, "the robot is disarmed")
    do(viewer, lambda: panel.move("tuck"))
    assert commands(robot)[-1] == "disable"


def test_a_browser_that_is_closed_disarms(viewer: Viewer, robot: FakeRobot, client: Client) -> None:
    panel = panel_of(viewer)
    other = Client(viewer)
    other.hello()
    wait_for(lambda: len(viewer.server.get_clients()) == 2, "both are known")
    tick(other, panel.switch, True)
    wait_for(lambda: robot.armed, "the robot is armed")
    third = Client(viewer)
    third.hello()
    wait_for(lambda: len(viewer.server.get_clients()) == 3, "all are known")
    third.close()
    wait_for(lambda: len(viewer.server.get_clients()) == 2, "another page is gone")
    do(viewer, lambda: None)
    assert robot.armed
    other.close()
    wait_for(lambda: not robot.armed, "the page that armed is gone, and the robot disarmed")
    wait_for(lambda: panel.switch.value is False, "the box says so")
    assert "was closed" in viewer.controls.text


def test_a_robot_that_falls_silent_is_disarmed(
    viewer: Viewer, robot: FakeRobot, client: Client
) -> None:
    panel = panel_of(viewer)
    tick(client, panel.switch, True)
    wait_for(lambda: robot.armed, "the robot is armed")
    robot.heard = False
    wait_for(lambda: not robot.armed, "the robot is disarmed")
    wait_for(lambda: "silent" in panel.status.content, "the panel says so")


def test_a_refusal_is_shown_and_the_box_stays_empty(
    viewer: Viewer, robot: FakeRobot, client: Client
) -> None:
    panel = panel_of(viewer)
    robot.refuses = "2 nodes publish /robot/state"
    tick(client, panel.switch, True)
    wait_for(lambda: robot.refuses in viewer.controls.text, "the reason is shown")
    wait_for(lambda: panel.switch.value is False, "the box is empty")
    assert not robot.armed


def test_a_stop_needs_no_arm_and_a_plan_is_followed(
    viewer: Viewer, robot: FakeRobot, client: Client
) -> None:
    panel = panel_of(viewer)
    do(viewer, lambda: panel.press("STOP"))
    wait_for(lambda: "stop" in robot.told, "the robot is stopped")
    do(viewer, lambda: panel.arm(True))  # a program may arm it, too
    wait_for(lambda: robot.armed, "the robot is armed")
    do(viewer, lambda: panel.move("along the plan"))
    assert viewer.controls.text == "Plan a motion first, in the tab Plan."
    do(viewer, lambda: viewer.planner.things.add("box"))
    do(viewer, lambda: viewer.planner.goals.aim("left"))
    wait_for(lambda: not viewer.session.moving, "the ghost is there")
    do(viewer, viewer.planner.plan)
    wait_for(lambda: viewer.planner.route is not None, "there is a plan")
    do(viewer, lambda: viewer.show_posture(*(viewer.session.limb(s).q for s in ("left", "right"))))
    do(viewer, lambda: panel.move("along the plan"))
    wait_for(lambda: commands(robot)[-1:] == [("follow", ["left"], 0.2, 1)], "it is followed")
    do(viewer, lambda: panel.move("hold"))
    assert robot.told[-1] == "halt"
    tick(client, panel.speed, 40.0)
    wait_for(lambda: panel.speed.value == 40.0, "a wrong speed has come")
    do(viewer, lambda: panel.move("neutral"))
    assert "from 0.02 to 1" in viewer.controls.text


@pytest.mark.acceptance
def test_a_page_arms_by_its_box_and_disarms_when_it_is_closed(
    chromium: Any, viewer: Viewer, robot: FakeRobot
) -> None:
    """In a real browser."""
    page = chromium.new_page(viewport={"width": 1000, "height": 700})
    page.set_default_timeout(1e3 * PATIENCE)
    page.goto(viewer.address)
    page.get_by_role("tab", name="Robot").click()
    page.get_by_text("only watched").wait_for()
    page.get_by_role("checkbox", name="armed: commands are sent").click()
    page.get_by_text("ARMED: commands are sent").first.wait_for()
    wait_for(lambda: robot.armed, "the robot is armed")
    page.get_by_role("button", name="untuck").last.click()
    wait_for(lambda: ("untuck", 0.2) in robot.told, "the command has arrived")
    page.close()
    wait_for(lambda: not robot.armed, "the robot is disarmed")
