"""The compiled step of the twin, set up: addresses in MuJoCo's library, kernels, memory.

Nothing is compiled against MuJoCo: its step is looked up in the library that the Python bindings
have loaded, its model and state are addresses to pass on, and their arrays are those that the
bindings show. The one number that the bindings show as a number only, the flags of what is switched
off, is found by its value.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from baxterkit import native
from baxterkit.backend.choice import is_native
from baxterkit.errors import ModelError
from baxterkit.kernels.records import TwinLaw
from baxterkit.sim.build import Mujoco
from baxterkit.sim.numpy_step import NumpyStep, Parts
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit._native import ArmKernels, BodyChecker, TwinStep
    from baxterkit.arm import Arm
    from baxterkit.dynamics.joint_effects import JointEffects

CHUNK = 2000
"""Steps within which Ctrl-C is not heard: some 20 ms."""
SEARCHED = 512
"""Bytes after the gravity of MuJoCo's options within which its flags are."""
Refused: TypeAlias = Callable[[int], None]
_MARKS = (0x2D5A6B71, 0x1B4E3C97)  # flags that no option has by chance


def make_step(parts: Parts) -> NumpyStep | NativeStep:
    """The compiled step where both arms have compiled kernels, else that in NumPy."""
    core = _core(parts)
    return NumpyStep(parts) if core is None else NativeStep(parts, core)


class NativeStep:
    """The compiled step.

    Args:
        parts: What a step consists of.
        core: The extension's part.
    """

    def __init__(self, parts: Parts, core: TwinStep) -> None:
        self.core = core
        self._reference = NumpyStep(parts)
        self._record, self._sensors, self._gate = parts.record, parts.sensors, parts.gate
        self._mujoco, self._option = parts.mujoco, parts.model.opt
        self._kinds = self._option.integrator, self._option.solver
        self._noisy, self._left = parts.record.noisy[0], parts.record.noise_left
        self._checker: BodyChecker | None = None
        self._open = False
        self._refused: Refused | None = None

    def prepare(self) -> None:
        """Draws noise if none is left, and takes the gate as it is now.

        Raises:
            ModelError: If MuJoCo does not know the model's integrator or solver.
        """
        option = self._option
        if (option.integrator, option.solver) != self._kinds:
            self._check_options()
        if self._noisy and not self._left[0]:
            self._sensors.draw()
        gate = self._gate
        if gate.checker is not self._checker or gate.is_open is not self._open:
            self._checker, self._open = gate.checker, gate.is_open
            self.core.gate(1 if gate.is_open else 0 if gate.checker is None else 2, gate.checker)

    def _check_options(self) -> None:
        """Of all options, an unknown integrator or solver ends the process within MuJoCo's step."""
        option, mujoco = self._option, self._mujoco
        for name, kind in (("integrator", mujoco.mjtIntegrator), ("solver", mujoco.mjtSolver)):
            value = getattr(option, name)
            known = {int(each): word for word, each in kind.__members__.items()}
            if value not in known:
                choices = ", ".join(f"{number} ({word})" for number, word in known.items())
                raise ModelError(f"twin.model.opt.{name} = {value}; MuJoCo knows {choices}")
        self._kinds = option.integrator, option.solver

    def run(self, n: int) -> int:
        """Steps at most `n` milliseconds; returns how many.

        Fewer if noise must be drawn, or if the state is not finite when it is published.
        """
        self.prepare()
        if self._refused is not None:
            self.control()
        return self.core.run(min(n, CHUNK))

    def steer(self, every: int, laws: dict[str, TwinLaw], refused: Refused) -> None:
        """Lets compiled controllers give the commands from now on, until `unsteer`.

        Args:
            every: Steps between two commands.
            laws: The controllers by side, with their motions.
            refused: Called with the arms (bits) that got no command, before the step.
        """
        self.core.steer(every, laws.get("left"), laws.get("right"))
        self._refused = refused

    def unsteer(self) -> None:
        """Ends what `steer` began."""
        self.core.unsteer()
        self._refused = None

    def control(self) -> int:
        """Gives the commands of now, if they are due; returns arms that have none, bits."""
        refused = self.core.control()
        if refused and self._refused is not None:
            self._refused(refused)
        return self.core.refused()

    def sense(self) -> None:
        """One reading of the sensors."""
        self._reference.sense()

    def report(self) -> Array:
        """The readings of this millisecond as the robot publishes them, shape (2, 3, 7)."""
        out = np.empty((2, 3, 7))
        self.core.report(out)
        return out


def _core(parts: Parts) -> TwinStep | None:
    extension = native.load()
    left, right = (_kernels(loops.arm) for loops in parts.loops)
    springs = [_springs(loops.effects) for loops in parts.loops]
    elastic = bool(parts.record.elastic[0])
    if extension is None or left is None or right is None or (elastic and None in springs):
        return None
    tilts: list[ArmKernels | None] = [None, None]
    for tilt in parts.tilts:
        tilts[tilt.rows.start // 7] = _kernels(tilt.arm)
    data, model = parts.data, parts.model
    return extension.TwinStep(
        parts.record.rows,
        parts.sensors.past,
        parts.sensors.noise,
        (left, right),
        (springs[0], springs[1]),
        (tilts[0], tilts[1]),
        (data.qpos, data.qvel, data.qfrc_applied, model.dof_damping),
        (
            _step_address(parts.mujoco),
            model._address,
            data._address,
            flags_address(model),
            int(parts.mujoco.mjtDisableBit.mjDSBL_CONTACT),
        ),
    )


def _kernels(arm: Arm) -> ArmKernels | None:
    return arm._kernels if is_native(arm._kernels) else None  # type: ignore[return-value]


def _springs(effects: JointEffects | None) -> ArmKernels | None:
    return None if effects is None else effects._kernels  # type: ignore[return-value]


@lru_cache(maxsize=1)
def _step_address(mujoco: Mujoco) -> int:
    """The address of `mj_step` in the library that the bindings use."""
    folder = Path(mujoco.__file__).parent
    for pattern in ("libmujoco*.so*", "libmujoco*.dylib", "mujoco*.dll"):
        for path in sorted(folder.glob(pattern)):
            step = ctypes.CDLL(str(path)).mj_step
            return ctypes.cast(step, ctypes.c_void_p).value or 0
    raise ModelError(f"no library of MuJoCo is in {folder}; reinstall the package mujoco")


def flags_address(model: Mujoco) -> int:
    """The address of `model.opt.disableflags`, found by writing known values there."""
    option = model.opt
    before, first = option.disableflags, option.gravity.ctypes.data
    found: set[int] | None = None
    try:
        for mark in _MARKS:
            option.disableflags = mark
            words = (ctypes.c_int32 * (SEARCHED // 4)).from_address(first)
            here = {first + 4 * k for k, word in enumerate(words) if word == mark}
            found = here if found is None else found & here
    finally:
        option.disableflags = before
    if not found or len(found) != 1:
        raise ModelError("the flags of MuJoCo's options are not where they are in versions 3 and 4")
    return found.pop()
