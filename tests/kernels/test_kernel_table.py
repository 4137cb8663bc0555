"""A kernel is declared once: C++, backends and stub have what the table says, in its order."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
from pathlib import Path

import components
import numpy as np
import problems
import pytest
from tolerances import PSEUDOINVERSE, assert_close

from baxterkit import Arm, _native
from baxterkit.backend.reference import FUNCTIONS
from baxterkit.kernels.protocol import (
    DIRECT,
    CalledKernels,
    DirectKernels,
    KernelMethods,
    Kernels,
)
from baxterkit.kernels.table import BY_NAME, KERNELS, Kernel

NATIVE = components.ROOT / "src" / "baxterkit" / "native"
kernels = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


def arguments(kernel: Kernel, n: int) -> list[np.ndarray]:
    rng = problems.generator(f"table {kernel.name}")
    q = problems.uniform(Arm("left"), n)
    return [q, *(np.abs(rng.standard_normal((n, a.width))) for a in kernel.inputs[1:])]


def own_methods(cls: type) -> list[str]:
    return [name for name in vars(cls) if not name.startswith("_")]


def test_the_extension_has_the_kernels_of_the_table_in_order() -> None:
    assert own_methods(_native.ArmKernels) == [kernel.name for kernel in KERNELS]


@kernels
def test_a_native_method_takes_and_gives_what_is_declared(kernel: Kernel) -> None:
    method = getattr(Arm("left")._kernels, kernel.name)
    names = [argument.name for argument in kernel.inputs]
    inputs = arguments(kernel, 3)
    assert method(*inputs).shape == (3, *kernel.shape)
    by_name = dict(zip(names, inputs, strict=True))
    assert method(**by_name).tobytes() == method(*inputs).tobytes()
    options = [] if kernel.choice is None else [kernel.choice.name]
    options += ["of"] if kernel.any_frame else []
    assert list(inspect.signature(method).parameters) == [*names, *options, "out"]
    assert inspect.getdoc(method) == kernel.doc()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_native_kernel_computes_what_its_name_says(name: str) -> None:
    # Kernels that stood in each other's place would show here, whatever their shapes.
    kernel = BY_NAME[name]
    arm = Arm("left", "vacuum")
    inputs = arguments(kernel, 20)
    expected = FUNCTIONS[kernel.name](arm.model, *inputs)
    scale = max(1.0, float(np.abs(expected).max()))
    before = _native.isa()
    try:
        for isa in _native.isas():
            _native.use_isa(isa)
            got = getattr(arm._kernels, kernel.name)(*inputs)
            assert_close(got / scale, expected / scale, PSEUDOINVERSE)
    finally:
        _native.use_isa(before)


def test_every_shared_kernel_has_a_reference() -> None:
    shared = {kernel.name for kernel in KERNELS if kernel.reach != "native"}
    chosen = {
        name for kernel in KERNELS if kernel.choice for name in kernel.choice.kernels.values()
    }
    assert set(FUNCTIONS) == shared | chosen


def test_python_classes_have_the_kernels_in_order() -> None:
    shared = [kernel.name for kernel in KERNELS if kernel.reach != "native"]
    assert own_methods(CalledKernels) == shared
    assert own_methods(KernelMethods) == own_methods(DirectKernels) == list(DIRECT)
    assert own_methods(Kernels) == [name for name in shared if name not in DIRECT]
    assert list(DIRECT) == [kernel.name for kernel in KERNELS if kernel.reach == "arm"]


def test_the_stub_has_the_kernels_and_nothing_untyped() -> None:
    tree = ast.parse((NATIVE.parent / "_native.pyi").read_text(encoding="utf-8"))
    stub = next(x for x in tree.body if isinstance(x, ast.ClassDef) and x.name == "ArmKernels")
    methods = {x.name: x for x in stub.body if isinstance(x, ast.FunctionDef)}
    assert list(methods) == ["__init__", *(kernel.name for kernel in KERNELS)]
    for kernel in KERNELS:
        names = [argument.arg for argument in methods[kernel.name].args.args]
        options = [] if kernel.choice is None else [kernel.choice.name]
        assert names == ["self", *(argument.name for argument in kernel.inputs), *options]
    assert "Any" not in ast.dump(stub)


def test_names_are_unique_and_inputs_begin_with_q() -> None:
    assert len(BY_NAME) == len(KERNELS)
    assert len({kernel.class_name for kernel in KERNELS}) == len(KERNELS)
    for kernel in KERNELS:
        assert kernel.inputs[0].name == "q"
        assert kernel.sentence.endswith(".")
        assert len(kernel.sentence) <= 92  # the first line of a docstring
        if kernel.choice is not None:
            assert kernel.choice.default == next(
                value for value, name in kernel.choice.kernels.items() if name == kernel.name
            )
            assert set(kernel.choice.kernels.values()) <= set(BY_NAME)


def compiles(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["g++", "-std=c++17", "-fsyntax-only", "-DBAXTERKIT_ISA=baseline", "check.cpp"],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("swap", "words"),
    [
        ("", ""),
        ("list", "a kernel stands in the place of another"),
        ("struct", "a kernel stands in the place of another"),
    ],
    ids=["as generated", "order of the list", "declaration of a struct"],
)
def test_a_swap_of_two_kernels_does_not_compile(tmp_path: Path, swap: str, words: str) -> None:
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    # Only what decides the order, without the arithmetic: it compiles in no time.
    (tmp_path / "generated").mkdir()
    structs = (NATIVE / "generated/kernel_structs.hpp").read_text(encoding="utf-8")
    structs = re.sub(r" *generated::.*\n", "", structs)
    names = (NATIVE / "generated/kernel_list.hpp").read_text(encoding="utf-8")
    if swap == "list":
        names = names.replace("X(fk, Fk,", "X(fk, LinkPoses,").replace(
            "X(link_poses, LinkPoses,", "X(link_poses, Fk,"
        )
    if swap == "struct":
        structs = structs.replace(
            "struct Gravity : Declared<kernel_gravity>", "struct Gravity : Declared<kernel_inertia>"
        )
    (tmp_path / "generated/kernel_structs.hpp").write_text(structs, encoding="utf-8")
    (tmp_path / "generated/kernel_list.hpp").write_text(names, encoding="utf-8")
    for name in ("kinematics", "gravity", "dynamics", "derivatives"):
        (tmp_path / f"generated/{name}.hpp").write_text("")
    for name in ("kernels.hpp", "simd.hpp", "describe.hpp"):
        shutil.copy(NATIVE / name, tmp_path / name)
    by_hand = "\n".join(
        f"struct {k.class_name} : Declared<kernel_{k.name}> {{}};" for k in KERNELS if k.by_hand
    )
    (tmp_path / "check.cpp").write_text(
        f"""
#include "generated/kernel_structs.hpp"
namespace baxterkit {{ namespace BAXTERKIT_ISA {{
{by_hand}
template <class K> bool run_rows(std::ptrdiff_t, const Operand*, char*, std::ptrdiff_t, bool,
                                 const Parameters&);
template <class K> bool run_one(const double* const*, double*, const Parameters&);
}} }}
#include "describe.hpp"
""",
        encoding="utf-8",
    )
    done = compiles(tmp_path)
    assert (done.returncode == 0) == (swap == ""), done.stderr[:2000]
    assert words in done.stderr


@pytest.mark.parametrize(
    ("section", "count"), [("Adding a kernel", 3), ("Declaring a type of the extension", 2)]
)
def test_an_example_in_the_page_is_what_stands_in_the_sources(section: str, count: int) -> None:
    page = (components.ROOT / "DEVELOPMENT.md").read_text(encoding="utf-8")
    text = page.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    entries = re.findall(
        r"^# ([\w/]+\.\w+): [^\n]*\n(.*?)(?=^# |\Z)", block, re.MULTILINE | re.DOTALL
    )
    assert len(entries) == count

    def plain(text: str) -> str:
        return re.sub(r"[\s,]+", "", text)

    for file, entry in entries:
        source = (NATIVE.parent / file).read_text(encoding="utf-8")
        assert plain(entry) in plain(source), file
