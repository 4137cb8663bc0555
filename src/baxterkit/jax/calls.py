"""Python functions as custom calls of XLA, by its foreign function interface.

XLA calls a handler with a frame: buffers in and out, attributes, and the stream. The handler here
finds a Python function by the number that is the call's attribute. The structures are those of
`xla/ffi/api/c_api.h`, which comes with jaxlib.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from baxterkit import disk
from baxterkit.cuda.arrays import array_interface
from baxterkit.types import AnyArray, ForeignArray

EXECUTE, METADATA, FAILED = 3, 1, 13
TYPES = {11: "float32", 12: "float64"}
NAME = "baxterkit"


class _Head(ctypes.Structure):
    _fields_: ClassVar[Sequence[tuple[str, ForeignArray]]] = (
        ("struct_size", c_size_t),
        ("extension", c_void_p),
    )


class _Buffer(_Head):
    _fields_ = (
        ("dtype", c_int),
        ("data", c_void_p),
        ("rank", c_int64),
        ("dims", POINTER(c_int64)),
    )


class _Buffers(_Head):
    _fields_ = (("size", c_int64), ("types", c_void_p), ("at", POINTER(POINTER(_Buffer))))


class _Scalar(ctypes.Structure):
    _fields_ = (("dtype", c_int), ("value", POINTER(c_int64)))


class _Attributes(_Head):
    _fields_ = (
        ("size", c_int64),
        ("types", c_void_p),
        ("names", c_void_p),
        ("at", POINTER(POINTER(_Scalar))),
    )


class _Version(_Head):
    _fields_ = (("major", c_int), ("minor", c_int))


class _Metadata(ctypes.Structure):
    _fields_ = (("struct_size", c_size_t), ("version", _Version), ("traits", ctypes.c_uint32))


class _Extension(ctypes.Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("type", c_int),
        ("next", c_void_p),
        ("metadata", POINTER(_Metadata)),
    )


class _StreamOf(_Head):
    _fields_ = (("context", c_void_p), ("stream", c_void_p))


class _Failure(_Head):
    _fields_ = (("message", c_char_p), ("code", c_int))


class _Api(_Head):
    _fields_ = (
        ("version", _Version),
        ("inside", c_void_p),
        ("make_error", ctypes.CFUNCTYPE(c_void_p, POINTER(_Failure))),
        ("others", c_void_p * 3),
        ("get_stream", ctypes.CFUNCTYPE(c_void_p, POINTER(_StreamOf))),
    )


class _Frame(_Head):
    _fields_ = (
        ("api", POINTER(_Api)),
        ("context", c_void_p),
        ("stage", c_int),
        ("arguments", _Buffers),
        ("results", _Buffers),
        ("attributes", _Attributes),
    )


_Handler = ctypes.CFUNCTYPE(c_void_p, POINTER(_Frame))


@dataclass(frozen=True)
class OnGpu:
    """A buffer of XLA on a GPU, for `__cuda_array_interface__`."""

    pointer: int
    shape: tuple[int, ...]
    dtype: str
    stream: int

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        return array_interface(self.pointer, self.shape, self.dtype, self.stream)


Function = Callable[[list[ForeignArray], list[ForeignArray]], None]
"""From arguments, NumPy arrays or those of a GPU, to results of the same kind."""
functions: dict[int, Function] = {}


def register(jax: ForeignArray, after_gpu: Callable[[int], None]) -> None:
    """Makes the handlers known to XLA, for processors and GPUs.

    Args:
        jax: The package.
        after_gpu: Called with XLA's stream after a call on a GPU: work that is on other streams
            must come before what follows there.
    """
    header = Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h"
    found = re.findall(r"define XLA_FFI_API_M(?:AJOR|INOR) (\d+)", disk.read_text(header))
    version = (int(found[0]), int(found[1]))
    for platform in ("cpu", "CUDA"):
        handler = _Handler(_handler(platform == "CUDA", version, after_gpu))
        _kept.append(handler)
        address = ctypes.cast(handler, c_void_p)
        jax.ffi.register_ffi_target(NAME, _capsule(address, None, None), platform=platform)


_kept: list[ForeignArray] = []  # XLA calls them as long as the process lives
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = (c_void_p, c_char_p, c_void_p)


def _handler(
    gpu: bool, version: tuple[int, int], after_gpu: Callable[[int], None]
) -> Callable[[ForeignArray], int | None]:
    def handle(pointer: ForeignArray) -> int | None:
        frame: _Frame = pointer.contents
        if frame.extension:  # asks for the version
            extension = ctypes.cast(frame.extension, POINTER(_Extension)).contents
            if extension.type == METADATA:
                told = extension.metadata.contents
                told.version.major, told.version.minor = version
                told.traits = 0
                return None
        try:
            if frame.stage == EXECUTE:
                stream = _stream(frame) if gpu else 0
                number = frame.attributes.at[0].contents.value[0]
                functions[number](
                    _arrays(frame.arguments, gpu, stream), _arrays(frame.results, gpu, stream)
                )
                if gpu:
                    after_gpu(stream)
        except Exception as error:  # XLA raises it where the result is used
            failure = _Failure(ctypes.sizeof(_Failure), None, str(error).encode(), FAILED)
            made: int | None = frame.api.contents.make_error(ctypes.byref(failure))
            return made
        return None

    return handle


def _stream(frame: _Frame) -> int:
    asked = _StreamOf(ctypes.sizeof(_StreamOf), None, frame.context, None)
    frame.api.contents.get_stream(ctypes.byref(asked))
    stream: int | None = asked.stream
    return stream or 0


def _arrays(buffers: _Buffers, gpu: bool, stream: int) -> list[ForeignArray]:
    return [_array(buffers.at[i].contents, gpu, stream) for i in range(buffers.size)]


def _array(buffer: _Buffer, gpu: bool, stream: int) -> OnGpu | AnyArray:
    shape, dtype = tuple(buffer.dims[: buffer.rank]), TYPES[buffer.dtype]
    if gpu:
        return OnGpu(buffer.data or 0, shape, dtype, stream)
    count = int(np.prod(shape))
    if not count:
        return np.empty(shape, dtype)
    plain = (ctypes.c_char * (count * np.dtype(dtype).itemsize)).from_address(buffer.data)
    return np.frombuffer(memoryview(plain).cast("B"), dtype).reshape(shape)
