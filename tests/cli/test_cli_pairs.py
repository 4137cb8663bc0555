"""Both hands from the shell: `ik --pair`, `trajectory pair`, frames, tools and robots of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, Baxter, Payload, spatial
from baxterkit.trajectory import Trajectory

CLAW = """<robot name="claw"><link name="body"><inertial><mass value="0.5"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3"/></inertial></link><link name="claw_tip"/>
<joint name="fixed" type="fixed"><parent link="body"/><child link="claw_tip"/>
<origin xyz="0 0 0.13"/></joint></robot>"""


@pytest.fixture
def folder(example_files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(example_files)
    return example_files


def test_rows_of_both_hands_are_solved_for_both_arms(cli: Any, folder: Path) -> None:
    robot, words = Baxter(), ("ik", "left_hand.csv", "--pair", "right_hand.csv")
    done = cli(*words, "--json").json
    assert done["joints"] == [*robot.left.joint_names, *robot.right.joint_names]
    assert done["status"] == ["SOLVED"] * 20
    q = np.array(done["q"])
    poses = np.loadtxt(folder / "left_hand.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(robot.left.fk(q[:, :7])[:, :3, 3], poses[:, :3], atol=1e-9)
    rows = cli(*words, "--deg").out.splitlines()
    assert rows[0].startswith("left_s0 [deg],left_s1 [deg]")
    np.testing.assert_allclose([float(x) for x in rows[5].split(",")[:14]], np.rad2deg(q[4]))
    (folder / "far.csv").write_text("9 0 0 0 0 0 1\n" * 20)
    failed = cli("ik", "left_hand.csv", "--pair", "far.csv")
    assert failed.status == 1
    assert "20 of 20 rows have no solution" in failed.err
    cli(*words, "--seed", "untuck").fails_with(
        "--seed does not go with --pair (see: baxterkit ik --help)"
    )
    assert "--pair takes two files" in cli("ik", "1", "2", "3", "--pair", "far.csv").err


def test_a_box_is_carried_into_a_file_for_the_robot(cli: Any, folder: Path) -> None:
    words = ("trajectory", "pair", "box.csv", "--grasp", "0.4", "--duration", "4")
    cli(*words, "-o", "carry.csv")
    robot = Baxter()
    left, right = (Trajectory.load(folder / "carry.csv", side) for side in ("left", "right"))
    assert left.duration == pytest.approx(4.0)
    t = np.linspace(0.0, 4.0, 50)
    grip = robot.hands.relative_pose(left.sample(t).q, right.sample(t).q)
    distance, angle = spatial.pose_error(grip, grip[0])
    assert max(distance.max(), angle.max()) < 1e-5
    np.testing.assert_allclose(np.linalg.norm(grip[:, :3, 3], axis=1), 0.4, atol=1e-4)
    quick = cli(*words[:-1], "0.05")
    assert quick.status == 1
    assert "slow down" in quick.err
    cli("trajectory", "pair", "box.csv", "--grasp", "0.02").fails_with(
        "0 % along the path left_w2 touches right_w2 in every pair of solutions of this pose that "
        "was found; move it",
        status=1,
    )


def test_arms_evade_the_body_and_start_where_they_are_told(cli: Any, tmp_path: Path) -> None:
    s = np.linspace(0.0, 1.0, 15)
    for name, sign in (("left", 1.0), ("right", -1.0)):
        p = [0.6 + 0.0 * s, sign * (0.25 + 0.1 * s), 0.1 + 0.1 * s]
        poses = np.stack([*p, *np.tile([[1.0], [0.0], [0.0], [0.0]], 15)], axis=-1)
        np.savetxt(tmp_path / f"{name}.csv", poses, delimiter=",")
    files = [str(tmp_path / f"{name}.csv") for name in ("left", "right")]
    words = ("trajectory", "pair", *files, "--tool", "electric_standard")
    free = cli(*words, "--json").json  # the paths of each arm alone touch the head
    untuck = [arm.configuration("untuck") for arm in (Arm("left"), Arm("right"))]
    start = ",".join(map(str, np.concatenate(untuck)))
    found = [cli(*words, "--start", text, "--json").json for text in ("untuck", start)]
    assert found[0]["left"] == found[1]["left"]
    away = [np.linalg.norm(np.array(one["left"]["start"]) - untuck[0]) for one in (found[0], free)]
    assert away[0] < away[1]
    cli(*words, "--start", "0,1").fails_with(
        "--start: 14 joint angles are needed, left then right; got 2"
    )
    assert "unknown configuration 'tucked'" in cli(*words, "--start", "tucked").err


def test_frames_and_tools_of_files(cli: Any, folder: Path) -> None:
    (folder / "claw.urdf").write_text(CLAW)
    arm = Arm("left")
    camera = cli("fk", "untuck", "--of", "left_hand_camera", "--json").json
    expected = arm.fk(arm.configuration("untuck"), of="left_hand_camera")
    np.testing.assert_allclose(camera["position"], expected[:3, 3], atol=1e-15)
    q = cli("ik", *map(str, expected.ravel()), "--of", "left_hand_camera", "--json").json["q"]
    np.testing.assert_allclose(arm.fk(q, of="left_hand_camera"), expected, atol=1e-9)
    cli("fk", "untuck", "--of", "right_hand").fails_with(
        "right_hand is on the right arm, and this is the left arm"
    )
    claw = cli("fk", "untuck", "--tool", "claw.urdf", "--json").json["position"]
    T = arm.fk(arm.configuration("untuck"))
    np.testing.assert_allclose(claw, T[:3, 3] + 0.13 * T[:3, 2], atol=1e-12)


def test_robots_and_arms_as_urdf(cli: Any, folder: Path) -> None:
    words = ("--tool", "vacuum", "--side", "right", "--payload", "0.5")
    cli("export", "robot", "--to", "urdf", *words, "-o", "robot.urdf")
    robot = Baxter.from_urdf(folder / "robot.urdf")
    assert [arm.tool.name for arm in (robot.left, robot.right)] == ["vacuum", "vacuum"]
    q = robot.right.configuration("untuck")
    loaded = Arm("right", "vacuum", payload=Payload(0.5))
    np.testing.assert_allclose(robot.right.gravity(q), loaded.gravity(q), atol=1e-12)
    assert robot.left.model.payload is None
    assert cli("export", "arm", "--to", "urdf", *words).out == loaded.to_urdf()
    cli("export", "robot", "--to", "c").fails_with(
        "robot does not go to c; arm and robot go to urdf, and nothing else"
    )
