"""The expert solves every task: with each kind of action, on both arms, in varied robots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from baxterkit import learn
from baxterkit.learn.actions import KINDS

EPISODES = 300


def successes(name: str, n: int, seed: int, **options: Any) -> float:
    """Share of n episodes at whose end the goal is reached."""
    env = learn.BaxterVectorEnv(name, n, **options)
    env.reset(seed=seed)
    expert = learn.Expert(env.robots)
    expert.begin(range(n))
    info: dict[str, Any] = {}
    for _ in range(env.robots.steps):
        info = env.step(expert.act())[-1]
    return float(np.mean(info["is_success"]))


@pytest.mark.parametrize("kind", KINDS)
def test_reach_is_solved_with_each_kind_of_action(kind: str) -> None:
    assert successes("reach", 3, 7, action=kind) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "side"), [("push", "right"), ("pick-and-place", "left"), ("lift-tray", "left")]
)
def test_a_task_is_solved(name: str, side: str) -> None:
    assert successes(name, 1, 3, side=side) == 1.0


@pytest.mark.acceptance
@pytest.mark.parametrize("randomise", [None, learn.Randomisation()], ids=["nominal", "varied"])
@pytest.mark.parametrize("name", list(learn.IDS))
def test_99_of_100_episodes_are_solved(name: str, randomise: learn.Randomisation | None) -> None:
    share = successes(name, EPISODES, 1000, randomise=randomise)
    print(f"\n{name}: {100.0 * share:.1f} % of {EPISODES} episodes")
    assert share >= 0.99
