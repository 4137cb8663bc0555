"""States that come late, a program that is held up: the motion slows down before it ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from link_scene import bump
from tolerances import HELD_UP

from baxterkit.control import ComputedTorque
from baxterkit.ros import InProcess, RefusedError, RobotLink, Rules, in_process
from baxterkit.ros.progress import Progress
from baxterkit.ros.robot.arm import Received
from baxterkit.sim import Twin, with_known_effects


class Scene:
    """A link to a twin in this process, with the commands that arrive."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.both: InProcess = in_process(
            Twin(start="untuck"), enabled=True, on_command=self.received.append
        )
        self.link: RobotLink = self.both.link
        self.clock = self.both.clock
        self.link.take_control()

    def silence(self, after: float, duration: float) -> None:
        """The robot stands still, and says nothing."""
        paused, now = self.both.robot.paused, self.clock.now()
        self.clock.call_at(now + after, paused.set)
        self.clock.call_at(now + after + duration, paused.clear)

    def hold_up(self, after: float, duration: float) -> None:
        """Our program is held up while the robot goes on."""
        self.clock.call_at(self.clock.now() + after, self.clock.sleep, duration)

    def stall(self, after: float, duration: float) -> None:
        """The whole machine stands still."""
        self.clock.call_at(self.clock.now() + after, self.clock.stall, duration)


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    yield made
    made.both.close()


def options(link: RobotLink, mode: str) -> dict[str, object]:
    if mode != "torque":
        return {"mode": mode}
    controller = ComputedTorque(with_known_effects(link.left.arm), kp=8.0**2)
    return {"controller": controller}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "trouble"),
    [("velocity", "silence"), ("velocity", "hold_up"), ("velocity", "stall"),
     ("position", "hold_up"), ("raw position", "stall"), ("torque", "silence")],
)  # fmt: skip
def test_a_motion_survives_half_a_second_of_trouble(scene: Scene, mode: str, trouble: str) -> None:
    """It takes longer, and stays near its path; what the robot gets stays within the limits."""
    link = scene.link
    motion = bump(link, "left", 0.2, 1.4)
    getattr(scene, trouble)(0.2, 0.5)
    done = link.follow({"left": motion}, **options(link, mode))["left"]  # type: ignore[arg-type]
    assert 0.2 < done.delay < 1.5
    path = motion.at_rate(500.0)[1]
    assert np.abs(done.q[:, None] - path).max(axis=-1).min(axis=1).max() < HELD_UP
    assert np.abs(done.q[-1] - motion.end).max() < 0.02
    times = np.array([command.t for command in scene.received]) * 1e-9
    rows = np.array([list(command.values.values()) for command in scene.received])
    if "position" in mode:
        gaps = np.diff(times)[:, None] + 0.02
        assert (np.abs(np.diff(rows, axis=0)) <= gaps * link.left.arm.limits.velocity).all()
    assert np.abs(scene.both.twin.left.truth.qd).max() < 0.05


def test_the_pace_falls_with_the_age_of_the_states(scene: Scene) -> None:
    """Before the gate would refuse, the arm is told to rest."""
    scene.silence(1.0, 0.3)
    began = scene.clock.stamp()
    scene.link.follow({"left": bump(scene.link, "left", 0.3, 2.0)})
    speed = {round((c.t - began) * 1e-9, 2): c.values["left_s0"] for c in scene.received}
    before = max(abs(v) for t, v in speed.items() if 0.4 < t < 0.95)
    last = max(t for t in speed if t < 1.2)
    assert abs(speed[last]) < 0.2 * before
    assert last < 1.13  # nothing is sent on states older than 0.1 s
    assert min(t for t in speed if t > last) > 1.29


@pytest.mark.parametrize("trouble", ["silence", "hold_up"])
def test_too_long_a_silence_ends_the_motion_and_names_the_setting(
    scene: Scene, trouble: str
) -> None:
    getattr(scene, trouble)(0.3, 1.5)
    began = scene.clock.now()
    with pytest.raises(RefusedError, match=r"Rules\((stale=0\.1, )?stall=1\)") as no:
        scene.link.follow({"left": bump(scene.link, "left", 0.1, 1.0)})
    assert no.value.reason == "stale"
    assert scene.clock.now() - began < 3.5
    scene.clock.sleep(0.5)
    assert np.abs(scene.both.twin.left.truth.qd).max() < 0.02


def test_a_longer_silence_may_be_allowed(scene: Scene) -> None:
    scene.link.rules = Rules(stall=2.5)  # as the message says
    scene.silence(0.5, 2.0)
    done = scene.link.follow({"left": bump(scene.link, "left", 0.1, 1.0)})["left"]
    assert done.delay > 1.5


def test_an_arm_that_something_holds_is_still_noticed(scene: Scene) -> None:
    """An error slows the motion, but does not stop it: it ends."""
    scene.both.twin.left.command_timeout = 0.2
    robot = scene.both.robot
    obey = robot.arms["left"]._obey
    robot.arms["left"]._obey = lambda mode, values: None  # type: ignore[method-assign]
    began = scene.clock.now()
    with pytest.raises(RefusedError, match="rad off the motion"):
        scene.link.follow({"left": bump(scene.link, "left", 0.4, 2.0)})
    assert scene.clock.now() - began < 4.0
    robot.arms["left"]._obey = obey  # type: ignore[method-assign]


def test_both_arms_slow_down_together(scene: Scene) -> None:
    scene.silence(0.7, 0.3)
    link = scene.link
    done = link.follow(
        {"left": bump(link, "left", 0.2, 1.5), "right": bump(link, "right", 0.2, 1.5)}
    )
    assert done["left"].delay == done["right"].delay > 0.1


def test_progress_is_the_clock_until_something_is_late() -> None:
    progress = Progress()
    for i in range(1, 100):
        progress.advance(0.01 * i, 0.03)
        progress.adapt(0.01, 0.1, 0.1, 0.01)
    assert progress.s == 0.99
    assert progress.at(0.5) == 0.5
    assert progress.delay == 0.0
    progress.adapt(0.065, 0.1, 0.1, 0.01)
    assert progress.pace == pytest.approx(0.5)
    progress.advance(1.0, 0.03)
    assert progress.s == pytest.approx(0.995)
    progress.advance(1.5, 0.03)  # held up: the arm went on for 0.03 s only
    assert progress.s == pytest.approx(0.995 + 0.5 * 0.03)
    progress.adapt(0.2, 0.1, 0.1, 0.01)
    assert progress.pace == 0.0
    for i in range(40):
        progress.adapt(0.0, 0.0, 0.1, 0.01)
        progress.advance(1.51 + 0.01 * i, 0.03)
    assert progress.pace == 1.0
    t = np.linspace(0.0, 1.9, 50)
    s = progress.at_all(t)
    assert (np.diff(s) >= 0.0).all()
    assert (s <= t).all()
    progress.adapt(0.0, 0.99, 0.1, 0.01)
    assert progress.pace == 0.25
