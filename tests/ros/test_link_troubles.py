"""What ends a motion over a link, and what a link does when the robot or its master fails."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import components
import numpy as np
import pytest
from link_scene import LocalScene, Scene, bump
from ros_masters import eventually, start_master, stop
from tolerances import FOLLOWED
from twin_process import linked

from baxterkit.collision import World
from baxterkit.messages import message_class
from baxterkit.ros import LocalGraph, NoReplyError, RefusedError, RobotLink, TwinRobot
from baxterkit.ros.graph.node import TcpNode
from baxterkit.ros.settling import REST
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory


def test_one_arm_that_fails_does_not_stop_the_other(local: LocalScene) -> None:
    link = local.link
    good, bad = bump(link, "left", 0.1, 1.5), bump(link, "right", 0.3, 1.5)
    world = World()
    spot = link.right.arm.fk(bad.sample(0.75).q)[:3, 3]
    world.add_sphere("ball", 0.05, spot)

    def appear() -> None:
        link.scene = link.scene.replace(world=world)

    local.later(0.2, appear)  # into the right arm's path
    before, seen = link.left.q.copy(), list[float]()
    watch = local.clock.every(
        0.01, lambda: seen.append(float(np.abs(link.left.q - before).max())), "watch"
    )
    with pytest.raises(RefusedError, match=r"right_.* and ball would come within"):
        link.follow({"left": good, "right": bad})
    watch.close()
    assert max(seen) > 0.095


def test_a_robot_that_falls_silent_gets_no_more_commands(local: LocalScene) -> None:
    link = local.link
    local.later(0.5, local.robot.paused.set)
    with pytest.raises(RefusedError, match="nothing is sent until"):
        link.follow({"left": bump(link, "left", 0.2, 3.0)})
    count = len(local.received)
    with pytest.raises(RefusedError):
        link.left.command_velocity(np.zeros(7))
    local.robot.paused.clear()
    local.clock.sleep(0.1)
    assert len(local.received) == count
    link.left.command_velocity(np.zeros(7))
    local.clock.sleep(0.01)
    assert len(local.received) == count + 1


def test_the_button_ends_a_motion_and_is_said(local: LocalScene) -> None:
    link, began = local.link, local.clock.now()
    local.later(0.4, local.robot.assembly.press)
    with pytest.raises(RefusedError, match="release its button"):
        link.follow({"left": bump(link, "left", 0.1, 3.0)})
    assert local.clock.now() - began < 1.5
    with pytest.raises(RefusedError, match="emergency stop is pressed"):
        link.enable()
    local.robot.assembly.press(False)
    local.clock.sleep(0.05)
    link.enable()
    assert link.enabled
    link.stop()
    assert link.stopped
    link.disable()
    assert not link.enabled


def test_a_motion_that_is_cancelled_raises_when_the_arm_is_at_rest(local: LocalScene) -> None:
    """An arm goes on for a moment; the next motion starts where it is only after that."""
    link, clock = local.link, local.clock
    q = link.left.q
    far = Trajectory.from_points([0.0, 3.0], [q, q + np.array([0.9, 0, 0, 0, 0, 0, 0])])
    local.later(1.0, link.cancel, 0.0)
    with pytest.raises(RefusedError, match=r"was cancelled after 1\.0[01] s") as stopped:
        link.follow({"left": far}, path_tolerance=0.02)
    assert stopped.value.reason == "cancelled"
    assert np.abs(link.left.qd).max() < REST
    here = link.left.q
    clock.sleep(0.3)
    assert np.abs(link.left.q - here).max() < FOLLOWED
    assert np.abs(here - far.end).max() > 0.1
    assert not link._motions


def test_the_robot_holds_by_itself_when_commands_end(local: LocalScene) -> None:
    left = local.robot.twin.left
    local.link.left.command_velocity(np.full(7, 0.2))
    local.clock.sleep(0.19)
    assert left.mode == "velocity"
    local.clock.sleep(0.03)
    assert left.mode == "hold"
    local.clock.sleep(0.3)
    assert np.abs(left.truth.qd).max() < 0.02


def test_a_missing_robot_is_said_in_time() -> None:
    graph = LocalGraph()
    with pytest.raises(NoReplyError, match="waiting for the robot's states"):
        RobotLink(graph, timeout=0.3)
    assert graph.clock.now() == pytest.approx(0.3)


def test_a_forgotten_mock_is_noticed(local: LocalScene) -> None:
    state = message_class("baxter_core_msgs/AssemblyState")
    with local.graph.node("mock") as mock:
        publisher = mock.advertise("/robot/state", state)
        pretending = local.clock.every(0.05, lambda: publisher.publish(state(enabled=True)), "mock")
        local.clock.sleep(0.1)
        with pytest.raises(RefusedError, match="2 nodes publish /robot/state"):
            local.link.left.command_velocity(np.zeros(7))
        with RobotLink(local.graph) as other:
            local.clock.sleep(0.1)
            with pytest.raises(RefusedError, match="2 nodes publish /robot/state"):
                other.take_control()
        pretending.close()


INTERRUPTED = """
import sys, numpy as np
sys.path.insert(0, sys.argv[2])
from twin_process import linked
with linked(sys.argv[1]) as link:
    link.enable(120.0)
    print("moving", flush=True)
    q = link.left.q.copy()
    q[0] += 0.8
    link.move_to(left=q, speed=0.1)
"""


@pytest.mark.real_clock
def test_ctrl_c_releases_and_unregisters(scene: Scene) -> None:
    here = str(Path(__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, scene.master, here],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # A suite that runs in the background of a shell has it ignored, and its children too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "moving\n", process.communicate()[1]
        eventually(lambda: len(scene.received) > 30)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate()
    assert "KeyboardInterrupt" in error
    assert scene.received[-1].values["left_s0"] == 0.0  # the last word is: stand still
    with TcpNode("after", scene.master) as node:
        left = node.publishers_of("/robot/limb/left/joint_command")
        assert not [name for name in left if f"_{process.pid}_" in name]
    eventually(lambda: scene.robot.twin.left.mode == "hold")


@pytest.mark.ros
@pytest.mark.real_clock
@pytest.mark.acceptance
def test_a_master_that_is_killed_and_restarted_does_not_disturb_a_motion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    components.require("ros")
    monkeypatch.setattr("baxterkit.ros.graph.watch.PERIOD", 0.1)
    process, uri = start_master()
    try:
        with TwinRobot(Twin(start="neutral"), uri, enabled=True), linked(uri) as link:
            link.take_control()
            motion = bump(link, "left", 0.1, 2.0)
            threading.Timer(0.5, stop, (process,)).start()
            done = link.follow({"left": motion}, path_tolerance=1.0)["left"]
            assert len(done.t) > 50
            process, _ = start_master(int(uri.rpartition(":")[2]))
            with TcpNode("late", uri) as late:
                eventually(lambda: late.publishers_of("/robot/state"))
                eventually(lambda: late.publishers_of("/robot/limb/left/joint_command"))
            link.left.command_velocity(np.zeros(7))
    finally:
        stop(process)
