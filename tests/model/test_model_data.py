"""Baxter's numbers, and the objects that hold them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit.errors import InputError, ModelError, ShapeError, UnknownNameError
from baxterkit.model.inertial import Inertial
from baxterkit.model.library import (
    baxter_arm,
    geometry_difference,
    load_baxter,
    named_configuration,
    nominal_geometry,
)
from baxterkit.model.model import ArmModel, Joint, Payload, Tool
from baxterkit.model.names import JOINTS
from baxterkit.spatial import rpy_to_matrix, so3_exp, transform


def message(text: str) -> str:
    return f"^{re.escape(text)}$"


def test_nominal_mounts_are_the_published_ones() -> None:
    # base -> arm mount -> s0: (0.024645, 0.219645, 0.118588), Rz(0.7854), (0.055695, 0, 0.011038).
    left, right = baxter_arm("left").T_base_s0, baxter_arm("right").T_base_s0
    c, s = np.cos(0.7854), np.sin(0.7854)
    assert_close(left[:3, :3], [[c, -s, 0], [s, c, 0], [0, 0, 1]], 0.0)
    expected = [0.024645 + c * 0.055695, 0.219645 + s * 0.055695, 0.118588 + 0.011038]
    assert_close(left[:3, 3], expected, 1e-16)
    assert_close(right, np.diag([1, -1, 1, 1]) @ left @ np.diag([1, -1, 1, 1]), 0.0)


def test_arms_share_everything_but_the_mount_and_the_names() -> None:
    left, right = baxter_arm("left"), baxter_arm("right")
    assert left.joint_names == tuple(f"left_{joint}" for joint in JOINTS)
    assert left.inertials is right.inertials
    for a, b in zip(left.joints, right.joints, strict=True):
        assert a.name.replace("left", "right") == b.name
        assert_close(a.T_parent_joint, b.T_parent_joint, 0.0)
    assert left.is_baxter_geometry
    assert right.is_baxter_geometry


def test_right_angles_are_exact() -> None:
    for joint in baxter_arm("left").joints:
        assert np.isin(joint.T_parent_joint[:3, :3], [-1.0, 0.0, 1.0]).all()


def test_masses_add_up_to_the_published_links() -> None:
    # Link masses of the published description, hand included.
    masses = [5.70044, 3.22698, 4.31272, 2.07206, 2.24665, 1.60979, 0.35093 + 0.19125]
    model = baxter_arm("left")
    assert_close([body.mass for body in model.inertials], masses, 1e-15)
    for body in model.inertials:
        body.check()


def test_wrist_and_hand_are_lumped_as_one_body() -> None:
    # Smith et al. print this link wrong; these are the corrected values, about the centre of mass.
    last = baxter_arm("left").inertials[-1].inertia
    expected = [0.00121477, 0.00127636, 0.00055487, 8.14e-6, 4.72e-6, -6.551e-5]
    entries = [last[0, 0], last[1, 1], last[2, 2], last[0, 1], last[1, 2], last[0, 2]]
    assert_close(entries, expected, 1e-8)
    assert baxter_arm("left").inertials[-1].com[2] - 0.11355 == pytest.approx(-0.06689347, abs=1e-8)


def test_tools_put_the_tip_along_the_hands_z() -> None:
    lengths = {
        "hand": 0.0,
        "electric_standard_narrow": 0.120,
        "electric_standard_wide": 0.120,
        "electric_extended_narrow": 0.1577,
        "electric_extended_wide": 0.1577,
        "vacuum": 0.080,
    }
    assert set(load_baxter().tools) == set(lengths)
    short = {"electric_standard": 0.120, "electric_extended": 0.1577}
    for name, length in (lengths | short).items():
        assert_close(baxter_arm("left", tool=name).T_hand_tip[:3, 3], [0.0, 0.0, length], 0.0)
    assert baxter_arm("left").tool.inertial is None
    gripper = baxter_arm("left", tool="electric_standard")
    assert gripper.tool.inertial is not None
    assert gripper.tool.inertial.mass == pytest.approx(0.36, abs=1e-15)
    total = gripper.link_inertials()[-1].mass
    assert total == pytest.approx(gripper.inertials[-1].mass + 0.36, abs=1e-15)


def test_poses_rates_and_steps_are_there() -> None:
    assert_close(
        named_configuration("neutral", "left"), [0.0, -0.55, 0.0, 0.75, 0.0, 1.26, 0.0], 0.0
    )
    for name in ("neutral", "tuck", "untuck"):
        for side in ("left", "right"):
            assert baxter_arm(side).limits.contains(named_configuration(name, side))
    mirror = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    assert_close(
        named_configuration("untuck", "left") * mirror, named_configuration("untuck", "right"), 0.0
    )
    data = load_baxter()
    assert data.sensor_step["position"] == pytest.approx(2 * np.pi / 16384, abs=1e-18)
    assert data.sensor_step["velocity"] == pytest.approx(np.pi / 8000, abs=1e-18)
    assert data.rate["joint_states"] == 100.0


def test_every_entry_of_the_data_file_names_a_source() -> None:
    import tomllib
    from pathlib import Path

    from baxterkit.model import library

    raw = tomllib.loads(Path(library.__file__).with_name("baxter.toml").read_text("utf-8"))
    sources = raw.pop("sources")
    assert dict(load_baxter().sources) == sources
    tables = [raw[name] for name in ("torso", "pedestal", "hand", "head", "sensor_step", "rate")]
    tables += [raw["head"]["screen"], raw["head"]["camera"], *raw["joint"]]
    for group in ("tool", "configuration"):
        tables += raw[group].values()
    tables += [raw["mount_to_s0"], *(m for named in raw["mount"].values() for m in named.values())]
    assert len(tables) == 8 + 7 + 6 + 3 + 5
    for table in tables:
        assert table["source"] in sources


def test_loading_is_lazy_and_happens_once() -> None:
    code = (
        "import sys, baxterkit.model.library as l; assert l.load_baxter.cache_info().misses == 0; "
        "l.baxter_arm('left'); l.baxter_arm('right'); "
        "assert l.load_baxter.cache_info().misses == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: baxter_arm("middle"), "unknown side 'middle'; available: left, right"),
        (
            lambda: baxter_arm("left", tool="claw"),
            "unknown tool 'claw'; available: hand, electric_standard_narrow, "
            "electric_standard_wide, "
            "electric_extended_narrow, electric_extended_wide, vacuum, "
            "electric_standard, electric_extended",
        ),
        (
            lambda: named_configuration("sleep", "left"),
            "unknown configuration 'sleep'; available: neutral, tuck, untuck",
        ),
        (lambda: named_configuration("tuck", "up"), "unknown side 'up'; available: left, right"),
        (
            lambda: load_baxter().head.fk(0.0, "nose"),
            "unknown head frame 'nose'; available: head, screen, camera",
        ),
    ],
)
def test_unknown_names_list_the_choices(call: object, text: str) -> None:
    with pytest.raises(UnknownNameError, match=message(text)):
        call()  # type: ignore[operator]


def test_a_mount_that_is_not_rigid_says_how_far_it_is() -> None:
    mount = np.eye(4)
    mount[0, 1] = 0.01
    text = "mount does not hold a rotation: max |R^T R - 1| = 1.00e-02"
    with pytest.raises(InputError, match=re.escape(text)):
        baxter_arm("left", mount=mount)
    with pytest.raises(ShapeError, match=message("mount must have shape (..., 4, 4), got (3, 3)")):
        baxter_arm("left", mount=np.eye(3))
    text = "mount must be one 4 by 4 transform, got shape (2, 4, 4)"
    with pytest.raises(InputError, match=message(text)):
        baxter_arm("left", mount=np.tile(np.eye(4), (2, 1, 1)))


def test_a_nearly_rigid_mount_becomes_rigid_and_a_rigid_one_stays() -> None:
    mount = transform(so3_exp([0.1, 0.2, 0.3]), [1.0, 2.0, 3.0])
    assert_close(baxter_arm("left", mount=mount).T_base_s0, mount, 0.0)
    rough = mount.astype(np.float32)
    R = baxter_arm("left", mount=rough).T_base_s0[:3, :3]
    assert_close(R.T @ R, np.eye(3), 1e-15)
    assert_close(R, mount[:3, :3], 1e-7)


def test_a_tool_can_be_any_rigid_transform_or_object() -> None:
    tip = transform(rpy_to_matrix([0.1, 0.2, 0.3]), [0.01, 0.02, 0.3])
    model = baxter_arm("right", tool=tip)
    assert model.tool.name == "custom"
    assert_close(model.T_hand_tip, tip, 0.0)
    assert baxter_arm("left", tool=model.tool).tool is model.tool
    with pytest.raises(InputError, match="T_hand_tip does not hold a rotation"):
        baxter_arm("left", tool=2.0 * np.eye(4) - np.diag([0, 0, 0, 1.0]))


def test_arrays_are_read_only_also_after_pickling_and_copying() -> None:
    model = baxter_arm("left", tool="vacuum", payload=Payload(1.0))
    for one in (model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        arrays = [one.T_base_s0, one.T_last_hand, one.gravity, one.limits.lower]
        arrays += [one.joints[0].axis, one.joints[1].T_parent_joint, one.inertials[2].com]
        arrays += [one.payload.com, one.tool.T_hand_tip, one.tool.inertial.inertia]
        for array in arrays:
            assert not array.flags.writeable
    assert not named_configuration("tuck", "left").flags.writeable
    assert pickle.loads(pickle.dumps(model.limits)).names == model.limits.names


def test_the_heads_arrays_are_read_only_also_after_pickling_and_copying() -> None:
    head = load_baxter().head
    for one in (head, pickle.loads(pickle.dumps(head)), copy.deepcopy(head)):
        for array in (one.T_base_pan, one.T_head_screen, one.T_head_camera, one.head.com):
            assert not array.flags.writeable
        assert_close(one.fk(0.3, "camera"), head.fk(0.3, "camera"), 0.0)


def test_replace_gives_a_changed_model() -> None:
    model = baxter_arm("left")
    loaded = dataclasses.replace(model, payload=Payload(2.0, [0.0, 0.0, 0.1]))
    assert model.payload is None
    assert loaded.link_inertials()[-1].mass == pytest.approx(model.inertials[-1].mass + 2.0)
    assert loaded.link_inertials()[:-1] == model.inertials[:-1]


def test_the_payload_hangs_on_the_tip() -> None:
    model = baxter_arm("left", tool="electric_standard", payload=Payload(1e6, [0.0, 0.0, 0.01]))
    com = model.link_inertials()[-1].com
    assert_close(com, [0.0, 0.0, 0.11355 + 0.12 + 0.01], 1e-6)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((-1.0,), InputError, "payload mass is -1 kg; it must not be negative"),
        (
            (np.nan,),
            InputError,
            "payload mass = nan; every value of payload mass must be finite",
        ),
        (([1.0, 2.0],), ShapeError, "payload mass must be one number, got shape (2,)"),
        (
            (1.0, [0.0, np.nan, 0.0]),
            InputError,
            "payload com[1] = nan; every value of payload com must be finite",
        ),
        ((1.0, [0.0, 0.0]), ShapeError, "payload com must have shape (3,), got (2,)"),
        (
            (1.0, [0, 0, 0], np.ones(3)),
            ShapeError,
            "payload inertia must have shape (3, 3), got (3,)",
        ),
        (
            (1.0, [0, 0, 0], np.diag([1.0, 1.0, -1e-3])),
            InputError,
            "payload inertia has the negative principal moment -0.001 kg m^2; it must be about the "
            "centre of mass, with tensor sign (ixy = -integral of x y dm)",
        ),
        (
            (1.0, [0, 0, 0], np.diag([1.0, 2.0, 4.0])),
            InputError,
            "payload inertia breaks the triangle inequality: principal moments 1 + 2 < 4 kg m^2, "
            "which no body has",
        ),
        (
            (1.0, [0, 0, 0], [[1.0, 0.1, 0], [0, 1.0, 0], [0, 0, 1.0]]),
            InputError,
            "payload inertia is not symmetric: entries differ by 0.1 kg m^2",
        ),
        (
            (0.0, [0, 0, 0], np.eye(3)),
            InputError,
            "payload has inertia but no mass; give it a mass",
        ),
    ],
)
def test_payloads_that_no_body_could_be_are_refused(
    arguments: tuple[object, ...], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=message(text)):
        Payload(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"joints": (), "inertials": ()}, "an arm needs at least one joint"),
        ({"inertials": ()}, "7 joints need as many inertials, got 0"),
        (
            {"joints": baxter_arm("left").joints[1:2] * 7},
            "joint names must differ, got left_s1, left_s1, left_s1, left_s1, left_s1, left_s1, "
            "left_s1",
        ),
        (
            {
                "joints": baxter_arm("left").joints[1:],
                "inertials": baxter_arm("left").inertials[1:],
            },
            "the first joint's T_parent_joint must be the identity; use T_base_s0",
        ),
    ],
)
def test_models_that_contradict_themselves_are_refused(
    change: dict[str, object], text: str
) -> None:
    with pytest.raises(ModelError, match=message(text)):
        dataclasses.replace(baxter_arm("left"), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("gravity", [[0.0, 0.0], [[0.0, 0.0, 1.0]], [0.0, 0.0, np.inf]])
def test_gravity_must_be_one_finite_vector(gravity: object) -> None:
    with pytest.raises((InputError, ShapeError), match="gravity"):
        baxter_arm("left", gravity=gravity)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"kind": "ball"}, "joint j has kind 'ball'; it must be revolute or prismatic"),
        ({"axis": np.zeros(3)}, "joint j has axis [0.0, 0.0, 0.0]; it must be a direction"),
        (
            {"lower": 2.0, "upper": 1.0},
            "joint j has its lower limit 2 above its upper one, 1",
        ),
        (
            {"lower": 2000.0, "upper": 2003.0},
            "joint j has limits 2000 and 2003 rad, so that it is never within 1000 rad of 0; "
            "take whole turns off them",
        ),
    ],
)
def test_joints_that_cannot_be_are_refused(change: dict[str, object], text: str) -> None:
    with pytest.raises(ModelError, match=message(text)):
        Joint(**{"name": "j", "kind": "revolute", "T_parent_joint": np.eye(4), **change})  # type: ignore[arg-type]


def test_a_tool_must_have_a_possible_inertia() -> None:
    body = dataclasses.replace(baxter_arm("left").inertials[0], mass=-1.0)
    with pytest.raises(
        ModelError, match=message("tool hook: mass is -1 kg; it must not be negative")
    ):
        Tool("hook", np.eye(4), body)


@pytest.mark.parametrize("name", ["", " ", " hook", "a\nb", "a\x01", "\ud800", "\uffff", 3, None])
def test_a_tools_name_must_be_printable(name: object) -> None:
    text = f"a tool's name must be printable text without spaces around it, got {name!r}"
    with pytest.raises(ModelError, match=message(text)):
        Tool(name, np.eye(4))  # type: ignore[arg-type]


def test_objects_of_another_type_are_refused_by_name() -> None:
    with pytest.raises(
        InputError, match=message("inertial of tool hook must be an Inertial, got int")
    ):
        Tool("hook", np.eye(4), 3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message("payload must be a Payload, got int")):
        baxter_arm("left", payload=5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message("tool must be a Tool, got str")):
        dataclasses.replace(baxter_arm("left"), tool="vacuum")  # type: ignore[arg-type]


def test_a_model_has_one_of_the_two_sides() -> None:
    with pytest.raises(UnknownNameError, match="unknown side 'up'; available: left, right"):
        dataclasses.replace(baxter_arm("left"), side="up")


def test_a_part_taken_off_leaves_the_other() -> None:
    a = Inertial(2.0, np.array([0.1, 0.2, -0.3]), np.diag([0.02, 0.03, 0.025]))
    b = Inertial(0.5, np.array([-0.2, 0.1, 0.4]), np.diag([0.002, 0.001, 0.0015]))
    left = a.combine(b).without(b)
    assert left.mass == pytest.approx(a.mass)
    np.testing.assert_allclose(left.com, a.com, atol=1e-15)
    np.testing.assert_allclose(left.inertia, a.inertia, atol=1e-15)
    with pytest.raises(ModelError, match=r"hand: mass is -1.5 kg; it must be above zero"):
        b.without(a, "hand")
    with pytest.raises(ModelError, match="what is left: inertia"):
        a.without(Inertial(0.1, np.array([2.0, 0.0, 0.0]), np.zeros((3, 3))))


def test_inertials_move_and_combine_as_bodies_do() -> None:
    a, b = baxter_arm("left").inertials[:2]
    T = transform(so3_exp([0.3, -0.7, 1.1]), [0.1, 0.2, 0.3])
    # Moving there and back changes nothing; moving and combining commute.
    back = a.at(T).at(np.linalg.inv(T))
    assert_close(back.com, a.com, 1e-15)
    assert_close(back.inertia, a.inertia, 1e-15)
    one, other = a.combine(b).at(T), a.at(T).combine(b.at(T))
    assert_close(one.com, other.com, 1e-15)
    assert_close(one.inertia, other.inertia, 1e-15)
    # About the origin, inertias of parts add.
    whole = a.combine(b)
    assert_close(whole.about_origin, a.about_origin + b.about_origin, 1e-15)


def test_nominal_geometry_keeps_the_mount_and_refuses_other_robots() -> None:
    model = baxter_arm("left", mount=transform(so3_exp([0.1, 0.0, 0.0]), [0.0, 0.0, 1.0]))
    off = transform(so3_exp([4e-6, 0.0, 0.0]), np.zeros(3))
    joints = list(model.joints)
    joints[3] = dataclasses.replace(joints[3], T_parent_joint=joints[3].T_parent_joint @ off)
    tilted = dataclasses.replace(model, joints=tuple(joints))
    assert not tilted.is_baxter_geometry
    assert geometry_difference(tilted) == pytest.approx(4e-6, rel=1e-3)
    repaired = nominal_geometry(tilted)
    assert repaired.is_baxter_geometry
    assert_close(repaired.T_base_s0, model.T_base_s0, 0.0)
    joints[3] = dataclasses.replace(joints[3], T_parent_joint=np.eye(4))
    other = dataclasses.replace(model, joints=tuple(joints))
    with pytest.raises(ModelError, match=r"not a Baxter arm: its joints differ by 1 from"):
        nominal_geometry(other)
    short = dataclasses.replace(model, joints=model.joints[:6], inertials=model.inertials[:6])
    assert geometry_difference(short) == np.inf
    assert short.dof == 6


def test_the_head_pans_about_its_axis() -> None:
    head = load_baxter().head
    assert (head.lower, head.upper) == (-1.3963, 1.3963)
    pan = np.array([[0.0, 0.5], [-1.0, 1.3963]])
    for frame in ("head", "screen", "camera"):
        T = head.fk(pan, frame)
        assert T.shape == (2, 2, 4, 4)
        turned = transform(so3_exp([0.0, 0.0, 0.5]), np.zeros(3))
        about = transform(np.eye(3), [0.06, 0.0, 0.686])
        expected = about @ turned @ np.linalg.inv(about) @ head.fk(0.0, frame)
        assert_close(T[0, 1], expected, 1e-15)
    # The camera looks forward and a little down: its z axis, at pan 0.
    looking = head.fk(0.0, "camera")[:3, 2]
    assert_close(looking, [np.sin(1.75057), 0.0, np.cos(1.75057)], 1e-15)
    assert_close(head.check([0.0, 1.3963]), [0.0, 1.3963], 0.0)
    turns = "the head turns from -1.3963 to 1.3963 rad"
    text = f"head_pan = 1.5000 rad is above its limit 1.3963 rad; {turns}"
    with pytest.raises(InputError, match=message(text)):
        head.check([0.0, 1.5])
    text = f"head_pan = -1.5000 rad is below its limit -1.3963 rad; {turns}"
    with pytest.raises(InputError, match=message(text)):
        head.check(-1.5)


class TestLimits:
    limits = baxter_arm("left").limits

    def test_values_are_the_published_ones(self) -> None:
        assert_close(self.limits.velocity, [1.5] * 4 + [4.0] * 3, 0.0)
        assert_close(self.limits.effort, [50, 100, 50, 50, 15, 15, 15], 0.0)
        assert_close(self.limits.upper[[0, 1, 3, 5]], [1.70167993878, 1.047, 2.618, 2.094], 0.0)

    def test_limits_are_closed_with_a_hair_of_slack(self) -> None:
        assert self.limits.contains(self.limits.upper + 0.9e-9)
        assert not self.limits.contains(self.limits.upper + 1.1e-9)
        assert self.limits.contains(self.limits.lower)
        assert not self.limits.contains(self.limits.lower - 1e-3)
        assert self.limits.contains(np.zeros((3, 2, 7))).shape == (3, 2)

    def test_clip_moves_to_the_limit(self) -> None:
        q = np.full((2, 7), 10.0)
        assert_close(self.limits.clip(q)[1], self.limits.upper, 0.0)
        assert_close(self.limits.clip(-q)[0], self.limits.lower, 0.0)
        assert_close(self.limits.clip(self.limits.middle), self.limits.middle, 0.0)

    def test_check_names_joint_value_limit_and_way_out(self) -> None:
        q = np.zeros(7)
        assert_close(self.limits.check(q), q, 0.0)
        q[3] = 2.7
        text = "left_e1 = 2.700 rad is above its limit 2.618 rad; clip with arm.limits.clip(q)"
        with pytest.raises(InputError, match=message(text)):
            self.limits.check(q)
        q[3] = -0.1
        text = (
            "q[1, 0]: left_e1 = -0.100 rad is below its limit -0.050 rad; "
            "clip with arm.limits.clip(q)"
        )
        batch = np.zeros((2, 2, 7))
        batch[1, 0] = q
        with pytest.raises(InputError, match=message(text)):
            self.limits.check(batch)

    def test_wrong_shape_raises(self) -> None:
        for method in (self.limits.clip, self.limits.contains, self.limits.check):
            with pytest.raises(ShapeError, match="q must have 7 values"):
                method(np.zeros(3))

    def test_a_free_joint_has_its_middle_at_zero(self) -> None:
        free = Joint("free", "revolute", np.eye(4))
        model = baxter_arm("left")
        joints = (dataclasses.replace(free, name="f"), *model.joints[1:])
        changed: ArmModel = dataclasses.replace(model, joints=joints)
        assert changed.limits.middle[0] == 0.0
        assert changed.limits.contains([1e9, 0, 0, 0, 0, 0, 0])
