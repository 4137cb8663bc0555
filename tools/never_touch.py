"""Proves which pairs of links can never touch, and writes them to `collision/never.toml`.

The range of the joints between two links is cut into boxes. At the middle of a box the two links
are c apart; within it no point of theirs comes nearer to the other by more than the sum over the
joints of (half the side of the box) times (the farthest that a point of the moved link can be from
that joint's axis). Where c less that sum is above the clearance to be proven, the box is done; the
others are halved along the side that contributes most. Nothing is sampled: when no box is left, the
pair is proven. A pair whose proof takes too many boxes stays among those that may touch. The hands
wear the largest body, which contains those of all tools that were sold: what is proven holds for
each of them, and for a bare hand.

Usage: python tools/never_touch.py [--check]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from baxterkit import Arm, Baxter
from baxterkit.collision import LINKS, Checker, link_pairs
from baxterkit.collision.body import ARM_LINKS, STANDING, load_body
from baxterkit.collision.pairs import BEYOND, FILE, NeverPair, Without
from baxterkit.model import Tool
from baxterkit.model.tool import ANY_GRIPPER

MOST_BOXES = 3_000_000
HALF_STROKE = 0.0105
"""How far fingers slide from half open to either end [m]."""
LEAST = {"arm": 0.002, "mount": 0.02}
"""What is to be proven [m]: of links of one arm; of pairs that the mounts have a part in."""


HEADER = """\
# Pairs of links that can never touch, within the joint limits and 0.05 rad beyond them: proven by
# bounds over the whole range, not by sampling. `least` is the clearance that was proven [m],
# `boxes` how many boxes of joint space the proof took. A pair of the left arm stands for that of
# the right arm as well, and a pair of both arms for the mirrored one. The hands wear the largest
# body, "gripper" of tools.toml, which contains those of all tools.
#
# Written by tools/never_touch.py.
"""


@dataclass(frozen=True)
class Chain:
    """The joints between two links: numbers in (left, right, head), and how far each moves points.

    Attributes:
        joints: 0 to 6 of the left arm, 7 to 13 of the right one, 14 for the head's pan.
        reach: The farthest that a point of the moved link can be from each axis [m].
        slack: What openings of the hands take off the clearance [m].
    """

    joints: np.ndarray
    reach: np.ndarray
    slack: float


def largest() -> Baxter:
    """The robot whose hands wear the largest body."""
    tool = Tool(ANY_GRIPPER, np.eye(4))
    return Baxter(Arm("left", tool=tool), Arm("right", tool=tool))


def chain_of(robot: Baxter, first: str, second: str) -> Chain:
    """The joints between two links."""
    reaches = robot.scene(opening=0.5).checker.primitives.reaches
    joints, reach, slack = [], [], 0.0
    ends = []
    for link in (first, second):
        if link in STANDING:
            ends.append((link, -1))
        else:
            side, name = link.split("_")
            ends.append((side, ARM_LINKS.index(name)))
            slack += HALF_STROKE if name == "fingers" else 0.0
    same = ends[0][0] == ends[1][0]  # the joints between them
    for arm, (where, k) in enumerate(ends):
        if where == "head":
            corners = [
                np.hypot(*(np.abs(b.center[:2]) + np.linalg.norm(b.half))) + b.radius
                for b in load_body().boxes
                if b.part == "head"
            ]
            joints.append(14)
            reach.append(max(corners))
        elif k >= 0 and not (same and arm == 0):
            index = ("left", "right").index(where)
            start = ends[0][1] + 1 if same else 0
            for j in range(start, min(k, 6) + 1):
                joints.append(7 * index + j)
                reach.append(reaches[index, k, j])
    return Chain(np.array(joints, dtype=int), np.array(reach), slack)


def only(robot: Baxter, first: str, second: str) -> Checker:
    """A checker of one pair, hands half open."""
    pairs = ((pair.first, pair.second) for pair in link_pairs())
    off = tuple(pair for pair in pairs if set(pair) != {first, second})
    return every_pair(robot, 0.5, off)


def every_pair(robot: Baxter, opening: float = 1.0, without: Without = ()) -> Checker:
    """A checker that leaves no pair out because of a proof."""
    left, right = robot.left, robot.right
    kernels = (left._kernels, right._kernels)
    return Checker((left.model, right.model), robot.head, kernels, opening, without, proven=False)


def prove(robot: Baxter, first: str, second: str, least: float, most: int = MOST_BOXES) -> int:
    """How many boxes show that two links stay `least` apart; 0 if `most` do not, or they do not."""
    chain = chain_of(robot, first, second)
    limits = robot.left.limits
    low = np.concatenate([limits.lower, limits.lower, [robot.head.lower]])[chain.joints] - BEYOND
    high = np.concatenate([limits.upper, limits.upper, [robot.head.upper]])[chain.joints] + BEYOND
    checker = only(robot, first, second)
    centers, halves = 0.5 * (low + high)[None], 0.5 * (high - low)[None]
    done = 0
    while len(centers):
        done += len(centers)
        if done > most:
            return 0
        q = np.zeros((len(centers), 15))
        q[:, chain.joints] = centers
        gap = checker.clearance(q[:, :7], q[:, 7:14], q[:, 14]) - chain.slack
        if (gap < least).any():
            return 0  # here they come nearer
        moves = halves * chain.reach
        left = gap - moves.sum(axis=-1) < least
        centers, halves, moves = centers[left], halves[left], moves[left]
        side = np.argmax(moves, axis=-1)
        rows = np.arange(len(centers))
        halves[rows, side] *= 0.5
        step = np.zeros_like(centers)
        step[rows, side] = halves[rows, side]
        centers = np.concatenate([centers - step, centers + step])
        halves = np.concatenate([halves, halves])
    return done


def candidates(robot: Baxter) -> list[tuple[str, str]]:
    """Pairs that random configurations leave apart, one of two that mirror each other."""
    rng = np.random.default_rng(0)
    limits = robot.left.limits
    q = rng.uniform(np.tile(limits.lower, 2), np.tile(limits.upper, 2), (20_000, 14))
    pan = rng.uniform(robot.head.lower, robot.head.upper, len(q))
    pairs = [(p.first, p.second) for p in link_pairs() if p.no_neighbours]
    found = []
    for first, second in pairs:
        if first.startswith("right"):
            continue  # the mirrored pair of the left arm's
        mirrored = second.startswith("right") and LINKS.index(second) - 8 < LINKS.index(first)
        if mirrored:
            continue
        checker = only(robot, first, second)
        if checker.clearance(q[:, :7], q[:, 7:], pan).min() > 0.01:
            found.append((first, second))
    return found


def least_of(first: str, second: str) -> float:
    """The clearance to be proven [m]."""
    same = first.split("_")[0] == second.split("_")[0]
    return LEAST["arm" if same else "mount"]


def main() -> int:
    """Writes the file, or with --check proves what is in it again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="prove what the file holds")
    robot = largest()
    if parser.parse_args().check:
        from baxterkit.collision.pairs import never_pairs

        for pair in never_pairs():
            boxes = prove(robot, pair.first, pair.second, pair.least)
            print(f"{pair.first:14} {pair.second:14} {boxes} boxes")
            if not boxes:
                return 1
        return 0
    pairs = []
    for first, second in candidates(robot):
        least = least_of(first, second)
        boxes = prove(robot, first, second, least)
        print(f"{first:14} {second:14} {boxes or 'not proven'}", flush=True)
        if boxes:
            pairs.append(NeverPair(first, second, least, boxes))
    lines = HEADER.splitlines()
    for pair in pairs:
        lines += ["", "[[pair]]", f'first = "{pair.first}"', f'second = "{pair.second}"']
        lines += [f"least = {pair.least}", f"boxes = {pair.boxes}"]
    Path(FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
