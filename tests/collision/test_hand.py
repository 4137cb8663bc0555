"""Tools and payloads in the body: checked, drawn, kept in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tolerances import CLEARANCE_NATIVE, assert_close

from baxterkit import Arm, Baxter, Payload, robot_file
from baxterkit.collision.hand import arm_capsules
from baxterkit.errors import InputError, ModelError
from baxterkit.model import Solid, Tool

RIGHT = Arm("right").configuration("untuck")


def rod_pose(length: float) -> np.ndarray:
    T = np.eye(4)
    T[2, 3] = length
    return T


def solid_at(kind: str, size: tuple[float, ...], z: float) -> Solid:
    return Solid(kind, size, rod_pose(z))


def robot_with(tool: Tool | None = None, payload: Payload | None = None, **options: str) -> Baxter:
    arm = Arm("left", **({} if tool is None else {"tool": tool}), payload=payload, **options)
    return Baxter(arm, Arm("right", **options))


TOOL = Tool("rod", rod_pose(0.3), None, (solid_at("cylinder", (0.3, 0.02), 0.15),))


def touching_only_with_the_tool() -> np.ndarray:
    """Joint positions at which the rod is in the torso, and the bare arm is free."""
    rng = np.random.default_rng(3)
    bare, armed = Baxter(), robot_with(TOOL)
    limits = bare.left.limits
    q = rng.uniform(limits.lower, limits.upper, (3000, 7))
    both = ~np.asarray(bare.in_collision(q, RIGHT)) & np.asarray(armed.in_collision(q, RIGHT))
    assert both.sum() > 20
    return q[both]


def test_a_tool_from_a_file_touches() -> None:
    q = touching_only_with_the_tool()
    near = robot_with(TOOL).nearest(q, RIGHT)
    names = np.array(near.everything)[near.pair]
    assert (names == "left_fingers").any(axis=-1).all()
    # A tool of known shape stands in place of the fingers.
    stub = Tool("stub", rod_pose(0.01), None, (solid_at("sphere", (0.005,), 0.0),))
    fingers = Baxter().scene(without=(("left", "right"),)).clearance(q, RIGHT)
    without = robot_with(stub).scene(without=(("left", "right"),)).clearance(q, RIGHT)
    assert (without >= fingers - CLEARANCE_NATIVE).all()


def test_a_payload_touches_like_a_tool_of_its_shape() -> None:
    q = touching_only_with_the_tool()
    payload = Payload(1.0, shape=(solid_at("cylinder", (0.3, 0.02), 0.15),))
    assert np.all(robot_with(payload=payload).in_collision(q, RIGHT))


def test_a_long_tool_of_unknown_shape_is_a_capsule_to_its_tip() -> None:
    q = touching_only_with_the_tool()
    plain = robot_with(Tool("pole", rod_pose(0.3)))
    assert np.mean(np.asarray(plain.in_collision(q, RIGHT))) > 0.7


@pytest.mark.parametrize("tool", [TOOL, Tool("pole", rod_pose(0.3))], ids=["shape", "length"])
def test_numpy_and_the_kernels_see_the_same_hand(tool: Tool) -> None:
    payload = Payload(1.0, shape=(solid_at("box", (0.1, 0.05, 0.1), 0.05),))
    rng = np.random.default_rng(1)
    fast, slow = robot_with(tool, payload), robot_with(tool, payload, backend="numpy")
    limits = fast.left.limits
    left, right = rng.uniform(limits.lower, limits.upper, (2, 2, 7))
    assert_close(fast.clearance(left, right), slow.clearance(left, right), CLEARANCE_NATIVE)


def test_a_robot_file_keeps_the_shapes(tmp_path: Path) -> None:
    payload = Payload(1.0, shape=(solid_at("box", (0.1, 0.05, 0.1), 0.05),))
    arm = Arm("left", tool=TOOL, payload=payload)
    robot_file.write(tmp_path / "robot.toml", robot_file.StoredArm(arm.model))
    again = Arm.from_file(tmp_path / "robot.toml")
    kept = again.model.payload
    assert kept is not None
    for before, after in ((arm.tool.shape, again.tool.shape), (payload.shape, kept.shape)):
        assert len(before) == len(after) == 1
        assert (after[0].kind, after[0].size) == (before[0].kind, before[0].size)
        np.testing.assert_array_equal(after[0].T, before[0].T)
    text = (tmp_path / "robot.toml").read_text().replace('"cylinder"', '"cone"')
    (tmp_path / "robot.toml").write_text(text)
    with pytest.raises(ModelError, match="unknown solid 'cone'"):
        Arm.from_file(tmp_path / "robot.toml")


def test_the_shape_is_drawn() -> None:
    drawn = arm_capsules(robot_with(TOOL).left.model)
    pieces = [piece for piece in drawn if piece.link == "left_fingers"]
    assert not any(piece.is_finger for piece in pieces)
    tip = max(piece.end[2] + piece.radius for piece in pieces)
    hand = robot_with(TOOL).left.model.T_last_hand[2, 3]
    assert hand + 0.3 <= tip < hand + 0.32


def test_too_many_solids_are_refused() -> None:
    solids = tuple(solid_at("box", (0.3, 0.3, 0.4), 0.1 * n) for n in range(5))
    robot = robot_with(Tool("crate", rod_pose(0.1), None, solids))
    with pytest.raises(InputError, match=r"376 capsules; at most 320"):
        robot.in_collision(np.zeros(7), np.zeros(7))
    with pytest.raises(InputError, match="payload shape must hold Solids"):
        Payload(1.0, shape=("box",))  # type: ignore[arg-type]
