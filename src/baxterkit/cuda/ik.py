"""Inverse kinematics of a batch on a GPU; what it leaves undecided, the processor's search settles.

A batch goes through in blocks. While the processor settles what is left of one block, the GPU works
on the next.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_double, c_uint32, c_void_p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baxterkit.cuda.arrays import DeviceArray, View
from baxterkit.cuda.gpu import Device
from baxterkit.cuda.libraries import Library, library_of, on_gpu
from baxterkit.errors import InputError, ShapeError
from baxterkit.model.model import ArmModel
from baxterkit.native import backend_info
from baxterkit.spatial.formulas import inverse
from baxterkit.types import AnyArray, Array, ForeignArray, JointVector, Transform

BLOCK = 1 << 20
"""Rows that are on the GPU at a time."""
WARP = 32
STEPS = {"quick": {"quick_ik": 1, "prove_ik": 1, "wide_ik": 1}}
STEPS["nearest"] = {**STEPS["quick"], "nearest_ik": WARP}
"""Objectives that are searched here: the kernels in their order, and threads for each target."""
PER_THREAD = 2
"""Targets that are worth a thread of the processor."""

Found = tuple[tuple[ForeignArray, ForeignArray, ForeignArray, ForeignArray], int]
"""q, status, position and orientation errors, and how many targets the processor has settled."""
Settle = Callable[
    [Transform, JointVector, ForeignArray], tuple[JointVector, AnyArray, Array, Array]
]
"""The complete search of poses (n, 4, 4) from seeds (n, 7) by an objective: q, codes, position and
angle errors."""


class Targets(ctypes.Structure):
    """`Targets` of native/cuda/ik.cu."""

    _fields_ = (
        ("T", c_void_p),
        ("seed", c_void_p),
        ("q", c_void_p),
        ("position_error", c_void_p),
        ("orientation_error", c_void_p),
        ("code", c_void_p),
        ("undecided", c_void_p),
        ("unproven", c_void_p),
        ("rest", c_void_p),
        ("count", c_void_p),
        ("rest_T", c_void_p),
        ("rest_seed", c_void_p),
        ("rows", c_uint32),
        ("one_seed", c_uint32),
    )


class Answers(ctypes.Structure):
    """`Answers` of native/cuda/ik.cu."""

    _fields_ = (
        ("q", c_void_p),
        ("position_error", c_void_p),
        ("orientation_error", c_void_p),
        ("code", c_void_p),
        ("rows", c_uint32),
    )


class Search(NamedTuple):
    """What a search has found, and where.

    Attributes:
        library: The library of the arrays.
        stream: Its stream.
        target: The targets.
        seed: The seeds.
        arrays: q, status, position and orientation errors.
        views: The same as memory.
        settled: How many targets the processor has settled.
    """

    library: Library
    stream: int
    target: View
    seed: View
    arrays: list[ForeignArray]
    views: list[View]
    settled: int


class _Block:
    """Memory of one block: the lists of what is left."""

    def __init__(self, device: Device, rows: int, stream: int) -> None:
        self.undecided = DeviceArray(device, (rows,), "int32", stream)
        self.unproven = DeviceArray(device, (rows,), "int32", stream)
        self.rest = DeviceArray(device, (rows,), "int32", stream)
        self.rest_T = DeviceArray(device, (rows, 16), "float64", stream)
        self.rest_seed = DeviceArray(device, (rows, 7), "float64", stream)
        self.count = DeviceArray(device, (5,), "int32", stream)
        self.targets = Targets()
        self.first, self.objective = 0, "quick"


class CudaIk:
    """Inverse kinematics of one arm on a GPU.

    Args:
        model: The arm; Baxter's joints, limits within ±π.
        device: The GPU.
        settle: The processor's complete search.
    """

    def __init__(self, model: ArmModel, device: Device, settle: Settle) -> None:
        self.device = device
        self._settle = settle
        self._arm = ik_arm(model)
        self._threads = int(str(backend_info()["threads"]))
        self._pool: ThreadPoolExecutor | None = None
        self._middle = np.asarray(model.limits.middle, dtype=np.float64)

    def takes(self, T: object) -> bool:
        """Whether targets are arrays on a GPU."""
        return on_gpu(T)

    def solve(
        self, T: ForeignArray, seed: ForeignArray = None, objective: ForeignArray = "quick"
    ) -> Found:
        """One solution within the limits for each target, or the reason why there is none.

        Args:
            T: T_base_tip, float64, on the GPU, shape (*batch, 4, 4).
            seed: Joint positions to stay near [rad], float64, on the GPU, shape (*batch, 7) or
                (7,); the middle of the range if None.
            objective: As in `Arm.ik`; all but "quick" and "nearest" are searched by the processor.

        Raises:
            InputError: If a target is not rigid to 1e-6, or an array is not float64 on this GPU.
            ShapeError: If shapes are wrong.
        """
        search = self.search(T, seed, objective)
        q, status, position, angle = (search.library.finish(array) for array in search.arrays)
        return (q, status, position, angle), search.settled

    def search(
        self, T: ForeignArray, seed: ForeignArray = None, objective: ForeignArray = "quick"
    ) -> Search:
        """The same, before the arrays are handed over: they may still be written to."""
        library, stream, target = targets_on(self.device, T)
        batch = target.shape[:-2]
        start = self._seed_view(library, seed, batch, stream)
        for view, name in ((target, "T"), (start, "seed")):
            if view.dtype != "float64":
                raise InputError(f"{name} is {view.dtype}; inverse kinematics is of float64")
        made = [
            library.empty(self.device, (*batch, *shape), kind)
            for shape, kind in (((7,), "float64"), ((), "uint8"), ((), "float64"), ((), "float64"))
        ]
        views = [view for _, view in made]
        if isinstance(objective, str) and objective in STEPS:
            settled = self._run(target, start, views, objective, stream)
        else:
            settled = self._by_processor(target, start, views, objective, stream)
        arrays = [array for array, _ in made]
        return Search(library, stream, target, start, arrays, views, settled)

    def amend(self, search: Search, rows: NDArray[np.int64], answers: Sequence[AnyArray]) -> None:
        """Puts other answers (q, codes, position and angle errors) in the place of some rows."""
        stream = search.stream
        listed = DeviceArray.of(self.device, rows.astype(np.int32), stream)
        given = [DeviceArray.of(self.device, x, stream) for x in answers]
        q, code, position, angle = search.views
        targets = Targets(
            q=q.pointer,
            position_error=position.pointer,
            orientation_error=angle.pointer,
            code=code.pointer,
            rest=listed.pointer,
        )
        new_q, new_code, new_position, new_angle = (x.pointer for x in given)
        new = Answers(new_q, new_position, new_angle, new_code, len(rows))
        with self.device.active():
            self.device.launch("settle_ik.float64", len(rows), stream, (targets, new))

    def _seed_view(
        self, library: ForeignArray, seed: ForeignArray, batch: tuple[int, ...], stream: int
    ) -> View:
        if seed is None:
            return DeviceArray.of(self.device, self._middle, stream).view()
        if not on_gpu(seed):
            raise InputError("T is on the GPU and seed is not; move it there")
        view: View = library.view(seed, "seed", stream)
        if view.shape not in ((7,), (*batch, 7)):
            raise ShapeError(f"seed must have shape (7,) or {(*batch, 7)}, got {view.shape}")
        return view

    def _by_processor(
        self, T: View, seed: View, out: list[View], objective: ForeignArray, stream: int
    ) -> int:
        rows = int(np.prod(T.shape[:-2]))
        given = [np.empty((rows, 4, 4)), np.empty((1 if len(seed.shape) == 1 else rows, 7))]
        with self.device.active() as driver:
            for view, host in zip((T, seed), given, strict=True):
                if host.size and rows:
                    driver.to_host(host.ctypes.data, view.pointer, host.nbytes, stream)
            poses, starts = given[0], np.broadcast_to(given[1], (rows, 7))
            for view, answer in zip(out, self._settle(poses, starts, objective), strict=True):
                array = np.ascontiguousarray(answer)
                if array.size:
                    driver.to_device(view.pointer, array.ctypes.data, array.nbytes, stream)
                    driver.synchronize(stream)
        return rows

    def _run(self, T: View, seed: View, out: list[View], objective: str, stream: int) -> int:
        rows = int(np.prod(T.shape[:-2]))
        size = min(rows, BLOCK)
        with self.device.active():
            blocks = [_Block(self.device, size, stream) for _ in range(2)]
            waiting: _Block | None = None
            settled = 0
            for number, first in enumerate(range(0, rows, BLOCK)):
                block = blocks[number % 2]
                block.first, block.objective = first, objective
                self._begin(block, T, seed, out, min(BLOCK, rows - first), stream)
                if waiting is not None:
                    settled += self._finish(waiting, stream)
                waiting = block
            return settled + (self._finish(waiting, stream) if waiting is not None else 0)

    def _begin(
        self, block: _Block, T: View, seed: View, out: list[View], rows: int, stream: int
    ) -> None:
        """Puts the searches of a block on the stream; our own stream comes after them."""
        driver, first = self.device.driver, block.first
        q, code, position, angle = out
        one_seed = len(seed.shape) == 1
        block.targets = Targets(
            T.pointer + 128 * first,
            seed.pointer + (0 if one_seed else 56 * first),
            q.pointer + 56 * first,
            position.pointer + 8 * first,
            angle.pointer + 8 * first,
            code.pointer + first,
            *(x.pointer for x in (block.undecided, block.unproven, block.rest, block.count)),
            *(x.pointer for x in (block.rest_T, block.rest_seed)),
            rows,
            one_seed,
        )
        driver.clear(block.count.pointer, block.count.nbytes, stream)
        for kernel, threads in STEPS[block.objective].items():
            self.device.launch(
                f"{kernel}.float64", threads * rows, stream, (block.targets, self._arm)
            )
        driver.follow(self.device.stream, stream)

    def _finish(self, block: _Block, stream: int) -> int:
        """Lets the processor settle what is left of a block; returns how many targets that are."""
        own = self.device.stream
        _, _, left, wrong, _ = block.count.numpy(stream=own).tolist()
        if wrong:
            raise InputError(
                f"target {block.first + wrong - 1} is not a rigid transform to 1e-6; "
                "baxterkit.spatial.nearest_rotation(R) makes its rotation one"
            )
        if not left:
            return 0
        T = block.rest_T.numpy(rows=left, stream=own).reshape(-1, 4, 4)
        seed = block.rest_seed.numpy(rows=left, stream=own)
        answers = [
            DeviceArray.of(self.device, x, own) for x in self._settle_all(T, seed, block.objective)
        ]
        q, code, position, angle = answers
        self.device.driver.follow(stream, own)
        given = Answers(q.pointer, position.pointer, angle.pointer, code.pointer, left)
        self.device.launch("settle_ik.float64", left, stream, (block.targets, given))
        self.device.driver.follow(own, stream)  # which frees the answers
        return int(left)

    def _settle_all(self, T: Transform, seed: JointVector, objective: str) -> list[AnyArray]:
        """The processor's answers, a few targets to a thread: each takes long."""
        parts = max(1, min(self._threads, len(T) // PER_THREAD))
        shares = zip(np.array_split(T, parts), np.array_split(seed, parts), strict=True)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, "baxterkit-ik")
        found = self._pool.map(lambda share: self._settle(share[0], share[1], objective), shares)
        return [np.concatenate(column) for column in zip(*found, strict=True)]


def targets_on(device: Device, T: ForeignArray) -> tuple[Library, int, View]:
    """The library of targets on a GPU, its stream there, and the view of them.

    Raises:
        InputError: If they are on another GPU.
        ShapeError: If they are not 4 by 4.
    """
    library = library_of(T)
    index = library.index(T)
    if index != device.index:
        raise InputError(f"T is on GPU {index}, this arm computes on GPU {device.index}")
    stream = library.stream(index)
    view = library.view(T, "T", stream)
    if view.shape[-2:] != (4, 4):
        raise ShapeError(f"T must have shape (..., 4, 4), got {view.shape}")
    return library, stream, view


def ik_arm(model: ArmModel) -> ctypes.Structure:
    """`IkArm` of native/cuda/quick_ik.hpp."""
    parts: list[Array] = [
        inverse(model.T_base_s0)[:3],
        inverse(model.T_hand_tip)[:3],
        np.asarray(model.limits.lower, dtype=np.float64),
        np.asarray(model.limits.upper, dtype=np.float64),
        model.T_base_s0[:3],
        model.T_hand_tip[:3],
    ]
    numbers = np.concatenate([np.ravel(part) for part in parts])

    class IkArm(ctypes.Structure):
        _fields_ = (("numbers", c_double * len(numbers)),)

    return IkArm((c_double * len(numbers))(*numbers))
