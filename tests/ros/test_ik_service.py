"""Our inverse kinematics behind the robot's service: every reachable pose, every seed mode."""

from __future__ import annotations

import time

import numpy as np
import pytest
from fake_robot import FakeNode
from tolerances import assert_close

from baxterkit import Baxter
from baxterkit.messages import Message, message_class, service_type
from baxterkit.ros.poses import pose_message
from baxterkit.ros.robot.ik_service import IkService
from baxterkit.types import Array, Transform

KIND = service_type("baxter_core_msgs/SolvePositionIK")
Stamped = message_class("geometry_msgs/PoseStamped")
Header = message_class("std_msgs/Header")
JointState = message_class("sensor_msgs/JointState")


class Node(FakeNode):
    def serve(self, *_: object) -> None:
        """Nothing: the tests ask directly."""


@pytest.fixture(scope="module")
def robot() -> Baxter:
    return Baxter()


@pytest.fixture(scope="module")
def service(robot: Baxter) -> IkService:
    return IkService(
        Node(),
        robot,
        lambda: (robot.left.configuration("untuck"), robot.right.configuration("untuck")),
    )  # type: ignore[arg-type]


def asked(*poses: Transform, frame: str = "base", **fields: object) -> Message:
    stamped = [Stamped(header=Header(frame_id=frame), pose=pose_message(T)) for T in poses]
    return KIND.Request(pose_stamp=stamped, **fields)


def free_configurations(robot: Baxter, side: str, count: int) -> Array:
    """Random configurations of an arm that touch nothing, with the other one untucked."""
    arm = getattr(robot, side)
    rng = np.random.default_rng(3)
    q = rng.uniform(arm.limits.lower, arm.limits.upper, (4 * count, 7))
    other = getattr(robot, "right" if side == "left" else "left").configuration("untuck")
    sides = (q, other) if side == "left" else (other, q)
    return q[~np.asarray(robot.in_collision(*sides))][:count]


def solved(robot: Baxter, service: IkService, count: int) -> list[float]:
    """Asks for reachable poses of both sides; times inside the service [s]."""
    times = []
    for side in ("left", "right"):
        arm = getattr(robot, side)
        for q in free_configurations(robot, side, count // 2):
            T = arm.fk(q)
            request = KIND.Request.decode(asked(T).encode())
            started = time.thread_time()
            answer = service.answer(side, request)
            times.append(time.thread_time() - started)
            assert answer.isValid == [True]
            found = answer.joints[0].position
            arm.limits.check(found)
            assert_close(arm.fk(found), T, 1e-8)
            other = getattr(robot, "right" if side == "left" else "left").configuration("untuck")
            sides = (found, other) if side == "left" else (other, found)
            assert not robot.in_collision(*sides)
    return times


def test_reachable_poses_are_solved_and_free(robot: Baxter, service: IkService) -> None:
    solved(robot, service, 60)


@pytest.mark.acceptance
def test_a_thousand_reachable_poses_within_two_milliseconds(
    robot: Baxter, service: IkService
) -> None:
    times = solved(robot, service, 1000)
    p99 = 1e3 * float(np.quantile(times, 0.99))
    middle = 1e3 * float(np.median(times))
    print(f"\n{len(times)} of 1000 valid; inside the service {middle:.3f} ms (median), "
          f"{p99:.3f} ms (p99), {1e3 * max(times):.3f} ms (worst), processor time")  # fmt: skip
    assert len(times) == 1000
    assert p99 <= 2.0


def test_seed_modes_and_result_types(robot: Baxter, service: IkService) -> None:
    q = robot.left.configuration("neutral")
    T = robot.left.fk(q)
    names = list(robot.left.joint_names)
    seed = JointState(name=names[::-1], position=q[::-1].copy())
    by_user = service.answer("left", asked(T, seed_angles=[seed]))
    assert list(by_user.result_type) == [1]
    assert_close(by_user.joints[0].position, q, 1e-6)
    assert list(service.answer("left", asked(T)).result_type) == [2]
    assert list(service.answer("left", asked(T, seed_mode=3)).result_type) == [3]
    assert list(service.answer("left", asked(T, seed_mode=1)).result_type) == [0]  # no seed given
    short = JointState(name=names[:3], position=q[:3].copy())
    assert service.answer("left", asked(T, seed_angles=[short])).isValid == [False]


def test_poses_without_a_solution_are_invalid_and_the_others_are_not(
    robot: Baxter, service: IkService
) -> None:
    T = robot.left.fk(robot.left.configuration("neutral"))
    far = T.copy()
    far[0, 3] = 5.0
    answer = service.answer("left", asked(far, T, far))
    assert answer.isValid == [False, True, False]
    assert [len(joints.name) for joints in answer.joints] == [0, 7, 0]
    assert service.answer("left", asked(T, frame="left_hand_camera")).isValid == [False]
    broken = asked(T)
    broken.pose_stamp[0].pose.orientation.w = 7.0
    assert service.answer("left", broken).isValid == [False]
    assert service.answer("left", asked()).isValid == []
