"""The folder of MuJoCo files: it loads without baxterkit, and moves by our equations."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from pathlib import Path

import mujoco
import numpy as np
import pytest
from components import require
from cube_meshes import cube_description
from tolerances import TWIN_RUN, assert_close

from baxterkit import Arm, Baxter, Payload
from baxterkit.cli.app import run
from baxterkit.errors import InputError
from baxterkit.sim.mjcf import export_mjcf
from baxterkit.sim.parts import BodyPart, body_parts

STORED = 1e-6
"""Rounding of corners in STL files, which have single precision [m]."""
COLOR = 0.1
"""Rounding of a colour, 0 to 255."""
SINGLE_PRECISION = 1e-4
"""Difference of torques that are computed in single precision [N m]."""
FILES = ["baxter.xml", "baxter_grippers.xml", "scene.xml", "scene_grippers.xml"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_mjcf(tmp_path_factory.mktemp("mjcf") / "baxter").folder


def robot_of(name: str) -> Baxter:
    """The robot of a file."""
    tool = "electric_standard" if "grippers" in name else "hand"
    return Baxter(Arm("left", tool), Arm("right", tool))


@pytest.mark.parametrize("name", FILES)
def test_torques_and_tips_are_ours(folder: Path, name: str) -> None:
    model = mujoco.MjModel.from_xml_path(str(folder / name))
    data, robot, rng = mujoco.MjData(model), robot_of(name), np.random.default_rng(0)
    for _ in range(10):
        mujoco.mj_resetData(model, data)
        states = {}
        for side in ("left", "right"):
            arm = getattr(robot, side)
            q = rng.uniform(arm.limits.lower, arm.limits.upper)
            qd, qdd = rng.normal(size=(2, 7))
            states[side] = q, qd, qdd
            for j, joint in enumerate(arm.joint_names):
                data.joint(joint).qpos, data.joint(joint).qvel = q[j], qd[j]
                data.joint(joint).qacc = qdd[j]
        acceleration = data.qacc.copy()
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        mujoco.mj_forward(model, data)
        data.qacc[:] = acceleration
        mujoco.mj_inverse(model, data)
        for side, state in states.items():
            arm = getattr(robot, side)
            rows = [model.joint(joint).dofadr[0] for joint in arm.joint_names]
            torque = data.qfrc_inverse[rows] + data.qfrc_constraint[rows]
            assert_close(torque, arm.inverse_dynamics(*state), TWIN_RUN)
            assert_close(data.site(f"{side}_tip").xpos, arm.fk(state[0])[:3, 3], TWIN_RUN)


@pytest.mark.parametrize("name", FILES)
def test_names_limits_sensors_and_keyframes(folder: Path, name: str) -> None:
    model = mujoco.MjModel.from_xml_path(str(folder / name))
    data, robot = mujoco.MjData(model), robot_of(name)
    for arm in (robot.left, robot.right):
        for j, joint in enumerate(arm.joint_names):
            assert model.joint(joint).range.tolist() == [arm.limits.lower[j], arm.limits.upper[j]]
            assert model.actuator(joint).ctrlrange[1] == arm.limits.effort[j]
        for k, name in enumerate(("neutral", "untuck", "tuck")):
            assert model.key(k).name == name
            mujoco.mj_resetDataKeyframe(model, data, k)
            mujoco.mj_forward(model, data)
            for j, joint in enumerate(arm.joint_names):
                assert data.sensor(f"{joint}_position").data[0] == arm.configuration(name)[j]
            tip = data.sensor(f"{arm.side}_tip_pos").data
            assert_close(tip, arm.fk(arm.configuration(name))[:3, 3], TWIN_RUN)
            assert data.ncon == 0, name


def test_bodies_that_touch_collide_and_those_that_cannot_are_left_out(folder: Path) -> None:
    model = mujoco.MjModel.from_xml_path(str(folder / "baxter.xml"))
    data, robot, rng = mujoco.MjData(model), Baxter(), np.random.default_rng(4)
    limits = robot.left.limits
    both = 0
    for _ in range(60):
        q = rng.uniform(limits.lower, limits.upper, (2, 7))
        data.qpos[:14] = q.reshape(14)
        mujoco.mj_forward(model, data)
        ours = bool(robot.in_collision(*q))
        theirs = any(contact.dist < contact.includemargin for contact in data.contact)
        assert theirs or not ours  # MuJoCo's shapes are those of the checker, or larger
        both += ours
    assert both > 5
    assert model.nexclude > 20


def test_fingers_open_and_close(folder: Path) -> None:
    model = mujoco.MjModel.from_xml_path(str(folder / "baxter_grippers.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 1)
    model.opt.gravity[:] = 0.0
    travel = model.joint("left_finger_1").range[1]
    for goal in (0.0, travel):
        data.actuator("left_gripper").ctrl = goal
        for _ in range(800):
            mujoco.mj_step(model, data)
        for finger in ("left_finger_1", "left_finger_2"):
            assert abs(data.joint(finger).qpos[0] - goal) < 1e-3


@pytest.mark.parametrize("name", ["baxter.xml", "baxter_grippers.xml"])
def test_what_is_seen_is_the_look_on_its_bodies(folder: Path, name: str) -> None:
    """Meshes in the file's bodies are where our own drawing has them; they touch nothing."""
    model = mujoco.MjModel.from_xml_path(str(folder / name))
    data, robot, grippers = mujoco.MjData(model), robot_of(name), "grippers" in name
    mujoco.mj_resetDataKeyframe(model, data, 1)
    mujoco.mj_forward(model, data)
    seen = np.flatnonzero(model.geom_group == 2)
    assert (model.geom_type[seen] == int(mujoco.mjtGeom.mjGEOM_MESH)).all()
    assert not (model.geom_contype[seen] | model.geom_conaffinity[seen]).any()
    parts = list(body_parts(robot, None, fingers=grippers))
    by_body: dict[str, list[BodyPart]] = {}
    for part in parts:
        by_body.setdefault("base" if part.body == "world" else part.body, []).append(part)
    assert len(seen) == len(parts)
    for geom in seen:
        body = model.geom_bodyid[geom]
        part = by_body[model.body(body).name].pop(0)
        mesh = model.mesh(model.geom_dataid[geom])
        first, count = mesh.vertadr[0], mesh.vertnum[0]
        own = model.mesh_vert[first : first + count] @ data.geom_xmat[geom].reshape(3, 3).T
        wanted = part.mesh.vertices @ data.xmat[body].reshape(3, 3).T + data.xpos[body]
        ends = (own + data.geom_xpos[geom]).min(axis=0), (own + data.geom_xpos[geom]).max(axis=0)
        assert_close(ends, (wanted.min(axis=0), wanted.max(axis=0)), STORED)
        assert_close(255.0 * model.mat_rgba[model.geom_matid[geom]][:3], part.color, COLOR)


def test_meshes_of_a_description_are_written_once_with_their_licence(tmp_path: Path) -> None:
    description = cube_description(tmp_path / "description")
    (description / "LICENSE").write_text("BSD")
    written = export_mjcf(tmp_path / "baxter", meshes=description)
    assert (tmp_path / "baxter" / "LICENSE").read_text() == "BSD"
    names = [path.name for path in written.meshes]
    assert not any(name.startswith(("left", "right")) for name in names)  # both arms have the same
    assert sum(name.startswith("base_link") for name in names) == 2  # a cube is two meshes ...
    assert not any("mesh" in name for name in names)  # ... and those of all links are the same
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "baxter" / "scene_grippers.xml"))
    assert (model.geom_group == 2).sum() == len(list(body_parts(robot_of("grippers"), description)))


def test_rethinks_meshes_load(tmp_path: Path) -> None:
    require("meshes")
    folder = export_mjcf(tmp_path / "baxter", meshes=os.environ["BAXTERKIT_MESHES"]).folder
    assert mujoco.MjModel.from_xml_path(str(folder / "scene.xml")).nmeshface > 200_000


def test_other_robots_and_wrong_folders(tmp_path: Path) -> None:
    arm = Arm("left", "vacuum", payload=Payload(0.4))
    export_mjcf(tmp_path / "one", Baxter(arm, Arm("right")))
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "one" / "baxter.xml"))
    assert model.body("left_w2_link").mass[0] == arm.model.link_inertials()[-1].mass
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file; give a folder"):
        export_mjcf(tmp_path / "file")


def test_arms_with_two_gravities_are_refused(tmp_path: Path) -> None:
    """A MuJoCo model has one: their mean was written, and torques were off by 3 N m."""
    tilted = Baxter(Arm("left", gravity_vector=[1.0, -0.5, -9.6]))
    said = (
        r"left arm is \[1.0, -0.5, -9.6\] m/s², of the right one \[.*-9.81\].*choose it: robot.rep"
    )
    with pytest.raises(InputError, match=said):
        export_mjcf(tmp_path / "baxter", tilted)
    one = tilted.left.replace(gravity_vector=tilted.right.model.gravity)
    assert export_mjcf(tmp_path / "baxter", tilted.replace(left=one)).files


def test_the_verb_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "baxter")
    assert run(["export", "mjcf", "-o", folder, "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written["files"] == [*FILES, "README.md"]
    assert {"chest.stl", "s0_shell.stl"} <= set(written["meshes"])
    assert run(["export", "mjcf", "-o", folder]) == 0  # once more into the same folder
    capsys.readouterr()
    assert run(["export", "mjcf"]) != 0
    assert "-o FOLDER" in capsys.readouterr().err
    assert run(["export", "mjcf", "-o", folder, "--parameters"]) != 0
    assert run(["export", "fk", "--to", "c", "--meshes", str(tmp_path)]) != 0
    assert "--meshes is for mjcf" in capsys.readouterr().err
    assert run(["export", "mjcf", "-o", folder, "--meshes", str(tmp_path)]) != 0
    assert "a baxter_description has one" in capsys.readouterr().err


@pytest.mark.acceptance
def test_mjx_and_warp_load_it_without_baxterkit(folder: Path, tmp_path: Path) -> None:
    """In an environment of their own; in single precision."""
    venv.create(tmp_path / "env", with_pip=True)
    python = str(tmp_path / "env" / "bin" / "python")
    engines = ["mujoco-mjx", "mujoco-warp"]
    subprocess.run([python, "-m", "pip", "install", "-q", *engines], check=True)
    script = Path(__file__).with_name("mjcf_elsewhere.py")
    for name in ("baxter.xml", "scene.xml"):
        done = subprocess.run(
            [python, str(script), str(folder / name)], capture_output=True, text=True, check=True
        )
        lines = [line.split() for line in done.stdout.splitlines()]
        off = {words[0]: float(words[1]) for words in lines if words[:1] in (["mjx"], ["warp"])}
        assert off.keys() == {"mjx", "warp"}
        assert max(off.values()) < SINGLE_PRECISION, off
