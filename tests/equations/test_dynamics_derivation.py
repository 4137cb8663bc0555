"""The derivations of `equations.dynamics`: their cost, and that they are right on any scalar."""

from __future__ import annotations

from typing import Any

import components
import numpy as np
import pytest
import tolerances as tol

from baxterkit.dynamics import derivatives, forward
from baxterkit.dynamics import newton_euler as ne
from baxterkit.dynamics.regressor import base_regressor
from baxterkit.equations import base_parameters as bp
from baxterkit.equations import dynamics, inertia
from baxterkit.equations.chain import Chain
from baxterkit.equations.newton_euler import newton_euler
from baxterkit.model.dh import dh_from_model
from baxterkit.model.library import baxter_arm
from baxterkit.model.model import ArmModel, Payload
from baxterkit.symbolic.graph import Graph, count_operations

# Operations of each kernel: multiplications, additions and divisions, sines and cosines apart,
# gravity in any direction. Raise a number only with a reason; lower it when a derivation improves.
OPERATIONS = {
    "inverse_dynamics": 575,
    "inverse_dynamics_with_wrench": 680,
    "bias": 557,
    "gravity": 107,
    "inertia": 332,
    "coriolis_matrix": 1183,
    "inertia_coriolis_gravity": 1303,
    "forward_dynamics": 1127,
    "kinetic_energy": 239,
    "potential_energy": 58,
    "inverse_dynamics_derivatives": 2595,
    "forward_dynamics_derivatives": 4912,
    "base_regressor": 1072,
}
# What was asked for.
BUDGETS = {
    "inverse_dynamics": 660,
    "inertia": 358,
    "gravity": 140,
    "coriolis_matrix": 1300,
    "forward_dynamics": 1350,
    "inertia_coriolis_gravity": 1800,
}
ARGUMENTS = {
    "inverse_dynamics": "s c qd qdd beta g",
    "inverse_dynamics_with_wrench": "s c qd qdd beta g wrench tip",
    "bias": "s c qd beta g",
    "gravity": "s c beta g",
    "inertia": "s c beta",
    "coriolis_matrix": "s c qd beta",
    "inertia_coriolis_gravity": "s c qd beta g",
    "forward_dynamics": "s c qd tau beta g",
    "kinetic_energy": "s c qd beta",
    "potential_energy": "s c beta g",
    "inverse_dynamics_derivatives": "s c qd qdd beta g",
    "forward_dynamics_derivatives": "s c qd tau beta g",
    "base_regressor": "s c qd qdd g",
}
SIZES = {"beta": 45, "g": 3, "wrench": 6, "tip": 3}


def flat(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [x for entry in value for x in flat(entry)]
    return [value]


@pytest.fixture(scope="module")
def arm() -> ArmModel:
    inertia = np.diag([0.002, 0.003, 0.004])
    return baxter_arm(
        "left",
        tool="electric_standard",
        payload=Payload(1.1, np.array([0.01, 0.02, 0.05]), inertia),
        gravity=np.array([1.0, -2.0, -9.0]),
    )


@pytest.fixture(scope="module")
def chain(arm: ArmModel) -> Chain:
    return bp.chain_of(arm)


def test_every_kernel_is_counted() -> None:
    public = {
        name
        for name, value in vars(dynamics).items()
        if callable(value) and getattr(value, "__module__", "") == dynamics.__name__
    }
    assert {name for name in public if not name.startswith("_")} == set(OPERATIONS)


@pytest.mark.parametrize("kernel", OPERATIONS)
def test_operation_counts(kernel: str, chain: Chain) -> None:
    graph = Graph()
    arguments = [graph.symbols(n, SIZES.get(n, 7)) for n in ARGUMENTS[kernel].split()]
    outputs = flat(getattr(dynamics, kernel)(chain, *arguments))
    total = count_operations([graph.lift(x) for x in outputs]).total
    assert total == OPERATIONS[kernel]
    assert total <= BUDGETS.get(kernel, total)


def evaluate(kernel: str, chain: Chain, values: dict[str, Any]) -> list[Any]:
    return flat(getattr(dynamics, kernel)(chain, *(values[n] for n in ARGUMENTS[kernel].split())))


def batch_values(arm: ArmModel, chain: Chain, count: int, seed: int) -> dict[str, Any]:
    """Arguments as lists of arrays over samples: arrays are scalars too."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (7, count))
    qd, qdd, tau = rng.uniform(-3.0, 3.0, (3, 7, count))
    return {
        "q": q,
        "s": list(np.sin(q)),
        "c": list(np.cos(q)),
        "qd": list(qd),
        "qdd": list(qdd),
        "tau": list(tau),
        "beta": list(bp.base_parameters(arm, chain)),
        "g": list(bp.chain_gravity(arm, chain)),
    }


def test_derivations_equal_the_numpy_reference(arm: ArmModel, chain: Chain) -> None:
    count = 40
    values = batch_values(arm, chain, count, seed=1)
    q = values["q"].T
    qd, qdd, tau = (np.array(values[name]).T for name in ("qd", "qdd", "tau"))
    rng = np.random.default_rng(2)
    wrench = rng.normal(0.0, 10.0, (6, count))
    R = arm.T_base_s0[:3, :3]
    turned = np.concatenate([R @ wrench[:3], R @ wrench[3:]]).T  # frame 0 -> base axes
    values["wrench"] = list(wrench)
    T = bp.link_frames(arm, chain)[-1] @ arm.T_last_tip
    values["tip"] = list(T[:3, 3])

    def compare(kernel: str, expected: Any, tolerance: float) -> None:
        got = np.stack([np.broadcast_to(x, (count,)) for x in evaluate(kernel, chain, values)], -1)
        tol.assert_close(got, np.reshape(expected, (count, -1)), tolerance)

    compare("inverse_dynamics", ne.inverse_dynamics(arm, q, qd, qdd), tol.TORQUE_ENGINE)
    loaded = ne.inverse_dynamics(arm, q, qd, qdd, turned)
    compare("inverse_dynamics_with_wrench", loaded, tol.TORQUE_ENGINE)
    compare("bias", ne.bias(arm, q, qd), tol.TORQUE_ENGINE)
    compare("gravity", ne.gravity(arm, q), tol.GRAVITY_ENGINE)
    compare("inertia", ne.inertia(arm, q), tol.INERTIA_ENGINE)
    compare("coriolis_matrix", ne.coriolis(arm, q, qd), tol.CORIOLIS_ENGINE)
    qdd_free = forward.forward_dynamics(arm, q, qd, tau)
    compare("forward_dynamics", qdd_free, tol.FORWARD_ROUND_TRIP)
    compare("kinetic_energy", forward.kinetic_energy(arm, q, qd), tol.TORQUE_ENGINE)
    potential = forward.potential_energy(arm, q) - bp.mount_energy(arm, chain)
    compare("potential_energy", potential, tol.TORQUE_ENGINE)
    by_q, by_qd = derivatives.inverse_dynamics_derivatives(arm, q, qd, qdd)
    both = np.concatenate([by_q.reshape(count, -1), by_qd.reshape(count, -1)], axis=-1)
    compare("inverse_dynamics_derivatives", both, tol.DERIVATIVE)
    compare("base_regressor", base_regressor(arm, q, qd, qdd), tol.REGRESSOR)
    parts = derivatives.forward_dynamics_derivatives(arm, q, qd, tau)
    scale = max(np.abs(part).max() for part in parts)
    columns = evaluate("forward_dynamics_derivatives", chain, values)
    got = np.stack([np.broadcast_to(x, (count,)) for x in columns], -1)
    expected = np.concatenate([part.reshape(count, -1) for part in parts], axis=-1)
    tol.assert_close(got / scale, expected / scale, tol.DERIVATIVE)


def test_links_with_mass_move_like_their_base_parameters(arm: ArmModel, chain: Chain) -> None:
    """The recursions also run on true links; regrouping changes no torque."""
    values = batch_values(arm, chain, 10, seed=3)
    angles = chain.angles(values["s"], values["c"])
    links = bp.link_moments(arm, chain)
    tau = newton_euler(chain, angles, values["qd"], values["qdd"], links, values["g"])
    tol.assert_close(
        np.array(tau), np.array(evaluate("inverse_dynamics", chain, values)), tol.TORQUE_ENGINE
    )


@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.acceptance)])
def test_double_precision_agrees_with_fifty_digits(arm: ArmModel, chain: Chain, count: int) -> None:
    components.require("mpmath")
    import mpmath

    plain = Chain.from_dh(dh_from_model(arm).rows, length=1.0)
    beta, g = bp.base_parameters(arm, plain), bp.chain_gravity(arm, plain)
    rng = np.random.default_rng(4)
    with mpmath.workdps(50):
        for _ in range(count):
            q, qd, qdd = rng.uniform(-3.0, 3.0, (3, 7))
            values = {
                "s": [mpmath.sin(mpmath.mpf(x)) for x in q],
                "c": [mpmath.cos(mpmath.mpf(x)) for x in q],
                "qd": [mpmath.mpf(x) for x in qd],
                "qdd": [mpmath.mpf(x) for x in qdd],
                "beta": [mpmath.mpf(x) for x in beta],
                "g": [mpmath.mpf(x) for x in g],
            }
            exact = {
                kernel: np.array([float(x) for x in evaluate(kernel, plain, values)])
                for kernel in ("inertia", "coriolis_matrix", "gravity", "inverse_dynamics")
            }
            tol.assert_close(ne.inertia(arm, q).ravel(), exact["inertia"], tol.MPMATH)
            tol.assert_close(ne.coriolis(arm, q, qd).ravel(), exact["coriolis_matrix"], tol.MPMATH)
            tol.assert_close(ne.gravity(arm, q), exact["gravity"], tol.MPMATH)
            tau = ne.inverse_dynamics(arm, q, qd, qdd)
            tol.assert_close(tau, exact["inverse_dynamics"], tol.MPMATH)


@pytest.mark.slow
def test_sympy_shows_the_mass_of_a_link_in_the_inertia_matrix() -> None:
    components.require("sympy")
    import sympy

    arm = baxter_arm("left")
    chain = Chain.from_dh(dh_from_model(arm).rows, length=1.0)
    m3 = sympy.Symbol("m3")
    links = [inertia.Moments(0, [0, 0, 0], inertia.symmetric(0, 0, 0, 0, 0, 0)) for _ in range(7)]
    links[2] = inertia.Moments(m3, [0, 0, m3 * 0.2], inertia.symmetric(0, 0, m3 * 0.04, 0, 0, 0))
    beta, _ = inertia.regroup(chain, links)
    s, c = sympy.symbols("s1:8"), sympy.symbols("c1:8")
    M = dynamics.inertia(chain, s, c, beta)
    # A point mass on the axis of e0, 0.2 m from s1, is always 0.2 m from the axis of s1.
    M22 = sympy.simplify(sympy.expand(M[1][1]).subs(c[1] ** 2, 1 - s[1] ** 2))
    assert sympy.simplify(M22 - 0.04 * m3) == 0
