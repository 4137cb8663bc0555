"""The kernels of a GPU, on the emulated one: equal to the library."""

from __future__ import annotations

import numpy as np
import pytest
from emulator import EmulatedDriver
from tolerances import GPU_FLOAT32, GPU_FLOAT64, assert_close

from baxterkit import Arm
from baxterkit.kernels.table import KERNELS
from baxterkit.model.model import Payload

ON_BACKENDS = [kernel.name for kernel in KERNELS if kernel.reach != "native"]


def arguments(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> list[np.ndarray]:
    kernel = next(k for k in KERNELS if k.name == name)
    return [np.abs(rng.normal(size=(*shape, a.width))) for a in kernel.inputs]


def assert_equal_but_rounding(result: np.ndarray, expected: np.ndarray) -> None:
    size = max(1.0, np.abs(expected).max(initial=0.0))
    assert_close(result / size, expected / size, GPU_FLOAT64)


@pytest.mark.parametrize("name", ON_BACKENDS)
@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2), (0,), (70,)])
def test_kernels_equal_those_of_the_processor(
    gpu: EmulatedDriver, name: str, shape: tuple[int, ...]
) -> None:
    options = {"tool": "electric_standard", "payload": Payload(0.7, (0.01, 0.02, 0.03))}
    here, there = (Arm("right", backend=b, **options) for b in ("native", "cuda"))
    given = arguments(name, shape, np.random.default_rng(3))
    expected = getattr(here._kernels, name)(*given)
    result = getattr(there._kernels, name)(*given)
    assert np.shape(result) == np.shape(expected)
    assert_equal_but_rounding(result, expected)
    assert [kernel for kernel, _ in gpu.launched][-1:] == (
        [f"{name}.float64"] if 0 not in shape else []
    )


@pytest.mark.parametrize("name", ON_BACKENDS)
def test_float32_computes_in_float32(gpu: EmulatedDriver, name: str) -> None:
    given = arguments(name, (5,), np.random.default_rng(4))
    expected = getattr(Arm("left")._kernels, name)(*given)
    result = getattr(Arm("left", backend="cuda")._kernels, name)(
        *(x.astype(np.float32) for x in given)
    )
    assert result.dtype == np.float32
    size = np.abs(expected).max()
    assert_close(result / size, expected / size, GPU_FLOAT32)


def test_joint_effects_are_part_of_the_dynamics(gpu: EmulatedDriver) -> None:
    rng = np.random.default_rng(5)
    fields = {
        "bias": rng.normal(size=7),
        "viscous": np.full(7, 0.3),
        "coulomb": np.full(7, 0.5),
        "spring_sin": rng.normal(size=(7, 3)),
        "spring_cos": rng.normal(size=(7, 3)),
    }
    here, there = (Arm("left", backend=b).with_effects(**fields) for b in ("native", "cuda"))
    q, qd, u, wrench = (rng.normal(size=(9, width)) for width in (7, 7, 7, 6))
    for call in (
        lambda arm: arm.inverse_dynamics(q, qd, u),
        lambda arm: arm.inverse_dynamics(q, qd, u, wrench),
        lambda arm: arm.forward_dynamics(q, qd, u),
        lambda arm: arm.forward_dynamics(q, qd, u, wrench),
        lambda arm: np.stack(arm.inverse_dynamics_derivatives(q, qd, u)),
        lambda arm: np.stack(arm.forward_dynamics_derivatives(q, qd, u)),
        lambda arm: arm.inertia(q),
    ):
        assert_equal_but_rounding(call(there), call(here))


def test_results_do_not_depend_on_how_rows_are_broadcast(gpu: EmulatedDriver) -> None:
    arm, rng = Arm("left", backend="cuda"), np.random.default_rng(6)
    for a, b in (((40,), ()), ((5, 1), (4,)), ((2, 1, 3), (4, 1)), ((2, 1, 3), (2, 4, 3))):
        q, qd = rng.normal(size=(*a, 7)), rng.normal(size=(*b, 7))
        batch = np.broadcast_shapes(a, b)
        both = [np.ascontiguousarray(np.broadcast_to(x, (*batch, 7))) for x in (q, qd)]
        np.testing.assert_array_equal(arm.twist(q, qd), arm.twist(*both))


def test_methods_of_several_kernels_take_numpy(gpu: EmulatedDriver) -> None:
    here, there = (Arm("left", backend=b) for b in ("native", "cuda"))
    q, V = np.random.default_rng(11).normal(size=(2, 4, 7)), np.full((4, 6), 0.1)
    for call in (
        lambda arm: arm.joint_velocity(q[0], V, q[1], 0.01),
        lambda arm: arm.nullspace(q[0]),
        lambda arm: arm.task_inertia(q[0]),
        lambda arm: arm.fk(q[0], of="left_hand_camera"),
        lambda arm: arm.jacobian(q[0], of="left_hand_camera"),
        lambda arm: arm.jacobian(q[0], "tip"),
        lambda arm: arm.ik(arm.fk(arm.configuration("neutral"))).q,
    ):
        assert_equal_but_rounding(call(there), call(here))
