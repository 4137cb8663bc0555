"""Types, methods and records of the extension are what their declarations say."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import components
import numpy as np
import pytest
from extension_calls import Call, extension_calls

from baxterkit import _native
from baxterkit.kernels import records
from baxterkit.kernels.extension import FUNCTIONS, TYPES, all_records
from baxterkit.kernels.seam import Instance, Integer, Numbers, Object, Real, Record, expected

CALLS = list(extension_calls())
calls = pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return all(equal(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, np.ndarray):
        return one.tobytes() == other.tobytes()
    return repr(one) == repr(other)


def test_the_module_has_what_is_declared_in_order() -> None:
    public = [name for name in vars(_native) if not name.startswith("_") and name != "interface"]
    assert sorted(public) == sorted([x.name for x in TYPES] + [x.name for x in FUNCTIONS])
    for kind in TYPES:
        if not kind.kernels and not kind.by_hand:
            own = [name for name in vars(getattr(_native, kind.name)) if not name.startswith("_")]
            assert own == [method.name for method in kind.methods]
            assert getattr(_native, kind.name).__doc__ == kind.sentence


def test_the_stub_has_every_method_and_nothing_untyped() -> None:
    path = components.ROOT / "src" / "baxterkit" / "_native.pyi"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    assert list(classes) == [kind.name for kind in TYPES]
    for kind in TYPES:
        if kind.methods:
            body = [x.name for x in classes[kind.name].body if isinstance(x, ast.FunctionDef)]
            assert body == ["__init__", *(method.name for method in kind.methods)]
    assert "Any" not in ast.dump(tree)


@pytest.mark.parametrize("record", all_records(), ids=lambda record: record.name)
def test_a_record_has_the_declared_fields(record: Record) -> None:
    made = getattr(records, record.name)
    assert made._fields == tuple(field.name for field in record.fields)
    assert made.__doc__ == record.sentence


@calls
def test_a_method_takes_and_gives_what_is_declared(call: Call) -> None:
    parameters = inspect.signature(call.function).parameters
    assert list(parameters) == [argument.name for argument in call.method.arguments]
    assert inspect.getdoc(call.function) == call.method.doc()
    answer, by_name = call.run(), call.by_name()
    assert equal(answer, by_name)
    match call.method.result:
        case Record() as record:
            assert type(answer) is getattr(records, record.name)
            for field, value in zip(record.fields, answer, strict=True):
                if isinstance(field, Numbers) and value is not None:
                    assert value.dtype == field.scalar
                    assert value.ndim == len(field.shape)
        case Numbers() as array:
            assert answer.dtype == array.scalar
            assert answer.ndim == len(array.shape)


def wrong_values(argument: Any, fine: Any) -> list[Any]:
    match argument:
        case Numbers():
            wrong = [fine.astype("f4"), np.zeros((*fine.shape, 5)), fine.tolist()]
            wrong.append(np.repeat(fine, 2, axis=-1)[..., ::2])  # not contiguous
            if argument.most is not None:
                wrong.append(np.full(fine.shape, np.nan))
            return wrong
        case Real():
            return ["1", None] + ([] if argument.any_value else [np.nan, np.inf])
        case Integer():
            return [1.5, None, argument.high + 1, argument.low - 1]
        case Instance():
            return [object(), None]
        case Object():
            return []
        case _:
            return [object(), b"x"] if argument.name == "name" else []


@calls
def test_an_argument_that_is_not_what_is_declared_is_refused_by_name(call: Call) -> None:
    for place, (argument, fine) in enumerate(
        zip(call.method.arguments, call.arguments.values(), strict=True)
    ):
        for value in wrong_values(argument, fine):
            if getattr(argument, "optional", False) and value is None:
                continue
            if call.method.as_given:
                assert call.refused(place, value) is None, (argument.name, value)
                continue
            with pytest.raises((TypeError, ValueError)) as caught:
                call.refused(place, value)
            start = f"{call.name}: {argument.name} must be {expected(argument)}, not "
            assert str(caught.value).startswith(start)


@calls
def test_a_call_with_other_arguments_is_a_type_error(call: Call) -> None:
    given = call.arguments
    with pytest.raises(TypeError, match="unexpected or repeated argument 'unknown'"):
        call.function(**given, unknown=1)
    with pytest.raises(TypeError, match=r"takes \d+ positional arguments"):
        call.function(*given.values(), 1)
    if call.method.required:
        first = next(iter(given))
        with pytest.raises(TypeError, match=f"misses the argument '{first}'"):
            call.function(**{name: value for name, value in given.items() if name != first})
    if call.method.by_name:
        with pytest.raises(TypeError, match="takes 0 positional arguments"):
            call.function(*given.values())


def test_one_row_stands_for_all_and_other_lengths_are_refused() -> None:
    checker = next(call.owner for call in CALLS if call.name == "BodyChecker.hits")
    rows, one = np.full((5, 7), 0.1), np.full((1, 7), 0.1)
    pan = np.zeros(1)
    expected = checker.hits(rows, rows, np.zeros(5), 0.0).tobytes()
    for left, right in ((one, rows), (rows, one), (rows, one[0]), (one[0], rows)):
        assert checker.hits(left, right, pan, 0.0).tobytes() == expected
    assert checker.hits(one, one, pan, 0.0).shape == (1,)
    assert checker.hits(one, rows[:0], pan, 0.0).shape == (0,)
    with pytest.raises(ValueError, match=r"right must be .* not float64 of shape \(4, 7\)$"):
        checker.hits(rows, rows[:4], pan, 0.0)


def test_an_object_that_was_not_made_says_so() -> None:
    for kind in TYPES:
        if kind.methods and not kind.by_hand:
            made = getattr(_native, kind.name)
            empty = made.__new__(made)
            with pytest.raises(TypeError, match="has not been initialised"):
                getattr(empty, kind.methods[0].name)()
