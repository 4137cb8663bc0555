"""Looking for contacts of a lesson before anything moves: hands take objects and leave them.

Along the path the grippers open and close as they were taught. Fingers that close on an object that
can be taken hold it from there on, and leave it where they open.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from baxterkit.collision.pairs import Without
from baxterkit.collision.world import World
from baxterkit.model.names import SIDES
from baxterkit.scene import Scene
from baxterkit.spatial import inverse
from baxterkit.trajectory.checks import ContactError
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, JointVector

STEP = 0.02
"""Turn of a joint between two configurations between which the path is swept [rad]."""
MOST_CONTACTS = 20
"""Pairs that may touch at the start of a part."""
CLOSES = 0.05
"""Fingers that close by more than this may take something."""


@dataclass(frozen=True)
class Taking:
    """A hand takes an object, or leaves it.

    Attributes:
        t: When [s].
        side: The hand.
        name: The object.
        taken: Whether it is taken; else it is left.
    """

    t: float
    side: str
    name: str
    taken: bool


def rehearse(
    scene: Scene,
    motion: Trajectory,
    still: Mapping[str, JointVector],
    graspable: Collection[str],
) -> list[Taking]:
    """Follows the path in thought.

    Args:
        scene: The robot among its obstacles, with its grippers as they are at the start.
        motion: The motion, with its grippers.
        still: Where the arms are that do not move [rad].
        graspable: Names of the objects that hands may take.

    Returns:
        The objects that hands take and leave, in the order of time.

    Raises:
        ContactError: If something would touch: names time and links.
    """
    t = motion.check_times(0.01)
    both = _both(motion, t, still)
    turned = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(both, axis=0)).max(axis=1))])
    events = sorted(
        (float(when), side, float(opening))
        for side, one in motion.grippers.items()
        for when, opening in zip(one.t, one.opening, strict=True)
    )
    found: list[Taking] = []
    world, openings = World.of(scene.world.state), _openings(scene)
    begun = 0.0
    for when, side, opening in [*events, (np.inf, "", 0.0)]:
        _sweep(scene.replace(world=world, opening=_pair(openings)), t, both, turned, (begun, when))
        if not side:
            return found
        here = _both(motion, np.array([when]), still)[0]
        change = _grip(scene, world, side, here, (openings[side], opening), graspable)
        if change is not None:
            found.append(Taking(when, side, *change))
        if change is None or not change[1]:
            openings[side] = opening
        begun = when
    return found


def tip_of(scene: Scene, side: str, both: Array) -> Array:
    """Pose of a tip, of both arms' joint positions, shape (14,)."""
    own = both[:7] if side == "left" else both[7:]
    return scene.arm(side).fk(own)


def held_by(world: World, side: str) -> str | None:
    """The object that a hand holds."""
    return next((one.name for one in world.state if one.held == side), None)


def _grip(
    scene: Scene,
    world: World,
    side: str,
    here: Array,
    openings: tuple[float, float],
    graspable: Collection[str],
) -> tuple[str, bool] | None:
    """Lets a hand take or leave an object in the world; its name, and whether it is taken."""
    before, after = openings
    T, held = tip_of(scene, side, here), held_by(world, side)
    if held is not None and after > before - CLOSES:
        world.detach(held, T @ world[held].T)
        return held, False
    if held is not None or after > before - CLOSES:
        return None
    for name in graspable:
        if (
            name in world
            and world[name].held is None
            and _closes_on(scene, world, name, side, here)
        ):
            world.attach(name, side, inverse(T) @ world[name].T)
            return name, True
    return None


def _closes_on(scene: Scene, world: World, name: str, side: str, here: Array) -> bool:
    """Whether closed fingers would be in an object."""
    alone = scene.replace(world=World.of([world[name]]), opening=0.0)
    others = tuple(pair for pair in alone.checker.pairs if set(pair) != {f"{side}_fingers", name})
    near = alone.replace(without=(*alone.without, *others)).nearest(here[:7], here[7:])
    return bool(near.pair[0] >= 0 and float(near.clearance) < 0.0)


def _sweep(
    scene: Scene, t: Array, both: Array, turned: Array, between: tuple[float, float]
) -> None:
    """Refuses a part of the path that touches something, but for what touches at its start."""
    rows = np.flatnonzero((t >= between[0] - 1e-9) & (t <= between[1] + 1e-9))
    if len(rows) < 2:
        return
    steps = np.searchsorted(turned[rows], np.arange(turned[rows[0]], turned[rows[-1]], STEP))
    kept = rows[np.unique(np.concatenate([[0], steps, [len(rows) - 1]]))]
    path = both[kept]
    found = scene.first_contact(path[:, :7], path[:, 7:])
    if found is not None:
        touching = _touching(scene, path[0])
        if touching:
            scene = scene.replace(without=(*scene.without, *touching))
            found = scene.first_contact(path[:, :7], path[:, 7:])
    if found is not None:
        raise ContactError(float(t[kept[found[0]]]), *found[1])


def _touching(scene: Scene, here: Array) -> Without:
    found: Without = ()
    while len(found) < MOST_CONTACTS:
        near = scene.replace(without=(*scene.without, *found)).nearest(here[:7], here[7:])
        if near.pair[0] < 0 or float(near.clearance) > scene.margin + 1e-4:
            break
        found = (*found, near.names)
    return found


def _both(motion: Trajectory, t: Array, still: Mapping[str, JointVector]) -> Array:
    """Joint positions of both arms at times, left then right [rad], shape (n, 14)."""
    return np.concatenate(
        [
            motion.of(side).sample(t).q
            if side in motion.sides
            else np.tile(still[side], (len(t), 1))
            for side in SIDES
        ],
        axis=-1,
    )


def _openings(scene: Scene) -> dict[str, float]:
    given = (
        np.broadcast_to(np.asarray(scene.opening, dtype=float), 2)
        if np.ndim(scene.opening) < 2
        else np.max(np.asarray(scene.opening, dtype=float), axis=1)
    )
    return dict(zip(SIDES, (float(x) for x in given), strict=True))


def _pair(openings: Mapping[str, float]) -> tuple[float, float]:
    return openings["left"], openings["right"]
