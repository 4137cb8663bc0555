"""`help` and `inspect.signature` tell of every public method, the same on both backends."""

from __future__ import annotations

import inspect
import pydoc
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, Baxter
from baxterkit.kernels.protocol import DIRECT

ARMS = {
    "native": Arm("left"),
    "numpy": Arm("left", backend="numpy"),
    "native with effects": Arm("left").with_effects(coulomb=np.full(7, 0.1)),
    "numpy with effects": Arm("left", backend="numpy").with_effects(coulomb=np.full(7, 0.1)),
}


def public_methods(thing: object) -> list[str]:
    names = (name for name in dir(type(thing)) if not name.startswith("_"))
    return [name for name in names if callable(getattr(thing, name))]


def shape_of(method: Any) -> list[tuple[str, Any, Any]]:
    """Names, kinds and defaults of the parameters."""
    parameters = inspect.signature(method).parameters.values()
    return [(p.name, p.kind, p.default) for p in parameters]


@pytest.mark.parametrize("backend", ARMS)
def test_every_method_of_an_arm_has_a_docstring_and_a_signature(backend: str) -> None:
    arm = ARMS[backend]
    methods = public_methods(arm)
    assert {"fk", "jacobian", "inertia", "inverse_dynamics", "ik", "joint_velocity"} <= set(methods)
    for name in methods:
        method, declared = getattr(arm, name), getattr(Arm, name)
        assert inspect.getdoc(method) == inspect.getdoc(declared), name
        assert len(inspect.getdoc(method) or "") > 20, name
        of_class = shape_of(declared)
        is_bound = inspect.ismethod(declared)  # a class method leaves `cls` out itself
        assert shape_of(method) == (of_class if is_bound else of_class[1:]), name


@pytest.mark.parametrize("backend", ARMS)
def test_help_shows_signature_arguments_and_result(backend: str) -> None:
    text = pydoc.plain(pydoc.render_doc(ARMS[backend].fk))
    assert "fk(q" in text
    assert "Pose of the tip in base." in text
    assert "q: Joint positions [rad], shape (*batch, 7)." in text
    assert "T_base_tip, shape (*batch, 4, 4)." in text


@pytest.mark.parametrize("backend", ARMS)
def test_every_method_of_baxter_has_a_docstring_and_a_signature(backend: str) -> None:
    left = ARMS[backend]
    robot = Baxter(left, Arm("right", backend=left.backend))
    methods = public_methods(robot)
    assert {"scene", "in_collision", "from_file"} <= set(methods)
    for name in methods:
        method, declared = getattr(robot, name), getattr(Baxter, name)
        assert len(inspect.getdoc(method) or "") > 20, name
        of_class = shape_of(declared)
        is_bound = inspect.ismethod(declared)
        assert shape_of(method) == (of_class if is_bound else of_class[1:]), name


@pytest.mark.parametrize("kind", [Arm, Baxter])
def test_every_property_has_a_docstring(kind: type) -> None:
    names = [name for name in dir(kind) if not name.startswith("_")]
    values = {name: inspect.getattr_static(kind, name) for name in names}
    values = {k: v for k, v in values.items() if not callable(v)}
    for name, value in values.items():
        if not isinstance(value, classmethod | staticmethod):
            assert len(inspect.getdoc(value) or "") > 8, name


@pytest.mark.parametrize("name", DIRECT)
def test_arguments_have_the_same_names_on_both_backends(name: str) -> None:
    native, numpy = (shape_of(getattr(ARMS[backend], name)) for backend in ("native", "numpy"))
    assert native == numpy
    assert native[0][0] == "q"
    assert native[-1] == ("out", inspect.Parameter.KEYWORD_ONLY, None)
