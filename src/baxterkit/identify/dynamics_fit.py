"""`DynamicsFit`: an identified arm, its prediction errors and its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.dynamics.joint_effects import JointEffects
from baxterkit.identify.excitation import Excitation
from baxterkit.identify.refusal import check_doubts
from baxterkit.identify.scores import Scores, score
from baxterkit.model.names import JOINTS
from baxterkit.types import Array, JointVector, Vector3

if TYPE_CHECKING:
    from baxterkit.recording import Recording

NORMAL_95 = 1.96
"""Half the width of a 95 % interval, in standard deviations."""


@dataclass(frozen=True, eq=False)
class Load:
    """Load of the last link beyond the model that was given.

    Attributes:
        mass: Mass [kg]; negative if the model given carries more than the robot.
        mass_std: Its standard error [kg].
        moment: Mass times centre of mass in the tip frame [kg m], shape (3,).
    """

    mass: float
    mass_std: float
    moment: Vector3

    @property
    def com(self) -> Vector3:
        """Centre of mass in the tip frame [m], shape (3,); of use if the mass is not near zero."""
        return self.moment / self.mass if self.mass else np.zeros(3)


@dataclass(frozen=True, eq=False)
class DynamicsFit:
    """Result of `identify.dynamics`.

    Attributes:
        arm: The arm with consistent link inertias, gravity as its mount feels it, and effects. The
            mass of tool and payload is part of its last link.
        scores: On the rows that were fitted, by model: "before" (the arm that was given), "free"
            (any base parameters), "consistent" (`arm`, with friction's memory), "memoryless"
            (`arm.inverse_dynamics`).
        beta: The 45 base parameters of the free fit [kg m²], shape (45,).
        beta_std: Their standard errors, shape (45,).
        effects_std: Standard errors of the joints' parameters: name -> shape (7,).
        tilt: Angle [rad] between the gravity that torques show and that of the arm given.
        load: Load of the last link beyond the model that was given.
        noise: Standard deviation of the residuals [N m], shape (7,).
        rejected: Share of the rows that were given little weight (contact, faults), shape (7,).
        excitation: Condition number, share of the data in each parameter, and advice.
        delays: Lag of the recorded velocities, found and undone [s], one for each recording.
        sources: Names of the recordings.
        hz: Cut-off of the filter [Hz].
    """

    arm: Arm
    scores: Mapping[str, Scores]
    beta: Array
    beta_std: Array
    effects_std: Mapping[str, JointVector]
    tilt: float
    load: Load
    noise: JointVector
    rejected: JointVector
    excitation: Excitation
    delays: tuple[float, ...]
    sources: tuple[str, ...]
    hz: float

    @property
    def effects(self) -> JointEffects:
        """The joint effects of the arm."""
        assert self.arm.effects is not None
        return self.arm.effects

    @property
    def condition(self) -> float:
        """Condition number of the motion's regressor."""
        return self.excitation.condition

    @property
    def advice(self) -> tuple[str, ...]:
        """Weaknesses of the data, and remedies; empty if there are none."""
        return self.excitation.advice

    @property
    def doubts(self) -> tuple[str, ...]:
        """Signs of wrong joints, signs, units or sensors, or of rest; such a fit is not saved."""
        return self.excitation.doubts

    def raise_if_failed(self) -> DynamicsFit:
        """Returns itself if the model explains the data.

        Raises:
            ResultError: If there are doubts; names the joints and their R².
        """
        check_doubts(self, self.doubts)
        return self

    def interval(self, name: str) -> tuple[JointVector, JointVector]:
        """95 % interval of a parameter of the joints.

        Args:
            name: "coulomb", "viscous", "bias", "spring_sin", "spring_cos", "hysteresis" or
                "hysteresis_slope"; friction's are those of the model with memory.

        Returns:
            Lower and upper ends, shape (7,) each.
        """
        friction = self.effects.hysteresis
        values = {
            "bias": self.effects.bias,
            "spring_sin": self.effects.spring_sin[:, 0],
            "spring_cos": self.effects.spring_cos[:, 0],
            "coulomb": self.effects.coulomb if friction is None else friction.coulomb,
            "viscous": self.effects.viscous if friction is None else friction.viscous,
            "hysteresis": np.zeros(7) if friction is None else friction.torque,
            "hysteresis_slope": np.zeros(7) if friction is None else friction.slope,
        }
        half = NORMAL_95 * self.effects_std[name]
        return values[name] - half, values[name] + half

    def score(self, recordings: Recording | Sequence[Recording], *, memory: bool = True) -> Scores:
        """Prediction errors of the arm on other recordings; see `identify.score`."""
        return score(self.arm, recordings, hz=self.hz, memory=memory)

    def save(self, path: str | Path, date: str | None = None, *, accept: bool = False) -> Path:
        """Writes the arm to a robot file (robot.toml) that `Arm.from_file` reads.

        If the file holds the other arm, that one stays.

        Args:
            path: The file.
            date: When the robot was recorded, for the file; none if None.
            accept: Whether to write it in spite of `doubts`.

        Returns:
            The path.

        Raises:
            ResultError: If there are doubts that are not accepted; nothing is written then.
        """
        if not accept:
            check_doubts(self, self.doubts, path)
        return self.arm.to_file(path, {"dynamics": self.provenance(date)})

    def provenance(self, date: str | None = None) -> dict[str, object]:
        """Provenance of the numbers, for a robot file."""
        facts: dict[str, object] = {} if date is None else {"date": date}
        facts |= {
            "sources": [Path(source).name for source in self.sources],
            "filter_hz": self.hz,
            "condition": self.condition,
            "rejected": self.rejected,
            "scores": {name: scores.as_dict() for name, scores in self.scores.items()},
        }
        if self.advice:
            facts["advice"] = list(self.advice)
        return facts

    def __str__(self) -> str:
        rows = next(iter(self.scores.values())).rows
        head = "".join(f"{name:>8}" for name in JOINTS)
        lines = [
            f"{self.arm.side} arm: {rows:,} rows of {len(self.sources)} recordings, "
            f"{self.excitation.minutes:.1f} min, filtered at {self.hz:g} Hz",
            f"  {'':14}{head}",
        ]
        for name, scores in self.scores.items():
            lines.append(f"  R²  {name:<10}" + "".join(f"{x:8.3f}" for x in scores.r2))
        for name, scores in self.scores.items():
            lines.append(f"  MAE {name:<10}" + "".join(f"{x:8.3f}" for x in scores.mae))
        lines.append(
            f"  mount tilted by {np.degrees(self.tilt):.2f}°, load "
            f"{self.load.mass:+.2f} ± {NORMAL_95 * self.load.mass_std:.2f} kg, "
            f"condition number {self.condition:.3g}"
        )
        lines += [f"  note: {text}" for text in self.advice]
        return "\n".join(lines)
