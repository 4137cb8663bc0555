"""Runs that fail say so: at once, with joint and time, in the result and in the shell."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from placed import placed

from baxterkit.control import ComputedTorque
from baxterkit.control.tracking import saturation
from baxterkit.errors import ControlWarning, InputError, ResultError
from baxterkit.robot import Followed, RefusedError
from baxterkit.sim import Physics, Twin
from baxterkit.trajectory import Trajectory, both_arms, min_jerk


class After:
    """Computed torque, until after some calls something else comes."""

    def __init__(self, twin: Twin, side: str, calls: int, what: object) -> None:
        self.inner = ComputedTorque(twin.limb(side).arm)
        self.calls, self.what = calls, what

    def reset(self) -> None: ...

    def update(self, state: object, reference: object, dt: float) -> object:
        self.calls -= 1
        if self.calls >= 0:
            return self.inner.update(state, reference, dt)  # type: ignore[arg-type]
        if isinstance(self.what, Exception):
            raise self.what
        return self.what


def one_joint(value: float) -> np.ndarray:
    tau = np.zeros(7)
    tau[3] = value
    return tau


def short(twin: Twin, side: str = "left", duration: float = 0.5) -> Trajectory:
    arm = twin.limb(side).arm
    return min_jerk(arm, arm.configuration("untuck"), arm.configuration("untuck") + 0.02, duration)


def failed(twin: Twin, what: object, side: str = "left") -> tuple[Followed, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = placed(twin, short(twin, side), After(twin, side, 100, what))[side]  # type: ignore[arg-type]
    assert {one.category for one in caught} == {ControlWarning}
    return run, [str(one.message) for one in caught]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    ("what", "said"),
    [
        (one_joint(np.nan), "{side}_e1 = nan N m is not finite"),
        (one_joint(1e4), "{side}_e1 = 10000.000 N m is above its limit 50.000 N m"),
        (np.zeros(6), "(6,)"),
        (np.zeros((2, 7)), "(2, 7)"),
        ("seven", "must hold real numbers"),
        (InputError("no solution here"), "no solution here"),
    ],
    ids=["nan", "too much", "six", "two rows", "words", "raises"],
)
def test_a_bad_command_is_a_warning_at_once_and_no_success(
    what: object, said: str, side: str
) -> None:
    twin = Twin(rigid=True).enable()
    run, messages = failed(twin, what, side)
    assert messages[0].startswith(f"{side} arm, t = 0.100 s: ")
    assert said.format(side=side) in messages[0]
    assert len(messages) == 2  # of this kind one, and that the robot holds the arm
    assert not run.succeeded
    assert [(fault.kind, fault.t) for fault in run.faults] == [("command", 0.1), ("held", 0.3)]
    assert run.faults[0].count == 401
    assert "not a success: t = 0.100 s: " in repr(run)
    with pytest.raises(ResultError, match=r"t = 0\.100 s: ") as error:
        run.raise_if_failed()
    assert error.value.result is run


def test_no_command_is_a_fault_once_the_robot_holds_the_arm() -> None:
    run, messages = failed(Twin(rigid=True).enable(), None)
    assert messages == [
        "left arm, t = 0.300 s: no valid command for 0.2 s; the robot holds the arm"
    ]
    assert not run.succeeded


def test_the_warning_comes_while_the_arm_moves() -> None:
    twin = Twin(rigid=True).enable()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ControlWarning)
        with pytest.raises(ControlWarning, match=r"t = 0\.100 s"):
            placed(twin, short(twin), After(twin, "left", 100, one_joint(np.nan)))  # type: ignore[arg-type]
    assert twin.t == pytest.approx(0.1)
    assert twin.left.mode == "hold"


def test_a_good_run_is_a_success() -> None:
    twin = Twin().enable()
    laws = {limb.side: ComputedTorque(limb.arm) for limb in twin.limbs}
    for run in placed(twin, {side: short(twin, side) for side in laws}, laws).values():
        assert run.succeeded
        assert run.faults == ()
        assert "success" not in repr(run)
        run.raise_if_failed()


def test_only_the_arm_that_failed_is_no_success() -> None:
    twin = Twin(rigid=True).enable()
    laws = {
        "left": ComputedTorque(twin.left.arm),
        "right": After(twin, "right", 100, one_joint(np.nan)),
    }
    with pytest.warns(ControlWarning) as caught:
        runs = placed(twin, {side: short(twin, side) for side in laws}, laws)  # type: ignore[arg-type]
    assert all(str(one.message).startswith("right arm, t = 0.") for one in caught)
    assert runs["left"].succeeded
    assert not runs["right"].succeeded


@pytest.mark.parametrize(
    ("what", "sides"),
    [
        ((one_joint(np.nan), np.zeros(7)), {"left"}),
        ((np.zeros(7), np.zeros(6)), {"right"}),
        (InputError("no solution"), {"left", "right"}),
    ],
    ids=["nan", "six", "raises"],
)
def test_a_controller_of_both_arms_that_fails_is_no_success(what: object, sides: set[str]) -> None:
    class Both:
        def reset(self) -> None: ...

        def update(self, states: object, references: object, dt: float) -> object:
            if isinstance(what, Exception):
                raise what
            return what

    twin = Twin(rigid=True).enable()
    motions = both_arms(short(twin), short(twin, "right"))
    with pytest.warns(ControlWarning):
        runs = placed(twin, motions, Both())  # type: ignore[arg-type]
    assert {side for side, run in runs.items() if not run.succeeded} == sides


def test_streamed_commands_that_the_robot_refuses_are_no_success() -> None:
    twin = Twin(rigid=True).enable()
    arm = twin.left.arm
    motion = min_jerk(arm, arm.configuration("untuck"), arm.configuration("untuck") + 0.5, 3.0)
    fast = motion.stretched(1.0 / 8.0)
    with pytest.warns(ControlWarning, match=r"velocity command refused: left_"):
        run = placed(twin, fast)["left"]
    assert not run.succeeded


def test_torques_at_their_limit_for_most_of_a_run_are_no_success() -> None:
    class Pushing:
        def reset(self) -> None: ...

        def update(self, state: object, reference: object, dt: float) -> np.ndarray:
            tau = np.zeros(7)
            tau[5] = -15.0
            return tau

    twin = Twin(rigid=True, physics=Physics(contacts=False)).enable()
    with pytest.warns(ControlWarning, match=r"left_w1 was at its effort limit of 15 N m in"):
        run = placed(twin, short(twin), Pushing())["left"]  # type: ignore[arg-type]
    assert [fault.kind for fault in run.faults] == ["saturated"]


def test_a_joint_saturated_for_less_than_half_of_a_run_is_no_fault() -> None:
    t, tau = np.arange(10.0), np.zeros((10, 7))
    tau[:5, 2] = -50.0
    effort, names = np.full(7, 50.0), [f"joint {i}" for i in range(7)]
    assert saturation(t, tau, effort, names) is None
    tau[5, 2] = 50.0
    found = saturation(t, tau, effort, names)
    assert found is not None
    assert found[0] == 0.0
    assert found[1].startswith("joint 2 was at its effort limit of 50 N m in 60 % of the run")


def test_an_arm_that_leaves_its_motion_tells_how_its_controller_failed() -> None:
    twin = Twin(rigid=True).enable()
    arm = twin.left.arm
    motion = min_jerk(arm, arm.configuration("untuck"), arm.configuration("neutral"), 3.0)
    said = r"off the motion .* t = 0\.100 s: torque command must have 7 values .* \(6,\)"
    with pytest.warns(ControlWarning), pytest.raises(RefusedError, match=said) as refused:
        twin.place_at(motion).follow(motion, After(twin, "left", 100, np.zeros(6)))  # type: ignore[arg-type]
    assert refused.value.reason == "jump"
