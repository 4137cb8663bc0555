"""The tab "Robot": nothing is sent before a user takes control, and he leaves it when he goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from viewer_client import PATIENCE, Client, do, opened, wait_for

from baxterkit.collision import World
from baxterkit.errors import InputError
from baxterkit.lesson import Lesson
from baxterkit.ros import RefusedError
from baxterkit.servo import Source
from baxterkit.trajectory import Trajectory
from baxterkit.viewer import Viewer
from baxterkit.viewer.page.html import sentence, stop_html
from baxterkit.viewer.page.robot_panel import RobotPanel, in_buttons


class FakeRobot:
    """A robot that notes what it is told."""

    def __init__(self) -> None:
        self.in_control, self.heard = False, True
        self.told: list[Any] = []
        self.refuses = ""

    def report(self) -> str:
        return "enabled"

    def take_control(self) -> None:
        if self.refuses:
            raise RefusedError("publishers", self.refuses)
        self.in_control = True

    def release_control(self) -> None:
        self.in_control = False

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

    def go_to(self, name: str, speed: float) -> None:
        self.told.append((name, speed))

    def grip(self, side: str, opening: float) -> None:
        self.told.append((side, opening))

    def tip(self, side: str) -> np.ndarray:
        return np.eye(4)

    def lead(self, source: Source, speed: float) -> None:
        self.told.append(("lead", speed))

    def teach(self, name: str) -> None:
        self.told.append(("teach", name))

    def mark(self) -> None:
        self.told.append("mark")

    def taught(self) -> Lesson:
        raise InputError("no arm was moved")

    def replay(self, lesson: Lesson, speed: float) -> None:
        self.told.append(("replay", lesson.name, speed))


@pytest.fixture
def robot() -> FakeRobot:
    return FakeRobot()


@pytest.fixture
def viewer(request: pytest.FixtureRequest, robot: FakeRobot) -> Iterator[Viewer]:
    with opened(request, live=robot) as viewer:
        yield viewer
    assert not robot.in_control  # the end of the viewer releases it


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
        lambda: panel.grip("close the left"),
    ):
        do(viewer, act)
        assert "Not in control" in viewer.controls.text
    assert not robot.told
    assert "only watched" in panel.status.content
    tick(client, panel.switch, True)
    wait_for(lambda: robot.in_control, "control is taken")
    wait_for(lambda: "IN CONTROL" in panel.status.content, "the panel says so")
    tick(client, panel.speed, 0.1)
    wait_for(lambda: panel.speed.value == 0.1, "the speed is set")
    for handle, name, told in (
        (panel.power, "enable", "enable"),
        (panel.moves, "untuck", ("untuck", 0.1)),
        (panel.grips, "close the left", ("left", 0.0)),
        (panel.power, "disable", "disable"),
    ):
        tick(client, handle, name)
        wait_for(lambda told=told: commands(robot)[-1:] == [told], f"{told} has arrived")
    tick(client, panel.switch, False)
    wait_for(lambda: not robot.in_control, "control is released")
    do(viewer, lambda: panel.move("tuck"))
    assert commands(robot)[-1] == "disable"


def test_a_browser_that_is_closed_releases_control(
    viewer: Viewer, robot: FakeRobot, client: Client
) -> None:
    panel = panel_of(viewer)
    other = Client(viewer)
    other.hello()
    wait_for(lambda: len(viewer.server.get_clients()) == 2, "both are known")
    tick(other, panel.switch, True)
    wait_for(lambda: robot.in_control, "control is taken")
    third = Client(viewer)
    third.hello()
    wait_for(lambda: len(viewer.server.get_clients()) == 3, "all are known")
    third.close()
    wait_for(lambda: len(viewer.server.get_clients()) == 2, "another page is gone")
    do(viewer, lambda: None)
    assert robot.in_control
    other.close()
    wait_for(lambda: not robot.in_control, "the page in control is gone, and control released")
    wait_for(lambda: panel.switch.value is False, "the box says so")
    assert "was closed" in viewer.controls.text


def test_control_of_a_robot_that_falls_silent_is_released(
    viewer: Viewer, robot: FakeRobot, client: Client
) -> None:
    panel = panel_of(viewer)
    tick(client, panel.switch, True)
    wait_for(lambda: robot.in_control, "control is taken")
    robot.heard = False
    wait_for(lambda: not robot.in_control, "control is released")
    wait_for(lambda: "silent" in panel.status.content, "the panel says so")


def test_a_refusal_is_shown_and_the_box_stays_empty(
    viewer: Viewer, robot: FakeRobot, client: Client
) -> None:
    panel = panel_of(viewer)
    robot.refuses = "2 nodes publish /robot/state"
    tick(client, panel.switch, True)
    wait_for(lambda: robot.refuses in viewer.controls.text, "the reason is shown")
    wait_for(lambda: panel.switch.value is False, "the box is empty")
    assert not robot.in_control


def test_a_stop_needs_no_arm_and_a_plan_is_followed(
    viewer: Viewer, robot: FakeRobot, client: Client
) -> None:
    panel = panel_of(viewer)
    do(viewer, lambda: panel.press("STOP"))
    wait_for(lambda: "stop" in robot.told, "the robot is stopped")
    do(viewer, lambda: panel.set_control(True))  # a program may take it, too
    wait_for(lambda: robot.in_control, "control is taken")
    do(viewer, lambda: panel.move("along the plan"))
    assert viewer.controls.text == "Plan a motion first, in the tab Plan."
    do(viewer, lambda: viewer.planner.objects.add("box"))
    do(viewer, lambda: viewer.planner.goals.aim("left"))
    wait_for(lambda: not viewer.session.moving, "the ghost is there")
    do(viewer, viewer.planner.plan)
    wait_for(lambda: viewer.planner.route is not None, "there is a plan")
    assert "“along the plan” moves the robot along it." in viewer.controls.text
    run: Any = SimpleNamespace(clearance=0.1, summary="It ran", traces={}, motion=None)
    do(viewer, lambda: viewer.planner._show_run(run))
    assert viewer.controls.text == "It ran; at its nearest 100 mm from anything."  # no tab Play
    do(viewer, lambda: viewer.show_robot(*(viewer.session.limb(s).q for s in ("left", "right"))))
    do(viewer, lambda: panel.move("along the plan"))
    wait_for(lambda: commands(robot)[-1:] == [("follow", ["left"], 0.2, 1)], "it is followed")
    do(viewer, lambda: panel.move("hold"))
    assert robot.told[-1] == "halt"
    tick(client, panel.speed, 40.0)
    wait_for(lambda: "from 0.02 to 1" in viewer.controls.text, "a wrong speed is refused")
    do(viewer, lambda: panel.move("neutral"))
    wait_for(lambda: commands(robot)[-1:] == [("neutral", 0.2)], "the speed is the old one")


@pytest.fixture
def other(viewer: Viewer, client: Client) -> Iterator[Client]:
    """A second page."""
    other = Client(viewer)
    other.hello()
    wait_for(lambda: len(viewer.server.get_clients()) == 2, "both pages are known")
    yield other
    other.close()


def numbers(viewer: Viewer) -> list[int]:
    """The numbers of the pages, in the order in which they came."""
    return sorted(viewer.server.get_clients())


def test_only_the_page_in_control_acts(
    viewer: Viewer, robot: FakeRobot, client: Client, other: Client
) -> None:
    panel = panel_of(viewer)
    mine, its = numbers(viewer)
    tick(client, panel.switch, True)
    wait_for(lambda: robot.in_control, "control is taken")
    wait_for(lambda: f"page {mine} IN CONTROL:" in panel.status.content, "all see who has it")
    for handle, name, doing in (
        (panel.power, "enable", "enable"),
        (panel.power, "disable", "disable"),
        (panel.moves, "untuck", "go to untuck"),
        (panel.moves, "hold", "hold"),
        (panel.grips, "close the left", "close the left gripper"),
        (panel.switch, False, "release control"),
    ):
        said = f"Page {mine} has control of the robot, so page {its} cannot {doing}; STOP works"
        tick(other, handle, name)
        wait_for(lambda said=said: said in viewer.controls.text, f"{name} is refused")
        do(viewer, lambda: None)
        assert not robot.told[1:]  # taking control has halted it once
    assert robot.in_control
    wait_for(lambda: panel.switch.value is True, "the box shows it")
    tick(client, panel.moves, "untuck")
    wait_for(lambda: commands(robot) == [("untuck", 0.2)], "the page in control moves it")


def test_the_speed_is_that_of_the_page_that_holds_the_robot(
    viewer: Viewer, robot: FakeRobot, client: Client, other: Client
) -> None:
    panel = panel_of(viewer)
    tick(client, panel.switch, True)
    wait_for(lambda: robot.in_control, "control is taken")
    tick(other, panel.speed, 0.9)
    wait_for(lambda: "cannot set its speed" in viewer.controls.text, "it is refused")
    wait_for(lambda: panel.speed.value == 0.2, "and shown")
    tick(client, panel.moves, "neutral")
    wait_for(lambda: commands(robot) == [("neutral", 0.2)], "the speed is the holder's")


def test_every_page_stops_the_robot(
    viewer: Viewer, robot: FakeRobot, client: Client, other: Client
) -> None:
    panel = panel_of(viewer)
    tick(client, panel.switch, True)
    wait_for(lambda: robot.in_control, "control is taken")
    tick(other, panel.stop_button, True)
    wait_for(lambda: "stop" in robot.told, "it is stopped")


def test_a_stop_is_not_replaced_by_what_another_page_presses(
    viewer: Viewer, robot: FakeRobot, client: Client, other: Client
) -> None:
    panel = panel_of(viewer)
    tick(client, panel.switch, True)
    wait_for(lambda: robot.in_control, "control is taken")

    def both() -> None:  # while the viewer's thread is here, letters wait
        tick(other, panel.stop_button, True)
        letters = viewer.mailbox._letters
        wait_for(lambda: "STOP" in letters, "STOP has come", 20.0)
        tick(client, panel.power, "enable")
        pressed = lambda: any(key[0] == "power" for key in tuple(letters) if key != "STOP")  # noqa: E731
        wait_for(pressed, "and the other one too", 20.0)
        assert "STOP" in letters

    do(viewer, both)
    wait_for(lambda: {"stop", "enable"} <= set(robot.told), "both are done")


def test_the_second_page_holds_the_robot_after_the_first_has_released_it(
    viewer: Viewer, robot: FakeRobot, client: Client, other: Client
) -> None:
    panel = panel_of(viewer)
    _, its = numbers(viewer)
    tick(client, panel.switch, True)
    wait_for(lambda: robot.in_control, "control is taken")
    client.close()
    wait_for(lambda: not robot.in_control, "the page is closed, and control released")
    wait_for(lambda: panel.switch.value is False, "the box is empty")
    tick(other, panel.switch, True)
    wait_for(lambda: f"page {its} IN CONTROL:" in panel.status.content, "the other page has it")
    tick(other, panel.grips, "open the right")
    wait_for(lambda: commands(robot) == [("right", 1.0)], "it moves the gripper")


def test_a_page_whose_arming_fails_does_not_hold_the_robot(
    viewer: Viewer, robot: FakeRobot, client: Client, other: Client
) -> None:
    panel = panel_of(viewer)
    robot.refuses = "2 nodes publish /robot/state"
    tick(client, panel.switch, True)
    wait_for(lambda: robot.refuses in viewer.controls.text, "the reason is shown")
    wait_for(lambda: panel.switch.value is False, "the box is empty")
    robot.refuses = ""
    tick(other, panel.switch, True)
    wait_for(lambda: robot.in_control, "the other page may take control")


def test_a_robot_that_a_program_controls_is_the_programs(
    viewer: Viewer, robot: FakeRobot, client: Client
) -> None:
    panel = panel_of(viewer)
    do(viewer, lambda: panel.set_control(True))
    wait_for(lambda: "a program IN CONTROL" in panel.status.content, "the panel says who")
    tick(client, panel.moves, "untuck")
    said = "A program has control of the robot, so page 0 cannot go to untuck; STOP works from"
    wait_for(lambda: said in viewer.controls.text, "a page does not move it")
    assert not commands(robot)
    wait_for(lambda: panel.switch.value is True, "the box is ticked")
    tick(client, panel.switch, False)
    wait_for(lambda: not robot.in_control, "a page can release it")
    wait_for(lambda: "only watched" in panel.status.content, "the panel shows it")
    tick(client, panel.switch, True)
    wait_for(lambda: "page 0 IN CONTROL" in panel.status.content, "and then take it")


def test_a_box_that_a_page_unticks_is_not_ticked_again_before_that_is_read(
    viewer: Viewer, robot: FakeRobot
) -> None:
    panel = panel_of(viewer)
    do(viewer, lambda: panel.set_control(True))
    wait_for(lambda: panel.switch.value is True, "the box is ticked")
    panel.switch._impl.value = False  # as viser does before it calls us
    do(viewer, panel.watch)
    assert panel.switch.value is False
    do(viewer, lambda: panel.set_control(False))
    assert not robot.in_control
    do(viewer, lambda: panel.set_control(True))
    wait_for(lambda: panel.switch.value is True, "the box is ticked again")


@pytest.mark.acceptance
def test_a_page_takes_control_by_its_box_and_leaves_it_when_closed(
    chromium: Any, viewer: Viewer, robot: FakeRobot
) -> None:
    """In a real browser."""
    page = chromium.new_page(viewport={"width": 1000, "height": 700})
    page.set_default_timeout(1e3 * PATIENCE)
    page.goto(viewer.address)
    page.get_by_role("tab", name="Robot").click()
    page.get_by_text("only watched").wait_for()
    page.get_by_role("checkbox", name="control", exact=True).click()
    page.get_by_text("page 0 IN CONTROL: commands are sent").first.wait_for()
    second = chromium.new_page(viewport={"width": 1000, "height": 700})
    second.set_default_timeout(1e3 * PATIENCE)
    second.goto(viewer.address)
    second.get_by_role("tab", name="Robot").click()
    second.get_by_text("page 0 IN CONTROL: commands are sent").first.wait_for()
    second.get_by_role("button", name="tuck", exact=True).last.click()
    second.get_by_text("so this page cannot go to tuck").first.wait_for()
    assert not commands(robot)
    second.close()
    wait_for(lambda: robot.in_control, "control is taken")
    page.get_by_role("button", name="untuck").last.click()
    wait_for(lambda: ("untuck", 0.2) in robot.told, "the command has arrived")
    page.close()
    wait_for(lambda: not robot.in_control, "control is released")


def test_stop_cannot_be_folded_away_on_a_telephone(
    chromium: Any, viewer: Viewer, robot: FakeRobot
) -> None:
    """In a real browser, 390 pixels wide: a tap on the sheet's title leaves the button there."""
    page = chromium.new_page(viewport={"width": 390, "height": 800})
    page.set_default_timeout(1e3 * PATIENCE)
    page.goto(viewer.address)
    button = page.get_by_role("button", name="STOP")
    button.wait_for()
    sheet = page.locator('.mantine-Paper-root[style*="bottom: 0"]').first.bounding_box()
    page.mouse.click(sheet["x"] + 40.0, sheet["y"] + 14.0)
    page.wait_for_timeout(600.0)  # a sheet folds within 0.3 s
    box = button.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) > 50.0
    button.click()
    wait_for(lambda: "stop" in robot.told, "the robot is stopped")
    page.close()


@pytest.mark.parametrize("width", [390, 900])
def test_stop_stays_in_sight_while_the_panel_scrolls(
    chromium: Any, viewer: Viewer, robot: FakeRobot, width: int
) -> None:
    """In a real browser, at the end of the longest tab, and above viser's own settings."""
    page = chromium.new_page(viewport={"width": width, "height": 600})
    page.set_default_timeout(1e3 * PATIENCE)
    page.goto(viewer.address)
    button = page.get_by_role("button", name="STOP")
    button.wait_for()
    page.get_by_text("gravity torque").first.scroll_into_view_if_needed()
    page.wait_for_timeout(300.0)

    def is_whole() -> bool:
        """Whether the button is on the page, and nothing lies over it."""
        on_top = """e => { const box = e.getBoundingClientRect(); return [0.1, 0.5, 0.9].every(
            part => e.contains(document.elementFromPoint(
                box.x + box.width / 2, box.y + part * box.height))); }"""
        return bool(button.evaluate(on_top))

    assert is_whole()
    assert page.locator("[data-dock-region-collapse]:visible").count() == 0
    if width > 600:  # on a telephone they cannot be reached while a robot is linked
        page.locator("button:has(.tabler-icon-adjustments)").click()
        page.get_by_text("Scene tree").scroll_into_view_if_needed()
        page.wait_for_timeout(600.0)
        assert is_whole()
    button.click()
    wait_for(lambda: "stop" in robot.told, "the robot is stopped")
    page.close()


def test_stop_is_above_the_tabs_and_a_frame_shows_who_has_control(
    viewer: Viewer, robot: FakeRobot
) -> None:
    panel = panel_of(viewer)
    assert panel.stop_button.order < 0.0
    assert "font-size:22px" in stop_html("x")
    assert panel.frame.content == ""
    dead = (panel.power, panel.speed, panel.moves, panel.grips)
    assert not any(handle.visible for handle in dead)
    do(viewer, lambda: panel.set_control(True))
    wait_for(lambda: robot.in_control, "control is taken")
    do(viewer, panel.watch)
    assert "border:6px solid" in panel.frame.content
    assert all(handle.visible for handle in dead)
    assert "along the plan" not in panel.moves.options  # there is no plan
    do(viewer, lambda: panel.set_control(False))
    assert panel.frame.content == ""


def test_controls_without_effect_on_a_robots_arms_are_hidden(viewer: Viewer) -> None:
    controls = viewer.controls
    assert not controls._configurations.visible
    assert not any(gizmo.visible for gizmo in viewer.stage.gizmos.values())
    assert all(slider.disabled for slider in controls.arms["left"].sliders)
    labels = viewer.controls.tabs._tab_labels
    assert {"Left", "Right", "Show", "Plan", "Robot"} <= set(labels)
    assert not {"Draw", "Play"} & set(labels)
    commands = viewer.server.gui._command_handle_from_uuid.values()
    assert [command.label for command in commands] == ["STOP the robot"]  # there is no undo
    viewer.show_robot(np.zeros(7), np.full(7, 0.1), 0.0, (0.5, None))
    wait_for(lambda: viewer.session.openings["left"] == 0.5, "the fingers are shown")
    assert viewer.session.openings["right"] == 1.0


@pytest.mark.parametrize(
    ("call", "button"),
    [
        ("the robot is not enabled; call enable() first", "press “enable” first"),
        ("the robot was stopped; call enable() to go on", "press “enable” to go on"),
        ("wait for its end, or link.cancel()", "or press “hold”"),
        ("move both arms to a free place first (robot.untuck())", "(press “untuck”)"),
        ("the link has stalled; link.reset()", "“enable”"),
    ],
)
def test_messages_name_buttons_in_place_of_calls(call: str, button: str) -> None:
    said = in_buttons(call)
    assert button in said
    assert "()" not in said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("", ""),
        ("the emergency stop is pressed", "The emergency stop is pressed."),
        ("go to neutral …", "Go to neutral …"),
        ("left_e1 = 2.7 rad is above", "left_e1 = 2.7 rad is above."),
        ("The robot is enabled.", "The robot is enabled."),
    ],
)
def test_messages_are_sentences(told: str, said: str) -> None:
    assert sentence(told) == said
