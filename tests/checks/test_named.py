"""Joint values that come with names are taken by name, in any order, or refused in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import components
import numpy as np
import pytest

from baxterkit import Arm, Baxter, trajectory
from baxterkit.dynamics import MomentumObserver
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.names import JOINTS, joint_names, message_names

LEFT = joint_names("left")
Q = {name: 0.1 * (i + 1) for i, name in enumerate(LEFT)}
ROW = np.array(list(Q.values()))
WHOLE = {**dict.fromkeys(message_names(), 9.0), "head_pan": 0.3, **Q}
"""The robot's message: both arms, alphabetical, and the head."""


@dataclass
class Message:
    """Stands for sensor_msgs/JointState."""

    name: list[str]
    position: list[float]
    velocity: list[float] = field(default_factory=list)
    effort: list[float] = field(default_factory=list)


def shuffled(values: dict[str, float]) -> dict[str, float]:
    return dict(sorted(values.items(), key=lambda item: item[0][::-1]))


MESSAGE = Message(list(WHOLE), list(WHOLE.values()))
FIELDS = np.array([tuple(Q[n] for n in sorted(Q))], dtype=[(n, float) for n in sorted(Q)])

ONE: dict[str, Any] = {
    "dict": shuffled(Q),
    "dict of the whole robot": WHOLE,
    "dict without the side": shuffled({name[5:]: value for name, value in Q.items()}),
    "message": MESSAGE,
    "record": FIELDS[0:1].reshape(()),
}


@pytest.fixture(params=["native", "numpy"])
def arm(request: pytest.FixtureRequest) -> Arm:
    return Arm("left", backend=request.param)


@pytest.mark.parametrize("form", ONE)
def test_one_state_by_name(arm: Arm, form: str) -> None:
    np.testing.assert_array_equal(arm.fk(ONE[form]), arm.fk(ROW))


def test_every_method_takes_names(arm: Arm) -> None:
    names = shuffled(Q)
    calls: dict[str, Callable[[Any], Any]] = {
        "link_poses": arm.link_poses,
        "jacobian": lambda q: arm.jacobian(q, "tip"),
        "inertia": arm.inertia,
        "gravity": arm.gravity,
        "inverse_dynamics": lambda q: arm.inverse_dynamics(q, q, q),
        "lagrange": lambda q: arm.inverse_dynamics(q, q, q, method="lagrange"),
        "forward_dynamics": lambda q: arm.forward_dynamics(q, q, q),
        "with wrench": lambda q: arm.forward_dynamics(q, q, q, wrench=np.ones(6)),
        "task_inertia": arm.task_inertia,
        "joint_velocity": lambda q: arm.joint_velocity(q, np.ones(6), qd_null=q),
        "manipulability": arm.manipulability,
        "limits": arm.limits.clip,
        "seed": lambda q: arm.ik(arm.fk(ROW), seed=q).q,
    }
    for name, call in calls.items():
        np.testing.assert_array_equal(call(names), call(ROW), err_msg=name)


def test_a_message_gives_velocities_and_efforts(arm: Arm) -> None:
    names = list(reversed(LEFT))
    values = ROW[::-1].tolist()
    message = Message(names, values, [2 * v for v in values], [3 * v for v in values])
    expected = arm.forward_dynamics(ROW, 2 * ROW, 3 * ROW)
    np.testing.assert_array_equal(arm.forward_dynamics(message, message, message), expected)
    with pytest.raises(InputError, match="qdd: a message has no accelerations"):
        arm.inverse_dynamics(message, message, message)
    with pytest.raises(InputError, match="qd: the message has 15 names and 0 values in velocity"):
        arm.inverse_dynamics(MESSAGE, MESSAGE, ROW)


def test_batches_by_name(arm: Arm) -> None:
    q = np.linspace(0.0, 0.5, 21).reshape(3, 7)
    columns = {name: q[:, i] for i, name in enumerate(LEFT)}
    np.testing.assert_array_equal(arm.fk(shuffled(columns)), arm.fk(q))
    rows = [shuffled(dict(zip(LEFT, row, strict=True))) for row in q]
    np.testing.assert_array_equal(arm.fk(rows), arm.fk(q))
    np.testing.assert_array_equal(
        arm.fk({**columns, "left_e1": 0.5})[0], arm.fk([*q[0, :3], 0.5, *q[0, 4:]])
    )
    with pytest.raises(ShapeError, match="q: the columns of the joints differ in length"):
        arm.fk({**columns, "left_e1": [1.0, 2.0]})


def test_pandas_tables_go_by_their_labels(arm: Arm) -> None:
    components.require("pandas")
    import pandas as pd

    series = pd.Series(WHOLE).sort_index()
    np.testing.assert_array_equal(arm.fk(series), arm.fk(ROW))
    frame = pd.DataFrame([WHOLE, WHOLE]).sort_index(axis=1)
    np.testing.assert_array_equal(arm.fk(frame), arm.fk([ROW, ROW]))
    np.testing.assert_array_equal(arm.fk(frame.iloc[1]), arm.fk(ROW))
    np.testing.assert_array_equal(arm.fk(pd.Series(ROW)), arm.fk(ROW))  # no names: an array
    mixed = frame.assign(stamp="today", valid=True)  # a column of text makes objects of all
    np.testing.assert_array_equal(arm.fk(mixed), arm.fk(frame))
    np.testing.assert_array_equal(arm.fk(mixed.iloc[0]), arm.fk(ROW))
    with pytest.raises(
        InputError, match=r"q is a table with the labels 6, 5, .*label it by joints"
    ):
        arm.fk(pd.Series(ROW).iloc[::-1])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {f"right_{name[5:]}": value for name, value in Q.items()},
            r"q holds joints of the right arm \(right_s0, right_s1, .*\), and this is the left arm",
        ),
        ({k: v for k, v in Q.items() if k != "left_e1"}, "q lacks the joint left_e1; it has left"),
        ({}, "q lacks the joints left_s0, left_s1, .*; it has none"),
        (Message([*LEFT, "left_e1"], [0.0] * 8), "q names the joint left_e1 twice"),
        (
            {**dict.fromkeys(LEFT, 0.0), "e1": 5.0},
            "q names the joint left_e1 twice, as 'left_e1' and 'e1'",
        ),
        (Message(list(LEFT), [0.0] * 6), "q: the message has 7 names and 6 values in position"),
        ({**Q, "left_w0": np.nan}, r"q\[4\] = nan; every value of q must be finite"),
        ({**Q, "left_w0": "up"}, "q must hold real numbers, got the text 'up'"),
    ],
)
def test_wrong_names_are_refused(arm: Arm, values: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        arm.fk(values)


def test_each_argument_of_the_robot_goes_by_its_arm() -> None:
    robot = Baxter()
    right = {name.replace("left", "right"): value for name, value in Q.items()}
    both = {**Q, **right}
    np.testing.assert_array_equal(
        robot.hands.relative_pose(both, both), robot.hands.relative_pose(ROW, ROW)
    )
    with pytest.raises(InputError, match="q_right holds joints of the left arm"):
        robot.hands.relative_pose(Q, Q)


def test_the_robots_message_gives_the_head_and_both_arms() -> None:
    robot = Baxter()
    right = {name.replace("left", "right"): -value for name, value in Q.items()}
    message = Message([*Q, *right, "head_pan"], [*Q.values(), *right.values(), 0.4])
    both = np.concatenate([ROW, -ROW])
    expected = robot.transform("left_hand", "head_camera", ROW, head=0.4)
    np.testing.assert_array_equal(
        robot.transform("left_hand", "head_camera", message, head=message), expected
    )
    batch = robot.transform("base", "head_camera", head=[message, {"head_pan": 0.1}])
    np.testing.assert_array_equal(batch[1], robot.transform("base", "head_camera", head=0.1))
    with pytest.raises(InputError, match="head lacks the joint head_pan"):
        robot.transform("base", "head", head=Q)
    near = robot.nearest(message, message, message).clearance
    np.testing.assert_array_equal(near, robot.nearest(ROW, -ROW, 0.4).clearance)
    assert robot.edge_free(message, both) == robot.edge_free(both, both)
    with pytest.raises(InputError, match="q1 holds joints of the left arm"):
        robot.edge_free(both, Q)


def test_motions_go_by_the_names_of_their_arm() -> None:
    arm, goal = Arm("left"), Arm("left").configuration("untuck")
    by_name = trajectory.min_jerk(arm, shuffled(arm.named(goal)), WHOLE)
    np.testing.assert_array_equal(by_name.sample(0.0).q, goal)
    np.testing.assert_array_equal(
        trajectory.through(arm, [WHOLE, arm.named(goal)]).sample(0.0).q, ROW
    )
    wrong = Arm("right").named(goal)
    for call in (
        lambda: trajectory.min_jerk(arm, wrong, goal),
        lambda: trajectory.through(arm, [wrong, wrong]),
        lambda: trajectory.lines([arm.fk(goal), arm.fk(ROW)]).to_joints(arm, wrong),
        lambda: MomentumObserver(arm).update(wrong, ROW, ROW, 0.01),
    ):
        with pytest.raises(InputError, match="holds joints of the right arm"):
            call()


def test_values_go_back_by_name(arm: Arm) -> None:
    assert arm.named(ROW) == Q
    assert list(arm.named(WHOLE)) == list(LEFT)
    assert all(type(value) is float for value in arm.named(ROW).values())
    columns = arm.named(np.stack([ROW, 2 * ROW]))
    np.testing.assert_array_equal(columns["left_e0"], [ROW[2], 2 * ROW[2]])
    np.testing.assert_array_equal(arm.fk(columns), arm.fk([ROW, 2 * ROW]))
    unsolved = arm.named([ROW, np.full(7, np.nan)])
    np.testing.assert_array_equal(unsolved["left_w2"], [ROW[6], np.nan])
    with pytest.raises(InputError, match=r"q\[0\] = inf"):
        arm.named([np.inf] * 7)


@pytest.mark.parametrize("side", ["", "left_"])
def test_columns_of_a_recording_are_told_how_to_be_given(arm: Arm, side: str) -> None:
    rows = {f"q_{side}{joint}": [0.1, 0.2] for joint in JOINTS}
    table = {"time": [0.0, 1.0], **rows, **{f"tau_{side}{joint}": [9.0, 9.0] for joint in JOINTS}}
    with pytest.raises(InputError) as caught:
        arm.fk(table)
    advice = "{name.removeprefix('q_'): x for name, x in q.items()}"
    assert str(caught.value).endswith(f"; give {advice}, or of its file recording.load(...).q")
    given = eval(advice, {"q": table})
    assert arm.fk(given).shape == (2, 4, 4)
    with pytest.raises(InputError, match=r"it has tau_[a-z_]*s0, [^;]*$"):  # no positions
        arm.fk({name: x for name, x in table.items() if name.startswith("tau")})


def test_columns_with_units_are_told_how_to_be_given(arm: Arm) -> None:
    with pytest.raises(InputError) as caught:
        arm.fk({f"left_{joint} [deg]": 0.0 for joint in JOINTS})
    assert str(caught.value).endswith(
        "; give {name.removesuffix(' [deg]'): x for name, x in q.items()}, in rad, rad/s and N m"
    )
