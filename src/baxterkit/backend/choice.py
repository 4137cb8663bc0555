"""The choice of an arm's kernels: the native ones where available, else NumPy's; or a GPU's."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from baxterkit import native
from baxterkit.errors import BackendWarning, InputError, UnknownNameError
from baxterkit.kernels.protocol import Kernels
from baxterkit.model.model import ArmModel
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit._native import ArmKernels
    from baxterkit.cuda.gpu import Device
    from baxterkit.dynamics.joint_effects import JointEffects

BACKENDS = ("native", "numpy", "cuda")


def kernels_of(
    model: ArmModel, backend: str, effects: JointEffects | None
) -> tuple[Kernels, Kernels]:
    """The kernels of an arm.

    Modules that only one backend needs are imported on demand.

    Args:
        model: The rigid arm.
        backend: "native", "numpy", or "cuda" for a GPU ("cuda:1" for the second). An arm with other
            joints than Baxter's uses NumPy in the place of "native".
        effects: The joint effects, or None.

    Returns:
        The kernels of the rigid arm, and those that include the effects: the same if there are
        none.

    Raises:
        UnknownNameError: If there is no such backend.
        InputError: If `effects` is not a `JointEffects`, or has another number of joints; if a GPU
            cannot compute this arm.
        DeviceError: If there is no such GPU.
    """
    kind, _, index = backend.partition(":") if isinstance(backend, str) else ("", "", "")
    if kind not in BACKENDS or (index and not (kind == "cuda" and index.isdigit())):
        raise UnknownNameError("backend", backend, BACKENDS)
    numbers = None if effects is None else _checked_numbers(effects, model)
    if kind == "cuda":
        return _cuda_kernels(model, int(index or 0), effects, numbers)
    rigid = _native_kernels(model, numbers) if backend == "native" else None
    if effects is None:
        same = _reference_kernels(model) if rigid is None else rigid
        return same, same
    from baxterkit.backend.effects import EffectKernels, NativeEffectKernels

    if rigid is not None and numbers is not None:
        return rigid, NativeEffectKernels(rigid, effects)
    plain = _reference_kernels(model) if rigid is None else rigid
    return plain, EffectKernels(plain, effects)


def device_of(kernels: Kernels) -> Device | None:
    """The GPU on which kernels compute; None for those of the processor."""
    return getattr(kernels, "device", None)


def processor_kernels(model: ArmModel, kernels: Kernels) -> Kernels:
    """These kernels; for an arm that computes on a GPU, those of the processor."""
    return kernels if device_of(kernels) is None else kernels_of(model, "native", None)[0]


def is_native(kernels: Kernels) -> bool:
    """Whether these are kernels of the extension."""
    extension = native.load()
    return extension is not None and isinstance(kernels, extension.ArmKernels)


def _native_kernels(model: ArmModel, effects: Array | None) -> ArmKernels | None:
    """The extension's kernels; None if the joints are not Baxter's, or it was not built."""
    if not model.is_baxter_geometry:
        return None
    extension = native.load()
    if extension is None:
        _warn_once()
        return None
    from baxterkit.equations import base_parameters

    return extension.ArmKernels(
        np.ascontiguousarray(model.T_base_s0[:3]),
        np.ascontiguousarray(model.T_hand_tip[:3]),
        base_parameters.base_parameters(model),
        base_parameters.chain_gravity(model),
        base_parameters.mount_energy(model),
        effects,
        model,
    )


def _cuda_kernels(
    model: ArmModel, index: int, effects: JointEffects | None, numbers: Array | None
) -> tuple[Kernels, Kernels]:
    if not model.is_baxter_geometry:
        raise InputError(
            'the backend "cuda" has Baxter\'s joints built in, and this arm has others; '
            'use backend="numpy"'
        )
    if effects is not None and numbers is None:
        raise InputError(
            "these joint effects have more spring terms than the kernels of a GPU take; "
            'use backend="native"'
        )
    from baxterkit.cuda.gpu import device
    from baxterkit.cuda.kernels import CudaKernels

    rigid = CudaKernels(model, device(index))
    return rigid, rigid if numbers is None else CudaKernels(model, device(index), numbers)


def _reference_kernels(model: ArmModel) -> Kernels:
    from baxterkit.backend.reference import ReferenceKernels

    return ReferenceKernels(model)


def _checked_numbers(effects: object, model: ArmModel) -> Array | None:
    """The effects as the native kernels take them; None if these cannot represent them."""
    from baxterkit.dynamics.joint_effects import JointEffects

    if not isinstance(effects, JointEffects):
        raise InputError(f"effects must be JointEffects, got {type(effects).__name__}")
    if effects.dof != model.dof:
        raise InputError(f"effects are of {effects.dof} joints, the arm has {model.dof}")
    return effects.kernel_numbers()


def _warn_once() -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            "the native kernels were not built (no C++ compiler at install time?), so NumPy "
            "computes: correct, but slower; install g++ and reinstall baxterkit",
            BackendWarning,
            stacklevel=6,
        )


_warned = False
