"""Solution of `M x = b` with the factorisation `M = L D L'`, as straight-line arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from baxterkit.equations.vectors import Matrix, Scalar


@dataclass(frozen=True)
class Factors:
    """`M = L D L'` of a symmetric positive definite matrix.

    Attributes:
        L: Strictly lower part of L, row i has i entries.
        inverse_D: Reciprocals of the diagonal of D.
    """

    L: Matrix
    inverse_D: list[Scalar]

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """The solution x of `M x = b`."""
        n = len(b)
        x = list(b)
        for i in range(n):
            for k in range(i):
                x[i] = x[i] - self.L[i][k] * x[k]
        x = [value * scale for value, scale in zip(x, self.inverse_D, strict=True)]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                x[i] = x[i] - self.L[k][i] * x[k]
        return x


def factorise(M: Matrix) -> Factors:
    """Factors of M; only its lower triangle is read."""
    L: Matrix = []
    inverse_D: list[Scalar] = []
    for i in range(len(M)):
        scaled: list[Scalar] = []  # row i of L D
        row: list[Scalar] = []
        pivot = M[i][i]
        for k in range(i):
            entry = M[i][k]
            for m in range(k):
                entry = entry - scaled[m] * L[k][m]
            scaled.append(entry)
            row.append(entry * inverse_D[k])
            pivot = pivot - entry * row[k]
        L.append(row)
        inverse_D.append(1 / pivot)
    return Factors(L, inverse_D)
