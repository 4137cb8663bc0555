"""Arrays on a GPU: memory of our own, and views of other libraries' arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from baxterkit.cuda.dlpack import GPU, capsule
from baxterkit.cuda.gpu import Device
from baxterkit.errors import InputError
from baxterkit.types import AnyArray, ForeignArray

SIZES = {"float64": 8, "float32": 4, "uint8": 1, "int32": 4, "bool": 1}
"""Bytes of the types that arrays have here."""


@dataclass(frozen=True, slots=True)
class View:
    """Somebody's array on a GPU, one row after another without gaps.

    Attributes:
        pointer: Its first number.
        shape: Its shape.
        dtype: Its type, for example "float64".
        device: Number of its GPU.
        owner: Whatever must live as long.
    """

    pointer: int
    shape: tuple[int, ...]
    dtype: str
    device: int
    owner: ForeignArray


def array_interface(
    pointer: int, shape: tuple[int, ...], dtype: str, stream: int
) -> dict[str, object]:
    """Contiguous rows on a GPU as `__cuda_array_interface__` tells of them."""
    return {
        "shape": shape,
        "typestr": np.dtype(dtype).str,
        "data": (pointer, False),
        "strides": None,
        "version": 3,
        "stream": stream or 1,
    }


class DeviceArray:
    """Numbers on a GPU, for libraries that know `__cuda_array_interface__` or DLPack.

    `numpy()` copies them to the processor. Work on them is put on `device.stream`.

    Args:
        device: The GPU.
        shape: The shape.
        dtype: "float64", "float32", "uint8" or "int32".
        stream: The stream that will write it; the device's own if None.
    """

    def __init__(
        self,
        device: Device,
        shape: tuple[int, ...],
        dtype: str = "float64",
        stream: int | None = None,
    ) -> None:
        self.device = device
        self.shape = shape
        self.dtype = dtype
        self._stream = device.stream if stream is None else stream
        self.pointer = 0
        if self.nbytes:
            with device.active() as driver:
                self.pointer = driver.allocate(self.nbytes, self._stream)

    @classmethod
    def of(cls, device: Device, array: AnyArray, stream: int | None = None) -> DeviceArray:
        """A copy of a NumPy array on a GPU."""
        array = np.asarray(array, order="C")
        if array.dtype.name not in SIZES:
            raise InputError(f"arrays on a GPU are {', '.join(SIZES)}, not {array.dtype}")
        copy = cls(device, array.shape, array.dtype.name, stream)
        if copy.nbytes:
            with device.active() as driver:
                driver.to_device(copy.pointer, array.ctypes.data, copy.nbytes, copy._stream)
                driver.synchronize(copy._stream)  # NumPy's memory may go away or change now
        return copy

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all numbers."""
        return math.prod(self.shape) * SIZES[self.dtype]

    def view(self) -> View:
        """This array as an argument."""
        return View(self.pointer, self.shape, self.dtype, self.device.index, self)

    def numpy(
        self, out: AnyArray | None = None, rows: int | None = None, stream: int | None = None
    ) -> AnyArray:
        """A copy on the processor, once everything before it is computed.

        Args:
            out: Contiguous array for it.
            rows: How many of the first rows; all if None.
            stream: The stream to wait for; the array's own if None.
        """
        shape = self.shape if rows is None else (rows, *self.shape[1:])
        host = np.empty(shape, self.dtype) if out is None else out
        if host.nbytes:
            with self.device.active() as driver:
                at = self._stream if stream is None else stream
                driver.to_host(host.ctypes.data, self.pointer, host.nbytes, at)
        return host

    def __getitem__(self, key: object) -> DeviceArray:
        """A part along one axis, `x[i]`, `x[..., i, :, :]` or `x[..., i:j, :]`: a copy.

        Raises:
            InputError: If the key is another one.
        """
        keys = key if isinstance(key, tuple) else (key,)
        if not keys or keys[0] is not Ellipsis:
            keys = (..., *keys, *[slice(None)] * (self.ndim - len(keys)))
        part, *rest = keys[1:] or (None,)
        axis = self.ndim - len(rest) - 1
        if isinstance(part, slice) and part.step not in (None, 1):
            axis = -1
        if axis < 0 or not isinstance(part, int | slice) or any(k != slice(None) for k in rest):
            raise InputError("of an array on the GPU take x[i], x[..., i, :, :] or x[..., i:j, :]")
        places, kept = range(self.shape[axis]), tuple[int, ...]()
        if isinstance(part, slice):
            places = places[part]
            first, kept = places.start, (len(places),)
        else:
            first = places[part]
        inner = math.prod(self.shape[axis + 1 :]) * SIZES[self.dtype]
        shape = (*self.shape[:axis], *kept, *self.shape[axis + 1 :])
        taken = DeviceArray(self.device, shape, self.dtype, self._stream)
        if taken.nbytes:
            with self.device.active() as driver:
                driver.copy_rows(
                    taken.pointer,
                    self.pointer + first * inner,
                    math.prod(kept) * inner,
                    self.shape[axis] * inner,
                    math.prod(self.shape[:axis]),
                    self._stream,
                )
        return taken

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        return array_interface(self.pointer, self.shape, self.dtype, self._stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        return GPU, self.device.index

    def __dlpack__(self, *, stream: int | None = None, **_: object) -> object:
        if stream != -1 and stream is not None and stream != self._stream:
            with self.device.active() as driver:
                driver.follow(0 if stream == 1 else stream, self._stream)
        elif stream is None:
            with self.device.active() as driver:
                driver.synchronize(self._stream)
        return capsule(self.view())

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.device.index})"

    def __del__(self) -> None:
        pointer, self.pointer = getattr(self, "pointer", 0), 0
        if not pointer:
            return
        try:
            with self.device.active() as driver:
                driver.free(pointer, self._stream)
        except Exception:  # the driver is gone at the end of the process
            return
