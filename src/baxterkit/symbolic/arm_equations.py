"""Every quantity of an arm, derived from one set of scalars: graph expressions or SymPy symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from baxterkit.equations import composite, coriolis, kinematics, newton_euler, solve
from baxterkit.equations.inertia import Moments, regroup, regrouped_links
from baxterkit.equations.joint_effects import EffectScalars
from baxterkit.equations.vectors import Matrix, Scalar
from baxterkit.symbolic.arm_parameters import ArmParameters, LinkInertial, whole

QUANTITIES: dict[str, tuple[tuple[int, ...], str]] = {
    "fk": ((4, 4), "Tip pose T_base_tip."),
    "jacobian": ((6, 7), "Jacobian of the tip in base axes, linear rows [m/rad] first."),
    "inertia": ((7, 7), "Joint-space inertia matrix M [kg m²]."),
    "coriolis": ((7, 7), "Coriolis matrix C of the Christoffel symbols [kg m²/s]."),
    "gravity": ((7,), "Gravity torques G [N m]."),
    "inverse_dynamics": ((7,), "Torques tau = M qdd + C qd + G [N m]."),
    "forward_dynamics": ((7,), "Accelerations qdd of M qdd = tau - C qd - G [rad/s²]."),
}
"""Shape and meaning of the methods of `ArmEquations`; all of them return flat lists."""


class ArmEquations:
    """The derivations of one arm, with all their arguments.

    Args:
        numbers: The arm's geometry, mount and tool.
        joints: Scalars of the joints for `s`, `c`, `qd`, `qdd` and `tau`, seven each.
        links: Inertials of the links, in DH frames.
        gravity: Gravity in frame 0 over the chain's unit of length, three scalars.
        regrouped: Whether to merge inertials into base parameters, which takes fewer operations but
            hides the links.
        effects: The joint effects, or None.
        root: The square root of the scalars, which friction takes.
    """

    def __init__(
        self,
        numbers: ArmParameters,
        joints: Callable[[str], list[Scalar]],
        links: Sequence[LinkInertial],
        gravity: Sequence[Scalar],
        regrouped: bool,
        effects: EffectScalars | None = None,
        root: Callable[[Scalar], Scalar] = lambda x: x.sqrt(),
    ) -> None:
        self.numbers = numbers
        self.s, self.c, self.qd, self.qdd, self.tau = map(joints, ("s", "c", "qd", "qdd", "tau"))
        self.g = gravity
        self.mount = kinematics.frame_from_rows([whole(x) for x in numbers.mount])
        self.tool = kinematics.frame_from_rows([whole(x) for x in numbers.tool])
        self.bodies: list[Moments] = numbers.moments(links)
        if regrouped:
            self.bodies = regrouped_links(regroup(numbers.chain, self.bodies)[0])
        self.angles = numbers.chain.angles(self.s, self.c)
        self.added: list[Scalar] = [0] * numbers.chain.dof
        if effects is not None:
            self.added = effects.torques(self.s, self.c, self.qd, root)

    def fk(self) -> list[Scalar]:
        """The 16 entries of T_base_tip."""
        rows = self.numbers.rows
        pose = kinematics.forward_kinematics(rows, self.s, self.c, self.mount, self.tool)
        return [*pose, 0, 0, 0, 1]

    def jacobian(self) -> list[Scalar]:
        """The 42 entries of J, row by row."""
        rows = self.numbers.rows
        columns = kinematics.jacobian(rows, self.s, self.c, self.mount, self.tool.p)
        return [column[i] for i in range(6) for column in columns]

    def inertia(self) -> list[Scalar]:
        """The 49 entries of M."""
        return _flat(composite.inertia_matrix(self.numbers.chain, self.angles, self.bodies))

    def coriolis(self) -> list[Scalar]:
        """The 49 entries of C."""
        chain = self.numbers.chain
        return _flat(coriolis.coriolis_matrix(chain, self.angles, self.qd, self.bodies))

    def gravity(self) -> list[Scalar]:
        """G."""
        return composite.gravity_torques(self.numbers.chain, self.angles, self.bodies, self.g)

    def inverse_dynamics(self, qdd: Sequence[Scalar] | None = None) -> list[Scalar]:
        """Torques with the joints' effects, for the accelerations `qdd` or the arm's own."""
        qdd = self.qdd if qdd is None else qdd
        chain = self.numbers.chain
        rigid = newton_euler.newton_euler(chain, self.angles, self.qd, qdd, self.bodies, self.g)
        return [tau + added for tau, added in zip(rigid, self.added, strict=True)]

    def forward_dynamics(self) -> list[Scalar]:
        """Accelerations."""
        bias = self.inverse_dynamics([0] * self.numbers.chain.dof)
        M = composite.inertia_matrix(self.numbers.chain, self.angles, self.bodies)
        return solve.factorise(M).solve([t - b for t, b in zip(self.tau, bias, strict=True)])


def _flat(matrix: Matrix) -> list[Scalar]:
    return [x for row in matrix for x in row]
