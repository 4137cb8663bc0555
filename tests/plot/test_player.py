"""The player of motions in reports."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any

import components
import numpy as np
import pytest

from baxterkit import Baxter
from baxterkit.collision.drawing import arm_capsules
from baxterkit.errors import InputError, ShapeError
from baxterkit.plot.page import Page
from baxterkit.plot.player import UNIT, player


@pytest.fixture(scope="module")
def robot() -> Baxter:
    return Baxter()


def data_of(text: str) -> Any:
    match = re.search(r'<script type="application/json" class="data">(.*?)</script>', text, re.S)
    assert match is not None
    return json.loads(match.group(1))


def paths(robot: Baxter) -> tuple[np.ndarray, np.ndarray]:
    wanted = robot.right.pose("untuck") + np.linspace(0.0, 0.3, 20)[:, None]
    return wanted, wanted + 0.01


def test_page_holds_the_links_where_they_are(robot: Baxter) -> None:
    wanted, done = paths(robot)
    data = data_of(player(robot, "right", {"one": done}, wanted=wanted, fps=10.0))
    assert (data["count"], data["fps"]) == (20, 10.0)
    capsules = arm_capsules(robot.right.model)
    links = np.frombuffer(base64.b64decode(data["runs"][0]["links"]), "<i2").reshape(20, -1, 6)
    assert links.shape[1] == len(capsules) == len(data["radii"])
    for row in (0, 19):
        poses = robot.right.link_poses(done[row])
        for j, capsule in enumerate(capsules):
            T = poses[capsule.frame]
            ends = [T[:3, :3] @ p + T[:3, 3] for p in (capsule.start, capsule.end)]
            assert np.abs(UNIT * links[row, j] - np.concatenate(ends)).max() <= 0.5 * UNIT + 1e-12
    tips = np.frombuffer(base64.b64decode(data["runs"][0]["tip"]), "<f4").reshape(20, 3)
    assert np.abs(tips - robot.right.fk(done)[:, :3, 3]).max() < 1e-6


def test_runs_that_do_not_fit_are_refused(robot: Baxter) -> None:
    wanted, done = paths(robot)
    with pytest.raises(InputError, match=r"all of them equally long"):
        player(robot, "right", {"one": done[:10]}, wanted=wanted)
    with pytest.raises(InputError, match=r"needs one run or more"):
        player(robot, "right", {})
    with pytest.raises(ShapeError, match=r"one has shape \(7,\), expected \(n, 7\)"):
        player(robot, "right", {"one": done[0]})


def test_a_browser_plays_it(robot: Baxter, tmp_path: Path, require: Any) -> None:
    require("chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which(components.system_programs()["chromium"])
    wanted, done = paths(robot)
    page = Page("player")
    page.raw(player(robot, "right", {"one": done, "two": wanted}, wanted=wanted, fps=10.0))
    path = page.save(tmp_path / "player.html")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        tab = browser.new_page()
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(path.as_uri())
        tab.wait_for_function("document.querySelector('.player input[type=range]').value > 2")
        tab.click(".player .play")
        first = tab.text_content(".player .time")
        tab.click("text=two")
        second = tab.text_content(".player .time")
        drawn = tab.evaluate(
            "() => { const c = document.querySelector('.player canvas');"
            "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
            "return d.reduce((n, x, i) => n + (i % 4 == 3 && x > 0), 0); }"
        )
        tab.mouse.move(400, 300)
        tab.mouse.down()
        tab.mouse.move(450, 320)
        tab.mouse.up()
        browser.close()
    assert errors == []
    assert first is not None
    assert "off by" in first
    assert first != second
    assert second is not None
    assert second.endswith("off by 0.00 mm")
    assert drawn > 5000
