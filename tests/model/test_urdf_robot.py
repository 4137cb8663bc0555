"""The whole robot as URDF comes back as it was: mounts, tools, payloads, gravity."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, Baxter, Payload, Tool
from baxterkit.errors import UrdfError
from baxterkit.model import Inertial, Solid
from baxterkit.model.library import load_baxter
from baxterkit.model.tool_files import urdf_solids
from baxterkit.model.urdf_reader import read_urdf

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
    kinds = [solid.kind for solid in urdf_solids(read_urdf(text), "left_hand", text)]
    assert sorted(kinds) == 2 * ["box"] + 4 * ["cylinder"] + 6 * ["sphere"]


def test_a_record_that_does_not_fit_is_refused() -> None:
    text = Baxter(Arm("left", BENT)).to_urdf()
    with pytest.raises(UrdfError, match="one <arm> of the left side here, and there are 0"):
        Arm.from_urdf(text.replace('<arm side="left"', '<arm side="third"'), "left")
    heavier = text.replace('<mass value="0.4"/>', '<mass value="0.5"/>', 1)
    with pytest.raises(UrdfError, match="does not add up"):
        Arm.from_urdf(heavier, "left")
