"""One call and a batch give the same bits: any shape, any size, any thread, any place in it."""

from __future__ import annotations

import numpy as np
import problems
import pytest
from kernel_calls import ARM, BY_NAME, CALLS, KernelCall
from tolerances import FK_ENGINE, ISA_AGREEMENT, assert_close

import baxterkit
from baxterkit import _native

calls = pytest.mark.parametrize("call", CALLS, ids=str)
SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 200)


def rows_one_by_one(call: KernelCall, inputs: list[np.ndarray]) -> np.ndarray:
    return np.array([call.run(ARM, *row) for row in zip(*inputs, strict=True)])


@calls
def test_batches_of_every_size_equal_single_calls(call: KernelCall, isa: str) -> None:
    inputs = call.inputs(max(SIZES))
    single = rows_one_by_one(call, inputs)
    for n in SIZES:
        batch = call.run(ARM, *(x[:n] for x in inputs))
        assert batch.shape == (n, *call.core)
        assert batch.tobytes() == single[:n].tobytes()
        # The same rows at another place in the vector registers.
        shifted = call.run(ARM, *(x[-n:] for x in inputs))
        assert shifted.tobytes() == single[-n:].tobytes()


@pytest.mark.slow
@calls
def test_threads_change_nothing(call: KernelCall, isa: str, threads: None) -> None:
    inputs = call.inputs(13_000)
    _native.set_threads(1)
    one = call.run(ARM, *inputs)
    for count in (2, 3, 7):
        _native.set_threads(count)
        assert call.run(ARM, *inputs).tobytes() == one.tobytes()
    some = np.arange(0, 13_000, 997)
    assert one[some].tobytes() == rows_one_by_one(call, [x[some] for x in inputs]).tobytes()


@calls
@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 1, 2), (1, 1, 1), (2, 3, 4, 5), (40, 300)])
def test_leading_axes_are_kept(call: KernelCall, shape: tuple[int, ...]) -> None:
    n = int(np.prod(shape, dtype=int))
    flat = call.inputs(n)
    inputs = [x.reshape(*shape, x.shape[-1]) for x in flat]
    result = call.run(ARM, *inputs)
    assert result.shape == (*shape, *call.core)
    assert result.tobytes() == call.run(ARM, *flat).tobytes()


@calls
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 5)])
def test_empty_batches_give_empty_results(call: KernelCall, shape: tuple[int, ...]) -> None:
    inputs = [np.empty((*shape, width)) for width in call.widths]
    result = call.run(ARM, *inputs)
    assert result.shape == (*shape, *call.core)
    assert result.dtype == np.float64
    out = np.empty(result.shape)
    assert call.run(ARM, *inputs, out=out) is out


@pytest.mark.parametrize("name", ["twist", "bias_acceleration", "joint_velocity"])
@pytest.mark.parametrize(
    "shapes",
    [
        ((), (5,), (5,), ()),
        ((5,), (), (1,), ()),
        ((4, 1), (1, 3), (3,), (4, 1)),
        ((1, 2, 1), (3, 1, 4), (), (1, 1, 1)),
        ((1,), (0,), (), (1,)),
    ],
    ids=str,
)
def test_arguments_broadcast_against_each_other(
    name: str, shapes: tuple[tuple[int, ...], ...], isa: str
) -> None:
    call = BY_NAME[name]
    shapes = shapes[: len(call.widths)]
    source = call.inputs(24)
    inputs = [
        x[: int(np.prod(shape, dtype=int))].reshape(*shape, x.shape[-1])
        for x, shape in zip(source, shapes, strict=True)
    ]
    full = np.broadcast_shapes(*shapes)
    copies = [np.ascontiguousarray(np.broadcast_to(x, (*full, x.shape[-1]))) for x in inputs]
    result = call.run(ARM, *inputs)
    assert result.shape == (*full, *call.core)
    assert result.tobytes() == call.run(ARM, *copies).tobytes()


def test_long_broadcast_axes_run_on_threads_too(threads: None) -> None:
    call = BY_NAME["twist"]
    q, qd = call.inputs(6000)
    _native.set_threads(3)
    result = call.run(ARM, q[:3, None], qd[None])
    for i in range(3):
        assert result[i].tobytes() == call.run(ARM, q[i], qd).tobytes()


def test_instruction_sets_agree_to_rounding() -> None:
    before = _native.isa()
    try:
        for call in CALLS:
            inputs = call.inputs(500)
            if call.name == "joint_velocity":
                regular = ARM.manipulability(inputs[0]) > 1e-3
                inputs = [x[regular] for x in inputs]
            results = []
            for name in _native.isas():
                _native.use_isa(name)
                results.append(call.run(ARM, *inputs))
            size = max(1.0, float(np.abs(results[0]).max()))
            for other in results[1:]:
                assert_close(other, results[0], ISA_AGREEMENT * size)
    finally:
        _native.use_isa(before)


def test_every_kernel_is_in_the_table_of_these_tests() -> None:
    methods = {name for name in dir(_native.ArmKernels) if not name.startswith("_")}
    assert methods == set(BY_NAME)


def test_every_instruction_set_is_right(isa: str) -> None:
    twin = problems.numpy_twin(ARM)
    assert _native.isa() == isa
    for samples in problems.SAMPLE_SETS.values():
        q = samples(ARM, 300)
        assert_close(ARM.fk(q), twin.fk(q), FK_ENGINE)
        assert_close(ARM.jacobian(q), twin.jacobian(q), FK_ENGINE)
        assert_close(ARM.link_poses(q), twin.link_poses(q), FK_ENGINE)


def test_set_threads_is_seen_and_checked(threads: None) -> None:
    for count in (1, 2, np.int64(3), 4096):
        baxterkit.set_threads(count)
        assert baxterkit.backend_info()["threads"] == count
    for wrong in (0, -1, 4097, 2.0, "2", True, None):
        with pytest.raises(baxterkit.errors.InputError) as caught:
            baxterkit.set_threads(wrong)  # type: ignore[arg-type]
        message = f"the number of threads must be an integer from 1 to 4096, not {wrong!r}"
        assert str(caught.value) == message


def test_more_threads_than_rows_is_fine(threads: None) -> None:
    q = problems.uniform(ARM, 10_000)
    expected = ARM.fk(q)
    _native.set_threads(4096)
    assert ARM.fk(q).tobytes() == expected.tobytes()
