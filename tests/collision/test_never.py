"""Pairs that can never touch: the proofs again, and what depends on them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import problems
import pytest

from baxterkit import Arm, Baxter, spatial
from baxterkit.collision import LINKS, link_pairs
from baxterkit.collision.pairs import never_pairs

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    path = ROOT / "tools" / "never_touch.py"
    spec = importlib.util.spec_from_file_location("never_touch", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("pair", never_pairs(), ids=lambda pair: f"{pair.first}-{pair.second}")
def test_every_pair_of_the_table_is_proven_again(tool: ModuleType, pair) -> None:  # type: ignore[no-untyped-def]
    assert tool.prove(tool.largest(), pair.first, pair.second, pair.least) > 0


def test_a_pair_that_can_touch_is_not_proven(tool: ModuleType) -> None:
    robot = Baxter()
    assert tool.prove(robot, "left_w0", "torso", 0.0) == 0
    assert tool.prove(robot, "left_s1", "left_w2", 0.0) == 0
    # Nor is one that stays apart, but not by as much as is asked for.
    assert tool.prove(robot, "left_s0", "head", 0.5) == 0


def test_random_configurations_are_as_far_apart_as_proven(tool: ModuleType) -> None:
    robot, rng = tool.largest(), problems.generator("never")
    limits = robot.left.limits
    q = rng.uniform(np.tile(limits.lower, 2), np.tile(limits.upper, 2), (20_000, 14))
    pan = rng.uniform(robot.head.lower, robot.head.upper, len(q))
    for pair in never_pairs():
        gap = tool.only(robot, pair.first, pair.second).clearance(q[:, :7], q[:, 7:], pan)
        assert gap.min() > pair.least


@pytest.mark.parametrize("name", ["hand", "vacuum", "electric_extended_wide"])
def test_verdicts_with_and_without_them_are_the_same(tool: ModuleType, name: str) -> None:
    robot = Baxter(Arm("left", name), Arm("right", name))
    rng, limits = problems.generator("with never"), robot.left.limits
    q = rng.uniform(np.tile(limits.lower, 2), np.tile(limits.upper, 2), (20_000, 14))
    everything = tool.every_pair(robot)
    proven = robot.scene().checker
    assert len(everything._pairs) - len(proven._pairs) == len(never_pairs())
    hits = proven.in_collision(q[:, :7], q[:, 7:])
    assert (everything.in_collision(q[:, :7], q[:, 7:]) == hits).all()


def test_every_pair_has_a_reason() -> None:
    reasons = {pair.reason.split(":")[0] for pair in link_pairs()}
    assert reasons == {
        "fixed to each other",
        "neighbours",
        "two joints apart",
        "never",
        "may touch",
    }
    never = [pair for pair in link_pairs() if pair.reason.startswith("never")]
    assert len(never) == len(never_pairs())
    for pair in never:
        assert not pair.checked
        assert pair.no_neighbours


def test_mounts_far_from_the_nominal_ones_bring_pairs_back() -> None:
    T = np.array(Arm("left").model.T_base_s0)
    near, far = T.copy(), T.copy()
    near[0, 3] += 0.01
    far[:3, :3] = T[:3, :3] @ spatial.so3_exp(np.array([0.0, 0.0, 0.1]))
    counts = [len(Baxter(left=Arm("left", mount=m)).scene().checker._pairs) for m in (T, near, far)]
    assert counts[0] == counts[1] < counts[2]
    arms = [pair for pair in never_pairs() if pair.first.split("_")[0] != pair.second.split("_")[0]]
    assert counts[2] - counts[0] == len(arms)
    assert {pair.second for pair in arms} <= set(LINKS)
