"""On a real GPU: `pytest -m gpu tests/cuda`, with baxterkit-cuda and PyTorch installed."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.cuda import DeviceArray, device, devices
from baxterkit.errors import DeviceError, InputError
from baxterkit.kernels.table import KERNELS

pytestmark = pytest.mark.gpu
ROWS = 1000


@pytest.fixture(autouse=True)
def card() -> None:
    try:
        devices()
    except DeviceError as error:
        pytest.skip(str(error))


def given(name: str, rows: int = ROWS) -> list[np.ndarray]:
    kernel = next(k for k in KERNELS if k.name == name)
    rng = np.random.default_rng(8)
    return [np.abs(rng.normal(size=(rows, a.width))) for a in kernel.inputs]


@pytest.mark.parametrize("name", [kernel.name for kernel in KERNELS if kernel.reach != "native"])
def test_float64_equals_the_processor_to_the_bit(name: str) -> None:
    inputs = given(name)
    here = getattr(Arm("left")._kernels, name)(*inputs)
    there = getattr(Arm("left", backend="cuda")._kernels, name)(*inputs)
    np.testing.assert_array_equal(there, here)


@pytest.mark.parametrize("name", [kernel.name for kernel in KERNELS if kernel.reach != "native"])
def test_float32_is_close(name: str) -> None:
    inputs = given(name)
    here = getattr(Arm("left")._kernels, name)(*inputs)
    there = getattr(Arm("left", backend="cuda")._kernels, name)(
        *(x.astype(np.float32) for x in inputs)
    )
    size = np.abs(here).max()
    assert np.abs(there - here).max() < 2e-3 * size


@pytest.mark.parametrize("rows", [0, 1, 31, 32, 33, 129, 100_001])
def test_every_row_is_written(rows: int) -> None:
    torch = pytest.importorskip("torch")
    arm = Arm("left", backend="cuda")
    q = torch.rand(rows, 7, dtype=torch.float64, device="cuda")
    out = torch.full((rows, 4, 4), torch.nan, dtype=torch.float64, device="cuda")
    assert arm.fk(q, out=out) is out
    np.testing.assert_array_equal(out.cpu().numpy(), Arm("left").fk(q.cpu().numpy()))


@pytest.mark.parametrize("rows", [1, 33, 65, 1000, 20_033])
def test_clearances_of_any_number_of_rows(rows: int) -> None:
    torch = pytest.importorskip("torch")
    here = Baxter()
    lower, upper = here.left.limits.lower, here.left.limits.upper
    q = np.random.default_rng(rows).uniform(lower, upper, (2, rows, 7))
    there = Baxter(Arm("left", backend="cuda"), Arm("right", backend="cuda"))
    for _ in range(5):
        found = there.scene().clearance(*torch.tensor(q, device="cuda"))
        np.testing.assert_allclose(
            found.cpu().numpy(), here.scene().clearance(*q), rtol=0, atol=1e-12
        )


def test_inverse_kinematics_of_every_kind() -> None:
    torch = pytest.importorskip("torch")
    arm, here = Arm("left", backend="cuda"), Arm("left")
    rng = np.random.default_rng(3)
    lower, upper = here.limits.lower, here.limits.upper
    q, seed = rng.uniform(lower, upper, (2, 2000, 7))
    T = here.fk(q)
    T[::20, :3, 3] += 0.5
    poses, starts = torch.tensor(T, device="cuda"), torch.tensor(seed, device="cuda")
    np.testing.assert_array_equal(arm.ik(poses).status.cpu().numpy(), here.ik(T).status)
    found, expected = arm.ik(poses, starts, "nearest"), here.ik(T, seed, "nearest")
    np.testing.assert_array_equal(found.status.cpu().numpy(), expected.status)
    ours, theirs = (((x - seed) ** 2).sum(axis=-1) for x in (found.q.cpu().numpy(), expected.q))
    assert np.nanmax(ours - theirs) < 1e-9
    e0 = torch.tensor(q[:, 2].copy(), device="cuda")
    for limits in (True, False):
        every = arm.ik_all(poses, e0, limits).cpu().numpy()
        np.testing.assert_allclose(every, here.ik_all(T, q[:, 2], limits), rtol=0, atol=1e-8)


def test_torch_on_its_stream_and_in_a_graph() -> None:
    torch = pytest.importorskip("torch")
    arm = Arm("left", backend="cuda")
    q = torch.rand(5000, 7, dtype=torch.float64, device="cuda")
    out = torch.empty(5000, 7, dtype=torch.float64, device="cuda")
    arm.gravity(q)  # loads the kernel
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    arm.gravity(q, out=out)
    assert torch.cuda.memory_allocated() == before
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        q.mul_(0.5)
        arm.gravity(q, out=out)
        out.mul_(2.0)
    q.fill_(0.8)
    graph.replay()
    torch.cuda.synchronize()
    expected = 2.0 * Arm("left").gravity(np.full(7, 0.4))
    np.testing.assert_array_equal(out.cpu().numpy(), np.broadcast_to(expected, (5000, 7)))
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        q.fill_(0.2)
        result = arm.gravity(q)
    side.synchronize()
    np.testing.assert_array_equal(result.cpu().numpy()[0], Arm("left").gravity(np.full(7, 0.2)))


def test_torch_mistakes() -> None:
    torch = pytest.importorskip("torch")
    arm = Arm("left", backend="cuda")
    q = torch.rand(6, 7, dtype=torch.float64, device="cuda")
    for wrong, words in (
        (q.half(), "q is float16; kernels compute in float64 and float32"),
        (q.new_zeros(7, 6).T, "q is not contiguous .*q.contiguous"),
        (q.clone().requires_grad_(), "q requires a gradient.*baxterkit.torch"),
    ):
        with pytest.raises(InputError, match=words):
            arm.fk(wrong)
    with pytest.raises(InputError, match="q is on the GPU and qd is not"):
        arm.twist(q, np.zeros(7))
    with pytest.raises(InputError, match="q is float64 and qd float32"):
        arm.twist(q, q.float())


def test_cupy_in_gives_cupy_out() -> None:
    cupy = pytest.importorskip("cupy")
    q = cupy.random.rand(300, 7)
    T = Arm("left", backend="cuda").fk(q)
    assert isinstance(T, cupy.ndarray)
    np.testing.assert_array_equal(cupy.asnumpy(T), Arm("left").fk(cupy.asnumpy(q)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_jax_in_gives_jax_out(dtype: str) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    q = jax.numpy.asarray(np.random.default_rng(9).random((300, 7)), dtype=dtype)
    T = Arm("left", backend="cuda").fk(q + 0.25)
    assert isinstance(T, jax.Array)
    assert T.dtype == dtype
    expected = Arm("left").fk(np.asarray(q + 0.25, dtype=np.float64))
    assert np.abs(np.asarray(T) - expected).max() < (1e-15 if dtype == "float64" else 1e-5)


def test_arrays_of_our_own_go_to_other_libraries() -> None:
    torch = pytest.importorskip("torch")
    q = DeviceArray.of(device(), np.random.default_rng(10).random((40, 7)))
    T = Arm("left", backend="cuda").fk(q)
    assert isinstance(T, DeviceArray)
    expected = Arm("left").fk(q.numpy())
    np.testing.assert_array_equal(T.numpy(), expected)
    np.testing.assert_array_equal(torch.from_dlpack(T).cpu().numpy(), expected)
    np.testing.assert_array_equal(torch.as_tensor(T, device="cuda").cpu().numpy(), expected)


def test_results_in_parts_are_arrays_of_their_own() -> None:
    state = np.random.default_rng(11).normal(size=(3, 2, 50, 7))
    there = [DeviceArray.of(device(), x) for x in state]
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        ours = getattr(Arm("left", backend="cuda"), name)(*there)
        for part, expected in zip(ours, getattr(Arm("left"), name)(*state), strict=True):
            np.testing.assert_array_equal(part.numpy(), expected)


def test_a_stream_of_another_context_is_one_sentence() -> None:
    """On a stream of a context that is not the one that libraries share."""
    gpu, context, stream = device(), ctypes.c_void_p(), ctypes.c_void_p()
    handle = gpu.driver._handle(gpu.index)
    gpu.driver("cuCtxCreate_v2", ctypes.byref(context), ctypes.c_uint(0), handle)
    gpu.driver("cuStreamCreate", ctypes.byref(stream), ctypes.c_uint(1))
    gpu.driver.pop()
    arm, q = Arm("left", backend="cuda"), DeviceArray.of(gpu, np.zeros((5, 7)))

    class Elsewhere:
        __cuda_array_interface__ = q.__cuda_array_interface__ | {"stream": stream.value}

    with pytest.raises(DeviceError, match="the stream of these arrays is of another context"):
        arm.fk(Elsewhere())
    gpu.driver("cuCtxDestroy_v2", context)
    np.testing.assert_array_equal(arm.fk(q).numpy(), Arm("left").fk(np.zeros((5, 7))))


def test_memory_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(DeviceError, match="too little memory left for this batch; split it"):
        DeviceArray(device(), (1 << 45,))
