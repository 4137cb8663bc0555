"""A GPU that is none: its memory is the processor's, its kernels the same sources through g++."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import components

from baxterkit.cuda.collision import STEPS
from baxterkit.cuda.driver import Driver, Function

SOURCES = components.ROOT / "src/baxterkit/native"
FLAGS = ("-O1", "-std=c++17", "-march=native", "-ffp-contract=off", "-fPIC", "-shared", "-x", "c++")
THREADS, BLOCKS = 64, 8
SOURCE_OF = {
    **dict.fromkeys(("quick_ik", "prove_ik", "wide_ik", "settle_ik", "nearest_ik"), "cuda/ik.cu"),
    **dict.fromkeys(("all_search", "all_settle", "all_pad"), "cuda/all_ik.cu"),
    **dict.fromkeys(("edge_begin", "edge_rows", "edge_judge"), "cuda/edges.cu"),
    **{f"{kind}_{step}": "cuda/collision.cu" for kind in ("hits", "nearest") for step in STEPS},
}
"""Where kernels are that are not of the table."""


@cache
def library(folder: Path, source: str, dtype: str) -> ctypes.CDLL:
    """The kernels of one source and type, compiled."""
    to = folder / f"{Path(source).stem}_{dtype}.so"
    if not to.exists():
        new = to.with_suffix(f".{os.getpid()}")
        kind = ["-DBAXTERKIT_FLOAT32"] if dtype == "float32" else []
        command = [
            os.environ.get("CXX", "g++"),
            *FLAGS,
            *kind,
            str(SOURCES / source),
            "-o",
            str(new),
        ]
        subprocess.run(command, check=True, capture_output=True)
        new.replace(to)
    return ctypes.CDLL(str(to))


class EmulatedDriver(Driver):
    """A driver of `count` such GPUs; what is allocated, and what is launched on which stream."""

    def __init__(self, folder: Path, count: int = 2) -> None:
        self.folder, self.count, self.version = folder, count, 12000
        self.allocated: dict[int, object] = {}
        self.launched: list[tuple[str, int]] = []
        self.followed: list[tuple[int, int]] = []
        self.free_bytes = 1 << 40
        self._names: dict[int, str] = {}

    def devices(self) -> int:
        return self.count

    def name(self, device: int) -> str:
        return f"emulated {device}"

    def capability(self, device: int) -> tuple[int, int]:
        return 8, 0

    def context(self, device: int) -> ctypes.c_void_p:
        return ctypes.c_void_p(device + 1)

    def push(self, context: ctypes.c_void_p) -> None:
        pass

    def pop(self) -> None:
        pass

    def load(self, name: str, device: int) -> Function:
        kernel, _, dtype = name.partition(".")
        source = SOURCE_OF.get(kernel, "cuda/kernels.cu")
        function = getattr(library(self.folder, source, dtype), f"emulate_{kernel}")
        handle = ctypes.cast(function, ctypes.c_void_p)
        self._names[handle.value or 0] = name
        return Function(handle, THREADS, BLOCKS)

    def launch(
        self, function: Function, blocks: int, stream: int, arguments: Sequence[ctypes.Structure]
    ) -> None:
        self.launched.append((self._names[function.handle.value or 0], stream))
        entry = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arguments))(
            function.handle.value or 0
        )
        entry(*(ctypes.addressof(item) for item in arguments))

    def allocate(self, size: int, stream: int) -> int:
        if size > self.free_bytes:
            from baxterkit.errors import DeviceError

            raise DeviceError(self._explain("cuMemAllocAsync", 2), 2)
        memory = ctypes.create_string_buffer(size + 64)
        address = -(-ctypes.addressof(memory) // 64) * 64
        self.allocated[address] = memory
        return address

    def free(self, pointer: int, stream: int) -> None:
        del self.allocated[pointer]

    def clear(self, pointer: int, size: int, stream: int) -> None:
        ctypes.memset(pointer, 0, size)

    def to_device(self, pointer: int, host: int, size: int, stream: int) -> None:
        ctypes.memmove(pointer, host, size)

    def copy_rows(
        self, to: int, source: int, width: int, pitch: int, rows: int, stream: int
    ) -> None:
        for row in range(rows):
            ctypes.memmove(to + row * width, source + row * pitch, width)

    def to_host(self, host: int, pointer: int, size: int, stream: int) -> None:
        ctypes.memmove(host, pointer, size)

    def stream(self) -> int:
        return 7001

    def synchronize(self, stream: int) -> None:
        pass

    def follow(self, stream: int, other: int) -> None:
        self.followed.append((stream, other))

    def device_of(self, pointer: int) -> int:
        return 0
