from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.cli.status import NO_ANSWER, OK
from baxterkit.trajectory import Trajectory, both_arms, min_jerk

ROBOT = Baxter()
ACROSS = np.array([-1.2, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])
MIRROR = np.array([-1, 1, -1, 1, -1, 1, -1])


def test_a_free_configuration_has_status_zero_and_its_clearance(cli: Any) -> None:
    done = cli("collide", "tuck", "--other", "tuck", "--json")
    near = ROBOT.nearest(ROBOT.left.configuration("tuck"), ROBOT.right.configuration("tuck"))
    assert done.status == OK
    assert done.json["clearance"] == pytest.approx(float(near.clearance))
    assert (done.json["first"], done.json["second"]) == near.names
    assert done.json["touches"] is False
    assert np.allclose(done.json["points"], near.points, rtol=0.0, atol=1e-12)


def test_touching_links_are_named_and_the_status_is_one(cli: Any) -> None:
    other = ",".join(map(str, ACROSS * MIRROR))
    done = cli("collide", *map(str, ACROSS), "--other", other)
    assert done.status == NO_ANSWER
    assert "left_w0 touches right_w0" in done.out


def test_the_right_arm_in_degrees_and_with_a_margin(cli: Any) -> None:
    q = np.degrees(ROBOT.right.configuration("untuck"))
    words = ["collide", "--side", "right", "--deg", *map(str, q), "--head", "20", "--json"]
    done = cli(*words)
    expected = ROBOT.clearance(ROBOT.left.configuration("untuck"), np.radians(q), np.radians(20.0))
    assert done.json["clearance"] == pytest.approx(float(expected))
    assert cli(*words, "--margin", "0.5").status == NO_ANSWER
    refused = cli(*words, "--margin", "nan")
    assert refused.status == 2
    assert "--margin is nan m" in refused.err


def test_links_nearer_than_the_margin_are_not_said_to_touch(cli: Any) -> None:
    done = cli("collide", "untuck", "--margin", "0.2")
    assert done.status == NO_ANSWER
    assert "left_s0 is nearer than 0.2 m to left_w0" in done.out
    assert "touches" not in done.out
    assert '"touches": true' in cli("collide", "untuck", "--margin", "0.2", "--json").out
    other = ",".join(map(str, ACROSS * MIRROR))
    touching = cli("collide", *map(str, ACROSS), "--other", other, "--margin", "0.2")
    assert "left_w0 touches right_w0" in touching.out


def test_a_batch_is_csv_with_a_verdict_in_every_row(cli: Any) -> None:
    rng = np.random.default_rng(3)
    q = rng.uniform(ROBOT.left.limits.lower, ROBOT.left.limits.upper, (30, 7))
    text = "\n".join(",".join(map(repr, row)) for row in q.tolist())
    done = cli("collide", "-", stdin=text)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    right = ROBOT.right.configuration("untuck")
    expected = ROBOT.in_collision(q, right)
    assert [row["touches"] == "1" for row in rows] == expected.tolist()
    assert done.status == NO_ANSWER
    assert [float(row["clearance"]) for row in rows] == ROBOT.clearance(q, right).tolist()


def both_tools(left: str, right: str) -> Baxter:
    return Baxter(Arm("left", left), Arm("right", right))


@pytest.mark.parametrize(
    ("words", "left", "right"),
    [
        ((), "hand", "hand"),
        (("--tool", "electric_extended_wide"), "electric_extended_wide", "electric_extended_wide"),
        (("--tool", "vacuum", "--other-tool", "hand"), "vacuum", "hand"),
        (("--other-tool", "vacuum"), "hand", "vacuum"),
        (("--side", "right", "--tool", "hand", "--other-tool", "vacuum"), "vacuum", "hand"),
    ],
)
def test_the_output_names_the_tools_of_both_hands(
    cli: Any, words: tuple[str, ...], left: str, right: str
) -> None:
    bare = {"hand": "bare"}
    done = cli("collide", "untuck", *words)
    line = next(line for line in done.out.splitlines() if line.startswith("hands"))
    hands = f"left {bare.get(left, left)}, right {bare.get(right, right)}"
    assert line.split(maxsplit=1)[1].strip() == hands
    answer = cli("collide", "untuck", *words, "--json").json
    assert answer["tools"] == {"left": left, "right": right}
    robot = both_tools(left, right)
    q = [arm.configuration("untuck") for arm in (robot.left, robot.right)]
    assert answer["clearance"] == pytest.approx(float(robot.scene(opening=1.0).clearance(*q)))


def test_the_other_hand_has_the_tool_too(cli: Any) -> None:
    rng = np.random.default_rng(8)
    tool = "electric_extended_wide"
    robot, half = both_tools(tool, tool), both_tools(tool, "hand")
    q, other = (
        rng.uniform(a.limits.lower, a.limits.upper, (4000, 7)) for a in (robot.left, robot.right)
    )
    missed = robot.in_collision(q, other) & ~half.in_collision(q, other)
    n = int(np.flatnonzero(missed)[0])
    words = ["--other", ",".join(map(repr, other[n].tolist())), "--tool", tool]
    done = cli("collide", *map(repr, q[n].tolist()), *words)
    assert done.status == NO_ANSWER
    assert "right_fingers" in done.out


def test_the_other_arm_is_the_files(cli: Any, tmp_path: Any) -> None:
    mount = ROBOT.right.model.T_base_s0.copy()
    mount[1, 3] -= 0.05
    robot = Baxter(right=Arm("right", "vacuum", mount))
    (tmp_path / "robot.urdf").write_text(robot.to_urdf())
    robot.left.to_file(tmp_path / "robot.toml")
    robot.right.to_file(tmp_path / "robot.toml")
    q = [arm.configuration("tuck") for arm in (robot.left, robot.right)]
    for option in ("--urdf", "--robot"):
        file = str(tmp_path / f"robot.{'urdf' if option == '--urdf' else 'toml'}")
        done = cli("collide", "tuck", "--other", "tuck", "--side", "left", option, file, "--json")
        assert done.json["tools"] == {"left": "hand", "right": "vacuum"}
        assert done.json["clearance"] == pytest.approx(float(robot.clearance(*q)))
    assert abs(float(robot.clearance(*q)) - float(ROBOT.clearance(*q))) > 1e-3


def crossing(seconds: float = 4.0) -> Trajectory:
    """Both arms from untuck to configurations in which they touch in front of the chest."""
    goal = np.array([-1.1, -0.3, 0.0, 0.3, 0.0, 0.3, 0.0])
    arms, goals = (ROBOT.left, ROBOT.right), (goal, goal * MIRROR)
    return both_arms(
        *(
            min_jerk(arm, arm.configuration("untuck"), goal, seconds)
            for arm, goal in zip(arms, goals, strict=True)
        )
    )


@pytest.mark.parametrize("options", [(), ("--side", "left"), ("--side", "right")])
def test_rows_of_both_arms_are_checked_with_both(
    cli: Any, tmp_path: Path, options: tuple[str, ...]
) -> None:
    motion = crossing()
    file = motion.save(tmp_path / "both.csv")
    q = motion.at_rate(100.0)[1]
    expected = ROBOT.in_collision(q[:, :7], q[:, 7:])
    assert 0 < expected.sum() < len(q)
    for words, stdin in (((file,), ""), (("-",), file.read_text())):
        done = cli("collide", *words, *options, stdin=stdin)
        assert done.status == NO_ANSWER
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert [row["touches"] == "1" for row in rows] == expected.tolist()


def test_rows_of_both_arms_say_where_the_other_one_is(cli: Any, tmp_path: Path) -> None:
    file = crossing().save(tmp_path / "both.csv")
    cli("collide", file, "--other", "tuck").fails_with(
        "the rows say where both arms are: leave --other out (see: baxterkit collide --help)"
    )
    alone = crossing().of("right").save(tmp_path / "right.csv")
    assert cli("collide", alone, "--side", "right", "--other", "tuck").status == OK
    file.write_text(file.read_text().replace(",q_right_w2", ",something"))
    done = cli("collide", file)
    assert (done.status, "lacks the joint right_w2" in done.err) == (2, True)
