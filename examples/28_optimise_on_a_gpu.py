"""Optimise a motion from thousands of starts at once, among obstacles and with torques in mind.

A motion is a straight line in joint space, timed by a quintic, and some sines on it, whose sizes
are searched for. The cost counts clearances below 5 cm, torques, and joints beyond their limits;
its gradient comes from the library's own kernels (`baxterkit.torch`). On a GPU 4096 starts take
less than a second; on the processor there are fewer. The best motion is run in the twin.

Usage: python 28_optimise_on_a_gpu.py [STARTS]
"""

import sys
import time
from typing import Any

import numpy as np

import baxterkit.cuda
from baxterkit import Arm, Baxter
from baxterkit.collision import World
from baxterkit.scene import Scene
from baxterkit.trajectory import Trajectory

ON_GPU = baxterkit.cuda.available()
STARTS = int(sys.argv[1]) if len(sys.argv) > 1 else 4096 if ON_GPU else 16
STEPS, SINES, POINTS = 80, 5, 32
SECONDS = 3.0  # of the motion
FAR = 0.05  # [m]: what is clear by this does not cost anything
START = np.array([0.2, 0.1, 0.0, 0.6, 0.0, 0.6, 0.0])
GOAL = np.array([-0.9, 0.1, 0.0, 0.6, 0.0, 0.6, 0.0])


def scene_of(backend: str) -> Scene:
    """A box between the two ends of the motion: the straight one would hit it."""
    world = World()
    world.add_box("box", (0.3, 0.12, 0.4), (0.85, 0.5, -0.1))
    arms = (Arm(side, backend=backend) for side in ("left", "right"))
    return Baxter(*arms).scene(world)


def bases(points: int) -> tuple[np.ndarray, np.ndarray]:
    """The line's share and the sines, each with its first and second derivative by time."""
    t = np.linspace(0.0, 1.0, points)
    s = t**3 * (10.0 - 15.0 * t + 6.0 * t**2)
    ds = 30.0 * t**2 * (1.0 - t) ** 2 / SECONDS
    dds = 60.0 * t * (1.0 - t) * (1.0 - 2.0 * t) / SECONDS**2
    k = np.pi * np.arange(1, SINES + 1)
    x = s[:, None] * k
    first = k * np.cos(x) * ds[:, None]
    second = k * np.cos(x) * dds[:, None] - k**2 * np.sin(x) * ds[:, None] ** 2
    return np.stack([s, ds, dds]), np.stack([np.sin(x), first, second])


def motions(sizes: Any, line: Any, sines: Any, ends: tuple[Any, Any]) -> list[Any]:
    """q, qd and qdd of motions, (starts, points, 7) each."""
    straight = line[..., None] * (ends[1] - ends[0])
    made = [line_i + s.matmul(sizes) for line_i, s in zip(straight, sines, strict=True)]
    return [ends[0] + made[0], made[1], made[2]]


def optimise(scene: Scene, torch: Any) -> tuple[np.ndarray, float, float]:
    """The best motion's sizes (SINES, 7), its cost, and the time that the search took [s]."""
    import baxterkit.torch as ops

    arm = scene.robot.left
    place = {"dtype": torch.float64, "device": "cuda" if ON_GPU else "cpu"}
    line, sines = (torch.tensor(x, **place) for x in bases(POINTS))
    ends = (torch.tensor(START, **place), torch.tensor(GOAL, **place))
    still = torch.tensor(scene._untucked("left"), **place)
    lower, upper, effort = (
        torch.tensor(np.array(x), **place)
        for x in (arm.limits.lower, arm.limits.upper, arm.limits.effort)
    )
    torch.manual_seed(0)
    number = torch.arange(1, SINES + 1, **place)[:, None]
    sizes = torch.randn(STARTS, SINES, 7, **place) * 0.4 / number
    sizes[0] = 0.0
    sizes.requires_grad_()
    search = torch.optim.Adam([sizes], lr=0.03)

    def costs() -> Any:
        q, qd, qdd = motions(sizes, line, sines, ends)
        gap = ops.clearance(scene, q, still)
        tau = ops.inverse_dynamics(arm, q, qd, qdd)
        beyond = torch.relu(lower + 0.05 - q) + torch.relu(q - upper + 0.05)
        return (
            1e4 * torch.relu(FAR - gap).square().sum(-1)
            + (tau / effort).square().mean((-1, -2))
            + 1e2 * beyond.square().sum((-1, -2))
            + 1e-2 * qdd.square().mean((-1, -2))
        )

    costs().sum().backward()  # the first call loads the kernels
    if ON_GPU:
        torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(STEPS):
        search.zero_grad()
        costs().sum().backward()
        search.step()
    with torch.no_grad():
        final = costs()
    best = int(final.argmin())
    answer = sizes[best].detach().cpu().numpy()
    return answer, float(final[best]), time.perf_counter() - began


def trajectory(sizes: np.ndarray, points: int = 61) -> Trajectory:
    line, sines = bases(points)
    q = START + line[0][:, None] * (GOAL - START) + sines[0] @ sizes
    qd = line[1][:, None] * (GOAL - START) + sines[1] @ sizes
    qdd = line[2][:, None] * (GOAL - START) + sines[2] @ sizes
    return Trajectory.from_points(np.linspace(0.0, SECONDS, points), q, qd, qdd, side="left")


def main() -> None:
    try:
        import torch
    except ImportError:
        print("no PyTorch on this machine: pip install torch")
        return
    scene = scene_of("cuda" if ON_GPU else "native")
    sizes, cost, seconds = optimise(scene, torch)
    here = scene_of("native")
    still = here._untucked("left")
    fine = np.linspace(0.0, 1.0, 301) * SECONDS
    straight, best = trajectory(np.zeros_like(sizes)), trajectory(sizes)
    for name, motion in (("straight", straight), ("best", best)):
        gap = here.clearance(motion.sample(fine).q, still).min()
        print(f"{name}: clearance {1e3 * gap:.0f} mm")
    print(f"{STARTS} starts, {STEPS} steps on the {'GPU' if ON_GPU else 'processor'}")
    if len(sys.argv) > 1:
        print(f"{seconds:.2f} s, cost {cost:.3f}")
        np.save("best_motion.npy", sizes)
    try:
        import mujoco  # noqa: F401
    except ImportError:
        print("no MuJoCo on this machine: pip install baxterkit[sim]")
        return
    import baxterkit
    from baxterkit.sim import Twin

    with baxterkit.connect(Twin()) as robot:
        robot.enable()
        robot.move_to(left=START, right=still)
        print(f"in the twin: arrived {robot.follow(best).arrived}")


main()
