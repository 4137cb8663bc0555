"""The libraries whose arrays come in: how each shows its memory, stream and new arrays."""

from __future__ import annotations

import sys
from typing import Protocol

import numpy as np

from baxterkit.cuda.arrays import DeviceArray, View
from baxterkit.cuda.dlpack import GPU, Consumed
from baxterkit.cuda.gpu import Device, device
from baxterkit.errors import InputError
from baxterkit.types import AnyArray, ForeignArray


class Library(Protocol):
    """A library with arrays on GPUs."""

    def stream(self, index: int) -> int:
        """The stream on which it works on that GPU now."""

    def view(self, x: ForeignArray, name: str, stream: int) -> View:
        """Its array as an argument of that name, ready for work on the stream."""

    def index(self, x: ForeignArray) -> int:
        """Number of the GPU that holds its array."""

    def empty(self, on: Device, shape: tuple[int, ...], dtype: str) -> tuple[ForeignArray, View]:
        """A new array of its own, and the view of it."""

    def finish(self, result: ForeignArray) -> ForeignArray:
        """The array for the caller, once its computation is on the stream."""


def sent(library: Library, on: Device, array: AnyArray, stream: int) -> ForeignArray:
    """A copy of a NumPy array in the library's own memory on a GPU."""
    array = np.asarray(array, order="C")
    copy, view = library.empty(on, array.shape, array.dtype.name)
    with on.active() as driver:
        driver.to_device(view.pointer, array.ctypes.data, array.nbytes, stream)
        driver.synchronize(stream)  # NumPy's memory may go away or change now
    return copy


def fetched(on: Device, view: View, stream: int) -> AnyArray:
    """A copy of an array on the processor, once the stream is there."""
    array = np.empty(view.shape, view.dtype)
    if array.nbytes:
        with on.active() as driver:
            driver.to_host(array.ctypes.data, view.pointer, array.nbytes, stream)
    return array


class Torch(Library):
    """PyTorch: tensors, on its current stream."""

    def __init__(self) -> None:
        self._torch = sys.modules["torch"]

    def stream(self, index: int) -> int:
        return int(self._torch.cuda.current_stream(index).cuda_stream)

    def index(self, x: ForeignArray) -> int:
        return int(x.device.index)

    def view(self, x: ForeignArray, name: str, stream: int) -> View:
        if x.requires_grad and self._torch.is_grad_enabled():
            raise InputError(
                f"{name} requires a gradient, and this call does not compute one; "
                f"use baxterkit.torch, or {name}.detach()"
            )
        _check_rows(name, x.is_contiguous(), f"{name}.contiguous()")
        dtype = str(x.dtype).removeprefix("torch.")
        return View(x.data_ptr(), tuple(x.shape), dtype, x.device.index, x)

    def empty(self, on: Device, shape: tuple[int, ...], dtype: str) -> tuple[ForeignArray, View]:
        torch = self._torch
        x = torch.empty(shape, dtype=getattr(torch, dtype), device=f"cuda:{on.index}")
        return x, View(x.data_ptr(), shape, dtype, on.index, x)

    def finish(self, result: ForeignArray) -> ForeignArray:
        return result


class Cupy(Library):
    """CuPy: arrays, on its current stream."""

    def __init__(self) -> None:
        self._cupy = sys.modules["cupy"]

    def stream(self, index: int) -> int:
        with self._cupy.cuda.Device(index):
            return int(self._cupy.cuda.get_current_stream().ptr)

    def index(self, x: ForeignArray) -> int:
        return int(x.device.id)

    def view(self, x: ForeignArray, name: str, stream: int) -> View:
        _check_rows(name, x.flags.c_contiguous, f"cupy.ascontiguousarray({name})")
        return View(int(x.data.ptr), tuple(x.shape), str(x.dtype), int(x.device.id), x)

    def empty(self, on: Device, shape: tuple[int, ...], dtype: str) -> tuple[ForeignArray, View]:
        with self._cupy.cuda.Device(on.index):
            x = self._cupy.empty(shape, dtype=dtype)
        return x, View(int(x.data.ptr), shape, dtype, on.index, x)

    def finish(self, result: ForeignArray) -> ForeignArray:
        return result


class Protocols(Library):
    """Every other library that knows DLPack or `__cuda_array_interface__`.

    Its arrays are used on the device's own stream, after what it has to do with them; results are
    `DeviceArray`.
    """

    def stream(self, index: int) -> int:
        return device(index).stream

    def index(self, x: ForeignArray) -> int:
        if hasattr(x, "__dlpack_device__"):
            return int(x.__dlpack_device__()[1])
        pointer = int(x.__cuda_array_interface__["data"][0])
        return device(0).driver.device_of(pointer) if pointer else 0

    def view(self, x: ForeignArray, name: str, stream: int) -> View:
        if isinstance(x, DeviceArray):
            return x.view()
        if hasattr(x, "__dlpack__"):
            array = Consumed(x.__dlpack__(stream=stream))
            plain = array.strides is None or array.strides == _row_strides(array.shape)
            _check_rows(name, plain, "a contiguous copy")
            return View(array.pointer, array.shape, array.dtype, array.device[1], array)
        shown = x.__cuda_array_interface__
        shape, kind = tuple(shown["shape"]), np.dtype(shown["typestr"])
        steps = shown.get("strides")
        plain = steps is None or tuple(steps) == tuple(
            kind.itemsize * s for s in _row_strides(shape)
        )
        _check_rows(name, plain, "a contiguous copy")
        index, theirs = self.index(x), shown.get("stream")
        if theirs is not None and theirs != stream:
            on = device(index)
            with on.active() as driver:
                driver.follow(stream, 0 if theirs == 1 else int(theirs))
        return View(int(shown["data"][0]), shape, kind.name, index, x)

    def empty(self, on: Device, shape: tuple[int, ...], dtype: str) -> tuple[ForeignArray, View]:
        array = DeviceArray(on, shape, dtype)
        return array, array.view()

    def finish(self, result: ForeignArray) -> ForeignArray:
        return result


class Jax(Protocols):
    """JAX: its arrays are never written, so results are new ones, handed over by DLPack."""

    def finish(self, result: ForeignArray) -> ForeignArray:
        return sys.modules["jax"].numpy.from_dlpack(result)


def on_gpu(x: object) -> bool:
    """Whether `x` is an array on a GPU."""
    if isinstance(x, np.ndarray | list | tuple | float | int):
        return False
    where = getattr(x, "__dlpack_device__", None)
    if where is not None:
        return int(where()[0]) == GPU
    return hasattr(x, "__cuda_array_interface__")


def library_of(x: object) -> Library:
    """The library of an array on a GPU."""
    name = type(x).__module__.partition(".")[0]
    if name == "torch":
        return Torch()
    if name == "cupy":
        return Cupy()
    return Jax() if name in ("jax", "jaxlib") else Protocols()


def _check_rows(name: str, plain: bool, way_out: str) -> None:
    if not plain:
        raise InputError(f"{name} is not contiguous (rows one after another); pass {way_out}")


def _row_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of an array without gaps, in entries."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
