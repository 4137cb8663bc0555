"""The CUDA driver, through the few functions of its own library that are needed here."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from ctypes import byref, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from baxterkit.errors import DeviceError
from baxterkit.extras import load_extra

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
OLDEST = 12000
"""Oldest version of CUDA whose driver understands the PTX."""
OUT_OF_MEMORY, NO_DEVICE, BAD_PTX, CAPTURING = 2, 100, 222, 900
OTHER_CONTEXT = (201, 400)
MAX_THREADS = 0
"""Attribute of a function: the most threads of a block."""
DISABLE_TIMING = 2
RELEASE_THRESHOLD, KEPT_BYTES = 4, 1 << 29
"""Attribute of a pool of memory: what it keeps of what is given back; to take it anew costs ms."""
ON_DEVICE = 2
"""Kind of memory that `CUDA_MEMCPY2D` copies."""
PLACE = (
    ("x", c_size_t),
    ("y", c_size_t),
    ("memory", c_uint),
    ("host", c_void_p),
    ("device", c_uint64),
    ("array", c_void_p),
    ("pitch", c_size_t),
)
"""How it tells of either place."""
PROCESSORS, MAJOR, MINOR = 16, 75, 76
"""Attributes of a device: number of its multiprocessors, and its compute capability."""


class _Copy2D(ctypes.Structure):
    """`CUDA_MEMCPY2D`: rows of bytes from one place to another."""

    _fields_ = (
        *((f"from_{name}", kind) for name, kind in PLACE),
        *((f"to_{name}", kind) for name, kind in PLACE),
        ("width", c_size_t),
        ("height", c_size_t),
    )


@dataclass(frozen=True)
class Function:
    """A kernel that is loaded.

    Attributes:
        handle: The driver's handle.
        threads: How many threads a block of it has.
        blocks: How many blocks run at a time on the whole GPU.
    """

    handle: c_void_p
    threads: int
    blocks: int


class Driver:
    """The driver's library.

    Raises:
        DeviceError: If there is none, it is too old, or there is no GPU.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        try:
            self("cuInit", c_uint(0))
        except DeviceError as error:
            raise DeviceError(f"no NVIDIA GPU can be used here: {error}") from error
        version = c_int()
        self("cuDriverGetVersion", byref(version))
        self.version = version.value
        if self.version < OLDEST:
            major, minor = self.version // 1000, self.version % 1000 // 10
            raise DeviceError(
                f"the NVIDIA driver is for CUDA {major}.{minor}, "
                f"and 12.0 is the oldest that runs these kernels; install driver 525 or newer"
            )

    def __call__(self, function: str, *arguments: object) -> None:
        """Calls a function.

        Raises:
            DeviceError: If it fails, with the driver's own words.
        """
        code = getattr(self._library, function)(*arguments)
        if code:
            raise DeviceError(self._explain(function, code), code)

    def _explain(self, function: str, code: int) -> str:
        if code == OUT_OF_MEMORY:
            return "the GPU has too little memory left for this batch; split it"
        if code == NO_DEVICE:
            return "the driver finds no GPU"
        if code == BAD_PTX:
            return (
                f"the driver (CUDA {self.version}) cannot compile the kernels; install a newer one"
            )
        if code in OTHER_CONTEXT:
            return "the stream of these arrays is of another context; use one of this GPU's own"
        if code == CAPTURING:
            return "this cannot be captured in a graph; call it once before the capture"
        name, text = c_char_p(), c_char_p()
        self._library.cuGetErrorName(code, byref(name))
        self._library.cuGetErrorString(code, byref(text))
        shown = [part.value.decode() for part in (name, text) if part.value]
        return f"{function} failed: {': '.join(shown) or code}"

    def devices(self) -> int:
        """Number of GPUs."""
        count = c_int()
        self("cuDeviceGetCount", byref(count))
        return count.value

    def name(self, device: int) -> str:
        """Name of a GPU."""
        text = (c_char * 256)()
        self("cuDeviceGetName", text, 256, self._handle(device))
        return text.value.decode()

    def capability(self, device: int) -> tuple[int, int]:
        """Compute capability of a GPU."""
        return self._of(device, MAJOR), self._of(device, MINOR)

    def context(self, device: int) -> c_void_p:
        """The context of a GPU that all libraries of a process share."""
        context, pool = c_void_p(), c_void_p()
        self("cuDevicePrimaryCtxRetain", byref(context), self._handle(device))
        self("cuDeviceGetDefaultMemPool", byref(pool), self._handle(device))
        kept = c_uint64()
        self("cuMemPoolGetAttribute", pool, RELEASE_THRESHOLD, byref(kept))
        kept.value = max(kept.value, KEPT_BYTES)
        self("cuMemPoolSetAttribute", pool, RELEASE_THRESHOLD, byref(kept))
        return context

    def push(self, context: c_void_p) -> None:
        """Makes a context the current one of this thread, until `pop`."""
        self("cuCtxPushCurrent_v2", context)

    def pop(self) -> None:
        """Undoes `push`."""
        self("cuCtxPopCurrent_v2", byref(c_void_p()))

    def load(self, name: str, device: int) -> Function:
        """A kernel, such as "fk.float64", compiled for a GPU."""
        module, function, threads = c_void_p(), c_void_p(), c_int()
        self("cuModuleLoadData", byref(module), c_char_p(ptx(name)))
        self("cuModuleGetFunction", byref(function), module, b"run")
        self("cuFuncGetAttribute", byref(threads), MAX_THREADS, function)
        blocks = c_int()
        self(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            *(byref(blocks), function, threads, c_size_t(0)),
        )
        at_a_time = blocks.value * self._of(device, PROCESSORS)
        return Function(function, threads.value, at_a_time)

    def launch(
        self, function: Function, blocks: int, stream: int, arguments: Sequence[ctypes.Structure]
    ) -> None:
        """Puts a kernel on a stream."""
        pointers = (c_void_p * len(arguments))(*(ctypes.addressof(item) for item in arguments))
        self(
            "cuLaunchKernel",
            function.handle,
            *(c_uint(blocks), c_uint(1), c_uint(1)),
            *(c_uint(function.threads), c_uint(1), c_uint(1)),
            c_uint(0),
            c_void_p(stream),
            pointers,
            None,
        )

    def allocate(self, size: int, stream: int) -> int:
        """Memory of the GPU, from its pool, once the stream comes to it."""
        pointer = c_void_p()
        self("cuMemAllocAsync", byref(pointer), c_size_t(size), c_void_p(stream))
        return pointer.value or 0

    def free(self, pointer: int, stream: int) -> None:
        """Gives it back, once the stream comes to it."""
        self("cuMemFreeAsync", c_void_p(pointer), c_void_p(stream))

    def clear(self, pointer: int, size: int, stream: int) -> None:
        """Fills memory with zeros."""
        self("cuMemsetD8Async", c_void_p(pointer), c_char(0), c_size_t(size), c_void_p(stream))

    def to_device(self, pointer: int, host: int, size: int, stream: int) -> None:
        """Copies numbers to the GPU."""
        self(
            "cuMemcpyHtoDAsync_v2",
            c_void_p(pointer),
            c_void_p(host),
            c_size_t(size),
            c_void_p(stream),
        )

    def copy_rows(
        self, to: int, source: int, width: int, pitch: int, rows: int, stream: int
    ) -> None:
        """Copies the first bytes of rows that are `pitch` bytes apart, to rows without gaps."""
        copy = _Copy2D(
            from_memory=ON_DEVICE,
            from_device=source,
            from_pitch=pitch,
            to_memory=ON_DEVICE,
            to_device=to,
            to_pitch=width,
            width=width,
            height=rows,
        )
        self("cuMemcpy2DAsync_v2", byref(copy), c_void_p(stream))

    def to_host(self, host: int, pointer: int, size: int, stream: int) -> None:
        """Copies numbers from the GPU, and waits for them."""
        self(
            "cuMemcpyDtoHAsync_v2",
            c_void_p(host),
            c_void_p(pointer),
            c_size_t(size),
            c_void_p(stream),
        )
        self.synchronize(stream)

    def stream(self) -> int:
        """A stream of its own."""
        stream = c_void_p()
        self("cuStreamCreate", byref(stream), c_uint(1))
        return stream.value or 0

    def synchronize(self, stream: int) -> None:
        """Waits until the stream has done everything."""
        self("cuStreamSynchronize", c_void_p(stream))

    def follow(self, stream: int, other: int) -> None:
        """Lets a stream wait for what another one has to do now."""
        event = c_void_p()
        self("cuEventCreate", byref(event), c_uint(DISABLE_TIMING))
        self("cuEventRecord", event, c_void_p(other))
        self("cuStreamWaitEvent", c_void_p(stream), event, c_uint(0))
        self("cuEventDestroy_v2", event)

    def device_of(self, pointer: int) -> int:
        """The GPU that some memory belongs to."""
        device = c_int()
        self("cuPointerGetAttribute", byref(device), c_int(9), c_void_p(pointer))
        return device.value

    def _of(self, device: int, attribute: int) -> int:
        value = c_int()
        self("cuDeviceGetAttribute", byref(value), attribute, self._handle(device))
        return value.value

    def _handle(self, device: int) -> c_int:
        handle = c_int()
        self("cuDeviceGet", byref(handle), c_int(device))
        return handle


@cache
def load_driver() -> Driver:
    """The driver of this machine.

    Raises:
        DeviceError: If there is none that can be used.
    """
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise DeviceError(
            f"there is no NVIDIA driver here ({LIBRARY} was not found); "
            'the backend "cuda" needs an NVIDIA GPU, "native" computes on the processor'
        ) from error
    return Driver(library)


def ptx(name: str) -> bytes:
    """The PTX of a kernel and type, such as "fk.float64".

    Raises:
        MissingExtraError: If the kernels are not installed.
    """
    package = load_extra(
        "baxterkit_cuda", feature='The backend "cuda"', package="baxterkit-cuda", extra="cuda"
    )
    return (Path(next(iter(package.__path__))) / f"{name}.ptx").read_bytes() + b"\0"
