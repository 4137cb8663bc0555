"""A long time of random dragging: memory stays flat, nothing is raised."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewer_client import CANVAS, Client, wait_for

from baxterkit.spatial import matrix_to_quaternion, so3_exp
from baxterkit.viewer import Viewer

MINUTES = float(os.environ.get("BAXTERKIT_SOAK_MINUTES", "3"))
GROWTH = 24.0  # MB over the second half: allocators breathe, leaks of a message each do not fit


def resident() -> float:
    """Memory of this process [MB]."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.acceptance
def test_random_dragging_leaves_memory_flat_and_raises_nothing(viewer: Viewer) -> None:
    clients = [Client(viewer) for _ in range(2)]
    for client in clients:
        client.hello()
    wait_for(lambda: len(viewer.server.get_clients()) == 2, "the clients are known")
    rng = np.random.default_rng(7)
    choices = ("off", "within limits", "all")
    poses = {side: limb.T_base_tip for side, limb in viewer.session.limbs.items()}
    start = time.monotonic()
    measured: list[float] = []
    drags = 0
    while (passed := time.monotonic() - start) < 60.0 * MINUTES:
        for side, T in poses.items():
            T[:3, 3] += rng.normal(scale=0.03, size=3)
            T[:3, 3] += 0.05 * (np.array([0.6, 0.0, 0.2]) - T[:3, 3])
            T[:3, :3] = T[:3, :3] @ so3_exp(rng.normal(scale=0.05, size=3))
            wxyz = np.roll(matrix_to_quaternion(T[:3, :3]), 1)
            rng.choice(clients).drag(side, T[:3, 3], wxyz / np.linalg.norm(wxyz))
            drags += 1
        event = rng.integers(200)
        if event == 0:
            clients[0].release("left")
        elif event == 1:
            viewer.mailbox.post("pose", lambda: viewer.session.go_to_configuration("neutral"))
        elif event == 2:
            tool = str(rng.choice(["hand", "vacuum", "electric_standard"]))
            viewer.mailbox.post("tool", lambda tool=tool: viewer.change_tool("left", tool))
        elif event == 3:
            viewer.controls.ghosts.value = str(rng.choice(choices))
        elif event == 4:  # somebody leaves, somebody comes
            clients[1].close()
            clients[1] = Client(viewer)
            clients[1].hello()
        for client in clients:
            while client.read(timeout=0.0):
                pass
        time.sleep(0.02)
        if passed > (len(measured) + 1) * 60.0 * MINUTES / 10.0:
            measured.append(resident())
    for limb in viewer.session.limbs.values():
        assert np.isfinite(limb.q).all()
        assert limb.arm.limits.contains(limb.q)
    assert viewer.failures == 0
    assert viewer.updates > 0.1 * drags
    growth = measured[-1] - measured[len(measured) // 2]
    assert growth < GROWTH, f"memory [MB]: {', '.join(f'{x:.0f}' for x in measured)}"
    for client in clients:
        client.close()


@pytest.mark.acceptance
def test_ten_browser_pages_are_drawn_at_once(chromium: Any, viewer: Viewer) -> None:
    pages = [chromium.new_page(viewport={"width": 500, "height": 400}) for _ in range(10)]
    for page in pages:
        page.goto(viewer.address)
    for page in pages:
        page.wait_for_selector(CANVAS, timeout=300e3)
    wait_for(lambda: len(viewer.server.get_clients()) == 10, "all are connected", 300.0)
    viewer.mailbox.post("pose", lambda: viewer.session.go_to_configuration("neutral"))
    wait_for(lambda: not viewer.session.moving, "the arms move")
    for page in pages:
        page.get_by_text("manipulability").first.wait_for(timeout=300e3)
        page.close()
