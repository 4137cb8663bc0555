from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, Payload
from baxterkit.codegen.effects import CARRIERS
from baxterkit.codegen.exports import FORMATS, WHATS, formats_of


def run_python(text: str) -> dict[str, Any]:
    variables: dict[str, Any] = {}
    exec(compile(text, "<export>", "exec"), variables)
    return variables


def test_written_file_computes_what_the_options_describe(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "hold.py"
    options = ("--side", "right", "--tool", "vacuum", "--payload", "0.7,0.01,-0.02,0.05")
    done = cli("export", "gravity", "--to", "numpy", "-o", file, *options)
    size = file.stat().st_size
    assert done.out == f"{file}: gravity of the right arm, numpy, {size} bytes\n"
    arm = Arm("right", tool="vacuum", payload=Payload(0.7, np.array([0.01, -0.02, 0.05])))
    q = arm.configuration("untuck")
    got = run_python(file.read_text(encoding="utf-8"))["hold"](q)
    np.testing.assert_allclose(got, arm.gravity(q), rtol=0, atol=2e-13)


def test_arm_of_a_urdf_file(cli: Any, tmp_path: Path) -> None:
    mount = np.eye(4)
    mount[:3, 3] = [0.1, 0.2, 0.3]
    arm = Arm("left", mount=mount)
    file = tmp_path / "robot.urdf"
    file.write_text(arm.to_urdf(), encoding="utf-8")
    text = cli("export", "fk", "--to", "python", "--urdf", file).out
    q = arm.configuration("neutral")
    got = run_python(text)["baxter_left_fk"](q.tolist())
    np.testing.assert_allclose(got, arm.fk(q), rtol=0, atol=1e-14)
    assert "--urdf robot.urdf" in text
    assert str(tmp_path) not in text


@pytest.fixture
def springy(tmp_path: Path) -> tuple[Arm, Path]:
    """A right arm with tool, payload, mount and effects, alone in its robot file."""
    mount = np.array(Arm("right").model.T_base_s0)
    mount[:3, 3] += [0.01, -0.02, 0.03]
    payload = Payload(0.4, np.array([0.0, 0.01, 0.05]))
    arm = Arm("right", "electric_standard", mount, payload).with_effects(
        bias=np.linspace(-1.0, 1.0, 7),
        coulomb=np.full(7, 0.8),
        viscous=np.full(7, 0.3),
        spring_sin=np.outer(np.eye(7)[1], [12.0, -2.0]),
        spring_cos=np.outer(np.eye(7)[1], [9.0, 1.0]),
    )
    file = tmp_path / "robot.toml"
    arm.to_file(file)
    return arm, file


@pytest.mark.parametrize("parameters", [(), ("--parameters",)])
def test_torques_of_a_robot_file_have_its_springs_and_friction(
    cli: Any, springy: tuple[Arm, Path], parameters: tuple[str, ...], tmp_path: Path
) -> None:
    arm, robot = springy
    file = tmp_path / "torque.py"
    words = ("export", "inverse_dynamics", "--to", "numpy", "--robot", robot, *parameters)
    cli(*words, "-o", file)
    text = file.read_text(encoding="utf-8")
    q, qd, qdd = np.random.default_rng(5).uniform(-1.0, 1.0, (3, 7))
    got = run_python(text)["torque"](q, qd, qdd)
    np.testing.assert_allclose(got, arm.inverse_dynamics(q, qd, qdd), rtol=0, atol=1e-12)
    options = " ".join(("--side right --robot robot.toml", *parameters))
    assert f"Command: baxterkit export inverse_dynamics --to numpy {options} -o" in text
    assert "with springs, friction and bias of its joints" in text


def test_payload_and_tool_go_with_a_robot_file(cli: Any, springy: tuple[Arm, Path]) -> None:
    arm, robot = springy
    words = ("export", "forward_dynamics", "--to", "numpy", "--robot", robot)
    text = cli(*words, "--tool", "vacuum", "--payload", "0.9,0,0,0.1").out
    changed = arm.replace(tool="vacuum", payload=Payload(0.9, np.array([0.0, 0.0, 0.1])))
    q, qd, tau = np.random.default_rng(6).uniform(-1.0, 1.0, (3, 7))
    got = run_python(text)["baxter_right_forward_dynamics"](q, qd, tau)
    np.testing.assert_allclose(got, changed.forward_dynamics(q, qd, tau), rtol=1e-9, atol=1e-9)


def test_rigid_leaves_the_effects_out_and_says_so(cli: Any, springy: tuple[Arm, Path]) -> None:
    arm, robot = springy
    text = cli("export", "inverse_dynamics", "--to", "numpy", "--robot", robot, "--rigid").out
    q = arm.configuration("untuck")
    got = run_python(text)["baxter_right_inverse_dynamics"](q, 0 * q, 0 * q)
    np.testing.assert_allclose(got, arm.gravity(q), rtol=0, atol=1e-12)
    assert "--robot robot.toml --rigid" in text


@pytest.mark.parametrize("what", sorted({*WHATS} - {*CARRIERS, "ik"}))
def test_rigid_quantities_of_such_a_robot_say_that_they_are(
    cli: Any, springy: tuple[Arm, Path], what: str
) -> None:
    note = "Rigid arm only: springs, friction and bias of this arm's joints are not in."
    words = ("export", what, "--to", "json")
    assert note in cli(*words, "--robot", springy[1]).out
    assert note not in cli(*words).out


@pytest.mark.parametrize("to", ["rtb", "rtb-matlab"])
def test_a_toolbox_that_cannot_carry_effects_is_refused(
    cli: Any, springy: tuple[Arm, Path], to: str
) -> None:
    words = ("export", "dh", "--to", to, "--robot", springy[1])
    cli(*words).fails_with(
        f"{to} cannot carry the springs, friction and bias of this arm's joints; "
        "export the rigid arm: --rigid"
    )
    assert cli(*words, "--rigid").status == 0


@pytest.mark.slow
def test_list_of_a_robot_file_counts_the_effects(cli: Any, springy: tuple[Arm, Path]) -> None:
    rigid, with_effects = (
        {
            entry["what"]: entry["operations"]
            for entry in cli("export", "--list", *words).json
            if entry["what"] not in ("dh", "ik")
        }
        for words in (
            ("--robot", springy[1], "--rigid", "--json"),
            ("--robot", springy[1], "--json"),
        )
    )
    more = {what for what in rigid if with_effects[what] > rigid[what]}
    assert more == {*CARRIERS}


def test_json_without_a_file_holds_the_text(cli: Any) -> None:
    text = cli("export", "gravity", "--to", "c").out
    facts = cli("export", "gravity", "--to", "c", "--json").json
    assert facts == {
        "what": "gravity",
        "format": "c",
        "bytes": len(text.encode()),
        "text": text,
    }


@pytest.mark.parametrize("to", FORMATS)
def test_every_format_goes_to_stdout(cli: Any, to: str) -> None:
    what = "gravity" if to in formats_of("gravity") else "dh"
    done = cli("export", what, "--to", to)
    assert (done.status, done.err) == (0, "")
    command = f"baxterkit export {what} --to {to} --side left"
    assert command in done.out
    assert "Model sha256: " in done.out


def test_header_names_units_frames_order_operations_and_command(cli: Any) -> None:
    head = cli("export", "dynamics", "--to", "c", "--parameters").out.split("#include")[0]
    for line in (
        "//   q: 7 numbers, joint positions [rad]",
        "//   qd: 7 numbers, joint velocities [rad/s]",
        "//   beta: 45 numbers, inertial base parameters [kg m^2]",
        "//   M: 7 x 7, joint-space inertia matrix [kg m^2], symmetric",
        "//   G: 7, torques that hold the arm against gravity [N m]",
        "// Joints: s0 s1 e0 e1 w0 w1 w2. SI units and radians. T_a_b maps b coordinates to a.",
        "// Command: baxterkit export dynamics --to c --side left --parameters",
        "//   Sxx_7 Syy_7 Sxy_7 Sxz_7 Syz_7 hx_7 hy_7",
    ):
        assert line in head.splitlines()
    assert "// Operations: " in head


def test_output_is_the_same_every_time(cli: Any) -> None:
    first, second = (cli("export", "inertia", "--to", "matlab").out for _ in range(2))
    assert first == second


def test_model_hash_tells_arms_apart(cli: Any) -> None:
    def digest(*options: str) -> str:
        text = str(cli("export", "gravity", "--to", "c", *options).out)
        return text.split("Model sha256: ")[1].split()[0]

    variants = [(), ("--side", "right"), ("--tool", "vacuum"), ("--payload", "1")]
    assert len({digest(*options) for options in variants}) == len(variants)


def test_list_counts_operations_and_bytes(cli: Any) -> None:
    facts = {entry["what"]: entry for entry in cli("export", "--list", "--json").json}
    assert tuple(facts) == WHATS
    gravity = facts["gravity"]
    assert gravity["operations"] < gravity["operations_with_parameters"] <= 140
    text = cli("export", "gravity", "--to", "json").out
    command = "Command: baxterkit export gravity --to json --side left"
    assert gravity["bytes"]["json"] == len(text.encode()) - len(f'    "{command}",\n')


def test_facts_of_a_written_file_as_json(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    facts = cli("export", "inertia", "--to", "json", "-o", file, "--json").json
    assert facts == {
        "file": str(file),
        "what": "inertia",
        "format": "json",
        "bytes": file.stat().st_size,
    }
    assert json.loads(file.read_text(encoding="utf-8"))["name"] == "m"


def test_toolbox_file_ending_in_m_is_matlab(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "my_baxter.m"
    cli("export", "dh", "--to", "rtb", "-o", file)
    assert file.read_text(encoding="utf-8").startswith("function robot = my_baxter()\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ("torque", "--to", "c"),
            f"unknown quantity 'torque'; did you mean 'bias_torque'? available: {', '.join(WHATS)}",
        ),
        (
            ("gravity", "--to", "fortran"),
            f"unknown format 'fortran'; available: {', '.join(FORMATS)}",
        ),
        (
            ("gravity", "--to", "rtb"),
            "gravity has no rtb form; available: "
            "c, cpp, python, numpy, matlab, latex, casadi, json",
        ),
        (("dh", "--to", "c"), "dh has no c form; available: latex, json, rtb, rtb-matlab"),
        (
            ("dh", "--to", "rtb", "--parameters"),
            "dh has no parameters: the table is the arm",
        ),
        (
            ("gravity", "--to", "c", "--name", "3x"),
            "'3x' cannot name a function; use letters, digits and _",
        ),
        (
            ("gravity", "--to", "c", "--name", "sin"),
            "'sin' cannot name a function; use letters, digits and _",
        ),
        (
            ("gravity", "--to", "c", "--payload", "heavy"),
            "--payload is MASS or MASS,X,Y,Z in kg and m, got 'heavy'",
        ),
        (
            ("gravity", "--to", "c", "--payload", "1,2"),
            "--payload is MASS or MASS,X,Y,Z in kg and m, got '1,2'",
        ),
        (
            ("gravity", "--to", "c", "--payload=-1"),
            "payload mass is -1 kg; it must not be negative",
        ),
        (
            ("gravity",),
            "--to FORMAT is missing; baxterkit export --list shows the choices "
            "(see: baxterkit export --help)",
        ),
        (
            (),
            "WHAT is missing; baxterkit export --list shows the choices "
            "(see: baxterkit export --help)",
        ),
    ],
)
def test_bad_input_is_told_the_way_out(cli: Any, args: tuple[str, ...], message: str) -> None:
    cli("export", *args).fails_with(message)


def test_unwritable_path_is_one_line(cli: Any, tmp_path: Path) -> None:
    missing = tmp_path / "none" / "g.c"
    done = cli("export", "gravity", "--to", "c", "-o", missing)
    done.fails_with(f"{missing}: there is no folder {missing.parent}; make it first")
    cli("export", "gravity", "--to", "c", "-o", tmp_path).fails_with(
        f"{tmp_path}: this is a folder; name a file in it"
    )
