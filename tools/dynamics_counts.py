"""How many operations each idea saves: `python tools/dynamics_counts.py`.

The same quantities are derived in ever better ways over the expression graph and counted. A program
"written out" repeats every common subexpression, as a closed form on paper does; otherwise every
expression is computed once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

from baxterkit.equations.chain import Chain, ChainJoint, to_child, to_parent
from baxterkit.equations.composite import Angles, gravity_torques, inertia_matrix
from baxterkit.equations.coriolis import coriolis_matrix
from baxterkit.equations.inertia import Moments, regrouped_links, symmetric
from baxterkit.equations.newton_euler import newton_euler
from baxterkit.equations.vectors import Matrix, Scalar, Vector, add, cross, matvec
from baxterkit.model.dh import DhRow, dh_from_model
from baxterkit.model.library import baxter_arm
from baxterkit.symbolic.graph import OPERATIONS, Expr, Graph, count_operations, reachable


@dataclass(frozen=True)
class Step:
    """One line of the table: what was done, and the operations that remain."""

    name: str
    inverse_dynamics: int | None
    terms: int | None


def steps() -> list[Step]:
    """The table: operations for the torques, and for M, C and G together."""
    rows = dh_from_model(baxter_arm("left")).rows
    urdf_angles = [_with_urdf_angles(row) for row in rows]
    plain, exact = Chain.from_dh(rows, length=1.0), Chain.from_dh(rows)
    rough = _rough_chain(urdf_angles)
    written, shared = _lagrange_counts(rows)
    return [
        Step("Lagrange-Euler, written out", None, written),
        Step("Lagrange-Euler, every expression computed once", None, shared),
        Step("textbook Newton-Euler, angles as in the URDF", _textbook_count(rough), None),
        Step("right angles exact", _textbook_count(plain), None),
        Step("customised recursion, composite bodies", *_count(plain, full=True)),
        Step("base parameters", *_count(plain)),
        Step("an arm length as the unit of length", *_count(exact)),
    ]


def textbook_newton_euler(
    chain: Chain,
    angles: Angles,
    qd: Sequence[Scalar],
    qdd: Sequence[Scalar],
    masses: Sequence[Scalar],
    coms: Sequence[Vector],
    tensors: Sequence[Matrix],
    g: Sequence[Scalar],
) -> list[Scalar]:
    """Newton-Euler as in textbooks: masses, centres of mass, tensors about them."""
    w: Vector = [0, 0, 0]
    wd: Vector = [0, 0, 0]
    a: Vector = [-x for x in g]
    wrenches = []
    for k, (joint, angle) in enumerate(zip(chain.joints, angles, strict=True)):
        lever = add(cross(wd, joint.P), cross(w, cross(w, joint.P)))
        a = to_child(joint, angle, add(a, lever))
        w, wd = to_child(joint, angle, w), to_child(joint, angle, wd)
        wd = add(wd, [w[1] * qd[k], -w[0] * qd[k], qdd[k]])
        w = add(w, [0, 0, qd[k]])
        r = coms[k]
        F = [masses[k] * x for x in add(a, add(cross(wd, r), cross(w, cross(w, r))))]
        N = add(matvec(tensors[k], wd), cross(w, matvec(tensors[k], w)))
        wrenches.append((F, add(N, cross(r, F))))
    tau: list[Scalar] = []
    f, n = wrenches[-1]
    for k in range(chain.dof - 1, -1, -1):
        tau.append(n[2])
        if k > 0:
            joint, angle = chain.joints[k], angles[k]
            f, n = to_parent(joint, angle, f), to_parent(joint, angle, n)
            n = add(add(n, cross(joint.P, f)), wrenches[k - 1][1])
            f = add(f, wrenches[k - 1][0])
    return tau[::-1]


def _textbook_count(chain: Chain) -> int:
    graph = Graph()
    s, c, qd, qdd = (graph.symbols(name, 7) for name in ("s", "c", "qd", "qdd"))
    masses = graph.symbols("m", 7)
    coms = [graph.symbols(f"r{k}", 3) for k in range(7)]
    tensors = [symmetric(*graph.symbols(f"I{k}", 6)) for k in range(7)]
    tau = textbook_newton_euler(
        chain, chain.angles(s, c), qd, qdd, masses, coms, tensors, graph.symbols("g", 3)
    )
    return count_operations(tau).total


def _count(chain: Chain, full: bool = False) -> tuple[int, int]:
    graph = Graph()
    s, c, qd, qdd = (graph.symbols(name, 7) for name in ("s", "c", "qd", "qdd"))
    g, angles = graph.symbols("g", 3), chain.angles(s, c)
    if full:
        bodies = [_full_link(graph, k) for k in range(7)]
    else:
        bodies = regrouped_links(graph.symbols("beta", 45))
    tau = newton_euler(chain, angles, qd, qdd, bodies, g)
    terms = [
        *_flat(inertia_matrix(chain, angles, bodies)),
        *_flat(coriolis_matrix(chain, angles, qd, bodies)),
        *gravity_torques(chain, angles, bodies, g),
    ]
    return count_operations(tau).total, count_operations(map(graph.lift, terms)).total


def _full_link(graph: Graph, k: int) -> Moments:
    return Moments(
        graph.symbol(f"m[{k}]"), graph.symbols(f"h{k}", 3), symmetric(*graph.symbols(f"S{k}", 6))
    )


def _lagrange_counts(rows: Sequence[DhRow]) -> tuple[int, int]:
    """Operations of eq. 6-8 of Smith et al. for M, C, G: written out, and shared."""
    graph = Graph()
    n = len(rows)
    s, c, qd, g = (graph.symbols(name, n) for name in ("s", "c", "qd", "g"))
    chain = Chain.from_dh(rows, length=1.0)
    T = [
        _homogeneous(joint, angle)
        for joint, angle in zip(chain.joints, chain.angles(s, c), strict=True)
    ]
    J = [_pseudo_inertia(_full_link(graph, k)) for k in range(n)]
    Q: Matrix = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]

    def derivative(i: int, joints: tuple[int, ...]) -> Matrix:
        """T_i differentiated by the joints: T … T_j Q T …, Q as often as j occurs."""
        factors: list[Matrix] = []
        for k in range(i + 1):
            factors += [T[k], *([Q] * joints.count(k))]
        return reduce(_product, factors)

    U = {(i, j): derivative(i, (j,)) for i in range(n) for j in range(i + 1)}
    V = {
        (i, j, k): derivative(i, (j, k))
        for i in range(n)
        for j in range(i + 1)
        for k in range(i + 1)
    }
    outputs: list[Scalar] = []
    for i in range(n):
        for k in range(n):
            outputs.append(sum(_trace(U[j, k], J[j], U[j, i]) for j in range(max(i, k), n)))
            outputs.append(
                sum(
                    _trace(V[j, k, m], J[j], U[j, i]) * qd[m]
                    for m in range(n)
                    for j in range(max(i, k, m), n)
                )
            )
        weights = [
            sum(U[j, i][a][b] * J[j][b][3] for b in range(4)) * g[a]
            for j in range(i, n)
            for a in range(3)
        ]
        outputs.append(-sum(weights))
    lifted = [graph.lift(x) for x in outputs]
    return _written_out(lifted), count_operations(lifted).total


def _written_out(outputs: Sequence[Expr]) -> int:
    """Operations if no subexpression is shared."""
    cost: dict[int, int] = {}
    for node in reachable(outputs):
        cost[node.index] = sum(cost[a.index] for a in node.args) + (node.kind in OPERATIONS)
    return sum(cost[output.index] for output in outputs)


def _homogeneous(joint: ChainJoint, angle: tuple[Scalar, Scalar]) -> Matrix:
    columns = [to_parent(joint, angle, axis) for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
    return [[*(column[i] for column in columns), joint.P[i]] for i in range(3)] + [[0, 0, 0, 1]]


def _pseudo_inertia(body: Moments) -> Matrix:
    return [[*body.S[i], body.h[i]] for i in range(3)] + [[*body.h, body.m]]


def _product(A: Matrix, B: Matrix) -> Matrix:
    return [[sum(A[i][m] * B[m][k] for m in range(4)) for k in range(4)] for i in range(4)]


def _trace(A: Matrix, J: Matrix, B: Matrix) -> Scalar:
    """Tr(A J B')."""
    AJ = _product(A, J)
    return sum(AJ[i][k] * B[i][k] for i in range(4) for k in range(4))


def _with_urdf_angles(row: DhRow) -> DhRow:
    """The row with pi/2 as the URDF prints it."""
    return replace(row, theta_offset=_as_printed(row.theta_offset), alpha=_as_printed(row.alpha))


def _as_printed(angle: float) -> float:
    return math.copysign(1.57079632679, angle) if abs(abs(angle) - math.pi / 2) < 1e-9 else angle


def _rough_chain(rows: Sequence[DhRow]) -> Chain:
    """A chain whose right angles are not snapped."""
    joints = []
    alpha = 0.0
    for row, joint in zip(rows, Chain.from_dh(rows, length=1.0).joints, strict=True):
        ca, sa = math.cos(alpha), math.sin(alpha)
        offset = (math.cos(row.theta_offset), math.sin(row.theta_offset))
        joints.append(replace(joint, A=((1, 0, 0), (0, ca, -sa), (0, sa, ca)), offset=offset))
        alpha = row.alpha
    return Chain(tuple(joints), 1.0)


def _flat(M: Matrix) -> list[Scalar]:
    return [x for row in M for x in row]


def table() -> str:
    """The steps as a Markdown table."""
    lines = ["| step | torques | M, C, G |", "|---|---:|---:|"]
    for step in steps():
        numbers = ("" if x is None else f"{x:,}" for x in (step.inverse_dynamics, step.terms))
        lines.append(f"| {step.name} | {' | '.join(numbers)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
