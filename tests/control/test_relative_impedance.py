"""Relative impedance: the spring from hand to hand is the gradient of an energy, and holds."""

from __future__ import annotations

import numpy as np
import pytest
from problems import generator

from baxterkit import Arm, Baxter, Payload, spatial
from baxterkit.control import CartesianImpedance, Reference, RelativeImpedance, State
from baxterkit.errors import InputError

ROBOT = Baxter(Arm("left", "electric_standard"), Arm("right", "electric_standard"))
NEUTRAL = (ROBOT.left.configuration("neutral"), ROBOT.right.configuration("neutral"))


def pair(offset: np.ndarray, speed: float = 0.0) -> tuple[State, State]:
    return tuple(
        State(q + offset[7 * i : 7 * i + 7], np.full(7, speed)) for i, q in enumerate(NEUTRAL)
    )


REST = (Reference(NEUTRAL[0]), Reference(NEUTRAL[1]))


def energy(q: np.ndarray, K: np.ndarray, T_goal: np.ndarray) -> float:
    """½ e'K e + ½ φ'L φ of the relative pose, in axes of the right tip."""
    T = ROBOT.hands.relative_pose(q[:7], q[7:])
    d = spatial.inverse(T) @ T_goal
    x = np.concatenate([d[:3, 3], spatial.so3_log(d[:3, :3])])
    return float(0.5 * K @ x**2)


@pytest.mark.parametrize("even", [True, False])
def test_the_spring_between_the_hands_is_the_gradient_of_its_energy(even: bool) -> None:
    K = np.array([600.0] * 3 + [15.0] * 3) if even else np.array([900.0, 300.0, 600, 20, 5, 10])
    rng = generator("relative impedance")
    offset = rng.uniform(-0.01, 0.01, 14)
    with_spring, without = (
        np.concatenate(RelativeImpedance(ROBOT, stiffness=k).update(pair(offset), REST, 1e-3))
        for k in (K, np.zeros(6))
    )
    q, T_goal = np.concatenate(NEUTRAL) + offset, ROBOT.hands.relative_pose(*NEUTRAL)
    h = 1e-6
    slope = [
        (energy(q + h * row, K, T_goal) - energy(q - h * row, K, T_goal)) / (2.0 * h)
        for row in np.eye(14)
    ]
    np.testing.assert_allclose(with_spring - without, -np.array(slope), rtol=0, atol=1e-6)


def test_at_rest_on_the_reference_only_gravity_is_held() -> None:
    tau = RelativeImpedance(ROBOT).update(pair(np.zeros(14)), REST, 1e-3)
    for got, arm, q in zip(tau, (ROBOT.left, ROBOT.right), NEUTRAL, strict=True):
        np.testing.assert_allclose(got, arm.gravity(q), rtol=0, atol=1e-9)


def test_damping_takes_energy_out_of_relative_motion() -> None:
    rng = generator("relative damping")
    for _ in range(20):
        qd = rng.uniform(-0.05, 0.05, 14)
        states = tuple(State(q, qd[7 * i : 7 * i + 7]) for i, q in enumerate(NEUTRAL))
        damped, free = (
            np.concatenate(RelativeImpedance(ROBOT, damping=d).update(states, REST, 1e-3))
            for d in (None, np.zeros(6))
        )
        assert (damped - free) @ qd < 0.0


def test_torques_stay_within_the_effort_limits() -> None:
    controller = RelativeImpedance(ROBOT, stiffness=1e6)
    tau = controller.update(pair(np.full(14, 0.5)), REST, 1e-3)
    for got, arm in zip(tau, (ROBOT.left, ROBOT.right), strict=True):
        assert (np.abs(got) <= arm.limits.effort).all()
    assert max(np.abs(tau.left / ROBOT.left.limits.effort)) == 1.0


def test_states_that_are_not_finite_are_refused() -> None:
    states = pair(np.zeros(14))
    states[1].q[2] = np.nan
    with pytest.raises(InputError, match=r"state.q\[2\] = nan"):
        RelativeImpedance(ROBOT).update(states, REST, 1e-3)


def test_in_the_twin_the_grip_holds_under_a_load_that_nobody_knows() -> None:
    sim = pytest.importorskip("baxterkit.sim")
    known = Baxter(*(sim.with_known_effects(arm) for arm in (ROBOT.left, ROBOT.right)))
    twin = sim.Twin(
        Baxter(known.left.replace(payload=Payload(0.5)), known.right), noise=0.0
    ).enable()

    class Still:
        duration = 1.5

        def __init__(self, q: np.ndarray) -> None:
            self.q = q

        def sample(self, t: np.ndarray) -> Reference:
            rest = np.zeros((len(t), 7))
            return Reference(rest + self.q, rest, rest)

    T_box = spatial.transform(np.eye(3), [0.5, 0.0, 0.1])
    inward = spatial.transform(spatial.rpy_to_matrix([np.pi / 2, 0.0, 0.0]), [0.0, 0.15, 0.0])
    start = ROBOT.hands.ik(T_box @ inward, T_box @ spatial.mirrored(inward))
    left, right = Still(start.q_left), Still(start.q_right)
    motion = {"left": left, "right": right}
    free = {"path_tolerance": np.inf, "settle": 0.0}
    held = twin.place_at(motion).follow(motion, RelativeImpedance(known), **free)
    twin.reset()
    hands = {"left": CartesianImpedance(known.left), "right": CartesianImpedance(known.right)}
    alone = twin.place_at(motion).follow(motion, hands, **free)
    grip = ROBOT.hands.relative_pose(start.q_left, start.q_right)
    changes = []
    for run in (held, alone):
        q = [run[side].truth.q[-1] for side in ("left", "right")]
        changes.append(float(spatial.pose_error(ROBOT.hands.relative_pose(*q), grip)[0]))
        assert np.isfinite(run["left"].command).all()
        assert not run["right"].held.any()
    assert changes[0] < 0.3 * changes[1]
    assert twin.left.gravity_compensation
