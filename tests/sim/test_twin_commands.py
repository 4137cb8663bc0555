"""Command modes, refusals, and the robot's own timeout."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from placed import placed
from tolerances import assert_close

from baxterkit import Arm, Payload, recording
from baxterkit.control import ComputedTorque, State
from baxterkit.errors import (
    BaxterkitError,
    ControlWarning,
    InputError,
    MissingExtraError,
    ModelError,
    ShapeError,
)
from baxterkit.sim import Physics, Twin
from baxterkit.trajectory import min_jerk


def test_a_new_twin_holds() -> None:
    twin = Twin().enable()
    before = [limb.truth.q for limb in twin.limbs]
    twin.step(1000)
    for limb, q in zip(twin.limbs, before, strict=True):
        assert limb.mode == "hold"
        assert np.abs(limb.truth.q - q).max() < 5e-4


def test_position_commands_arrive() -> None:
    twin = Twin().enable()
    assert twin.move_to("neutral", "neutral")
    for limb in twin.limbs:
        assert np.abs(limb.truth.q - limb.arm.configuration("neutral")).max() < 0.01
    assert twin.t < 6.0


def test_position_commands_keep_to_the_speed_ratio() -> None:
    twin = Twin(noise=0.0).enable()
    twin.left.speed_ratio = 0.2
    fastest = np.zeros(7)
    for _ in range(100):
        twin.left.command_position(twin.left.arm.configuration("neutral"))
        twin.step(10)
        fastest = np.maximum(fastest, np.abs(twin.left.truth.qd))
    assert (fastest < 1.3 * 0.2 * twin.left.arm.limits.velocity).all()
    assert fastest.max() > 0.25


def test_velocity_commands_are_followed() -> None:
    twin = Twin(noise=0.0).enable()
    qd = np.array([0.3, -0.2, 0.1, -0.2, 0.4, 0.2, -0.5])
    for _ in range(10):
        twin.left.command_velocity(qd)
        twin.step(100)
    assert_close(twin.left.truth.qd, qd, 0.02)


def test_velocity_commands_stop_at_the_end_of_the_range() -> None:
    twin = Twin(noise=0.0, physics=Physics(contacts=False)).enable()
    upper = twin.left.arm.limits.upper
    for _ in range(100):
        twin.left.command_velocity([0, 0, 0, 0, 0, 0, 4.0])
        twin.step(20)
    assert abs(twin.left.truth.q[6] - upper[6]) < 0.01
    assert np.abs(twin.left.truth.qd).max() < 0.02


def test_raw_position_commands_are_quicker() -> None:
    motion = min_jerk(Twin().enable().left.arm, np.full(7, 0.1), np.full(7, 0.4), 2.0)
    filtered, raw = (
        placed(Twin(noise=0.0).enable(), motion, mode=mode).rms()
        for mode in ("position", "raw position")
    )
    assert raw < 0.5 * filtered


@pytest.mark.parametrize("mode", ["position", "velocity", "torque"])
def test_without_commands_the_arm_brakes_and_holds(mode: str) -> None:
    twin = Twin(noise=0.0).enable()
    limb = twin.left
    for _ in range(10):
        if mode == "position":
            limb.command_position(limb.arm.configuration("neutral"))
        elif mode == "velocity":
            limb.command_velocity(np.full(7, 0.3))
        else:
            limb.command_torque([5.0, 5.0, 2.0, 2.0, 0.3, 0.3, 0.2])
        twin.step(20)
    assert limb.mode == mode
    moving = np.abs(limb.truth.qd).max()
    assert moving > 0.1
    twin.step(179)
    assert limb.mode == mode
    twin.step(3)
    assert limb.mode == "hold"
    rows = []
    for _ in range(1500):
        twin.step()
        rows.append(np.concatenate([limb.truth.q, limb.truth.qd]))
    q, qd = np.array(rows)[:, :7], np.array(rows)[:, 7:]
    assert np.abs(qd[-1]).max() < 0.01
    # No jump: it never moves faster than when the commands stopped, and comes to rest ahead.
    assert np.abs(qd).max() < 1.3 * np.abs(qd[0]).max() + 0.02
    assert np.abs(np.diff(q, axis=0)).max() < 1.5e-3 * (np.abs(qd[0]).max() + 0.02)


def test_the_timeout_can_be_set() -> None:
    twin = Twin().enable()
    limb = twin.left
    assert limb.command_timeout == 0.2
    limb.command_timeout = 0.5
    limb.command_velocity(np.full(7, 0.1))
    twin.step(499)
    assert limb.mode == "velocity"
    twin.step(3)
    assert limb.mode == "hold"
    with pytest.raises(InputError, match=r"command_timeout = 0 s; it must be at least 0.001 s"):
        limb.command_timeout = 0


def refused(command: object) -> str:
    with pytest.raises(BaxterkitError) as error:
        command()  # type: ignore[operator]
    return str(error.value)


def test_commands_outside_the_limits_are_refused() -> None:
    limb = Twin().enable().left
    q = limb.arm.configuration("neutral").copy()
    q[3] = 2.7
    assert refused(lambda: limb.command_position(q)) == (
        "position command refused: left_e1 = 2.700 rad is above its limit 2.618 rad; the left arm "
        "keeps its last command until that times out"
    )
    assert refused(lambda: limb.command_velocity([0, -2, 0, 0, 0, 0, 0])) == (
        "velocity command refused: left_s1 = -2.000 rad/s is below its limit -1.500 rad/s; the "
        "left arm keeps its last command until that times out"
    )
    assert refused(lambda: limb.command_torque([0, 0, 0, 0, 0, 0, 15.5])) == (
        "torque command refused: left_w2 = 15.500 N m is above its limit 15.000 N m; the left arm "
        "keeps its last command until that times out"
    )


def test_commands_at_the_limits_are_taken() -> None:
    limb = Twin().enable().left
    limits = limb.arm.limits
    limb.command_torque(limits.effort)
    limb.command_velocity(-limits.velocity)
    limb.command_position(limits.upper)
    assert limb.mode == "position"


def test_commands_that_are_no_numbers_are_refused() -> None:
    limb = Twin().enable().left
    assert refused(lambda: limb.command_torque([0, np.nan, 0, 0, 0, 0, 0])) == (
        "torque command[1] = nan; every value of torque command must be finite"
    )
    assert "is not finite" in refused(lambda: limb.command_torque(np.full(7, np.nan)))
    assert "is not finite" in refused(lambda: limb.command_position(np.full(7, np.inf)))
    with pytest.raises(ShapeError):
        limb.command_velocity([0.0, 0.0])
    with pytest.raises(InputError):
        limb.command_velocity("fast")
    with pytest.raises(InputError, match=r"shape \(7,\)"):
        limb.command_position(np.zeros((2, 7)))
    assert limb.mode == "hold"


def test_refused_commands_lead_to_hold() -> None:
    twin = Twin().enable()
    limb = twin.left
    limb.command_velocity(np.full(7, 0.3))
    for _ in range(30):
        with pytest.raises(InputError):
            limb.command_velocity(np.full(7, np.nan))
        twin.step(10)
    assert limb.mode == "hold"


def test_a_message_commands_what_its_fields_are_for() -> None:
    twin = Twin(rigid=True).enable()
    arm = twin.left.arm
    names = sorted(arm.joint_names)
    q = arm.configuration("untuck")
    position = [arm.named(q)[name] for name in names]
    message = SimpleNamespace(name=names, position=position, velocity=[0.1] * 7, effort=[0.2] * 7)
    commanded: dict[str, np.ndarray] = {}
    twin.left._loops.command = lambda mode, values: commanded.update({mode.name: values})  # type: ignore[method-assign]
    twin.left.command_position(message)
    twin.left.command_velocity(message)
    twin.left.command_torque(message)
    np.testing.assert_array_equal(commanded["POSITION"], q)
    np.testing.assert_array_equal(commanded["VELOCITY"], np.full(7, 0.1))
    np.testing.assert_array_equal(commanded["TORQUE"], np.full(7, 0.2))
    for command in (twin.right.command_torque, twin.right.command_position):
        with pytest.raises(InputError, match="command holds joints of the left arm"):
            command(message)
    with pytest.raises(InputError, match="right holds joints of the left arm"):
        twin.move_to(right=arm.named(q))


def test_a_command_is_copied() -> None:
    twin = Twin(noise=0.0).enable()
    qd = np.full(7, 0.3)
    twin.left.command_velocity(qd)
    qd[:] = 1.0
    twin.step(150)
    assert_close(twin.left.truth.qd, np.full(7, 0.3), 0.05)


class Failing:
    """A controller that works for a second and then gives what it is told to."""

    def __init__(self, twin: Twin, what: object) -> None:
        self.inner = ComputedTorque(twin.left.arm)
        self.what = what
        self.calls = 0

    def reset(self) -> None:
        self.calls = 0

    def update(self, state: State, reference: object, dt: float) -> object:
        self.calls += 1
        if self.calls < 1000:
            return self.inner.update(state, reference, dt)  # type: ignore[arg-type]
        if isinstance(self.what, BaxterkitError):
            raise self.what
        return self.what


@pytest.mark.parametrize(
    "what",
    [np.full(7, np.nan), None, np.full(7, 1e6), InputError("no solution")],
    ids=["nan", "stalled", "too much", "raises"],
)
def test_a_failing_controller_leads_to_hold_not_to_a_jump(what: object) -> None:
    twin = Twin(rigid=True).enable()
    arm = twin.left.arm
    start = arm.configuration("untuck")
    motion = min_jerk(arm, start, start + 0.4, 2.0)
    with pytest.warns(ControlWarning):
        rec = placed(twin, motion, Failing(twin, what), settle=1.0)["left"]  # type: ignore[arg-type]
    assert not rec.succeeded
    failed = rec.t > 0.9995
    assert np.isnan(rec.command[failed]).all()
    assert not rec.held[~failed].any()
    assert rec.held[rec.t > 1.21].all()
    assert np.abs(rec.truth.qd[-1]).max() < 0.01
    # It went on for 0.2 s under the last torque, and from then on only braked.
    speed = np.abs(rec.truth.qd)
    at_hold = speed[rec.held][0].max()
    assert speed[rec.held].max() < 1.3 * at_hold
    assert np.abs(np.diff(rec.truth.q[rec.held], axis=0)).max() < 0.013 * at_hold


def test_other_errors_of_a_controller_are_not_hidden() -> None:
    class Broken:
        def reset(self) -> None: ...

        def update(self, state: object, reference: object, dt: float) -> object:
            raise ZeroDivisionError

    twin = Twin(rigid=True).enable()
    motion = min_jerk(twin.left.arm, np.full(7, 0.1), np.full(7, 0.2), 1.0)
    with pytest.raises(ZeroDivisionError):
        placed(twin, motion, Broken())  # type: ignore[arg-type]
    assert twin.left.gravity_compensation


def test_settings_are_checked() -> None:
    assert refused(lambda: Twin(physics=Physics(integrator="rk5")).enable()) == (
        "unknown integrator 'rk5'; available: implicitfast, rk4, euler"
    )
    assert refused(lambda: Twin(physics=Physics(integrator="rk4")).enable()) == (
        "integrator='rk4' needs rigid=True: flexures and friction are stepped implicitly, "
        "with implicitfast"
    )
    assert refused(lambda: Twin(7).enable()) == (  # type: ignore[arg-type]
        "robot must be a Baxter, an Arm or the path of a robot file, got int"
    )
    with pytest.raises(ModelError, match="there is no file baxter"):
        Twin("baxter").enable()
    assert "damping must be one number or 14" in refused(lambda: Physics(damping=-1.0))
    assert refused(lambda: Twin().enable().limb("middle")).startswith("unknown side 'middle'")
    limb = Twin().enable().left
    with pytest.raises(InputError, match=r"speed_ratio = 2; it must be above 0 and at most 1"):
        limb.speed_ratio = 2


def test_rates_must_divide_the_inner_loop() -> None:
    twin = Twin(rigid=True).enable()
    motion = min_jerk(twin.left.arm, np.full(7, 0.1), np.full(7, 0.2), 1.0)
    message = "record_rate = 300 Hz must divide 1000 Hz, as 1000, 500, 100 or 50"
    twin.record_rate = 300.0
    with pytest.raises(InputError) as error:
        placed(twin, motion, ComputedTorque(twin.left.arm))
    assert str(error.value) == message
    with pytest.raises(BaxterkitError, match=r"unknown mode 'force'"):
        placed(twin, motion, mode="force")


def test_without_mujoco_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtraError) as error:
        Twin().enable()
    assert (
        str(error.value) == "Simulation needs MuJoCo: pip install '.[sim]' in a clone of baxterkit"
    )


def test_placing_one_arm_leaves_the_other_alone() -> None:
    runs = []
    for place in (False, True):
        twin = Twin(noise=0.0, physics=Physics(contacts=False)).enable()
        twin.left.pick_up(Payload(1.0))
        twin.left.command_velocity(np.full(7, 0.2))
        twin.step(100)
        if place:
            twin.place(right=twin.right.arm.configuration("neutral"))
        twin.step(50)
        runs.append(twin.left.truth.q)
    assert (runs[0] == runs[1]).all()


def test_a_placed_arm_stays_even_with_a_payload() -> None:
    twin = Twin(noise=0.0).enable()
    twin.left.pick_up(Payload(2.0))
    twin.place(left=twin.left.arm.configuration("neutral"))
    assert_close(
        twin.left.truth.tau - twin.left.compensation,
        twin.left.arm.replace(payload=Payload(2.0)).gravity(twin.left.truth.q)
        - twin.left.arm.gravity(twin.left.truth.q),
        0.02,
    )


def test_recordings_hold_the_tip_and_what_was_wanted(tmp_path: Path) -> None:
    arm = Arm("left", "electric_standard")
    motion = min_jerk(arm, arm.configuration("neutral"), arm.configuration("neutral") + 0.05)
    run = placed(Twin(arm, rigid=True).enable(), motion, ComputedTorque(arm))["left"]
    for record in (run, run.truth, run.reference):
        assert record.position is not None
        T = arm.fk(record.q)
        np.testing.assert_allclose(record.position, T[:, :3, 3], rtol=0, atol=1e-12)
        np.testing.assert_allclose(record.T_base_tip[:, :3, :3], T[:, :3, :3], rtol=0, atol=1e-12)
    again = recording.load(run.reference.save(tmp_path / "wanted.csv"))
    assert (again.position == run.reference.position).all()


@pytest.mark.parametrize(("speed", "behind"), [(0.12, 0.037), (0.23, 0.094), (0.5, 0.198)])
def test_position_mode_lags_a_steady_motion_as_a_real_robot_does(
    speed: float, behind: float
) -> None:
    """Owners of one robot measured these; the twin lags by 0.4 s times the speed."""
    twin = Twin(noise=0.0).enable()
    twin.left.speed_ratio = 1.0
    start = twin.left.q.copy()
    for i in range(250):
        target = start.copy()
        target[0] += speed * 0.01 * i
        twin.left.command_position(target)
        twin.step(10)
    lag = float(target[0] - twin.left.q[0])
    assert lag == pytest.approx(0.4 * speed, rel=0.05)
    assert lag == pytest.approx(behind, abs=0.012)
