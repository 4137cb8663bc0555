"""Devices in a person's hand: the keyboard of a terminal, and a gamepad.

A device says how far the target should move since it was last asked. It is read without waiting, so
it may be late, silent or unplugged: then nothing moves.
"""

from __future__ import annotations

import errno
import os
import select
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import numpy as np

from baxterkit.checks.numbers import scalar
from baxterkit.errors import InputError
from baxterkit.types import Array, frozen

STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
"""Steps of a key that + and - choose from [m]; ten times as much is turned [rad]."""
TURN = 10.0
KEYS = {
    "w": (0, 1), "s": (0, -1), "a": (1, 1), "d": (1, -1), "r": (2, 1), "f": (2, -1),
    "\x1b[A": (0, 1), "\x1b[B": (0, -1), "\x1b[D": (1, 1), "\x1b[C": (1, -1),
    "\x1b[5~": (2, 1), "\x1b[6~": (2, -1),
    "o": (3, 1), "u": (3, -1), "k": (4, 1), "i": (4, -1), "j": (5, 1), "l": (5, -1),
}  # fmt: skip
"""Key -> which of x, y, z and the turns about them it changes, and its sign."""
OPENS, CLOSES, STAYS, OTHER, ENDS = "e", "c", " ", "\t", "q"
KEY_HELP = (
    "w s forward, back   a d left, right   r f up, down   (or arrows, page up and down)\n"
    "o u roll   i k pitch   j l yaw   e c open, close the gripper   + - larger, smaller steps\n"
    "space stay   tab other hand   q end"
)
PAD_HELP = (
    "hold the left shoulder button; nothing moves without it\n"
    "left stick forward, back, left, right   right stick up, down, yaw\n"
    "with the right shoulder button too, the left stick turns: pitch, roll\n"
    "A close, B open the gripper   Y other hand   back (or select) end"
)
EVENT = struct.Struct("<IhBB")
"""An event of Linux's joystick interface: time [ms], value, kind, number."""
BUTTON, AXIS, AT_START = 0x01, 0x02, 0x80
FULL = 32767.0
DEAD = 0.15
"""A stick this near to its middle is in it."""
CLOSE_BUTTON, OPEN_BUTTON, OTHER_BUTTON = 0, 1, 3
HELD, TURNS, END_BUTTON = 4, 5, 6
"""Buttons in the order of an Xbox pad: A, B, Y, both shoulders, back."""
LONGEST = 0.05
"""Longest time for which a stick moves the target at once [s]: after a pause it does not jump."""
LOST = 1.0
"""A pad whose deflected stick tells nothing new for this time [s] counts as lost."""
MOST = 65536
"""Bytes that are read at once."""


@dataclass(frozen=True, eq=False)
class Nudge:
    """How a person moves the target.

    Attributes:
        shift: In base [m], shape (3,).
        turn: About the axes of base [rad], shape (3,).
        opening: Gripper opening from 0 (closed) to 1 (open); None: as it is.
        stays: Whether the target is put where the hand is.
        other: Whether the next hand is chosen.
    """

    shift: Array = field(default_factory=lambda: frozen(np.zeros(3)))
    turn: Array = field(default_factory=lambda: frozen(np.zeros(3)))
    opening: float | None = None
    stays: bool = False
    other: bool = False


class Device(Protocol):
    """What a person moves the target with."""

    def read(self, t: float) -> Nudge:
        """What was done since it was last asked, at a time [s]; returns at once.

        Raises:
            StopIteration: If the person has ended it, or the device is gone.
        """


class _Opened:
    """A file that is read without waiting."""

    _file: int

    def _bytes(self) -> bytes:
        """What has come.

        Raises:
            StopIteration: If nothing can come any more.
        """
        if not select.select([self._file], [], [], 0.0)[0]:
            return b""
        try:
            came = os.read(self._file, MOST)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno in (errno.EIO, errno.ENODEV):
                raise StopIteration from error
            raise
        if not came:
            raise StopIteration
        return came

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def close(self) -> None:
        """Gives the device back."""


class Keyboard(_Opened, Device):
    """The keyboard of a terminal: each key moves the target by a step; see `KEY_HELP`.

    Args:
        file: Descriptor of the terminal; the standard input if None.
        step: Length of a step [m], one of `STEPS`; ten times as much is turned [rad].

    Raises:
        InputError: If it is no terminal.
    """

    def __init__(self, file: int | None = None, step: float = 0.01) -> None:
        import termios
        import tty

        if scalar(step, "step") not in STEPS:
            raise InputError(f"step = {step:g} m; it must be one of {', '.join(map(str, STEPS))}")
        self._file, self.step = sys.stdin.fileno() if file is None else file, float(step)
        if not os.isatty(self._file):
            raise InputError("the standard input is no terminal, so no keys can be read from it")
        self._before = termios.tcgetattr(self._file)
        tty.setcbreak(self._file)
        self._rest = ""

    def close(self) -> None:
        """Gives the terminal back as it was; may be called twice."""
        import termios

        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    def read(self, t: float) -> Nudge:
        moved, opening, stays, other = np.zeros(6), None, False, False
        for key in self._keys():
            if key == ENDS:
                raise StopIteration
            if key in KEYS:
                i, sign = KEYS[key]
                moved[i] += sign * self.step * (TURN if i > 2 else 1.0)
            elif key in (OPENS, CLOSES):
                opening = 1.0 if key == OPENS else 0.0
            elif key in ("+", "=", "-"):
                at = STEPS.index(self.step) + (-1 if key == "-" else 1)
                self.step = STEPS[min(max(at, 0), len(STEPS) - 1)]
            stays, other = stays or key == STAYS, other != (key == OTHER)
        return Nudge(moved[:3], moved[3:], opening, stays, other)

    def _keys(self) -> list[str]:
        """Keys in their order; the beginning of a longer one waits for its end."""
        text = self._rest + self._bytes().decode("ascii", "replace")
        keys, i = [], 0
        while i < len(text):
            end = i + 1
            if text[i : i + 2] == "\x1b[":
                end = i + 2
                while end < len(text) and not "@" <= text[end] <= "~":
                    end += 1
                end += 1
                if end > len(text):
                    break
            keys.append(text[i:end].lower() if end == i + 1 else text[i:end])
            i = end
        self._rest = text[i:][-16:]
        return keys


class Gamepad(_Opened, Device):
    """A gamepad of Linux's joystick interface: its sticks give velocities; see `PAD_HELP`.

    Args:
        path: Its file.
        speed: Speed of the target where a stick is at its end [m/s].
        turn: The same of turns [rad/s].

    Raises:
        InputError: If there is none.
    """

    def __init__(
        self, path: str | Path = "/dev/input/js0", speed: float = 0.15, turn: float = 0.6
    ) -> None:
        self._tops = scalar(speed, "speed"), scalar(turn, "turn")
        if min(self._tops) <= 0.0:
            raise InputError(f"speed = {speed:g} m/s, turn = {turn:g} rad/s; both must be above 0")
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            raise InputError(
                f"no gamepad at {path} ({error.strerror}): plug one in, or name its file, as "
                "/dev/input/js1"
            ) from error
        self._axes, self._buttons = np.zeros(256), np.zeros(256, dtype=bool)
        self._rest, self._t, self._heard = b"", 0.0, 0.0
        self._led = False

    def close(self) -> None:
        """Closes its file; may be called twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def read(self, t: float) -> Nudge:
        pressed = self._take(t)
        if END_BUTTON in pressed:
            raise StopIteration
        dt, self._t = min(max(t - self._t, 0.0), LONGEST), t
        moved, before = np.zeros(6), self._led
        self._led = bool(self._buttons[HELD]) and t - self._heard <= LOST
        if self._led:
            side, ahead, yaw, up = -_stick(self._axes[[0, 1, 3, 4]])
            speed, turn = self._tops
            moved[2], moved[5] = speed * up, turn * yaw
            if self._buttons[TURNS]:
                moved[3], moved[4] = -turn * side, turn * ahead
            else:
                moved[0], moved[1] = speed * ahead, speed * side
        opening = 0.0 if CLOSE_BUTTON in pressed else 1.0 if OPEN_BUTTON in pressed else None
        moved *= dt
        stays = before and not self._led
        return Nudge(moved[:3], moved[3:], opening, stays, OTHER_BUTTON in pressed)

    def _take(self, t: float) -> set[int]:
        """Takes the events that have come; buttons that were pressed, those at the start not."""
        came = self._bytes()
        if came:
            self._heard = t
        data = self._rest + came
        whole = len(data) - len(data) % EVENT.size
        self._rest = data[whole:]
        pressed = set()
        for _, value, kind, number in EVENT.iter_unpack(data[:whole]):
            if kind & ~AT_START == AXIS:
                self._axes[number] = max(value / FULL, -1.0)
            elif kind & ~AT_START == BUTTON:
                self._buttons[number] = bool(value)
                if value and not kind & AT_START:
                    pressed.add(number)
        return pressed


def _stick(x: Array) -> Array:
    """Deflections beyond the dead part, from -1 to 1, finer near the middle."""
    beyond = np.maximum(np.abs(x) - DEAD, 0.0) / (1.0 - DEAD)
    return np.sign(x) * beyond**2
