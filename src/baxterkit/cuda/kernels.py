"""The kernels of an arm on a GPU."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from ctypes import c_int, c_uint32, c_void_p

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.checks.explain import explain_out, explain_shapes, read_input
from baxterkit.cuda.arrays import DeviceArray, View
from baxterkit.cuda.gpu import Device
from baxterkit.cuda.libraries import Library, Protocols, library_of, on_gpu
from baxterkit.equations import base_parameters
from baxterkit.errors import InputError, ShapeError
from baxterkit.kernels.protocol import CalledKernels
from baxterkit.kernels.table import BY_NAME, KERNELS, Kernel
from baxterkit.kinematics import of_frame
from baxterkit.model.model import ArmModel
from baxterkit.types import Array, ForeignArray, Jacobian, Transform

MAX_INPUTS = max(len(kernel.inputs) for kernel in KERNELS)
MOST_ROWS = 2**31 - 1
TYPES = ("float64", "float32")
EFFECTS = (
    "inverse_dynamics",
    "forward_dynamics",
    "inverse_dynamics_wrench",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
"""Kernels that joint effects change; with effects `<name>_effects` computes."""


class Source(ctypes.Structure):
    """`Source` of native/cuda/rows.hpp."""

    _fields_ = (("data", c_void_p), ("repeat", c_uint32), ("count", c_uint32))


class Rows(ctypes.Structure):
    """`Rows` of native/cuda/rows.hpp."""

    _fields_ = (("sources", Source * MAX_INPUTS), ("out", c_void_p), ("rows", c_uint32))


class CudaKernels(CalledKernels):
    """Kernels of one arm on a GPU: float64, or float32 where the arrays are.

    Arrays of torch, CuPy and JAX, and others on the GPU by DLPack or `__cuda_array_interface__`,
    stay there: results are of the same library, on its current stream. Anything else is copied
    there and comes back as NumPy. Values that are not finite are refused on the processor alone; on
    the GPU they give NaN.

    Args:
        model: The arm; Baxter's joints.
        device: The GPU.
        effects: Joint effects as numbers, or None.
    """

    def __init__(self, model: ArmModel, device: Device, effects: Array | None = None) -> None:
        self.device = device
        self._model = model
        self._effects = effects
        self._parameters = {name: _parameters(model, effects, name) for name in TYPES}

    def _call(self, name: str, inputs: tuple[ArrayLike, ...], out: ForeignArray) -> ForeignArray:
        kernel = BY_NAME[name]
        variant = f"{name}_effects" if self._effects is not None and name in EFFECTS else name
        return self._run(kernel, variant, inputs, out)

    def _fk_of(self, q: ArrayLike, of: str, out: Array | None) -> Transform:
        _on_processor(q, f"fk of {of!r}")
        return of_frame.fk_of(self, self._model, q, of, out)

    def _jacobian_of(self, q: ArrayLike, frame: str, of: str, out: Array | None) -> Jacobian:
        _on_processor(q, f"the Jacobian of {of!r}")
        return of_frame.jacobian_of(self, self._model, q, of, frame, out)

    def _run(
        self, kernel: Kernel, variant: str, inputs: Sequence[ForeignArray], out: ForeignArray
    ) -> ForeignArray:
        names = [argument.name for argument in kernel.inputs]
        there = [on_gpu(x) for x in inputs]
        if not any(there):
            return self._from_numpy(kernel, variant, inputs, out)
        if not all(there):
            here = names[there.index(False)]
            raise InputError(
                f"{names[there.index(True)]} is on the GPU and {here} is not; move {here} there"
            )
        library = library_of(inputs[0])
        stream = library.stream(self.device.index)
        views = []
        for x, argument in zip(inputs, kernel.inputs, strict=True):
            self._check_device(library, x, argument.name)
            views.append(library.view(x, argument.name, stream))
        dtype, batch = _checked(kernel, views)
        shape = (*batch, *kernel.shape)
        if out is None:
            result, view = library.empty(self.device, shape, dtype)
        else:
            result, view = out, self._out_view(library, out, shape, dtype, stream)
        self._launch(variant, views, view, batch, stream)
        return library.finish(result) if out is None else out

    def _from_numpy(
        self, kernel: Kernel, variant: str, inputs: Sequence[ForeignArray], out: ForeignArray
    ) -> ForeignArray:
        arrays = [
            read_input(x, argument.name, argument.width, self._model)
            for x, argument in zip(inputs, kernel.inputs, strict=True)
        ]
        dtype = "float64"
        if all(isinstance(x, np.ndarray) and x.dtype == np.float32 for x in inputs):
            dtype = "float32"
        names = tuple(argument.name for argument in kernel.inputs)
        shapes = tuple(array.shape for array in arrays)
        try:
            batch = np.broadcast_shapes(*(shape[:-1] for shape in shapes))
        except ValueError:
            explain_shapes(names, shapes)
        shape = (*batch, *kernel.shape)
        if out is not None and not (
            isinstance(out, np.ndarray)
            and out.shape == shape
            and out.dtype == dtype
            and out.flags.behaved
        ):
            explain_out(out, shape)
        library = Protocols()
        owners = []
        for array in arrays:
            if _pattern(array.shape[:-1], batch) is None:
                array = np.broadcast_to(array, (*batch, array.shape[-1]))
            owners.append(DeviceArray.of(self.device, array.astype(dtype, copy=False)))
        result, view = library.empty(self.device, shape, dtype)
        views = [owner.view() for owner in owners]
        self._launch(variant, views, view, batch, self.device.stream)
        if out is not None and out.flags.c_contiguous:
            return result.numpy(out)
        answer = result.numpy()
        if out is None:
            return answer[()] if not shape else answer
        out[...] = answer
        return out

    def _launch(
        self, variant: str, views: list[View], out: View, batch: tuple[int, ...], stream: int
    ) -> None:
        rows = math.prod(batch)
        if rows > MOST_ROWS:
            raise InputError(f"{rows} rows are more than {MOST_ROWS} in one call; split the batch")
        if rows == 0:
            return
        arguments = Rows(out=out.pointer, rows=rows)
        for k, view in enumerate(views):
            repeat, count = pattern_of(view, batch)
            arguments.sources[k] = Source(view.pointer, repeat, count)
        with self.device.active():
            self.device.launch(
                f"{variant}.{out.dtype}", rows, stream, (arguments, self._parameters[out.dtype])
            )

    def _check_device(self, library: Library, x: ForeignArray, name: str) -> None:
        index = library.index(x)
        if index != self.device.index:
            raise InputError(
                f"{name} is on GPU {index}, and this arm computes on GPU {self.device.index}; "
                f'move it, or use backend="cuda:{index}"'
            )

    def _out_view(
        self, library: Library, out: ForeignArray, shape: tuple[int, ...], dtype: str, stream: int
    ) -> View:
        if type(library).__name__ == "Jax":
            raise InputError("JAX arrays are never written to; leave out= out")
        if not on_gpu(out):
            raise InputError(f"out must be a {dtype} array on the GPU, as the arguments are")
        self._check_device(library, out, "out")
        view = library.view(out, "out", stream)
        if view.shape != shape:
            raise ShapeError(f"out must have shape {shape}, got {view.shape}")
        if view.dtype != dtype:
            raise InputError(f"out must be {dtype}, got {view.dtype}")
        return view


def _checked(kernel: Kernel, views: list[View]) -> tuple[str, tuple[int, ...]]:
    """The common type of the arguments, and the shape of the batch."""
    for view, argument in zip(views, kernel.inputs, strict=True):
        name, width = argument.name, argument.width
        if view.dtype not in TYPES:
            raise InputError(f"{name} is {view.dtype}; kernels compute in float64 and float32")
        if view.dtype != views[0].dtype:
            raise InputError(
                f"{kernel.inputs[0].name} is {views[0].dtype} and {name} {view.dtype}; "
                f"all arrays of a call must have one type"
            )
        if not view.shape or view.shape[-1] != width:
            raise ShapeError(
                f"{name} must have {width} values on its last axis, got shape {view.shape}"
            )
    try:
        batch = np.broadcast_shapes(*(view.shape[:-1] for view in views))
    except ValueError:
        names = tuple(argument.name for argument in kernel.inputs)
        explain_shapes(names, tuple(view.shape for view in views))
    return views[0].dtype, batch


def _pattern(shape: tuple[int, ...], batch: tuple[int, ...]) -> tuple[int, int] | None:
    """How rows of an array repeat in a batch: each so many times, and how many there are.

    None if its axes of length 1 are between others: then no such pattern exists.
    """
    if shape == batch:
        return 1, max(1, math.prod(batch))
    padded = (1,) * (len(batch) - len(shape)) + shape
    real = [i for i, (own, size) in enumerate(zip(padded, batch, strict=True)) if size > 1]
    kept = [i for i in real if padded[i] > 1]
    if not kept:
        return 1, 1
    between = [i for i in real if kept[0] <= i <= kept[-1]]
    if between != kept:
        return None
    return math.prod(batch[kept[-1] + 1 :]), math.prod(padded)


def pattern_of(view: View, batch: tuple[int, ...]) -> tuple[int, int]:
    """How rows of an array repeat in a batch: each so many times, and how many there are.

    Raises:
        ShapeError: If they do not repeat so.
    """
    pattern = _pattern(view.shape[:-1], batch)
    if pattern is None:
        raise ShapeError(
            f"an array of shape {view.shape} in a batch of shape {batch} has an axis to repeat "
            f"between others; expand it to {(*batch, view.shape[-1])} and make it contiguous"
        )
    return pattern


def _parameters(model: ArmModel, effects: Array | None, dtype: str) -> ctypes.Structure:
    """`Parameters` of native/kernels.hpp."""
    added = np.zeros((12, 7)) if effects is None else effects
    if effects is None:
        added[3] = 1.0  # speeds are divided by
    numbers = np.concatenate(
        [
            model.T_base_s0[:3].ravel(),
            model.T_hand_tip[:3].ravel(),
            base_parameters.base_parameters(model),
            base_parameters.chain_gravity(model),
            [base_parameters.mount_energy(model)],
            np.ravel(added),
        ]
    )
    used = np.nonzero(added[4:8].any(axis=1) | added[8:].any(axis=1))[0]
    real = ctypes.c_double if dtype == "float64" else ctypes.c_float

    class Parameters(ctypes.Structure):
        _fields_ = (("numbers", real * len(numbers)), ("harmonics", c_int))

    return Parameters((real * len(numbers))(*numbers), int(used[-1]) + 1 if len(used) else 0)


def _on_processor(x: object, what: str) -> None:
    if on_gpu(x):
        raise InputError(
            f"{what} is computed from NumPy arrays alone; replace the arm's tool by that frame "
            f"(arm.replace(tool=...)) and use fk or jacobian"
        )
