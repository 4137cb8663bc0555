"""The gripper of a robot's URDF counts once, whatever tool is asked for."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from urdf_texts import model_difference, with_gripper

from baxterkit import Arm, Baxter
from baxterkit.errors import UrdfError
from baxterkit.model.library import baxter_arm
from baxterkit.model.urdf import arm_from_urdf
from baxterkit.model.urdf_writer import write_urdf

HANDS = ("{side}_hand", "{side}_hand_link")
GRIPPER = 0.3 + 2 * 0.02 + 2 * 0.01 + 0.0001
CAMERA = 0.0001


def text(side: str = "left", hand: str = HANDS[0], weighs: bool = True) -> str:
    return with_gripper(write_urdf(baxter_arm(side)), side, hand, weighs)


def mass(arm: Arm) -> float:
    return sum(body.mass for body in arm.model.link_inertials())


def bare_mass(side: str = "left") -> float:
    return mass(Arm(side)) + CAMERA


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("tool", ["electric_standard", "electric_extended", "vacuum", "hand"])
def test_a_named_tool_takes_the_grippers_place(side: str, hand: str, tool: str) -> None:
    arm = Arm.from_urdf(text(side, hand), side, tool=tool)
    difference = mass(Arm(side, tool)) - mass(Arm(side))
    assert mass(arm) == pytest.approx(bare_mass(side) + difference, abs=1e-12)
    q = arm.configuration("untuck")
    np.testing.assert_allclose(arm.fk(q), Arm(side, tool).fk(q), rtol=0, atol=1e-15)
    # But for the camera's 0.1 g, the torques are those of the nominal arm with that tool.
    np.testing.assert_allclose(arm.gravity(q), Arm(side, tool).gravity(q), rtol=0, atol=2e-3)


@pytest.mark.parametrize("hand", HANDS)
def test_without_a_tool_the_gripper_is_the_tool(hand: str) -> None:
    arm = Arm.from_urdf(text(hand=hand))
    assert arm.tool.name == "electric_gripper"  # its fingers' tips are not where Rethink's are
    assert arm.tool.inertial is not None
    assert arm.tool.inertial.mass == pytest.approx(GRIPPER, abs=1e-12)
    moment = 0.3 * 0.025 + 0.04 * 0.045 + 0.02 * 0.12 + 0.0001 * 0.12
    np.testing.assert_allclose(arm.tool.inertial.com, [0, 0, moment / GRIPPER], atol=1e-12)
    assert mass(arm) == pytest.approx(bare_mass() + GRIPPER, abs=1e-12)
    np.testing.assert_array_equal(arm.model.T_hand_tip, np.eye(4))


def test_a_matrix_moves_the_tip_and_leaves_the_gripper() -> None:
    T = np.eye(4)
    T[2, 3] = 0.2
    arm = Arm.from_urdf(text(), tool=T)
    np.testing.assert_array_equal(arm.model.T_hand_tip, T)
    assert mass(arm) == pytest.approx(bare_mass() + GRIPPER, abs=1e-12)


def test_a_tool_put_on_later_takes_the_grippers_place(tmp_path: Path) -> None:
    arm = Arm.from_urdf(text())
    wanted = bare_mass() + 0.36
    assert mass(arm.replace(tool="electric_standard")) == pytest.approx(wanted, abs=1e-12)
    arm.to_file(tmp_path / "robot.toml")
    again = Arm.from_file(tmp_path / "robot.toml")
    assert again.tool.name == "electric_gripper"
    assert mass(again) == pytest.approx(mass(arm), abs=1e-12)
    assert mass(again.replace(tool="electric_standard")) == pytest.approx(wanted, abs=1e-12)
    from_urdf = Arm.from_urdf(arm.to_urdf(), tool="electric_standard")
    assert mass(from_urdf) == pytest.approx(wanted, abs=1e-12)


def test_frames_without_a_gripper_stay_where_they_were() -> None:
    model = arm_from_urdf(text(weighs=False), "left")
    assert model.tool.name == "hand"
    whole = sum(body.mass for body in model.link_inertials())
    assert whole == pytest.approx(bare_mass() + 0.0002, abs=1e-12)


def test_both_arms_of_a_robot() -> None:
    parts = []
    for side in ("left", "right"):
        robot = text(side, HANDS[1]).replace('"base"', f'"{side}_base"')
        parts.append(robot[robot.index(">", robot.index("<robot")) + 1 : robot.index("</robot>")])
        mount = f'<joint name="{side}_fixed" type="fixed"><parent link="base"/>'
        parts.append(f'{mount}<child link="{side}_base"/></joint>')
    robot = Baxter.from_urdf(f'<robot name="b"><link name="base"/>{"".join(parts)}</robot>')
    for arm in (robot.left, robot.right):
        assert mass(arm) == pytest.approx(bare_mass(arm.side) + GRIPPER, abs=1e-12)
        assert arm.backend == Arm(arm.side).backend


def test_an_impossible_gripper_is_told_with_the_way_out() -> None:
    start = text()
    odd = start.replace(
        '<mass value="0.3"/><inertia ixx="1e-05"', '<mass value="0.3"/><inertia ixx="1"'
    )
    assert odd != start
    with pytest.raises(UrdfError, match="which no body has; name a tool to put in its place"):
        Arm.from_urdf(odd)
    named = Arm.from_urdf(odd, tool="electric_standard")
    plain = Arm.from_urdf(start, tool="electric_standard")
    again = dataclasses.replace(plain.model, snaps=named.model.snaps)
    assert model_difference(named.model, again) == 0.0


def rethinks(side: str, width: float, length: float, slot: float) -> str:
    """A robot with an electric gripper, its fingers' joints and tips at these places [m]."""
    xml = text(side)
    for finger, sign in (("l", 1.0), ("r", -1.0)):
        name = f"{side[0]}_gripper_{finger}_finger"
        for joint, y, z in (
            (f"{name}_joint", -sign * slot, 0.045),
            (f"{name}_tip_joint", sign * width, length),
        ):
            places = rf'(<joint name="{joint}".*?xyz=")[^"]*'
            xml, count = re.subn(places, rf"\g<1>0 {y} {z}", xml, count=1, flags=re.DOTALL)
            assert count == 1
    return xml


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    ("width", "length", "slot", "name"),
    [
        (0.01725, 0.075, 0.0015, "electric_standard_narrow"),
        (0.05503, 0.075, 0.0015, "electric_standard_wide"),
        (0.01725, 0.1127, 0.0015, "electric_extended_narrow"),
        (0.05503, 0.1127, 0.0015, "electric_extended_wide"),
        (0.05503, 0.1127, 0.011, "electric_gripper"),  # another slot
        (0.03, 0.1, 0.0015, "electric_gripper"),
    ],
)
def test_rethinks_fingers_are_recognised(
    side: str, width: float, length: float, slot: float, name: str
) -> None:
    arm = Arm.from_urdf(rethinks(side, width, length, slot), side)
    assert arm.tool.name == name
