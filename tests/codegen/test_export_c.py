"""Exported C and C++ compile without a warning and give the arm's values."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import components
import export_cases as cases
import numpy as np
import pytest
import tolerances

from baxterkit.codegen.exports import export
from baxterkit.codegen.quantities import QUANTITIES, export_function

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wmissing-prototypes")
STATES = 100

# A C++ program: one function a quantity, which turns lines of numbers into lines of results.
HEAD = """#include <cstdio>
template <int In, int Out, class Function>
void over_file(const char* source, const char* target, Function function) {
  std::FILE* states = std::fopen(source, "r");
  std::FILE* results = std::fopen(target, "w");
  double in[In], out[Out];
  for (int i = 0; std::fscanf(states, "%lf", &in[i]) == 1; i = (i + 1) % In) {
    if (i < In - 1) continue;
    function(in, out);
    for (double x : out) std::fprintf(results, "%.17g ", x);
    std::fprintf(results, "\\n");
  }
  std::fclose(states);
  std::fclose(results);
}
"""
RUN = """  over_file<{inputs}, {outputs}>(
    "{what}.txt", "{what}.out", [](const double* in, double* out) {{ baxter::{what}({call}); }});
"""

# A number with a derivative, as libraries of automatic differentiation have it.
DUAL = """#include <cmath>
#include <cstdio>
struct Dual {
  double v, d;
  Dual(double value = 0.0, double slope = 0.0) : v(value), d(slope) {}
};
Dual operator+(Dual a, Dual b) { return Dual(a.v + b.v, a.d + b.d); }
Dual operator-(Dual a, Dual b) { return Dual(a.v - b.v, a.d - b.d); }
Dual operator*(Dual a, Dual b) { return Dual(a.v * b.v, a.d * b.v + a.v * b.d); }
Dual operator-(Dual a) { return Dual(-a.v, -a.d); }
Dual sin(Dual a) { return Dual(std::sin(a.v), std::cos(a.v) * a.d); }
Dual cos(Dual a) { return Dual(std::cos(a.v), -std::sin(a.v) * a.d); }
#include "exported.hpp"
int main() {
  double x[7];
  for (double& value : x) if (std::scanf("%lf", &value) != 1) return 1;
  for (int j = 0; j < 7; j++) {
    Dual q[7], G[7];
    for (int i = 0; i < 7; i++) q[i] = Dual(x[i], i == j);
    baxter::exported(q, G);
    for (Dual g : G) std::printf("%.17g ", g.d);
  }
}
"""


def compile_c(
    folder: Path, name: str, kept: bool, whats: Sequence[str], level: str = "-O0"
) -> ctypes.CDLL:
    """The exported functions of an arm as one shared library; each is named by its quantity."""
    for what in whats:
        text = export(what, "c", cases.arm(name), name=what, parameters=kept)
        (folder / f"{what}.c").write_text(text, encoding="utf-8")
    sources = [f"{what}.c" for what in whats]
    compiler = os.environ.get("CC", "gcc").split()
    flags = ["-std=c99", level, *WARNINGS, "-shared", "-fPIC"]
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


def kept_count(what: str, name: str) -> int:
    """How many parameters the function takes when they are kept."""
    exported = export_function(what, cases.arm(name), parameters=True)
    return sum(item.parameter for item in exported.arguments)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kept"), cases.COMPILED)
def test_c_export_gives_the_arms_values(
    name: str, kept: bool, tmp_path: Path, require: Any
) -> None:
    require("cc")
    library = compile_c(tmp_path, name, kept, cases.whats(name))
    for what in cases.whats(name):
        args = cases.inputs(what, name, STATES)
        defaults = [None] * (kept_count(what, name) if kept else 0)
        cases.assert_true(what, name, args, call(library, what, args, defaults))


@pytest.mark.acceptance
@pytest.mark.parametrize("name", cases.ARMS)
def test_c_export_gives_the_arms_values_over_100000_states(
    name: str, tmp_path: Path, require: Any
) -> None:
    require("cc")
    whats = ("inertia", "coriolis", "gravity", "inverse_dynamics", "fk", "jacobian")
    library = compile_c(tmp_path, name, False, whats, "-O2")
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kept"),
    [
        pytest.param(
            *case, marks=pytest.mark.acceptance if case[0] in ("tilted", "nominal") else ()
        )
        for case in cases.COMPILED
    ],
)
def test_cpp_export_gives_the_arms_values(
    name: str, kept: bool, tmp_path: Path, require: Any
) -> None:
    require("cxx")
    includes, body = [], []
    for what in cases.whats(name):
        text = export(what, "cpp", cases.arm(name), name=what, parameters=kept)
        (tmp_path / f"{what}.hpp").write_text(text, encoding="utf-8")
        args = cases.inputs(what, name, STATES)
        np.savetxt(tmp_path / f"{what}.txt", np.hstack(args), fmt="%.17g")
        starts = np.cumsum([0, *(result.size for result in QUANTITIES[what].results)])
        given = [f"in + {7 * i}" for i in range(len(args))] + [f"out + {k}" for k in starts[:-1]]
        body.append(
            RUN.format(what=what, inputs=7 * len(args), outputs=starts[-1], call=", ".join(given))
        )
        includes.append(f'#include "{what}.hpp"\n')
    program = HEAD + "".join(includes) + "int main() {\n" + "".join(body) + "}\n"
    (tmp_path / "main.cpp").write_text(program, encoding="utf-8")
    compiler = os.environ.get("CXX", "g++").split()
    flags = ["-std=c++11", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    cases.run(*compiler, *flags, "main.cpp", "-o", "main", folder=tmp_path)
    cases.run("./main", folder=tmp_path)
    for what in cases.whats(name):
        rows = np.loadtxt(tmp_path / f"{what}.out", ndmin=2)
        got = cases.split_rows(what, rows)
        cases.assert_true(what, name, cases.inputs(what, name, STATES), got)


def test_cpp_export_can_be_differentiated(tmp_path: Path, require: Any) -> None:
    require("cxx")
    cases.write(tmp_path, "gravity", "cpp", "tilted")
    (tmp_path / "main.cpp").write_text(DUAL, encoding="utf-8")
    compiler = os.environ.get("CXX", "g++").split()
    flags = ["-std=c++11", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main"]
    cases.run(*compiler, *flags, folder=tmp_path)
    (q,) = cases.inputs("gravity", "tilted", 1)
    np.savetxt(tmp_path / "q.txt", q, fmt="%.17g")
    out = cases.run("sh", "-c", "./main < q.txt", folder=tmp_path)
    slopes = np.array(out.split(), dtype=float).reshape(7, 7)  # row j: derivatives by q_j
    still = np.zeros(7)
    wanted = cases.arm("tilted").inverse_dynamics_derivatives(q[0], still, still)[0]
    tolerances.assert_close(slopes.T, wanted, tolerances.DERIVATIVE)


def test_the_documents_controller_holds_the_arm(tmp_path: Path, require: Any) -> None:
    require("cc")
    page = (components.ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    source = page.split("```c\n")[1].split("```")[0]
    (tmp_path / "controller.c").write_text(source, encoding="utf-8")
    text = export("gravity", "c", cases.arm("tilted").model, name="gravity")
    (tmp_path / "gravity.c").write_text(text, encoding="utf-8")
    compiler = os.environ.get("CC", "gcc").split()
    flags = ["-std=c99", *WARNINGS, "controller.c", "gravity.c", "-lm", "-o", "controller"]
    cases.run(*compiler, *flags, folder=tmp_path)
    q, qd = cases.inputs("bias_torque", "tilted", 20)
    np.savetxt(tmp_path / "joints.txt", np.stack([q, qd], -1).reshape(20, 14), fmt="%.17g")
    out = cases.run("sh", "-c", "./controller < joints.txt", folder=tmp_path)
    tau = np.array(out.split(), dtype=float).reshape(20, 7)
    wanted = cases.arm("tilted").gravity(q) - np.array([3, 3, 2, 2, 0.5, 0.5, 0.3]) * qd
    tolerances.assert_close(tau, wanted, tolerances.TORQUE_ENGINE)
