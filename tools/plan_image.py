"""Take the picture of planning in docs/viewer.md, docs/images/viewer_plan.png, in a real browser.

Usage: python tools/plan_image.py [PATH [MESHES]]

It needs chromium and playwright. The robot is the one of a fresh machine, without Rethink's meshes,
unless MESHES names the folder of a `baxter_description`.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from viewer_image import FLAGS

from baxterkit import Arm, Baxter
from baxterkit.viewer import Viewer

IMAGE = Path(__file__).resolve().parent.parent / "docs" / "images" / "viewer_plan.png"
CAMERA, LOOK_AT = (2.75, 1.9, 1.15), (0.55, 0.05, 0.15)
GOAL, TURN = (0.92, -0.20, 0.12), (0.0, 90.0, 0.0)
HEIGHT = 700
"""Of the picture [pixel]."""
HALF_WAY = 0.55
"""Share of the motion that has been played."""


def main() -> None:
    """Starts the viewer, sets the scene, plans, and takes the picture."""
    from playwright.sync_api import sync_playwright

    path = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGE
    robot = Baxter(Arm("left", "electric_standard"), Arm("right", "electric_standard"))
    meshes = sys.argv[2] if len(sys.argv) > 2 else None
    with Viewer(robot, port=0, meshes=meshes) as viewer, sync_playwright() as playwright:
        viewer.server.initial_camera.position = CAMERA
        viewer.server.initial_camera.look_at = LOOK_AT
        plan(viewer)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        page = browser.new_page(viewport={"width": 1440, "height": 860})
        page.set_default_timeout(180e3)
        page.goto(viewer.address)
        page.wait_for_selector("canvas")
        page.wait_for_timeout(6000)
        for button in page.locator(".mantine-Notification-closeButton").all():
            button.click()
        page.get_by_role("tab", name="Plan").click()
        page.wait_for_timeout(6000)
        page.screenshot(path=path, clip={"x": 0, "y": 0, "width": 1440, "height": HEIGHT})
        browser.close()
        print(viewer.controls.text)
    print(f"{path} {path.stat().st_size // 1024} kB")


def plan(viewer: Any) -> None:
    """A hand that reaches around a box into a shelf on a table, stopped on its way."""
    panel, session = viewer.planner, viewer.session

    def furnish() -> None:
        for kind in ("table", "shelf", "box"):
            panel.objects.add(kind)
        right = session.limb("right")
        right.set_joints(right.arm.configuration("neutral"))
        viewer.controls._curves.value = False
        viewer.controls._gizmos.value = False
        viewer.controls.place_gizmos()
        panel.goals.arms.value = "left"
        panel.goals.aim("left")
        panel.goals.place("left", np.array(GOAL))
        panel.goals.rotate("left", np.array(TURN))

    do(viewer, furnish)
    wait(lambda: not session.moving)
    do(viewer, panel.plan)
    wait(lambda: session.player.playing)
    do(viewer, session.stop_playing)
    do(viewer, lambda: session.seek(HALF_WAY * session.player.motion.duration))


def do(viewer: Any, action: Callable[[], object]) -> None:
    """Lets the viewer's thread do something, and waits until it has."""
    done: list[object] = []
    viewer.mailbox.post(object(), lambda: done.append(action()))
    wait(lambda: bool(done))


def wait(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("it takes too long; is there a plan?")
        time.sleep(0.05)


if __name__ == "__main__":
    main()
