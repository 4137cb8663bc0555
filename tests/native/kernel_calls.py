"""The native kernels as a table: how to call each one, and on what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import problems

from baxterkit import Arm
from baxterkit.dynamics.joint_effects import JointEffects


@dataclass(frozen=True)
class KernelCall:
    """One kernel: `run(arm, *inputs, out=...)`, and the last axes of its arrays."""

    name: str
    run: Callable[..., Any]
    widths: tuple[int, ...]
    core: tuple[int, ...]  # shape of one result

    def inputs(self, n: int) -> list[np.ndarray]:
        """Arguments for n rows."""
        rng = problems.generator(self.name)
        q = problems.uniform(ARM, n)
        rest = [rng.standard_normal((n, width)) for width in self.widths[1:]]
        if self.name == "joint_velocity":
            rest[2] = np.abs(rest[2])  # damping
        return [q, *rest]

    def __str__(self) -> str:
        return self.name


def _method(name: str) -> Callable[..., Any]:
    return lambda arm, *inputs, **keywords: getattr(arm._kernels, name)(*inputs, **keywords)


EFFECTS = JointEffects(
    bias=[0.5, 10.0, -0.3, 0.1, 0.1, 0.2, 0.0],
    coulomb=[0.2, 0.7, 0.4, 0.1, 0.1, 0.02, 0.1],
    viscous=[0.02, 0.3, 0.02, 0.0, 0.02, 0.02, 0.0],
    spring_sin=[
        [1.0, 0.1],
        [17.0, -2.0],
        [0.4, 0.0],
        [-0.3, 0.0],
        [0.1, 0.0],
        [0.0, 0.1],
        [-0.2, 0],
    ],
    spring_cos=[[-0.7, 0.0], [12.0, 3.0], [-0.2, 0.1], [-0.1, 0.0], [0, 0], [0, 0], [-0.2, 0]],
)
ARM = Arm("left", "electric_standard").with_effects(EFFECTS)
CALLS = [
    KernelCall("sincos", _method("sincos"), (7,), (2, 7)),
    KernelCall("fk", _method("fk"), (7,), (4, 4)),
    KernelCall("link_poses", _method("link_poses"), (7,), (8, 4, 4)),
    KernelCall("jacobian", _method("jacobian"), (7,), (6, 7)),
    KernelCall("body_jacobian", _method("body_jacobian"), (7,), (6, 7)),
    KernelCall("twist", _method("twist"), (7, 7), (6,)),
    KernelCall("bias_acceleration", _method("bias_acceleration"), (7, 7), (6,)),
    KernelCall("null_vector", _method("null_vector"), (7,), (7,)),
    KernelCall("manipulability", _method("manipulability"), (7,), ()),
    KernelCall("nullspace", _method("nullspace"), (7,), (7, 7)),
    KernelCall("joint_velocity", _method("joint_velocity"), (7, 6, 7, 1), (7,)),
    KernelCall("inverse_dynamics", _method("inverse_dynamics"), (7, 7, 7), (7,)),
    KernelCall("inverse_dynamics_wrench", _method("inverse_dynamics_wrench"), (7, 7, 7, 6), (7,)),
    KernelCall("gravity", _method("gravity"), (7,), (7,)),
    KernelCall("inertia", _method("inertia"), (7,), (7, 7)),
    KernelCall("coriolis", _method("coriolis"), (7, 7), (7, 7)),
    KernelCall("dynamics_terms", _method("dynamics_terms"), (7, 7), (15, 7)),
    KernelCall("bias_torque", _method("bias_torque"), (7, 7), (7,)),
    KernelCall("forward_dynamics", _method("forward_dynamics"), (7, 7, 7), (7,)),
    KernelCall("kinetic_energy", _method("kinetic_energy"), (7, 7), ()),
    KernelCall("potential_energy", _method("potential_energy"), (7,), ()),
    KernelCall(
        "inverse_dynamics_derivatives",
        _method("inverse_dynamics_derivatives"),
        (7, 7, 7),
        (2, 7, 7),
    ),
    KernelCall(
        "forward_dynamics_derivatives",
        _method("forward_dynamics_derivatives"),
        (7, 7, 7),
        (3, 7, 7),
    ),
    KernelCall("regressor", _method("regressor"), (7, 7, 7), (7, 45)),
    KernelCall("joint_effects", _method("joint_effects"), (7, 7), (7,)),
    KernelCall("joint_effects_slopes", _method("joint_effects_slopes"), (7, 7), (2, 7)),
    KernelCall("inverse_dynamics_effects", _method("inverse_dynamics_effects"), (7, 7, 7), (7,)),
    KernelCall("forward_dynamics_effects", _method("forward_dynamics_effects"), (7, 7, 7), (7,)),
]
BY_NAME = {call.name: call for call in CALLS}
