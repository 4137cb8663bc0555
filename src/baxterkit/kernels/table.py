"""Every kernel, declared once: name, arguments, shape of the result, and a sentence.

`python -m baxterkit.codegen` makes from this table the C++ declarations and their order, the type
stub of the extension, the protocol of the backends, and the methods of `Arm` that only call a
kernel. What `help` and `inspect.signature` show comes from here as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

OF = 'Another frame of this arm than the tip, for example "left_hand_camera".'
LINE = 100
"""Longest line of generated Python."""


@dataclass(frozen=True)
class Argument:
    """An array that kernels take, shape (*batch, width)."""

    name: str
    width: int
    meaning: str


Q = Argument("q", 7, "Joint positions [rad]")
QD = Argument("qd", 7, "Joint velocities [rad/s]")
QDD = Argument("qdd", 7, "Joint accelerations [rad/s²]")
TAU = Argument("tau", 7, "Joint torques [N m]")
QD_NULL = Argument(
    "qd_null",
    7,
    "Preferred joint velocities [rad/s]; the part that leaves the tip at rest is added",
)
TWIST = Argument("twist", 6, "V = [v; w] in base axes [m/s, rad/s]")
DAMPING = Argument("damping", 1, "λ ≥ 0 of the damped pseudo-inverse")
WRENCH = Argument("wrench", 6, "Force [N] and moment [N m] exerted on the tip, base axes")


@dataclass(frozen=True)
class Choice:
    """An argument that chooses between kernels by name.

    Attributes:
        name: The argument.
        kernels: Value → kernel that computes it; the first is the default.
        meaning: What the values mean.
    """

    name: str
    kernels: dict[str, str]
    meaning: str

    @property
    def default(self) -> str:
        """The value if none is given."""
        return next(iter(self.kernels))


Reach = Literal["arm", "backends", "native"]
"""Who has a kernel: "arm": it is a method of `Arm`; "backends": methods of `Arm` are built on it;
"native": only the extension has it."""


@dataclass(frozen=True)
class Kernel:
    """One kernel.

    Attributes:
        name: Its name, here, in C++ and in Python.
        inputs: The arrays that it takes; the first is always q.
        shape: Shape of one result.
        sentence: What it computes.
        returns: What the result is, with its units.
        layout: Order of its entries, where the shape does not show it.
        more: A further paragraph.
        reach: Who has it.
        choice: An argument that chooses another kernel.
        any_frame: Whether `of` may name another frame of the arm than the tip.
        by_hand: Whether its C++ is hand-written; otherwise it is the program of that name, which
            `codegen` generates.
        shared: Whether other kernels contain it: their C++ calls it.
    """

    name: str
    inputs: tuple[Argument, ...]
    shape: tuple[int, ...]
    sentence: str
    returns: str
    layout: str = ""
    more: str = ""
    reach: Reach = "arm"
    choice: Choice | None = None
    any_frame: bool = False
    by_hand: bool = False
    shared: bool = False

    @property
    def class_name(self) -> str:
        """Name of the C++ struct: `link_poses` → `LinkPoses`."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def text_signature(self) -> str:
        """The signature as CPython reads it from a docstring."""
        names = ["$self", *(argument.name for argument in self.inputs)]
        if self.choice is not None:
            names.append(f"{self.choice.name}='{self.choice.default}'")
        of = "of=None, " if self.any_frame else ""
        return f"{self.name}({', '.join(names)}, *, {of}out=None)"

    def doc(self, indent: str = "") -> str:
        """The docstring, its lines after the first one indented and wrapped."""
        return f"\n{indent}".join(self._doc_lines(LINE - len(indent))).replace(f"{indent}\n", "\n")

    def _doc_lines(self, width: int) -> Iterator[str]:
        yield self.sentence
        if self.more:
            yield from ("", self.more)
        yield from ("", "Args:")
        for argument in self.inputs:
            yield from _item(f"{argument.name}: {argument.meaning}", (argument.width,), "", width)
        if self.choice is not None:
            yield from wrapped(f"{self.choice.name}: {self.choice.meaning}", width)
        if self.any_frame:
            yield from wrapped(f"of: {OF}", width)
        yield from _item("out: Array for the result", self.shape, "", width)
        yield from ("", "Returns:")
        yield from _item(self.returns, self.shape, self.layout, width, hang="")


def _item(
    text: str, shape: tuple[int, ...], after: str, width: int, hang: str = "    "
) -> list[str]:
    entries = ", ".join(["*batch", *map(str, shape)])
    return wrapped(f"{text}, shape ({entries})" + (f"; {after}." if after else "."), width, hang)


def wrapped(text: str, width: int, hang: str = "    ") -> list[str]:
    """The lines of an entry of a list in a docstring."""
    import textwrap  # the generator needs it, arms do not

    return textwrap.wrap(text, width, initial_indent="    ", subsequent_indent=f"    {hang}")


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "sincos",
        (Q,),
        (2, 7),
        "Sines and cosines of the joint positions, with which every kernel starts.",
        "Sines, then cosines",
        reach="native",
        by_hand=True,
    ),
    Kernel(
        "fk",
        (Q,),
        (4, 4),
        "Pose of the tip in base.",
        "T_base_tip",
        more="Positions outside the joint limits are accepted.",
        any_frame=True,
    ),
    Kernel(
        "link_poses",
        (Q,),
        (8, 4, 4),
        "Poses of the link frames s0 … w2, then of the tip, in base.",
        "Ts_base_link",
    ),
    Kernel(
        "jacobian",
        (Q,),
        (6, 7),
        "Geometric Jacobian of the tip: V = J(q) qd, V = [v; w].",
        "J",
        layout="linear rows [m/rad] first, then angular rows [1]",
        choice=Choice(
            "frame",
            {"base": "jacobian", "tip": "body_jacobian"},
            '"base" for V at the tip origin in base axes; "tip" for tip axes (body Jacobian).',
        ),
        any_frame=True,
    ),
    Kernel(
        "body_jacobian",
        (Q,),
        (6, 7),
        "Geometric Jacobian of the tip in tip axes.",
        "J",
        layout="linear rows [m/rad] first, then angular rows [1]",
        reach="native",
    ),
    Kernel(
        "twist",
        (Q, QD),
        (6,),
        "Velocity of the tip, J(q) qd.",
        "V = [v; w] at the tip origin in base axes [m/s, rad/s]",
    ),
    Kernel(
        "bias_acceleration",
        (Q, QD),
        (6,),
        "J̇ q̇: acceleration of the tip when every joint acceleration is zero.",
        "[a; alpha] in base axes [m/s², rad/s²]",
        more="The tip accelerates by J(q) qdd + J̇(q, qd) qd.",
    ),
    Kernel(
        "null_vector",
        (Q,),
        (7,),
        "Direction of the self-motion: signed minors of J, so that J n = 0 and |n| is the index.",
        "n",
        more="Smooth in q; zero at singularities.",
    ),
    Kernel(
        "manipulability",
        (Q,),
        (),
        "Yoshikawa's index √det(J Jᵀ), zero at a singularity.",
        "The index [m³/rad³]",
    ),
    Kernel(
        "nullspace",
        (Q,),
        (7, 7),
        "Projector 1 - J⁺ J onto joint velocities that leave the tip at rest.",
        "N",
        more="Only where J has full rank; NaN elsewhere.",
        reach="backends",
        by_hand=True,
    ),
    Kernel(
        "joint_velocity",
        (Q, TWIST, QD_NULL, DAMPING),
        (7,),
        "Joint velocities for a tip velocity: J⁺ V + (1 - J⁺ J) qd_null.",
        "qd [rad/s]",
        more="At a singularity only with damping, and with `qd_null` zero.",
        reach="backends",
        by_hand=True,
    ),
    Kernel(
        "inverse_dynamics",
        (Q, QD, QDD),
        (7,),
        "Torques of a motion: tau = M qdd + C qd + G.",
        "tau [N m]",
        reach="backends",
        shared=True,
    ),
    Kernel(
        "inverse_dynamics_wrench",
        (Q, QD, QDD, WRENCH),
        (7,),
        "Torques of a motion under a tip wrench: tau = M qdd + C qd + G - J' w.",
        "tau [N m]",
        reach="backends",
    ),
    Kernel(
        "gravity",
        (Q,),
        (7,),
        "Torques G(q) that hold the arm against gravity.",
        "G [N m]",
    ),
    Kernel(
        "inertia",
        (Q,),
        (7, 7),
        "Joint-space inertia matrix M(q), symmetric and positive definite.",
        "M [kg m²]",
    ),
    Kernel(
        "coriolis",
        (Q, QD),
        (7, 7),
        "Coriolis matrix C(q, qd) of the Christoffel symbols: dM/dt - 2 C is skew.",
        "C [kg m²/s]",
        layout="C qd is the Coriolis and centrifugal torque",
    ),
    Kernel(
        "dynamics_terms",
        (Q, QD),
        (15, 7),
        "M, C and G in one pass.",
        "M, C and G, stacked by rows",
        layout="rows 0-6 are M, 7-13 C, 14 G",
        reach="backends",
    ),
    Kernel(
        "bias_torque",
        (Q, QD),
        (7,),
        "C(q, qd) qd + G(q): the torques of a motion without acceleration.",
        "Torques [N m]",
    ),
    Kernel(
        "forward_dynamics",
        (Q, QD, TAU),
        (7,),
        "Accelerations under torques: qdd of M qdd = tau - C qd - G.",
        "qdd [rad/s²]",
        reach="backends",
        shared=True,
    ),
    Kernel(
        "kinetic_energy",
        (Q, QD),
        (),
        "Kinetic energy ½ qd' M qd.",
        "The energy [J]",
    ),
    Kernel(
        "potential_energy",
        (Q,),
        (),
        "Potential energy in gravity, zero with all mass at the base's origin.",
        "The energy [J]",
        by_hand=True,
    ),
    Kernel(
        "inverse_dynamics_derivatives",
        (Q, QD, QDD),
        (2, 7, 7),
        "First derivatives of `inverse_dynamics`.",
        "By q [N m/rad], then by qd [N m s/rad]",
        layout="row i belongs to tau_i",
        reach="backends",
        shared=True,
    ),
    Kernel(
        "forward_dynamics_derivatives",
        (Q, QD, TAU),
        (3, 7, 7),
        "First derivatives of `forward_dynamics`.",
        "By q [1/s²], by qd [1/s], then by tau, which is M⁻¹ [1/(kg m²)]",
        layout="row i belongs to qdd_i",
        reach="backends",
        by_hand=True,
    ),
    Kernel(
        "regressor",
        (Q, QD, QDD),
        (7, 45),
        "Y of tau = Y(q, qd, qdd) beta, beta the base parameters.",
        "Y [1/s²]",
    ),
    Kernel(
        "joint_effects",
        (Q, QD),
        (7,),
        "Torques of joint effects: springs, friction and bias.",
        "Torques [N m]",
        reach="native",
        by_hand=True,
    ),
    Kernel(
        "joint_effects_slopes",
        (Q, QD),
        (2, 7),
        "Derivatives of each joint's effects by its own position and velocity.",
        "By q [N m/rad], then by qd [N m s/rad]",
        reach="native",
        by_hand=True,
    ),
    Kernel(
        "inverse_dynamics_effects",
        (Q, QD, QDD),
        (7,),
        "Torques of a motion, joint effects included.",
        "tau [N m]",
        reach="native",
        by_hand=True,
    ),
    Kernel(
        "forward_dynamics_effects",
        (Q, QD, TAU),
        (7,),
        "Accelerations under torques, joint effects included.",
        "qdd [rad/s²]",
        reach="native",
        by_hand=True,
    ),
)
"""The kernels, in the order of every table."""

BY_NAME = {kernel.name: kernel for kernel in KERNELS}
