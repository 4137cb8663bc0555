"""The dynamic methods of `Arm`: conventions, methods, payloads, shapes and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import tolerances as tol
from dynamics_engines import Pinocchio
from sample_arms import ARMS, states_of, wrenches

from baxterkit import Arm, Payload, spatial
from baxterkit.errors import BaxterkitError, InputError, ShapeError, UnknownNameError

BACKENDS = ("native", "numpy")
every_arm = pytest.mark.parametrize("name", ARMS)
every_backend = pytest.mark.parametrize("backend", BACKENDS)
LOADED = ARMS["loaded left"]


@dataclass(frozen=True)
class Method:
    """One method: `run(arm, *arrays)`, last axes of its arrays, and the shapes of its results."""

    run: Callable[..., Any]
    widths: tuple[int, ...]
    cores: tuple[tuple[int, ...], ...]


def named(name: str) -> Callable[..., Any]:
    return lambda arm, *arrays, **keywords: getattr(arm, name)(*arrays, **keywords)


SQUARE = (7, 7)
METHODS = {
    "inertia": Method(named("inertia"), (7,), (SQUARE,)),
    "coriolis": Method(named("coriolis"), (7, 7), (SQUARE,)),
    "gravity": Method(named("gravity"), (7,), ((7,),)),
    "bias_torque": Method(named("bias_torque"), (7, 7), ((7,),)),
    "dynamics_terms": Method(named("dynamics_terms"), (7, 7), (SQUARE, SQUARE, (7,))),
    "inverse_dynamics": Method(named("inverse_dynamics"), (7, 7, 7), ((7,),)),
    "inverse_dynamics with a wrench": Method(named("inverse_dynamics"), (7, 7, 7, 6), ((7,),)),
    "inverse_dynamics by Lagrange": Method(
        lambda arm, *arrays, **keywords: arm.inverse_dynamics(
            *arrays, method="lagrange", **keywords
        ),
        (7, 7, 7, 6),
        ((7,),),
    ),
    "forward_dynamics": Method(named("forward_dynamics"), (7, 7, 7), ((7,),)),
    "forward_dynamics with a wrench": Method(named("forward_dynamics"), (7, 7, 7, 6), ((7,),)),
    "kinetic_energy": Method(named("kinetic_energy"), (7, 7), ((),)),
    "potential_energy": Method(named("potential_energy"), (7,), ((),)),
    "task_inertia": Method(named("task_inertia"), (7,), ((6, 6),)),
    "inverse_dynamics_derivatives": Method(
        named("inverse_dynamics_derivatives"), (7, 7, 7), (SQUARE, SQUARE)
    ),
    "forward_dynamics_derivatives": Method(
        named("forward_dynamics_derivatives"), (7, 7, 7), (SQUARE, SQUARE, SQUARE)
    ),
    "regressor": Method(named("regressor"), (7, 7, 7), ((7, 45),)),
}
TAKES_OUT = [name for name, method in METHODS.items() if len(method.cores) == 1]
TAKES_OUT.remove("task_inertia")
THROUGH_NUMPY = {
    "task_inertia",
    "inverse_dynamics by Lagrange",
    "forward_dynamics with a wrench",
}
"""Methods with NumPy's sums in them, whose order depends on the shape."""


def as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def arrays_of(method: Method, *shape: int) -> list[np.ndarray]:
    rng = np.random.default_rng(70)
    return [rng.normal(size=(*shape, width)) for width in method.widths]


@every_arm
def test_wrench_has_the_sign_of_an_external_force_in_pinocchio(name: str) -> None:
    """Pinocchio takes forces of the environment on a link, in the link's own frame."""
    count, engine = 200, Pinocchio(ARMS[name])
    arm, s, w = Arm.from_model(ARMS[name]), states_of(ARMS[name], count, 71), wrenches(count, 72)
    pin, expected = engine.pin, []
    for q, qd, qdd, row in zip(s.q, s.qd, s.qdd, w, strict=True):
        pin.framesForwardKinematics(engine.model, engine.data, q)
        at_tip = pin.SE3(np.eye(3), engine.data.oMf[engine.tip].translation)
        in_base = at_tip.act(pin.Force(row[:3], row[3:]))
        forces = [pin.Force.Zero() for _ in range(engine.model.njoints)]
        forces[-1] = engine.data.oMi[engine.model.njoints - 1].actInv(in_base)
        expected.append(pin.rnea(engine.model, engine.data, q, qd, qdd, forces).copy())
    tau = arm.inverse_dynamics(s.q, s.qd, s.qdd, w)
    tol.assert_close(tau, np.array(expected), tol.TORQUE_ENGINE)
    free = arm.inverse_dynamics(s.q, s.qd, s.qdd)
    tol.assert_close(tau, free - np.einsum("nij,ni->nj", arm.jacobian(s.q), w), tol.TORQUE_ENGINE)


def test_lifting_the_tip_unloads_the_joints() -> None:
    """The words of the convention: an upward push by the environment carries part of the weight."""
    arm = Arm("left", payload=Payload(2.0))
    q, rest = arm.configuration("neutral"), np.zeros(7)
    lift = np.array([0.0, 0.0, 2.0 * 9.81, 0.0, 0.0, 0.0])
    held = arm.inverse_dynamics(q, rest, rest, lift)
    tol.assert_close(held, Arm("left").gravity(q), tol.TORQUE_ENGINE)


@every_arm
@every_backend
def test_lagrange_equals_newton_euler(name: str, backend: str) -> None:
    arm, s = Arm.from_model(ARMS[name], backend), states_of(ARMS[name], 300, 73)
    w = wrenches(300, 74)
    for wrench in (None, w):
        both = [
            arm.inverse_dynamics(s.q, s.qd, s.qdd, wrench, method)
            for method in ("newton_euler", "lagrange")
        ]
        tol.assert_close(both[1], both[0], tol.TORQUE_ENGINE)


@every_backend
def test_unknown_method_lists_the_known_ones(backend: str) -> None:
    arm, q = Arm("left", backend=backend), np.zeros(7)
    with pytest.raises(UnknownNameError) as caught:
        arm.inverse_dynamics(q, q, q, method="hamilton")
    assert str(caught.value) == "unknown method 'hamilton'; available: newton_euler, lagrange"


@every_arm
def test_terms_make_up_the_torque(name: str) -> None:
    arm, s = Arm.from_model(ARMS[name]), states_of(ARMS[name], 300, 75)
    M, C, G = arm.dynamics_terms(s.q, s.qd)
    tau = np.einsum("nij,nj->ni", M, s.qdd) + np.einsum("nij,nj->ni", C, s.qd) + G
    tol.assert_close(arm.inverse_dynamics(s.q, s.qd, s.qdd), tau, tol.TORQUE_ENGINE)
    tol.assert_close(arm.bias_torque(s.q, s.qd), arm.inverse_dynamics(s.q, s.qd, np.zeros(7)),
                     tol.TORQUE_ENGINE)  # fmt: skip
    energy = 0.5 * np.einsum("ni,nij,nj->n", s.qd, M, s.qd)
    tol.assert_close(arm.kinetic_energy(s.q, s.qd), energy, tol.TORQUE_ENGINE)


def test_torques_are_linear_in_the_payload() -> None:
    """Payloads at one place add up: masses with their own inertias make one body."""
    s = states_of(LOADED, 300, 76)
    bare = Arm.from_model(LOADED).replace(payload=None)
    com, inertia = np.array([0.02, -0.01, 0.06]), np.diag([2e-3, 3e-3, 4e-3])

    def added(mass: float) -> np.ndarray:
        loaded = bare.replace(payload=Payload(mass, com, mass * inertia))
        return loaded.inverse_dynamics(s.q, s.qd, s.qdd) - bare.inverse_dynamics(s.q, s.qd, s.qdd)

    one = added(1.0)
    assert np.abs(one).max() > 1.0
    for mass in (0.0, 0.5, 2.0, 3.5):
        tol.assert_close(added(mass), mass * one, tol.TORQUE_ENGINE)


def test_payload_at_the_tip_moves_with_the_tool() -> None:
    """The same weight, given from the hand's frame or from the tip of a massless tool."""
    T = spatial.transform(spatial.rpy_to_matrix([0.3, -0.2, 0.5]), [0.02, 0.01, 0.2])
    com, inertia = np.array([0.01, 0.03, -0.02]), np.diag([3e-3, 4e-3, 5e-3])
    at_tip = Arm("right", tool=T, payload=Payload(1.5, com, inertia))
    R, p = T[:3, :3], T[:3, 3]
    from_hand = Arm("right", payload=Payload(1.5, R @ com + p, R @ inertia @ R.T))
    s = states_of(at_tip.model, 300, 77)
    tau = at_tip.inverse_dynamics(s.q, s.qd, s.qdd)
    tol.assert_close(from_hand.inverse_dynamics(s.q, s.qd, s.qdd), tau, tol.TORQUE_ENGINE)
    assert np.abs(tau - Arm("right").inverse_dynamics(s.q, s.qd, s.qdd)).max() > 1.0


def test_only_gravity_knows_side_and_mount() -> None:
    arms = [Arm("left"), Arm("right"), Arm("left", mount=LOADED.T_base_s0)]
    s = states_of(LOADED, 100, 78)
    for arm in arms[1:]:
        assert arm.inertia(s.q).tobytes() == arms[0].inertia(s.q).tobytes()
        assert arm.coriolis(s.q, s.qd).tobytes() == arms[0].coriolis(s.q, s.qd).tobytes()
    assert np.abs(arms[2].gravity(s.q) - arms[0].gravity(s.q)).max() > 0.1


def test_without_gravity_nothing_is_held() -> None:
    arm = Arm("left", gravity_vector=(0.0, 0.0, 0.0))
    q = states_of(LOADED, 100, 79).q
    assert not arm.gravity(q).any()
    assert not arm.potential_energy(q).any()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"mass": -0.1}, "payload mass is -0.1 kg; it must not be negative"),
        ({"mass": np.nan}, "payload mass = nan; every value of payload mass must be finite"),
        (
            {"mass": 1.0, "com": [0.0, 0.0, np.nan]},
            "payload com[2] = nan; every value of payload com must be finite",
        ),
        (
            {"mass": 1.0, "inertia": -np.eye(3)},
            "payload inertia has the negative principal moment -1 kg m^2; it must be about the "
            "centre of mass, with tensor sign (ixy = -integral of x y dm)",
        ),
        (
            {"mass": 1.0, "inertia": np.diag([0.1, 0.1, 0.3])},
            "payload inertia breaks the triangle inequality: principal moments 0.1 + 0.1 < 0.3 "
            "kg m^2, which no body has",
        ),
    ],
)
def test_payloads_that_no_body_could_be_are_refused_with_the_reason(
    arguments: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InputError) as caught:
        Arm("left", payload=Payload(**arguments))
    assert str(caught.value) == reason


@every_backend
@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2), (0,), (5, 0)], ids=str)
@pytest.mark.parametrize("name", METHODS)
def test_leading_axes_are_kept(name: str, shape: tuple[int, ...], backend: str) -> None:
    method, arm = METHODS[name], Arm.from_model(LOADED, backend)
    results = as_tuple(method.run(arm, *arrays_of(method, *shape)))
    for result, core in zip(results, method.cores, strict=True):
        assert result.shape == (*shape, *core)
        assert np.asarray(result).dtype == np.float64


@pytest.mark.parametrize("name", sorted(METHODS.keys() - THROUGH_NUMPY))
def test_one_call_equals_its_row_of_a_batch_to_the_last_bit(name: str, isa: str) -> None:
    method, arm = METHODS[name], Arm.from_model(LOADED)
    arrays = arrays_of(method, 37)
    batch = as_tuple(method.run(arm, *arrays))
    for i in (0, 7, 36):
        one = as_tuple(method.run(arm, *(x[i] for x in arrays)))
        for single, many in zip(one, batch, strict=True):
            assert np.asarray(single).tobytes() == many[i].tobytes()


@every_backend
@pytest.mark.parametrize("name", METHODS)
def test_arguments_broadcast(name: str, backend: str) -> None:
    method, arm = METHODS[name], Arm.from_model(LOADED, backend)
    rng = np.random.default_rng(80)
    shapes = [(4, 1), (1, 3), (3,), (4, 1)][: len(method.widths)]
    arrays = [rng.normal(size=(*s, w)) for s, w in zip(shapes, method.widths, strict=True)]
    full = np.broadcast_shapes(*shapes)
    copies = [np.broadcast_to(x, (*full, x.shape[-1])) for x in arrays]
    for got, wanted in zip(
        as_tuple(method.run(arm, *arrays)), as_tuple(method.run(arm, *copies)), strict=True
    ):
        assert got.shape == wanted.shape
        size = max(1.0, float(np.abs(wanted).max()))
        tol.assert_close(got / size, wanted / size, tol.ROUNDING_TORQUE)


@every_backend
@pytest.mark.parametrize("name", TAKES_OUT)
def test_out_is_filled_and_returned(name: str, backend: str) -> None:
    method, arm = METHODS[name], Arm.from_model(LOADED, backend)
    arrays = arrays_of(method, 5)
    expected = method.run(arm, *arrays)
    out = np.full(expected.shape, np.nan)
    assert method.run(arm, *arrays, out=out) is out
    assert out.tobytes() == expected.tobytes()
    with pytest.raises(ShapeError, match=r"^out must have shape"):
        method.run(arm, *arrays, out=np.empty((2, 5)))


@every_backend
@pytest.mark.parametrize("name", METHODS)
def test_bad_arguments_are_refused_by_name(name: str, backend: str) -> None:
    method, arm = METHODS[name], Arm.from_model(LOADED, backend)
    third = "tau" if name.startswith("forward") else "qdd"
    for k, argument in enumerate(("q", "qd", third, "wrench")[: len(method.widths)]):
        arrays = arrays_of(method, 4)
        arrays[k][2, 1] = np.nan
        with pytest.raises(InputError) as caught:
            method.run(arm, *arrays)
        reason = f"{argument}[2, 1] = nan; every value of {argument} must be finite"
        assert str(caught.value) == reason
        arrays[k] = np.zeros(5)
        with pytest.raises(ShapeError, match=f"^{argument} must have"):
            method.run(arm, *arrays)
    if len(method.widths) > 1:
        arrays = arrays_of(method, 4)
        arrays[1] = arrays[1][:3]
        with pytest.raises(BaxterkitError, match="broadcast"):
            method.run(arm, *arrays)


@every_arm
def test_regressor_times_base_parameters_is_the_torque(name: str) -> None:
    arm, s = Arm.from_model(ARMS[name]), states_of(ARMS[name], 300, 81)
    tau = arm.regressor(s.q, s.qd, s.qdd) @ arm.base_parameters
    tol.assert_close(tau, arm.inverse_dynamics(s.q, s.qd, s.qdd), tol.TORQUE_ENGINE)


def test_base_parameters_are_read_only() -> None:
    beta = Arm("left").base_parameters
    assert beta.shape == (45,)
    with pytest.raises(ValueError, match="read-only"):
        beta[0] = 1.0


def test_wrench_on_the_tip_feels_the_task_inertia() -> None:
    """From rest and without gravity, a wrench w accelerates the tip by J qdd, and Λ J qdd = w."""
    arm = Arm.from_model(LOADED).replace(gravity_vector=np.zeros(3))
    q, w, rest = states_of(LOADED, 100, 82).q, wrenches(100, 83), np.zeros(7)
    regular = arm.manipulability(q) > 1e-3
    q, w = q[regular], w[regular]
    qdd = arm.forward_dynamics(q, rest, rest, w)
    acceleration = np.einsum("nij,nj->ni", arm.jacobian(q), qdd)
    felt = np.einsum("nij,nj->ni", arm.task_inertia(q), acceleration)
    tol.assert_close(felt, w, tol.TASK_INERTIA)


def test_replaced_payload_changes_the_copy_only() -> None:
    arm = Arm("left")
    q = arm.configuration("untuck")
    before = arm.gravity(q).tobytes()
    loaded = arm.replace(payload=Payload(1.0))
    assert arm.gravity(q).tobytes() == before
    assert np.abs(loaded.gravity(q) - arm.gravity(q)).max() > 1.0
