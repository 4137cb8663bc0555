"""What a map asks: the settings that its numbers depend on, the scene apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array
from baxterkit.checks.instances import need
from baxterkit.checks.numbers import count, scalar
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.model.names import SIDES, other_side
from baxterkit.scene.scene import Scene
from baxterkit.types import Array
from baxterkit.workspace.grid import Grid, check_orientations, check_step, reach_box

LEVELS = ("reach", "body", "full")
"""What a map answers: reach and limits; also what the body forbids; also how well."""
POSES_PER_CHUNK = 51_200
"""About as many poses are computed between two writes."""
SAMPLES = 48
"""Number of e0 values at which the full map looks at a pose's solutions."""
PAIR = "pair"
"""The side of a map of both hands at once."""
APART = 0.4
"""Distance of the tips of both hands at once [m]: fingers may reach 16 cm beyond a bare hand."""


@dataclass(frozen=True)
class Question:
    """What a map is to answer.

    Attributes:
        side: "left", "right", "both" (each arm alone, the other one at rest), or "pair": both hands
            at once, `apart` from each other along y of the pose and facing each other, as around an
            object whose pose is given.
        step: Distance of the positions [m].
        orientations: Number of orientations at each position.
        level: "reach" (within reach and limits), "body" (and the robot touches neither itself nor
            the world), or "full" (and how well: manipulability, clearance, margin, width).
        box: Two corners of the box of positions in base [m]; all that the arm reaches if None.
        other: Joint positions of the arm that does not move [rad], shape (7,); of left and right
            for a map of both, shape (2, 7); untucked if None.
        samples: Number of e0 values at which the full map looks at solutions.
        apart: Distance of the tips for "pair" [m].
        chunk: Edge of a chunk in cells; by default, so that it holds about 50,000 poses.

    Raises:
        UnknownNameError: If there is no such side or level.
        InputError: If a number is out of range, or the box is empty.
        ShapeError: If the box is not two corners.
    """

    side: str = "left"
    step: float = 0.05
    orientations: int = 100
    level: str = "reach"
    box: tuple[ArrayLike, ArrayLike] | None = None
    other: ArrayLike | None = None
    samples: int = SAMPLES
    apart: float = APART
    chunk: int | None = None

    def __post_init__(self) -> None:
        sides = (*SIDES, "both", PAIR)
        if not isinstance(self.side, str) or self.side not in sides:
            raise UnknownNameError("arm", self.side, sides)
        if not isinstance(self.level, str) or self.level not in LEVELS:
            raise UnknownNameError("level of a map", self.level, LEVELS)
        if self.side == PAIR and self.level == "full":
            raise InputError('a map of both hands at once has level="reach" or "body", not "full"')
        check_step(self.step)
        check_orientations(self.orientations)
        if self.box is not None:
            Grid.around(*_corners(self.box), self.step)
        count(self.samples, "samples", 2)
        if self.chunk is not None:
            count(self.chunk, "chunk", 1)
        wide = scalar(self.apart, "apart")
        if not 0.0 <= wide <= 2.0:
            raise InputError(f"apart = {wide:g} m must be from 0 to 2")


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
        apart: Distance of the tips [m], if the map is of both hands at once.
    """

    sides: tuple[str, ...]
    level: str
    grid: Grid
    orientations: int
    chunk: int
    samples: int = SAMPLES
    others: tuple[tuple[float, ...], ...] = ()
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


def make_settings(scene: Scene, question: Question) -> Settings:
    """The settings of a question about a scene, and the checks that need the scene."""
    need(question, Question, "question", 'Question("left") asks where the left hand can go')
    side, level, turns = question.side, question.level, question.orientations
    sides = SIDES if side == "both" else (side,)
    arms = {name: scene.arm(name) for name in SIDES}
    corners = _box(question.box, [arms[name] for name in (SIDES if side == PAIR else sides)])
    grid = Grid.around(*corners, question.step)
    chunk = question.chunk
    if chunk is None:
        chunk = max(1, min(32, round((POSES_PER_CHUNK / turns) ** (1 / 3))))
    if scene.margin > 1.0:
        raise InputError(f"margin = {scene.margin:g} m must be at most 1")
    if level == "reach":
        usual = Scene(scene.robot)
        names = ["other"] if question.other is not None else []
        known = ("world", "head", "opening", "margin", "without")
        names += [name for name in known if getattr(scene, name) != getattr(usual, name)]
        if names:
            counts = 'counts for level="body" and "full", not for "reach"'
            raise InputError(f"{', '.join(names)} {counts}")
    return Settings(
        sides=tuple(sides),
        level=level,
        grid=grid,
        orientations=int(turns),
        chunk=int(chunk),
        samples=int(question.samples),
        others=() if side == PAIR else _at_rest(arms, sides, question.other),
        apart=float(question.apart) if side == PAIR else None,
    )


def _box(box: Any, arms: list[Arm]) -> tuple[Array, Array]:
    """The corners of the box of positions; what the arms reach if None."""
    if box is None:
        boxes = [reach_box(arm) for arm in arms]
        return np.min([b[0] for b in boxes], axis=0), np.max([b[1] for b in boxes], axis=0)
    for arm in arms:
        reach_box(arm)  # checks its joints
    return _corners(box)


def _corners(box: ArrayLike | tuple[ArrayLike, ArrayLike]) -> tuple[Array, Array]:
    """The two corners of a box that is given."""
    corners = finite_array(box, "box")  # type: ignore[arg-type]
    if corners.shape != (2, 3):
        raise ShapeError(f"box must be two corners, shape (2, 3), got {corners.shape}")
    return corners[0], corners[1]


def _at_rest(
    arms: dict[str, Arm], sides: tuple[str, ...], other: Any
) -> tuple[tuple[float, ...], ...]:
    """For each side, joint positions of the arm that does not move."""
    rests = {name: arms[other_side(name)] for name in sides}
    if other is None:
        return tuple(tuple(rests[name].configuration("untuck").tolist()) for name in sides)
    if len(sides) == 1:
        given = {sides[0]: other}
    elif isinstance(other, tuple | list | np.ndarray) and len(other) == 2:
        given = {"right": other[0], "left": other[1]}
    else:
        raise InputError(
            "other must be two configurations, of the left and of the right arm, for a map of both"
        )
    found = []
    for name in sides:
        resting = rests[name].model.joint_values(given[name], "other")
        if resting.shape != (7,):
            raise ShapeError(
                f"other must be one configuration, shape (7,), got shape {resting.shape}"
            )
        found.append(tuple(resting.tolist()))
    return tuple(found)
