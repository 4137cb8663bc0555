"""No reference and no byte is lost, whether a call succeeds or is refused."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from extension_calls import extension_calls
from kernel_calls import ARM, CALLS

from baxterkit import Arm, _native

N = 200
PARAMETERS = (np.zeros((3, 4)), np.zeros((3, 4)), np.zeros(45), np.zeros(3), 0.0)


@pytest.fixture(autouse=True, scope="module")
def _collections_are_quick() -> None:
    """What other tests left behind is not walked over at each collection."""
    gc.collect()
    gc.freeze()


def swallow(call: Callable[[], Any]) -> None:
    try:
        call()
    except (ValueError, TypeError, OverflowError):
        return


def calls() -> dict[str, Callable[[], Any]]:
    q = np.zeros(7)
    batch = np.zeros((70, 7))
    strided = np.zeros((70, 14))[:, ::2]
    small = batch.astype(np.float32)
    nan = np.full((70, 7), np.nan)
    text = "neutral"
    out = np.empty((70, 4, 4))
    fortran = np.empty((70, 4, 4), order="F")
    wrong_out = np.empty(3)
    table: dict[str, Callable[[], Any]] = {
        "single": lambda: ARM.fk(q),
        "batch": lambda: ARM.fk(batch),
        "strided": lambda: ARM.fk(strided),
        "converted": lambda: ARM.fk(small),
        "list": lambda: ARM.fk([0.0] * 7),
        "out": lambda: ARM.fk(batch, out=out),
        "copied back": lambda: ARM.fk(batch, out=fortran),
        "overlap": lambda: ARM.null_vector(batch, out=batch),
        "frame": lambda: ARM.jacobian(q, "tip"),
        "scalar": lambda: ARM.manipulability(q),
        "keyword": lambda: ARM.twist(q=q, qd=batch),
        "NaN": lambda: ARM.fk(nan),
        "single NaN": lambda: ARM.fk(nan[0]),
        "shape": lambda: ARM.fk(np.zeros(3)),
        "text": lambda: ARM.fk(text),
        "ragged": lambda: ARM.fk([[1.0], [1.0, 2.0]]),
        "broadcast": lambda: ARM.twist(batch, batch[:3]),
        "bad out": lambda: ARM.fk(batch, out=wrong_out),
        "bad frame": lambda: ARM.jacobian(q, "hand"),
        "bad keyword": lambda: ARM.fk(q, frame="tip"),
        "missing": lambda: ARM.twist(q),
        "no isa": lambda: _native.use_isa("none"),
        "bad threads": lambda: _native.set_threads(0),
        "new kernels": lambda: _native.ArmKernels(*PARAMETERS),
        "bad parameters": lambda: _native.ArmKernels(q, q, q, q, 0.0),
    }
    for call in extension_calls():
        table[call.name] = call.run
        table[f"{call.name} by name"] = call.by_name
        table[f"{call.name} refused"] = lambda call=call: call.refused(0, object())
    for call in CALLS:
        inputs = call.inputs(70)
        table[f"kernel {call.name}"] = lambda call=call, inputs=inputs: call.run(ARM, *inputs)
    return table


def growth(call: Callable[[], Any]) -> float:
    """Bytes that one call leaves behind, on average over N calls."""
    gc.collect()
    tracemalloc.start()
    try:
        swallow(call)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(N):
            swallow(call)
        gc.collect()
        return (tracemalloc.get_traced_memory()[0] - before) / N
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("name", calls())
def test_memory_does_not_grow(name: str) -> None:
    call = calls()[name]
    for _ in range(20):
        swallow(call)
    # Caches may fill up, and other threads allocate at times; a leak shows every time.
    grown = [growth(call)]
    while grown[-1] >= 16.0 and len(grown) < 12:
        grown.append(growth(call))
    assert grown[-1] < 16.0, f"{grown} bytes a call"


def test_arguments_keep_their_reference_counts() -> None:
    batch, out = np.zeros((70, 7)), np.empty((70, 4, 4))
    strided, nan = np.zeros((70, 14))[:, ::2], np.full((70, 7), np.nan)
    fortran = np.empty((70, 4, 4), order="F")
    frame = "".join(["t", "ip"])
    watched = [batch, out, strided, nan, fortran, frame]
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(100):
        ARM.fk(batch, out=out)
        ARM.fk(batch, out=fortran)
        ARM.fk(strided)
        ARM.jacobian(batch, frame)
        swallow(lambda: ARM.fk(nan))
        swallow(lambda: ARM.fk(batch, out=strided))
        swallow(lambda: ARM.jacobian(batch, batch))
    assert [sys.getrefcount(x) for x in watched] == before


def test_singletons_and_types_keep_their_reference_counts() -> None:
    q = np.zeros(7)
    watched = [_native.ArmKernels, np.dtype(np.float64), ValueError]
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(100):
        _native.ArmKernels(*PARAMETERS)
        ARM.fk(q)
        ARM.fk([0] * 7)
        ARM.fk(q.astype("f4"))
        swallow(lambda: ARM.fk("x"))
    gc.collect()
    after = [sys.getrefcount(x) for x in watched]
    assert all(abs(a - b) < 10 for a, b in zip(after, before, strict=True)), (before, after)


def test_a_result_outlives_the_arm() -> None:
    arm = Arm("right")
    fk, T = arm.fk, arm.fk(np.zeros(7))
    expected = T.copy()
    del arm
    gc.collect()
    assert fk(np.zeros(7)).tobytes() == expected.tobytes() == T.tobytes()
