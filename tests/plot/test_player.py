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
from baxterkit.collision import FLOOR
from baxterkit.errors import InputError, ShapeError
from baxterkit.look.colors import ARM_COLORS, rgb
from baxterkit.look.robot import CHARCOAL, IRIS, PALE, STEEL, WHITE
from baxterkit.plot.page import Page
from baxterkit.plot.player import TURN, UNIT, player
from baxterkit.spatial import quaternion_to_matrix


@pytest.fixture(scope="module")
def robot() -> Baxter:
    return Baxter()


def data_of(text: str) -> Any:
    match = re.search(r'<script type="application/json" class="data">(.*?)</script>', text, re.S)
    assert match is not None
    return json.loads(match.group(1))


def paths(robot: Baxter) -> tuple[np.ndarray, np.ndarray]:
    wanted = robot.right.configuration("untuck") + np.linspace(0.0, 0.3, 20)[:, None]
    return wanted, wanted + 0.01


def test_page_holds_the_links_where_they_are(robot: Baxter) -> None:
    wanted, done = paths(robot)
    data = data_of(player(robot, "right", {"one": done}, wanted=wanted, fps=10.0))
    assert (data["count"], data["fps"]) == (20, 10.0)
    rows = np.frombuffer(base64.b64decode(data["runs"][0]["links"]), "<i2").reshape(20, 7, 7)
    Ts = robot.right.link_poses(done)[:, :7]
    assert np.abs(UNIT * rows[..., :3] - Ts[..., :3, 3]).max() <= 0.5 * UNIT + 1e-12
    R = quaternion_to_matrix(np.roll(rows[..., 3:] / TURN, -1, axis=-1))
    assert np.abs(R - Ts[..., :3, :3]).max() < 2e-4  # 0.1 mm at half a metre
    tips = np.frombuffer(base64.b64decode(data["runs"][0]["tip"]), "<f4").reshape(20, 3)
    assert np.abs(tips - robot.right.fk(done)[:, :3, 3]).max() < 1e-6


def test_page_holds_the_robot_with_its_own_look(robot: Baxter) -> None:
    _, done = paths(robot)
    parts = data_of(player(robot, "right", {"one": done}))["parts"]
    assert {part["frame"] for part in parts} == set(range(-1, 7))
    colors = {tuple(part["color"]) for part in parts}
    arms = {rgb(color) for color in ARM_COLORS.values()}
    assert {*arms, CHARCOAL, PALE, STEEL, WHITE, IRIS} <= colors
    still = [part for part in parts if part["frame"] < 0]
    height = np.concatenate(
        [np.frombuffer(base64.b64decode(part["v"]), "<i2").reshape(-1, 3) for part in still]
    )[:, 2]
    assert UNIT * height.min() == pytest.approx(FLOOR, abs=0.01)  # down to the floor
    assert UNIT * height.max() > 0.75  # up to the head


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
