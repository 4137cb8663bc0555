"""The symbolic MATLAB function and its workspace file, in Octave."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import export_cases as cases
import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, Payload
from baxterkit.cli import main
from baxterkit.codegen import matlab_symbolic
from baxterkit.codegen.matlab_symbolic import mat_file
from baxterkit.codegen.quantities import export_function

OCTAVE = ("octave-cli", "--quiet", "--norc", "--no-history")
Q = np.array([0.1, -0.5, 0.3, 0.7, -0.2, 0.9, 0.4])
QD = np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.6, -0.7])
SAME = 2e-13
"""Torques [N m] of up to 50 N m in other orders of summation, as of the other exports."""
LOADED = Arm("right", "electric_standard", payload=Payload(0.5, (0.0, 0.01, 0.05)))


def written(folder: Path, what: str, arm: Arm) -> None:
    files = matlab_symbolic.write(export_function(what, arm, what))
    (folder / f"{what}.m").write_text(files.text, encoding="utf-8")
    (folder / f"{what}.mat").write_bytes(files.workspace)


def column(x: np.ndarray) -> str:
    return "[" + "; ".join(f"{value:.17g}" for value in x) + "]"


def test_loaded_coefficients_give_the_arms_numbers(tmp_path: Path, require: Any) -> None:
    require("octave")
    for what in ("gravity", "inertia", "dynamics", "inverse_dynamics"):
        written(tmp_path, what, LOADED)
    script = (
        f"q = {column(Q)}; qd = {column(QD)};"
        "load gravity.mat; printf('%.17g ', gravity(q, k));"
        "load inertia.mat; printf('%.17g ', inertia(q, k));"
        "load dynamics.mat; [M, C, G] = dynamics(q, qd, k); printf('%.17g ', M, C.', G);"
        "load inverse_dynamics.mat; printf('%.17g ', inverse_dynamics(q, qd, qd, k));"
    )
    numbers = np.array(cases.run(*OCTAVE, "--eval", script, folder=tmp_path).split(), float)
    M, C, G = LOADED.inertia(Q), LOADED.coriolis(Q, QD), LOADED.gravity(Q)
    torque = LOADED.inverse_dynamics(Q, QD, QD)
    expected = [G, M.ravel(), M.ravel(), C.ravel(), G, torque]
    assert_close(numbers, np.concatenate(expected), SAME)


def test_symbols_give_the_closed_form(tmp_path: Path, require: Any) -> None:
    require("octave")
    require("octave-symbolic")
    written(tmp_path, "gravity", Arm("left"))
    script = (
        "pkg load symbolic; G = gravity(); load gravity.mat;"
        "v = {}; for i = 1:7, v{end + 1} = sym(sprintf('q%d', i)); end;"
        "for i = 1:numel(k), v{end + 1} = sym(sprintf('k%d', i)); end;"
        "f = function_handle(G(6), 'vars', v); d = function_handle(diff(G(6), v{6}), 'vars', v);"
        f"x = num2cell([{column(Q)}; k]); printf('%.17g %.17g', f(x{{:}}), d(x{{:}}))"
    )
    # The package greets, and its Python may warn: the numbers are the last words of the output.
    done = subprocess.run(
        [*OCTAVE, "--eval", script], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    torque, slope = map(float, done.stdout.split()[-2:])
    arm, rest = Arm("left"), np.zeros(7)
    assert torque == pytest.approx(arm.gravity(Q)[5], abs=SAME)
    by_q, _ = arm.inverse_dynamics_derivatives(Q, rest, rest)
    assert slope == pytest.approx(by_q[5, 5], abs=SAME)


def test_the_workspace_file_is_read_by_scipy_and_holds_no_date(require: Any) -> None:
    require("scipy")
    import io

    from scipy.io import loadmat

    values = np.array([1.5, -2.25, 1e-9])
    data = mat_file({"k": values, "other": values[:1]})
    back = loadmat(io.BytesIO(data))
    np.testing.assert_array_equal(back["k"][:, 0], values)
    np.testing.assert_array_equal(back["other"], [[1.5]])
    assert data == mat_file({"k": values, "other": values[:1]})


def test_coefficients_are_positive_and_each_stands_once() -> None:
    k = matlab_symbolic.write(export_function("dynamics", Arm("left"), "dynamics")).coefficients
    assert (k > 0.0).all()
    assert len(set(k.tolist())) == len(k)
    assert not np.equal(np.mod(k, 1.0), 0.0).any()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("gravity", "--to", "c"), "--symbolic is for the equations in matlab"),
        (("dh", "--to", "matlab"), "--symbolic is for the equations in matlab"),
        (("gravity", "--to", "matlab"), "--symbolic writes two files: -o FILE.m"),
        (("gravity", "--to", "matlab", "--parameters"), "--symbolic keeps all numbers"),
    ],
)
def test_what_has_no_symbolic_form_is_said(
    words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["export", *words, "--symbolic"])
    assert says in " ".join(capsys.readouterr().err.split())


def test_the_command_writes_both_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "hold.m"
    with pytest.raises(SystemExit):
        main(["export", "gravity", "--to", "matlab", "--symbolic", "-o", str(out)])
    assert capsys.readouterr().out.splitlines() == [
        f"{out}: gravity of the left arm, symbolic matlab",
        f"{tmp_path / 'hold.mat'}: its 13 coefficients",
    ]
    assert out.read_text("utf-8").startswith("function G = hold(q, k)\n")
    assert (tmp_path / "hold.mat").stat().st_size == 20 + 2 + 8 * 13
