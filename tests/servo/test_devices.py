"""Keyboard and gamepad: what they say is what was done, and a device that is gone ends it."""

from __future__ import annotations

import os
import struct
import termios
from pathlib import Path

import numpy as np
import pytest
from recorded_devices import gamepad, keyboard, terminal

from baxterkit.errors import InputError
from baxterkit.servo import Device, Gamepad, Jogging, Keyboard, Nudge
from baxterkit.servo.devices import KEYS, LOST
from baxterkit.servo.jogging import LEASH
from baxterkit.sim import Twin

DT = 0.01


def played(device: Device, seconds: float = 8.0) -> list[Nudge]:
    found = []
    for k in range(round(seconds / DT)):
        try:
            found.append(device.read(DT * k))
        except StopIteration:
            return found
    raise AssertionError("it did not end")


def total(nudges: list[Nudge]) -> np.ndarray:
    return np.concatenate(
        [np.sum([n.shift for n in nudges], 0), np.sum([n.turn for n in nudges], 0)]
    )


def test_recorded_keys_are_steps() -> None:
    with keyboard() as device:
        nudges = played(device)
    assert total(nudges) == pytest.approx([0.06, 0.03, 0.04, 0.0, 0.0, 0.2])
    assert [n.opening for n in nudges if n.opening is not None] == [0.0, 1.0]
    assert sum(n.other for n in nudges) == 1


def test_a_recorded_gamepad_moves_while_its_shoulder_button_is_held(tmp_path: Path) -> None:
    with gamepad(tmp_path) as device:
        nudges = played(device)
    moved = np.array([[*n.shift, *n.turn] for n in nudges])
    assert not moved[: round(0.8 / DT)].any()  # the stick alone
    assert not moved[round(4.77 / DT) :].any()  # let go of while the stick is deflected
    assert [k * DT for k, n in enumerate(nudges) if n.stays] == pytest.approx([4.75], abs=0.02)
    x, y, z, roll, pitch, yaw = total(nudges)
    assert (0.06 < x < 0.12, 0.02 < y < 0.06, 0.05 < z < 0.11) == (True, True, True)
    assert 0.1 < pitch < 0.3
    assert max(abs(roll), abs(yaw)) < 1e-3
    assert np.abs(np.diff(moved, axis=0)).max() < 0.6 * DT  # no step
    assert [n.opening for n in nudges if n.opening is not None] == [0.0, 1.0]


def test_every_key_has_its_opposite() -> None:
    ways = {way: key for key, way in KEYS.items() if len(key) == 1}
    assert len(ways) == 12
    with terminal() as (typed, program), Keyboard(program) as device:
        for i in range(6):
            os.write(typed, ways[i, 1].encode())
            ahead = device.read(0.0)
            os.write(typed, ways[i, -1].encode())
            assert np.array_equal(total([ahead]), -total([device.read(0.0)]))
            assert np.flatnonzero(total([ahead])).tolist() == [i]
        os.write(typed, b"+w")
        assert device.read(0.0).shift[0] == 0.02
        os.write(typed, b"------w")
        assert device.read(0.0).shift[0] == 0.001
        os.write(typed, b"\x1b[")  # the rest of an arrow comes later
        assert not total([device.read(0.0)]).any()
        os.write(typed, b"A\x1b[15~\xff")
        assert device.read(0.0).shift[0] == 0.001


def test_the_terminal_is_given_back() -> None:
    with terminal() as (_, program):
        before = termios.tcgetattr(program)
        with Keyboard(program):
            assert termios.tcgetattr(program) != before
        assert termios.tcgetattr(program) == before


def test_a_device_that_is_gone_ends_it(tmp_path: Path) -> None:
    typed, program = os.openpty()
    device = Keyboard(program)
    os.close(typed)
    with pytest.raises(StopIteration):
        device.read(0.0)
    os.close(program)
    path = tmp_path / "js0"
    os.mkfifo(path)
    with Gamepad(path) as pad:
        os.close(os.open(path, os.O_WRONLY))
        with pytest.raises(StopIteration):
            pad.read(0.0)


def test_a_pad_that_falls_silent_with_its_stick_deflected_stops(tmp_path: Path) -> None:
    path = tmp_path / "js0"
    os.mkfifo(path)
    with Gamepad(path, speed=0.2) as pad:
        writer = os.open(path, os.O_WRONLY)
        os.write(writer, struct.pack("<IhBBIhBB", 0, 1, 1, 4, 0, -32767, 2, 1))
        nudges = [pad.read(DT * k) for k in range(200)]
        moving = [k * DT for k, n in enumerate(nudges) if n.shift.any()]
        assert moving[-1] == pytest.approx(LOST, abs=2 * DT)
        assert nudges[round(LOST / DT) + 1].stays
        middle = struct.pack("<IhBB", 0, 0, 2, 1)
        os.write(writer, middle[:5])  # it is back, with half of an event
        assert pad.read(2.0).shift[0] > 0.0
        os.write(writer, middle[5:])
        assert not pad.read(2.01).shift.any()
        os.close(writer)


def test_what_is_no_device_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"no gamepad at .*js7 \(No such file or directory\): plug"
    ):
        Gamepad(tmp_path / "js7")
    with pytest.raises(InputError, match="both must be above 0"):
        Gamepad("/dev/null", speed=0.0)
    with open("/dev/null") as none, pytest.raises(InputError, match="is no terminal"):
        Keyboard(none.fileno())
    with terminal() as (_, program), pytest.raises(InputError, match=r"step = 0\.3 m; it must be"):
        Keyboard(program, step=0.3)


class Said:
    """A device that says what it is told."""

    def __init__(self) -> None:
        self.now = Nudge()

    def read(self, t: float) -> Nudge:
        return self.now


def test_a_target_is_on_a_leash_also_where_the_hand_is_led_away() -> None:
    twin, device = Twin(), Said()
    source, tip = Jogging(device, twin), twin.left.tip
    device.now = Nudge(np.array([0.05, 0.0, 0.0]), np.array([0.0, 0.2, 0.0]))
    for _ in range(10):
        T = np.asarray(source(0.0)["left"].T)
    assert T[0, 3] - tip[0, 3] == pytest.approx(LEASH[0], abs=1e-3)
    device.now = Nudge()
    twin.place(left=twin.left.q + 0.4 * np.eye(7)[0])  # somebody leads it by the cuff
    led = np.asarray(source(0.1)["left"].T)
    assert np.linalg.norm(led[:3, 3] - twin.left.tip[:3, 3]) <= LEASH[0] + 1e-9
    device.now = Nudge(stays=True)
    assert np.abs(np.asarray(source(0.2)["left"].T) - twin.left.tip).max() < 1e-2


def test_hands_take_turns() -> None:
    twin, device, told = Twin(), Said(), list[str]()
    source = Jogging(device, twin, "both", told.append)
    start = {side: twin.limb(side).tip for side in ("left", "right")}
    moved = []
    for _ in range(3):
        device.now = Nudge(np.array([0.0, 0.0, 0.004]))
        goals = source(0.0)
        moved.append([side for side in start
                      if np.asarray(goals[side].T)[2, 3] > start[side][2, 3] + 0.003])  # fmt: skip
        start = {side: np.asarray(goals[side].T) for side in start}
        device.now = Nudge(other=True)
        source(0.0)
    assert moved == [["left"], ["right"], ["left", "right"]]
    assert told == ["right hand", "both hands", "left hand"]
