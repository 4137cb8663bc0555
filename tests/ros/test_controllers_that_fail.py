"""Controllers that fail over the link: said at once, with joint and time, and no success."""

from __future__ import annotations

from collections.abc import Iterator

import components
import numpy as np
import pytest

from baxterkit.control import ComputedTorque
from baxterkit.control.tracking import saturation
from baxterkit.errors import ControlWarning, InputError, ResultError
from baxterkit.ros import InProcess, RefusedError, in_process
from baxterkit.trajectory import min_jerk


@pytest.fixture
def both() -> Iterator[InProcess]:
    components.require("mujoco")
    with in_process(enabled=True) as both:
        both.link.take_control()
        yield both


class After:
    """Computed torque with little bandwidth, until after some calls something else comes."""

    def __init__(self, both: InProcess, side: str, calls: int, what: object) -> None:
        self.inner = ComputedTorque(both.link.limb(side).arm, kp=12.0**2)
        self.calls, self.what = calls, what

    def reset(self) -> None: ...

    def update(self, state: object, reference: object, dt: float) -> object:
        self.calls -= 1
        good = self.inner.update(state, reference, dt)  # type: ignore[arg-type]
        if self.calls >= 0:
            return good
        if isinstance(self.what, Exception):
            raise self.what
        return self.what(good) if callable(self.what) else self.what


def one_joint(value: float, good: np.ndarray) -> np.ndarray:
    tau = good.copy()
    tau[5] = value
    return tau


def run(both: InProcess, side: str, what: object) -> object:
    arm = both.link.limb(side).arm
    start = both.link.limb(side).q
    motion = min_jerk(arm, start, start + 0.02, 1.0)
    controller = After(both, side, 20, what)
    return both.link.follow(motion, controller)  # type: ignore[arg-type]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    ("what", "said"),
    [
        (lambda good: one_joint(np.nan, good), "gave {side}_w1 = nan at 0.20 s"),
        (lambda good: good[:6], "failed at 0.20 s: torques of the controller must have 7 values"),
        (lambda good: np.stack([good, good]), "gave shape (2, 7), not (7,) at 0.20 s"),
        (None, "failed at 0.20 s: torques of the controller"),
        (InputError("no solution"), "failed at 0.20 s: no solution"),
        (ZeroDivisionError("by zero"), "failed at 0.20 s: ZeroDivisionError: by zero"),
        (StopIteration(), "failed at 0.20 s: StopIteration"),
    ],
    ids=["nan", "six", "two rows", "none", "raises", "divides by zero", "stops"],
)
def test_a_controller_without_torques_ends_the_motion(
    both: InProcess, side: str, what: object, said: str
) -> None:
    with pytest.raises(RefusedError) as error:
        run(both, side, what)
    assert error.value.reason == "controller"
    assert f"the {side} arm's controller " in str(error.value)
    assert said.format(side=side) in str(error.value)


def test_torques_above_their_limits_are_cut_and_said_at_once(both: InProcess) -> None:
    """The gate refuses what is left of it, since the arm would run away."""
    with (
        pytest.warns(ControlWarning) as caught,
        pytest.raises(RefusedError, match=r"not sent: predicted .* is outside"),
    ):
        run(both, "left", lambda good: one_joint(1e4, good))
    assert [str(one.message) for one in caught] == [
        "left arm, t = 0.200 s: the controller gave left_w1 = 10000.0 N m; it was cut to the "
        "limit of 15 N m"
    ]


def test_a_motion_with_torques_at_their_limit_is_no_success(
    both: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The torques that the robot measures count; here the limits are taken to be low."""
    from baxterkit.ros import following

    low = lambda t, tau, effort, names: saturation(t, tau, 0.01 * effort, names)  # noqa: E731
    monkeypatch.setattr(following, "saturation", low)
    with pytest.warns(ControlWarning, match=r"left_s1 was at its effort limit of 1 N m in 100 %"):
        followed = run(both, "left", lambda good: good)["left"]  # type: ignore[index]
    assert not followed.succeeded
    assert "not a success: t = 0.0" in repr(followed)
    with pytest.raises(ResultError, match="left_s1 was at its effort limit"):
        followed.raise_if_failed()


def test_a_motion_that_is_followed_is_a_success(both: InProcess) -> None:
    followed = run(both, "left", lambda good: good)["left"]  # type: ignore[index]
    assert followed.succeeded
    assert "success" not in repr(followed)
