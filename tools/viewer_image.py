"""Take the pictures docs/images/viewer.png and viewer_reach.png in a real browser.

Usage: python tools/viewer_image.py [FOLDER [MESHES]]

It needs chromium and playwright. The robot is the one of a fresh machine, without Rethink's meshes,
unless MESHES names the folder of a `baxter_description`.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from baxterkit import Arm, Baxter, workspace
from baxterkit.viewer import Viewer

ROOT = Path(__file__).resolve().parent.parent
CAMERA, LOOK_AT = (2.6, -1.7, 1.5), (0.25, 0.2, 0.25)
"""Where the map is seen from [m]."""
CELL = (0.85, 0.55, 0.4)
"""A point in the cell whose orientations are shown [m]."""
FLAGS = (
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--no-sandbox",
)


def main() -> None:
    """Starts the viewer, sets the scene, and takes the picture, twice."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    meshes = sys.argv[2] if len(sys.argv) > 2 else None
    robot = Baxter(Arm("left", "electric_standard"), Arm("right", "vacuum"))
    with Viewer(robot, port=0, meshes=meshes) as viewer:
        take(viewer, folder / "viewer.png", "Left", _set)
    made = workspace.open_map(ROOT / "examples" / "left_arm.zarr")
    with Viewer(port=0, meshes=meshes, reach=made) as viewer:
        viewer.server.initial_camera.position = CAMERA
        viewer.server.initial_camera.look_at = LOOK_AT
        take(viewer, folder / "viewer_reach.png", "Reach", _reach)


def take(viewer: Viewer, path: Path, tab: str, scene: Callable[[Any], None]) -> None:
    """Takes the picture of a scene, with a tab in front."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        page = browser.new_page(viewport={"width": 1440, "height": 860})
        page.goto(viewer.address)
        page.wait_for_selector("canvas", timeout=60e3)
        viewer.mailbox.post("scene", lambda: scene(viewer))
        page.wait_for_timeout(6000)
        for button in page.locator(".mantine-Notification-closeButton").all():
            button.click()
        page.get_by_role("tab", name=tab).click()
        page.wait_for_timeout(4000)
        page.screenshot(path=path, timeout=60e3)
        browser.close()
    print(f"{path} {path.stat().st_size // 1024} kB")


def _set(viewer: Any) -> None:
    """A hand raised, and the velocity ellipsoids."""
    limb = viewer.session.limb("left")
    T = limb.T_base_tip.copy()
    T[:3, 3] += [0.10, 0.16, 0.16]
    limb.drag(T)
    viewer.controls.ellipsoid.value = True


def _reach(viewer: Any) -> None:
    """The slice through the shoulder, and the orientations of one of its cells."""
    viewer.reach.click_at(np.array(CELL))


if __name__ == "__main__":
    main()
