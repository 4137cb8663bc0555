r"""Writes a function, or a DH table, as a LaTeX document that pdflatex compiles.

Numbers that are too long for an equation get names, \kappa_1, \kappa_2, …, and a table with all
their digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from baxterkit.codegen.quantities import Exported
from baxterkit.codegen.text import ATOM, PRODUCT, SUM, Term, body_of
from baxterkit.model.dh import DhTable
from baxterkit.symbolic.graph import ADD, DIV, SQRT, SUB, Expr
from baxterkit.symbolic.program import Program
from baxterkit.symbolic.walk import Walk

NAMES = {
    "s": r"s_{%}",
    "c": r"c_{%}",
    "q": r"q_{%}",
    "qd": r"\dot q_{%}",
    "qdd": r"\ddot q_{%}",
    "tau": r"\tau_{%}",
    "beta": r"\beta_{%}",
    "g": r"g_{%}",
    "mount": r"\mu_{%}",
    "tool": r"\nu_{%}",
    "effects": r"\epsilon_{%}",
    "T": r"T_{%}",
    "h": r"h_{%}",
    "dtau_dq": r"(\partial\tau/\partial q)_{%}",
    "dtau_dqd": r"(\partial\tau/\partial\dot q)_{%}",
}
"""LaTeX symbols of inputs and results; others use their own name."""

SHORT = 6
"""Longest number, in characters, that is written into the equations."""

PREAMBLE = r"""\documentclass[a4paper,10pt]{article}
\usepackage[margin=18mm]{geometry}
\usepackage{amsmath}
\usepackage{longtable}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\begin{document}"""


def escaped(text: str) -> str:
    """Plain text for LaTeX."""
    for plain, code in (
        ("--", "-{}-"),
        ("_", r"\_"),
        ("^", r"\^{}"),
        ("²", r"$^2$"),
        ("%", r"\%"),
        ("&", r"\&"),
        ("#", r"\#"),
    ):
        text = text.replace(plain, code)
    return text


class _LatexWalk(Walk[Term]):
    """Equations: products by juxtaposition, quotients as fractions."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, longest=4)
        self.constants: dict[float, str] = {}

    def number(self, value: float) -> Term:
        text = repr(value).removesuffix(".0")
        if len(text) > SHORT or "e" in text:
            text = self.constants.setdefault(value, rf"\kappa_{{{len(self.constants) + 1}}}")
        return Term(text)

    def symbol(self, name: str, index: int) -> Term:
        return Term(_symbol(name, str(index + 1)))

    def temporary(self, number: int) -> Term:
        return Term(f"t_{{{number}}}")

    def negative(self, arg: Term) -> Term:
        return arg.negated()

    def operation(self, node: Expr, args: Sequence[Term]) -> Term:
        a, b = args[0], args[-1]
        if node.kind == SQRT:
            return Term(rf"\sqrt{{{a.text}}}")
        if node.kind == DIV:
            return Term(rf"\frac{{{a.text}}}{{{b.text}}}", PRODUCT)
        if node.kind in (ADD, SUB):
            sign = "+" if node.kind == ADD else "-"
            opposite = f"{b.within(SUM)} - {a.within(PRODUCT)}" if node.kind == SUB else ""
            return Term(f"{a.within(SUM)} {sign} {b.within(PRODUCT)}", SUM, opposite)
        return Term(rf"{a.within(PRODUCT)}\,{b.within(ATOM)}", PRODUCT)


def write(exported: Exported) -> Iterator[str]:
    """The document of a function, line by line."""
    walk = _LatexWalk(exported.program)
    body = body_of(exported, walk)
    yield from _top(exported.title, exported.header)
    yield r"\section*{Symbols}"
    yield r"\begin{longtable}{@{}ll@{}}"
    yield r"$s_i,\ c_i$ & $\sin q_i,\ \cos q_i$ \\"
    for item in exported.arguments:
        meaning = rf"{escaped(item.meaning)}, $i = 1 \dots {item.size}$"
        yield rf"${_symbol(item.name, 'i')}$ & {meaning} \\"
    for result in exported.results:
        index = "ij"[: len(result.shape)]
        yield rf"${_symbol(result.name, index)}$ & {escaped(result.meaning)} \\"
    yield r"$t_i$ & intermediate values, in the order in which they are computed \\"
    if walk.constants:
        yield r"$\kappa_i$ & numbers of this arm, in the table at the end \\"
    yield r"\end{longtable}"
    yield r"\section*{Equations}"
    yield from _equations(body.statements)
    yield r"\section*{Results}"
    for result, entries in body.results:
        places = ((",".join(str(i + 1) for i in index), value) for index, value in entries)
        yield from _equations([(_symbol(result.name, place), value) for place, value in places])
    if walk.constants:
        yield r"\section*{Numbers}"
        yield from _numbers((name, repr(value)) for value, name in walk.constants.items())
    for constant in exported.constants:
        yield rf"\section*{{Values of ${_symbol(constant.name, 'i')}$ for this arm}}"
        pairs = enumerate(constant.values, start=1)
        yield from _numbers((_symbol(constant.name, str(i)), repr(x)) for i, x in pairs)
    yield r"\end{document}"


def _top(title: str, header: Sequence[str]) -> Iterator[str]:
    yield from (f"% {line}".rstrip() for line in header)
    yield PREAMBLE
    yield rf"\section*{{{escaped(title)}}}"
    yield from (rf"{escaped(line.strip())}\par" if line else "" for line in header)


def _equations(pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    if not pairs:
        return
    yield r"\begin{align*}"
    *most, last = [f"{name} &= {value}" for name, value in pairs]
    yield from (rf"{line} \\" for line in most)
    yield last
    yield r"\end{align*}"


def _numbers(pairs: Iterator[tuple[str, str]]) -> Iterator[str]:
    yield r"\begin{longtable}{@{}rlrlrl@{}}"
    cells = [rf"${name}$ & \texttt{{{value}}}" for name, value in pairs]
    for first in range(0, len(cells), 3):
        row = cells[first : first + 3]
        yield " & ".join(row + ["&"] * (3 - len(row))) + r" \\"
    yield r"\end{longtable}"


def _symbol(name: str, index: str) -> str:
    return NAMES.get(name, f"{name}_{{%}}").replace("%", index)


def write_table(title: str, table: DhTable, header: Sequence[str]) -> Iterator[str]:
    """A document with a DH table and the inertias in its frames, line by line."""
    yield from _top(title, header)
    yield r"\section*{Standard Denavit-Hartenberg table}"
    yield r"Row $i$: $T_{i-1,i} = R_z(\theta_i)\,T_z(d_i)\,T_x(a_i)\,R_x(\alpha_i)$."
    yield r"\begin{longtable}{@{}lrrrr@{}}"
    yield r"joint & $\theta_i$ [rad] & $d_i$ [m] & $a_i$ [m] & $\alpha_i$ [rad] \\ \hline"
    for i, row in enumerate(table.rows, start=1):
        theta = f"$q_{i}$" if not row.theta_offset else f"$q_{i} + {row.theta_offset!r}$"
        cells = [escaped(row.joint), theta, *map(repr, (row.d, row.a, row.alpha))]
        yield " & ".join(cells) + r" \\"
    yield r"\end{longtable}"
    for name, T in (("base,0", table.T_base_0), ("n,tip", table.T_n_tip)):
        rows = [" & ".join(map(repr, row)) for row in T.tolist()]
        lines = r" \\ ".join(rows)
        yield rf"\[T_{{\text{{{name}}}}} = \begin{{pmatrix}} {lines} \end{{pmatrix}}\]"
    yield r"\section*{Inertias in DH frames, about the centres of mass}"
    yield r"{\footnotesize\begin{longtable}{@{}lll@{}}"
    for row, body in zip(table.rows, table.inertials, strict=True):
        yield rf"\textbf{{{escaped(row.joint)}}} & $m$ [kg] & {body.mass!r} \\"
        yield rf"& centre [m] & {', '.join(map(repr, body.com.tolist()))} \\"
        for k, entries in enumerate(body.inertia.tolist()):
            label = r"$I$ [kg\,m$^2$]" if k == 0 else ""
            yield rf"& {label} & {', '.join(map(repr, entries))} \\"
    yield r"\end{longtable}}"
    yield r"\end{document}"
