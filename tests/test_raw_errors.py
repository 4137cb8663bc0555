"""What used to end in an error of Python, NumPy or the system ends in one of the package's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import (
    Arm,
    Baxter,
    Payload,
    codegen,
    control,
    identify,
    plot,
    recording,
    spatial,
    trajectory,
)
from baxterkit.collision import World
from baxterkit.errors import BaxterkitError, InputError, ModelError, ShapeError, UnitsWarning
from baxterkit.lesson import Lesson
from baxterkit.model.inertial import Inertial
from baxterkit.sim import Twin, export_mjcf


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "robot.toml"
    Arm("left").to_file(path)
    return path


def changed(path: Path, pattern: str, text: str) -> Path:
    old = path.read_text(encoding="utf-8")
    new = re.sub(pattern, lambda match: text, old, flags=re.DOTALL)
    assert new != old
    path.write_text(new, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x = " + "[" * 5000, "nested too deeply"),
        ("x = " + "[" * 100 + "]" * 100, "is nested more than 16 levels deep"),
        ("a." * 100_000 + "b = 1", "a key has more than 100 parts"),
        ("[" + '"a" . ' * 10_000 + "b]", "a key has more than 100 parts"),
        ("format = " + "9" * 4400, "is not TOML: Exceeds the limit"),
        ("format = " + "9" * 400, "format is an integer beyond 64 bits; write it with a decimal"),
        ("format = 0x" + "f" * 6000, "format is an integer beyond 64 bits"),
        ("format = 1\n[left.provenance]\nn = 0x" + "f" * 6000, "left.provenance.n is an integer"),
        ("# \0", "this is not text"),
    ],
)
def test_odd_toml_is_refused_in_words(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    path.write_text(text)
    with pytest.raises(ModelError, match=re.escape(what)) as caught:
        Arm.from_file(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_long_key_of_a_text_is_no_long_key(robot: Path) -> None:
    arm = Arm.from_file(robot)
    arm.to_file(robot, {"note": "one. two. three. " * 1000, "files": ["a.csv"] * 1000})
    assert Arm.from_file(robot).model.T_base_s0.shape == (4, 4)


@pytest.mark.parametrize(
    ("key", "value", "what"),
    [
        ("com", "9" * 400 + ", 0, 0", "left.link.s0.com[0] is an integer beyond 64 bits"),
        ("com", "1e200, 0.0, 0.0", "left.link.s0.com holds 1e+200, beyond 10"),
        ("inertia", "[1e308, 0, 0], [0, 1e308, 0], [0, 0, 1e308]", "inertia holds 1e+308"),
    ],
)
def test_numbers_of_no_body_are_refused_in_words(
    key: str, value: str, what: str, robot: Path
) -> None:
    end = r"\n\]" if key == "inertia" else r"\]"
    changed(robot, rf"{key} = \[.*?{end}", f"{key} = [{value}]")
    with pytest.raises(ModelError, match=re.escape(what)):
        Arm.from_file(robot)


@pytest.mark.parametrize("backend", ["native", "numpy"])
@pytest.mark.parametrize("what", ["no inertia and no mass", "no inertia about the last axis"])
def test_a_singular_inertia_matrix_is_named(what: str, backend: str, robot: Path) -> None:
    none = "inertia = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]"
    changed(robot, r"inertia = \[.*?\n\]", none)
    if "mass" in what:
        changed(robot, r"mass = [^\n]*", "mass = 0.0")
    else:
        changed(robot, r"com = [^\n]*", "com = [0.0, 0.0, 0.0]")
    arm = Arm.from_file(robot).replace(backend=backend)
    q = arm.configuration("neutral")
    assert np.isfinite(arm.inverse_dynamics(q, q, q)).all()
    for act in (
        lambda: arm.forward_dynamics(q, q, q),
        lambda: arm.forward_dynamics_derivatives(q, q, q),
        lambda: arm.task_inertia(q),
    ):
        with pytest.raises(ModelError, match="the inertia matrix of this arm is singular"):
            act()


def test_light_and_heavy_links_are_not_singular() -> None:
    arm = Arm("left", payload=Payload(1e-9))
    q = arm.configuration("neutral")
    assert np.isfinite(arm.forward_dynamics(q, q, q)).all()
    with pytest.warns(UnitsWarning, match="payload mass is 1000 kg: are these grams"):
        heavy = Payload(1e3)
    assert np.isfinite(Arm("left", payload=heavy).forward_dynamics(q, q, q)).all()


def test_an_inertia_beyond_counting_is_refused() -> None:
    with pytest.raises(ModelError, match="at most 1e\\+100 are taken"):
        Inertial(1.0, np.zeros(3), 1.7e308 * np.eye(3)).check()
    with pytest.raises(InputError, match="at most 1e\\+100 are taken"):
        Payload(1.0, np.zeros(3), 1.7e308 * np.eye(3))


def test_a_negative_seed_is_refused() -> None:
    from baxterkit.identify.trial_motions import exciting_motion
    from baxterkit.plot.workspaces import sample_reach

    arm = Arm("left")
    with pytest.raises(InputError, match="seed must be a non-negative integer, got -1"):
        sample_reach(arm, 10, seed=-1)
    with pytest.raises(InputError, match="seed must be a non-negative integer, got -1"):
        exciting_motion(arm, seed=-1)


def run(*args: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "baxterkit", *args],
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_the_command_line_takes_no_negative_seed(tmp_path: Path) -> None:
    out = str(tmp_path / "a.png")
    done = run("plot", "workspace", "--samples", "10", "--seed", "-1", "-o", out)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=lambda environment: next(iter(environment.values())),
)
def test_a_terminal_without_unicode_gets_question_marks(
    environment: dict[str, str], tmp_path: Path
) -> None:
    odd = tmp_path / "möwe ± 5°.csv"
    odd.write_text("0 0 0 0 0 0 0\n", encoding="utf-8")
    for args in (["fk", str(odd)], ["info"], ["dynamics", "neutral"], ["fk", str(tmp_path / "ö")]):
        done = run(*args, **environment)
        assert b"Traceback" not in done.stderr, done.stderr
        assert done.returncode in (0, 2)


def test_every_error_here_is_of_the_family() -> None:
    assert issubclass(ModelError, BaxterkitError)
    assert issubclass(InputError, BaxterkitError)


def test_what_is_no_arm_is_named() -> None:
    q = Arm("left").configuration("untuck")
    calls: tuple[Callable[[Any], object], ...] = (
        lambda arm: trajectory.min_jerk(arm, q, q + 0.1),
        lambda arm: trajectory.through(arm, [q, q + 0.1]),
    )
    for call in calls:
        with pytest.raises(InputError, match="arm must be an Arm, got str"):
            call("left")


def test_a_rate_in_words_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("s0,s1,e0,e1,w0,w1,w2\n" + "0,0,0,0,0,0,0\n" * 5, encoding="utf-8")
    with pytest.raises(InputError, match=r"rate \[Hz\] must hold real numbers"):
        recording.load(path, rate="100", side="left")  # type: ignore[arg-type]


def test_a_zero_quaternion_is_refused() -> None:
    with pytest.raises(InputError, match="a quaternion is zero; it must have a direction"):
        spatial.quaternion_to_matrix([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]])
    with pytest.raises(ShapeError, match=r"quaternions must have shape \(\*batch, 4\), x y z w"):
        spatial.quaternion_to_matrix([0.0, 0.0, 1.0])


def test_an_export_takes_an_arm() -> None:
    for what, to in (("ik", "cpp"), ("gravity", "c")):
        with pytest.raises(InputError, match=r"arm must be an Arm, got str; Arm\('left'\) makes"):
            codegen.export(what, to, "left")  # type: ignore[arg-type]


class Rows:
    """A motion whose samples are arrays of joint positions."""

    duration = 1.0

    def sample(self, t: Any) -> np.ndarray:
        return np.zeros((*np.shape(t), 7))


def test_references_that_are_arrays_are_refused() -> None:
    arm = Arm("left")
    hold = control.PdGravity(arm)
    with pytest.raises(InputError, match=r"must give Reference\(q, qd, qdd\), got ndarray"):
        control.simulate(arm, hold, lambda t: np.zeros(7), 0.1)  # type: ignore[arg-type, return-value]
    with pytest.raises(InputError, match="must give q, qd and qdd, as of a Trajectory, got nda"):
        control.simulate(arm, hold, Rows(), 0.1)  # type: ignore[arg-type]


def test_a_motion_of_both_arms_needs_a_controller_for_each(require: Callable[[str], None]) -> None:
    require("mujoco")
    from baxterkit.sim import Twin

    robot = Baxter()
    left, right = (
        trajectory.min_jerk(arm, arm.configuration("untuck"), arm.configuration("untuck") + 0.1, 1)
        for arm in (robot.left, robot.right)
    )
    both, hold = trajectory.both_arms(left, right), control.PdGravity(robot.left)
    with pytest.raises(InputError, match=r"of both arms; simulate one with motion.of\('left'\)"):
        control.simulate(robot.left, hold, both, 0.1)
    with pytest.raises(InputError, match="PdGravity is of one arm, and both arms move; give one"):
        Twin(robot).enable().follow(both, controller=hold)


@pytest.mark.parametrize(
    ("what", "says"),
    [(2.0, r"got float; a mass \[kg\] is Payload\(2.0\)"), (None, "got NoneType$")],
)
def test_a_hand_picks_up_a_payload_or_an_object(
    what: Any, says: str, require: Callable[[str], None]
) -> None:
    require("mujoco")
    from baxterkit.sim import Twin

    with pytest.raises(InputError, match=f"must be a Payload or the name of an object, {says}"):
        Twin().enable().left.pick_up(what)


PATHS: dict[str, Callable[[Any], object]] = {
    "Arm.to_file": Arm("left").to_file,
    "Baxter.to_file": Baxter().to_file,
    "Arm.from_file": Arm.from_file,
    "Baxter.from_file": Baxter.from_file,
    "Arm.from_urdf": lambda path: Arm.from_urdf(path, "left"),
    "Baxter.from_urdf": Baxter.from_urdf,
    "World.load": World.load,
    "World.save": World().save,
    "Lesson.load": Lesson.load,
    "IkResult.save": lambda path: Arm("left").ik(np.eye(4)).save(path),
    "recording.load": recording.load,
    "recording.find": recording.find,
    "export_mjcf": export_mjcf,
    "Trajectory.load": trajectory.Trajectory.load,
}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("path", [None, 5, ["a"]])
def test_what_is_no_path_is_refused_in_words(name: str, path: object) -> None:
    with pytest.raises(InputError, match=r"must (be a text or a pathlib.Path|name one file).*got "):
        PATHS[name](path)


def test_bytes_are_no_path() -> None:
    with pytest.raises(InputError, match=r"must be a text or .*, got b'robot.toml'"):
        Arm("left").to_file(b"robot.toml")  # type: ignore[arg-type]


def test_a_figure_is_saved_to_a_path(require: Callable[[str], None]) -> None:
    require("matplotlib")
    with pytest.raises(InputError, match=r"path must be a text or a pathlib.Path, as .*, got None"):
        plot.save(plot.skeleton(Arm("left"), np.zeros(7)), None)  # type: ignore[arg-type]


def test_a_twin_is_recorded_to_a_path(require: Callable[[str], None]) -> None:
    require("mujoco")
    with pytest.raises(InputError, match=r"path must be a text or a pathlib.Path, as .*, got 5"):
        Twin().record(5)  # type: ignore[arg-type]


NEUTRAL = np.zeros(7)
POSE = np.eye(4)
TAKEN_FOR_ANOTHER: dict[str, tuple[Callable[[], object], str]] = {
    "ik": (
        lambda: Arm("left").ik([POSE, POSE, "x"]),
        "T is ragged: its rows must have equal length; T[0] has shape (4, 4), T[2] is 'x'",
    ),
    "ik of rows": (
        lambda: Arm("left").ik([POSE, POSE[:3]]),
        "T[0] has shape (4, 4), T[1] has shape (3, 4)",
    ),
    "exciting_motion": (
        lambda: identify.exciting_motion("left", 10),  # type: ignore[arg-type]
        "arm must be an Arm, got str; Arm('left') makes one",
    ),
    "score": (
        lambda: identify.score("left", []),  # type: ignore[arg-type]
        "arm must be an Arm, got str",
    ),
    "simulate": (
        lambda: control.simulate("x", control.PdGravity(Arm("left")), None, 1.0),  # type: ignore[arg-type]
        "arm must be an Arm, got str",
    ),
    "update": (
        lambda: control.PdGravity(Arm("left")).update(NEUTRAL, NEUTRAL, 1e-3),  # type: ignore[arg-type]
        "state must have q and qd, as State(q, qd) or a limb, got ndarray",
    ),
    "update of rows": (
        lambda: control.PdGravity(Arm("left")).update(
            control.State(NEUTRAL, NEUTRAL),
            NEUTRAL,  # type: ignore[arg-type]
            1e-3,
        ),
        "reference must be of type Reference, got ndarray; Reference(q, qd, qdd) makes one",
    ),
    "ResolvedRate": (
        lambda: control.ResolvedRate("left"),  # type: ignore[arg-type]
        "arm must be an Arm, got str",
    ),
    "RelativeImpedance": (
        lambda: control.RelativeImpedance("left"),  # type: ignore[arg-type]
        "robot must be a Baxter, got str; Baxter() is one",
    ),
    "World.add": (
        lambda: World().add("box"),  # type: ignore[arg-type]
        "one must be of type Obstacle, got str; add_box",
    ),
}
PLOTTED: dict[str, tuple[Callable[[], object], str]] = {
    "skeleton of a robot": (
        lambda: plot.skeleton(Baxter(), NEUTRAL),  # type: ignore[arg-type]
        "arm must be an Arm, got Baxter; give one of its arms, as robot.left",
    ),
    "skeleton": (
        lambda: plot.skeleton("left", NEUTRAL),  # type: ignore[arg-type]
        "arm must be an Arm, got str; Arm('left') makes one",
    ),
    "skeleton_both": (
        lambda: plot.skeleton_both(Arm("left"), NEUTRAL, NEUTRAL),  # type: ignore[arg-type]
        "robot must be of type Baxter, got Arm",
    ),
    "save": (
        lambda: plot.save(None, "x.png"),  # type: ignore[arg-type]
        "figure must be a figure of matplotlib, got NoneType",
    ),
    "save_animation": (
        lambda: plot.save_animation(None, "x.gif"),  # type: ignore[arg-type]
        "animation must be of type Animation, got None; plot.animate makes one",
    ),
    "animate": (
        lambda: plot.animate("left", [NEUTRAL]),  # type: ignore[arg-type]
        "arm must be an Arm, got str",
    ),
    "ik_convergence": (
        lambda: plot.ik_convergence("x"),  # type: ignore[arg-type]
        "results must be an IkResult, or several by name, got str",
    ),
    "ik_steps": (
        lambda: plot.ik_steps(Arm("left"), "x"),  # type: ignore[arg-type]
        "result must be of type IkResult, got str",
    ),
    "self_motion": (
        lambda: plot.self_motion("left", POSE),  # type: ignore[arg-type]
        "arm must be an Arm, got str",
    ),
    "external_torque": (
        lambda: plot.external_torque("x"),  # type: ignore[arg-type]
        "estimate must be of type ExternalTorque, got str",
    ),
    "workspace_map": (
        lambda: plot.workspace_map("map.zarr"),  # type: ignore[arg-type]
        "made must be of type Map, got str; workspace.open_map opens one",
    ),
    "workspace_reasons": (
        lambda: plot.workspace_reasons(None),  # type: ignore[arg-type]
        "made must be of type Map, got None",
    ),
    "map_report": (
        lambda: plot.map_report(None, "x.html"),  # type: ignore[arg-type]
        "made must be of type Map, got None",
    ),
}


@pytest.mark.parametrize("name", TAKEN_FOR_ANOTHER)
def test_what_is_of_another_type_is_refused_in_words(name: str) -> None:
    call, message = TAKEN_FOR_ANOTHER[name]
    with pytest.raises((InputError, ShapeError), match=re.escape(message)):
        call()


@pytest.mark.parametrize("name", PLOTTED)
def test_what_cannot_be_drawn_is_refused_in_words(
    name: str, require: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    require("matplotlib")
    monkeypatch.chdir(tmp_path)
    call, message = PLOTTED[name]
    with pytest.raises(InputError, match=re.escape(message)):
        call()
    assert not list(tmp_path.iterdir())
