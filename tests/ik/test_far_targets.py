"""Targets farther away than their squares can be counted are out of reach, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.ik import IkStatus
from baxterkit.ik.target import Pointing, Position

FAR = [(1e308, 1e308, 0.0), (-1e308, 1e308, 1e308), (1.7e308, 1.7e308, 1.7e308), (1e200, 0.0, 0.0)]


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
@pytest.mark.parametrize(("p", "backend"), [*((p, "native") for p in FAR), (FAR[0], "numpy")])
def test_far_targets_are_out_of_reach(p: tuple[float, float, float], backend: str) -> None:
    arm = Arm("left", backend=backend)
    T = np.eye(4)
    T[:3, 3] = p
    assert arm.ik(T).status is IkStatus.OUT_OF_REACH
    assert arm.ik(T.tolist()).status is IkStatus.OUT_OF_REACH
    assert (arm.ik(np.stack([T, T])).status == IkStatus.OUT_OF_REACH).all()
    assert arm.ik_all(T).shape == (0, 7)
    assert arm.self_motion(T).curves == ()
    if backend == "numpy":
        return  # the rest is the same code, and slow
    assert not arm.ik_path(np.stack([T, T])).solved
    assert not arm.ik(Position(np.array(p))).solved
    assert not arm.ik(Pointing(np.array(p), np.array([0.0, 0.0, -1.0]))).solved


@pytest.mark.parametrize("method", ["pseudoinverse", "ccd", "six_dof"])
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_iterative_methods_end_too(method: str) -> None:
    T = np.eye(4)
    T[:3, 3] = FAR[0]
    assert not Arm("left").ik(T, method=method).solved


@pytest.mark.parametrize("size", [1e308, 1e-320])
def test_a_direction_may_have_any_length(size: float) -> None:
    p = np.array([0.7, 0.2, 0.1])
    found = [Pointing(p, np.array([0.0, scale, -scale])).direction for scale in (1.0, size)]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-3, atol=0.0)
