"""The sources compile for GPUs, where NVRTC is installed (`make cuda` installs it)."""

from __future__ import annotations

import importlib.util
import locale
import sys

import components
import pytest

sys.path.insert(0, str(components.ROOT / "tools"))

import build_cuda

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("nvidia") is None
    or importlib.util.find_spec("nvidia.cuda_nvrtc") is None,
    reason=f"NVRTC is not installed: pip install {build_cuda.NVRTC}",
)
UNITS = {unit.name: unit for unit in build_cuda.units()}


@pytest.mark.parametrize("name", UNITS)
def test_every_kernel_compiles_for_old_drivers_and_cards(name: str) -> None:
    ptx = build_cuda.compile_unit(UNITS[name])
    assert ".version 8.0" in ptx
    assert ".target sm_80" in ptx
    assert ".visible .entry run(" in ptx


@pytest.mark.parametrize("name", ["gravity.float64", "gravity.float32", "settle_ik.float64"])
def test_sources_compile_to_the_same_bytes(name: str) -> None:
    assert build_cuda.compile_unit(UNITS[name]) == build_cuda.compile_unit(UNITS[name])


def test_float32_is_float32_all_through() -> None:
    ptx = build_cuda.compile_unit(UNITS["inverse_dynamics_derivatives_effects.float32"])
    entry = ptx.partition(".visible .entry run(")[2].partition("\n}\n")[0]
    assert ".f32" in entry
    assert ".f64" not in entry


def test_an_error_shows_the_compilers_words() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)none does not compile:.*identifier \"Nothing\""):
        build_cuda.compile_unit(
            build_cuda.Unit("none", "cuda/kernels.cu", ("BAXTERKIT_KERNEL=Nothing",))
        )


def test_the_locale_stays() -> None:
    before = locale.nl_langinfo(locale.CODESET)
    build_cuda.compile_unit(UNITS["fk.float64"])
    assert locale.nl_langinfo(locale.CODESET) == before
