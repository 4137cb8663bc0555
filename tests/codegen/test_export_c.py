"""Exported C and C++ compile without a warning and give the arm's values."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import export_cases as cases
import numpy as np
import pytest

from baxterkit.codegen.export import export
from baxterkit.codegen.quantities import QUANTITIES, export_function

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wmissing-prototypes")
STATES = 300

# A C++ program that reads states from stdin as text and prints the results with all digits.
MAIN = """
#include <cstdio>
#include "exported.hpp"
int main() {{
  double in[{arguments}][7];
  double out[{size}];
  for (;;) {{
    for (auto& row : in)
      for (double& x : row)
        if (std::scanf("%lf", &x) != 1) return 0;
    baxter::exported({call});
    for (double x : out) std::printf("%.17g ", x);
    std::printf("\\n");
  }}
}}
"""


def compile_c(folder: Path, name: str, kept: bool, whats: Sequence[str]) -> ctypes.CDLL:
    """The exported functions of an arm as one shared library; each is named by its quantity."""
    for what in whats:
        text = export(what, "c", cases.arm(name).model, name=what, parameters=kept)
        (folder / f"{what}.c").write_text(text, encoding="utf-8")
    sources = [f"{what}.c" for what in whats]
    compiler = os.environ.get("CC", "gcc").split()
    flags = ["-std=c99", "-O1", *WARNINGS, "-shared", "-fPIC"]
    cases.run(*compiler, *flags, *sources, "-o", "library.so", "-lm", folder=folder)
    return ctypes.CDLL(str(folder / "library.so"))


def pointer(array: np.ndarray) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def call(
    library: ctypes.CDLL, what: str, args: list[np.ndarray], parameters: list[Any]
) -> list[np.ndarray]:
    """Runs a function state by state."""
    n = len(args[0])
    function = getattr(library, what)
    results = [np.full((n, *result.shape), np.nan) for result in QUANTITIES[what].results]
    for i in range(n):
        given = [pointer(a[i]) for a in args]
        function(*given, *parameters, *(pointer(result[i]) for result in results))
    return results


def kept_count(what: str) -> int:
    """How many parameters the function takes when they are kept."""
    exported = export_function(what, cases.arm("nominal").model, parameters=True)
    return sum(item.parameter for item in exported.arguments)


@pytest.mark.parametrize(("name", "kept"), cases.COMPILED)
def test_c_export_gives_the_arms_values(
    name: str, kept: bool, tmp_path: Path, require: Any
) -> None:
    require("cc")
    library = compile_c(tmp_path, name, kept, cases.WHATS)
    for what in cases.WHATS:
        args = cases.inputs(what, name, STATES)
        defaults = [None] * (kept_count(what) if kept else 0)
        cases.assert_true(what, name, args, call(library, what, args, defaults))


@pytest.mark.acceptance
@pytest.mark.parametrize("name", cases.ARMS)
def test_c_export_gives_the_arms_values_over_100000_states(
    name: str, tmp_path: Path, require: Any
) -> None:
    require("cc")
    whats = ("inertia", "coriolis", "gravity", "inverse_dynamics", "fk", "jacobian")
    library = compile_c(tmp_path, name, False, whats)
    for what in whats:
        args = cases.inputs(what, name, 100_000)
        cases.assert_true(what, name, args, call(library, what, args, []))


def test_kept_parameters_of_one_arm_make_code_for_another(tmp_path: Path, require: Any) -> None:
    require("cc")
    what = "inverse_dynamics"
    folders = [tmp_path / name for name in ("nominal", "loaded")]
    for folder in folders:
        folder.mkdir()
    code, numbers = (compile_c(folder, folder.name, True, [what]) for folder in folders)
    beta = (ctypes.c_double * 45).in_dll(numbers, f"{what}_beta")
    g = (ctypes.c_double * 3).in_dll(numbers, f"{what}_g")
    args = cases.inputs(what, "loaded", 50)
    cases.assert_true(what, "loaded", args, call(code, what, args, [beta, g]))


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("what", ["dynamics", "fk", "forward_dynamics"])
def test_cpp_export_gives_the_arms_values(
    what: str, kept: bool, tmp_path: Path, require: Any
) -> None:
    require("cxx")
    cases.write(tmp_path, what, "cpp", "tilted", parameters=kept)
    results = QUANTITIES[what].results
    args = cases.inputs(what, "tilted", STATES)
    starts = np.cumsum([0, *(r.size for r in results)])
    call = [f"in[{i}]" for i in range(len(args))] + [f"out + {k}" for k in starts[:-1]]
    source = tmp_path / "main.cpp"
    text = MAIN.format(arguments=len(args), size=starts[-1], call=", ".join(call))
    source.write_text(text, encoding="utf-8")
    compiler = os.environ.get("CXX", "g++").split()
    flags = ["-std=c++11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    cases.run(*compiler, *flags, source, "-o", tmp_path / "main", folder=tmp_path)
    numbers = np.stack(args, axis=1).reshape(STATES, -1)
    states = tmp_path / "states.txt"
    np.savetxt(states, numbers, fmt="%.17g")
    out = cases.run("sh", "-c", "./main < states.txt", folder=tmp_path)
    rows = np.array(out.split(), dtype=float).reshape(STATES, -1)
    got = [
        rows[:, first : first + r.size].reshape(STATES, *r.shape)
        for first, r in zip(starts, results, strict=False)
    ]
    cases.assert_true(what, "tilted", args, got)
