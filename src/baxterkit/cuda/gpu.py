"""A GPU: its context, its loaded kernels and a stream of our own on it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from baxterkit.cuda import driver as cuda_driver
from baxterkit.errors import DeviceError

if TYPE_CHECKING:
    from baxterkit.cuda.driver import Driver, Function


class Device:
    """One GPU; `device(0)` gives the first.

    Attributes:
        index: Its number.
        name: Its name, for example "NVIDIA H200".
        capability: Its compute capability, for example (9, 0).
    """

    def __init__(self, index: int, driver: Driver) -> None:
        self.index = index
        self.driver = driver
        self.name = driver.name(index)
        self.capability = driver.capability(index)
        self._context = driver.context(index)
        self._functions: dict[str, Function] = {}
        self._lock = Lock()

    def __repr__(self) -> str:
        major, minor = self.capability
        return f"Device({self.index}, {self.name!r}, compute capability {major}.{minor})"

    @contextmanager
    def active(self) -> Iterator[Driver]:
        """The driver, with this GPU's context current."""
        self.driver.push(self._context)
        try:
            yield self.driver
        finally:
            self.driver.pop()

    @cached_property
    def stream(self) -> int:
        """The stream of arrays that no other library made."""
        with self.active() as driver:
            return driver.stream()

    def function(self, name: str) -> Function:
        """A kernel, compiled by the driver at its first use.

        Args:
            name: Kernel and type, for example "fk.float64".

        Raises:
            MissingExtraError: If the kernels are not installed.
            DeviceError: If the driver refuses them.
        """
        with self._lock:
            if name not in self._functions:
                self._functions[name] = self.driver.load(name, self.index)
            return self._functions[name]

    def launch(
        self, name: str, rows: int, stream: int, arguments: Sequence[ctypes.Structure]
    ) -> None:
        """Puts a kernel on a stream, one thread for each row; this GPU must be active.

        Blocks are as many as run at a time; each takes rows until none is left.
        """
        function = self.function(name)
        blocks = min(-(-rows // function.threads), function.blocks)
        self.driver.launch(function, blocks, stream, arguments)


_devices: dict[int, Device] = {}
_lock = Lock()


def device(index: int = 0) -> Device:
    """The GPU of that number.

    Raises:
        DeviceError: If there is none, or no driver.
    """
    with _lock:
        if index not in _devices:
            driver = cuda_driver.load_driver()
            count = driver.devices()
            if not 0 <= index < count:
                raise DeviceError(f"there is no GPU {index}; this machine has {count}, from 0 on")
            _devices[index] = Device(index, driver)
        return _devices[index]


def available() -> bool:
    """Whether this machine has a GPU and a driver that can be used."""
    try:
        return cuda_driver.load_driver().devices() > 0
    except DeviceError:
        return False


def devices() -> list[Device]:
    """The GPUs of this machine.

    Raises:
        DeviceError: If there is no driver.
    """
    return [device(index) for index in range(cuda_driver.load_driver().devices())]
