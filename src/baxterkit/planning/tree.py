"""What the searches written in Python share: random numbers, trees and distances."""

from __future__ import annotations

import math

import numpy as np

from baxterkit.types import Array

WORD = (1 << 64) - 1


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
    """Configurations of both arms [rad], each with its parent."""

    def __init__(self) -> None:
        self.q: list[Array] = []
        self.coarse = np.empty((0, 14), dtype=np.float32)
        self.parent: list[int] = []

    def add(self, q: Array, parent: int) -> int:
        """A new node's number."""
        n = len(self.q)
        if n == len(self.coarse):
            self.coarse = np.concatenate([self.coarse, np.full((n + 8, 14), 1e15, np.float32)])
        self.coarse[n] = q
        self.q.append(q)
        self.parent.append(parent)
        return n

    def nearest(self, q: Array, first: int, last: int) -> int:
        """The node nearest to a configuration by the joints first ... last - 1."""
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


def _turned(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & WORD


def distance(a: Array, b: Array) -> float:
    """Euclidean distance of two configurations (14,) [rad], summed in order."""
    total = 0.0
    for j in range(14):
        total += (b[j] - a[j]) * (b[j] - a[j])
    return math.sqrt(total)
