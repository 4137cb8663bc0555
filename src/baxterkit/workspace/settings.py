"""What a map is of: everything that its numbers depend on, as it is kept with them."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.checks.arrays import finite_array
from baxterkit.collision.body import load_body
from baxterkit.collision.hand import arm_body
from baxterkit.collision.world import Obstacle, World
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.model.names import SIDES
from baxterkit.native import backend_info
from baxterkit.version import VERSION
from baxterkit.workspace.grid import Grid, orientations, reach_box

__all__ = ["FORMAT", "LEVELS", "Settings", "describe", "differences", "make_settings", "model_hash"]

FORMAT = 1
"""Number of the layout of a map's folder."""
KIND = "baxterkit workspace map"
LEVELS = ("reach", "body", "full")
"""What is asked: reach and limits; also what the body forbids; also how well."""
POSES_PER_CHUNK = 51_200
"""About as many poses are computed between two writes."""
SAMPLES = 48
"""Number of e0 values at which the full map looks at a pose's solutions."""
FREE_TO_DIFFER = ("versions",)
"""Entries that may differ between runs of one map."""


@dataclass(frozen=True)
class Settings:
    """The question that a map answers; plain data.

    Attributes:
        sides: The arms, ("left",), ("right",) or both.
        level: One of `LEVELS`.
        grid: Positions.
        orientations: Number of orientations at each position.
        chunk: Edge of a chunk, in cells: a chunk is computed and written as a whole.
        samples: Number of e0 values of the full map.
        others: For each side, joint positions of the other arm [rad].
        head: Pan of the head [rad].
        opening: Opening of the hands, left and right.
        padding: What is nearer than this [m] counts as touching.
        without: Pairs that are not checked.
    """

    sides: tuple[str, ...]
    level: str
    grid: Grid
    orientations: int
    chunk: int
    samples: int = SAMPLES
    others: tuple[tuple[float, ...], ...] = ()
    head: float = 0.0
    opening: tuple[float, float] = (1.0, 1.0)
    padding: float = 0.0
    without: tuple[tuple[str, str], ...] = ()

    @property
    def chunks(self) -> tuple[int, int, int, int]:
        """Number of chunks: of arms, along x, y and z."""
        x, y, z = (-(-n // self.chunk) for n in self.grid.shape)
        return len(self.sides), x, y, z

    @property
    def poses(self) -> int:
        """Number of poses, for all arms."""
        return len(self.sides) * self.grid.cells * self.orientations

    def part(self, index: tuple[int, int, int]) -> tuple[slice, slice, slice]:
        """The cells of a chunk."""
        x, y, z = (
            slice(i * self.chunk, min((i + 1) * self.chunk, n))
            for i, n in zip(index, self.grid.shape, strict=True)
        )
        return x, y, z


def make_settings(
    robot: Baxter,
    side: str = "left",
    step: float = 0.05,
    count: int = 100,
    *,
    level: str = "reach",
    box: tuple[Any, Any] | None = None,
    other: Any = None,
    head: float = 0.0,
    opening: float | tuple[float, float] = 1.0,
    padding: float = 0.0,
    without: tuple[tuple[str, str], ...] = (),
    samples: int = SAMPLES,
    chunk: int | None = None,
) -> Settings:
    """Checked settings; the arguments are those of `baxterkit.workspace.make_map`."""
    if side not in (*SIDES, "both"):
        raise UnknownNameError("arm", side, (*SIDES, "both"))
    if level not in LEVELS:
        raise UnknownNameError("level of a map", level, LEVELS)
    sides = SIDES if side == "both" else (side,)
    arms = {"left": robot.left, "right": robot.right}
    boxes = [reach_box(arms[name]) for name in sides]
    if box is None:
        low = np.min([b[0] for b in boxes], axis=0)
        high = np.max([b[1] for b in boxes], axis=0)
    else:
        low, high = box
    grid = Grid.around(low, high, step)
    orientations(count)  # checks it
    for name, value, least in (
        ("samples", samples, 2),
        ("chunk", 1 if chunk is None else chunk, 1),
    ):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(f"{name} = {value!r} must be an integer of at least {least}")
    if chunk is None:
        chunk = max(1, min(32, round((POSES_PER_CHUNK / count) ** (1 / 3))))
    others = []
    for name in sides:
        rest = arms["right" if name == "left" else "left"]
        resting = rest.pose("untuck") if other is None else rest.model.joint_values(other, "other")
        if resting.shape != (7,):
            raise InputError(f"other must be one posture, shape (7,), got shape {resting.shape}")
        others.append(tuple(resting.tolist()))
    opened = np.broadcast_to(finite_array(opening, "opening"), (2,)).tolist()
    return Settings(
        sides=tuple(sides),
        level=level,
        grid=grid,
        orientations=int(count),
        chunk=int(chunk),
        samples=int(samples),
        others=tuple(others),
        head=float(finite_array(head, "head")),
        opening=(opened[0], opened[1]),
        padding=float(finite_array(padding, "padding")),
        without=tuple((str(a), str(b)) for a, b in without),
    )


def describe(settings: Settings, robot: Baxter, world: World | None) -> dict[str, Any]:
    """Everything that the numbers depend on, and what made them, as JSON."""
    import numpy
    import zarr

    info = backend_info()
    data = asdict(settings)
    arms = {"left": robot.left, "right": robot.right}
    found = {
        "kind": KIND,
        "format": FORMAT,
        "robot": {name: _arm(arms[name]) for name in SIDES},
        "model_hash": model_hash(robot, world if settings.level != "reach" else None),
        "settings": data,
        "world": [_thing(thing) for thing in world.state] if world is not None else [],
        "orientation_set": "super-Fibonacci spiral",
        "seeds": {"ik": "middle of the joint range", "orientations": "none: deterministic"},
        "backend": info["backend"],
        "isa": info["isa"],
        "versions": {
            "baxterkit": VERSION,
            "numpy": numpy.__version__,
            "zarr": zarr.__version__,
            "python": platform.python_version(),
        },
        "baxterkit": VERSION,
    }
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


def restored(data: dict[str, Any]) -> Settings:
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
    numbers = (grid.step, settings.head, settings.padding, *settings.opening)
    others = np.array(settings.others, dtype=np.float64)
    if not (
        settings.sides in (("left",), ("right",), ("left", "right"))
        and settings.level in LEVELS
        and len(grid.low) == len(grid.shape) == 3
        and all(type(n) is int and abs(n) <= 10**9 for n in whole)
        and min(*grid.shape, settings.orientations, settings.chunk, settings.samples) >= 1
        and all(type(x) in (int, float) and np.isfinite(x) for x in numbers)
        and grid.step > 0.0
        and others.shape == (len(settings.sides), 7)
        and np.isfinite(others).all()
    ):
        raise ValueError("a value is out of range")


def differences(kept: dict[str, Any], now: dict[str, Any], name: str = "") -> list[str]:
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


def model_hash(robot: Baxter, world: World | None = None) -> str:
    """SHA-256 of the numbers of both arms, of the body, tools included, and of the world."""
    digest = hashlib.sha256()
    for arm in (robot.left, robot.right):
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
    for thing in () if world is None else world.state:
        digest.update(f"{thing.name} {thing.kind} {thing.held}".encode())
        data = np.zeros(0) if thing.data is None else thing.data
        digest.update(_bytes(thing.size, thing.T, data))
    return digest.hexdigest()


def _arm(arm: Arm) -> dict[str, Any]:
    limits = arm.limits
    return {
        "tool": arm.tool.name,
        "T_hand_tip": arm.model.T_hand_tip.tolist(),
        "T_base_s0": arm.model.T_base_s0.tolist(),
        "lower": limits.lower.tolist(),
        "upper": limits.upper.tolist(),
    }


def _thing(thing: Obstacle) -> dict[str, Any]:
    count = 0 if thing.data is None else int(thing.data.size)
    return {
        "name": thing.name,
        "kind": thing.kind,
        "size": list(thing.size),
        "T": thing.T.tolist(),
        "held": thing.held,
        "numbers": count,
    }


def _bytes(*arrays: Any) -> bytes:
    return b"".join(np.ascontiguousarray(x, dtype="<f8").tobytes() for x in arrays)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
