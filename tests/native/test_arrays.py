"""Arrays of any strides and real type go in; `out=` takes the result wherever it lies."""

from __future__ import annotations

import numpy as np
import problems
import pytest
from kernel_calls import ARM, BY_NAME, CALLS, KernelCall

from baxterkit.errors import InputError, ShapeError

calls = pytest.mark.parametrize("call", CALLS, ids=str)
N = 37


def layouts(x: np.ndarray) -> dict[str, np.ndarray]:
    """The values of x, (n, width), lying in memory in other ways."""
    n, width = x.shape
    reversed_rows = x[::-1].copy()[::-1]
    reversed_columns = x[:, ::-1].copy()[:, ::-1]
    fortran = np.asfortranarray(x)
    wide = np.full((n, width + 6), np.nan)
    wide[:, 3 : 3 + width] = x
    spread = np.full((2 * n, 3 * width), np.nan)
    spread[::2, ::3] = x
    record = np.zeros(n, dtype=[("before", "i4"), ("x", "f8", (width,)), ("after", "i2")])
    record["x"] = x
    buffer = np.zeros(x.nbytes + 8, dtype=np.uint8)
    unaligned = np.frombuffer(buffer.data, np.float64, x.size, offset=3).reshape(x.shape)
    unaligned[...] = x
    readonly = x.copy()
    readonly.setflags(write=False)
    return {
        "reversed rows": reversed_rows,
        "reversed columns": reversed_columns,
        "both reversed": x[::-1, ::-1].copy()[::-1, ::-1],
        "fortran": fortran,
        "columns of a wider array": wide[:, 3 : 3 + width],
        "every other": spread[::2, ::3],
        "field of a record": record["x"],
        "unaligned": unaligned,
        "read-only": readonly,
        "subclass": x.view(type("Sub", (np.ndarray,), {})),
    }


@calls
def test_strides_do_not_matter(call: KernelCall, isa: str) -> None:
    inputs = call.inputs(N)
    expected = call.run(ARM, *inputs).tobytes()
    views = [layouts(x) for x in inputs]
    for name in views[0]:
        moved = [view[name] for view in views]
        for x, y in zip(moved, inputs, strict=True):
            assert np.array_equal(x, y), name
        assert call.run(ARM, *moved).tobytes() == expected, name


@calls
def test_strides_of_one_row_do_not_matter(call: KernelCall) -> None:
    inputs = call.inputs(N)
    expected = call.run(ARM, *(x[0] for x in inputs)).tobytes()
    views = [layouts(x) for x in inputs]
    for name in views[0]:
        assert call.run(ARM, *(view[name][0] for view in views)).tobytes() == expected, name


@pytest.mark.parametrize("dtype", ["f4", "f2", "g", ">f8", "<f8", ">f4", "i1", "i4", "u8", ">i2"])
def test_real_types_are_converted(dtype: str) -> None:
    q = np.round(problems.uniform(ARM, N)).astype(dtype)
    if q.dtype.kind == "u":
        q = np.abs(np.round(problems.uniform(ARM, N))).astype(dtype)
    expected = ARM.fk(q.astype(np.float64)).tobytes()
    assert ARM.fk(q).tobytes() == expected
    assert ARM.fk(q[0]).tobytes() == ARM.fk(q[0].astype(np.float64)).tobytes()
    assert problems.numpy_twin(ARM).fk(q).shape == (N, 4, 4)


@calls
def test_lists_tuples_and_scalars_are_taken(call: KernelCall) -> None:
    inputs = [x[0] for x in call.inputs(1)]
    expected = call.run(ARM, *inputs).tobytes()
    assert call.run(ARM, *(x.tolist() for x in inputs)).tobytes() == expected
    assert call.run(ARM, *(tuple(x.tolist()) for x in inputs)).tobytes() == expected
    nested = call.run(ARM, *([x.tolist()] for x in inputs))
    assert nested.shape == (1, *call.core)
    assert nested.tobytes() == expected


def test_inputs_may_be_given_by_keyword() -> None:
    q, qd = BY_NAME["twist"].inputs(N)
    expected = ARM.twist(q, qd).tobytes()
    assert ARM.twist(q=q, qd=qd).tobytes() == expected
    assert ARM.twist(q, qd=qd).tobytes() == expected
    assert ARM.jacobian(frame="tip", q=q).tobytes() == ARM.jacobian(q, "tip").tobytes()


def test_inputs_are_never_written_to() -> None:
    for call in CALLS:
        inputs = call.inputs(N)
        before = [x.copy() for x in inputs]
        call.run(ARM, *inputs)
        for x, y in zip(inputs, before, strict=True):
            assert x.tobytes() == y.tobytes()


@calls
@pytest.mark.parametrize("n", [None, 1, N])
def test_out_is_filled_and_returned(call: KernelCall, n: int | None) -> None:
    inputs = [x[0] if n is None else x for x in call.inputs(n or 1)]
    expected = call.run(ARM, *inputs)
    out = np.full(np.shape(expected), np.nan)
    assert call.run(ARM, *inputs, out=out) is out
    assert out.tobytes() == expected.tobytes()
    assert call.run(ARM, *inputs, out=None).tobytes() == expected.tobytes()


@calls
def test_out_may_have_any_strides(call: KernelCall, isa: str) -> None:
    inputs = call.inputs(N)
    expected = call.run(ARM, *inputs)
    shape = expected.shape
    places = {
        "fortran": np.full(shape, np.nan, order="F"),
        "reversed": np.full(shape, np.nan)[::-1],
        "every other row": np.full((2 * N, *shape[1:]), np.nan)[::2],
        "offset by one number": np.full(expected.size + 1, np.nan)[1:].reshape(shape),
    }
    if len(shape) > 1:
        places["columns of a wider array"] = np.full((*shape[:-1], shape[-1] + 3), np.nan)[
            ..., 2:-1
        ]
    for name, out in places.items():
        assert call.run(ARM, *inputs, out=out) is out
        assert np.array_equal(out, expected), name


@calls
def test_out_of_a_higher_batch_may_be_permuted(call: KernelCall) -> None:
    inputs = [x.reshape(3, 4, 2, x.shape[-1]) for x in call.inputs(24)]
    expected = call.run(ARM, *inputs)
    out = np.full((2, 3, 4, *call.core), np.nan)
    view = np.moveaxis(out, 0, 2)
    assert call.run(ARM, *inputs, out=view) is view
    assert np.array_equal(view, expected)
    assert np.array_equal(call.run(ARM, *(np.swapaxes(x, 0, 2) for x in inputs)),
                          np.swapaxes(expected, 0, 2))  # fmt: skip


def test_out_may_overlap_the_input() -> None:
    memory = np.zeros((N, 4, 4))
    q = memory.reshape(N, 16)[:, 4:11]
    q[...] = problems.uniform(ARM, N)
    expected = ARM.fk(q.copy())
    assert ARM.fk(q, out=memory) is memory
    assert memory.tobytes() == expected.tobytes()


def test_out_may_be_the_input_itself() -> None:
    q = problems.uniform(ARM, N)
    expected = ARM.null_vector(q).tobytes()
    ARM.null_vector(q, out=q)
    assert q.tobytes() == expected
    q = problems.uniform(ARM, N)
    backwards = q[::-1]
    expected = ARM.null_vector(q).tobytes()
    ARM.null_vector(q, out=backwards)
    assert np.ascontiguousarray(backwards).tobytes() == expected


def unaligned(shape: tuple[int, ...]) -> np.ndarray:
    size = int(np.prod(shape))
    return np.frombuffer(bytearray(8 * size + 8), np.float64, size, offset=1).reshape(shape)


def readonly(shape: tuple[int, ...]) -> np.ndarray:
    array = np.empty(shape)
    array.setflags(write=False)
    return array


@pytest.mark.parametrize("backend", ["native", "numpy"])
@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.empty((N, 4, 3)), ShapeError, "out must have shape (37, 4, 4), got (37, 4, 3)"),
        (np.empty((1, N, 4, 4)), ShapeError, "out must have shape (37, 4, 4), got (1, 37, 4, 4)"),
        (np.empty((N, 4, 4), "f4"), InputError, "out must be float64, got <f4 (float32)"),
        (np.empty((N, 4, 4), ">f8"), InputError, "out must be float64, got >f8 (>f8)"),
        (readonly((N, 4, 4)), InputError, "out must be a writable, aligned array"),
        (unaligned((N, 4, 4)), InputError, "out must be a writable, aligned array"),
        ([[0.0]], InputError, "out must be a float64 array of shape (37, 4, 4), got list"),
        (3.0, InputError, "out must be a float64 array of shape (37, 4, 4), got float"),
    ],
    ids=["shape", "dimensions", "float32", "big-endian", "read-only", "unaligned", "list", "float"],
)
def test_unusable_out_is_refused(
    backend: str, out: object, error: type[Exception], message: str
) -> None:
    arm = ARM if backend == "native" else problems.numpy_twin(ARM)
    with pytest.raises(error) as caught:
        arm.fk(problems.uniform(ARM, N), out=out)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_refused_out_of_other_methods_is_worded_the_same() -> None:
    q = problems.uniform(ARM, N)
    for arm in (ARM, problems.numpy_twin(ARM)):
        for call, shape in ((arm.nullspace, (N, 7, 7)), (arm.manipulability, (N,))):
            with pytest.raises(ShapeError) as caught:
                call(q, out=np.empty(3))
            assert str(caught.value) == f"out must have shape {shape}, got (3,)"
        with pytest.raises(ShapeError, match="out must have shape"):
            arm.joint_velocity(q, np.zeros(6), out=np.empty(3), warn_below=0.0)
