"""Draw the pictures of the documents into docs/images; those of docs/ik.md are ik_images.py's."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from baxterkit import Arm, Baxter, plot, workspace
from baxterkit.collision import World
from baxterkit.sim import Twin
from baxterkit.sim.render import Camera, save_png

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"


def main() -> None:
    """Draws them all."""
    robot = Baxter()
    for name in ("neutral", "untuck"):
        q_left, q_right = robot.left.configuration(name), robot.right.configuration(name)
        figure = plot.skeleton_both(robot, q_left, q_right, title=f"Baxter, {name}")
        print(plot.save(figure, IMAGES / f"skeleton_{name}.png").name)
    print(plot.save(plot.workspace(robot.left), IMAGES / "workspace.png").name)
    both = plot.workspace(robot.left, robot=robot)
    print(plot.save(both, IMAGES / "workspace_body.png").name)
    made = workspace.open_map(IMAGES.parent.parent / "examples" / "left_arm.zarr")
    print(plot.save(plot.workspace_map(made), IMAGES / "workspace_map.png").name)
    print(plot.save(_torques(robot.left), IMAGES / "torques.png").name)
    print(_twin(IMAGES / "twin.png").name)
    print(_pick_and_place(IMAGES / "pick_and_place.png").name)


def _torques(arm: Arm) -> Any:
    """The figure of docs/plots.md."""
    t = np.arange(0.0, 10.0, 0.01)
    q = arm.configuration("neutral") + 0.3 * np.sin(np.outer(t, np.linspace(1.0, 2.0, 7)))
    qd = np.gradient(q, t, axis=0)
    rigid = arm.inverse_dynamics(q, qd, np.gradient(qd, t, axis=0))
    friction = 0.5 * np.tanh(qd / 0.05)
    sensed = rigid + friction + np.random.default_rng(0).normal(0.0, 0.15, q.shape)
    return plot.torques(t, sensed, {"rigid": rigid, "with friction": rigid + friction})


def _twin(path: Path) -> Path:
    """The picture of docs/twin.md; needs EGL or OSMesa."""
    world = World()
    world.add_table("table", height=-0.15)
    world.add_box("cube", (0.07, 0.07, 0.07), (0.75, 0.1, -0.11), mass=0.2)
    world.add_cylinder("can", 0.13, 0.035, (0.7, 0.35, -0.08), mass=0.3, color=(0.0, 0.62, 0.45))
    twin = Twin(tool="electric_standard", world=world).enable()
    twin.move_to(right="neutral")
    camera = Camera(twin, 840, 620, look_at=(0.35, 0.0, -0.1), distance=2.7, azimuth=150.0)
    return save_png(camera.picture(), path)


def _pick_and_place(path: Path) -> Path:
    """The pictures of docs/planning.md: four stages of the example."""
    example = IMAGES.parent.parent / "examples" / "20_pick_and_place.py"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(example), folder], check=True, capture_output=True)
        stages = [plt.imread(Path(folder) / f"{n}.png")[..., :3] for n in (0, 1, 3, 4)]
    rows = [np.concatenate(stages[n : n + 2], axis=1) for n in (0, 2)]
    return save_png(np.rint(255 * np.concatenate(rows)).astype(np.uint8), path)


if __name__ == "__main__":
    main()
