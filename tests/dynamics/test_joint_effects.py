"""Joint effects: the formula, its derivatives, memory, and dynamics with them."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import problems
import pytest
import tolerances as tol
from tolerances import assert_close

from baxterkit import Arm, native
from baxterkit.dynamics.joint_effects import Hysteresis, JointEffects
from baxterkit.errors import InputError, ShapeError

FULL = JointEffects(
    bias=[0.5, 10.0, -0.3, 0.1, 0.1, 0.2, 0.0],
    coulomb=[0.2, 0.7, 0.4, 0.1, 0.1, 0.02, 0.1],
    viscous=[0.02, 0.3, 0.02, 0.0, 0.02, 0.02, 0.0],
    speed=[0.03, 0.02, 0.01, 0.05, 0.03, 0.1, 0.03],
    spring_sin=[
        [1, 0.1, 0],
        [17, -2, 1],
        [0.4, 0, 0],
        [-0.3, 0, 0],
        [0, 0, 0],
        [0, 0.1, 0],
        [0, 0, 2],
    ],
    spring_cos=[[-0.7], [12.0], [-0.2], [-0.1], [0.0], [0.0], [-0.2]],
    stiffness=[843.0, 843.0, 843.0, 843.0, 250.0, 250.0, 250.0],
    hysteresis=Hysteresis(
        torque=[0.0, 0.7, 0.1, 0.04, 0.04, 0.0, 0.04],
        distance=[0.02, 0.03, 0.005, 0.01, 0.005, 0.1, 0.01],
        coulomb=[0.2, 0.2, 0.3, 0.03, 0.06, 0.02, 0.04],
        viscous=[0.02, 0.0, 0.0, 0.0, 0.01, 0.02, 0.0],
        slope=[0.0, 0.4, 0.0, 0.0, 0.0, 0.0, -0.02],
    ),
)
BACKENDS = ("native", "numpy")
every_backend = pytest.mark.parametrize("backend", BACKENDS)


def states(n: int = 50) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = problems.generator("effects")
    q = problems.uniform(Arm("left"), n)
    qd = rng.normal(0.0, 0.5, (n, 7))
    qd[:5] *= 1e-3
    qd[0] = 0.0
    return q, qd, rng.normal(0.0, 3.0, (n, 7))


def test_torque_is_the_formula_joint_by_joint() -> None:
    q, qd, _ = states(20)
    tau = FULL.torque(q, qd)
    for i in range(20):
        for j in range(7):
            v, s = qd[i, j], FULL.speed[j]
            expected = FULL.bias[j] + FULL.viscous[j] * v
            expected += FULL.coulomb[j] * v / (v * v + s * s) ** 0.5
            for k in range(3):
                expected += FULL.spring_sin[j, k] * np.sin((k + 1) * q[i, j])
                expected += FULL.spring_cos[j, k] * np.cos((k + 1) * q[i, j])
            assert abs(tau[i, j] - expected) <= tol.EFFECTS


@pytest.mark.parametrize("isa", native.backend_info()["isas"] or ["none"])
def test_kernels_equal_the_reference(isa: str) -> None:
    extension = native.load()
    if extension is None:
        pytest.skip("no native kernels")
    before = extension.isa()
    extension.use_isa(isa)
    try:
        for samples in problems.SAMPLE_SETS.values():
            q = samples(Arm("left"), 200)
            qd = problems.generator("speeds").normal(0.0, 1.0, q.shape)
            assert_close(FULL.torque(q, qd), FULL.reference_torque(q, qd), tol.EFFECTS)
            for a, b in zip(
                FULL.derivatives(q, qd), FULL.reference_derivatives(q, qd), strict=True
            ):
                assert_close(a, b, 10 * tol.EFFECTS)
    finally:
        extension.use_isa(before)


def test_more_harmonics_than_the_kernels_take_are_left_to_numpy() -> None:
    q, qd, _ = states()
    long = FULL.replace(spring_sin=np.ones((7, 6)), spring_cos=np.zeros((7, 6)))
    assert long.kernel_numbers() is None
    expected = sum(np.sin(k * q) for k in range(1, 7))
    assert_close(long.torque(q, qd) - long.friction_torque(qd) - long.bias, expected, tol.EFFECTS)
    arm = Arm("left").with_effects(long)
    added = arm.inverse_dynamics(q, qd, qd) - Arm("left").inverse_dynamics(q, qd, qd)
    assert_close(added, long.torque(q, qd), tol.TORQUE_ENGINE)


@every_backend
def test_derivatives_match_finite_differences(backend: str) -> None:
    arm = Arm("left", backend=backend).with_effects(FULL)
    q, qd, qdd = states(12)
    h = 1e-6
    by_q, by_qd = arm.inverse_dynamics_derivatives(q, qd, qdd)
    tau = arm.inverse_dynamics(q, qd, qdd)
    f_q, f_qd, _ = arm.forward_dynamics_derivatives(q, qd, tau)
    for k in range(7):
        e = h * np.eye(7)[k]
        for derivative, function in (
            (by_q, lambda e: arm.inverse_dynamics(q + e, qd, qdd)),
            (by_qd, lambda e: arm.inverse_dynamics(q, qd + e, qdd)),
        ):
            slope = (function(e) - function(-e)) / (2 * h)
            assert_close(derivative[..., k], slope, tol.EFFECTS_DIFFERENCE)
        for derivative, function in (
            (f_q, lambda e: arm.forward_dynamics(q + e, qd, tau)),
            (f_qd, lambda e: arm.forward_dynamics(q, qd + e, tau)),
        ):
            slope = (function(e) - function(-e)) / (2 * h)
            assert_close(derivative[..., k], slope, 1e3 * tol.EFFECTS_DIFFERENCE)


@every_backend
def test_forward_dynamics_undoes_inverse_dynamics(backend: str) -> None:
    arm = Arm("left", "electric_standard", backend=backend).with_effects(FULL)
    q, qd, qdd = states()
    wrench = problems.generator("wrench").normal(0.0, 10.0, (len(q), 6))
    for w in (None, wrench):
        tau = arm.inverse_dynamics(q, qd, qdd, w)
        assert_close(arm.forward_dynamics(q, qd, tau, w), qdd, tol.FORWARD_ROUND_TRIP)
        lagrange = arm.inverse_dynamics(q, qd, qdd, w, method="lagrange")
        assert_close(lagrange, tau, tol.TORQUE_ENGINE)


@every_backend
def test_effects_are_added_to_inverse_dynamics_and_to_nothing_rigid(backend: str) -> None:
    rigid = Arm("left", backend=backend)
    arm = rigid.with_effects(FULL)
    q, qd, qdd = states()
    added = arm.inverse_dynamics(q, qd, qdd) - rigid.inverse_dynamics(q, qd, qdd)
    assert_close(added, FULL.torque(q, qd), tol.TORQUE_ENGINE)
    for name, inputs in (("inertia", (q,)), ("gravity", (q,)), ("coriolis", (q, qd))):
        assert (getattr(arm, name)(*inputs) == getattr(rigid, name)(*inputs)).all()
    assert arm.with_effects(None).effects is None
    off = arm.with_effects(None)
    assert (off.inverse_dynamics(q, qd, qdd) == rigid.inverse_dynamics(q, qd, qdd)).all()


@every_backend
def test_out_may_be_an_argument(backend: str) -> None:
    arm = Arm("left", backend=backend).with_effects(FULL)
    q, qd, qdd = states()
    expected = arm.inverse_dynamics(q, qd, qdd)
    out = q.copy()
    assert arm.inverse_dynamics(out, qd, qdd, out=out) is out
    assert_close(out, expected, tol.ROUNDING_TORQUE)
    out = np.empty_like(q)
    assert FULL.torque(q, qd, out=out) is out


def test_arguments_broadcast() -> None:
    arm = Arm("left").with_effects(FULL)
    q, qd, qdd = states(6)
    one = arm.inverse_dynamics(q[0], qd, qdd[:, None])
    assert one.shape == (6, 6, 7)
    assert_close(one[2, 3], arm.inverse_dynamics(q[0], qd[3], qdd[2]), tol.ROUNDING_TORQUE)
    by_q, _ = arm.inverse_dynamics_derivatives(q[0], qd, qdd)
    assert by_q.shape == (6, 7, 7)


def test_friction_takes_energy_and_is_smooth_at_rest() -> None:
    qd = np.linspace(-2.0, 2.0, 401)[:, None] * np.ones(7)
    assert (FULL.friction_torque(qd) * qd >= 0.0).all()
    small = np.array([-1e-9, 0.0, 1e-9])[:, None] * np.ones(7)
    _, slope = FULL.derivatives(np.zeros(7), small)
    assert_close(slope, np.tile(FULL.viscous + FULL.coulomb / FULL.speed, (3, 1)), 1e-9)


def test_springs_give_back_the_work_of_a_closed_path() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 4001)
    q = 1.2 * np.sin(angle)[:, None] * np.ones(7) + 0.3
    tau = FULL.spring_torque(q)
    work = np.sum(0.5 * (tau[1:] + tau[:-1]) * np.diff(q, axis=0), axis=0)
    assert_close(work, np.zeros(7), 1e-5)


def test_memory_depends_on_the_path_and_not_on_the_speed() -> None:
    friction = FULL.hysteresis
    assert friction is not None
    t = np.linspace(0.0, 6.0, 2001)
    path = 0.1 * np.sin(t)[:, None] * np.ones(7)
    states = friction.states(path)
    assert (np.abs(states) <= 1.0).all()
    turned = np.argmax(path[:, 0])
    coarse = friction.states(np.vstack([path[0], path[turned], path[-1]]))
    assert_close(coarse[1], states[turned], 1e-9)
    z = np.zeros(7)
    for before, after in pairwise(path):
        z = friction.advance(z, after - before)
    assert_close(z, states[-1], 1e-12)


def test_memory_has_turned_round_after_its_travel() -> None:
    friction = FULL.hysteresis
    assert friction is not None
    z = friction.advance(np.full(7, -1.0), friction.distance)
    assert_close(z, np.full(7, 1.0 - 2.0 * np.exp(-1.0)), 1e-12)
    assert_close(friction.advance(z, np.zeros(7)), z, 0.0)


def test_torque_along_a_motion_counts_the_memory() -> None:
    friction = FULL.hysteresis
    assert friction is not None
    t = np.linspace(0.0, 3.0, 301)
    q = np.sin(t)[:, None] * np.ones(7)
    qd = np.cos(t)[:, None] * np.ones(7)
    along = FULL.torque_along(q, qd)
    z = friction.states(q)
    dry = friction.coulomb * qd / np.sqrt(qd**2 + FULL.speed**2)
    remembered = (friction.torque + friction.slope * q) * z
    expected = FULL.spring_torque(q) + FULL.bias + remembered + dry + friction.viscous * qd
    assert_close(along, expected, tol.EFFECTS)
    assert_close(FULL.torque_at(q[-1], qd[-1], z[-1]), along[-1], tol.EFFECTS)
    plain = FULL.replace(hysteresis=None)
    assert_close(plain.torque_along(q, qd), plain.torque(q, qd), 0.0)


def test_friction_with_memory_never_drives() -> None:
    friction = FULL.hysteresis
    assert friction is not None
    q = np.full((2, 7), -3.0)  # where torque + slope q of s1 is negative
    z = np.array([np.ones(7), -np.ones(7)])
    torque = friction.friction_torque(q, 0.0 * q, z, FULL.speed)
    assert (torque * z >= 0.0).all()
    assert torque[0, 1] == 0.0


def test_copies_and_pickles_keep_effects() -> None:
    arm = Arm("right").with_effects(FULL)
    q, qd, qdd = states()
    expected = arm.inverse_dynamics(q, qd, qdd)
    for other in (pickle.loads(pickle.dumps(arm)), arm.replace(), arm.replace(backend="native")):
        assert (other.inverse_dynamics(q, qd, qdd) == expected).all()
    assert "with effects" in repr(arm)
    copied = pickle.loads(pickle.dumps(FULL))
    assert not copied.bias.flags.writeable
    assert (copied.torque(q, qd) == FULL.torque(q, qd)).all()


def test_fields_by_name_and_deflection() -> None:
    arm = Arm("left").with_effects(coulomb=np.ones(7), stiffness=[100.0] * 7)
    assert arm.effects is not None
    assert_close(arm.effects.deflection(np.full(7, 50.0)), np.full(7, 0.5), 0.0)
    assert_close(JointEffects().deflection(np.full(7, 50.0)), np.zeros(7), 0.0)
    assert_close(JointEffects().torque(np.ones(7), np.ones(7)), np.zeros(7), 0.0)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: JointEffects(coulomb=[0, 0, -0.1, 0, 0, 0, 0]),
            InputError,
            "coulomb[2] = -0.1 is negative; friction never drives a joint",
        ),
        (
            lambda: JointEffects(speed=np.zeros(7)),
            InputError,
            "speed[0] = 0 must be above zero; friction needs a speed above zero to be smooth",
        ),
        (
            lambda: JointEffects(stiffness=[1, 1, 1, 1, 1, 1, -2]),
            InputError,
            "stiffness[6] = -2 must be above zero; leave it infinite for a stiff joint",
        ),
        (
            lambda: JointEffects(bias=np.zeros(7), viscous=np.zeros(6)),
            ShapeError,
            "viscous must have shape (7,), got (6,)",
        ),
        (
            lambda: JointEffects(spring_sin=np.zeros(7)),
            ShapeError,
            "spring_sin must have shape (7, terms), got (7,)",
        ),
        (
            lambda: JointEffects(bias=[np.nan] * 7),
            InputError,
            "bias[0] = nan; every value of bias must be finite",
        ),
        (
            lambda: Hysteresis(np.ones(7), np.zeros(7), np.ones(7), np.ones(7)),
            InputError,
            "hysteresis distance[0] = 0 must be above zero",
        ),
        (
            lambda: Hysteresis(np.ones(7), np.ones(7), np.ones(7), [0, 0, -0.5, 0, 0, 0, 0]),
            InputError,
            "hysteresis viscous[2] = -0.5 is negative; friction never drives a joint",
        ),
        (
            lambda: Arm("left").with_effects(3),  # type: ignore[arg-type]
            InputError,
            "effects must be JointEffects, got int",
        ),
        (
            lambda: Arm("left").with_effects(JointEffects(bias=np.zeros(6))),
            InputError,
            "effects are of 6 joints, the arm has 7",
        ),
        (
            lambda: Arm("left").with_effects(FULL, bias=np.zeros(7)),
            InputError,
            "give effects or its fields by name, not both",
        ),
    ],
)
def test_bad_effects_are_refused(make: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message
