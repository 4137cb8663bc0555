"""Every solution with joint e0 held, on the emulated GPU: those of the processor."""

from __future__ import annotations

import numpy as np
import pytest
from emulator import EmulatedDriver

from baxterkit import Arm
from baxterkit.cuda import DeviceArray, all_ik, device
from baxterkit.errors import InputError, ShapeError

SAME = 1e-8
"""Largest difference of joints [rad] from the processor's: next to singular ones rounding grows."""


def there(x: object) -> DeviceArray:
    return DeviceArray.of(device(), np.asarray(x))


def targets(arm: Arm, n: int) -> tuple[np.ndarray, np.ndarray]:
    q = np.random.default_rng(1).uniform(arm.limits.lower, arm.limits.upper, (n, 7))
    return arm.fk(q), q[:, 2]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("limits", [True, False])
def test_all_solutions_are_the_processors(gpu: EmulatedDriver, side: str, limits: bool) -> None:
    here, arm = Arm(side, "electric_standard"), Arm(side, "electric_standard", backend="cuda")
    T, e0 = targets(here, 3000)
    e0[::3] = np.random.default_rng(2).uniform(-3.1, 3.1, 1000)
    expected, found = here.ik_all(T, e0, limits), arm.ik_all(there(T), there(e0), limits)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=SAME)
    solver = arm._cuda_all
    assert solver is not None
    assert 0 < solver.by_processor < 0.2 * len(T)


def test_targets_and_values_of_e0_broadcast(
    gpu: EmulatedDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, arm = Arm("left"), Arm("left", backend="cuda")
    T, e0 = targets(here, 7)[0], np.linspace(-1.0, 1.0, 5)
    expected = here.ik_all(T[:, None], e0)
    for block in (all_ik.BLOCK, 8):
        monkeypatch.setattr(all_ik, "BLOCK", block)
        found = arm.ik_all(there(T[:, None]), there(e0)).numpy()
        np.testing.assert_allclose(found, expected, rtol=0, atol=SAME)
    one = arm.ik_all(there(T[0]), 0.3)
    np.testing.assert_allclose(one.numpy(), here.ik_all(T[0], 0.3), rtol=0, atol=SAME)
    assert arm.ik_all(there(T[:0]), 0.3).shape == (0, 0, 7)
    T[:, :3, 3] += 3.0
    assert arm.ik_all(there(T), 0.3).shape == (7, 0, 7)


def test_mistakes_are_one_sentence(gpu: EmulatedDriver) -> None:
    arm = Arm("left", backend="cuda")
    T, e0 = targets(Arm("left"), 4)
    with pytest.raises(ShapeError, match=r"T must have shape \(\.\.\., 4, 4\), got \(4, 3, 4\)"):
        arm.ik_all(there(T[:, :3]))
    with pytest.raises(InputError, match="e0 is float32; inverse kinematics is of float64"):
        arm.ik_all(there(T), there(e0.astype(np.float32)))
    with pytest.raises(ShapeError, match=r"do not broadcast: T \(4,\), e0 \(3,\)"):
        arm.ik_all(there(T), there(e0[:3]))
    with pytest.raises(InputError, match="T is on the GPU and e0 is not"):
        arm.ik_all(there(T), e0)
    with pytest.raises(InputError, match="e0 is on the GPU and T is not"):
        arm.ik_all(T, there(e0))
    with pytest.raises(InputError, match="leave of and posture out"):
        arm.ik_all(there(T), posture="elbow_up")
    T[2, :3, :3] *= 1.01
    with pytest.raises(InputError, match="target 2 is not a rigid transform"):
        arm.ik_all(there(T), there(e0))
