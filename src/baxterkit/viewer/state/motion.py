"""Motions to play: joint positions over time, of one arm or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import disk
from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.errors import InputError
from baxterkit.model.names import SIDES, joint_names
from baxterkit.types import Array, JointVector, frozen

if TYPE_CHECKING:
    from baxterkit.recording import Recording
    from baxterkit.trajectory import Trajectory

RATE = 50.0
"""Samples per second that a trajectory is drawn from [Hz]."""
TRAJECTORY_FILES = (".npz", ".json")


@dataclass(frozen=True, eq=False)
class Motion:
    """Joint positions over time.

    Attributes:
        name: Its name.
        t: Times from 0 on [s], increasing, shape (n,).
        q: Joint positions [rad] by side, shape (n, 7) each.
        signals: What to plot over time, by a title with its unit, shape (n, 7) each; the positions
            are always among them.
    """

    name: str
    t: Array
    q: Mapping[str, JointVector]
    signals: Mapping[str, JointVector]

    def __init__(
        self,
        name: str,
        t: ArrayLike,
        q: Mapping[str, ArrayLike],
        signals: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        times = finite_array(t, "t")
        if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0.0).all():
            raise InputError(f"{name}: t must hold two or more increasing times")
        rows: dict[str, JointVector] = {}
        for side, given in q.items():
            names = joint_names(side) if side in SIDES else None
            rows[side] = frozen(joint_array(given, f"q[{side!r}]", names=names))
        for side, values in rows.items():
            if values.shape != (len(times), 7):
                raise InputError(
                    f"{name}: q[{side!r}] must have shape ({len(times)}, 7), got {values.shape}"
                )
            if side not in ("left", "right"):
                raise InputError(f"{name}: q is given by side, left or right, got {side!r}")
        shown = {_title(side, "position [rad]", rows): values for side, values in rows.items()}
        for title, signal in (signals or {}).items():
            shown[title] = frozen(np.asarray(signal, dtype=np.float64))
            if shown[title].shape != (len(times), 7):
                raise InputError(f"{name}: {title} must have shape ({len(times)}, 7)")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "t", frozen(times - times[0]))
        object.__setattr__(self, "q", rows)
        object.__setattr__(self, "signals", shown)

    @classmethod
    def from_recording(cls, recording: Recording, name: str = "", side: str = "left") -> Motion:
        """The motion of a recording.

        Args:
            recording: The recording.
            name: Its name; the recording's source if empty.
            side: The arm to show it on if the recording names none.
        """
        return cls(
            name or recording.source or "recording",
            recording.t,
            {recording.side or side: recording.q},
            _signals({recording.side or side: recording}),
        )

    @classmethod
    def from_trajectory(cls, trajectory: Trajectory, name: str, side: str = "left") -> Motion:
        """The motion of a trajectory; `side` is the arm to show it on if it does not say."""
        t = trajectory.at_rate(RATE)[0]
        parts = {arm: trajectory.of(arm).sample(t) for arm in trajectory.sides or (side,)}
        signals: dict[str, ArrayLike] = {}
        for arm, part in parts.items():
            signals[_title(arm, "velocity [rad/s]", parts)] = part.qd
            signals[_title(arm, "acceleration [rad/s²]", parts)] = part.qdd
        return cls(name, t, {arm: part.q for arm, part in parts.items()}, signals)

    @property
    def duration(self) -> float:
        """Duration of the motion [s]."""
        return float(self.t[-1])

    def at(self, t: float) -> dict[str, JointVector]:
        """Joint positions at a time [s], linear between the samples; by side, shape (7,)."""
        i = int(np.clip(np.searchsorted(self.t, t), 1, len(self.t) - 1))
        part = float(np.clip((t - self.t[i - 1]) / (self.t[i] - self.t[i - 1]), 0.0, 1.0))
        return {side: q[i - 1] + part * (q[i] - q[i - 1]) for side, q in self.q.items()}


def load_motion(path: str | Path, side: str = "left") -> Motion:
    """A motion from a file: a recording of one arm or both, or a saved trajectory.

    Args:
        path: Anything that `baxterkit.recording.load` or `Trajectory.load` reads.
        side: The arm to show it on if the file names none.

    Raises:
        BaxterkitError: If it is neither; says what is wrong with it.
    """
    path = disk.as_path(path)
    if path.suffix.lower() in TRAJECTORY_FILES:
        from baxterkit.trajectory import Trajectory

        return Motion.from_trajectory(Trajectory.load(path), path.name, side)
    from baxterkit.errors import RecordingError
    from baxterkit.recording import load

    try:
        return Motion.from_recording(load(path), path.name, side)
    except RecordingError as error:
        try:  # a file of both arms
            left, right = load(path, "left"), load(path, "right")
        except RecordingError:
            raise error from None
    both = {"left": left, "right": right}
    return Motion(path.name, left.t, {"left": left.q, "right": right.q}, _signals(both))


def _signals(recordings: Mapping[str, Recording]) -> dict[str, ArrayLike]:
    """Velocities and torques of recordings, by title, where they hold any."""
    return {
        _title(side, what, recordings): values
        for side, one in recordings.items()
        for what, values in (("velocity [rad/s]", one.qd), ("torque [N m]", one.tau))
        if values is not None
    }


def _title(side: str, what: str, sides: Mapping[str, object]) -> str:
    """The title of a signal; it names the side where there are two."""
    return what if len(sides) == 1 else f"{side} {what}"


class Player:
    """Plays one motion.

    Attributes:
        motion: The motion, or None.
        time: Present time in the motion [s].
        speed: Seconds of motion per second.
        loop: Whether to begin again at the end.
        playing: Whether time runs.
    """

    def __init__(self) -> None:
        self.motion: Motion | None = None
        self.time = 0.0
        self.speed = 1.0
        self.loop = False
        self.playing = False

    def start(self, motion: Motion) -> None:
        """Plays from the beginning."""
        self.motion, self.time, self.playing = motion, 0.0, True

    def stop(self) -> None:
        """Stops where it is."""
        self.playing = False

    def go_on(self) -> None:
        """Plays on from where it is, or from the beginning if it is at the end."""
        if self.motion is not None:
            if self.time >= self.motion.duration:
                self.time = 0.0
            self.playing = True

    def seek(self, time: float) -> dict[str, JointVector]:
        """Goes to a time [s], kept within the motion; gives joint positions by side.

        Whether it plays stays as it is. Without a motion there is nothing to go to.
        """
        if self.motion is None:
            return {}
        self.time = float(np.clip(finite_array(time, "time"), 0.0, self.motion.duration))
        return self.motion.at(self.time)

    def advance(self, dt: float) -> dict[str, JointVector]:
        """Lets time run for `dt` [s] and gives joint positions by side."""
        assert self.motion is not None
        self.time += self.speed * dt
        if self.time >= self.motion.duration:
            if self.loop:
                self.time %= self.motion.duration
            else:
                self.time, self.playing = self.motion.duration, False
        return self.motion.at(self.time)
