from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

from baxterkit import Baxter
from baxterkit.cli.status import NO_ANSWER, OK

ROBOT = Baxter()
ACROSS = np.array([-1.2, -0.3, 0.0, 0.3, 0.0, 0.0, 0.0])


def test_a_free_configuration_has_status_zero_and_its_clearance(cli: Any) -> None:
    done = cli("collide", "tuck", "--other", "tuck", "--json")
    near = ROBOT.nearest(ROBOT.left.configuration("tuck"), ROBOT.right.configuration("tuck"))
    assert done.status == OK
    assert done.json["clearance"] == pytest.approx(float(near.clearance))
    assert (done.json["first"], done.json["second"]) == near.names
    assert done.json["touches"] is False
    assert np.allclose(done.json["points"], near.points, rtol=0.0, atol=1e-12)


def test_touching_links_are_named_and_the_status_is_one(cli: Any) -> None:
    other = ",".join(map(str, ACROSS * [-1, 1, -1, 1, -1, 1, -1]))
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
