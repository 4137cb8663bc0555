"""Exported MATLAB runs in Octave, and exported LaTeX compiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import export_cases as cases
import numpy as np
import pytest

from baxterkit.codegen.exports import export
from baxterkit.codegen.quantities import QUANTITIES

OCTAVE = ("octave-cli", "--quiet", "--norc", "--no-history")
STATES = 25


@pytest.mark.parametrize(("name", "kept"), cases.COMPILED)
def test_matlab_export_gives_the_arms_values_in_octave(
    name: str, kept: bool, tmp_path: Path, require: Any
) -> None:
    require("octave")
    lines = ["format long"]
    for what in cases.whats(name):
        text = export(what, "matlab", cases.arm(name), name=what, parameters=kept)
        (tmp_path / f"{what}.m").write_text(text, encoding="utf-8")
        args = cases.inputs(what, name, STATES)
        np.savetxt(tmp_path / f"{what}.txt", np.hstack(args), fmt="%.17g")
        lines += _script(what, len(args))
    (tmp_path / "main.m").write_text("\n".join(lines) + "\n", encoding="utf-8")
    cases.run(*OCTAVE, "main.m", folder=tmp_path)
    for what in cases.whats(name):
        rows = np.loadtxt(tmp_path / f"{what}.out", ndmin=2)
        got = cases.split_rows(what, rows)
        cases.assert_true(what, name, cases.inputs(what, name, STATES), got)


def _script(what: str, count: int) -> list[str]:
    """Octave lines that run a function over its file of states and write its results."""
    names = [result.name for result in QUANTITIES[what].results]
    # Rows and columns are both taken as vectors.
    given = ", ".join(
        f"x({7 * i + 1}:{7 * i + 7}){'.' + chr(39) if i else ''}" for i in range(count)
    )
    flat = "; ".join(f"reshape({name}.', [], 1)" for name in names)
    return [
        f"states = dlmread('{what}.txt');",
        f"file = fopen('{what}.out', 'w');",
        "for k = 1:rows(states)",
        "  x = states(k, :);",
        f"  [{', '.join(names)}] = {what}({given});",
        f"  fprintf(file, '%.17g ', [{flat}]);",
        "  fprintf(file, '\\n');",
        "end",
        "fclose(file);",
    ]


def test_matlab_vectors_come_out_as_columns(tmp_path: Path, require: Any) -> None:
    require("octave")
    cases.write(tmp_path, "gravity", "matlab", "nominal")
    script = "disp(size(exported(zeros(7, 1)))); disp(size(exported(zeros(1, 7))))"
    out = cases.run(*OCTAVE, "--eval", script, folder=tmp_path)
    assert out.split() == ["7", "1", "7", "1"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "kept", "name"),
    [("fk", False, "tilted"), ("gravity", True, "tilted"), ("dynamics", False, "tilted"),
     ("forward_dynamics", False, "tilted"), ("inverse_dynamics_derivatives", False, "tilted"),
     ("regressor", True, "tilted"), ("dh", False, "tilted"),
     ("inverse_dynamics", True, "springy"), ("forward_dynamics", False, "springy"),
     ("inverse_dynamics_derivatives", False, "springy"), ("dh", False, "springy")],
)  # fmt: skip
def test_latex_export_compiles_without_overfull_lines(
    what: str, kept: bool, name: str, tmp_path: Path, require: Any
) -> None:
    require("latex")
    cases.write(tmp_path, what, "latex", name, parameters=kept)
    cases.run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "exported", folder=tmp_path)
    cases.run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "exported", folder=tmp_path)
    log = (tmp_path / "exported.log").read_text(encoding="latin-1")
    assert (tmp_path / "exported.pdf").stat().st_size > 10_000
    assert "Overfull" not in log
    assert "Missing character" not in log
