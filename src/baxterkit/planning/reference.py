"""RRT-Connect in readable NumPy: the same algorithm as the extension's, number for number.

Two trees grow, one from the start and one from the goals (Kuffner and LaValle 2000). The smaller
one takes a step towards a random posture, of one arm or of both; then the other one goes towards
the new node until it is there or blocked. While the trees grow, edges are only looked at in steps;
the edges of a path are swept when it is found, and what hangs on a refuted one is cut off. A tree
of which many steps in a row are blocked takes shorter ones, until one is free.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from baxterkit.collision.checker import Checker
from baxterkit.types import Array

__all__ = ["Random", "Tree", "connect", "distance"]

FOUND, SAMPLES, TIME = 0, 1, 2
WORD = (1 << 64) - 1
DEAD = -2


class Random:
    """Uniform numbers in [0, 1): xoshiro256** by Blackman and Vigna, seeded by splitmix64."""

    def __init__(self, seed: int) -> None:
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & WORD
            z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & WORD
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
            self.state.append(z ^ (z >> 31))

    def uniform(self) -> float:
        """The next number."""
        s = self.state
        result = (_turned((s[1] * 5) & WORD, 7) * 9) & WORD
        t = (s[1] << 17) & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = _turned(s[3], 45)
        return float(result >> 11) * 2.0**-53


class Tree:
    """Postures with their parents."""

    def __init__(self) -> None:
        self.q: list[Array] = []
        self.coarse = np.empty((0, 14), dtype=np.float32)
        self.parent: list[int] = []
        self.proven: list[bool] = []

    def add(self, q: Array, parent: int) -> int:
        """A new node's number."""
        n = len(self.q)
        if n == len(self.coarse):
            self.coarse = np.concatenate([self.coarse, np.full((n + 8, 14), 1e15, np.float32)])
        self.coarse[n] = q
        self.q.append(q)
        self.parent.append(parent)
        self.proven.append(parent < 0)
        return n

    def nearest(self, q: Array, first: int, last: int) -> int:
        """The node nearest to a posture by the joints first ... last - 1."""
        away = np.zeros(len(self.coarse), dtype=np.float32)
        for j in range(first, last):
            d = self.coarse[:, j] - np.float32(q[j])
            away += d * d
        return int(np.argmin(away))

    def branch(self, node: int) -> list[int]:
        """A node and those that it hangs on, up to the root."""
        nodes = [node]
        while self.parent[nodes[-1]] >= 0:
            nodes.append(self.parent[nodes[-1]])
        return nodes

    def edges(self) -> Array:
        """Parent and child of each edge, one below the other, shape (2 n, 14)."""
        ends = [(p, n) for n, p in enumerate(self.parent) if p >= 0]
        return np.array([self.q[end] for pair in ends for end in pair]).reshape(-1, 14)

    def cut(self, node: int) -> None:
        """Removes a node and what hangs on it."""
        gone = {node}
        gone.update(n for n in range(node, len(self.q)) if gone_with(self, n, gone))
        for n in gone:
            self.coarse[n] = 1e15
            self.parent[n] = DEAD


def gone_with(tree: Tree, node: int, gone: set[int]) -> bool:
    """Whether a node hangs on one that goes; if so it goes too."""
    if tree.parent[node] in gone:
        gone.add(node)
    return node in gone


def connect(checker: Checker) -> Callable[..., Any]:
    """A function with the arguments and the answer of the extension's `connect`."""

    def run(*arguments: Any) -> Any:
        return _Connect(checker, *arguments).run()

    return run


class _Connect:
    def __init__(
        self,
        checker: Checker,
        start: Array,
        goals: Array,
        limits: Array,
        moves: int,
        head: float,
        padding: float,
        range_: float,
        samples: int,
        seconds: float,
        seed: int,
        step: float,
        one_arm: float,
        patience: int,
        keep_trees: bool,
    ) -> None:
        self.checker, self.head, self.padding = checker, head, padding
        self.lower, self.upper = limits
        self.first, self.last = 0 if moves & 1 else 7, 14 if moves & 2 else 7
        self.one_arm = one_arm if moves == 3 else 0.0
        self.range, self.step, self.most = range_, step, samples
        self.ends = time.monotonic() + seconds
        self.random = Random(seed)
        self.trees = Tree(), Tree()
        self.trees[0].add(start, -1)
        for goal in goals:
            self.trees[1].add(goal, -1)
        self.patience, self.blocked = patience, [0, 0]
        self.keep_trees = keep_trees
        self.samples = self.verdicts = self.proofs = self.refuted = 0

    def run(self) -> tuple[int, int, Array, int, int, int, int, int, int, Array, Array]:
        end, goal, points = self.straight() or self.grow()
        counts = (self.samples, self.verdicts, self.proofs, self.refuted)
        here, there = self.trees
        edges = [tree.edges() if self.keep_trees else np.empty((0, 14)) for tree in self.trees]
        return end, goal, points, *counts, len(here.q), len(there.q), edges[0], edges[1]

    def straight(self) -> tuple[int, int, Array] | None:
        """The straight line, to the nearest goal first."""
        start, goals = self.trees[0].q[0], self.trees[1].q
        for length, g in sorted((distance(start, q), g) for g, q in enumerate(goals)):
            if self.looks_free(start, goals[g], length) and self.is_proven(start, goals[g]):
                return FOUND, g, np.stack([start, goals[g]] if length > 0.0 else [start])
        return None

    def grow(self) -> tuple[int, int, Array]:
        while self.samples < self.most:
            if time.monotonic() > self.ends:
                return TIME, -1, np.empty((0, 14))
            self.samples += 1
            a = 0 if len(self.trees[0].q) <= len(self.trees[1].q) else 1
            added = self.towards_random(self.trees[a], self.range_of(self.blocked[a]))
            self.blocked[a] = self.blocked[a] + 1 if added < 0 else 0
            if added < 0:
                continue
            other = self.trees[1 - a]
            target = self.trees[a].q[added]
            node, there = other.nearest(target, 0, 14), False
            while node >= 0 and not there:
                node, there = self.advance(other, node, target, self.range)
            if node < 0:
                continue
            ends = (added, node) if a == 0 else (node, added)
            if self.all_proven(ends):
                return FOUND, self.trees[1].branch(ends[1])[-1], self.path(ends)
        return SAMPLES, -1, np.empty((0, 14))

    def range_of(self, blocked: int) -> float:
        """Longest step of a tree of which so many in a row were blocked."""
        if self.patience <= 0 or blocked < self.patience:
            return self.range
        return (0.5 if blocked < 4 * self.patience else 0.25) * self.range

    def towards_random(self, tree: Tree, range_: float) -> int:
        """A step towards a random posture: the new node, or -1."""
        first, last = self.first, self.last
        if last - first == 14:
            u = self.random.uniform()
            if u < 0.5 * self.one_arm:
                last = 7
            elif u < self.one_arm:
                first = 7
        wanted = np.empty(14)
        for j in range(first, last):
            width = self.upper[j] - self.lower[j]
            wanted[j] = self.lower[j] + self.random.uniform() * width
        near = tree.nearest(wanted, first, last)
        wanted[:first], wanted[last:] = tree.q[near][:first], tree.q[near][last:]
        return self.advance(tree, near, wanted, range_)[0]

    def advance(self, tree: Tree, node: int, target: Array, range_: float) -> tuple[int, bool]:
        """A step from a node towards a posture: the new node or -1, and whether it is there."""
        start = tree.q[node]
        gap = distance(start, target)
        if gap == 0.0:
            return node, True
        there = gap <= range_
        end = target if there else start + range_ / gap * (target - start)
        free = self.looks_free(start, end, min(gap, range_))
        return (tree.add(end, node) if free else -1), there

    def looks_free(self, a: Array, b: Array, length: float) -> bool:
        """Whether the postures at equal steps along an edge are free, its start left out."""
        n = max(1, math.ceil(length / self.step))
        part = np.arange(1, n + 1) / n
        q = a + part[:, None] * (b - a)
        self.verdicts += n
        hits = self.checker.in_collision(q[:, :7], q[:, 7:], self.head, self.padding)
        return not np.asarray(hits).any()

    def is_proven(self, a: Array, b: Array) -> bool:
        """Whether all between two postures is free."""
        self.proofs += 1
        free = bool(self.checker.edge_free(a, b, self.head, self.padding))
        self.refuted += not free
        return free

    def all_proven(self, ends: tuple[int, int]) -> bool:
        """Sweeps the edges of a path; cuts a tree where one is refuted."""
        fine = True
        for tree, end in zip(self.trees, ends, strict=True):
            bad = -1
            for node in tree.branch(end)[:-1]:
                if not tree.proven[node]:
                    tree.proven[node] = self.is_proven(tree.q[tree.parent[node]], tree.q[node])
                    if not tree.proven[node]:
                        bad = node
            if bad >= 0:
                tree.cut(bad)
                fine = False
        return fine

    def path(self, ends: tuple[int, int]) -> Array:
        """The postures from the start to a goal; the trees share the one where they meet."""
        there = [self.trees[0].q[n] for n in reversed(self.trees[0].branch(ends[0]))]
        rest = [self.trees[1].q[n] for n in self.trees[1].branch(ends[1])]
        return np.stack(there + rest[1:])


def _turned(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & WORD


def distance(a: Array, b: Array) -> float:
    """Euclidean distance of two postures (14,) [rad], summed in order."""
    total = 0.0
    for j in range(14):
        total += (b[j] - a[j]) * (b[j] - a[j])
    return math.sqrt(total)
