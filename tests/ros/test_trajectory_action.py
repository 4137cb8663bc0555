"""The action `follow_joint_trajectory` of the twin, called as MoveIt calls it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from action_client import ActionClient
from tolerances import FOLLOWED

from baxterkit.robot.followed import ARRIVED
from baxterkit.ros import MasterError, OwnMaster, TwinRobot
from baxterkit.ros.graph.master import Caller
from baxterkit.ros.robot.trajectory_action import ABORTED, PREEMPTED, SUCCEEDED
from baxterkit.ros.settling import REST
from baxterkit.sim import Twin


@pytest.fixture(scope="module")
def client() -> Iterator[ActionClient]:
    made = ActionClient()
    yield made
    made.close()


@pytest.mark.real_clock
def test_a_second_robot_at_the_same_master_is_refused() -> None:
    with OwnMaster(0) as master:
        dead = Caller(master.uri, "/realtime_loop")  # one that was killed has left its name behind
        state = "baxter_core_msgs/AssemblyState"
        dead.call("registerPublisher", "/robot/state", state, "http://127.0.0.1:9/")
        with (
            TwinRobot(Twin(), master.uri),
            pytest.raises(MasterError, match=r"has a robot already \(/realtime_loop publishes"),
        ):
            TwinRobot(master=master.uri)


def test_joints_in_any_order_and_a_point_at_zero(client: ActionClient) -> None:
    limb = client.robot.twin.left
    order = [3, 6, 0, 5, 1, 4, 2]
    names = [limb.arm.joint_names[j] for j in order]
    start = limb.published.q.copy()
    goal = start + np.array([0.1, -0.05, 0.05, 0.0, 0.1, 0.05, -0.1])
    client.send("any order", [0.0, 0.6], np.array([start, goal])[:, order], joints=names)
    assert client.result("any order")[:2] == (SUCCEEDED, 0)
    assert np.abs(limb.published.q - goal).max() < ARRIVED
    client.clock.sleep(0.5)
    assert np.abs(limb.published.q - goal).max() < FOLLOWED
    assert client.feedback[-1].feedback.joint_names == list(limb.arm.joint_names)


@pytest.mark.parametrize(
    ("name", "change", "code", "words"),
    [
        ("unknown joint", lambda n, t, q: (["elbow", *n[1:]], t, q), -2, "not the joints of the"),
        ("backwards", lambda n, t, q: (n, [0.6, 0.5], q), -1, "increasing times"),
        ("beyond", lambda n, t, q: (n, t, q + 4.0), -1, "limit"),
        ("nothing", lambda n, t, q: (n, [], q[:0]), -1, "empty"),
        ("not finite", lambda n, t, q: (n, t, q * np.nan), -1, "finite"),
    ],
)
def test_a_wrong_goal_is_refused_with_its_reason(
    client: ActionClient, name: str, change: Any, code: int, words: str
) -> None:
    limb = client.robot.twin.left
    q = np.tile(limb.published.q, (2, 1))
    joints, t, q = change(list(limb.arm.joint_names), [0.3, 0.6], q)
    client.send(name, t, q, joints=joints)
    status, number, text = client.result(name)
    assert (status, number) == (ABORTED, code)
    assert words in text


def test_one_arm_that_fails_does_not_stop_the_other(client: ActionClient) -> None:
    twin = client.robot.twin
    goals = {limb.side: limb.published.q + 0.1 for limb in twin.limbs}
    client.send("left of two", [0.8], goals["left"])
    client.send("right of two", [0.8], goals["right"], side="right", path=1e-4)
    status, code, text = client.result("right of two")
    assert (status, code) == (ABORTED, -4)
    assert "right_" in text
    assert client.result("left of two")[:2] == (SUCCEEDED, 0)
    assert np.abs(twin.left.published.q - goals["left"]).max() < ARRIVED


def test_a_cancelled_goal_ends_when_the_arm_is_at_rest(client: ActionClient) -> None:
    """An arm goes on for a moment after a cancel; who plans from there must not be early."""
    limb = client.robot.twin.left
    far = limb.published.q + np.array([-0.8, 0, 0, 0, 0, 0, 0])
    client.send("cut short", [1.5], far)
    client.until(lambda: np.abs(limb.published.qd).max() > 0.4)
    client.cancel("cut short")
    assert client.result("cut short")[:2] == (PREEMPTED, 0)
    assert np.abs(limb.published.qd).max() < REST
    here = limb.published.q.copy()
    client.clock.sleep(0.3)
    assert np.abs(limb.published.q - here).max() < FOLLOWED
    assert np.abs(here - far).max() > 0.1


def test_a_new_goal_takes_the_place_of_the_old_one(client: ActionClient) -> None:
    limb = client.robot.twin.left
    start = limb.published.q.copy()
    client.send("old", [3.0], start + 0.3)
    client.clock.sleep(0.2)
    client.send("new", [0.8], start)
    assert client.result("old") == (PREEMPTED, 0, "replaced by a new goal")
    assert client.result("new")[:2] == (SUCCEEDED, 0)
    assert np.abs(limb.published.q - start).max() < ARRIVED
