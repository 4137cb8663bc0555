"""How a path is searched for: the settings of `plan` that its problem does not depend on."""

from __future__ import annotations

from dataclasses import dataclass

from baxterkit.checks.numbers import count, scalar
from baxterkit.errors import InputError

MOST_SEED = 2**64
SAMPLES = 1_000_000
"""Random configurations that are drawn at most, unless the time is up before."""
MOST_SAMPLES = 2**62
"""More samples than any time suffices for."""
LONGEST = 1e6
"""Longest time limit of a search [s]: 11 days."""


@dataclass(frozen=True)
class SearchSettings:
    """How `plan` searches.

    Attributes:
        seed: Random seed, a non-negative integer.
        timeout: Time limit of all of it [s]: of the search for goals and of that for a path. It is
            kept to some milliseconds.
        samples: Limit on the number of random configurations; 0: only the straight line is tried.
        method: The planner, of `METHODS`: "rrt_connect", which returns the first path;
            "rrt_connect_anytime", which uses all of the time for a shorter one;
            "rrt_pseudo_inverse", the one that Kumar et al. name; or one of OMPL (extra `[plan]`)
            by its class, such as "ompl:RRTstar".
        keep_tree: Whether `result.tree` holds the configurations that RRT-Connect went through;
            other planners leave it empty.

    Raises:
        InputError: If a number is not finite or out of its range.
    """

    seed: int = 0
    timeout: float = 1.0
    samples: int = SAMPLES
    method: str = "rrt_connect"
    keep_tree: bool = False

    def __post_init__(self) -> None:
        number, most = count(self.seed, "seed"), count(self.samples, "samples")
        if number >= MOST_SEED:
            raise InputError(f"seed = {number} must be below 2**64")
        seconds = scalar(self.timeout, "timeout")
        if not 0.0 < seconds <= LONGEST:
            raise InputError(f"timeout = {seconds:g} s must be positive, and {LONGEST:g} s at most")
        checked = {"seed": number, "samples": min(most, MOST_SAMPLES), "timeout": seconds}
        vars(self).update(checked)
