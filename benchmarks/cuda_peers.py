"""FK and inverse dynamics as they are usually written for learning: batched matrix products."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from baxterkit.model.model import ArmModel


def _poses(xp: Any, links: Any, q: Any) -> Any:
    """Poses of the joints' frames in their parents', (..., 4, 4) each."""
    c, s, zero, one = xp.cos(q), xp.sin(q), xp.zeros_like(q[..., 0]), xp.ones_like(q[..., 0])
    for i, T in enumerate(links):
        rows = (
            (c[..., i], -s[..., i], zero, zero),
            (s[..., i], c[..., i], zero, zero),
            (zero, zero, one, zero),
            (zero, zero, zero, one),
        )
        yield T @ xp.stack([xp.stack(row, -1) for row in rows], -2)


def _fk(xp: Any, arm: Any, q: Any) -> Any:
    T = arm["mount"]
    for step in _poses(xp, arm["links"], q):
        T = T @ step
    return T @ arm["tip"]


def _times(R: Any, x: Any) -> Any:
    return (R @ x[..., None])[..., 0]


def _inverse_dynamics(xp: Any, arm: Any, q: Any, qd: Any, qdd: Any) -> Any:
    """Newton-Euler, link by link in the links' own axes."""
    cross = xp.linalg.cross if hasattr(xp.linalg, "cross") else xp.cross
    steps = list(_poses(xp, arm["links"], q))
    z = arm["z"] + xp.zeros_like(q[..., :3])
    w, a_w = xp.zeros_like(z), xp.zeros_like(z)
    a = xp.zeros_like(z) - _times(arm["mount"][:3, :3].T, arm["gravity"])
    forces, moments = [], []
    for i, T in enumerate(steps):
        Rt, p = T[..., :3, :3].swapaxes(-1, -2), T[..., :3, 3]
        a = _times(Rt, a + cross(a_w, p) + cross(w, cross(w, p)))
        w = _times(Rt, w)
        a_w = _times(Rt, a_w) + cross(w, z * qd[..., i : i + 1]) + z * qdd[..., i : i + 1]
        w = w + z * qd[..., i : i + 1]
        com, inertia = arm["com"][i] + xp.zeros_like(z), arm["inertia"][i]
        a_com = a + cross(a_w, com) + cross(w, cross(w, com))
        forces.append(arm["mass"][i] * a_com)
        moments.append(_times(inertia, a_w) + cross(w, _times(inertia, w)))
    f, n, tau = xp.zeros_like(z), xp.zeros_like(z), []
    for i in reversed(range(7)):
        com = arm["com"][i] + xp.zeros_like(z)
        if i < 6:
            R, p = steps[i + 1][..., :3, :3], steps[i + 1][..., :3, 3]
            f = _times(R, f)
            n = _times(R, n) + cross(p, f)
        f, n = f + forces[i], n + moments[i] + cross(com, forces[i])
        tau.append(n[..., 2])
    return xp.stack(tau[::-1], -1)


def _numbers(model: ArmModel) -> dict[str, Any]:
    bodies = model.link_inertials()
    return {
        "mount": model.T_base_s0,
        "links": [joint.T_parent_joint if i else np.eye(4) for i, joint in enumerate(model.joints)],
        "tip": model.T_last_tip,
        "gravity": model.gravity,
        "z": np.array([0.0, 0.0, 1.0]),
        "mass": [body.mass for body in bodies],
        "com": [body.com for body in bodies],
        "inertia": [body.inertia for body in bodies],
    }


def _each(numbers: dict[str, Any], make: Any) -> dict[str, Any]:
    return {
        name: [make(x) for x in value] if isinstance(value, list) else make(value)
        for name, value in numbers.items()
    }


class TorchPeer:
    """PyTorch, compiled or not."""

    def __init__(self, model: ArmModel, dtype: str, compiled: bool) -> None:
        import torch

        self.name = "torch.compile" if compiled else "torch"
        kind = getattr(torch, dtype)
        arm = _each(
            _numbers(model), lambda x: torch.tensor(np.asarray(x), dtype=kind, device="cuda")
        )
        run = torch.compile if compiled else lambda f: f
        self.fk = run(lambda q: _fk(torch, arm, q))
        self.inverse_dynamics = run(lambda q, v, a: _inverse_dynamics(torch, arm, q, v, a))
        self._torch = torch

    def prepare(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """Arguments as this library takes them."""
        return given

    def wait(self, _: Any) -> None:
        """Waits for a result."""
        self._torch.cuda.synchronize()

    def numpy(self, x: Any) -> np.ndarray:
        """A result on the processor."""
        return x.cpu().numpy()


class JaxPeer:
    """JAX: the function of one state, vmap and jit."""

    def __init__(self, model: ArmModel, dtype: str) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_default_matmul_precision", "highest")  # float32, not TF32
        self.name = "jax.vmap"
        self._jax = jax
        arm = _each(_numbers(model), lambda x: jax.numpy.asarray(x, dtype=dtype))
        xp = jax.numpy
        self.fk = jax.jit(jax.vmap(lambda q: _fk(xp, arm, q)))
        self.inverse_dynamics = jax.jit(
            jax.vmap(lambda q, v, a: _inverse_dynamics(xp, arm, q, v, a))
        )

    def prepare(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """Arguments as this library takes them."""
        return tuple(self._jax.numpy.asarray(x.cpu().numpy()) for x in given)

    def wait(self, x: Any) -> None:
        """Waits for a result."""
        x.block_until_ready()

    def numpy(self, x: Any) -> np.ndarray:
        """A result on the processor."""
        return np.asarray(x)


def available(model: ArmModel, dtype: str) -> list[Any]:
    """The peers that are installed."""
    found: list[Any] = [TorchPeer(model, dtype, False), TorchPeer(model, dtype, True)]
    if importlib.util.find_spec("jax"):
        found.append(JaxPeer(model, dtype))
    return found
