"""`RobotFit`: an arm identified from all its recordings, the fits behind it, and its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from baxterkit.arm import Arm
from baxterkit.identify.dynamics_fit import DynamicsFit
from baxterkit.identify.mount_fit import MountFit
from baxterkit.identify.refusal import check_doubts
from baxterkit.identify.scores import Scores
from baxterkit.recording import Recording


@dataclass(frozen=True, eq=False)
class RobotFit:
    """Result of `identify.robot`.

    Attributes:
        arm: The identified arm.
        mount: The fit of the mount; None if no recording holds tip poses.
        dynamics: The fit of the dynamics; None if no recording holds torques.
        held_out: Scores of recordings that were left out of the fit, as `identify.cross_validate`
            gives them; empty if there are fewer than three (copies count as one), or `check` was
            False.
        recordings: The recordings behind the fit.
    """

    arm: Arm
    mount: MountFit | None
    dynamics: DynamicsFit | None
    held_out: Mapping[str, Scores]
    recordings: tuple[Recording, ...]

    @property
    def scores(self) -> dict[str, Scores]:
        """Scores by their names in reports; empty without torques."""
        if self.dynamics is None:
            return {}
        scores = self.dynamics.scores
        shown = {
            "nominal": scores["before"],
            "free": scores["free"],
            "identified": scores["consistent"],
            "without memory": scores["memoryless"],
        }
        if self.held_out:
            shown["left out"] = self.held_out["memory"]
            shown["left out, without memory"] = self.held_out["memoryless"]
        return shown

    @property
    def advice(self) -> tuple[str, ...]:
        """Weaknesses of the data of every part, and remedies; empty if there are none."""
        texts = (text for fit in (self.mount, self.dynamics) if fit for text in fit.advice)
        return tuple(dict.fromkeys(texts))

    @property
    def doubts(self) -> tuple[str, ...]:
        """The doubts of `mount` and `dynamics`, with which a fit is not saved."""
        return tuple(text for fit in (self.mount, self.dynamics) if fit for text in fit.doubts)

    def raise_if_failed(self) -> RobotFit:
        """Returns itself if its models explain the data.

        Raises:
            ResultError: If there are doubts; names the misfit, or the joints and their R².
        """
        check_doubts(self, self.doubts)
        return self

    def provenance(self, date: str | None = None) -> dict[str, object]:
        """Provenance of the numbers, for a robot file.

        Args:
            date: When the robot was recorded; left out if None.
        """
        facts: dict[str, object] = {}
        if self.mount is not None:
            facts["mount"] = self.mount.provenance(date)
        if self.dynamics is not None:
            facts["dynamics"] = self.dynamics.provenance(date)
        if self.held_out:
            facts["held_out"] = {name: scores.as_dict() for name, scores in self.held_out.items()}
        return facts

    def save(self, path: str | Path, date: str | None = None, *, accept: bool = False) -> Path:
        """Writes mount, dynamics and scores to a robot file, as `DynamicsFit.save` does.

        Returns:
            The path.

        Raises:
            ResultError: If there are doubts that are not accepted; nothing is written then.
        """
        if not accept:
            check_doubts(self, self.doubts, path)
        return self.arm.to_file(path, self.provenance(date))

    def report(self, path: str | Path) -> None:
        """Writes a report of the fits with plots, one HTML file (extra `[plot]`)."""
        from baxterkit.identify.report import write_report

        write_report(self, path)

    def __str__(self) -> str:
        return "\n".join(str(fit) for fit in (self.mount, self.dynamics) if fit is not None)
