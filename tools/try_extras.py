"""Installs a wheel with one extra at a time in fresh environments, and uses what the extra is for.

Usage: python tools/try_extras.py [EXTRA...]      all of `USES` if none is named; after make wheels
                                                  ("" is the core; `cuda` needs make cuda too)

Prints what each environment weighs after pip has finished, NumPy included, pip itself not.
The index is pip's own.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"

MOTION = """
import numpy as np
from baxterkit import Arm, recording
t = np.linspace(0, 2, 201)
q = Arm("left").configuration("untuck") + 0.1 * np.sin(t)[:, None]
motion = recording.Recording(t=t, q=q, side="left")
"""
USES = {
    "": """
import sys
from baxterkit import Arm, Baxter, planning
arm = Arm("left")
assert arm.ik(arm.fk(arm.configuration("untuck"))).solved
robot = Baxter()
q, goal = (
    [*robot.left.configuration(name), *robot.right.configuration(name)]
    for name in ("untuck", "neutral")
)
assert planning.plan(robot, q, goal).path is not None
assert "scipy" not in sys.modules
""",
    "cli": """
import subprocess, sys
for words in ("fk untuck", "ik 0.6 0.3 0.2 --json", "collide tuck --other tuck", "--help"):
    subprocess.run([sys.executable, "-m", "baxterkit", *words.split()], check=True)
""",
    "plot": """
from baxterkit import Arm, plot
arm = Arm("left")
plot.save(plot.skeleton(arm, arm.configuration("untuck")), "arm.png")
""",
    "symbolic": """
from baxterkit import Arm
from baxterkit.symbolic import ClosedForm
print(ClosedForm(Arm("left")).G[6])
""",
    "data": MOTION
    + """
motion.filtered(5.0).save("motion.mcap")
again = recording.load("motion.mcap")
assert len(again.t) == 201, again
""",
    "parquet": MOTION
    + """
motion.save("motion.parquet")
assert len(recording.load("motion.parquet").t) == 201
""",
    "lerobot": """
import numpy as np
from baxterkit import Arm, lesson, trajectory
arm = Arm("left")
one = lesson.Lesson(trajectory.min_jerk(arm, *map(arm.configuration, ("untuck", "neutral"))))
black = np.zeros((64, 64, 3), np.uint8)
lesson.save_lerobot("dataset", [one], cameras={"front": lambda lesson, t: black})
print(lesson.load_lerobot("dataset"))
""",
    "move": """
from baxterkit import Arm, trajectory
arm = Arm("left")
print(trajectory.point_to_point(arm, *map(arm.configuration, ("untuck", "neutral"))).duration)
""",
    "plan": """
from baxterkit import Baxter, planning
robot = Baxter()
q, goal = (
    [*robot.left.configuration(name), *robot.right.configuration(name)]
    for name in ("untuck", "neutral")
)
search = planning.SearchSettings(method="ompl:RRTConnect", timeout=20.0)
assert planning.plan(robot, q, goal, search=search).path is not None
""",
    "mpc": """
import numpy as np
from baxterkit import Arm, control
arm = Arm("left")
q = arm.configuration("untuck")
state, reference = control.State(q, np.zeros(7)), control.Reference(q, np.zeros(7), np.zeros(7))
print(control.Predictive(arm).update(state, reference, 0.001))
""",
    "sim": """
import baxterkit
with baxterkit.connect() as robot:
    robot.enable()
    assert robot.move_to("neutral", "neutral").arrived
""",
    "learn": """
import gymnasium
import baxterkit.learn
env = gymnasium.make("baxterkit/Reach-v0")
env.reset(seed=0)
assert env.step(env.action_space.sample())[4]["refused"] is not None
""",
    "camera": """
from baxterkit.sim import Camera, RenderError, Twin
try:
    print(Camera(Twin()).picture().shape)
except RenderError as error:
    print(error)  # this machine has no OpenGL, and the extra cannot bring it
    assert "No module" not in str(error)
""",
    "viewer": """
from urllib.request import urlopen
from baxterkit.viewer import Viewer
with Viewer(port=0) as viewer:
    assert b"<html" in urlopen(viewer.address).read().lower()
""",
    "mesh": """
from baxterkit import Tool
corners = [(x, y, z) for x in (0, 0.1) for y in (0, 0.05) for z in (0, 0.02)]
faces = "1 2 4 3,5 7 8 6,1 5 6 2,3 4 8 7,1 3 7 5,2 6 8 4".split(",")
text = "".join(f"v {x} {y} {z}\\n" for x, y, z in corners) + "".join(f"f {f}\\n" for f in faces)
open("tool.obj", "w").write(text)
print(Tool.from_mesh("tool.obj", density=1000.0))
""",
    "scale": """
from baxterkit import workspace
print(workspace.make_map("map.zarr", workspace.Question("left", step=0.4, orientations=12)))
""",
    "ros": """
from baxterkit import recording, ros
for name in ("run.bag", "run.mcap"):
    with ros.in_process() as both, both.link.record(name):
        both.clock.sleep(0.5)
    assert len(recording.load(name, side="left").t) > 10
""",
    "foxglove": """
from baxterkit import ros
with ros.in_process() as both, both.link.foxglove(port=0) as server:
    both.clock.sleep(0.1)
    print(server.address)
""",
    "torch": """
import torch
from baxterkit import Arm
from baxterkit.torch import fk
arm = Arm("left")
q = torch.tensor(arm.configuration("untuck"), requires_grad=True)
fk(arm, q)[2, 3].backward()
assert torch.allclose(q.grad, torch.tensor(arm.jacobian(q.detach().numpy())[2]))
""",
    "jax": """
import jax
from baxterkit import Arm
from baxterkit.jax import fk
jax.config.update("jax_enable_x64", True)
arm = Arm("left")
q = jax.numpy.asarray(arm.configuration("untuck"))
slope = jax.jit(jax.grad(lambda q: fk(arm, q)[2, 3]))(q)
assert abs(slope - arm.jacobian(arm.configuration("untuck"))[2]).max() < 1e-12
""",
    "cuda": """
from baxterkit import Arm
from baxterkit.errors import DeviceError
try:
    arm = Arm("left", backend="cuda")
    assert arm.ik(arm.fk(arm.configuration("untuck"))).solved
except DeviceError as error:
    print(error)  # this machine has no GPU, and the extra cannot bring it
""",
    "all": "import mujoco, viser, ompl, zarr",
}
"""Extra -> a program that needs it, and none of the others."""
BESIDE = {"ros": "sim", "foxglove": "sim"}
"""Extras that are tried with another one: the twin stands for the robot there."""


def wheel() -> Path:
    """The wheel for this machine."""
    found = sorted(DIST.glob(f"baxterkit-*{platform.machine()}.whl"))
    if not found:
        sys.exit(f"no wheel in {DIST}: make wheels")
    return found[-1]


def weight(folder: Path) -> float:
    """Size of all files below a folder [MB]."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def tried(extra: str) -> bool:
    """Installs one extra and runs its program; whether that worked."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
        python = folder / "env" / "bin" / "python"
        extras = ",".join(filter(None, (extra, BESIDE.get(extra, ""))))
        wanted = f"{wheel()}[{extras}]" if extras else str(wheel())
        start = time.monotonic()
        command = [sys.executable, "-m", "pip", "--python", python, "install", "-q"]
        options = ["--only-binary=:all:", f"--find-links={DIST}"]
        installed = subprocess.run([*command, *options, wanted], cwd=folder)
        seconds = time.monotonic() - start
        size = weight(folder / "env" / "lib")
        done = (
            installed.returncode == 0
            and not subprocess.run(
                [python, "-W", "error::ImportWarning", "-c", USES[extra]], cwd=folder, timeout=600
            ).returncode
        )
        verdict = "works" if done else "FAILED"
        print(f"[{extras}]: {verdict}, {size:.0f} MB, installed in {seconds:.0f} s", flush=True)
        return done


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(USES)
    sys.exit(sum(not tried(extra) for extra in chosen))
