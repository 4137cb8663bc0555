"""Collision checks of configurations on a GPU: steps, each a kernel, with lists between them."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from ctypes import c_double, c_uint32, c_uint64, c_void_p
from dataclasses import replace
from types import MappingProxyType
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

BLOCK = {"hits": 1 << 22, "nearest": 1 << 21}
"""Configurations that are checked at a time: more take more memory, fewer more time."""
ROOM = {
    "hits": {"parts": 4, "pairs": 2, "items": 4, "pose": 0, "first": 0},
    "nearest": {"parts": 8, "pairs": 6, "items": 14, "candidates": 6, "open": 6},
}
"""Places in lists for each configuration, on average; 1 if not named. A configuration that finds no
place is checked once more, against everything."""
MOST_LINKS = 18
PER_ROW = {
    "pose": 14 * 12 * 4,
    "near": 4,
    "best": 8,
    "pair": 8,
    "left": 4,
    "first": 4,
    "parts": 8,
    "pairs": 8,
    "links": MOST_LINKS * 8,
    "items": 8,
    "candidates": 24,
    "open": 4,
    "rest": 4,
}
"""Bytes of the working memory: of a configuration, or of a place in a list."""
COUNTERS, WARP, THREADS = 16 * 64, 32, 128
CELL = 15
"""Of the grids of distances from the body [mm]."""
RESULTS = {"hit": 1, "clearance": 8, "pair": 8, "points": 48, "gradient": 112}
"""Bytes of the answers to a configuration."""
STEPS = {
    "begin": "",
    "first": "",
    "first_boxes": "items",
    "emit": "",
    "part_links": "parts",
    "part_boxes": "items",
    "world": "links",
    "world_boxes": "items",
    "link_pairs": "pairs",
    "segments": "items",
    "sift": "candidates",
    "settle": "open",
    "ties": "open",
    "whole": "rest",
    "write": "",
}
"""The kernels in their order, and the lists that they go through; of all rows if none."""
LISTS = {
    "part": "parts",
    "pair": "pairs",
    "item": "items",
    "candidate": "candidates",
}
EDGES, AT_A_TIME, PIECES, LEVELS = 1 << 18, 1 << 19, 4, 20
"""Edges, and pieces of edges, that are checked at a time; pieces of an edge at first, as in
edges.cu, and how often these can be halved."""
NEAREST_ONLY = ("first", "first_boxes", "emit", "ties")
WORLD_ONLY = ("world", "world_boxes")


class Batch(ctypes.Structure):
    """`ConfigurationBatch` of native/cuda/work.hpp."""

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


class Work(ctypes.Structure):
    """`Work` of native/cuda/work.hpp."""

    _fields_ = (
        *((name, c_void_p) for name in PER_ROW),
        ("count", c_void_p),
        ("part_room", c_uint32),
        ("pair_room", c_uint32),
        ("item_room", c_uint32),
        ("candidate_room", c_uint32),
    )


class Edges(ctypes.Structure):
    """`Edges` of native/cuda/edges.cu."""

    _fields_ = (
        *((name, c_void_p) for name in ("q0", "q1", "head", "free", "stack", "taken")),
        *((name, c_void_p) for name in ("left", "right", "pan", "gap", "count")),
        ("margin", c_double),
        ("edges", c_uint32),
        ("q0_stride", c_uint32),
        ("q1_stride", c_uint32),
        ("head_stride", c_uint32),
        ("base", c_uint32),
        ("number", c_uint32),
    )


class CudaChecks:
    """Collision checks of one robot among its obstacles, on a GPU.

    Answers are those of the processor: what single precision cannot tell is computed in float64.
    Joint positions that are not finite count as a collision.

    Args:
        checker: The processor's checks.
        owners: The link or obstacle of each primitive.
        device: The GPU.
        world: Whether there are obstacles.
    """

    def __init__(
        self, checker: BodyChecker, owners: AnyArray, device: Device, world: bool = True
    ) -> None:
        self.device = device
        self._world = world
        self._owners = DeviceArray.of(device, np.ascontiguousarray(owners, dtype=np.int32))
        numbers = checker.packed(0, CELL).numbers
        self._numbers = DeviceArray.of(device, numbers)
        header = checker.packed(self._numbers.pointer, CELL).header

        class Body(ctypes.Structure):
            _fields_ = (("words", c_uint64 * (len(header) // 8)),)

        self._body = Body.from_buffer_copy(header.tobytes())

    def in_collision(
        self, q_left: ForeignArray, q_right: ForeignArray, head: ForeignArray, margin: float
    ) -> ForeignArray:
        """Whether links touch, or are nearer than `margin` [m]: bool, shape (*batch,)."""
        call = self._call(q_left, q_right, head)
        hit, view = call.library.empty(self.device, call.shape, "bool")
        self._launch("hits", call, hit=view.pointer, padding=margin)
        return call.library.finish(hit)

    def clearance(
        self,
        q_left: ForeignArray,
        q_right: ForeignArray,
        head: ForeignArray,
        out: ForeignArray = None,
    ) -> ForeignArray:
        """Distance of the nearest two links at each configuration [m], shape (*batch,)."""
        call = self._call(q_left, q_right, head)
        if out is None:
            gap, view = call.library.empty(self.device, call.shape, "float64")
        else:
            gap, view = out, self._view(call.library, out, "out", call.stream)
            if view.shape != call.shape:
                raise ShapeError(f"out must have shape {call.shape}, got {view.shape}")
        self._launch("nearest", call, clearance=view.pointer)
        return gap if out is not None else call.library.finish(gap)

    def nearest(
        self,
        q_left: ForeignArray,
        q_right: ForeignArray,
        head: ForeignArray,
        out: Mapping[str, ForeignArray] = MappingProxyType({}),
    ) -> tuple[ForeignArray, ForeignArray, ForeignArray, ForeignArray]:
        """The nearest pair at each configuration: clearance, pair (int32), points, gradient.

        `out` may have arrays for some of these.
        """
        call = self._call(q_left, q_right, head)
        made = {
            name: (out[name], self._view(call.library, out[name], name, call.stream))
            if name in out
            else call.library.empty(self.device, (*call.shape, *shape), dtype)
            for name, shape, dtype in (
                ("clearance", (), "float64"),
                ("pair", (2,), "int32"),
                ("points", (2, 3), "float64"),
                ("gradient", (14,), "float64"),
            )
        }
        places = {name: view.pointer for name, (_, view) in made.items()}
        self._launch("nearest", call, owner=self._owners.pointer, **places)
        clearance, pair, points, gradient = (
            call.library.finish(array) for array, _ in made.values()
        )
        return clearance, pair, points, gradient

    def edge_free(
        self, q0: ForeignArray, q1: ForeignArray, head: ForeignArray, margin: float
    ) -> ForeignArray:
        """Whether straight motions from q0 to q1 (*batch, 14) are free all along: (*batch,)."""
        given = {"q0": q0, "q1": q1}
        for name, x in given.items():
            if not on_gpu(x):
                raise InputError(f"q0 and q1 must both be on the GPU, {name} is not; move it there")
        library = library_of(q0)
        stream = library.stream(self.device.index)
        views = [self._view(library, x, name, stream) for name, x in given.items()]
        if on_gpu(head):
            views.append(self._view(library, head, "head", stream))
        elif np.shape(head) != ():
            raise InputError("head is not on the GPU; move it there, or pass one angle")
        for name, view in zip(given, views, strict=False):
            if not view.shape or view.shape[-1] != 14:
                raise ShapeError(
                    f"{name} must have 14 values on its last axis, got shape {view.shape}"
                )
        shapes = [view.shape[:-1] for view in views[:2]] + [view.shape for view in views[2:]]
        shape = _batch_of(("q0", "q1", "head"), shapes)
        free, view = library.empty(self.device, shape, "bool")
        still = 0.0 if len(views) > 2 else float(head)
        for first in range(0, math.prod(shape), EDGES):
            count = min(EDGES, math.prod(shape) - first)
            starts = [
                (x, 8 * (first if own else 0), own) for x, own in zip(views, shapes, strict=True)
            ]
            self._sweep(library, stream, starts, still, margin, view.pointer + first, count)
        return library.finish(free)

    def _sweep(
        self,
        library: Library,
        stream: int,
        given: list[tuple[View, int, tuple[int, ...]]],
        still: float,
        margin: float,
        free: int,
        count: int,
    ) -> None:
        """Some edges: pieces of them wait on a stack, from which steps take some at a time."""
        own = DeviceArray
        stack = own(self.device, (PIECES * count + LEVELS * AT_A_TIME, 3), "int32", stream)
        taken = own(self.device, (AT_A_TIME, 3), "int32", stream)
        left, right = (own(self.device, (AT_A_TIME, 7), "float64", stream) for _ in range(2))
        pan, gap = (own(self.device, (AT_A_TIME,), "float64", stream) for _ in range(2))
        counts = own(self.device, (2,), "int32", stream)
        widths = (14, 14, 1)
        edges = Edges(
            *(x.pointer + at * n for (x, at, _), n in zip(given, widths, strict=False)),
            *([None] if len(given) < 3 else []),
            free,
            *(x.pointer for x in (stack, taken, left, right, pan, gap, counts)),
            margin,
            count,
            *((n if shape else 0) for (_, _, shape), n in zip(given, widths, strict=False)),
        )
        with self.device.active() as driver:
            self.device.launch("edge_begin.float64", count, stream, (edges, self._body))
            waiting = PIECES * count
            while waiting:
                edges.number = min(waiting, AT_A_TIME)
                edges.base = waiting - edges.number
                driver.clear(counts.pointer, counts.nbytes, stream)
                self.device.launch("edge_rows.float64", edges.number, stream, (edges, self._body))
                edges.number = rows = int(counts.numpy(stream=stream)[0])
                waiting = edges.base
                if not rows:
                    continue
                q = [replace(x.view(), shape=(rows, 7)) for x in (left, right)]
                turned = replace(pan.view(), shape=(rows,)) if len(given) > 2 else None
                call = _Call(library, stream, q[0], q[1], turned, still, (rows,))
                self._launch("nearest", call, clearance=gap.pointer)
                self.device.launch("edge_judge.float64", rows, stream, (edges, self._body))
                waiting += int(counts.numpy(stream=stream)[1])

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
        shapes = [left.shape[:-1], right.shape[:-1], () if pan is None else pan.shape]
        batch = _batch_of(("q_left", "q_right", "head"), shapes)
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

    def _launch(self, kind: str, call: _Call, **places_of: float) -> None:
        rows = math.prod(call.shape)
        if rows > MOST_ROWS:
            raise InputError(f"{rows} rows are more than {MOST_ROWS} in one call; split the batch")
        if rows == 0:
            return
        steps = [
            step
            for step in STEPS
            if (kind == "nearest" or step not in NEAREST_ONLY)
            and (self._world or step not in WORLD_ONLY)
        ]
        room = dict.fromkeys(PER_ROW, 1) | ROOM[kind]
        room["links"] *= self._world
        at_a_time = min(rows, BLOCK[kind])
        # Whole blocks of threads store poses; and every array begins at such an address.
        most = -(-at_a_time // THREADS) * THREADS
        size = 4 * COUNTERS + most * sum(room[name] * PER_ROW[name] for name in PER_ROW)
        owner, memory = call.library.empty(self.device, (size,), "uint8")
        work = Work(count=memory.pointer)
        for name in LISTS:
            setattr(work, f"{name}_room", most * room[LISTS[name]])
        at = memory.pointer + 4 * COUNTERS
        for name, places in room.items():
            setattr(work, name, at)
            at += most * places * PER_ROW[name]
        threads = {"": 1, **room, "links": MOST_LINKS, "rest": WARP}
        with self.device.active() as driver:
            for first in range(0, rows, BLOCK[kind]):
                batch = self._batch(call, first, min(BLOCK[kind], rows - first), places_of)
                driver.clear(memory.pointer, 4 * COUNTERS, call.stream)
                for step in steps:
                    self.device.launch(
                        f"{kind}_{step}.float64",
                        batch.rows * threads[STEPS[step]],
                        call.stream,
                        (batch, self._body, work),
                    )
        del owner  # its library gives the memory back once the stream is there

    @staticmethod
    def _batch(call: _Call, first: int, rows: int, places: dict[str, float]) -> Batch:
        """Rows of a call, from one on."""
        strides = {
            "left": 7 if len(call.left.shape) > 1 else 0,
            "right": 7 if len(call.right.shape) > 1 else 0,
            "head": 1 if call.pan is not None and call.pan.shape else 0,
        }
        pointers = {
            "left": call.left.pointer,
            "right": call.right.pointer,
            "head": 0 if call.pan is None else call.pan.pointer,
        }
        batch = Batch(still=call.still, rows=rows)
        for name, stride in strides.items():
            setattr(batch, name, pointers[name] + 8 * stride * first)
            setattr(batch, f"{name}_stride", stride)
        for name, value in places.items():
            setattr(batch, name, value + RESULTS.get(name, 0) * first)
        return batch


def _batch_of(names: tuple[str, ...], shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The one batch shape of arguments, some of which may have none."""
    batch = max(shapes, key=len)
    batch = next((shape for shape in shapes if shape not in ((), batch)), batch)
    if any(shape not in ((), batch) for shape in shapes):
        raise ShapeError(
            f"{', '.join(names[:-1])} and {names[-1]} must have one batch shape each, or none, got "
            f"{tuple(shapes)}; expand them and make them contiguous"
        )
    return batch


class _Call(NamedTuple):
    """The arguments of a check."""

    library: Library
    stream: int
    left: View
    right: View
    pan: View | None
    still: float
    shape: tuple[int, ...]
