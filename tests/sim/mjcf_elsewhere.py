"""Loads and steps a MuJoCo file by MJX and MuJoCo Warp, in an environment that has no baxterkit.

Usage: python mjcf_elsewhere.py FILE
"""

from __future__ import annotations

import importlib
import sys

import mujoco
import numpy as np


def main(path: str) -> None:
    """Prints what each engine makes of the file."""
    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    bias = data.qfrc_bias.copy()
    mjx, jax = importlib.import_module("mujoco.mjx"), importlib.import_module("jax")
    there = jax.jit(mjx.forward)(mjx.put_model(model), mjx.make_data(model))
    print("mjx", float(np.abs(np.asarray(there.qfrc_bias) - bias).max()))
    warp = importlib.import_module("mujoco_warp")
    warp_model, warp_data = warp.put_model(model), warp.put_data(model, data)
    warp.forward(warp_model, warp_data)
    print("warp", float(np.abs(warp_data.qfrc_bias.numpy()[0] - bias).max()))


if __name__ == "__main__":
    main(sys.argv[1])
