"""How the effect of a misprint is measured, and put into words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from baxterkit.arm import Arm
from baxterkit.experiments.bounds import Bound, bound
from baxterkit.experiments.result import Row
from baxterkit.experiments.settings import Settings
from baxterkit.papers import Misprint, PaperArm
from baxterkit.papers.kumar import Kumar
from baxterkit.papers.smith import Smith
from baxterkit.types import Array, JointVector

WHOLE, QUICK = (10_000, 20), (1000, 3)
"""Joint positions in a sample, and starts of the optimiser."""


class Lab:
    """The arm, the samples and the optimiser of one run.

    Attributes:
        arm: The robot's arm with its hand.
        samples: Number of random joint positions in each sample.
        starts: Number of starts of each optimisation.
        seed: Seed of the samples.
    """

    def __init__(self, settings: Settings) -> None:
        self.arm = Arm("left")
        self.samples, self.starts = QUICK if settings.quick else WHOLE
        self.seed = settings.seed
        self.many = 20 * self.samples
        """Joint positions in a sample of the tip, which is cheap."""

    def notes(self) -> tuple[str, ...]:
        """What was sampled and optimised."""
        return (
            "Means are over joint positions drawn uniformly from the limits: "
            f"{self.many:,} for the tip, {self.samples:,} for M and torques, seed {self.seed}. "
            "Maxima are optimised by L-BFGS-B within the limits, started at the "
            f"{self.starts} largest samples that lie apart. Errors of M are Frobenius norms "
            "relative to M's; errors of torques are those of the worst joint.",
            "A misprint is measured with everything else corrected: "
            'baxterkit.papers.smith.corrected.misprinted("eq. 8"). "As printed" has them all.',
        )

    def states(self, count: int) -> JointVector:
        """Random joint positions within the limits, shape (count, 7)."""
        limits = self.arm.limits
        rng = np.random.default_rng(self.seed)
        return rng.uniform(limits.lower, limits.upper, (count, 7))

    def bound(
        self, effect: Callable[[Array], Array], samples: int | None = None, e0: float | None = None
    ) -> Bound:
        """The largest effect over the joint range; with e0 at a value, over the other joints."""
        lower, upper = self.arm.limits.lower.copy(), self.arm.limits.upper.copy()
        if e0 is not None:
            lower[2] = upper[2] = e0
        count = self.samples if samples is None else samples
        return bound(effect, lower, upper, seed=self.seed, samples=count, starts=self.starts)

    def tip(self, model: PaperArm, true: PaperArm) -> Bound:
        """Distance between the tips of two models [m]."""

        def effect(q: Array) -> Array:
            apart = model.fk(q)[:, :3, 3] - true.fk(q)[:, :3, 3]
            return np.asarray(np.linalg.norm(apart, axis=-1))

        return self.bound(effect, self.many)

    def inertia(self, model: Kumar | Smith) -> Bound:
        """Error of M, relative to M."""

        def effect(q: Array) -> Array:
            M = self.arm.inertia(q)
            off = np.linalg.norm(model.inertia(q) - M, axis=(-2, -1))
            return np.asarray(off / np.linalg.norm(M, axis=(-2, -1)))

        return self.bound(effect)

    def torque(self, torques: Callable[[Array], Array]) -> Bound:
        """Error of gravity torques [N m], the joint that is furthest off."""
        return self.bound(lambda q: torques(q) - self.arm.gravity(q))


def erratum(name: str, form: Misprint, effect: str, *, section: str) -> Row:
    """A row of the errata.

    Args:
        name: The place, such as "Kumar eq. 8".
        form: What is printed there, and what must stand there.
        effect: The effect in words and numbers; "none" where the form changes no number.
        section: The paper.
    """
    row = Row(name, form.printed, effect, "no number", section)
    verdict = row if effect.startswith("none") else replace(row, verdict="does not hold")
    return replace(verdict, details={"printed": form.printed, "true": form.true, "effect": effect})


def distance(found: Bound, what: str = "tip") -> str:
    """Words for a distance [m]."""
    if found.is_constant:
        return f"{what} off by {_mm(found.largest)} everywhere"
    if found.sampled - found.smallest < 1e-5:
        return f"{what} off by {_mm(found.largest)} at most, the same to 0.01 mm everywhere"
    return f"{what} off by {_mm(found.mean)} on average, {_mm(found.largest)} at most"


def share(found: Bound, what: str = "M") -> str:
    """Words for a relative error."""
    if found.largest < 1e-5:
        return f"{what} off by at most {found.largest:.0e}"
    return f"{what} off by {_percent(found.mean)} on average, {_percent(found.largest)} at most"


def newton_metres(found: Bound, what: str = "G") -> str:
    """Words for an error of torques [N m]."""
    digits = 1 if found.largest >= 1.0 else 4
    return (
        f"{what} off by {found.mean:.{digits}f} N m on average, {found.largest:.{digits}f} N m at "
        "most"
    )


def _mm(metres: float) -> str:
    mm = 1e3 * metres
    digits = 0 if mm >= 300.0 else 1 if mm >= 10.0 else 3 if mm >= 1.0 else 2
    return f"{mm:,.{digits}f} mm"


def _percent(part: float) -> str:
    return f"{100.0 * part:.{1 if part >= 0.01 else 2 if part > 1e-3 else 3}f} %"
