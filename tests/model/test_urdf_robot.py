"""The whole robot as URDF comes back as it was: mounts, tools, payloads, gravity."""

from __future__ import annotations

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, Baxter, Payload, Tool
from baxterkit.errors import UrdfError
from baxterkit.model import Inertial

TILTED = np.array([[1.0, 0, 0, 0.02], [0, 0, -1, 0], [0, 1, 0, 0.2], [0, 0, 0, 1]])
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


def test_a_record_that_does_not_fit_is_refused() -> None:
    text = Baxter(Arm("left", BENT)).to_urdf()
    with pytest.raises(UrdfError, match="one <arm> of the left side here, and there are 0"):
        Arm.from_urdf(text.replace('<arm side="left"', '<arm side="third"'), "left")
    heavier = text.replace('<mass value="0.4"/>', '<mass value="0.5"/>', 1)
    with pytest.raises(UrdfError, match="does not add up"):
        Arm.from_urdf(heavier, "left")
