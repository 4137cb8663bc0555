"""A map's metadata: everything that its numbers depend on, and robot and world made from it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import platform
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.collision.body import load_body
from baxterkit.collision.hand import arm_body
from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.model.inertial import Payload
from baxterkit.model.library import load_baxter
from baxterkit.model.model import Tool
from baxterkit.model.names import SIDES
from baxterkit.model.shape import Solid
from baxterkit.native import backend_info
from baxterkit.scene.scene import Scene, SceneLike, as_scene
from baxterkit.version import VERSION
from baxterkit.workspace.addresses import zarr_module
from baxterkit.workspace.grid import Grid
from baxterkit.workspace.settings import LEVELS, PAIR, Settings

Plain: TypeAlias = dict[str, Any]
"""An object of JSON."""

FORMAT = 4
"""Number of the layout of a map's folder."""
KIND = "baxterkit workspace map"
FREE_TO_DIFFER = ("versions", "checksum")
"""Entries that may differ between runs of one map."""
SCENE = ("head", "opening", "margin", "without")
"""What is kept of a scene, besides robot and world."""
REBUILT = ("box", "sphere", "capsule", "cylinder", "plane")


def describe(settings: Settings, scene: Scene) -> Plain:
    """Everything that the numbers depend on, and what made them, as JSON."""
    info = backend_info()
    data = dataclasses.asdict(settings)
    if settings.level != "reach":
        scene.checker  # noqa: B018 (it is checked before the work)
    arms = {name: scene.arm(name) for name in SIDES}
    found = {
        "kind": KIND,
        "format": FORMAT,
        "robot": {name: _arm(arms[name]) for name in SIDES},
        "model_hash": model_hash(scene),
        "settings": data,
        "scene": {name: getattr(scene, name) for name in SCENE},
        "world": [_described(obstacle) for obstacle in scene.world.state],
        "orientation_set": "super-Fibonacci spiral",
        "seeds": {"ik": "middle of the joint range", "orientations": "none: deterministic"},
        "backend": "numpy" if "numpy" in [arms[name].backend for name in SIDES] else "native",
        "isa": info["isa"],
        "versions": {
            "baxterkit": VERSION,
            "numpy": np.__version__,
            "zarr": zarr_module().__version__,
            "python": platform.python_version(),
        },
        "baxterkit": VERSION,
    }
    plain: Plain = json.loads(json.dumps(found))
    return plain | {"checksum": description_checksum(plain)}


def description_checksum(data: Plain) -> str:
    """A digest of a description, its own `checksum` left out."""
    kept = {name: value for name, value in data.items() if name != "checksum"}
    return hashlib.blake2b(json.dumps(kept, sort_keys=True).encode(), digest_size=8).hexdigest()


def restored(data: Plain) -> Settings:
    """Settings from the JSON of `describe`."""
    fields = dict(data["settings"])
    grid = fields.pop("grid")
    fields = {name: _tuples(value) for name, value in fields.items()}
    settings = Settings(
        grid=Grid(_tuples(grid["low"]), _tuples(grid["shape"]), grid["step"]), **fields
    )
    _check(settings)
    return settings


def _check(settings: Settings) -> None:
    """Raises ValueError if a value is none that `make_settings` makes."""
    grid = settings.grid
    whole = (*grid.low, *grid.shape, settings.orientations, settings.chunk, settings.samples)
    numbers = [grid.step]
    numbers += [] if settings.apart is None else [settings.apart]
    paired = settings.sides == (PAIR,)
    others = np.array(settings.others, dtype=np.float64).reshape(-1, 7)
    if not (
        settings.sides in (("left",), ("right",), ("left", "right"), (PAIR,))
        and (settings.apart is not None) == paired
        and settings.level in LEVELS
        and len(grid.low) == len(grid.shape) == 3
        and all(type(n) is int and abs(n) <= 10**9 for n in whole)
        and min(*grid.shape, settings.orientations, settings.chunk, settings.samples) >= 1
        and all(type(x) in (int, float) and np.isfinite(x) for x in numbers)
        and grid.step > 0.0
        and len(others) == (0 if paired else len(settings.sides))
        and np.isfinite(others).all()
    ):
        raise ValueError("a value is out of range")


def differences(kept: Plain, now: Plain, name: str = "") -> list[str]:
    """What differs between two descriptions, as `name: kept, now`."""
    found = []
    for key in sorted(kept.keys() | now.keys()):
        if key in FREE_TO_DIFFER and not name:
            continue
        path = f"{name}.{key}" if name else key
        a, b = kept.get(key), now.get(key)
        if isinstance(a, dict) and isinstance(b, dict):
            found += differences(a, b, path)
        elif a != b:
            found.append(f"{path}: {_short(a)} there, {_short(b)} here")
    return found


def model_hash(scene: Scene) -> str:
    """SHA-256 of the numbers of both arms, of the body, tools included, and of the world."""
    digest = hashlib.sha256()
    for arm in (scene.robot.left, scene.robot.right):
        model = arm.model
        digest.update(model.side.encode())
        for array in (model.T_base_s0, model.T_last_hand, model.T_hand_tip):
            digest.update(_bytes(array))
        for joint in model.joints:
            digest.update(_bytes(joint.T_parent_joint, joint.axis, (joint.lower, joint.upper)))
        for capsule in arm_body(model):
            digest.update(capsule.link.encode())
            digest.update(_bytes(capsule.start, capsule.end, (capsule.radius,), capsule.slide))
    for box in load_body().boxes:
        digest.update(box.part.encode())
        digest.update(_bytes(box.center, box.R, box.half, (box.radius,)))
    for obstacle in scene.world.state:
        digest.update(f"{obstacle.name} {obstacle.kind} {obstacle.held}".encode())
        data = np.zeros(0) if obstacle.data is None else obstacle.data
        digest.update(_bytes(obstacle.size, obstacle.T, data))
    return digest.hexdigest()


def scene_of(kept: Plain, given: SceneLike | None = None) -> Scene:
    """The scene of a map's description; robot and world are those of a given scene."""
    values = {name: _tuples(kept["scene"][name]) for name in SCENE}
    if given is not None:
        return as_scene(given).replace(**values)
    robot = Baxter(**{side: _rebuilt(side, kept["robot"][side]) for side in SIDES})
    return robot.scene(_world(kept["world"]), **values)


def _rebuilt(side: str, kept: Plain) -> Arm:
    T, name = np.array(kept["T_hand_tip"]), str(kept["tool"])
    known = load_baxter().tools
    shape = _solids(kept["tool_shape"])
    same = name in known and not shape and np.array_equal(known[name].T_hand_tip, T)
    arm = Arm(side, tool=name if same else Tool(name, T, shape=shape))
    if not np.array_equal(arm.model.T_base_s0, kept["T_base_s0"]):
        arm = arm.replace(mount=np.array(kept["T_base_s0"]))
    carried = _solids(kept["payload_shape"])
    if carried:
        arm = arm.replace(payload=Payload(0.0, shape=carried))
    limits = zip(arm.model.joints, kept["lower"], kept["upper"], strict=True)
    joints = tuple(dataclasses.replace(j, lower=low, upper=high) for j, low, high in limits)
    return Arm.from_model(dataclasses.replace(arm.model, joints=joints))


def _solids(kept: list[Plain]) -> tuple[Solid, ...]:
    return tuple(Solid(one["kind"], tuple(one["size"]), np.array(one["T"])) for one in kept)


def _world(kept: list[Plain]) -> World:
    obstacles = []
    for obstacle in kept:
        if obstacle["kind"] not in REBUILT:
            raise InputError(
                f"the map's metadata do not hold all of {obstacle['name']!r}, a "
                f"{obstacle['kind']}; pass its robot among its obstacles as scene="
            )
        size, T = tuple(obstacle["size"]), np.array(obstacle["T"])
        obstacles.append(
            Obstacle(obstacle["kind"], size, T, obstacle["name"], None, obstacle["held"])
        )
    return World.of(obstacles)  # adding them one by one would round the poses once more


def _arm(arm: Arm) -> Plain:
    limits = arm.limits
    payload = () if arm.model.payload is None else arm.model.payload.shape
    return {
        "tool": arm.tool.name,
        "T_hand_tip": arm.model.T_hand_tip.tolist(),
        "T_base_s0": arm.model.T_base_s0.tolist(),
        "lower": limits.lower.tolist(),
        "upper": limits.upper.tolist(),
        "tool_shape": [_solid(solid) for solid in arm.tool.shape],
        "payload_shape": [_solid(solid) for solid in payload],
    }


def _solid(solid: Solid) -> Plain:
    return {"kind": solid.kind, "size": list(solid.size), "T": solid.T.tolist()}


def _described(obstacle: Obstacle) -> Plain:
    count = 0 if obstacle.data is None else int(obstacle.data.size)
    return {
        "name": obstacle.name,
        "kind": obstacle.kind,
        "size": list(obstacle.size),
        "T": obstacle.T.tolist(),
        "held": obstacle.held,
        "numbers": count,
    }


def _bytes(*arrays: ArrayLike) -> bytes:
    return b"".join(np.ascontiguousarray(x, dtype="<f8").tobytes() for x in arrays)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
