"""The exported inverse kinematics, compiled and called: what its tests share."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import components
import export_cases as cases
import numpy as np

from baxterkit import Arm, native
from baxterkit.codegen import export
from baxterkit.codegen.ik_standalone import ISA_FLAGS
from baxterkit.equations import base_parameters

KEPT = components.ROOT / "build" / "exported_ik"
"""Where the built library is kept."""
LOOP = components.ROOT / "examples" / "cpp_loop"
OBJECTIVES = ("quick", "nearest", "limits", "manipulability", "gravity")


def kept_loop(isa: str) -> Path:
    """`build_loop`, once for all processes and runs as long as nothing that goes into it changes.

    Compiling takes half a minute of processor time. The folder's name is the hash of everything
    that the compiler reads: the exported headers, the example's sources, flags, the compiler.
    """
    arm = Arm("left", tool="electric_standard")
    texts = [export(what, "cpp", arm) for what in ("ik", "inverse_dynamics")]
    texts += [path.read_text(encoding="utf-8") for path in sorted(LOOP.iterdir())]
    texts += [ISA_FLAGS[isa], cases.run("c++", "--version", folder=LOOP)]
    key = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = KEPT / f"{isa}-{key}"
        if not (folder / "done").exists():
            for old in KEPT.glob(f"{isa}-*"):
                shutil.rmtree(old)
            folder.mkdir()
            build_loop(folder, isa)
            (folder / "done").touch()
    return folder / "build"


def build_loop(folder: Path, isa: str) -> Path:
    """Builds the example's program and the library of the inverse kinematics, with CMake."""
    python = ";".join([sys.executable, "-m", "baxterkit"])
    flags = ";".join(shlex.split(ISA_FLAGS[isa]))
    options = [f"-DBAXTERKIT={python}", f"-DISA_FLAGS={flags}", "-DBUILD_SHARED_LIBS=ON"]
    cases.run("cmake", "-S", str(LOOP), "-B", "build", *options, folder=folder)
    cases.run("cmake", "--build", "build", folder=folder, timeout=1800.0)  # on a busy machine
    return folder / "build"


class ArmStruct(ctypes.Structure):
    """`baxter_ik_arm`."""

    _fields_ = [
        (name, ctypes.c_double * n)
        for name, n in (
            ("T_base_s0", 12),
            ("T_hand_tip", 12),
            ("lower", 7),
            ("upper", 7),
            ("beta", 45),
            ("gravity", 3),
        )
    ]


class Details(ctypes.Structure):
    """`baxter_ik_details`."""

    _fields_ = [
        ("position_error", ctypes.c_double),
        ("orientation_error", ctypes.c_double),
        ("nearest", ctypes.c_double * 7),
        ("violation", ctypes.c_double * 7),
    ]


def struct_of(arm: Arm) -> ArmStruct:
    """An arm as the interface takes it."""
    model = arm.model
    parts = {
        "T_base_s0": model.T_base_s0[:3],
        "T_hand_tip": model.T_hand_tip[:3],
        "lower": model.limits.lower,
        "upper": model.limits.upper,
        "beta": base_parameters.base_parameters(model),
        "gravity": base_parameters.chain_gravity(model),
    }
    struct = ArmStruct()
    for name, part in parts.items():
        getattr(struct, name)[:] = np.ravel(part).tolist()
    return struct


def pointer(array: np.ndarray | None) -> Any:
    if array is None:
        return None
    assert array.flags.c_contiguous
    assert array.dtype == np.float64
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


class Solver:
    """A solver of the exported library, with the shapes of `Arm`."""

    def __init__(self, library: ctypes.CDLL, arm: Arm | ArmStruct | None = None) -> None:
        self._library = library
        library.baxter_ik_make.restype = ctypes.c_void_p
        library.baxter_ik_isa.restype = ctypes.c_char_p
        struct = struct_of(arm) if isinstance(arm, Arm) else arm
        self.handle = library.baxter_ik_make(None if struct is None else ctypes.byref(struct))

    def _call(self, function: str, *args: Any) -> int:
        assert self.handle
        return int(getattr(self._library, f"baxter_ik_{function}")(self._solver, *args))

    @property
    def _solver(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.handle)

    @property
    def isa(self) -> str:
        return str(self._library.baxter_ik_isa().decode())

    def fk(self, q: np.ndarray) -> np.ndarray:
        T = np.full((4, 4), np.nan)
        self._call("fk", pointer(q), pointer(T))
        return T

    def solve(
        self, T: np.ndarray, seed: np.ndarray | None, objective: str
    ) -> tuple[int, np.ndarray, Details]:
        q, details = np.empty(7), Details()
        which = OBJECTIVES.index(objective)
        arguments = (pointer(T), pointer(seed), which, pointer(q), ctypes.byref(details))
        return self._call("solve", *arguments), q, details

    def solve_many(
        self, T: np.ndarray, seeds: np.ndarray | None
    ) -> tuple[int, np.ndarray, np.ndarray]:
        q, status = np.empty((len(T), 7)), np.empty(len(T), np.int8)
        codes = status.ctypes.data_as(ctypes.c_char_p)
        end = self._call("solve_many", len(T), pointer(T), pointer(seeds), pointer(q), codes)
        return end, q, status

    def all(self, T: np.ndarray, e0: float, limited: bool) -> tuple[int, np.ndarray]:
        q = np.empty((32, 7))
        count = self._call("all", pointer(T), ctypes.c_double(e0), int(limited), pointer(q))
        return count, q[: max(count, 0)]

    def track(
        self, T: np.ndarray, start: np.ndarray, step: np.ndarray | None, hold: bool
    ) -> tuple[int, np.ndarray]:
        q = np.empty(7)
        arguments = (pointer(T), pointer(start), pointer(step), int(hold), pointer(q))
        return self._call("track", *arguments), q

    def path(
        self, Ts: np.ndarray, seed: np.ndarray | None, starts: bool, steps: np.ndarray | None
    ) -> tuple[int, np.ndarray]:
        q = np.empty((len(Ts), 7))
        arguments = (len(Ts), pointer(Ts), pointer(seed), int(starts), pointer(steps), pointer(q))
        return self._call("path", *arguments), q


def library_isa() -> str:
    """The instruction set that baxterkit computes with."""
    return str(native.backend_info()["isa"])
