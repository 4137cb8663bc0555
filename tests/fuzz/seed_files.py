"""What the seeds of every kind of file are made of, and how a user tries them."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from baxterkit import Arm
from baxterkit.errors import BaxterkitError
from baxterkit.recording import Recording

N = 30


def motion() -> Recording:
    """A short recording with every quantity that a file may hold."""
    t = np.arange(N) / 100.0
    q = 0.3 * np.sin(t[:, None] + np.arange(7))
    qd = 0.3 * np.cos(t[:, None] + np.arange(7))
    arm = Arm("left")
    tau = arm.inverse_dynamics(q, qd, -q)
    turn = np.tile([0.0, 0.6, 0.0, 0.8], (N, 1))
    return Recording(
        t=t, q=q, qd=qd, tau=tau, position=arm.fk(q)[:, :3, 3], quaternion=turn, side="left"
    )


def written(ending: str, write: Callable[[Path], object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"seed{ending}"
        write(path)
        return path.read_bytes()


def quiet(function: Callable[[], object]) -> object:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return function()


def tried(*uses: Callable[[], object]) -> None:
    """Does one thing after the other; the package may refuse each of them."""
    for use in uses:
        with contextlib.suppress(BaxterkitError):
            use()
