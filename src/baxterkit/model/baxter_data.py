"""Baxter's numbers, read from `baxter.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baxterkit.errors import ModelError
from baxterkit.model.head import HeadModel
from baxterkit.model.inertial import Inertial, inertia_matrix
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.model.parts import Joint
from baxterkit.model.tool import Tool, lump_parts
from baxterkit.spatial.formulas import rpy_to_matrix, transform
from baxterkit.types import JointVector, Transform, frozen

if TYPE_CHECKING:
    from baxterkit.model.model import ArmModel

Entry: TypeAlias = Mapping[str, Any]
"""A table of baxter.toml."""
_ANGLES = {"pi/2": np.pi / 2, "-pi/2": -np.pi / 2, "pi": np.pi, "-pi": -np.pi}


@dataclass(frozen=True)
class BaxterData:
    """Everything in `baxter.toml`.

    Attributes:
        joints: The seven joints, with short names (s0 ...), the same for both arms.
        inertials: Inertial of what moves with each joint, in its frame; the last one includes the
            hand.
        mounts: `T_base_s0` by name ("nominal", "pykdl_robot") and side.
        T_last_hand: Hand in the w2 frame, shape (4, 4).
        tools: Named tools.
        configurations: Named joint positions [rad], by name and side, shape (7,).
        head: The head.
        frames: Frames fixed to a link: name → link and pose in it; "{side}" is left or right.
        T_mount_s0: s0 in the arm's mount, shape (4, 4).
        torso: Inertial of the torso, in base.
        pedestal: Inertial of the pedestal, in base.
        sensor_step: Quantum of a reading: "position" [rad], "velocity" [rad/s], "effort" [N m].
        rate: "joint_states", "joint_states_max", "motor_loop" [Hz]; "command_timeout" [s].
        sources: Sources of the numbers, by short name.
    """

    joints: tuple[Joint, ...]
    inertials: tuple[Inertial, ...]
    mounts: Mapping[str, Mapping[str, Transform]]
    T_last_hand: Transform
    tools: Mapping[str, Tool]
    configurations: Mapping[str, Mapping[str, JointVector]]
    head: HeadModel
    frames: Mapping[str, tuple[str, Transform]]
    T_mount_s0: Transform
    torso: Inertial
    pedestal: Inertial
    sensor_step: Mapping[str, float]
    rate: Mapping[str, float]
    sources: Mapping[str, str]


@lru_cache(maxsize=1)
def load_baxter() -> BaxterData:
    """Reads `baxter.toml`; the first call parses, later ones return the same object."""
    import tomllib
    from pathlib import Path

    raw = tomllib.loads(Path(__file__).with_name("baxter.toml").read_text(encoding="utf-8"))
    T_last_hand = _transform(raw["hand"])
    inertials = [_inertial(joint) for joint in raw["joint"]]
    inertials[-1] = inertials[-1].combine(_inertial(raw["hand"]).at(T_last_hand))
    joints = tuple(_joint(joint) for joint in raw["joint"])
    if tuple(joint.name for joint in joints) != JOINTS:
        raise ModelError(f"baxter.toml must list the joints {', '.join(JOINTS)}, in this order")
    T_mount_s0 = _transform(raw["mount_to_s0"])
    return BaxterData(
        joints=joints,
        inertials=tuple(inertials),
        mounts=MappingProxyType(
            {
                name: MappingProxyType(
                    {side: frozen(_transform(mount[side]) @ T_mount_s0) for side in SIDES}
                )
                for name, mount in raw["mount"].items()
            }
        ),
        T_last_hand=T_last_hand,
        tools=MappingProxyType({name: _tool(name, tool) for name, tool in raw["tool"].items()}),
        configurations=MappingProxyType(
            {
                name: MappingProxyType({side: frozen(joints[side]) for side in SIDES})
                for name, joints in raw["configuration"].items()
            }
        ),
        head=_head(raw["head"]),
        frames=MappingProxyType({f["name"]: (f["link"], _transform(f)) for f in raw["frame"]}),
        T_mount_s0=T_mount_s0,
        torso=_inertial(raw["torso"]),
        pedestal=_inertial(raw["pedestal"]),
        sensor_step=_numbers(raw["sensor_step"]),
        rate=_numbers(raw["rate"]),
        sources=MappingProxyType(raw["sources"]),
    )


def geometry_difference(model: ArmModel) -> float:
    """Deviation of an arm's joints and hand from Baxter's nominal ones; mount and tool are free.

    Returns:
        The largest difference of any transform entry or axis component [m or 1]; infinity if the
        number of joints or a kind differs.
    """
    data = load_baxter()
    kinds = [joint.kind for joint in model.joints]
    if kinds != [joint.kind for joint in data.joints]:
        return float("inf")
    difference = float(np.abs(model.T_last_hand - data.T_last_hand).max())
    for joint, nominal in zip(model.joints, data.joints, strict=True):
        moved = float(np.abs(joint.T_parent_joint - nominal.T_parent_joint).max())
        turned = float(np.abs(joint.axis - nominal.axis).max())
        difference = max(difference, moved, turned)
    return difference


def _transform(entry: Entry) -> Transform:
    rpy = [_ANGLES[angle] if isinstance(angle, str) else angle for angle in entry["rpy"]]
    return frozen(transform(rpy_to_matrix(rpy), entry["xyz"]))


def _inertial(entry: Entry) -> Inertial:
    return Inertial(entry["mass"], entry["com"], inertia_matrix(entry["inertia"]))


def _joint(entry: Entry) -> Joint:
    numbers = ("lower", "upper", "velocity", "effort", "damping", "friction")
    return Joint(
        name=entry["name"],
        kind="revolute",
        T_parent_joint=_transform(entry),
        link=entry["link"],
        **{number: entry[number] for number in numbers},
    )


def _tool(name: str, entry: Entry) -> Tool:
    parts: Sequence[Entry] = entry.get("parts", ())
    inertial = None
    if parts:
        masses = [(part["mass"], part["z"]) for part in parts]
        inertial = lump_parts(masses, inertia_matrix(entry["inertia"]))
    return Tool(name, transform(np.eye(3), [0.0, 0.0, entry["length"]]), inertial)


def _head(entry: Entry) -> HeadModel:
    return HeadModel(
        T_base_pan=_transform(entry),
        T_head_screen=_transform(entry["screen"]),
        T_head_camera=_transform(entry["camera"]),
        lower=entry["lower"],
        upper=entry["upper"],
        damping=entry["damping"],
        friction=entry["friction"],
        head=_inertial(entry),
        screen=_inertial(entry["screen"]),
    )


def _numbers(entry: Entry) -> Mapping[str, float]:
    return MappingProxyType({key: value for key, value in entry.items() if key != "source"})
