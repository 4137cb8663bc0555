"""The bookshelf problems of MotionBenchMaker for Baxter, where `BAXTERKIT_DATA` has them.

600 two-arm problems in a folder `bookshelf`, 200 each of easy, medium, hard; see its README for the
format and the licences. They are read, never copied.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from baxterkit.collision import World
from baxterkit.spatial import quaternion_to_matrix, transform

SETS = ("easy", "medium", "hard")


@dataclass(frozen=True, eq=False)
class Shelf:
    """One problem.

    Attributes:
        name: Set and number.
        start: Joint positions of both arms [rad], shape (14,).
        goal: The same at the goal.
        world: A shelf of six boards and nine cans.
    """

    name: str
    start: np.ndarray
    goal: np.ndarray
    world: World


def folder() -> Path | None:
    """Where the problems are, or None."""
    path = Path(os.environ.get("BAXTERKIT_DATA", "")) / "bookshelf"
    return path if (path / "easy.json.gz").is_file() else None


def problems(each: int = 200) -> Iterator[Shelf]:
    """The first problems of each set."""
    path = folder()
    assert path is not None
    for name in SETS:
        with gzip.open(path / f"{name}.json.gz", "rt", encoding="utf-8") as file:
            data = json.load(file)
        for problem in data["problems"][:each]:
            world = World()
            for thing in problem["things"]:
                R = quaternion_to_matrix(thing["quaternion_xyzw"])
                T = transform(R, thing["position"])
                if thing["kind"] == "box":
                    world.add_box(thing["name"], thing["dimensions"], T)
                else:
                    height, radius = thing["dimensions"]
                    world.add_cylinder(thing["name"], height, radius, T)
            start, goal = np.array(problem["start"]), np.array(problem["goal"])
            yield Shelf(f"{name} {problem['id']}", start, goal, world)
