"""PyRoki beside us on a GPU: FK, and inverse kinematics from many starts, for bench_cuda.py.

PyRoki and jaxls are not on PyPI: git+https://github.com/chungmin99/pyroki (70b30a5 was measured)
and git+https://github.com/brentyi/jaxls (e19f325, of the same month).
"""

from __future__ import annotations

import importlib.util
import io
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from baxterkit import Arm
from baxterkit.model import JOINTS
from baxterkit.model.model import ArmModel

STARTS, STEPS, KEPT, MORE = 64, 6, 4, 10
"""As in PyRoki's own benchmark: starts of a target and steps from each, and how many of them go on
for how many more."""
NEAR_M, NEAR_RAD = 0.005, 0.05
"""What that benchmark counts as solved."""
BEYOND = 1e-3
"""How far beyond a limit joints may be there [rad]: a cost keeps them within."""
TARGETS = 1 << 13


def available() -> bool:
    """Whether PyRoki is installed."""
    return importlib.util.find_spec("pyroki") is not None


def urdf_of(model: ArmModel) -> str:
    """The arm as URDF: its joints between two that are fixed."""

    def origin(T: np.ndarray) -> str:
        R, p = T[:3, :3], T[:3, 3]
        pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
        if np.hypot(R[0, 0], R[1, 0]) > 1e-9:
            roll, yaw = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
        else:
            roll, yaw = np.arctan2(-R[1, 2], R[1, 1]), 0.0
        xyz = " ".join(f"{x:.17g}" for x in p)
        return f'<origin xyz="{xyz}" rpy="{roll:.17g} {pitch:.17g} {yaw:.17g}"/>'

    lines = ['<robot name="arm"><link name="base"/>']
    parent = "base"
    limits = zip(model.limits.lower, model.limits.upper, strict=True)
    joints = zip(JOINTS, model.joints, limits, strict=True)
    for i, (name, joint, (lower, upper)) in enumerate(joints):
        T = joint.T_parent_joint if i else model.T_base_s0
        lines.append(
            f'<link name="{name}"/><joint name="{name}_joint" type="revolute">'
            f'<parent link="{parent}"/><child link="{name}"/>{origin(T)}<axis xyz="0 0 1"/>'
            f'<limit lower="{lower}" upper="{upper}" effort="50" velocity="4"/></joint>'
        )
        parent = name
    lines.append(
        '<link name="tip"/><joint name="tip_joint" type="fixed">'
        f'<parent link="{parent}"/><child link="tip"/>{origin(model.T_last_tip)}</joint></robot>'
    )
    return "".join(lines)


class Peer:
    """PyRoki's robot, float32 as it is made."""

    def __init__(self, model: ArmModel) -> None:
        import jax
        import pyroki
        import yourdfpy

        self._jax = jax
        urdf = yourdfpy.URDF.load(io.StringIO(urdf_of(model)), load_meshes=False)
        self.robot = pyroki.Robot.from_urdf(urdf)
        self.tip = jax.numpy.int32(self.robot.links.names.index("tip"))
        self.fk = jax.jit(lambda q: self.robot.forward_kinematics(q)[..., self.tip, :])
        self.ik = jax.jit(jax.vmap(self._solve))

    def array(self, x: Any) -> Any:
        return self._jax.numpy.asarray(np.asarray(x), dtype="float32")

    def _descend(self, target: Any, q: Any, damping: Any, steps: int) -> tuple[Any, Any, Any]:
        """Levenberg-Marquardt steps from one start: joint positions, their cost, the damping."""
        import jaxlie
        import jaxls
        import pyroki

        variable = self.robot.joint_var_cls(0)
        costs = [
            pyroki.costs.pose_cost_analytic_jac(
                self.robot, variable, jaxlie.SE3(target), self.tip, pos_weight=10.0, ori_weight=5.0
            ),
            pyroki.costs.limit_cost(self.robot, variable, weight=50.0),
        ]
        found, summary = (
            jaxls.LeastSquaresProblem(costs, [variable])
            .analyze()
            .solve(
                jaxls.VarValues.make([variable.with_value(q)]),
                linear_solver="dense_cholesky",
                trust_region=jaxls.TrustRegionConfig(lambda_initial=damping),
                termination=jaxls.TerminationConfig(max_iterations=steps, early_termination=False),
                verbose=False,
                return_summary=True,
            )
        )
        return found[variable], summary.cost_history[-1], summary.lambda_history[-1]

    def _solve(self, target: Any, starts: Any) -> Any:
        """The best of many starts of one target (7,): quaternion and position."""
        jax = self._jax
        damping = jax.numpy.full(len(starts), 10.0, starts.dtype)
        q, cost, damping = jax.vmap(lambda q, d: self._descend(target, q, d, STEPS))(
            starts, damping
        )
        best = jax.numpy.argsort(cost)[:KEPT]
        q, cost, _ = jax.vmap(lambda q, d: self._descend(target, q, d, MORE))(
            q[best], damping[best]
        )
        return q[jax.numpy.argmin(cost)]


def pyroki(wall_us: Callable[[Callable[[], None]], float]) -> list[dict[str, Any]]:
    """FK of a million states, and inverse kinematics of reachable targets, ours beside it."""
    import torch

    here, arm = Arm("left"), Arm("left", backend="cuda")
    peer = Peer(here.model)
    rng = np.random.default_rng(6)
    lower, upper = np.array(here.limits.lower), np.array(here.limits.upper)
    n = 1 << 20
    q = rng.uniform(lower, upper, (n, 7)).astype(np.float32)
    mine, theirs = torch.tensor(q, device="cuda"), peer.array(q)
    tip = np.asarray(peer.fk(theirs))[:1000, 4:]
    difference = np.abs(tip - arm.fk(mine).cpu().numpy()[:1000, :3, 3]).max()
    assert difference < 1e-4, difference

    def own() -> None:
        arm.fk(mine)
        torch.cuda.synchronize()

    us, own_us = wall_us(lambda: peer.fk(theirs).block_until_ready()), wall_us(own)
    rows: list[dict[str, Any]] = [
        {
            "what": "fk",
            "dtype": "float32",
            "peer": "PyRoki",
            "rows": n,
            "peer_M_per_s": round(n / us, 2),
            "ours_M_per_s": round(n / own_us, 2),
            "ratio": round(us / own_us, 1),
        }
    ]
    print(rows[-1], flush=True)
    targets = peer.fk(theirs[:TARGETS])
    starts = peer.array(rng.uniform(lower, upper, (TARGETS, STARTS, 7)))
    peer.ik(targets, starts).block_until_ready()
    started = time.perf_counter()
    found = np.asarray(peer.ik(targets, starts))
    seconds = time.perf_counter() - started
    wanted, reached = (
        here.fk(np.asarray(x, dtype=np.float64))
        for x in (q[:TARGETS], np.clip(found, lower, upper))
    )
    off = np.linalg.norm(wanted[:, :3, 3] - reached[:, :3, 3], axis=-1)
    cosine = 0.5 * (np.einsum("nij,nij->n", wanted[:, :3, :3], reached[:, :3, :3]) - 1.0)
    turned = np.arccos(np.clip(cosine, -1.0, 1.0))
    beyond = np.maximum(lower - found, found - upper).max(axis=-1)
    solved = (off < NEAR_M) & (turned < NEAR_RAD) & (beyond < BEYOND)
    rows.append(
        {
            "what": "ik",
            "dtype": "float32",
            "peer": "PyRoki",
            "rows": TARGETS,
            "peer_M_per_s": round(TARGETS / seconds * 1e-6, 4),
            "solved_to_5_mm": round(float(solved.mean()), 5),
            "median_error_mm": float(np.median(off[solved]) * 1e3),
        }
    )
    print(rows[-1], flush=True)
    return rows
