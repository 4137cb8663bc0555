"""The viewer in Debian's chromium: what a person would see and do."""

from __future__ import annotations

import contextlib
import io
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import components
import numpy as np
import pytest
from viewer_client import CANVAS, PATIENCE, wait_for

from baxterkit.spatial import quaternion_to_matrix
from baxterkit.viewer import Viewer
from baxterkit.viewer.state.route import LONGEST

FIRST_PICTURE = 10.0  # s


@dataclass
class Shown:
    """A viewer and a page that shows it."""

    viewer: Viewer
    page: Any
    seconds: float  # from making the viewer to the first picture

    def picture(self) -> Any:
        """What the canvas shows, as an array (height, width, 3) from 0 to 1."""
        from matplotlib.image import imread

        return imread(io.BytesIO(self.page.screenshot()))[..., :3]

    def place(self, selector: str) -> dict[str, float]:
        """Where the first element that a selector names is on the page [px], once it is there.

        Panels are drawn anew whenever the arm moves, and while one is there is no such place.
        """
        element = self.page.locator(selector).first
        return wait_for(element.bounding_box, f"{selector} is on the page")

    def pixel(self, point: Any) -> tuple[float, float]:
        """Where a point in base [m] is on the page."""
        camera = next(iter(self.viewer.server.get_clients().values())).camera
        R = quaternion_to_matrix(np.roll(np.asarray(camera.wxyz), -1))
        x, y, z = R.T @ (np.asarray(point) - np.asarray(camera.position))
        box = self.place(CANVAS)
        focal = 0.5 * box["height"] / math.tan(0.5 * camera.fov)
        right, down = 0.5 * box["width"] + focal * x / z, 0.5 * box["height"] + focal * y / z
        assert 0.0 < right < box["width"], f"{point} is {right:.0f} px from the left of {box}"
        assert 0.0 < down < box["height"], f"{point} is {down:.0f} px from the top of {box}"
        return box["x"] + right, box["y"] + down

    def frames(self, count: int = 2) -> None:
        """Waits until the browser has drawn some frames: a busy machine takes its time."""
        for _ in range(count):
            self.page.evaluate("() => new Promise(done => requestAnimationFrame(done))")

    def draw(self, points: Any) -> None:
        """Moves the mouse along points in base with the button down."""
        mouse = self.page.mouse
        mouse.move(*self.pixel(points[0]))
        self.frames()
        mouse.down()
        self.frames()
        for point in points[1:]:
            mouse.move(*self.pixel(point))
            self.frames()
            self.page.wait_for_timeout(55)  # browsers report a drag 20 times a second
        mouse.up()
        self.frames()

    def click(self, point: Any) -> None:
        """Clicks on a point in base."""
        self.page.mouse.move(*self.pixel(point))
        self.frames()
        self.page.mouse.down()
        self.frames()
        self.page.mouse.up()
        self.frames()


def attempt(action: Callable[[], None], condition: Callable[[], Any], what: str) -> None:
    """Does something with the mouse until it had its effect: a starved browser may miss it."""
    for _ in range(6):
        action()
        with contextlib.suppress(AssertionError):
            wait_for(condition, what, 10.0)
            return
    raise AssertionError(f"{what}: not in six attempts")


def is_drawn(picture: Any) -> bool:
    """Whether both arms' colours are on the picture."""
    red, green, blue = picture[..., 0], picture[..., 1], picture[..., 2]
    sky = (blue > red + 0.15) & (green > red + 0.08)
    orange = (red > blue + 0.3) & (green > blue + 0.15)
    return bool(sky.sum() > 1500 and orange.sum() > 1500)


def show(chromium: Any, viewer: Viewer, begin: float) -> Shown:
    """Opens the page and waits for the robot's picture; `begin` is when the viewer was started."""
    page = chromium.new_page(viewport={"width": 1200, "height": 750})
    page.set_default_timeout(1e3 * PATIENCE)
    page.goto(viewer.address)
    page.wait_for_selector(CANVAS)
    shown = Shown(viewer, page, 0.0)
    wait_for(lambda: is_drawn(shown.picture()), "the robot is drawn")
    shown.seconds = time.monotonic() - begin
    return shown


@pytest.fixture(scope="module")
def shown(chromium: Any) -> Iterator[Shown]:
    components.require("viser")
    begin = time.monotonic()
    with Viewer(port=0) as viewer:
        shown = show(chromium, viewer, begin)
        wait_for(viewer.server.get_clients, "the page is connected")
        yield shown
        shown.page.close()
        assert viewer.failures == 0


@pytest.mark.acceptance
@pytest.mark.timing
def test_first_picture_comes_within_ten_seconds(chromium: Any, shown: Shown) -> None:
    seconds = [shown.seconds]
    while min(seconds) >= FIRST_PICTURE and len(seconds) < 4:  # the machine may be busy
        begin = time.monotonic()
        with Viewer(port=0) as viewer:
            again = show(chromium, viewer, begin)
            again.page.close()
        seconds.append(again.seconds)
    assert min(seconds) < FIRST_PICTURE, seconds


def test_panels_show_both_arms(shown: Shown) -> None:
    for word in ("baxterkit", "manipulability", "gravity torque", "infeasible", "neutral", "tuck"):
        wait_for(lambda word=word: word in shown.page.inner_text("body"), f"{word} is shown")


def test_a_slider_moves_the_arm(shown: Shown) -> None:
    limb = shown.viewer.session.limb("left")
    before, picture = limb.q, shown.picture()
    slider = shown.page.get_by_role("slider").nth(3)  # e0, then s0 s1 e0
    slider.focus()
    for _ in range(40):
        slider.press("ArrowRight")
    wait_for(lambda: abs(limb.q[2] - before[2]) > 0.02, "e0 moves")
    moved = np.flatnonzero(limb.q != before)
    assert moved.tolist() == [2]
    wait_for(lambda: np.abs(shown.picture() - picture).max() > 0.3, "the picture changes")


def test_a_named_configuration_is_a_button(shown: Shown) -> None:
    limb = shown.viewer.session.limb("right")
    shown.page.get_by_role("button", name="neutral").click()
    wait_for(lambda: np.array_equal(limb.q, limb.arm.configuration("neutral")), "the arm is there")


def test_the_strip_lies_under_its_slider(shown: Shown) -> None:
    track, strip = shown.place(".mantine-Slider-track"), shown.place("svg.e0")
    assert abs(strip["x"] - track["x"]) < 1.5
    assert abs(strip["width"] - track["width"]) < 1.5
    assert 0.0 < strip["y"] - track["y"] < 40.0


def test_joint_angles_can_be_copied(shown: Shown) -> None:
    limb = shown.viewer.session.limb("left")
    box = shown.page.get_by_label("joint angles, click to copy").first
    wait_for(lambda: f"{limb.q[3]:.6f}" in box.input_value(), "the angles are shown")
    box.click()
    selection = "x => x.value.slice(x.selectionStart, x.selectionEnd)"
    chosen = wait_for(lambda: box.evaluate(selection), "the angles are selected")
    assert chosen == box.input_value()
    np.testing.assert_allclose(np.array(eval(chosen)), limb.q, rtol=0.0, atol=1e-6)


def test_a_pose_can_be_typed(shown: Shown) -> None:
    limb = shown.viewer.session.limb("left")
    shown.page.get_by_text("Go to", exact=True).first.click()
    shown.page.locator("input.mantine-TextInput-input:visible").first.fill(
        "0.6, 0.3, 0.2, 180, 0, 180"
    )
    shown.page.get_by_role("button", name="Move the hand there").first.click()
    there = lambda: np.abs(limb.T_base_tip[:3, 3] - [0.6, 0.3, 0.2]).max() < 1e-9  # noqa: E731
    wait_for(there, "the hand is there")


def go_to(viewer: Viewer, name: str) -> None:
    """Sends both arms to a named configuration, and waits until they are there."""
    limbs = [viewer.session.limb(side) for side in ("left", "right")]
    viewer.mailbox.post("name", lambda: viewer.session.go_to_configuration(name))
    wait_for(
        lambda: all(np.array_equal(limb.q, limb.arm.configuration(name)) for limb in limbs),
        f"the arms are in the configuration {name}",
    )


@pytest.mark.parametrize("name", ["neutral", "tuck", "untuck"])
def test_both_hands_of_a_named_configuration_are_in_the_picture(shown: Shown, name: str) -> None:
    go_to(shown.viewer, name)
    for side in ("left", "right"):
        shown.pixel(shown.viewer.session.limb(side).T_base_tip[:3, 3])


def test_dragging_the_gizmo_with_the_mouse_moves_the_joints(shown: Shown) -> None:
    limb = shown.viewer.session.limb("left")
    go_to(shown.viewer, "untuck")
    T = limb.T_base_tip

    def pull() -> None:
        """Pulls the arrow along the tip's z."""
        here = limb.T_base_tip
        way = here[:3, 3] + np.linspace(0.15, 0.23, 12)[:, None] * here[:3, 2]
        shown.draw(way)

    def gone() -> np.ndarray:
        return T[:3, :3].T @ (limb.T_base_tip[:3, 3] - T[:3, 3])

    attempt(pull, lambda: limb.target is None and gone()[2] > 0.02, "the hand was dragged")
    assert np.abs(gone()[:2]).max() < 1e-3  # along the arrow only
    assert limb.arm.limits.contains(limb.q)


def test_a_reload_reconnects_and_shows_the_same_robot(shown: Shown) -> None:
    limb = shown.viewer.session.limb("left")
    before = set(shown.viewer.server.get_clients())
    shown.page.reload()
    shown.page.wait_for_selector(CANVAS)
    wait_for(lambda: set(shown.viewer.server.get_clients()) - before, "it is connected again")
    wait_for(lambda: is_drawn(shown.picture()), "the robot is drawn again")
    box = shown.page.get_by_role("textbox").nth(1)  # e0, s0
    wait_for(lambda: abs(float(box.input_value()) - limb.q[0]) < 1e-3, "sliders show its joints")


def test_a_path_drawn_with_the_mouse_runs_in_the_twin(shown: Shown) -> None:
    components.require("mujoco")
    viewer, page = shown.viewer, shown.page
    go_to(viewer, "tuck")  # out of the way
    page.get_by_role("tab", name="Draw").click()
    page.get_by_label("drawing plane").click()
    sketch = viewer.studio.sketch
    wait_for(lambda: viewer.studio.board.visible, "the plane is there")

    def is_looked_at() -> bool:
        box = shown.place(CANVAS)
        try:
            x, y = shown.pixel(sketch.center)
        except AssertionError:
            return False
        return abs(x - box["width"] / 2) < 5.0 and abs(y - box["height"] / 2) < 5.0

    wait_for(is_looked_at, "the camera looks at the plane", 60.0)
    shown.frames(4)
    corners = np.array([[0.1, 0.0, 0.0], [0.0, 0.1, 0.0]])
    for count, corner in enumerate(corners, start=1):
        attempt(
            lambda corner=corner: shown.click(sketch.center + corner),
            lambda count=count: len(sketch.points) >= count,
            "a point is clicked",
        )
        np.testing.assert_allclose(sketch.points[-1] - sketch.center, corner, rtol=0.0, atol=0.01)
    angle = np.linspace(0.0, 1.5 * np.pi, 16)
    circle = sketch.center + 0.1 * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1)
    attempt(lambda: shown.draw(circle), lambda: sketch.length > 0.3, "a line is drawn")
    assert np.abs(np.linalg.norm(sketch.path - sketch.center, axis=-1) - 0.1).max() < 0.02
    page.get_by_role("button", name="Run in the twin").first.click()
    wait_for(lambda: "mm off" in page.inner_text("body"), "the twin has run")
    wait_for(lambda: viewer.session.player.playing, "the run is played")
    page.get_by_role("tab", name="Play").click()
    wait_for(lambda: page.locator(".uplot").count() >= 2, "the plots are there")
    viewer.mailbox.post("stop", viewer.session.stop_playing)


def test_a_motion_around_a_box_is_planned_and_runs_in_the_twin(shown: Shown) -> None:
    """The whole journey under Plan: a box, a goal, a plan, a pause, the twin, the box away."""
    components.require("mujoco")
    viewer, page, session = shown.viewer, shown.page, shown.viewer.session
    go_to(viewer, "untuck")
    right = session.limb("right")
    viewer.mailbox.post("aside", lambda: right.set_joints(right.arm.configuration("neutral")))
    page.get_by_role("tab", name="Plan").click()

    def press(name: str) -> None:
        page.get_by_role("button", name=name, exact=True).click()

    press("box")
    wait_for(lambda: session.objects.names == ("box 1",), "there is a box")
    wait_for(lambda: viewer.planner.objects.stage.gizmo.visible, "it has a gizmo")
    page.locator("input[value='no arm']:visible").click()
    page.get_by_role("option", name="left", exact=True).click()
    wait_for(lambda: "left" in session.goals and not session.moving, "the ghost is there")
    goal = np.array([0.72, -0.14, 0.15])
    viewer.mailbox.post("goal", lambda: viewer.planner.goals.place("left", goal))
    wanted = lambda: session.goals["left"].wanted[:3, 3]  # noqa: E731
    wait_for(lambda: (wanted() == goal).all() and not session.moving, "the ghost has moved")
    wait_for(lambda: viewer.planner.buttons["Plan"].visible, "a goal is there to plan to")
    assert not viewer.stage.gizmos["left"].visible  # it gives way to the goal's
    viewer.mailbox.post("limit", lambda: setattr(viewer.planner.limit, "value", LONGEST))
    wait_for(lambda: viewer.planner.limit.value == LONGEST, "a busy machine has time to plan")
    press("Plan")
    page.get_by_role("tab", name="Left").click()  # the plots are made while they are hidden
    wait_for(lambda: "The motion takes" in page.inner_text("body"), "there is a plan")
    wait_for(lambda: session.player.motion is not None, "it plays")
    there = lambda: session.limb("left").T_base_tip[:3, 3]  # noqa: E731
    wait_for(lambda: np.abs(there() - goal).max() < 1e-6, "the hand is at the goal")
    wait_for(lambda: page.get_by_role("button", name="play", exact=True).count() == 1, "it ended")
    page.get_by_role("tab", name="Play").click()
    plots = ".uplot:visible"
    wait_for(lambda: page.locator(plots).count() >= 2, "its plots are there")
    wait_for(lambda: shown.place(plots)["width"] > 200.0, "they are as wide as the panel")
    page.get_by_role("tab", name="Plan").click()
    press("Run in the twin")
    wait_for(lambda: "mm from anything" in page.inner_text("body"), "the twin has run")
    wait_for(lambda: session.player.motion.name == "twin: plan", "what it did is played")
    press("close")
    wait_for(lambda: session.player.motion is None, "the motion is closed")
    viewer.mailbox.post("clear", lambda: viewer.planner.goals.aim("no arm"))
    assert viewer.failures == 0
