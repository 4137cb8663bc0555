"""The extension's search and smoothing in readable NumPy, number for number.

RRT-Connect (Kuffner and LaValle 2000): two trees grow, one from the start and one from the goals.
The smaller one takes a step towards a random configuration, of one arm or of both; then the other
one goes towards the new node until it is there or blocked. While the trees grow, edges are only
checked in steps; the edges of a path are swept when it is found, and what hangs on a refuted one is
cut off. A tree of which many steps in a row are blocked takes shorter ones, until one is free.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from baxterkit.collision.checker import Checker
from baxterkit.kernels.records import Planned, Smoothed
from baxterkit.planning.tree import Random, distance
from baxterkit.planning.tree import Tree as PlainTree
from baxterkit.types import Array

FOUND, SAMPLES, TIME = 0, 1, 2
DEAD = -2
CHORDS, HALVINGS, SHARP, SHORTER = 8, 6, 0.05, 0.999


class Tree(PlainTree):
    """A tree that knows which edges were swept, and from which nodes are cut."""

    def __init__(self) -> None:
        super().__init__()
        self.proven: list[bool] = []

    def add(self, q: Array, parent: int) -> int:
        """A new node's number."""
        self.proven.append(parent < 0)
        return super().add(q, parent)

    def edges(self) -> Array:
        """Parent and child of each edge, shape (n, 2, 14)."""
        ends = [(p, n) for n, p in enumerate(self.parent) if p >= 0]
        return np.array([self.q[end] for pair in ends for end in pair]).reshape(-1, 2, 14)

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


def connect(checker: Checker, **ask: Any) -> Planned:
    """The extension's `BodyChecker.connect`."""
    return _Connect(checker, **ask).run()


class _Connect:
    def __init__(
        self,
        checker: Checker,
        start: Array,
        goals: Array,
        limits: Array,
        moves: int,
        head: float,
        margin: float,
        range: float,
        samples: int,
        seconds: float,
        seed: int,
        step: float,
        one_arm: float,
        patience: int,
        keep_trees: bool,
    ) -> None:
        self.checker, self.head, self.margin = checker, head, margin
        self.lower, self.upper = limits
        self.first, self.last = 0 if moves & 1 else 7, 14 if moves & 2 else 7
        self.one_arm = one_arm if moves == 3 else 0.0
        self.range, self.step, self.most = range, step, samples
        self.ends = time.monotonic() + seconds
        self.random = Random(seed)
        self.trees = Tree(), Tree()
        self.trees[0].add(start, -1)
        for goal in goals:
            self.trees[1].add(goal, -1)
        self.patience, self.blocked = patience, [0, 0]
        self.keep_trees = keep_trees
        self.samples = self.verdicts = self.proofs = self.refuted = 0

    def run(self) -> Planned:
        end, goal, points = self.straight() or self.grow()
        counts = (self.samples, self.verdicts, self.proofs, self.refuted)
        here, there = self.trees
        edges = [tree.edges() if self.keep_trees else np.empty((0, 2, 14)) for tree in self.trees]
        return Planned(end, goal, points, *counts, len(here.q), len(there.q), *edges)

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
        """A step towards a random configuration: the new node, or -1."""
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
        """A step from a node towards a configuration: the new node or -1; whether it is there."""
        start = tree.q[node]
        gap = distance(start, target)
        if gap == 0.0:
            return node, True
        there = gap <= range_
        end = target if there else start + range_ / gap * (target - start)
        free = self.looks_free(start, end, min(gap, range_))
        return (tree.add(end, node) if free else -1), there

    def looks_free(self, a: Array, b: Array, length: float) -> bool:
        """Whether the configurations at equal steps along an edge are free, its start left out."""
        n = max(1, math.ceil(length / self.step))
        part = np.arange(1, n + 1) / n
        q = a + part[:, None] * (b - a)
        self.verdicts += n
        hits = self.checker.in_collision(q[:, :7], q[:, 7:], self.head, self.margin)
        return not np.asarray(hits).any()

    def is_proven(self, a: Array, b: Array) -> bool:
        """Whether all between two configurations is free."""
        self.proofs += 1
        free = bool(self.checker.edge_free(a, b, self.head, self.margin))
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
        """The configurations from the start to a goal; the trees share the one where they meet."""
        there = [self.trees[0].q[n] for n in reversed(self.trees[0].branch(ends[0]))]
        rest = [self.trees[1].q[n] for n in self.trees[1].branch(ends[1])]
        return np.stack(there + rest[1:])


def smooth(
    checker: Checker,
    path: Array,
    head: float,
    margin: float,
    step: float,
    rounds: int,
    most: float,
    seed: int,
) -> Smoothed:
    """The extension's `BodyChecker.smooth`."""
    work = _Smooth(checker, list(path), head, margin, step, Random(seed))
    if rounds > 0:
        work.skip()
    work.shorten(rounds)
    return Smoothed(np.stack(work.way), work.roundings(most))


class _Smooth:
    def __init__(
        self,
        checker: Checker,
        way: list[Array],
        head: float,
        margin: float,
        step: float,
        random: Random,
    ) -> None:
        self.checker, self.way, self.head = checker, way, head
        self.margin, self.step, self.random = margin, step, random

    def skip(self) -> None:
        """From each corner straight to the farthest one that can be seen."""
        fewer, i = [self.way[0]], 0
        while i + 1 < len(self.way):
            k = len(self.way) - 1
            while k > i + 1 and not self.straight(self.way[i], self.way[k]):
                k -= 1
            fewer.append(self.way[k])
            i = k
        self.way = fewer

    def shorten(self, rounds: int) -> None:
        """Straight lines between two places on the path, drawn at random, uniform by length."""
        for _ in range(rounds):
            if len(self.way) <= 2:
                return
            at = [0.0]
            for a, b in zip(self.way, self.way[1:], strict=False):
                at.append(at[-1] + distance(a, b))
            s = sorted(self.random.uniform() * at[-1] for _ in range(2))
            (i, p), (k, q) = (self.place(at, x) for x in s)
            if i == k or distance(p, q) >= SHORTER * (s[1] - s[0]) or not self.straight(p, q):
                continue
            self.way = [*self.way[:i], p, q, *self.way[k:]]

    def place(self, at: list[float], s: float) -> tuple[int, Array]:
        """The corner after a place on the path, and the configuration there."""
        i = min(max(int(np.searchsorted(at, s, side="right")), 1), len(at) - 1)
        length = at[i] - at[i - 1]
        part = (s - at[i - 1]) / length if length > 0.0 else 0.0
        return i, self.way[i - 1] + part * (self.way[i] - self.way[i - 1])

    def roundings(self, most: float) -> Array:
        """How far before and after each corner its rounding may begin and end [rad]."""
        room = np.zeros(len(self.way))
        for i in range(1, len(self.way) - 1):
            a, b, c = self.way[i - 1 : i + 2]
            before, after = distance(a, b), distance(b, c)
            if 1.0 + float((b - a) @ (c - b)) / (before * after) < SHARP:
                continue
            d = min(most, 0.5 * before, 0.5 * after)
            for _ in range(HALVINGS):
                if self.round_free(b + d / before * (a - b), b, b + d / after * (c - b)):
                    room[i] = d
                    break
                d *= 0.5
        return room

    def straight(self, a: Array, b: Array) -> bool:
        """Whether the edge is free: first in steps, then all of it."""
        n = max(1, math.ceil(distance(a, b) / self.step))
        q = a + np.arange(1, n + 1)[:, None] / n * (b - a)
        if np.any(self.checker.in_collision(q[:, :7], q[:, 7:], self.head, self.margin)):
            return False
        return bool(self.checker.edge_free(a, b, self.head, self.margin))

    def round_free(self, a: Array, b: Array, c: Array) -> bool:
        """Whether the parabola from a to c with its corner at b is free, by its padded chords."""
        bend = np.abs(2.0 * (a - 2.0 * b + c)).reshape(2, 1, 7)
        off = (bend * self.checker.primitives.reaches).sum(axis=-1).max(axis=-1).sum() / (
            8.0 * CHORDS**2
        )
        t = np.linspace(0.0, 1.0, CHORDS + 1)[:, None]
        at = (1.0 - t) ** 2 * a + 2.0 * (1.0 - t) * t * b + t**2 * c
        free = self.checker.edge_free(at[:-1], at[1:], self.head, self.margin + float(off))
        return bool(np.all(free))
