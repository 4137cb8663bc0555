"""The whole robot as URDF comes back as it was: mounts, tools, payloads, gravity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, Baxter, Payload, Tool
from baxterkit.errors import UrdfError
from baxterkit.model import Inertial, Solid
from baxterkit.model.library import baxter_arm, load_baxter
from baxterkit.model.tool_files import urdf_solids
from baxterkit.model.urdf_reader import read_urdf

Require = Callable[[str], None]
TILTED = np.array([[1.0, 0, 0, 0.02], [0, 0, -1, 0], [0, 1, 0, 0.2], [0, 0, 0, 1]])
SOLIDS = (
    Solid("box", (0.3, 0.06, 0.05), TILTED),
    Solid("capsule", (0.2, 0.03), TILTED),
    Solid("cylinder", (0.1, 0.04), TILTED),
    Solid("sphere", (0.04,), TILTED),
)
SHAPED = Tool("claw", TILTED, Inertial(0.4, [0.01, 0.0, 0.05], 1e-3 * np.eye(3)), SOLIDS)
CARRIED = Payload(0.5, [0.0, 0.0, 0.1], shape=SOLIDS[::-1])
BENT = Tool("bent claw", TILTED, Inertial(0.4, [0.01, 0.0, 0.05], 1e-3 * np.eye(3)))


def _lower(side: str) -> np.ndarray:
    mount = Arm(side).model.T_base_s0.copy()
    mount[2, 3] -= 0.012
    return mount


@pytest.mark.parametrize(
    "robot",
    [
        Baxter(),
        Baxter(
            Arm("left", "electric_standard", _lower("left")),
            Arm("right", "vacuum", _lower("right")),
        ),
        Baxter(
            Arm("left", BENT, payload=Payload(0.3, [0, 0, 0.1]), gravity_vector=(1.0, 0.0, -9.5)),
            Arm("right", TILTED),
        ),
    ],
    ids=["nominal", "mounts", "tools"],
)
def test_a_robot_comes_back_as_it_was(robot: Baxter) -> None:
    text = robot.to_urdf()
    again = Baxter.from_urdf(text)
    assert again.to_urdf() == text
    for was, arm in ((robot.left, again.left), (robot.right, again.right)):
        q = was.configuration("untuck")
        assert (arm.tool.name, arm.backend) == (was.tool.name, was.backend)
        assert_close(arm.fk(q), was.fk(q), 1e-15)
        assert_close(arm.inertia(q), was.inertia(q), 1e-14)
        assert_close(arm.gravity(q), was.gravity(q), 1e-13)
        assert_close(arm.replace(tool="hand").fk(q), was.replace(tool="hand").fk(q), 1e-15)


def test_another_tool_takes_the_place_of_the_files() -> None:
    text = Baxter(Arm("left", BENT)).to_urdf()
    arm = Arm.from_urdf(text, "left", tool="vacuum")
    q = arm.configuration("untuck")
    assert_close(arm.gravity(q), Arm("left", "vacuum").gravity(q), 1e-13)


def _same_solids(some: tuple[Solid, ...], others: tuple[Solid, ...]) -> None:
    assert [(solid.kind, solid.size) for solid in some] == [(s.kind, s.size) for s in others]
    for solid, other in zip(some, others, strict=True):
        assert_close(solid.T, other.T, 1e-15)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("whole", [False, True], ids=["arm", "robot"])
def test_shapes_of_tools_and_payloads_come_back(side: str, whole: bool) -> None:
    arm = Arm(side, SHAPED, payload=CARRIED)
    text = Baxter.of_arm(arm).to_urdf() if whole else arm.to_urdf()
    again = Arm.from_urdf(text, side)
    _same_solids(again.tool.shape, SOLIDS)
    assert again.model.payload is not None
    _same_solids(again.model.payload.shape, CARRIED.shape)
    assert Arm.from_urdf(text, side, tool="vacuum").tool.shape == ()


def test_shapes_on_the_links_of_older_files_are_read() -> None:
    """They hung on the hand and on the tip once."""
    bare = Payload(CARRIED.mass, CARRIED.com, CARRIED.inertia)
    text = Arm("left", BENT, payload=bare).to_urdf()
    for link, role in (("hand", "tool"), ("tip", "payload")):
        part = (
            f'<collision name="left_{role}_1"><origin xyz="0 0 0.02" rpy="0 0 0"/>'
            '<geometry><sphere radius="0.04"/></geometry></collision>'
        )
        link = f"left_{link}"
        text = text.replace(f'<link name="{link}"/>', f'<link name="{link}">{part}</link>')
    again = Arm.from_urdf(text)
    assert again.model.payload is not None
    at = np.eye(4)
    at[2, 3] = 0.02
    for solids in (again.tool.shape, again.model.payload.shape):
        _same_solids(solids, (Solid("sphere", (0.04,), at),))


@pytest.mark.parametrize("whole", [False, True], ids=["arm", "robot"])
@pytest.mark.parametrize("tool", ["hand", BENT, SHAPED, Tool("hook", TILTED, None, SOLIDS)])
@pytest.mark.parametrize("payload", [None, Payload(0.5, [0.0, 0.0, 0.1]), CARRIED])
def test_shapes_weigh_nothing_in_mujoco(
    whole: bool, tool: str | Tool, payload: Payload | None, require: Require
) -> None:
    """On links without an inertial they had the mass of water."""
    require("mujoco")
    import mujoco

    arm = Arm("left", tool, payload=payload)
    text = Baxter(arm).to_urdf() if whole else arm.to_urdf()
    model = mujoco.MjModel.from_xml_string(text)
    data, q = mujoco.MjData(model), arm.configuration("neutral")
    model.opt.gravity[:] = arm.model.gravity
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    joints = [model.joint(name) for name in arm.joint_names]
    data.qpos[[joint.qposadr[0] for joint in joints]] = q
    mujoco.mj_inverse(model, data)
    found = data.qfrc_inverse[[joint.dofadr[0] for joint in joints]]
    assert_close(found, arm.gravity(q), 1e-13)


def test_tools_collide_as_before_the_file() -> None:
    robot = Baxter(Arm("left", SHAPED, payload=CARRIED), Arm("right", SHAPED))
    again = Baxter.from_urdf(robot.to_urdf())
    rng = np.random.default_rng(3)
    q = [rng.uniform(a.limits.lower, a.limits.upper, (2000, 7)) for a in (robot.left, robot.right)]
    hits = robot.in_collision(*q)
    bare = Baxter().in_collision(*q)
    assert (hits & ~bare).sum() > 100
    np.testing.assert_array_equal(again.in_collision(*q), hits)


@pytest.mark.parametrize("name", sorted(load_baxter().tools))
def test_named_tools_collide_as_before_the_file(name: str) -> None:
    robot = Baxter(Arm("left", name), Arm("right", name))
    again = Baxter.from_urdf(robot.to_urdf())
    assert (again.left.tool.name, again.right.tool.name) == (name, name)
    rng = np.random.default_rng(4)
    q = [rng.uniform(a.limits.lower, a.limits.upper, (500, 7)) for a in (robot.left, robot.right)]
    for opening in (0.0, 1.0):
        was, now = (each.scene(opening=opening).clearance(*q) for each in (robot, again))
        np.testing.assert_array_equal(now, was)


def test_other_programs_find_the_shapes_without_capsules() -> None:
    text = Baxter(Arm("left", SHAPED, payload=CARRIED)).to_urdf()
    assert "<capsule" not in text  # ROS refuses a file that has one
    last = baxter_arm("left").joints[-1].link
    kinds = [solid.kind for solid in urdf_solids(read_urdf(text), last, text)]
    assert sorted(kinds) == 2 * ["box"] + 4 * ["cylinder"] + 6 * ["sphere"]


def test_a_record_that_does_not_fit_is_refused() -> None:
    text = Baxter(Arm("left", BENT)).to_urdf()
    with pytest.raises(UrdfError, match="one <arm> of the left side here, and there are 0"):
        Arm.from_urdf(text.replace('<arm side="left"', '<arm side="third"'), "left")
    heavier = text.replace('<mass value="0.4"/>', '<mass value="0.5"/>', 1)
    with pytest.raises(UrdfError, match="does not add up"):
        Arm.from_urdf(heavier, "left")
