"""The arm's equations as C: export, compile, and call code that knows nothing of baxterkit."""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from baxterkit import Arm, Payload
from baxterkit.codegen import export

arm = Arm("left", tool="electric_standard", payload=Payload(0.5))
source = export("inverse_dynamics", "c", arm, name="torques")
print(source.split("#include")[0])  # what it computes, in which order, from which model

compiler = shutil.which("cc") or shutil.which("gcc")
if compiler is None:
    print("no C compiler on this machine: nothing to run")
else:
    with tempfile.TemporaryDirectory() as folder:
        file, library = Path(folder) / "torques.c", Path(folder) / "torques.so"
        file.write_text(source, encoding="utf-8")
        subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", file, "-o", library, "-lm"], check=True
        )
        torques = ctypes.CDLL(str(library)).torques

        q, qd, qdd = arm.configuration("untuck"), np.full(7, 0.5), np.full(7, -1.0)
        tau = np.empty(7)
        torques(*(a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in (q, qd, qdd, tau)))
    print("tau [N m]:", np.round(tau, 4))
    difference = np.abs(tau - arm.inverse_dynamics(q, qd, qdd)).max()
    print("same as arm.inverse_dynamics:", bool(difference < 3e-13))
