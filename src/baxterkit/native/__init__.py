"""The native core: loading it, and choosing its instruction set and number of threads.

`BAXTERKIT_ISA` (avx512, avx2, baseline) forces an instruction set, `BAXTERKIT_THREADS` the number
of threads. Where the extension was not built, `load` returns None and the NumPy backend computes.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from typing import Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.errors import ExtensionError, InputError, UnknownNameError
from baxterkit.kernels.protocol import INTERFACE, Extension
from baxterkit.types import Array, JointVector

ISA_VARIABLE = "BAXTERKIT_ISA"
THREADS_VARIABLE = "BAXTERKIT_THREADS"
REBUILD = "rebuild it (pip install -e . in the clone of baxterkit), or reinstall the wheel"


class EffectEvaluator(Protocol):
    """Evaluates the torques of springs, friction and bias of the joints."""

    def joint_effects(
        self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
    ) -> JointVector:
        """Torques [N m], shape (*batch, 7)."""

    def joint_effects_slopes(
        self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Their derivatives by q and by qd, joint by joint, shape (*batch, 2, 7)."""


@cache
def load() -> Extension | None:
    """The extension module, set up from the environment; None if it was not built.

    Raises:
        ExtensionError: If it cannot be loaded, or was built from other sources.
        UnknownNameError: If `BAXTERKIT_ISA` names an instruction set that is not available.
        InputError: If `BAXTERKIT_THREADS` is not a positive integer.
    """
    try:
        module = importlib.import_module("baxterkit._native")
    except ModuleNotFoundError as error:
        if error.name != "baxterkit._native":
            raise
        return None
    except ImportError as error:
        message = f"the compiled extension cannot be loaded ({error}); {REBUILD}"
        raise ExtensionError(message) from error
    if getattr(module, "interface", "") != INTERFACE:
        raise ExtensionError(
            f"the compiled extension {module.__file__} was built from other sources than this "
            f"code; {REBUILD}"
        )
    _native = cast(Extension, module)
    wanted = os.environ.get(ISA_VARIABLE)
    if wanted:
        if wanted not in _native.isas():
            raise UnknownNameError(f"instruction set {ISA_VARIABLE}", wanted, _native.isas())
        _native.use_isa(wanted)
    _native.set_threads(_threads_from_environment())
    return _native


def effect_evaluator(numbers: Array) -> EffectEvaluator | None:
    """The torques of joint effects alone, compiled; None if the extension was not built.

    Args:
        numbers: The effects, as `JointEffects.kernel_numbers` gives them.
    """
    extension = load()
    if extension is None:
        return None
    # Effects are parameters of an arm's kernels; nobody can call any others of this arm's.
    frame, massless = np.ascontiguousarray(np.eye(4)[:3]), np.zeros(45)
    return extension.ArmKernels(frame, frame, massless, np.zeros(3), 0.0, numbers)


def set_threads(count: int) -> None:
    """Sets how many threads a batch may use; a call for one state always runs on one thread.

    Args:
        count: Number of threads, at least 1.

    Raises:
        InputError: If `count` is not a positive integer.
    """
    native = load()
    integer = hasattr(count, "__index__") and not isinstance(count, bool)
    if not integer or not 1 <= count <= 4096:
        raise InputError(f"the number of threads must be an integer from 1 to 4096, not {count!r}")
    if native is not None:
        native.set_threads(count)


def backend_info() -> dict[str, object]:
    """The backend in use: name, instruction set, threads, and the choices of this machine."""
    native = load()
    if native is None:
        return {"backend": "numpy", "isa": None, "isas": [], "threads": 1}
    return {
        "backend": "native",
        "isa": native.isa(),
        "isas": native.isas(),
        "threads": native.get_threads(),
    }


def _threads_from_environment() -> int:
    text = os.environ.get(THREADS_VARIABLE)
    if not text:
        has_affinity = hasattr(os, "sched_getaffinity")
        return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= 4096:
        raise InputError(f"{THREADS_VARIABLE}={text} must be an integer from 1 to 4096")
    return int(text)
