"""Answers of inverse kinematics that are on a GPU."""

from __future__ import annotations

import numpy as np

from baxterkit.ik.result import IkResult
from baxterkit.types import AnyArray, ForeignArray


class DeviceIkResult(IkResult):
    """The answers for a batch, as arrays of the targets' own library on the GPU.

    `q`, `status`, `position_error` and `orientation_error` are as in `IkResult`. The rest is
    for answers on the processor: `on_processor()`.

    Attributes:
        settled_by_processor: How many targets the processor's complete search has settled.
    """

    def __init__(
        self,
        arrays: tuple[ForeignArray, ForeignArray, ForeignArray, ForeignArray],
        settled_by_processor: int,
    ) -> None:
        super().__init__(*arrays, method="exact")
        self.settled_by_processor = settled_by_processor

    def on_processor(self) -> IkResult:
        """A copy on the processor, in NumPy arrays."""
        arrays = (self.q, self.status, self.position_error, self.orientation_error)
        q, status, position, angle = (_to_numpy(x) for x in arrays)
        rows = (status.reshape(-1), position.reshape(-1), angle.reshape(-1))
        there = IkResult(q.reshape(-1, 7), *rows, self.method)
        return there.replace(joint_names=self.joint_names).reshaped(q.shape[:-1])

    def _repr_batch(self) -> str:
        shape = " x ".join(map(str, self.batch_shape)) or "1"
        return f"DeviceIkResult({shape} targets on the GPU, method={self.method!r})"


def _to_numpy(x: ForeignArray) -> AnyArray:
    for name in ("numpy", "get"):  # ours and torch's, CuPy's
        if hasattr(x, name):
            there = x.cpu() if hasattr(x, "cpu") else x
            array: AnyArray = getattr(there, name)()
            return array
    return np.asarray(x)
