"""The tab "Hardware": buttons, wheels, the emergency stop and pulls reach the twin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from viewer_client import Client, do, opened, wait_for

from baxterkit.robot.hardware import MOST_FORCE, HardwareState, spring_force
from baxterkit.ros import LocalGraph, NoReplyError, TwinHardware, TwinRobot
from baxterkit.sim import Twin
from baxterkit.types import Array
from baxterkit.viewer import Viewer
from baxterkit.viewer.page.hardware_panel import PRESS_STOP, RELEASE_STOP, HardwarePanel


class FakeHardware:
    """Hardware that notes what is done to it."""

    def __init__(self) -> None:
        self.done: list[Any] = []
        self.says = HardwareState()

    def press(self, name: str, duration: float = 0.5) -> None:
        self.done.append(("press", name))

    def hold(self, name: str, on: bool) -> None:
        self.done.append(("hold", name, on))

    def turn(self, navigator: str, steps: int) -> None:
        self.done.append(("turn", navigator, steps))

    def estop(self, on: bool = True) -> None:
        self.says = HardwareState(estop=on)
        self.done.append(("estop", on))

    def pull(self, side: str, to: Array) -> None:
        self.done.append(("pull", side, tuple(to.tolist())))

    def state(self) -> HardwareState:
        return self.says


@pytest.fixture
def hardware() -> FakeHardware:
    return FakeHardware()


@pytest.fixture
def viewer(request: pytest.FixtureRequest, hardware: FakeHardware) -> Iterator[Viewer]:
    with opened(request) as viewer:
        viewer.add_hardware(hardware)
        yield viewer


def panel_of(viewer: Viewer) -> HardwarePanel:
    assert viewer.hardware is not None
    return viewer.hardware


def test_a_page_presses_turns_and_squeezes(
    viewer: Viewer, hardware: FakeHardware, client: Client
) -> None:
    panel = panel_of(viewer)
    for handle, value in (
        (panel.cuffs["left"], True),
        (panel.buttons["right"], "shoulder"),
        (panel.place, "torso, left"),
        (panel.keys, "show"),
        (panel.wheel, "−10"),
    ):
        count = len(hardware.done)
        client.send("GuiUpdateMessage", uuid=handle._impl.uuid, updates={"value": value})
        if handle is not panel.place:
            wait_for(lambda n=count: len(hardware.done) > n, "it has reached the hardware")
    assert hardware.done == [
        ("hold", "left_cuff", True),
        ("press", "right_shoulder_button"),
        ("press", "torso_left_show"),
        ("turn", "torso_left", -10),
    ]


def test_the_emergency_stop_is_released_by_the_same_button(
    viewer: Viewer, hardware: FakeHardware
) -> None:
    panel = panel_of(viewer)
    do(viewer, lambda: panel.stop(True))
    wait_for(lambda: panel.stop_button.label == RELEASE_STOP, "the stop is seen")
    assert "emergency stop pressed" in panel.status.content
    do(viewer, lambda: panel.stop(False))
    wait_for(lambda: panel.stop_button.label == PRESS_STOP, "the release is seen")
    assert hardware.done == [("estop", True), ("estop", False)]


def test_what_the_twin_says_is_shown(viewer: Viewer, hardware: FakeHardware) -> None:
    hardware.says = HardwareState(("left_lower_cuff",), ("left_inner_light",), {"left": 7})
    panel = panel_of(viewer)
    wait_for(lambda: "wheel at 7" in panel.status.content, "the state is shown")
    assert panel.status.content == (
        "pressed: left lower cuff; lamps on: left inner light; wheel at 7."
    )


def test_a_pull_goes_on_until_the_hand_is_let_go(
    viewer: Viewer, hardware: FakeHardware, client: Client
) -> None:
    panel = panel_of(viewer)
    client.send("GuiUpdateMessage", uuid=panel.pulling._impl.uuid, updates={"value": True})
    wait_for(lambda: panel.gizmos["left"].visible, "the arrows are shown")
    name, to = "/pull_hand/left", (0.7, 0.4, 0.5)
    client.send(
        "TransformControlsUpdateMessage", name=name, position=to, wxyz=(1.0, 0, 0, 0), owner=""
    )
    wait_for(lambda: hardware.done.count(("pull", "left", to)) >= 3, "it is pulled on and on")
    assert "pulled with" in viewer.controls.text
    client.send("TransformControlsDragEndMessage", name=name, owner="")
    wait_for(lambda: not viewer.controls.text, "the hand is let go")
    count = len(hardware.done)
    tip = viewer.session.limb("left").T_base_tip[:3, 3]
    wait_for(lambda: np.allclose(panel.gizmos["left"].position, tip), "the arrows go back")
    assert len(hardware.done) <= count + 1


def test_an_error_is_told(viewer: Viewer, hardware: FakeHardware) -> None:
    def refuse(name: str, duration: float = 0.5) -> None:
        raise NoReplyError("the twin has not connected")

    hardware.press = refuse  # type: ignore[method-assign]
    do(viewer, lambda: panel_of(viewer).press("left_ok"))
    wait_for(lambda: "not connected" in viewer.controls.text, "the error is shown")


def test_the_spring_has_a_greatest_force() -> None:
    near, far = np.array([0.01, 0.0, 0.0]), np.array([0.0, 3.0, 4.0])
    assert spring_force(np.zeros(3), near).tolist() == [3.0, 0.0, 0.0]
    assert np.linalg.norm(spring_force(np.zeros(3), far)) == pytest.approx(MOST_FORCE)
    assert spring_force(far, far).tolist() == [0.0, 0.0, 0.0]


def test_hands_on_a_twin_say_what_is_pressed() -> None:
    graph = LocalGraph()
    with TwinRobot(Twin(rigid=True), graph), TwinHardware(graph) as hands:
        assert hands.state() == HardwareState(wheels=dict.fromkeys(hands.state().wheels, 0))
        hands.hold("left_cuff", True)
        hands.turn("torso_right", -1)
        hands.estop()
        graph.clock.sleep(0.2)
        state = hands.state()
        assert state.pressed == ("left_lower_cuff",)
        assert state.wheels["torso_right"] == 255
        assert state.estop


def test_a_picture_is_on_the_head(viewer: Viewer) -> None:
    picture = np.zeros((60, 100, 3), np.uint8)
    picture[0, 0] = 255
    viewer.show_screen(picture)
    wait_for(lambda: viewer.stage._screen.image.shape == (60, 100, 3), "the picture is shown")
    assert viewer.stage._screen.image[-1, 0].tolist() == [255, 255, 255]  # upside down for viser
