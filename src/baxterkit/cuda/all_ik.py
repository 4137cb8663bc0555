"""Every solution of targets with joint e0 held, on a GPU; what it leaves, the processor finds."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from ctypes import c_size_t, c_uint32, c_void_p

import numpy as np

from baxterkit.cuda.arrays import DeviceArray, View
from baxterkit.cuda.gpu import Device
from baxterkit.cuda.ik import ik_arm, targets_on
from baxterkit.cuda.kernels import pattern_of
from baxterkit.cuda.libraries import on_gpu
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.model import ArmModel
from baxterkit.types import AnyArray, Array, ForeignArray, Transform

BLOCK = 1 << 17
"""Tasks, targets with an e0 each, that are on the GPU at a time."""
ROOM = 32
"""Solutions of a task, at most; kMaxIkSolutions of native/ik_table.hpp."""

SettleAll = Callable[[Transform, Array, bool], Array]
"""The processor's solutions of poses (n, 4, 4) with e0 (n,), within the limits or all: (n, m, 7)
padded with NaN."""


class Tasks(ctypes.Structure):
    """`Tasks` of native/cuda/all_ik.cu."""

    _fields_ = (
        *((name, c_void_p) for name in ("T", "e0", "q", "count")),
        *((name, c_void_p) for name in ("rest", "counts", "rest_T", "rest_e0")),
        ("first", c_size_t),
        ("of_T", c_uint32 * 2),
        ("of_e0", c_uint32 * 2),
        ("rows", c_uint32),
        ("room", c_uint32),
        ("limited", c_uint32),
    )


class AllAnswers(ctypes.Structure):
    """`AllAnswers` of native/cuda/all_ik.cu."""

    _fields_ = (("q", c_void_p), ("count", c_void_p), ("rows", c_uint32))


class Padded(ctypes.Structure):
    """`Padded` of native/cuda/all_ik.cu."""

    _fields_ = (
        ("q", c_void_p),
        ("count", c_void_p),
        ("out", c_void_p),
        ("rows", c_size_t),
        ("room", c_uint32),
        ("width", c_uint32),
    )


class CudaAll:
    """Every solution of one arm with joint e0 held.

    Args:
        model: The arm; Baxter's joints, limits within ±π.
        device: The GPU.
        settle: The processor's search.
    """

    def __init__(self, model: ArmModel, device: Device, settle: SettleAll) -> None:
        self.device = device
        self._settle = settle
        self._arm = ik_arm(model)
        self.by_processor = 0
        """How many tasks of the last call the processor has settled."""

    def takes(self, T: object, e0: object) -> bool:
        """Whether targets or values of e0 are arrays on a GPU."""
        return on_gpu(T) or on_gpu(e0)

    def solve(self, T: ForeignArray, e0: ForeignArray, limits: bool) -> ForeignArray:
        """Joint positions (*batch, n, 7), ordered by s0, padded with NaN; as `Arm.ik_all`.

        Args:
            T: T_base_tip, float64, on the GPU, shape (*batch, 4, 4).
            e0: Joint e0 [rad]: one number, or float64 on the GPU, shape (*batch).
            limits: Whether to leave out solutions beyond the limits.

        Raises:
            InputError: If a target is not rigid to 1e-6, or an array is not float64 on this GPU.
            ShapeError: If shapes are wrong or do not broadcast.
        """
        if not on_gpu(T):
            raise InputError("e0 is on the GPU and T is not; move T there")
        library, stream, target = targets_on(self.device, T)
        held = self._held(e0, stream) if not on_gpu(e0) else library.view(e0, "e0", stream)
        for view, name in ((target, "T"), (held, "e0")):
            if view.dtype != "float64":
                raise InputError(f"{name} is {view.dtype}; inverse kinematics is of float64")
        try:
            batch = np.broadcast_shapes(target.shape[:-2], held.shape)
        except ValueError:
            raise ShapeError(
                f"leading axes do not broadcast: T {target.shape[:-2]}, e0 {held.shape}"
            ) from None
        tasks = Tasks(T=target.pointer, e0=held.pointer, room=ROOM, limited=bool(limits))
        tasks.of_T[:] = pattern_of(_rows(target, target.shape[:-2]), batch)
        tasks.of_e0[:] = pattern_of(_rows(held, held.shape), batch)
        parts = self._parts(tasks, math.prod(batch), stream)
        width = max((part.shape[1] for part, _ in parts), default=0)
        found, view = library.empty(self.device, (*batch, width, 7), "float64")
        at = view.pointer
        for part, count in parts:
            self._pad(part.pointer, part.shape[1], count, at, width, stream)
            at += 56 * width * part.shape[0]
        return library.finish(found)

    def _held(self, e0: ForeignArray, stream: int) -> View:
        if np.shape(e0) != ():
            raise InputError("T is on the GPU and e0 is not; move e0 there, or pass one number")
        return DeviceArray.of(self.device, np.array(float(e0)), stream).view()

    def _parts(self, tasks: Tasks, rows: int, stream: int) -> list[tuple[DeviceArray, DeviceArray]]:
        """Blocks of solutions (n, most, 7), each as wide as it must be, and how many rows have."""
        self.by_processor = 0
        size = min(rows, BLOCK)
        own = DeviceArray
        q = own(self.device, (size, ROOM, 7), "float64", stream)
        rest = own(self.device, (size,), "int32", stream)
        rest_T = own(self.device, (size, 16), "float64", stream)
        rest_e0 = own(self.device, (size,), "float64", stream)
        counts = own(self.device, (2,), "int32", stream)
        tasks.q, tasks.rest, tasks.counts = q.pointer, rest.pointer, counts.pointer
        tasks.rest_T, tasks.rest_e0 = rest_T.pointer, rest_e0.pointer
        parts = []
        with self.device.active() as driver:
            for first in range(0, rows, BLOCK):
                tasks.first, tasks.rows = first, min(BLOCK, rows - first)
                count = own(self.device, (tasks.rows,), "int32", stream)
                tasks.count = count.pointer
                driver.clear(counts.pointer, counts.nbytes, stream)
                self.device.launch("all_search.float64", tasks.rows, stream, (tasks, self._arm))
                left, wrong = counts.numpy(stream=stream).tolist()
                if wrong:
                    raise InputError(
                        f"target {wrong - 1} is not a rigid transform to 1e-6; "
                        "baxterkit.spatial.nearest_rotation(R) makes its rotation one"
                    )
                if left:
                    poses = rest_T.numpy(rows=left, stream=stream).reshape(-1, 4, 4)
                    self._take(tasks, poses, rest_e0.numpy(rows=left, stream=stream), stream)
                most = int(count.numpy(stream=stream).max())
                part = own(self.device, (tasks.rows, most, 7), "float64", stream)
                self._pad(q.pointer, ROOM, count, part.pointer, most, stream)
                parts.append((part, count))
        return parts

    def _take(self, tasks: Tasks, T: Transform, e0: Array, stream: int) -> None:
        """Lets the processor solve what is left of a block."""
        found: AnyArray = self._settle(T, e0, bool(tasks.limited))
        q = np.full((len(T), ROOM, 7), np.nan)
        q[:, : found.shape[1]] = found
        count = np.isfinite(q[..., 0]).sum(axis=-1).astype(np.int32)
        there = [DeviceArray.of(self.device, x, stream) for x in (q, count)]
        answers = AllAnswers(*(x.pointer for x in there), len(T))
        self.device.launch("all_settle.float64", len(T), stream, (tasks, answers))
        self.by_processor += len(T)

    def _pad(
        self, q: int, room: int, count: DeviceArray, out: int, width: int, stream: int
    ) -> None:
        rows = count.shape[0]
        if not rows * width:
            return
        padded = Padded(q, count.pointer, out, rows, room, width)
        with self.device.active():
            self.device.launch("all_pad.float64", 7 * width * rows, stream, (padded,))


def _rows(view: View, batch: tuple[int, ...]) -> View:
    """The same numbers, with one axis after those of the batch."""
    return View(view.pointer, (*batch, 1), view.dtype, view.device, view.owner)
