"""What became of a motion: of each arm a recording beside its reference, and whether it arrived."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from baxterkit.arm import Arm
from baxterkit.control.tracking import Fault, Tracked
from baxterkit.display import html_table
from baxterkit.errors import ResultError, UnknownNameError
from baxterkit.model.names import JOINTS
from baxterkit.recording.recording import Recording
from baxterkit.spatial.formulas import matrix_to_quaternion
from baxterkit.types import Array, JointVector, Quaternion, Vector3

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from baxterkit.recording.signals import Map


class Tip(TypedDict):
    """Where a tip is, as columns of a recording."""

    position: Vector3
    quaternion: Quaternion


def tips(arm: Arm, q: Array) -> list[Tip]:
    """Position and orientation of the tip, as the robot computes them, for arrays of rows of q."""
    T = arm.fk(q)
    rows = zip(T[..., :3, 3], matrix_to_quaternion(T[..., :3, :3]), strict=True)
    return [{"position": position, "quaternion": quaternion} for position, quaternion in rows]


ARRIVED = 0.02
"""An arm has arrived when every joint is this near [rad]."""


@dataclass(frozen=True, eq=False, repr=False)
class Followed(Tracked, Recording):
    """A motion that one arm has followed: sensor readings, with the reference in the same rows.

    It is a `Recording` of the sensed values, with the tip's pose by them; so is the reference.
    Slices and filtered copies of it are plain recordings.

    Attributes:
        reference: Wanted positions, velocities and accelerations in those rows.
        exact: What the simulation knows of itself; None of a robot. See `truth`.
        command: The command in force: torques [N m], positions [rad] or velocities [rad/s], shape
            (n, 7), the last one that was sent before that row; NaN where there is none, or the last
            one was refused or has timed out.
        held: Whether the robot held the arm by itself in that row, shape (n,): it had no valid
            command. Over ROS, by the time since the last command was sent.
        delay: By how much longer it took than planned, since the robot was heard late [s].
        faults: What went wrong, the first of each kind; empty after a success (`succeeded`).
    """

    reference: Recording = None  # type: ignore[assignment]
    exact: Recording | None = None
    command: Array = None  # type: ignore[assignment]
    held: NDArray[np.bool_] = None  # type: ignore[assignment]
    delay: float = 0.0
    faults: tuple[Fault, ...] = ()

    @property
    def truth(self) -> Recording:
        """Exact positions, velocities and torques, and the tip's true pose.

        Raises:
            ResultError: If a robot has followed the motion; its sensors are all that is known.
        """
        if self.exact is None:
            raise ResultError(
                "no truth is known of a robot; its sensors' readings are q and tau", self
            )
        return self.exact

    @property
    def error(self) -> Array:
        """Reference less positions, the true ones where they are known [rad], shape (n, 7)."""
        return self.reference.q - (self.q if self.exact is None else self.exact.q)

    def __repr__(self) -> str:
        text = Recording.__repr__(self)
        if self.succeeded:
            return text
        return f"{text[:-1]}, not a success: {'; '.join(map(str, self.faults))}>"

    def _mapped(self, function: Map, t: Array | None = None) -> Recording:
        names = [field.name for field in dataclasses.fields(Recording)]
        return Recording(**{name: getattr(self, name) for name in names})._mapped(function, t)


@dataclass(frozen=True, eq=False, repr=False)
class MotionResult(Mapping[str, Followed]):
    """The result of a motion, by side: `result["left"]` is what the left arm did.

    It is true where every arm has arrived and nothing went wrong.

    Attributes:
        arms: What each arm did, by side.
        off: How far each arm was from the end of its motion, once that was over [rad], (7,) each.
        tolerance: Largest error of a joint at which an arm has arrived [rad].
    """

    arms: Mapping[str, Followed]
    off: Mapping[str, JointVector]
    tolerance: float = ARRIVED

    @property
    def arrived(self) -> bool:
        """Whether every arm is at the end of its motion."""
        return all(np.abs(off).max() <= self.tolerance for off in self.off.values())

    @property
    def succeeded(self) -> bool:
        """Whether every arm arrived, every command was taken, and torques were not saturated."""
        return self.arrived and all(arm.succeeded for arm in self.arms.values())

    @property
    def reason(self) -> str:
        """Why it is not a success; empty if it is one."""
        words = [f"{side} arm, {fault}" for side, arm in self.items() for fault in arm.faults]
        for side, off in self.off.items():
            j = int(np.argmax(np.abs(off)))
            if not abs(off[j]) <= self.tolerance:
                words.append(
                    f"{side}_{JOINTS[j]} is {abs(off[j]):.3f} rad from the end of the motion; "
                    f"{self.tolerance:g} are allowed"
                )
        return "; ".join(words)

    @property
    def largest(self) -> float:
        """Largest tracking error of any joint at any time [rad]."""
        return max(float(np.abs(arm.error).max(initial=0.0)) for arm in self.arms.values())

    def rms(self, since: float = 0.0) -> float:
        """Root mean square of the tracking error over arms, joints and times [rad]."""
        return float(np.sqrt(np.mean([arm.rms(since) ** 2 for arm in self.arms.values()])))

    def raise_if_failed(self) -> MotionResult:
        """Returns itself if it is a success.

        Raises:
            ResultError: With the reason; its `result` is this one.
        """
        if not self:
            raise ResultError(self.reason, self)
        return self

    def __getitem__(self, side: str) -> Followed:
        if side not in self.arms:
            raise UnknownNameError("arm that moved", side, tuple(self.arms))
        return self.arms[side]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arms)

    def __len__(self) -> int:
        return len(self.arms)

    def __bool__(self) -> bool:
        return self.succeeded

    def _repr_html_(self) -> str:
        """A table of the joints, for notebooks."""
        rows = [
            (f"{side}_{joint}", 1e3 * rms, 1e3 * largest, 1e3 * abs(float(self.off[side][j])))
            for side, arm in self.items()
            for j, (joint, rms, largest) in enumerate(
                zip(
                    JOINTS,
                    np.sqrt(np.mean(arm.error**2, axis=0)).tolist(),
                    np.abs(arm.error).max(axis=0, initial=0.0).tolist(),
                    strict=True,
                )
            )
        ]
        head = ("joint", "error, RMS [mrad]", "largest [mrad]", "at the end [mrad]")
        return html_table(repr(self).strip("<>"), head, rows)

    def __repr__(self) -> str:
        word = "arrived" if self else f"not a success: {self.reason}"
        sides = " and ".join(self.arms)
        return f"<MotionResult: {sides}, error {1e3 * self.rms():.1f} mrad RMS, {word}>"
