"""The native kernels as a table: how to call each one, and on what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import problems

from baxterkit import Arm
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.kernels.table import KERNELS


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
    KernelCall(
        kernel.name,
        _method(kernel.name),
        tuple(argument.width for argument in kernel.inputs),
        kernel.shape,
    )
    for kernel in KERNELS
]
BY_NAME = {call.name: call for call in CALLS}
