from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from baxterkit import Arm

ATOL = 1e-12  # the same kernel, through a decimal that keeps every digit


@pytest.mark.parametrize("frame", ["base", "tip"])
def test_json_holds_jacobian_and_indices(cli: Any, frame: str) -> None:
    arm = Arm("right")
    q = arm.configuration("untuck")
    done = cli("jacobian", "untuck", "--side", "right", "--frame", frame, "--json").json
    np.testing.assert_allclose(done["jacobian"], arm.jacobian(q, frame=frame), rtol=0, atol=ATOL)
    sigma = np.linalg.svd(arm.jacobian(q), compute_uv=False)
    assert done["manipulability"] == pytest.approx(np.prod(sigma), rel=1e-9)
    assert done["condition_number"] == pytest.approx(sigma[0] / sigma[-1], rel=1e-9)
    assert done["smallest_singular_value"] == pytest.approx(sigma[-1], rel=1e-9)


def test_text_names_rows_and_joints(cli: Any) -> None:
    done = cli("jacobian", "neutral")
    assert (done.status, done.err) == (0, "")
    for word in ("left_s0", "left_w2", "vx", "wz", "manipulability", "condition number"):
        assert word in done.out
    J = Arm("left").jacobian(Arm("left").configuration("neutral"))
    assert f"{J[0, 1]:.6f}" in done.out


def test_batch_gives_csv_and_json(cli: Any) -> None:
    rows = "0 0 0 0 0 0 0\n0.1 0.2 0.3 0.4 0.5 0.6 0.7\n"
    q = np.array([[float(x) for x in line.split()] for line in rows.splitlines()])
    J = Arm("left").jacobian(q)
    text = cli("jacobian", "-", stdin=rows).out.splitlines()
    assert text[0].startswith("vx_left_s0,vx_left_s1")
    got = [[float(x) for x in line.split(",")] for line in text[1:]]
    np.testing.assert_allclose(got, J.reshape(2, 42), rtol=0, atol=ATOL)
    done = cli("jacobian", "-", "--json", stdin=rows).json
    got_json = [row["jacobian"] for row in done["jacobians"]]
    np.testing.assert_allclose(got_json, J, rtol=0, atol=ATOL)


def test_unknown_frame_is_refused(cli: Any) -> None:
    done = cli("jacobian", "neutral", "--frame", "elbow")
    assert done.status == 2
    assert "'elbow' is not one of 'base', 'tip'" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("verb", "text"),
    [
        ("fk", "in and out"),
        ("ik", "in and out"),
        ("jacobian", "the Jacobian stays per radian"),
        ("dynamics", "torques stay in SI units"),
    ],
)
def test_help_says_which_angles_are_in_degrees(cli: Any, verb: str, text: str) -> None:
    words = " ".join(
        cli(verb, "--help").out.partition("  --deg ")[2].partition("  --json ")[0].split()
    )
    assert text in words
