"""Kinematics by PyKDL (Orocos KDL), where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from baxterkit.arm import Arm
from baxterkit.model.chain import SerialChain
from baxterkit.types import JointVector, Transform

DEBIAN = Path("/usr/lib/python3/dist-packages")
"""Folder of Debian's python3-pykdl, which a virtual environment does not search."""


Kdl: TypeAlias = Any
"""The module `PyKDL`, or an object of it: it has no types."""


def load_pykdl() -> ModuleType | None:
    """PyKDL, or None if there is none for this Python."""
    try:
        return importlib.import_module("PyKDL")
    except ImportError:
        pass
    tag = f"cpython-{sys.version_info.major}{sys.version_info.minor}"
    library = next(iter(DEBIAN.glob(f"PyKDL.{tag}*.so")), None)
    if library is None:
        return None
    spec = importlib.util.spec_from_file_location("PyKDL", library)
    assert spec is not None
    assert spec.loader is not None
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:
        return None
    return module


def kdl_fk(kdl: Kdl, arm: Arm | SerialChain, q: JointVector) -> Transform:
    """Tip poses by KDL's recursive solver.

    Args:
        kdl: The module PyKDL.
        arm: An arm, or a chain of seven joints read from a URDF with `snap=0.0`: then the numbers
            are the file's own.
        q: Joint positions [rad], shape (n, 7).

    Returns:
        T_base_tip, shape (n, 4, 4).
    """
    chain = _chain(kdl, arm)
    solver = kdl.ChainFkSolverPos_recursive(chain)
    angles, frame = kdl.JntArray(7), kdl.Frame()
    T = np.zeros((len(q), 4, 4))
    T[:, 3, 3] = 1.0
    for row, out in zip(q, T, strict=True):
        for i, value in enumerate(row):
            angles[i] = float(value)
        solver.JntToCart(angles, frame)
        out[:3, :3] = [[frame.M[i, j] for j in range(3)] for i in range(3)]
        out[:3, 3] = [frame.p[i] for i in range(3)]
    return T


def kdl_ik(kdl: Kdl, arm: Arm, T: Transform, seed: JointVector) -> JointVector:
    """Joint positions by KDL's Newton-Raphson with the pseudoinverse, as baxter_pykdl calls it.

    Rethink's baxter_pykdl makes `ChainIkSolverPos_NR` with `ChainIkSolverVel_pinv`, both with their
    defaults, and returns its solutions unchanged; the solver ignores joint limits.

    Args:
        kdl: The module PyKDL.
        arm: The arm.
        T: T_base_tip, shape (n, 4, 4).
        seed: Start of each search [rad], shape (7,).

    Returns:
        Joint positions [rad], shape (n, 7); NaN where it did not converge.
    """
    chain = _chain(kdl, arm)
    forward, velocity = kdl.ChainFkSolverPos_recursive(chain), kdl.ChainIkSolverVel_pinv(chain)
    solver = kdl.ChainIkSolverPos_NR(chain, forward, velocity)
    start, answer = kdl.JntArray(7), kdl.JntArray(7)
    for i, value in enumerate(seed):
        start[i] = float(value)
    q = np.full((len(T), 7), np.nan)
    for pose, out in zip(T, q, strict=True):
        if solver.CartToJnt(start, _frame(kdl, pose), answer) >= 0:
            out[:] = [answer[i] for i in range(7)]
    return q


def _chain(kdl: Kdl, arm: Arm | SerialChain) -> Kdl:
    """KDL's chain with the joint origins of an arm's model, mount and tool, or of a URDF."""
    source = arm if isinstance(arm, SerialChain) else arm.model
    first = source.joints[0].T_parent_joint if isinstance(arm, SerialChain) else arm.model.T_base_s0
    chain = kdl.Chain()
    chain.addSegment(kdl.Segment("mount", kdl.Joint(), _frame(kdl, first)))
    for joint, following in zip(source.joints, [*source.joints[1:], None], strict=True):
        tip = source.T_last_tip if following is None else following.T_parent_joint
        axis = kdl.Vector(*map(float, joint.axis))
        turning = kdl.Joint(joint.name, kdl.Vector.Zero(), axis, kdl.Joint.RotAxis)
        chain.addSegment(kdl.Segment(joint.name, turning, _frame(kdl, tip)))
    return chain


def _frame(kdl: Kdl, T: Transform) -> Kdl:
    rotation = kdl.Rotation(*map(float, T[:3, :3].ravel()))
    return kdl.Frame(rotation, kdl.Vector(*map(float, T[:3, 3])))
