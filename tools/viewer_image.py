"""Take the picture of docs/viewer.md, docs/images/viewer.png, in a real browser.

Usage: python tools/viewer_image.py [PATH [MESHES]]

It needs chromium and playwright. The robot is the one of a fresh machine, without Rethink's meshes,
unless MESHES names the folder of a `baxter_description`.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from baxterkit import Arm, Baxter
from baxterkit.viewer import Viewer

IMAGE = Path(__file__).resolve().parent.parent / "docs" / "images" / "viewer.png"
FLAGS = (
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--no-sandbox",
)


def main() -> None:
    """Starts the viewer, sets the scene, and takes the picture."""
    from playwright.sync_api import sync_playwright

    path = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGE
    robot = Baxter(Arm("left", "electric_standard"), Arm("right", "vacuum"))
    meshes = sys.argv[2] if len(sys.argv) > 2 else None
    with Viewer(robot, port=0, meshes=meshes) as viewer, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        page = browser.new_page(viewport={"width": 1440, "height": 860})
        page.goto(viewer.address)
        page.wait_for_selector("canvas", timeout=60e3)
        viewer.mailbox.post("scene", lambda: _set(viewer))
        page.wait_for_timeout(6000)
        for button in page.locator(".mantine-Notification-closeButton").all():
            button.click()
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


if __name__ == "__main__":
    main()
