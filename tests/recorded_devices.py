"""Recorded keyboards and gamepads: their bytes come through a terminal or a pipe again."""

from __future__ import annotations

import os
import pty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from baxterkit.servo import Device, Gamepad, Keyboard, Nudge

FOLDER = Path(__file__).parent / "golden" / "devices"


def rows(name: str) -> list[tuple[float, bytes]]:
    """Times [s] and bytes of a recording."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if not line.startswith("#")]
    return [(float(t), bytes.fromhex(data)) for t, data in words]


class Played:
    """A device whose bytes come at their times."""

    def __init__(self, device: Device, write: Callable[[bytes], object], name: str) -> None:
        self._device, self._write, self._left = device, write, rows(name)

    def read(self, t: float) -> Nudge:
        while self._left and self._left[0][0] <= t:
            self._write(self._left.pop(0)[1])
        return self._device.read(t)


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal: the one that is typed at, and the program's."""
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


@contextmanager
def keyboard() -> Iterator[Played]:
    with terminal() as (typed, program), Keyboard(program) as device:
        yield Played(device, lambda data: os.write(typed, data), "keyboard")


@contextmanager
def gamepad(folder: Path) -> Iterator[Played]:
    path = folder / "js0"
    os.mkfifo(path)
    with Gamepad(path) as device:
        writer = os.open(path, os.O_WRONLY)
        yield Played(device, lambda data: os.write(writer, data), "gamepad")
        os.close(writer)
