"""Arrays in and out of a GPU, with stand-ins for libraries; mistakes are one sentence each."""

from __future__ import annotations

import gc
import pickle
import runpy
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import components
import numpy as np
import pytest
from emulator import EmulatedDriver

from baxterkit import Arm
from baxterkit.cuda import DeviceArray, available, device, devices
from baxterkit.cuda import driver as cuda_driver
from baxterkit.cuda.dlpack import Consumed, capsule
from baxterkit.cuda.kernels import _pattern
from baxterkit.errors import (
    DeviceError,
    InputError,
    MissingExtraError,
    ShapeError,
    UnknownNameError,
)

STREAM = 4242
"""A stream of the stand-in."""


class Stand:
    """Somebody's array on a GPU, by `__cuda_array_interface__` alone."""

    def __init__(self, array: np.ndarray, stream: int | None = None, **changes: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, False),
            "strides": None if array.flags.c_contiguous else array.strides,
            "version": 3,
            "stream": stream,
        } | changes


class Packed:
    """The same by DLPack alone."""

    def __init__(self, owner: DeviceArray, index: int = 0) -> None:
        self.owner, self.index, self.stream = owner, index, None

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.index

    def __dlpack__(self, *, stream: int | None = None) -> object:
        self.stream = stream
        return capsule(self.owner.view())


def states(n: int = 5) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(n, 7))


def test_cuda_array_interface_in_gives_arrays_that_have_it(gpu: EmulatedDriver) -> None:
    q = states()
    T = Arm("left", backend="cuda").fk(Stand(q))
    assert isinstance(T, DeviceArray)
    shown = T.__cuda_array_interface__
    assert (shown["shape"], shown["typestr"], shown["version"]) == ((5, 4, 4), "<f8", 3)
    np.testing.assert_array_equal(T.numpy(), Arm("left").fk(q))


def test_the_producers_stream_is_waited_for(gpu: EmulatedDriver) -> None:
    arm = Arm("left", backend="cuda")
    arm.fk(Stand(states(), STREAM))
    assert gpu.followed == [(device().stream, STREAM)]
    arm.fk(Stand(states(), 1))  # the legacy stream
    assert gpu.followed[-1] == (device().stream, 0)


def test_dlpack_in_and_out(gpu: EmulatedDriver) -> None:
    q = states()
    packed = Packed(DeviceArray.of(device(), q))
    T = Arm("left", backend="cuda").fk(packed)
    assert packed.stream == device().stream
    again = Consumed(T.__dlpack__(stream=STREAM))
    assert gpu.followed == [(STREAM, device().stream)]
    assert (again.shape, again.dtype, again.device) == ((5, 4, 4), "float64", (2, 0))
    np.testing.assert_array_equal(T.numpy(), Arm("left").fk(q))


def test_capsules_give_their_memory_back(gpu: EmulatedDriver) -> None:
    array = DeviceArray(device(), (4, 7))
    before = len(gpu.allocated)
    consumed, unused = Consumed(array.__dlpack__()), array.__dlpack__()
    del array
    gc.collect()
    assert len(gpu.allocated) == before
    del consumed, unused
    gc.collect()
    assert len(gpu.allocated) == before - 1


def test_memory_is_given_back(gpu: EmulatedDriver) -> None:
    arm = Arm("left", backend="cuda")
    for _ in range(3):
        arm.inverse_dynamics(*states(15).reshape(3, 5, 7))
    gc.collect()
    assert gpu.allocated == {}


def test_out_is_filled_without_an_allocation(gpu: EmulatedDriver) -> None:
    arm, q = Arm("left", backend="cuda"), states()
    out = np.full((5, 4, 4), np.nan)
    before = len(gpu.allocated)
    there = Stand(out)
    assert arm.fk(Stand(q), out=there) is there
    assert len(gpu.allocated) == before
    np.testing.assert_array_equal(out, Arm("left").fk(q))
    strided = np.empty((5, 8, 4))[:, ::2]
    assert arm.fk(q, out=strided) is strided
    np.testing.assert_array_equal(strided, out)


def test_results_in_parts_are_arrays_of_their_own(gpu: EmulatedDriver) -> None:
    arm, here, state = Arm("left", backend="cuda"), Arm("left"), states(12).reshape(3, 2, 2, 7)
    for given in (state, state[:, 0, 0]):
        there = [DeviceArray.of(device(), x.copy()) for x in given]
        for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
            parts, expected = getattr(arm, name)(*there), getattr(here, name)(*given)
            assert len(parts) == len(expected)
            for ours, theirs in zip(parts, expected, strict=True):
                np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-12, atol=1e-12)
        terms, expected = arm.dynamics_terms(*there[:2]), here.dynamics_terms(*given[:2])
        for ours, theirs in zip(terms, expected, strict=True):
            np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-12, atol=1e-12)


def test_parts_of_an_array(gpu: EmulatedDriver) -> None:
    x = np.random.default_rng(2).normal(size=(4, 3, 5))
    there = DeviceArray.of(device(), x)
    for key in (2, (1,), -1, slice(1, 3), (..., 1, slice(None)), (..., slice(2, None)), (..., 4)):
        np.testing.assert_array_equal(there[key].numpy(), x[key])
    assert there[2:2].shape == (0, 3, 5)
    assert len(list(there)) == 4
    for wrong in (
        (1, 2),
        slice(None, None, 2),
        None,
        ...,
        (0, slice(None), slice(None), slice(0)),
    ):
        with pytest.raises(InputError, match=r"of an array on the GPU take x\[i\]"):
            there[wrong]


def test_an_argument_may_be_out(gpu: EmulatedDriver) -> None:
    arm, q = Arm("left", backend="cuda"), states(100)
    expected = Arm("left").gravity(q)
    arm.gravity(Stand(q), out=Stand(q))
    np.testing.assert_array_equal(q, expected)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            Stand(states().astype(np.float16)),
            "q is float16; kernels compute in float64 and float32",
        ),
        (Stand(np.asfortranarray(states())), "q is not contiguous .* pass a contiguous copy"),
        (Stand(states()[:, :6].copy()), "q must have 7 values on its last axis"),
    ],
)
def test_wrong_arrays(gpu: EmulatedDriver, wrong: Stand, words: str) -> None:
    with pytest.raises((InputError, ShapeError), match=words):
        Arm("left", backend="cuda").fk(wrong)


def test_wrong_combinations(gpu: EmulatedDriver) -> None:
    arm, q = Arm("left", backend="cuda"), states()
    with pytest.raises(InputError, match="q is on the GPU and qd is not; move qd there"):
        arm.twist(Stand(q), q)
    with pytest.raises(InputError, match="q is float64 and qd float32; all arrays of a call"):
        arm.twist(Stand(q), Stand(q.astype(np.float32)))
    with pytest.raises(ShapeError, match="leading axes do not broadcast"):
        arm.twist(Stand(q), Stand(states(3)))
    with pytest.raises(InputError, match=r'q is on GPU 1, .* use backend="cuda:1"'):
        arm.fk(Packed(DeviceArray.of(device(1), q), 1))
    with pytest.raises(ShapeError, match=r"out must have shape \(5, 4, 4\), got \(4, 4, 4\)"):
        arm.fk(Stand(q), out=Stand(np.empty((4, 4, 4))))
    with pytest.raises(InputError, match="out must be float64, got float32"):
        arm.fk(Stand(q), out=Stand(np.empty((5, 4, 4), np.float32)))
    with pytest.raises(InputError, match="out must be a float64 array on the GPU"):
        arm.fk(Stand(q), out=np.empty((5, 4, 4)))
    with pytest.raises(InputError, match=r"replace the arm's tool by that frame"):
        arm.fk(Stand(q), of="left_hand_camera")
    wide = Stand(np.zeros((2, 1, 3, 7)))
    with pytest.raises(ShapeError, match=r"has an axis to repeat between others; expand it"):
        arm.twist(wide, Stand(np.zeros((2, 4, 3, 7))))


def test_a_gradient_that_nobody_computes(
    gpu: EmulatedDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Tensor(Stand):
        """As PyTorch's, as far as arguments are looked at."""

        __module__ = "torch"
        requires_grad = True
        device = SimpleNamespace(index=0)

    current = SimpleNamespace(cuda_stream=STREAM)
    torch = SimpleNamespace(
        is_grad_enabled=lambda: True,
        cuda=SimpleNamespace(current_stream=lambda index: current),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    arm = Arm("left", backend="cuda")
    words = "q requires a gradient, and this call does not compute one; use baxterkit.torch, or"
    with pytest.raises(InputError, match=words):
        arm.fk(Tensor(states()))


def test_too_many_rows(gpu: EmulatedDriver) -> None:
    huge = Stand(states(), shape=(2**31, 7))
    with pytest.raises(InputError, match="2147483648 rows are more than 2147483647 in one call"):
        Arm("left", backend="cuda").manipulability(huge, out=Stand(np.empty(1), shape=(2**31,)))


def test_too_little_memory(gpu: EmulatedDriver) -> None:
    gpu.free_bytes = 100
    with pytest.raises(DeviceError, match="too little memory left for this batch; split it"):
        Arm("left", backend="cuda").fk(states())


def test_a_stream_of_another_context() -> None:
    class Library:
        @staticmethod
        def cuLaunchKernel() -> int:
            return 400  # CUDA_ERROR_INVALID_HANDLE

    driver = object.__new__(cuda_driver.Driver)
    driver._library = Library()
    with pytest.raises(DeviceError, match="the stream of these arrays is of another context"):
        driver("cuLaunchKernel")


def test_values_on_the_processor_are_checked(gpu: EmulatedDriver) -> None:
    q = states()
    q[3, 2] = np.nan
    arm = Arm("left", backend="cuda")
    with pytest.raises(InputError, match=r"q\[3, 2\] = nan"):
        arm.fk(q)
    with pytest.raises(ShapeError, match="q must have 7 values"):
        arm.fk(states()[:, :6])


def test_arms_choose_their_gpu(gpu: EmulatedDriver) -> None:
    arm = Arm("right", backend="cuda:1")
    assert arm.backend == "cuda:1"
    assert repr(device(1)) == "Device(1, 'emulated 1', compute capability 8.0)"
    assert len(devices()) == 2
    assert arm.replace(tool="vacuum").backend == "cuda:1"
    assert pickle.loads(pickle.dumps(arm)).backend == "cuda:1"
    with pytest.raises(DeviceError, match="there is no GPU 2; this machine has 2, from 0 on"):
        Arm("left", backend="cuda:2")
    for wrong in ("cuda:x", "native:1", "gpu"):
        with pytest.raises(UnknownNameError, match="available: native, numpy, cuda"):
            Arm("left", backend=wrong)


def test_other_arms_are_refused(gpu: EmulatedDriver) -> None:
    effects = {"spring_sin": np.ones((7, 9)), "spring_cos": np.ones((7, 9))}
    with pytest.raises(InputError, match="more spring terms than the kernels of a GPU take"):
        Arm("left", backend="cuda").with_effects(**effects)


def test_without_a_driver_the_message_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_driver, "LIBRARY", "libcuda-that-is-not-there.so")
    cuda_driver.load_driver.cache_clear()
    with pytest.raises(DeviceError, match=r"there is no NVIDIA driver here .*not found"):
        devices()
    assert not available()


def test_an_old_driver_is_refused() -> None:
    class Old:
        def cuInit(self, _: object) -> int:
            return 0

        def cuDriverGetVersion(self, version: Any) -> int:
            version._obj.value = 11080
            return 0

    with pytest.raises(DeviceError, match=r"is for CUDA 11\.8, and 12\.0 is the oldest"):
        cuda_driver.Driver(Old())  # type: ignore[arg-type]


def test_missing_kernels_name_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "baxterkit_cuda", None)
    with pytest.raises(MissingExtraError, match=r"baxterkit-cuda: pip install '\.\[cuda\]'"):
        cuda_driver.ptx("fk.float64")


def test_the_example_runs_on_the_emulated_gpu(
    gpu: EmulatedDriver, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(components.ROOT / "examples" / "26_on_a_gpu.py"), run_name="__main__")
    assert "equal to the NumPy reference: True" in capsys.readouterr().out
    assert {name for name, _ in gpu.launched} == {"fk.float64", "gravity.float64"}


def test_importing_the_package_loads_nothing_of_this() -> None:
    code = "import sys, baxterkit; print([m for m in sys.modules if 'cuda' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("shape", "batch", "expected"),
    [
        ((5,), (5,), (1, 5)),
        ((), (5,), (1, 1)),
        ((5, 1), (5, 4), (4, 5)),
        ((4,), (5, 4), (1, 4)),
        ((1, 4, 1), (5, 4, 3), (3, 4)),
        ((2, 1, 3), (2, 4, 3), None),
        ((2, 1, 3), (2, 1, 3), (1, 6)),
        ((0,), (0,), (1, 1)),
    ],
)
def test_how_rows_repeat(
    shape: tuple[int, ...], batch: tuple[int, ...], expected: tuple[int, int] | None
) -> None:
    assert _pattern(shape, batch) == expected
