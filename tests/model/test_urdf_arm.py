"""URDF files become arms: Rethink's file, a real robot's dump, and what we write ourselves."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tolerances import ROUND_TRIP, assert_close
from urdf_texts import J, model_difference, serial

from baxterkit.errors import UrdfError
from baxterkit.model.library import baxter_arm, geometry_difference, nominal_geometry
from baxterkit.model.model import ArmModel, Inertial, Payload, Tool
from baxterkit.model.urdf import arm_from_urdf
from baxterkit.model.urdf_reader import read_urdf
from baxterkit.model.urdf_writer import write_urdf
from baxterkit.spatial import rpy_to_matrix, so3_exp, transform

Require = Callable[[str], None]
RETHINK = "baxter_v1.2.0.urdf"
DUMP = "baxter_calibrated_robot_a.urdf"
SIDES = ("left", "right")


@pytest.mark.parametrize("side", SIDES)
def test_rethinks_file_gives_the_built_in_arm(urdf_dir: Path, side: str) -> None:
    model, nominal = arm_from_urdf(urdf_dir / RETHINK, side), baxter_arm(side)
    assert model.is_baxter_geometry
    assert_close(model.T_base_s0, nominal.T_base_s0, 0.0)
    assert_close(model.limits.lower, nominal.limits.lower, 0.0)
    assert_close(model.limits.effort, nominal.limits.effort, 0.0)
    # Its links of 0.1 g (cameras, shells) are lumped in; the built-in arm leaves them out.
    dummies = [0.0, 0.0001, 0.0, 0.0001, 0.0001, 0.0, 0.0006]
    for a, b, extra in zip(model.inertials, nominal.inertials, dummies, strict=True):
        assert a.mass - b.mass == pytest.approx(extra, abs=1e-15)
        assert np.abs(a.com - b.com).max() < 2e-4


def test_every_snap_is_reported(urdf_dir: Path) -> None:
    tree = read_urdf(urdf_dir / RETHINK)
    model = arm_from_urdf(urdf_dir / RETHINK, "left")
    lines = (urdf_dir / RETHINK).read_text().splitlines()
    assert 0 < len(model.snaps) < len(tree.snaps)
    for snap in tree.snaps:
        assert repr(snap.value) in lines[snap.line - 1] or f"{snap.value}" in lines[snap.line - 1]
        assert 0.0 < abs(snap.value - snap.snapped) <= 1e-8
        assert snap.snapped % (np.pi / 2) == 0.0
    first = next(snap for snap in model.snaps if "left_s1" in snap.element)
    assert str(first) == (
        f"line {first.line}, joint 'left_s1': roll -1.57079632679 -> -1.5707963267948966 "
        "(-4.9e-12 rad)"
    )
    assert not any("right" in snap.element for snap in model.snaps)
    assert all("head" not in snap.element for snap in model.snaps)


@pytest.mark.parametrize("side", SIDES)
def test_a_real_robots_dump_has_its_own_mount(urdf_dir: Path, side: str) -> None:
    model = arm_from_urdf(urdf_dir / DUMP, side)
    origins = {
        "left": ([0.0229088, 0.220982, 0.106714], [-0.0179406, 0.0117677, 0.786034]),
        "right": ([0.0245182, -0.218624, 0.10866], [-0.00321838, -0.00564277, -0.78571]),
    }
    xyz, rpy = origins[side]
    to_s0 = transform(np.eye(3), [0.055695, 0.0, 0.011038])
    assert_close(model.T_base_s0, transform(rpy_to_matrix(rpy), xyz) @ to_s0, 1e-16)
    # It prints pi/2 as 1.5708 and worse, which is no right angle to 1e-8; wider, it is Baxter.
    assert 1e-6 < geometry_difference(model) < 2e-5
    assert arm_from_urdf(urdf_dir / DUMP, side, snap=2e-5).is_baxter_geometry
    exact = nominal_geometry(model)
    assert exact.is_baxter_geometry
    assert_close(exact.T_base_s0, model.T_base_s0, 0.0)


def test_a_dumps_geometry_is_read_as_it_stands(urdf_dir: Path, require: Require) -> None:
    require("pinocchio")
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(urdf_dir / DUMP))
    data = model.createData()
    frame = model.getFrameId("left_hand", pinocchio.FrameType.BODY)
    arm = arm_from_urdf(urdf_dir / DUMP, "left")
    generator = np.random.default_rng(0)
    for _ in range(20):
        q = generator.uniform(arm.limits.lower, arm.limits.upper)
        whole = pinocchio.neutral(model)
        for name, value in zip(arm.joint_names, q, strict=True):
            whole[model.joints[model.getJointId(name)].idx_q] = value
        pinocchio.framesForwardKinematics(model, data, whole)
        assert_close(tip_pose(arm, q), data.oMf[frame].homogeneous, 1e-14)


def tip_pose(model: ArmModel, q: np.ndarray) -> np.ndarray:
    """FK by products, written out."""
    T = model.T_base_s0
    for joint, angle in zip(model.joints, q, strict=True):
        T = T @ joint.T_parent_joint @ transform(so3_exp(angle * joint.axis), np.zeros(3))
    return T @ model.T_last_hand @ model.T_hand_tip


def arms() -> list[ArmModel]:
    """Arms that try what writing could get wrong."""
    body = Inertial(0.5, [0.01, 0.0, 0.05], np.diag([1e-3, 2e-3, 2.5e-3]))
    tip = transform(rpy_to_matrix([0.3, np.pi / 2, 0.4]), [0.1, 0.2, 0.3])
    lock = transform(rpy_to_matrix([0.3, -np.pi / 2 + 1e-9, 0.4]), [0.1, 0.2, 0.3])
    thin_rod = np.diag([0.01, 0.01, 0.0])
    return [
        baxter_arm("left"),
        baxter_arm("right", tool="electric_extended", payload=Payload(1.2, [0, 0, 0.1], thin_rod)),
        baxter_arm("left", tool=Tool('a "strange" <tool> & more', tip, body), mount=lock),
        baxter_arm(
            "right", tool="vacuum", mount=tip, payload=Payload(2.0), gravity=[1.0, 2.0, 3.0]
        ),
        # A mount tilted by less than the snap tolerance is not snapped in our own files.
        baxter_arm("left", mount=transform(so3_exp([3e-9, -2e-9, 0.7]), [1e-9, 0.25, 0.12])),
    ]


@pytest.mark.parametrize("model", arms(), ids=range(5))
def test_written_and_read_again_it_is_the_same_arm(model: ArmModel) -> None:
    again = arm_from_urdf(write_urdf(model), model.side)
    assert model_difference(again, model) <= ROUND_TRIP
    assert again.snaps == ()


@pytest.mark.slow
@given(st.tuples(*[st.floats(-np.pi, np.pi)] * 3), st.tuples(*[st.floats(-1.0, 1.0)] * 3))
def test_any_mount_survives_the_round_trip(rpy: tuple[float, ...], xyz: tuple[float, ...]) -> None:
    model = baxter_arm("left", mount=transform(rpy_to_matrix(rpy), xyz))
    again = arm_from_urdf(write_urdf(model), "left")
    assert_close(again.T_base_s0, model.T_base_s0, ROUND_TRIP)


@pytest.mark.parametrize("model", arms(), ids=range(5))
def test_pinocchio_reads_the_same_kinematics_and_inertias(
    model: ArmModel, require: Require
) -> None:
    require("pinocchio")
    import pinocchio

    engine = pinocchio.buildModelFromXML(write_urdf(model))
    assert list(engine.names)[1:] == list(model.joint_names)
    tip = engine.nframes - 1
    assert engine.frames[tip].name == f"{model.side}_tip"
    data = engine.createData()
    generator = np.random.default_rng(1)
    for q in generator.uniform(model.limits.lower, model.limits.upper, (50, 7)):
        pinocchio.framesForwardKinematics(engine, data, q)
        assert_close(data.oMf[tip].homogeneous, tip_pose(model, q), 1e-14)
    for i, body in enumerate(model.link_inertials(), start=1):
        assert engine.inertias[i].mass == pytest.approx(body.mass, abs=1e-15)
        assert_close(engine.inertias[i].lever, body.com, 1e-16)
        assert_close(engine.inertias[i].inertia, body.inertia, 1e-16)
    assert_close(engine.lowerPositionLimit, model.limits.lower, 0.0)
    assert_close(engine.upperPositionLimit, model.limits.upper, 0.0)


@pytest.mark.parametrize("model", arms(), ids=range(5))
def test_mujoco_and_pinocchio_find_the_same_mass_matrix(model: ArmModel, require: Require) -> None:
    require("mujoco")
    require("pinocchio")
    import mujoco
    import pinocchio

    text = write_urdf(model)
    twin, engine = mujoco.MjModel.from_xml_string(text), pinocchio.buildModelFromXML(text)
    twin_data, data = mujoco.MjData(twin), engine.createData()
    assert twin.nq == twin.nbody - 1 == 7  # fixed links are fused
    for q in np.random.default_rng(2).uniform(model.limits.lower, model.limits.upper, (10, 7)):
        twin_data.qpos[:] = q
        mujoco.mj_forward(twin, twin_data)
        M = np.zeros((7, 7))
        mujoco.mj_fullM(twin, twin_data, M)
        upper = np.triu(pinocchio.crba(engine, data, q))
        assert_close(M, upper + np.triu(upper, 1).T, 1e-13)


def test_the_file_is_laid_out_as_promised() -> None:
    text = write_urdf(baxter_arm("left", tool="electric_standard"))
    tree = read_urdf(text)
    assert tree.root == next(iter(tree.links)) == "base"
    assert list(tree.links)[-1] == "left_tip"
    assert not set(tree.links) & set(tree.joints)
    moving = [joint.name for joint in tree.joints.values() if joint.kind != "fixed"]
    assert moving == list(baxter_arm("left").joint_names)
    # The first joint's origin is the mount.
    assert_close(tree.joints["left_s0"].T_parent_joint, baxter_arm("left").T_base_s0, ROUND_TRIP)
    numbers = re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text)
    assert max(len(re.sub(r"e.*|\D", "", number).lstrip("0")) for number in numbers) <= 17


def test_names_with_line_breaks_survive_the_round_trip() -> None:
    model = baxter_arm("left")
    joints = [
        dataclasses.replace(joint, link=f"a{odd}b")
        for joint, odd in zip(model.joints, ("\n", "\t", "\r", "<", ">", '"', "&#10;"), strict=True)
    ]
    odd_arm = dataclasses.replace(model, joints=tuple(joints))
    again = arm_from_urdf(write_urdf(odd_arm), "left")
    assert [joint.link for joint in again.joints] == [joint.link for joint in joints]


def test_another_tool_can_be_asked_for() -> None:
    text = write_urdf(baxter_arm("left", tool="vacuum"))
    assert arm_from_urdf(text, "left").tool.name == "vacuum"
    assert arm_from_urdf(text, "left", tool="electric_extended").T_hand_tip[2, 3] == 0.1577
    bare = arm_from_urdf(text, "left", tool="hand")
    assert model_difference(bare, baxter_arm("left")) <= ROUND_TRIP


def test_a_record_that_does_not_fit_the_links_is_refused() -> None:
    text = write_urdf(baxter_arm("left", tool="vacuum"))
    mass = f'<mass value="{0.35093 + 0.19125 + 0.3!r}"/>'
    assert text.count(mass) == 1
    with pytest.raises(UrdfError) as caught:
        arm_from_urdf(text.replace(mass, '<mass value="0.9"/>'), "left")
    assert caught.value.message == (
        "its record of tool and payload does not add up to link 'left_wrist'; "
        "remove the <baxterkit> element if the link was edited by hand"
    )
    assert (caught.value.element, caught.value.line) == ("<baxterkit>", 4)


def test_a_record_of_an_impossible_payload_is_refused() -> None:
    text = write_urdf(baxter_arm("left", payload=Payload(1.5, inertia=np.eye(3))))
    impossible = text.replace('<inertia ixx="1"', '<inertia ixx="3"')
    assert impossible != text
    with pytest.raises(UrdfError, match="line 4, <baxterkit>: payload inertia breaks the triangle"):
        arm_from_urdf(impossible, "left")


def test_an_inertia_that_no_body_has_is_refused() -> None:
    text = write_urdf(baxter_arm("left"))
    with pytest.raises(UrdfError) as caught:
        arm_from_urdf(text.replace('ixx="0.04709102262"', 'ixx="1"'), "left")
    assert caught.value.message.startswith(
        "it and all that is fixed to it: inertia breaks the triangle inequality"
    )
    assert caught.value.element == "link 'left_upper_shoulder'"


def test_free_joints_are_written_as_continuous() -> None:
    model = baxter_arm("left")
    free = dataclasses.replace(
        model.joints[0], lower=-np.inf, upper=np.inf, velocity=np.inf, effort=np.inf
    )
    free_arm = dataclasses.replace(model, joints=(free, *model.joints[1:]))
    text = write_urdf(free_arm)
    assert '<joint name="left_s0" type="continuous">' in text
    assert model_difference(arm_from_urdf(text, "left"), free_arm) <= ROUND_TRIP


def test_what_is_fixed_or_hangs_aside_is_lumped_in() -> None:
    # link1 moves; link2 is fixed to it; link3 slides on link2 but is not on the way to link2.
    text = serial(
        [J("revolute"), J("fixed", (0.0, 0.0, 1.0), (np.pi / 2, 0.0, 0.0)), J("prismatic")]
    )
    tree = read_urdf(text)
    chain = tree.chain("link0", "link2")
    assert [joint.name for joint in chain.joints] == ["joint1"]
    assert_close(chain.T_last_tip, tree.joints["joint2"].T_parent_joint, 0.0)
    body = tree.links["link1"].inertial
    assert body is not None
    T = tree.joints["joint2"].T_parent_joint
    expected = body.combine(body.at(T)).combine(body.at(T))
    assert chain.inertials[0].mass == 6.0
    assert_close(chain.inertials[0].com, expected.com, 1e-16)
    assert_close(chain.inertials[0].inertia, expected.inertia, 1e-15)
    # On the way to link3, the slider carries its own link.
    longer = tree.chain("link0", "link3")
    assert [joint.kind for joint in longer.joints] == ["revolute", "prismatic"]
    assert [inertial.mass for inertial in longer.inertials] == [4.0, 2.0]


def test_defaults_are_urdfs() -> None:
    text = (
        '<robot><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    joint = read_urdf(text).joints["j"]
    assert_close(joint.axis, [1.0, 0.0, 0.0], 0.0)
    assert_close(joint.T_parent_joint, np.eye(4), 0.0)
    assert (joint.lower, joint.upper) == (-np.inf, np.inf)


@pytest.mark.parametrize("axis", [(0.0, 0.0, 2.0), (1e-200, 0.0, 0.0), (1.0, 1.0, 1.0)])
def test_axes_are_made_unit_vectors(axis: tuple[float, ...]) -> None:
    joint = read_urdf(serial([J("revolute", axis=axis)])).joints["joint1"]
    assert np.linalg.norm(joint.axis) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("snap", [0.0, 1e-8, 1e-3])
def test_the_snap_tolerance_is_kept(snap: float) -> None:
    text = serial([J("revolute", rpy=(np.pi / 2 + 5e-9, 1e-4, 0.7854))])
    snaps = read_urdf(text, snap).snaps
    assert [s.angle for s in snaps] == {0.0: [], 1e-8: ["roll"], 1e-3: ["roll", "pitch"]}[snap]


@pytest.mark.parametrize(("off", "snaps"), [(0.9e-8, 1), (2e-8, 0), (-2e-8, 0)])
def test_without_a_word_only_angles_within_1e_8_are_snapped(off: float, snaps: int) -> None:
    text = serial([J("revolute", rpy=(np.pi / 2 + off, 0.0, 0.0))])
    tree = read_urdf(text)
    assert len(tree.snaps) == snaps
    expected = rpy_to_matrix([np.pi / 2 + (0.0 if snaps else off), 0.0, 0.0])
    assert_close(tree.joints["joint1"].T_parent_joint[:3, :3], expected, 0.0)


def test_path_text_and_bytes_read_alike(tmp_path: Path) -> None:
    text = write_urdf(baxter_arm("left", tool=Tool("größe", np.eye(4))))
    path = tmp_path / "arm.urdf"
    path.write_text(text, encoding="utf-8")
    for source in (text, text.encode(), path, str(path)):
        again = arm_from_urdf(source, "left")
        assert again.tool.name == "größe"
        assert model_difference(again, arm_from_urdf(text, "left")) == 0.0
