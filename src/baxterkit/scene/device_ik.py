"""Inverse kinematics among obstacles for targets on a GPU.

The GPU solves the targets and checks the answers. Where an answer touches something, the
processor's search over the self-motion takes the target: `ik.solve`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.cuda.arrays import View
from baxterkit.cuda.ik import CudaIk, Search
from baxterkit.cuda.libraries import fetched, on_gpu, sent
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik.device_result import DeviceIkResult
from baxterkit.ik.result import IkStatus
from baxterkit.scene import ik
from baxterkit.types import AnyArray, Array, ForeignArray

if TYPE_CHECKING:
    from baxterkit.scene.scene import Scene

BLOCK = 1 << 20
"""Targets that are copied to the processor at a time."""


def solve(
    scene: Scene,
    side: str,
    T: ForeignArray,
    other: ForeignArray,
    seed: ForeignArray = None,
    head: ForeignArray = None,
) -> DeviceIkResult:
    """Joint positions of an arm that reach a pose and touch nothing; see `Scene.ik`."""
    solver = scene.arm(side)._cuda_ik
    assert solver is not None
    if on_gpu(head) or np.ndim(head if head is not None else 0.0):
        raise InputError("targets on the GPU are solved for one pan of the head; pass one angle")
    pan = scene.head if head is None else float(head)
    found = solver.search(T, seed)
    batch = found.target.shape[:-2]
    fixed = None if on_gpu(other) else np.ascontiguousarray(other, dtype=np.float64)
    if fixed is not None and fixed.shape != (7,):
        raise ShapeError(f"other must be on the GPU, or one configuration (7,), got {fixed.shape}")
    device = solver.device
    still = other if fixed is None else sent(found.library, device, fixed, found.stream)
    still_view = found.library.view(still, "other", found.stream)
    if still_view.shape not in ((7,), (*batch, 7)):
        raise ShapeError(f"other must have shape (7,) or {(*batch, 7)}, got {still_view.shape}")
    sides = (found.arrays[0], still) if side == "left" else (still, found.arrays[0])
    hits = scene.in_collision(*sides, pan)
    hit = fetched(device, found.library.view(hits, "hits", found.stream), found.stream)
    status = fetched(device, found.views[1], found.stream)
    rows = np.flatnonzero((status == IkStatus.SOLVED) & hit)
    settled = found.settled
    if len(rows):
        given = (found.target, found.seed, still_view)
        poses, seeds, others = (_rows_of(solver, found, view, rows, batch) for view in given)
        answer = ik.solve(scene, side, poses.reshape(-1, 4, 4), others, seeds, pan)
        codes = np.asarray(answer.status, dtype=np.uint8)
        errors = (answer.position_error, answer.orientation_error)
        solver.amend(found, rows, (answer.q, codes, *map(np.asarray, errors)))
        settled += len(rows)
    q, code, position, angle = (found.library.finish(array) for array in found.arrays)
    return DeviceIkResult((q, code, position, angle), settled)


def _rows_of(
    solver: CudaIk,
    found: Search,
    view: View,
    rows: NDArray[np.int64],
    batch: tuple[int, ...],
) -> AnyArray:
    """Some rows of an array on the processor; of one row for all, that one."""
    width = 16 if view.shape[-2:] == (4, 4) else 7
    if width == 7 and view.shape == (7,) and batch != ():
        return fetched(solver.device, view, found.stream)
    total = int(np.prod(batch))
    parts: list[Array] = []
    for first in range(0, total, BLOCK):
        own = rows[(rows >= first) & (rows < first + BLOCK)] - first
        if not len(own):
            continue
        shape = (min(BLOCK, total - first), width)
        part = View(view.pointer + 8 * width * first, shape, view.dtype, view.device, view.owner)
        parts.append(fetched(solver.device, part, found.stream)[own])
    return np.concatenate(parts)


def takes(scene: Scene, side: str, T: ArrayLike) -> bool:
    """Whether targets are on a GPU where this arm computes."""
    solver = scene.arm(side)._cuda_ik
    return solver is not None and solver.takes(T)
