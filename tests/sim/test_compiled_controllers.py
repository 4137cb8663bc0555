"""Controllers within the compiled step against the same ones called from Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tolerances import TWIN_RUN, assert_close

from baxterkit import Arm, Baxter
from baxterkit.control import (
    CartesianImpedance,
    ComputedTorque,
    DoubleLoopPid,
    JointImpedance,
    PdGravity,
    Smoothed,
)
from baxterkit.control.compiled import compiled_law
from baxterkit.control.signals import Reference, State
from baxterkit.errors import ControlWarning
from baxterkit.robot.errors import RefusedError
from baxterkit.sim import Twin, nominal_effects
from baxterkit.sim.native_step import NativeStep
from baxterkit.trajectory import Trajectory, min_jerk

RIGID = {side: Arm(side, "electric_standard") for side in ("left", "right")}
KNOWN = {side: arm.with_effects(nominal_effects()) for side, arm in RIGID.items()}
LAWS: dict[str, Callable[[Arm], object]] = {
    "pd": PdGravity,
    "computed torque": ComputedTorque,
    "rigid computed torque": lambda arm: ComputedTorque(RIGID[arm.side], kp=200.0),
    "impedance": JointImpedance,
    "tip": CartesianImpedance,
    "uneven tip": lambda arm: CartesianImpedance(
        arm, [500.0, 300.0, 100.0, 10.0, 20.0, 30.0], drag=5.0, null_stiffness=np.arange(7.0)
    ),
    "pid": DoubleLoopPid,
    "pid, no model": lambda arm: DoubleLoopPid(feedforward=True),
    "pid, weak": lambda arm: DoubleLoopPid(arm, effort=[30.0, 40.0, 20.0, 20.0, 1.0, 1.0, 0.3]),
}


def twin_of(quiet: bool = True) -> Twin:
    """A twin; a quiet one has neither noise nor sensor steps."""
    twin = Twin(Baxter(**KNOWN), noise=0.0 if quiet else 1.0).enable()
    if not isinstance(twin._step, NativeStep):
        pytest.skip("the extension was not built")
    twin._record.quantised[0] = not quiet
    return twin


def motions(sides: tuple[str, ...] = ("left", "right")) -> dict[str, Trajectory]:
    """A brisk motion."""
    return {
        side: min_jerk(arm, arm.configuration("untuck"), arm.configuration("untuck") + 0.2, 1.0)
        for side, arm in KNOWN.items()
        if side in sides
    }


def in_python(law: object) -> object:
    """The same controller, of a class that the compiled step does not know."""
    law.__class__ = type("Mine", (type(law),), {})
    assert compiled_law(law) is None
    return law


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("rate", [1000.0, 100.0])
def test_the_compiled_controller_is_the_python_one(name: str, rate: float) -> None:
    results, laws = [], []
    for form in (lambda law: law, in_python):
        twin, motion = twin_of(), motions()
        twin.control_rate = rate
        made = {side: form(LAWS[name](KNOWN[side])) for side in motion}
        results.append(twin.place_at(motion).follow(motion, made, settle=0.1))
        laws.append(made)
    assert compiled_law(laws[0]["left"]) is not None
    for side in motion:
        one, other = (result[side] for result in results)
        for field in ("q", "qd", "tau"):
            assert_close(getattr(one.exact, field), getattr(other.exact, field), 100.0 * TWIN_RUN)
        assert_close(one.command, other.command, 1e4 * TWIN_RUN)
        assert (one.held == other.held).all()
        assert [fault.kind for fault in one.faults] == [fault.kind for fault in other.faults]
        if isinstance(laws[0][side], DoubleLoopPid):
            assert_close(laws[0][side].integral, laws[1][side].integral, TWIN_RUN)


@pytest.mark.parametrize("name", LAWS)
def test_the_compiled_torques_are_those_of_python_anywhere(name: str) -> None:
    """Far from the motion too: errors of whole turns, any velocity."""
    twin, rng = twin_of(), np.random.default_rng(5)
    arm, law = KNOWN["left"], LAWS[name](KNOWN["left"])
    core, reading = twin._step.core, twin._record.reading[0]  # type: ignore[union-attr]
    free = 0
    for size in np.repeat([1e-6, 0.01, 0.3, 3.0], 50):
        law.reset()
        form = compiled_law(law)
        assert form is not None
        wanted = rng.uniform(arm.limits.lower, arm.limits.upper)
        reading[0] = wanted + size * rng.uniform(-1.0, 1.0, 7)
        reading[1] = 0.3 * rng.uniform(-1.0, 1.0, 7)
        row = np.stack([wanted, *(0.3 * rng.uniform(-1.0, 1.0, (2, 7)))])
        core.steer(1, form._replace(motion=row[None]), None)
        assert core.control() == 0
        tau = twin._record.command[0].copy()
        form.integral[:] = 0.0
        expected = law.update(State(*reading[:2]), Reference(*row), 0.001)
        assert_close(tau, expected, 1e-11)
        free += int((np.abs(tau) < law.effort).sum())
    core.unsteer()
    assert free > 500  # saturated joints would hide a difference


def test_odd_periods_are_kept() -> None:
    counts = []
    for form in (lambda law: law, in_python):
        twin, motion = twin_of(), motions(("right",))
        twin.control_rate, twin.record_rate = 125.0, 200.0
        result = twin.place_at(motion).follow(motion, form(PdGravity(KNOWN["right"])), settle=0.0)
        counts.append(result["right"].command)
    assert_close(counts[0], counts[1], 1e-6)


def test_other_controllers_have_no_compiled_form() -> None:
    arm = KNOWN["left"]
    assert compiled_law(Smoothed(PdGravity(arm))) is None
    assert compiled_law(PdGravity(arm.gravity)) is None
    assert compiled_law(PdGravity(Arm("left", backend="numpy"))) is None
    changed = PdGravity(arm)
    changed.update = lambda *_: np.zeros(7)  # type: ignore[method-assign]
    assert compiled_law(changed) is None


def test_a_stop_ends_a_compiled_motion_and_its_commands() -> None:
    twin, motion = twin_of(quiet=False), motions()
    twin._taps.append(lambda: twin.stop() if twin.t > 0.3 else None)
    laws = {side: ComputedTorque(KNOWN[side]) for side in motion}
    with pytest.raises(RefusedError, match="stopped"):
        twin.place_at(motion).follow(motion, laws)
    assert twin.t < 0.33
    assert all(limb.mode == "hold" for limb in twin.limbs)
    twin._taps.clear()
    twin.enable()
    twin.step(50)
    assert all(limb.mode == "hold" for limb in twin.limbs)  # no controller is left behind


def test_torques_above_the_robots_limits_are_refused_in_words() -> None:
    twin, motion = twin_of(quiet=False), motions(("left",))
    strong = PdGravity(KNOWN["left"], kp=1e5, effort=1000.0)
    with pytest.warns(ControlWarning):
        result = twin.place_at(motion).follow(motion, strong, settle=0.0, path_tolerance=3.0)
    assert not result.succeeded
    words = [fault.message for fault in result["left"].faults if fault.kind == "command"]
    assert words
    assert "torque command refused" in words[0]
    assert np.isnan(result["left"].command).any()


def test_wrong_controllers_are_refused() -> None:
    twin, motion = twin_of(), np.zeros((3, 3, 7))
    core = twin._step.core  # type: ignore[union-attr]
    law = compiled_law(PdGravity(KNOWN["left"]))
    assert law is not None
    law = law._replace(motion=motion)
    kind, arm, effects, gains, effort, integral, feedforward, motion = law
    for wrong in (
        (9, arm, effects, gains, effort, integral, feedforward, motion),
        (kind, None, effects, gains, effort, integral, feedforward, motion),
        (kind, arm, effects, gains[:3], effort, integral, feedforward, motion),
        (kind, arm, effects, gains, effort, integral[:3], feedforward, motion),
        (kind, arm, effects, gains, effort, integral, feedforward, motion[0, 0]),
    ):
        with pytest.raises(ValueError, match="controller"):
            core.steer(1, wrong, None)  # type: ignore[arg-type]
    core.steer(1, law, None)
    twin.step(10)  # past the end of the motion
    assert twin.left.mode == "torque"
    core.unsteer()
