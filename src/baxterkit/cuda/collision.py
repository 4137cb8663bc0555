"""Collision checks of postures on a GPU."""

from __future__ import annotations

import ctypes
import math
from ctypes import c_double, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from baxterkit.cuda.arrays import DeviceArray, View
from baxterkit.cuda.gpu import Device
from baxterkit.cuda.kernels import MOST_ROWS
from baxterkit.cuda.libraries import Library, library_of, on_gpu
from baxterkit.errors import InputError, ShapeError
from baxterkit.types import AnyArray, ForeignArray

if TYPE_CHECKING:
    from baxterkit._native import BodyChecker


class Batch(ctypes.Structure):
    """`PostureBatch` of native/cuda/near.hpp."""

    _fields_ = (
        ("left", c_void_p),
        ("right", c_void_p),
        ("head", c_void_p),
        ("hit", c_void_p),
        ("clearance", c_void_p),
        ("pair", c_void_p),
        ("points", c_void_p),
        ("gradient", c_void_p),
        ("owner", c_void_p),
        ("padding", c_double),
        ("still", c_double),
        ("rows", c_uint32),
        ("left_stride", c_uint32),
        ("right_stride", c_uint32),
        ("head_stride", c_uint32),
    )


class CudaChecks:
    """Collision checks of one robot among its obstacles, on a GPU.

    Answers are those of the processor: what single precision cannot tell is computed in float64.
    Joint positions that are not finite count as a collision.

    Args:
        checker: The processor's checks.
        owners: The link or obstacle of each primitive.
        device: The GPU.
    """

    def __init__(self, checker: BodyChecker, owners: AnyArray, device: Device) -> None:
        self.device = device
        self._owners = DeviceArray.of(device, np.ascontiguousarray(owners, dtype=np.int32))
        numbers = checker.packed(0).numbers
        self._numbers = DeviceArray.of(device, numbers)
        header = checker.packed(self._numbers.pointer).header

        class Body(ctypes.Structure):
            _fields_ = (("words", c_uint64 * (len(header) // 8)),)

        self._body = Body.from_buffer_copy(header.tobytes())

    def in_collision(
        self, q_left: ForeignArray, q_right: ForeignArray, head: ForeignArray, margin: float
    ) -> ForeignArray:
        """Whether links touch, or are nearer than `margin` [m]: bool, shape (*batch,)."""
        call = self._call(q_left, q_right, head)
        hit, view = call.library.empty(self.device, call.shape, "bool")
        self._launch("body_hits", call, hit=view.pointer, padding=margin)
        return call.library.finish(hit)

    def clearance(
        self,
        q_left: ForeignArray,
        q_right: ForeignArray,
        head: ForeignArray,
        out: ForeignArray = None,
    ) -> ForeignArray:
        """Distance of the nearest two links at each posture [m], shape (*batch,)."""
        call = self._call(q_left, q_right, head)
        if out is None:
            gap, view = call.library.empty(self.device, call.shape, "float64")
        else:
            gap, view = out, self._view(call.library, out, "out", call.stream)
            if view.shape != call.shape:
                raise ShapeError(f"out must have shape {call.shape}, got {view.shape}")
        self._launch("body_nearest", call, clearance=view.pointer)
        return gap if out is not None else call.library.finish(gap)

    def nearest(
        self, q_left: ForeignArray, q_right: ForeignArray, head: ForeignArray
    ) -> tuple[ForeignArray, ForeignArray, ForeignArray, ForeignArray]:
        """The nearest pair of links at each posture: clearance, pair (int32), points, gradient."""
        call = self._call(q_left, q_right, head)
        made = {
            name: call.library.empty(self.device, (*call.shape, *shape), dtype)
            for name, shape, dtype in (
                ("clearance", (), "float64"),
                ("pair", (2,), "int32"),
                ("points", (2, 3), "float64"),
                ("gradient", (14,), "float64"),
            )
        }
        places = {name: view.pointer for name, (_, view) in made.items()}
        self._launch("body_nearest", call, owner=self._owners.pointer, **places)
        clearance, pair, points, gradient = (
            call.library.finish(array) for array, _ in made.values()
        )
        return clearance, pair, points, gradient

    def _call(self, q_left: ForeignArray, q_right: ForeignArray, head: ForeignArray) -> _Call:
        for name, x, other in (("q_left", q_left, "q_right"), ("q_right", q_right, "q_left")):
            if not on_gpu(x):
                raise InputError(f"{other} is on the GPU and {name} is not; move {name} there")
        library = library_of(q_left)
        stream = library.stream(self.device.index)
        left, right = (
            self._view(library, x, name, stream)
            for x, name in ((q_left, "q_left"), (q_right, "q_right"))
        )
        pan = self._view(library, head, "head", stream) if on_gpu(head) else None
        if pan is None and np.shape(head) != ():
            raise InputError("head is not on the GPU; move it there, or pass one angle")
        for view, name in ((left, "q_left"), (right, "q_right")):
            if not view.shape or view.shape[-1] != 7:
                raise ShapeError(
                    f"{name} must have 7 values on its last axis, got shape {view.shape}"
                )
        shapes = (left.shape[:-1], right.shape[:-1], () if pan is None else pan.shape)
        batch = max(shapes, key=len)
        batch = next((shape for shape in shapes if shape not in ((), batch)), batch)
        if any(shape not in ((), batch) for shape in shapes):
            raise ShapeError(
                f"q_left, q_right and head must have one batch shape each, or none, got {shapes}; "
                "expand them and make them contiguous"
            )
        still = 0.0 if pan is not None else float(head)
        return _Call(library, stream, left, right, pan, still, batch)

    def _view(self, library: Library, x: ForeignArray, name: str, stream: int) -> View:
        index = library.index(x)
        if index != self.device.index:
            raise InputError(
                f"{name} is on GPU {index}, and this robot computes on GPU {self.device.index}"
            )
        view = library.view(x, name, stream)
        if view.dtype != "float64":
            raise InputError(f"{name} is {view.dtype}; collision checks are of float64")
        return view

    def _launch(self, kernel: str, call: _Call, **places: float) -> None:
        rows = math.prod(call.shape)
        if rows > MOST_ROWS:
            raise InputError(f"{rows} rows are more than {MOST_ROWS} in one call; split the batch")
        if rows == 0:
            return
        batch = Batch(
            left=call.left.pointer,
            right=call.right.pointer,
            head=0 if call.pan is None else call.pan.pointer,
            still=call.still,
            rows=rows,
            left_stride=7 if len(call.left.shape) > 1 else 0,
            right_stride=7 if len(call.right.shape) > 1 else 0,
            head_stride=1 if call.pan is not None and call.pan.shape else 0,
            **places,
        )
        with self.device.active():
            self.device.launch(f"{kernel}.float64", rows, call.stream, (batch, self._body))


class _Call(NamedTuple):
    """The arguments of a check."""

    library: Library
    stream: int
    left: View
    right: View
    pan: View | None
    still: float
    shape: tuple[int, ...]
