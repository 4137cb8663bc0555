"""An identified robot in every verb: its mount, tool, payload, inertias and effects all count."""

from __future__ import annotations

import dataclasses
import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tolerances
from cli_files import write_recording
from test_every_verb import all_verbs
from test_exit_status import command_of

import baxterkit.trajectory
from baxterkit import Arm, Payload, plot
from baxterkit.experiments import demo
from baxterkit.sim import nominal_effects
from baxterkit.trajectory import Trajectory, min_jerk

WITHOUT = {
    *("tree", "reproduce", "completion"),
    *("workspace figure", "workspace grasps", "workspace info", "workspace report"),
    *("workspace score", "workspace table"),
    *("ros foxglove", "ros ik-service", "ros learn", "ros state"),
    *("ros doctor", "ros estop", "ros press", "ros replay", "ros teach", "ros teleop"),
    "ros calibrate-gripper",
}
"""Verbs that are not about one robot of the user, or get it elsewhere: from a map, over ROS."""


def identified() -> Arm:
    """A right arm with a mount, a tool, a payload, heavier links, tilted gravity and effects."""
    mount = np.array(Arm("right").model.T_base_s0)
    mount[:3, 3] += [0.01, -0.02, 0.03]
    arm = Arm("right", "electric_standard", mount, Payload(0.4), [0.1, 0.2, -9.8])
    links = tuple(dataclasses.replace(body, mass=1.1 * body.mass) for body in arm.model.inertials)
    model = dataclasses.replace(arm.model, inertials=links)
    return Arm.from_model(model, effects=nominal_effects())


@pytest.fixture(autouse=True)
def arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Arm:
    """The arm, alone in robot.toml of the folder that the test runs in."""
    monkeypatch.chdir(tmp_path)
    one = identified()
    one.to_file("robot.toml")
    return one


ROBOT = ("--robot", "robot.toml")


def test_every_verb_takes_a_robot_file() -> None:
    with_robot = {
        verb
        for verb in all_verbs()
        if any("--robot" in option.opts for option in command_of(verb).params)
    }
    assert with_robot == {*all_verbs()} - WITHOUT


def test_kinematics(cli: Any, arm: Arm) -> None:
    q = arm.configuration("untuck")
    T = arm.fk(q)
    assert np.allclose(cli("fk", "untuck", *ROBOT, "--json").json["position"], T[:3, 3])
    J = cli("jacobian", "untuck", *ROBOT, "--json").json["jacobian"]
    assert np.allclose(J, arm.jacobian(q))
    answer = cli("ik", 0.6, -0.3, 0.2, "--rpy", 3.1, 0, 0, "--seed", "untuck", *ROBOT, "--json")
    assert np.allclose(arm.fk(answer.json["q"])[:3, 3], [0.6, -0.3, 0.2])
    vacuum = json.loads(cli("fk", "untuck", *ROBOT, "--tool", "vacuum", "--json").out)
    assert np.allclose(vacuum["position"], arm.replace(tool="vacuum").fk(q)[:3, 3])


def test_dynamics(cli: Any, arm: Arm) -> None:
    q, qd = arm.configuration("untuck"), np.full(7, 0.3)
    words = ("dynamics", "untuck", "--qd", ",".join(["0.3"] * 7), *ROBOT, "--json")
    facts = cli(*words).json
    tau = arm.inverse_dynamics(q, qd, np.zeros(7))
    tolerances.assert_close(facts["torque"], tau, tolerances.TORQUE_ENGINE)
    other = arm.replace(tool="vacuum", payload=Payload(1.0))
    tau = other.inverse_dynamics(q, qd, np.zeros(7))
    changed = json.loads(cli(*words, "--tool", "vacuum", "--payload", "1").out)
    tolerances.assert_close(changed["torque"], tau, tolerances.TORQUE_ENGINE)


def test_info_and_dh(cli: Any, arm: Arm) -> None:
    facts = cli("info", *ROBOT, "--json").json
    assert (facts["side"], facts["tool"], facts["payload"]) == (
        "right",
        "electric_standard_narrow",
        0.4,
    )
    assert {"springs", "dry friction", "viscous friction"} <= {*facts["effects"]}
    assert np.allclose(facts["mount"], arm.model.T_base_s0)
    title = cli("info", *ROBOT).out
    assert (
        "right arm, tool electric_standard_narrow, payload 0.4 kg, joints with springs and" in title
    )
    table = cli("dh", *ROBOT, "--inertials", "--json").json
    masses = [link["mass"] for link in table["inertials"]]
    assert np.allclose(masses, [body.mass for body in arm.model.link_inertials()])
    assert "right arm of robot.toml" in cli("dh", *ROBOT).out
    cli("dh", *ROBOT, "--urdf", "robot.toml").fails_with(
        "give one of --urdf and --robot (see: baxterkit dh --help)"
    )


def test_trajectories(cli: Any, arm: Arm) -> None:
    facts = cli("trajectory", "move", "neutral", "untuck", *ROBOT, "-o", "m.json", "--json").json
    motion = Trajectory.load(Path("m.json"))
    tau = arm.inverse_dynamics(*motion.sample(motion.check_times()))
    tolerances.assert_close(facts["torque"], np.abs(tau).max(axis=0), 1e-9)


@pytest.mark.usefixtures("pictures_not_drawn")
def test_pictures(cli: Any, arm: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    write_recording(arm, Path("recording.csv"))
    rms = cli("plot", "torques", "recording.csv", *ROBOT, "--json").json["rms"]
    nominal = cli("plot", "torques", "recording.csv", "--side", "right", "--json").json["rms"]
    assert max(rms) < 0.2 < 5.0 < nominal[1]
    drawn: list[Any] = []
    both = plot.skeleton_both
    monkeypatch.setattr(
        plot, "skeleton_both", lambda robot, *a, **k: drawn.append(robot) or both(robot, *a, **k)
    )
    cli("plot", "skeleton", "--both", "untuck", *ROBOT)
    q = arm.configuration("untuck")
    assert np.allclose(drawn[0].right.fk(q), arm.fk(q))
    cli("plot", "skeleton", "--both", "untuck", *ROBOT, "--tool", "vacuum")
    assert [one.tool.name for one in (drawn[1].left, drawn[1].right)] == ["vacuum", "vacuum"]


@pytest.mark.parametrize("options", [(), ("--rigid",), ("--tool", "vacuum", "--payload", "0.2")])
def test_twin(cli: Any, arm: Arm, options: tuple[str, ...]) -> None:
    min_jerk(arm, arm.configuration("neutral"), arm.configuration("untuck")).stretched(2.0).save(
        "motion.json"
    )
    facts = json.loads(cli("twin", "motion.json", *ROBOT, *options, "--json").out)
    # Computed torque that knows the twin follows to fractions of a milliradian.
    assert max(facts["joint_rms"]) < 1e-3
    assert max(facts["torque_mae"]) < 1.0


def test_identification_starts_from_the_file(cli: Any, arm: Arm) -> None:
    write_recording(arm, Path("recording.csv"))
    words = ("identify", "recording.csv", *ROBOT, "--no-check", "-o", "again.toml", "--json")
    assert cli(*words).json["side"] == "right"  # the file does not say, the robot does
    assert Arm.from_file("again.toml").tool.name == "electric_standard_narrow"
    cli(*words, "--tool", "vacuum")
    assert Arm.from_file("again.toml").tool.name == "vacuum"


@pytest.mark.slow
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.usefixtures("pictures_not_drawn")
def test_the_demo_and_its_code(
    cli: Any, side: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def short(number: int, one: Arm) -> Trajectory:
        return min_jerk(one, one.configuration("neutral"), one.configuration("untuck")).stretched(
            1.5
        )

    monkeypatch.setattr(demo, "smith_set", short)
    monkeypatch.setattr(baxterkit.trajectory, "smith_set", short)
    if side == "left":  # alone in the file, and without effects of its own
        Path("robot.toml").unlink()
        Arm("left", "vacuum").to_file("robot.toml")
    runs = cli("demo", *ROBOT, "--json").json["runs"]
    text = Path("demo-out/report.html").read_text(encoding="utf-8")
    assert f"with its {side} hand" in text
    (code,) = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", text, re.DOTALL)
    scope: dict[str, Any] = {}
    exec(compile(html.unescape(code), "<report>", "exec"), scope)
    assert scope["arm"].side == side
    np.testing.assert_allclose(scope["rms"], runs["computed torque"]["joint_rms"], rtol=1e-6)
    assert max(scope["rms"]) < 2e-3


def test_a_map_is_of_the_arm_in_the_file(cli: Any) -> None:
    small = ("workspace", "map", "--step", "0.5", "--orientations", "4", *ROBOT)
    assert list(cli(*small, "-o", "a.zarr", "--json").json["arms"]) == ["right"]
    cli(*small, "-o", "b.zarr", "--side", "left").fails_with(
        "robot.toml does not hold the left arm, only the right one"
    )
    both = cli(*small, "-o", "c.zarr", "--side", "both")
    assert both.status == 0
    note = "Note: robot.toml does not hold the left arm; a nominal one stands in\n"
    assert both.err == note
    assert cli("export", "robot", "--to", "urdf", *ROBOT).err == note


def test_what_an_option_replaces_of_the_file_is_noted(cli: Any, arm: Arm) -> None:
    done = cli("dynamics", "untuck", *ROBOT, "--payload", "1", "--json")
    assert done.err == "Note: --payload replaces the 0.4 kg of the file\n"
    assert json.loads(done.out)["payload"]["mass"] == 1.0
    name = arm.tool.name
    assert cli("fk", "untuck", *ROBOT, "--tool", "vacuum").err == (
        f"Note: --tool replaces {name}, which robot.toml has in the right hand\n"
    )
    assert cli("fk", "untuck", *ROBOT, "--tool", name).err == ""
    bare = Arm("right")
    bare.to_file("bare.toml")
    assert (
        cli("dynamics", "untuck", "--robot", "bare.toml", "--payload", 1, "--tool", name).err == ""
    )
