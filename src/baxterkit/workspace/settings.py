"""What a map asks: the settings that its numbers depend on, robot and world apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.checks.arrays import finite_array, head_angle
from baxterkit.checks.numbers import count as number
from baxterkit.checks.numbers import scalar
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.model.names import SIDES
from baxterkit.workspace.grid import Grid, orientations, reach_box

__all__ = ["LEVELS", "PAIR", "Settings", "make_settings"]

LEVELS = ("reach", "body", "full")
"""What is asked: reach and limits; also what the body forbids; also how well."""
POSES_PER_CHUNK = 51_200
"""About as many poses are computed between two writes."""
SAMPLES = 48
"""Number of e0 values at which the full map looks at a pose's solutions."""
PAIR = "pair"
"""The side of a map of both hands at once."""
APART = 0.4
"""Distance of the tips of both hands at once [m]: fingers may reach 16 cm beyond a bare hand."""


@dataclass(frozen=True)
class Settings:
    """The question that a map answers; plain data.

    Attributes:
        sides: The arms, ("left",), ("right",) or both; ("pair",) for both hands at once.
        level: One of `LEVELS`.
        grid: Positions.
        orientations: Number of orientations at each position.
        chunk: Edge of a chunk, in cells: a chunk is computed and written as a whole.
        samples: Number of e0 values of the full map.
        others: For each side, joint positions of the other arm [rad]; none for both at once.
        head: Pan of the head [rad].
        opening: Opening of the hands, left and right.
        padding: What is nearer than this [m] counts as touching.
        without: Pairs that are not checked.
        apart: Distance of the tips [m], if the map is of both hands at once.
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
    apart: float | None = None

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
    apart: float = APART,
) -> Settings:
    """Checked settings; the arguments are those of `baxterkit.workspace.make_map`."""
    if not isinstance(robot, Baxter):
        raise InputError(f"robot must be a Baxter, got {type(robot).__name__}")
    if not isinstance(side, str) or side not in (*SIDES, "both", PAIR):
        raise UnknownNameError("arm", side, (*SIDES, "both", PAIR))
    if level not in LEVELS:
        raise UnknownNameError("level of a map", level, LEVELS)
    if side == PAIR and level == "full":
        raise InputError('a map of both hands at once has level="reach" or "body", not "full"')
    sides = SIDES if side == "both" else (side,)
    arms = {"left": robot.left, "right": robot.right}
    grid = Grid.around(
        *_box(box, [arms[name] for name in (SIDES if side == PAIR else sides)]), step
    )
    orientations(count)  # checks it
    number(samples, "samples", 2)
    if chunk is None:
        chunk = max(1, min(32, round((POSES_PER_CHUNK / count) ** (1 / 3))))
    gap = scalar(padding, "padding")
    if not 0.0 <= gap <= 1.0:
        raise InputError(f"padding = {gap:g} m must be from 0 to 1")
    wide = scalar(apart, "apart")
    if not 0.0 <= wide <= 2.0:
        raise InputError(f"apart = {wide:g} m must be from 0 to 2")
    opened = finite_array(opening, "opening")
    if opened.shape not in ((), (2,)):
        raise ShapeError(f"opening must be one number or two, left and right, got {opening!r}")
    opened = np.broadcast_to(opened, (2,))
    pan, pairs = head_angle(head), _pairs(without)
    if level == "reach":
        given = {"other": other is not None, "head": pan != 0.0, "opening": (opened != 1.0).any(),
                 "padding": gap != 0.0, "without": bool(pairs)}  # fmt: skip
        names = [name for name, there in given.items() if there]
        if names:
            counts = 'counts for level="body" and "full", not for "reach"'
            raise InputError(f"{', '.join(names)} {counts}")
    return Settings(
        sides=tuple(sides),
        level=level,
        grid=grid,
        orientations=int(count),
        chunk=number(chunk, "chunk", 1),
        samples=int(samples),
        others=() if side == PAIR else _at_rest(arms, sides, other),
        head=pan,
        opening=(float(opened[0]), float(opened[1])),
        padding=gap,
        without=pairs,
        apart=wide if side == PAIR else None,
    )


def _box(box: Any, arms: list[Arm]) -> tuple[Any, Any]:
    """The corners of the box of positions; what the arms reach if None."""
    if box is None:
        boxes = [reach_box(arm) for arm in arms]
        return np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)
    for arm in arms:
        reach_box(arm)  # checks its joints
    corners = finite_array(box, "box")
    if corners.shape != (2, 3):
        raise ShapeError(f"box must be two corners, shape (2, 3), got {corners.shape}")
    return corners[0], corners[1]


def _at_rest(
    arms: dict[str, Arm], sides: tuple[str, ...], other: Any
) -> tuple[tuple[float, ...], ...]:
    """For each side, joint positions of the arm that does not move."""
    rests = {name: arms["right" if name == "left" else "left"] for name in sides}
    if other is None:
        return tuple(tuple(rests[name].pose("untuck").tolist()) for name in sides)
    if len(sides) == 1:
        given = {sides[0]: other}
    elif isinstance(other, tuple | list | np.ndarray) and len(other) == 2:
        given = {"right": other[0], "left": other[1]}
    else:
        raise InputError(
            "other must be two postures, of the left and of the right arm, for a map of both"
        )
    found = []
    for name in sides:
        resting = rests[name].model.joint_values(given[name], "other")
        if resting.shape != (7,):
            raise ShapeError(f"other must be one posture, shape (7,), got shape {resting.shape}")
        found.append(tuple(resting.tolist()))
    return tuple(found)


def _pairs(without: Any) -> tuple[tuple[str, str], ...]:
    try:
        return tuple((str(a), str(b)) for a, b in without)
    except (TypeError, ValueError):
        raise InputError(f"without must be pairs of names, got {without!r}") from None
