"""The equations of motion, one function for each kernel.

Every function takes the chain, sines `s` and cosines `c` of the n joint positions and the other
arguments of the quantity, and returns plain lists of scalars. Scalars are any objects with `+ - *`
(and `/` in forward dynamics): expressions of a graph, floats, mpmath numbers, SymPy symbols, arrays
of samples. An entry that is zero for every argument is returned as the number 0.

Arguments that recur:
    chain: Geometry (`Chain.from_dh`).
    s, c: Sine and cosine of q.
    qd, qdd: Joint velocities [rad/s] and accelerations [rad/s²].
    beta: The base parameters [kg m²] (`inertia.regroup`), 45 for seven joints.
    g: Gravity in frame 0 (the s0 frame at q = 0), divided by `chain.length` [1/s²].

Torques are in N m, energies in J, M in kg m², C in kg m²/s.
"""

from __future__ import annotations

from collections.abc import Sequence

from baxterkit.equations import composite, coriolis, derivatives, newton_euler, regressor, solve
from baxterkit.equations.chain import Chain
from baxterkit.equations.inertia import regrouped_links
from baxterkit.equations.vectors import Matrix, Scalar

Scalars = Sequence[Scalar]


def inverse_dynamics(
    chain: Chain, s: Scalars, c: Scalars, qd: Scalars, qdd: Scalars, beta: Scalars, g: Scalars
) -> list[Scalar]:
    """Torques tau = M qdd + C qd + G, n entries."""
    return newton_euler.newton_euler(chain, chain.angles(s, c), qd, qdd, regrouped_links(beta), g)


def inverse_dynamics_with_wrench(
    chain: Chain,
    s: Scalars,
    c: Scalars,
    qd: Scalars,
    qdd: Scalars,
    beta: Scalars,
    g: Scalars,
    wrench: Scalars,
    tip: Scalars,
) -> list[Scalar]:
    """Torques tau = M qdd + C qd + G - J' w, n entries.

    `wrench` holds the force [N] and the moment [N m] exerted on the tip, in the axes of frame 0;
    `tip` is the tip in the last chain frame [m].
    """
    return newton_euler.newton_euler(
        chain, chain.angles(s, c), qd, qdd, regrouped_links(beta), g, wrench=wrench, tip=tip
    )


def bias(
    chain: Chain, s: Scalars, c: Scalars, qd: Scalars, beta: Scalars, g: Scalars
) -> list[Scalar]:
    """C qd + G, n entries."""
    return inverse_dynamics(chain, s, c, qd, [0] * chain.dof, beta, g)


def gravity(chain: Chain, s: Scalars, c: Scalars, beta: Scalars, g: Scalars) -> list[Scalar]:
    """G, n entries."""
    return composite.gravity_torques(chain, chain.angles(s, c), regrouped_links(beta), g)


def inertia(chain: Chain, s: Scalars, c: Scalars, beta: Scalars) -> Matrix:
    """M, n × n."""
    return composite.inertia_matrix(chain, chain.angles(s, c), regrouped_links(beta))


def coriolis_matrix(chain: Chain, s: Scalars, c: Scalars, qd: Scalars, beta: Scalars) -> Matrix:
    """C of the Christoffel symbols, n × n: `Mdot - 2 C` is skew."""
    return coriolis.coriolis_matrix(chain, chain.angles(s, c), qd, regrouped_links(beta))


def inertia_coriolis_gravity(
    chain: Chain, s: Scalars, c: Scalars, qd: Scalars, beta: Scalars, g: Scalars
) -> tuple[Matrix, Matrix, list[Scalar]]:
    """M, C and G together; the composites are shared."""
    return (
        inertia(chain, s, c, beta),
        coriolis_matrix(chain, s, c, qd, beta),
        gravity(chain, s, c, beta, g),
    )


def forward_dynamics(
    chain: Chain, s: Scalars, c: Scalars, qd: Scalars, tau: Scalars, beta: Scalars, g: Scalars
) -> list[Scalar]:
    """Accelerations qdd of `M qdd = tau - C qd - G`, n entries [rad/s²]."""
    rest = [t - b for t, b in zip(tau, bias(chain, s, c, qd, beta, g), strict=True)]
    return solve.factorise(inertia(chain, s, c, beta)).solve(rest)


def kinetic_energy(chain: Chain, s: Scalars, c: Scalars, qd: Scalars, beta: Scalars) -> Scalar:
    """Kinetic energy."""
    return composite.kinetic_energy(chain, chain.angles(s, c), qd, regrouped_links(beta))


def potential_energy(chain: Chain, s: Scalars, c: Scalars, beta: Scalars, g: Scalars) -> Scalar:
    """Potential energy up to the constant of the mass that `regroup` leaves at the mount."""
    return composite.potential_energy(chain, chain.angles(s, c), regrouped_links(beta), g)


def inverse_dynamics_derivatives(
    chain: Chain, s: Scalars, c: Scalars, qd: Scalars, qdd: Scalars, beta: Scalars, g: Scalars
) -> tuple[Matrix, Matrix]:
    """Derivatives of tau by q and by qd, n × n each; row i belongs to tau_i. By qdd it is M."""
    return derivatives.inverse_dynamics_derivatives(
        chain, chain.angles(s, c), qd, qdd, regrouped_links(beta), g
    )


def forward_dynamics_derivatives(
    chain: Chain, s: Scalars, c: Scalars, qd: Scalars, tau: Scalars, beta: Scalars, g: Scalars
) -> tuple[Matrix, Matrix, Matrix]:
    """Derivatives of qdd by q, by qd and by tau (the inverse of M), n × n each."""
    n = chain.dof
    M = solve.factorise(inertia(chain, s, c, beta))
    rest = [t - b for t, b in zip(tau, bias(chain, s, c, qd, beta, g), strict=True)]
    qdd = M.solve(rest)
    by_q, by_qd = inverse_dynamics_derivatives(chain, s, c, qd, qdd, beta, g)
    columns = [[M.solve([-row[j] for row in D]) for j in range(n)] for D in (by_q, by_qd)]
    inverse = [M.solve([int(i == j) for i in range(n)]) for j in range(n)]
    return _transposed(columns[0]), _transposed(columns[1]), _transposed(inverse)


def base_regressor(
    chain: Chain, s: Scalars, c: Scalars, qd: Scalars, qdd: Scalars, g: Scalars
) -> Matrix:
    """Y of `tau = Y beta`, n × 45 for seven joints [1/s²]."""
    return regressor.base_regressor(chain, chain.angles(s, c), qd, qdd, g)


def _transposed(M: Matrix) -> Matrix:
    return [list(row) for row in zip(*M, strict=True)]
