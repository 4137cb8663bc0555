"""Compiles the kernels for GPUs: PTX in cuda/src/baxterkit_cuda, one file for each kernel and type.

NVRTC compiles, from its oldest release on PyPI: PTX of an old compiler runs on every driver since,
a new one's only on new drivers. The target is the oldest architecture that is supported; the driver
makes machine code of it for the card that it finds, and keeps that.

    python tools/build_cuda.py              all of them (`make cuda`)
    python tools/build_cuda.py fk gravity   some
"""

from __future__ import annotations

import argparse
import ctypes
import re
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from baxterkit.cuda import kernels
from baxterkit.cuda.collision import NEAREST_ONLY, STEPS
from baxterkit.kernels.table import KERNELS

ROOT = Path(__file__).parent.parent
NATIVE = ROOT / "src/baxterkit/native"
TO = ROOT / "cuda/src/baxterkit_cuda"
NVRTC = "nvidia-cuda-nvrtc-cu12==12.0.140"
ARCHITECTURE = "compute_80"
OPTIONS = (
    f"--gpu-architecture={ARCHITECTURE}",
    "--std=c++17",
    "--device-as-default-execution-space",
)
STANDARD = {
    "cstddef": "namespace std { using ptrdiff_t = long; using size_t = unsigned long; }",
    "cstdint": """using int64_t = long; using uint64_t = unsigned long;
namespace std { using uint8_t = unsigned char; using uint32_t = unsigned; }""",
    "cstring": "namespace std { using ::memcpy; }",
    "cmath": "namespace std { using ::fabs; using ::sqrt; using ::atan2; using ::isfinite; }",
    "limits": """namespace std { template <class T> struct numeric_limits {
  static constexpr double quiet_NaN() { return 0.0 / 0.0; } }; }""",
    "algorithm": """namespace std {
template <class T> T max(T a, T b) { return a < b ? b : a; }
template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> void copy(const T* a, const T* end, T* to) { while (a != end) *to++ = *a++; }
template <class T> void fill(T* from, T* end, T x) { while (from != end) *from++ = x; } }""",
}
"""Headers of the standard library that the sources include, as far as they use them."""
EFFECTS = (
    "inverse_dynamics_wrench",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
"""Kernels that have a second one, with joint effects, on GPUs only."""
EXACT_STEPS = ("settle", "ties", "whole", "write")
"""Steps of a collision check that compute in float64, to the processor's last bit."""


@dataclass(frozen=True)
class Unit:
    """One file of PTX: its name, source and definitions.

    Products and sums are fused only where answers do not depend on it.
    """

    name: str
    source: str
    defines: tuple[str, ...] = ()
    fused: bool = False


def units() -> Iterator[Unit]:
    """Everything that is compiled: what a GPU is asked for."""
    called = {f"{name}_effects" for name in kernels.EFFECTS}
    structs = {k.name: k.class_name for k in KERNELS if k.reach != "native" or k.name in called}
    structs |= {f"{name}_effects": f"{structs[name]}Effects" for name in EFFECTS}
    for name, struct in structs.items():
        kernel = f"BAXTERKIT_KERNEL={struct}"
        yield Unit(f"{name}.float64", "cuda/kernels.cu", (kernel,))
        yield Unit(f"{name}.float32", "cuda/kernels.cu", (kernel, "BAXTERKIT_FLOAT32"))
    for number, step in enumerate(STEPS):
        for nearest, kind in enumerate(("hits", "nearest")):
            if nearest or step not in NEAREST_ONLY:
                defines = (f"BAXTERKIT_NEAREST={nearest}", f"BAXTERKIT_STEP={number}")
                fused = step not in EXACT_STEPS
                yield Unit(f"{kind}_{step}.float64", "cuda/collision.cu", defines, fused)
    for number, name in enumerate(("edge_begin", "edge_rows", "edge_judge"), 1):
        yield Unit(f"{name}.float64", "cuda/edges.cu", (f"BAXTERKIT_EDGE={number}",))
    for number, name in enumerate(
        ("quick_ik", "prove_ik", "wide_ik", "settle_ik", "nearest_ik"), 1
    ):
        yield Unit(f"{name}.float64", "cuda/ik.cu", (f"BAXTERKIT_IK={number}",))
    for number, name in enumerate(("all_search", "all_settle", "all_pad"), 1):
        yield Unit(f"{name}.float64", "cuda/all_ik.cu", (f"BAXTERKIT_ALL={number}",))


def library() -> ctypes.CDLL:
    """NVRTC.

    Raises:
        SystemExit: If it is not installed.
    """
    spec = find_spec("nvidia.cuda_nvrtc")
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"NVRTC is missing: pip install {NVRTC}")
    folder = Path(spec.submodule_search_locations[0]) / "lib"
    nvrtc = ctypes.CDLL(str(folder / "libnvrtc.so.12"))
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    return nvrtc


def use_locale(one: int | None) -> int:
    """Sets the locale of this thread, if one is given; returns the one before."""
    function = ctypes.CDLL(None).uselocale
    function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    return int(function(one))


def compile_unit(unit: Unit) -> str:
    """The PTX of a unit.

    Raises:
        RuntimeError: If it does not compile, with the compiler's messages.
    """
    nvrtc = library()
    own = use_locale(None)  # NVRTC leaves the thread that of C, in which Python reads ASCII alone
    program = ctypes.c_void_p()
    source = f'#include "{unit.source}"\n'.encode()
    names = (ctypes.c_char_p * len(STANDARD))(*(name.encode() for name in STANDARD))
    texts = (ctypes.c_char_p * len(STANDARD))(
        *(f"#pragma once\n{text}\n".encode() for text in STANDARD.values())
    )
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source, f"{unit.name}.cu".encode(), len(STANDARD), texts, names
    )
    options = [
        *OPTIONS,
        f"--fmad={'true' if unit.fused else 'false'}",
        f"--include-path={NATIVE}",
        *(f"--define-macro={d}" for d in unit.defines),
    ]
    arguments = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    failed = nvrtc.nvrtcCompileProgram(program, len(options), arguments)
    get = "ProgramLog" if failed else "PTX"
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{get}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{get}")(program, text)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    use_locale(own)
    if failed:
        raise RuntimeError(f"{unit.name} does not compile:\n{text.value.decode()}")
    # NVRTC numbers the calls of one process in comments.
    return re.sub(r"// callseq \d+(, \d+)?", "", text.value.decode())


def main(arguments: list[str] | None = None) -> int:
    """Compiles; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="kernels; all of them if none is given")
    parser.add_argument("--processes", type=int, default=None)
    options = parser.parse_args(arguments)
    chosen = [u for u in units() if not options.names or u.name.partition(".")[0] in options.names]
    if not chosen:
        parser.error(f"no such kernel: {', '.join(options.names)}")
    started = time.monotonic()
    TO.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(options.processes) as pool:
        for unit, ptx in zip(chosen, pool.map(compile_unit, chosen), strict=True):
            (TO / f"{unit.name}.ptx").write_text(ptx, encoding="utf-8")
    seconds = time.monotonic() - started
    print(f"{len(chosen)} files of PTX in {TO.relative_to(ROOT)}, {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
