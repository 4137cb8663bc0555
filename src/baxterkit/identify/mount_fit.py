"""`MountFit`: a fitted mount, its errors and its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from baxterkit.arm import Arm
from baxterkit.identify.refusal import check_doubts
from baxterkit.model.model import Tool
from baxterkit.spatial.formulas import rotation_angle
from baxterkit.types import Array, Transform, Vector3


@dataclass(frozen=True, eq=False, repr=False)
class MountFit:
    """Result of `identify.mount`.

    Attributes:
        arm: The arm with the fitted mount and the tool.
        tool_is_fitted: Whether the tool was fitted; else it is a named or given one.
        position_error: Distance between model and recording, row by row [m], shape (n,).
        orientation_error: Angle between them [rad], shape (n,); None if no orientation was
            recorded.
        nominal_position_error: The same with the nominal mount and the same tool [m], shape (n,).
        nominal_orientation_error: The same [rad], or None.
        position_std: Standard errors of the mount's position, base axes [m], shape (3,).
        rotation_std: Standard errors of its rotation about base axes [rad], shape (3,).
        tool_std: Standard errors of the tip in the hand [m], shape (3,), if it was fitted.
        elsewhere: Standard error of the tip's position to be expected at configurations that
            were not recorded, all over the workspace [m].
        condition: Condition number of the fit: large where configurations are too much alike.
        configurations: Number of configurations that differ from each other by 0.1 rad or more.
        outliers: Whether a row is an outlier, which was given little weight, shape (n,).
        tools: Tool -> root mean square position error with it [m], of all that were tried.
        sources: Names of the recordings.
        advice: Weaknesses of the data, and remedies; empty if there are none.
        doubts: Those of the advice which say that the poses are not those of this arm's tip; such a
            fit is not saved.
    """

    arm: Arm
    tool_is_fitted: bool
    position_error: Array
    orientation_error: Array | None
    nominal_position_error: Array
    nominal_orientation_error: Array | None
    position_std: Vector3
    rotation_std: Vector3
    tool_std: Vector3 | None
    elsewhere: float
    condition: float
    configurations: int
    outliers: NDArray[np.bool_]
    tools: Mapping[str, float]
    sources: tuple[str, ...]
    advice: tuple[str, ...]
    doubts: tuple[str, ...] = ()

    @property
    def T_base_s0(self) -> Transform:
        """The mount, shape (4, 4)."""
        return self.arm.model.T_base_s0

    @property
    def tool(self) -> Tool:
        """The tool."""
        return self.arm.tool

    @property
    def offset(self) -> tuple[float, float]:
        """Deviation of the mount from the nominal one: distance [m] and angle [rad]."""
        return mount_offset(self.arm, self.arm.side)

    @property
    def is_reliable(self) -> bool:
        """Whether the data has no known weakness."""
        return not self.advice

    def raise_if_failed(self) -> MountFit:
        """Returns itself if the mount fits the poses.

        Raises:
            ResultError: If there are doubts; names the misfit and its likely causes.
        """
        check_doubts(self, self.doubts)
        return self

    def save(self, path: str | Path, date: str | None = None, *, accept: bool = False) -> Path:
        """Writes the arm to a robot file (robot.toml) that `Arm.from_file` reads.

        If the file holds the other arm, that one stays.

        Args:
            path: The file.
            date: When the robot was recorded, for the file; left out if None.
            accept: Whether to write it in spite of `doubts`.

        Returns:
            The path.

        Raises:
            ResultError: If there are doubts that are not accepted; nothing is written then.
        """
        if not accept:
            check_doubts(self, self.doubts, path)
        return self.arm.to_file(path, {"mount": self.provenance(date)})

    def provenance(self, date: str | None = None) -> dict[str, object]:
        """Provenance of the mount, for a robot file, with the date of the recordings if given."""
        facts: dict[str, object] = {} if date is None else {"date": date}
        facts |= {
            "sources": [Path(source).name for source in self.sources],
            "rows": len(self.position_error),
            "configurations": self.configurations,
            "position_error_mean": float(self.position_error.mean()),
            "expected_elsewhere": self.elsewhere,
        }
        if self.orientation_error is not None:
            facts["orientation_error_mean"] = float(self.orientation_error.mean())
        if self.advice:
            facts["advice"] = list(self.advice)
        return facts

    def __repr__(self) -> str:
        tool = "fitted" if self.tool_is_fitted else self.tool.name
        weak = "" if self.is_reliable else ", weak data"
        return (
            f"<MountFit: {self.arm.side} arm, tool {tool}, {len(self.position_error):,} rows, "
            f"mean error {_length(self.position_error.mean())}{weak}>"
        )

    def __str__(self) -> str:
        distance, angle = self.offset
        x, y, z = 1e3 * self.T_base_s0[:3, 3]
        tool = "fitted" if self.tool_is_fitted else self.tool.name
        lines = [
            f"{self.arm.side} arm, tool {tool}: {len(self.position_error):,} rows, "
            f"{self.configurations} configuration{'' if self.configurations == 1 else 's'}",
            f"  mount at {x:.3f} {y:.3f} {z:.3f} mm, ± {_triple(1e3 * self.position_std)} mm; "
            f"rotation ± {_triple(1e3 * self.rotation_std)} mrad",
            f"  {1e3 * distance:.1f} mm and {np.degrees(angle):.2f}° from the nominal mount",
            f"  position error mean {_length(self.position_error.mean())}, "
            f"max {_length(self.position_error.max())} "
            f"(nominal mount: {_length(self.nominal_position_error.mean())})",
        ]
        if self.orientation_error is not None:
            mean, worst = self.orientation_error.mean(), self.orientation_error.max()
            lines.append(f"  orientation error mean {1e3 * mean:.3g}, max {1e3 * worst:.3g} mrad")
        lines.append(f"  expected at other configurations: {_length(self.elsewhere)}")
        lines += [f"  note: {text}" for text in self.advice]
        return "\n".join(lines)


def mount_offset(arm: Arm, side: str) -> tuple[float, float]:
    """Deviation of an arm's mount from the nominal one of a side: distance [m] and angle [rad]."""
    T, nominal = arm.model.T_base_s0, Arm(side).model.T_base_s0
    moved = float(np.linalg.norm(T[:3, 3] - nominal[:3, 3]))
    return moved, float(rotation_angle(nominal[:3, :3].T @ T[:3, :3]))


def _length(metres: float) -> str:
    return f"{1e3 * metres:.3g} mm"


def _triple(values: Vector3) -> str:
    return " ".join(f"{value:.2g}" for value in values)
