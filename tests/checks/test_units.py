"""Degrees for radians and millimetres for metres are said, where it costs nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from baxterkit import Arm, Baxter, spatial
from baxterkit.errors import UnitsWarning
from baxterkit.ik import Pointing, Position

NEUTRAL_DEGREES = [0.0, -31.5, 0.0, 43.0, 0.0, 72.0, 0.0]


@pytest.fixture(params=["native", "numpy"])
def arm(request: pytest.FixtureRequest) -> Arm:
    return Arm("left", backend=request.param)


@pytest.mark.parametrize("shape", [(7,), (1, 7), (3, 1, 7)])
def test_degrees_are_said(arm: Arm, shape: tuple[int, ...]) -> None:
    q = np.broadcast_to(NEUTRAL_DEGREES, shape).tolist()
    with pytest.warns(UnitsWarning, match=r"q holds 72 rad, 11.5 turns: .*np.deg2rad\(q\)") as said:
        arm.fk(q)
    assert [w.filename for w in said] == [__file__]
    with pytest.warns(UnitsWarning):
        arm.gravity(q)


@pytest.mark.parametrize(
    "q", [[0, 61, 0, 0, 0, 0, 0], [0, 90, 0, 0, 0, 0, 0], [90] * 7, [0, 0, 0, 0, 0, 0, -180]]
)
def test_degrees_beyond_a_limit_are_said_too(arm: Arm, q: list[float]) -> None:
    one_warning(lambda: arm.fk(q), f"q holds {max(map(abs, q)):g} rad")


def test_degrees_between_rows_of_zeros_are_said(arm: Arm) -> None:
    rows = np.zeros((9, 7))
    rows[3:6] = NEUTRAL_DEGREES
    one_warning(lambda: arm.fk(rows), "q holds 72 rad")
    one_warning(lambda: arm.fk(rows.reshape(3, 3, 7)), "q holds 72 rad")


def test_one_array_with_velocities_may_be_of_a_simulation(arm: Arm) -> None:
    """An arm without stops turns far; what is typed, and batches, are asked."""
    q, zero, out = np.array(NEUTRAL_DEGREES), np.zeros(7), np.empty(7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm.inverse_dynamics(q, zero, zero)
        arm.inverse_dynamics(q, zero, zero, out=out)
        arm.inverse_dynamics(q, zero.tolist(), zero)
    one_warning(lambda: arm.inverse_dynamics(q.tolist(), zero, zero), "q holds 72 rad")
    one_warning(lambda: arm.inverse_dynamics(q[None], zero, zero), "q holds 72 rad")


@pytest.mark.parametrize("angle", [361.0, 999.0, 3600.0])
def test_angles_beyond_a_turn_in_degrees_are_said_too(arm: Arm, angle: float) -> None:
    q = [-angle, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    turns = f"{angle:g} rad, {angle / (2 * np.pi):.1f} turns, too many in degrees too: are these"
    one_warning(lambda: arm.fk(q), f"q holds {turns} milliradians?")
    one_warning(lambda: arm.fk([q, [0.0] * 7]), f"q holds {turns} milliradians?")
    one_warning(lambda: spatial.rpy_to_matrix([angle, 0.0, 0.0]), f"rpy holds {turns}")


def test_turns_and_nonsense_are_left_alone(arm: Arm) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for q in ([9.9] * 7, [1e4] * 7, np.empty((0, 7)), [[0.0] * 7]):
            arm.fk(q)
        arm.inverse_dynamics([0.0] * 7, [50.0] * 7, [50.0] * 7)  # these are no positions


def test_a_warning_made_an_error_stops_the_call(arm: Arm) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UnitsWarning, match="degrees"):
            arm.fk([NEUTRAL_DEGREES])


@pytest.mark.parametrize("batch", [(), (2,)])
def test_millimetres_are_said(arm: Arm, batch: tuple[int, ...]) -> None:
    T = np.broadcast_to(np.eye(4), (*batch, 4, 4)).copy()
    T[..., :3, 3] = 650.0, 200.0, 150.0
    with pytest.warns(UnitsWarning, match="T is 650 m away: are these millimetres") as said:
        arm.ik(T)
    assert [w.filename for w in said] == [__file__]
    T[..., :3, 3] = 3.0, 0.0, 0.0  # out of reach, as it is meant
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm.ik(T)


def test_the_last_row_is_looked_at_too(arm: Arm) -> None:
    q = np.zeros((3, 2, 7))
    q[-1, -1] = NEUTRAL_DEGREES
    with pytest.warns(UnitsWarning, match="degrees"):
        arm.fk(q)


def one_warning(call: Callable[[], object], words: str) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        call()
    assert [w.filename for w in said] == [__file__]
    assert said[0].category is UnitsWarning
    assert words in str(said[0].message)


def test_every_way_into_inverse_kinematics_says_millimetres_once(arm: Arm) -> None:
    T = np.eye(4)
    T[:3, 3] = 650.0, 200.0, 150.0
    robot, q = Baxter(left=arm), arm.configuration("neutral")
    calls: dict[str, Callable[[], object]] = {
        "T is": lambda: arm.ik(Position(T[:3, 3])),
        "T is 650 m": lambda: arm.ik(Pointing(T[:3, 3], [0, 0, -1])),
        "T is 6": lambda: arm.ik(T, of="left_hand_camera"),
        "T is 65": lambda: arm.ik_all(T),
        "T is 650": lambda: arm.self_motion(T),
        "Ts is": lambda: arm.ik_path([T, T]),
        "T_left is": lambda: robot.hands.ik(T, T),
        "T_left is 650": lambda: robot.hands.ik_path([T], [T]),
        "relative is": lambda: robot.hands.ik(arm.fk(q), relative=T),
        "T is 650 m away": lambda: robot.ik("left", T, other=q),
        "mount is": lambda: Arm("left", mount=T),
        "T_hand_tip is": lambda: Arm("left", T),
    }
    if arm.backend == "native":
        calls["T is 650 m away:"] = lambda: arm.ik_track(T, q)
    for words, call in calls.items():
        one_warning(call, words)


def test_every_way_into_the_robot_says_degrees_once(arm: Arm) -> None:
    robot, q, T = Baxter(left=arm), np.array(NEUTRAL_DEGREES), arm.fk(arm.configuration("neutral"))
    calls: dict[str, Callable[[], object]] = {
        "seed holds": lambda: arm.ik(T, q),
        "seed holds 72": lambda: arm.ik(np.stack([T, T]), np.stack([q, q])),
        "seed holds 72 rad": lambda: robot.hands.ik(T, T, (q, q)),
        "posture holds": lambda: arm.ik(T, posture=q),
        "e0 is 50 rad": lambda: arm.ik_all(T, 50.0),
        "q_left holds": lambda: robot.hands.relative_pose(q, arm.configuration("neutral")),
        "q_left holds 72": lambda: robot.hands.relative_jacobian([q], [q]),
        "q_left holds 72 rad": lambda: robot.transform("base", "left_hand", [q, q]),
        "head holds 40 rad": lambda: robot.transform("base", "head", head=40.0),
    }
    if arm.backend == "native":
        calls["seed holds 72 rad,"] = lambda: arm.ik_path(T[None], q)
        calls["q holds"] = lambda: arm.ik_track(T, q)
    for words, call in calls.items():
        one_warning(call, words)
