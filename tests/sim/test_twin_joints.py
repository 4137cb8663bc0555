"""Flexures, springs and friction: what the joints of the full twin add."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from placed import placed
from tolerances import assert_close

from baxterkit import Arm, Baxter
from baxterkit.dynamics.joint_effects import Hysteresis, JointEffects
from baxterkit.sim import Physics, Twin
from baxterkit.sim.joints import spectral_radius
from baxterkit.sim.nominal import STIFFNESS, nominal_effects
from baxterkit.sim.passive import Friction, Springs
from baxterkit.trajectory import min_jerk


@pytest.mark.parametrize("stiffness", [50.0, 250.0, 843.0, 20_000.0])
@pytest.mark.parametrize("inertia", [1e-5, 6e-4, 0.01, 0.3, 3.0])
@pytest.mark.parametrize("friction", [0.0, 0.5, 50.0])
def test_small_motions_die_out_at_one_kilohertz(
    stiffness: float, inertia: float, friction: float
) -> None:
    assert spectral_radius(inertia, stiffness, 1e-3, friction) < 1.0


def test_passive_torques_are_those_of_the_effects() -> None:
    rng = np.random.default_rng(0)
    effects = [
        JointEffects(
            bias=rng.normal(size=7),
            coulomb=rng.uniform(0, 1, 7),
            viscous=rng.uniform(0, 1, 7),
            spring_sin=rng.normal(size=(7, terms)),
            spring_cos=rng.normal(size=(7, terms)),
        )
        for terms in (1, 3)
    ]
    for chosen in (effects, effects[:1], [JointEffects(bias=np.arange(7.0))]):
        n = 7 * len(chosen)
        q, qd = rng.normal(size=n), rng.normal(size=n)
        tau = Springs(chosen)(q) + Friction(chosen, np.zeros(n)).coefficient(qd) * qd
        rows = zip(chosen, q.reshape(-1, 7), qd.reshape(-1, 7), strict=True)
        assert_close(tau, np.concatenate([e.torque(a, b) for e, a, b in rows]), 1e-13)


def test_springs_of_a_twin_that_runs_away_are_not_finite() -> None:
    """They do not raise: the twin itself says when it ran away."""
    q = np.zeros(14)
    q[3] = np.nan
    assert np.isnan(Springs((nominal_effects(), nominal_effects()))(q)).all()


def test_flexures_wind_up_by_torque_over_stiffness() -> None:
    twin = Twin(noise=0.0).enable()
    twin.step(1000)
    wound = twin._joints.angle - np.concatenate([limb.truth.q for limb in twin.limbs])
    tau = np.concatenate([limb.truth.tau for limb in twin.limbs])
    assert np.abs(tau).max() > 5.0
    assert_close(wound * np.tile(STIFFNESS, 2), tau, 0.1)  # the loop jitters by a sensor step


def test_sensed_torque_of_a_motion_is_inverse_dynamics_with_effects() -> None:
    arm = Arm("left").with_effects(nominal_effects())
    twin = Twin(Baxter(left=arm), noise=0.0).enable()
    start = arm.configuration("untuck")
    motion = min_jerk(arm, start, start + 0.3, 2.0)
    twin.record_rate = 1000.0
    rec = placed(twin, motion)["left"]
    truth = rec.truth
    qdd = np.gradient(truth.qd, rec.t, axis=0)

    def averaged(x: np.ndarray) -> np.ndarray:
        """Means over 50 ms: sensor steps make the robot's own loop jitter."""
        return x[:2000].reshape(40, 50, 7).mean(axis=1)

    expected = averaged(arm.inverse_dynamics(truth.q, truth.qd, qdd))
    worst = np.abs(averaged(rec.tau) - expected).max(axis=0)
    assert (worst < [0.1, 0.1, 0.1, 0.05, 0.02, 0.02, 0.01]).all(), worst
    # Without friction and springs it would not fit.
    rigid = averaged(Arm("left").inverse_dynamics(truth.q, truth.qd, qdd))
    assert (np.abs(averaged(rec.tau) - rigid).max(axis=0) > 2.0 * worst).all()


def test_friction_with_a_memory_is_felt_as_its_model_says() -> None:
    memory = Hysteresis(np.full(7, 0.5), np.full(7, 0.02), np.full(7, 0.1), np.full(7, 0.1))
    arm = Arm("left").with_effects(JointEffects(coulomb=np.full(7, 0.3), hysteresis=memory))
    twin = Twin(Baxter(left=arm), noise=0.0).enable()
    start = arm.configuration("untuck")
    there = min_jerk(arm, start, start + 0.15, 1.0)
    motion = there.then(min_jerk(arm, start + 0.15, start, 1.0))
    twin.record_rate = 1000.0
    truth = placed(twin, motion)["left"].truth
    q, qd, tau = truth.q[:2000], truth.required("qd")[:2000], truth.required("tau")[:2000]
    assert arm.effects is not None
    rest = tau - Arm("left").inverse_dynamics(q, qd, np.gradient(qd, 1e-3, axis=0))
    expected = arm.effects.torque_along(q, qd)

    def averaged(x: np.ndarray) -> np.ndarray:
        return x.reshape(20, 100, 7).mean(axis=1)

    worst = np.abs(averaged(rest) - averaged(expected)).max(axis=0)
    assert (worst < [0.15, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05]).all(), worst
    assert np.ptp(averaged(expected), axis=0).min() > 0.5


def test_springs_are_compensated_with_gravity() -> None:
    twin = Twin(noise=0.0).enable()
    before = [limb.truth.q for limb in twin.limbs]
    for _ in range(100):
        for limb in twin.limbs:
            limb.command_torque(np.zeros(7))
        twin.step(20)
    for limb, q in zip(twin.limbs, before, strict=True):
        assert limb.mode == "torque"
        assert np.abs(limb.truth.q - q).max() < 0.01


def test_suppressed_compensation_lets_the_arm_fall() -> None:
    twin = Twin().enable()
    twin.left.gravity_compensation = False
    before = twin.left.truth.q
    for _ in range(10):
        twin.left.command_torque(np.zeros(7))
        twin.step(50)
    assert np.abs(twin.left.truth.q - before).max() > 0.2


def test_an_identified_arm_makes_a_twin_of_that_robot() -> None:
    springs = np.zeros((7, 1))
    springs[1] = 40.0
    effects = JointEffects(spring_sin=springs, coulomb=np.full(7, 0.3), stiffness=np.full(7, 400.0))
    arm = Arm("right", mount="pykdl_robot").with_effects(effects)
    twin = Twin(arm, noise=0.0).enable()
    twin.step(500)
    limb = twin.right
    assert_close(limb.true_tip, arm.fk(limb.truth.q), 1e-14)
    assert_close(limb.tip, arm.fk(limb.q), 1e-14)
    held = arm.gravity(limb.truth.q) + effects.spring_torque(limb.truth.q)
    assert_close(limb.truth.tau, held, 0.2)  # the loop jitters by a sensor step
    wound = twin._joints.angle[7:] - limb.truth.q
    assert_close(400.0 * wound, limb.truth.tau, 0.1)
    # The other arm is a nominal one.
    assert twin.left.arm.effects is None


def test_motors_do_not_outrun_their_no_load_speed() -> None:
    twin = Twin(physics=Physics(contacts=False, limits=False)).enable()
    for _ in range(20):
        twin.left.command_torque(twin.left.arm.limits.effort)
        twin.step(50)
    assert (np.abs(twin._joints.speed[:7]) <= 1.5 * twin.left.arm.limits.velocity + 1e-12).all()


def test_a_robot_file_makes_the_same_twin(tmp_path: Path) -> None:
    memory = Hysteresis(np.full(7, 0.2), np.full(7, 0.02), np.full(7, 0.1), np.full(7, 0.1))
    effects = nominal_effects().replace(hysteresis=memory, stiffness=np.full(7, 600.0))
    arm = Arm("left", "vacuum", mount="pykdl_robot", gravity_vector=(0.2, 0.0, -9.8))
    arm = arm.with_effects(effects)
    arm.to_file(tmp_path / "robot.toml")
    runs = []
    file = tmp_path / "robot.toml"
    for one in (arm, Arm.from_file(file), file, str(file), Baxter.from_file(file)):
        twin = Twin(one, seed=3).enable()
        twin.left.command_velocity(np.full(7, 0.2))
        twin.step(400)
        runs.append(np.concatenate([twin.left.truth.q, twin.left.tau, twin.left.tip.ravel()]))
    assert all((run == runs[0]).all() for run in runs)
    nominal = Twin(seed=3).enable()
    nominal.left.command_velocity(np.full(7, 0.2))
    nominal.step(400)
    assert np.abs(nominal.left.tip - runs[0][14:].reshape(4, 4)).max() > 5e-3
