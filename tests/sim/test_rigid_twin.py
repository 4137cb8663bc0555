"""The rigid twin obeys our equations of motion and nothing else."""

from __future__ import annotations

import pytest
from free_motion import largest_difference, let_go, rigid_twin
from placed import placed
from tolerances import TWIN_ENERGY, TWIN_MOTION, assert_close

from baxterkit import Arm, Baxter, Payload
from baxterkit.control import ComputedTorque
from baxterkit.sim import Twin
from baxterkit.sim.native_step import make_step
from baxterkit.spatial import rpy_to_matrix, transform
from baxterkit.trajectory import smith_set

TILTED = transform(rpy_to_matrix([0.0, 0.0175, 0.78]), [0.06, 0.26, 0.13])


def robot() -> Baxter:
    """Two arms that differ in everything that may differ."""
    return Baxter(
        Arm("left", "electric_extended", mount=TILTED, payload=Payload(0.7, (0.01, 0.02, 0.03))),
        Arm("right", "vacuum", mount="pykdl_robot"),
    )


@pytest.mark.parametrize("seed", range(3))
def test_free_motion_is_that_of_our_forward_dynamics(seed: int) -> None:
    assert largest_difference(rigid_twin(robot()), seed, 0.5, 0.0) <= TWIN_MOTION


def test_arms_may_have_a_gravity_of_their_own() -> None:
    left = Arm("left", gravity_vector=(0.29, 0.04, -9.805))
    twin = rigid_twin(Baxter(left, Arm("right", gravity_vector=(0.1, -0.2, -9.8))))
    # The difference is held over a step, so the agreement is that of a step, not of rounding.
    assert largest_difference(twin, 0, 0.2, 0.0) <= 2e-4
    twin._tilts.clear()
    twin._step = make_step(twin._parts)
    assert largest_difference(twin, 0, 0.2, 0.0) > 2e-3  # what it would be without
    assert largest_difference(rigid_twin(left), 0, 0.2, 0.0) <= TWIN_MOTION


def test_damped_motion_is_that_of_our_forward_dynamics() -> None:
    assert largest_difference(rigid_twin(robot(), 0.7), 0, 1.0, 0.7) <= TWIN_MOTION


@pytest.mark.acceptance
@pytest.mark.parametrize("seed", range(5))
def test_five_damped_seconds_are_those_of_our_forward_dynamics(seed: int) -> None:
    assert largest_difference(rigid_twin(robot(), 0.7), seed, 5.0, 0.7) <= TWIN_MOTION


def energy_drift(start: str, seconds: int) -> float:
    """Spread of the energy over free motion, relative to the largest kinetic energy."""
    twin = rigid_twin(start=start)
    energies, kinetic = [twin.energy], 0.0
    for _ in range(10 * seconds):
        let_go(twin, 100)
        energies.append(twin.energy)
        kinetic = max(kinetic, float(twin.data.energy[1]))
    assert kinetic > 50.0  # the arms do swing
    return (max(energies) - min(energies)) / kinetic


def test_energy_stays() -> None:
    assert energy_drift("untuck", 10) < TWIN_ENERGY


@pytest.mark.acceptance
@pytest.mark.parametrize("start", ["untuck", "neutral"])
def test_energy_stays_for_a_minute(start: str) -> None:
    assert energy_drift(start, 60) < TWIN_ENERGY


def test_energy_is_that_of_the_arms() -> None:
    twin = rigid_twin(robot())
    let_go(twin, 200)
    before = twin.energy
    states = [limb.truth for limb in twin.limbs]
    arms = sum(
        float(limb.arm.kinetic_energy(s.q, s.qd)) + float(limb.arm.potential_energy(s.q))
        for limb, s in zip(twin.limbs, states, strict=True)
    )
    let_go(twin, 300)
    later = sum(
        float(limb.arm.kinetic_energy(limb.truth.q, limb.truth.qd))
        + float(limb.arm.potential_energy(limb.truth.q))
        for limb in twin.limbs
    )
    # Potential energies have another zero, so changes are compared; the head rests.
    assert abs((twin.energy - before) - (later - arms)) < 1e-9


def test_rigid_readings_are_exact() -> None:
    twin = Twin(rigid=True).enable()
    twin.step(50)
    for limb in twin.limbs:
        assert_close(limb.q, limb.truth.q, 0.0)
        assert_close(limb.qd, limb.truth.qd, 0.0)
        assert_close(limb.tau, limb.truth.tau, 0.0)


def test_computed_torque_tracks_the_rigid_twin() -> None:
    arm = Arm("right")
    twin = Twin(Baxter(right=arm), rigid=True).enable()
    motion = smith_set(2, arm)
    twin.record_rate = 50.0
    rec = placed(twin, motion, ComputedTorque(arm))["right"]
    assert rec.rms() < 1e-4
    assert not rec.held.any()
    assert rec.rate == pytest.approx(50.0)


def test_tip_is_where_forward_kinematics_says() -> None:
    twin = Twin(robot(), rigid=True).enable()
    for limb in twin.limbs:
        assert_close(twin.data.site(f"{limb.side}_tip").xpos, limb.true_tip[:3, 3], 1e-14)
        assert_close(limb.true_tip, limb.arm.fk(limb.arm.configuration("untuck")), 1e-14)
