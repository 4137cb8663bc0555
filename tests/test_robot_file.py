"""robot.toml: written and read without loss, and clear about what is wrong with a file."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import problems
import pytest

from baxterkit import Arm, Baxter, Payload, robot_file
from baxterkit.dynamics.joint_effects import Hysteresis, JointEffects
from baxterkit.errors import ModelError, ModelWarning
from baxterkit.model.model import ArmModel


def odd_arm(side: str) -> Arm:
    """An arm whose every number needs all its digits."""
    rng = problems.generator(f"robot file {side}")
    arm = Arm(
        side, "electric_standard", mount="pykdl_robot", payload=Payload(1 / 3, [0.1, 0.2, 1 / 7])
    )
    bodies = [
        dataclasses.replace(body, mass=body.mass * x, com=body.com + y)
        for body, x, y in zip(
            arm.model.inertials, rng.uniform(0.9, 1.1, 7), rng.normal(0, 0.01, 7), strict=True
        )
    ]
    joints = [
        dataclasses.replace(joint, upper=joint.upper - x, effort=np.inf)
        for joint, x in zip(arm.model.joints, rng.uniform(0, 0.1, 7), strict=True)
    ]
    model = dataclasses.replace(
        arm.model, inertials=tuple(bodies), joints=tuple(joints), gravity=rng.normal(0, 9.81, 3)
    )
    effects = JointEffects(
        bias=rng.normal(size=7),
        coulomb=rng.random(7),
        viscous=rng.random(7),
        speed=rng.random(7) + 0.01,
        spring_sin=rng.normal(size=(7, 2)),
        spring_cos=rng.normal(size=(7, 2)),
        stiffness=[843.0] * 4 + [np.inf] * 3,
        hysteresis=Hysteresis(*rng.random((5, 7))),
    )
    return Arm.from_model(model, effects=effects)


def same(a: object, b: object) -> bool:
    """Whether two models or effects have the same numbers, digit for digit."""
    if isinstance(a, np.ndarray):
        return bool((a == b).all())
    if dataclasses.is_dataclass(a):
        names = [field.name for field in dataclasses.fields(a)]
        return all(same(getattr(a, name), getattr(b, name)) for name in names)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def test_round_trip_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    for side in ("left", "right"):
        odd_arm(side).to_file(path, {"sources": ['a "quoted" name.csv', "b\\c"], "rows": 7})
    for side in ("left", "right"):
        arm, read = odd_arm(side), Arm.from_file(path, side)
        assert same(arm.model, read.model)
        assert same(arm.effects, read.effects)
        provenance = robot_file.read(path, side).provenance
        assert provenance == {"sources": ['a "quoted" name.csv', "b\\c"], "rows": 7}
    again = tmp_path / "again.toml"
    robot_file.write_arms(again, robot_file.read_arms(path))
    assert again.read_text() == path.read_text()


def test_writing_one_arm_keeps_the_other(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    odd_arm("right").to_file(path)
    Arm("left").to_file(path)
    odd_arm("left").to_file(path)
    assert same(Arm.from_file(path, "right").model, odd_arm("right").model)
    assert same(Arm.from_file(path, "left").model, odd_arm("left").model)


def test_both_arms_are_written_at_once(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    odd_arm("left").to_file(path, {"mount": {"tool": "hand"}})
    Baxter(odd_arm("left"), Arm("right", "vacuum")).to_file(path)
    again = Baxter.from_file(path)
    assert same(again.left.model, odd_arm("left").model)
    assert same(again.right.model, Arm("right", "vacuum").model)
    assert again.left.effects is not None
    assert robot_file.read_arms(path)["left"].provenance == {"mount": {"tool": "hand"}}


def test_where_the_mount_comes_from_stays_noted_with_the_mount(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    arm = odd_arm("left")
    arm.to_file(path, {"mount": {"tool": "hand"}})
    arm.to_file(path, {"dynamics": {"rows": 3}})
    provenance = robot_file.read(path, "left").provenance
    assert provenance == {"mount": {"tool": "hand"}, "dynamics": {"rows": 3}}
    Arm("left").to_file(path, {"dynamics": {"rows": 4}})
    assert robot_file.read(path, "left").provenance == {"dynamics": {"rows": 4}}


def test_swapped_arms_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    for side in ("left", "right"):
        Arm(side).to_file(path)
    text = path.read_text()
    parts = (("[left", "[?"), ("[right", "[left"), ("[?", "[right"))
    for old, new in parts:
        text = text.replace(old, new)
    path.write_text(text)
    with pytest.warns(ModelWarning, match=r"0 m from .* arm, and 0\.518 m from its own") as caught:
        Baxter.from_file(path)
    assert len(caught) == 2
    assert caught[0].filename == __file__


def test_a_file_need_not_say_everything(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    path.write_text("format = 1\n[left]\n[left.effects]\ncoulomb = [1, 1, 1, 1, 1, 1, 1]\n")
    arm = Arm.from_file(path)
    assert same(arm.model, Arm("left").model)
    assert arm.effects is not None
    assert (arm.effects.coulomb == 1.0).all()


BODY = "mass = 1.0\ncom = [0, 0, 0]\ninertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format = ", "FILE is not TOML: Invalid value (at end of document)"),
        ("", "FILE: format is missing"),
        ("format = 2", "FILE: format = 2 is not known here; this version reads format = 1"),
        ("format = 1", "FILE holds no arm; it needs a table [left] or [right]"),
        ("format = 1\nmiddle = 2", "FILE: middle is not known; available: format, left, right"),
        ("format = 1\nleft = 3", "FILE: left must be a table, got int 3"),
        (
            "format = 1\n[left]\nmounts = 1",
            "FILE: left.mounts is not known; available: mount, gravity, tool, payload, link, "
            "limits, effects, tare, frames, provenance",
        ),
        (
            "format = 1\n[left]\ngravity = [0, 0]",
            "FILE: left.gravity must be numbers of shape (3), got list [0, 0]",
        ),
        ("format = 1\n[left]\ngravity = [0, 0, nan]", "FILE: left.gravity holds nan"),
        (
            "format = 1\n[left]\ngravity = [0, 0, true]",
            "FILE: left.gravity must be numbers of shape (3), got list [0, 0, True]",
        ),
        (
            f"format = 1\n[left.payload]\n{BODY}".replace("1.0", "-1.0"),
            "FILE: left.payload: mass is -1 kg; it must not be negative",
        ),
        (
            f"format = 1\n[left.payload]\n{BODY}".replace("1.0", "inf"),
            "FILE: left.payload.mass holds inf",
        ),
        (
            "format = 1\n[left]\ngravity = [0, 0, -9810]",
            "FILE: left: gravity is 9810 m/s², beyond 100; lengths are in m, masses in kg",
        ),
        (
            "format = 1\n[left]\nmount = [[1, 0, 0, 64], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]",
            "FILE: left: mount is 64 m away, beyond 10; lengths are in m, masses in kg",
        ),
        (
            f"format = 1\n[left.payload]\n{BODY}".replace("1.0", "450.0"),
            "FILE: left: link w2 is of 450.542 kg, beyond 100; lengths are in m, masses in kg",
        ),
        (f"format = 1\n[left.link.s0]\n{BODY}", "FILE: left.link.s1 is missing"),
        (
            "format = 1\n[left.effects]\ncoulomb = [0, 0, 0, 0, 0, 0, -1]",
            "FILE: left.effects: coulomb[6] = -1 is negative; friction never drives a joint",
        ),
        (
            "format = 1\n[left.effects]\nspring_sin = [1, 2]",
            "FILE: left.effects.spring_sin must be numbers of shape (7, n), got list [1, 2]",
        ),
        (
            "format = 1\n[left.tool]\nname = 4\nT_hand_tip = []",
            "FILE: left.tool.name must be text, got int 4",
        ),
        (
            "format = 1\n[left.effects.hysteresis]\ntorque = [1]",
            "FILE: left.effects.hysteresis.torque must be numbers of shape (7), got list [1]",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::baxterkit.errors.UnitsWarning")  # 450 kg are refused anyway
def test_malformed_files_are_named_with_the_entry(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "robot.toml"
    path.write_text(text)
    with pytest.raises(ModelError) as caught:
        Arm.from_file(path, "left")
    assert str(caught.value) == message.replace("FILE", str(path))


def test_files_that_are_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        Arm.from_file(tmp_path / "none.toml")
    assert str(caught.value) == f"there is no file {tmp_path / 'none.toml'}"
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\x80\xfe\x00")
    with pytest.raises(ModelError, match="line 1: this is not text"):
        Arm.from_file(binary)
    with pytest.raises(ModelError, match="line 1: this is not text"):
        Arm("left").to_file(binary)


def test_writing_gives_the_path_and_refuses_other_endings(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    assert Arm("left").to_file(str(path)) == path
    assert Baxter().to_file(path) == path
    for write in (Arm("left").to_file, Baxter().to_file):
        with pytest.raises(ModelError) as caught:
            write(tmp_path / "robot.json")
        message = f"{tmp_path / 'robot.json'}: a robot is a .toml file; call it robot.toml"
        assert str(caught.value) == message
    assert list(tmp_path.iterdir()) == [path]


def test_which_arm_must_be_said_where_there_are_two(tmp_path: Path) -> None:
    path = tmp_path / "robot.toml"
    Arm("left").to_file(path)
    with pytest.raises(ModelError) as caught:
        Arm.from_file(path, "right")
    assert str(caught.value) == f"{path} does not hold the right arm, only the left one"
    Arm("right").to_file(path)
    with pytest.raises(ModelError) as caught:
        Arm.from_file(path)
    assert str(caught.value) == f"{path} holds both arms; say which with side='left' or 'right'"


def test_other_geometry_is_not_written(tmp_path: Path) -> None:
    model = Arm("left").model
    joints = list(model.joints)
    T = np.array(joints[3].T_parent_joint)
    T[0, 3] += 0.1
    joints[3] = dataclasses.replace(joints[3], T_parent_joint=T)
    other: ArmModel = dataclasses.replace(model, joints=tuple(joints))
    with pytest.raises(ModelError) as caught:
        Arm.from_model(other).to_file(tmp_path / "robot.toml")
    expected = "a robot file holds arms with Baxter's joints; this one has others"
    assert str(caught.value) == expected
    with pytest.raises(ModelError, match="cannot be written to a file"):
        Arm("left").to_file(tmp_path / "robot.toml", {"what": object()})


def test_urdf_of_an_arm_with_effects_says_that_they_are_left_out() -> None:
    note = "Rigid arm only: springs, friction and bias of this arm's joints are not in."
    arm = Arm("left").with_effects(bias=np.ones(7))
    assert f"<!-- {note} -->" in arm.to_urdf()
    assert Arm.from_urdf(arm.to_urdf()).effects is None
    assert note not in arm.with_effects(None).to_urdf()
