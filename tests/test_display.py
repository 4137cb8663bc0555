from __future__ import annotations

from html.parser import HTMLParser

import numpy as np

from baxterkit import Arm
from baxterkit.display import html_table
from baxterkit.model.names import JOINTS
from baxterkit.recording import Recording
from baxterkit.trajectory import min_jerk


class Cells(HTMLParser):
    """The rows of a table as text; fails on tags that do not close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_table_escapes_and_rounds() -> None:
    table = Cells(html_table("a < b", ("x", "y"), [("<i>", -0.00001), ("n", 3)], note="c & d"))
    assert table.rows == [["x", "y"], ["<i>", "0.0000"], ["n", "3"]]
    assert table.text.startswith("a < b")
    assert table.text.endswith("c & d")


def test_arm_shows_its_limits() -> None:
    arm = Arm("left", tool="vacuum")
    table = Cells(arm._repr_html_())
    assert "tool='vacuum'" in table.text
    assert [row[0] for row in table.rows[1:]] == list(arm.joint_names)
    np.testing.assert_allclose(
        [float(row[1]) for row in table.rows[1:]], arm.limits.lower, rtol=0, atol=5e-5
    )


def test_solution_shows_its_joints() -> None:
    arm = Arm("right")
    result = arm.ik(arm.fk(arm.pose("untuck")))
    table = Cells(result._repr_html_())
    assert table.text.startswith("IkResult: SOLVED")
    assert [row[0].removeprefix("right_") for row in table.rows[1:]] == list(JOINTS)
    np.testing.assert_allclose(
        [float(row[1]) for row in table.rows[1:]], result.q, rtol=0, atol=5e-5
    )
    np.testing.assert_allclose(
        [float(row[2]) for row in table.rows[1:]], np.degrees(result.q), rtol=0, atol=5e-5
    )


def test_failure_names_the_joints_beyond_their_limits() -> None:
    arm = Arm("left")
    result = arm.ik(arm.fk(np.array([-1.0, 1.3, -1.1, 1.2, 0.2, 2.3, 1.4])))
    table = Cells(result._repr_html_())
    assert "LIMITS" in table.text
    assert [row[0] for row in table.rows[1:]] == list(result.violations)


def test_batch_counts_its_statuses() -> None:
    arm = Arm("left")
    Ts = np.stack([arm.fk(arm.pose("untuck"))] * 3)
    Ts[2, 0, 3] += 5.0
    table = Cells(arm.ik(Ts)._repr_html_())
    assert [row[:2] for row in table.rows[1:]] == [["SOLVED", "2"], ["OUT_OF_REACH", "1"]]


def test_recording_shows_its_quantities() -> None:
    t = np.arange(5) / 100.0
    q = np.linspace(-1.0, 2.0, 35).reshape(5, 7)
    table = Cells(Recording(t=t, q=q, tau=3.0 * q, side="left")._repr_html_())
    assert table.rows[1:] == [
        ["q [rad]", "5 x 7", "-1.0000", "2.0000"],
        ["tau [N m]", "5 x 7", "-3.0000", "6.0000"],
    ]
    assert table.text.startswith("Recording: left arm, 5 rows")


def test_trajectory_shows_where_it_goes_and_how_fast() -> None:
    arm = Arm("left")
    start, end = arm.pose("neutral"), arm.pose("untuck")
    motion = min_jerk(arm, start, end)
    rows = np.array([row[1:] for row in Cells(motion._repr_html_()).rows[1:]], dtype=float)
    np.testing.assert_allclose(rows[:, 0], start, rtol=0, atol=5e-5)
    np.testing.assert_allclose(rows[:, 1], end, rtol=0, atol=5e-5)
    # The fastest moment of a minimum-jerk motion is 15/8 of its mean speed.
    fastest = 15.0 / 8.0 * np.abs(end - start) / motion.duration
    np.testing.assert_allclose(rows[:, 2], fastest, rtol=1e-3, atol=1e-4)
