"""The tab "Teach": lessons of a twin over ROS are recorded, named and replayed; the mouse leads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from test_viewer_robot_panel import FakeRobot, tick
from viewer_client import Client, StillViewer, do, going_on, opened, wait_for

from baxterkit.lesson import Lesson
from baxterkit.ros import InProcess, TwinHardware, in_process
from baxterkit.ros.mirror import Mirror
from baxterkit.ros.steering import Steering
from baxterkit.sim import Twin
from baxterkit.trajectory import min_jerk
from baxterkit.viewer import Viewer
from baxterkit.viewer.page.teach_panel import TeachPanel


class TogetherViewer(StillViewer):
    """A viewer on the clock of a twin in the same process: both go on while the test waits."""

    def __init__(self, both: InProcess) -> None:
        self._both = both
        super().__init__(port=0, live=Steering(both.link))

    def advance(self) -> None:
        self._both.clock.sleep(1.0 / 90.0)
        super().advance()


@pytest.fixture
def both() -> Iterator[InProcess]:
    with in_process(Twin(), enabled=True) as made:
        yield made


@pytest.fixture
def live(both: InProcess) -> Iterator[Viewer]:
    """A viewer that shows the twin; a program has control."""
    with TogetherViewer(both) as viewer:
        with going_on(viewer), Mirror(both.link, viewer.show_robot):
            wait_for(lambda: viewer.session.watched, "the robot is shown")
            assert viewer.robot_panel is not None
            do(viewer, lambda: viewer.robot_panel.set_control(True))  # type: ignore[union-attr]
            wait_for(lambda: both.link.in_control, "control is taken")
            yield viewer
        assert viewer.failures == 0


def panel_of(viewer: Viewer) -> TeachPanel:
    assert viewer.teaching is not None
    return viewer.teaching


def squeeze_and_pull(both: InProcess) -> None:
    """What the tab Hardware does: a squeezed cuff, and a hand that the mouse pulls."""
    with TwinHardware(both.graph) as hands:
        hands.hold("left_cuff", True)
        x, y, z = both.link.left.tip[:3, 3]
        for share in np.linspace(0.0, 1.0, 20):
            hands.push("left", (x, y + 0.1 * share, z + 0.15 * share), 0.1)
        hands.hold("left_cuff", False)
        both.clock.sleep(0.5)


@pytest.mark.slow
def test_a_lesson_is_recorded_by_the_mouse_named_and_replayed(
    live: Viewer, both: InProcess
) -> None:
    panel, start = panel_of(live), both.link.left.q
    panel.name.value = "wave"
    do(live, panel.toggle)
    wait_for(lambda: "Recording “wave”" in panel.status.content, "it is recorded")
    assert panel.mark.visible
    squeeze_and_pull(both)
    led = both.link.left.q
    assert np.abs(led - start).max() > 0.1
    do(live, panel.toggle)
    lesson = panel.lessons["wave"]
    assert (lesson.sides, panel.choice.value, panel.record.label) == (
        ("left",), "wave", "Record a lesson",
    )  # fmt: skip
    panel.name.value = "greet"
    do(live, lambda: panel.act("rename"))
    assert list(panel.lessons) == ["greet"]
    do(live, lambda: panel.act("replay"))
    wait_for(lambda: "“greet” is replayed" in live.controls.text, "it is replayed", 20.0)
    assert np.abs(both.link.left.q - led).max() < 0.02
    do(live, lambda: panel.act("smooth"))
    assert panel.lessons["greet, smooth"].duration < lesson.duration
    panel.choice.value = "greet"
    right = both.link.right.q
    do(live, lambda: panel.act("mirrored"))
    wait_for(
        lambda: np.abs(both.link.right.q - right).max() > 0.1, "the other arm does the same", 20.0
    )


def test_a_file_of_a_lesson_goes_out_and_comes_back(live: Viewer, both: InProcess) -> None:
    panel, arm = panel_of(live), both.link.left.arm
    q = arm.configuration("untuck")
    panel._keep(Lesson(min_jerk(arm, q, q + 0.1, 1.0)).named("one"))
    content = panel.file()
    do(live, lambda: panel.open(content))
    assert list(panel.lessons) == ["one", "one 2"]
    do(live, lambda: live.told(lambda: panel.open(b"{}")))
    assert live.controls.text.startswith("this file: it is no lesson")
    do(live, lambda: panel.act("remove"))
    do(live, lambda: panel.act("remove"))
    assert panel.lessons == {}
    do(live, lambda: panel.act("replay"))
    assert live.controls.text == "Record a lesson first, or open one."


def test_a_still_robot_teaches_nothing(live: Viewer) -> None:
    panel = panel_of(live)
    do(live, panel.toggle)
    do(live, lambda: live.told(panel.toggle))
    assert "no arm was moved" in live.controls.text
    assert panel.lessons == {}


def test_the_mouse_leads_a_hand_until_it_is_let_go(live: Viewer, both: InProcess) -> None:
    """The hand follows the arrows; let go of, it rests; a run ends when it is unticked."""
    panel, start = panel_of(live), both.link.left.tip
    there = start.copy()
    there[:3, 3] += 0.0, 0.05, 0.08
    far = start.copy()
    far[2, 3] += 0.5
    seen = list[float]()

    def later(t: float, act: object, *args: object) -> None:
        both.clock.call_at(both.clock.now() + t, act, *args)  # type: ignore[arg-type]

    later(0.2, panel.drag, "left", there)
    later(2.6, lambda: seen.append(float(np.abs(both.link.left.tip - there).max())))
    later(2.8, panel.drag, "left", far)
    later(3.4, panel.drag, "left", None)  # the mouse button is released on the way
    later(4.4, lambda: seen.append(float(both.link.left.tip[2, 3])))
    later(5.0, panel.lead, False)
    do(live, lambda: panel.lead(True))
    wait_for(lambda: live.controls.text == "The hands rest.", "it has ended", 10.0)
    assert seen[0] < 0.005
    assert there[2, 3] + 0.005 < seen[1] < there[2, 3] + 0.12
    assert not panel.leading.value
    assert np.abs(both.twin.left.truth.qd).max() < 0.02


def test_stop_ends_what_the_mouse_leads(live: Viewer, both: InProcess) -> None:
    panel, far = panel_of(live), both.link.left.tip
    far[2, 3] += 0.4
    both.clock.call_at(both.clock.now() + 0.3, panel.drag, "left", far)
    both.clock.call_at(both.clock.now() + 0.8, both.link.stop, 0.0)
    do(live, lambda: panel.lead(True))
    wait_for(lambda: not panel.leading.value and both.link.stopped, "it has ended", 10.0)
    both.clock.sleep(0.5)
    assert np.abs(both.twin.left.truth.qd).max() < 0.02


@pytest.fixture
def robot() -> FakeRobot:
    return FakeRobot()


@pytest.fixture
def viewer(request: pytest.FixtureRequest, robot: FakeRobot) -> Iterator[Viewer]:
    with opened(request, live=robot) as viewer:
        yield viewer


def test_only_the_page_that_holds_the_robot_replays_and_leads(
    viewer: Viewer, robot: FakeRobot, client: Client
) -> None:
    panel, tab = panel_of(viewer), viewer.robot_panel
    assert tab is not None
    arm = Twin().left.arm
    q = arm.configuration("untuck")
    do(viewer, lambda: panel._keep(Lesson(min_jerk(arm, q, q + 0.1, 1.0)).named("one")))
    tick(client, panel.acts, "replay")
    wait_for(lambda: "Not in control" in viewer.controls.text, "it is refused")
    do(viewer, lambda: panel.lead(True))
    assert not panel.leading.value
    other = Client(viewer)
    other.hello()
    wait_for(lambda: len(viewer.server.get_clients()) == 2, "both are known")
    tick(other, tab.switch, True)
    wait_for(lambda: robot.in_control, "the other page has control")
    for handle, value in ((panel.acts, "replay"), (panel.leading, True)):
        tick(client, handle, value)
        wait_for(lambda: "has control of the robot" in viewer.controls.text, "it is refused")
        do(viewer, lambda: viewer.tell(""))
    client.send(
        "TransformControlsUpdateMessage", name="/lead_hand/left", position=(0.7, 0.4, 0.5),
        wxyz=(1.0, 0.0, 0.0, 0.0), owner="",
    )  # fmt: skip
    wait_for(lambda: "cannot lead its hands" in viewer.controls.text, "the arrows are refused too")
    tick(other, panel.acts, "replay")
    wait_for(lambda: ("replay", "one", 0.2) in robot.told, "the page in control may")
    other.close()


def test_the_tab_names_the_box_that_gives_control(live: Viewer, both: InProcess) -> None:
    panel, tab = panel_of(live), live.robot_panel
    assert tab is not None
    do(live, lambda: tab.set_control(False))
    wait_for(
        lambda: f"Tick *{tab.switch.label}* in the tab Robot" in panel.status.content, "it is told"
    )
