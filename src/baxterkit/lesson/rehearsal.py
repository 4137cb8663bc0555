"""Looking for contacts of a lesson before anything moves: hands take objects and leave them.

Along the path the grippers open and close as they were taught. Fingers that close on an object that
can be taken hold it from there on, and leave it where they open.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from baxterkit.collision.openings import spans
from baxterkit.collision.world import World
from baxterkit.lesson.retiming import in_pause, pauses
from baxterkit.model.names import ARM_COLUMNS, SIDES
from baxterkit.scene import Scene
from baxterkit.scene.clear_motions import Measured, touching_pairs
from baxterkit.spatial import inverse
from baxterkit.trajectory.checks import ContactError
from baxterkit.trajectory.grippers import GripperMotion
from baxterkit.trajectory.swept import (
    ARRIVING,
    TRAVELLING,
    WIDTH,
    first_contact_of_motion,
    rounded,
)
from baxterkit.trajectory.trajectory import Trajectory
from baxterkit.types import Array, JointVector

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
    width: float = WIDTH,
) -> list[Taking]:
    """Follows the path in thought.

    Args:
        scene: The robot among its obstacles, with its grippers as they are at the start.
        motion: The motion, with its grippers.
        still: Where the arms are that do not move [rad].
        graspable: Names of the objects that hands may take.
        width: How far joints that move may be beside the path [rad].

    Returns:
        The objects that hands take and leave, in the order of time.

    Raises:
        ContactError: If something would touch: names time and links.
    """
    t = motion.check_times(0.01)
    both = _both(motion, t, still)
    rests = pauses(motion)
    events = sorted(
        (float(when), side, float(opening))
        for side, one in motion.grippers.items()
        for when, opening in zip(one.t, one.opening, strict=True)
    )
    found: list[Taking] = []
    world = World.of(scene.world.state)
    openings = {side: widest for side, (_, widest) in zip(SIDES, spans(scene.opening), strict=True)}
    moving: list[tuple[float, str, float]] = []
    begun = 0.0
    for when, side, opening in events:
        after = World.of(world.state)
        here = _both(motion, np.array([when]), still)[0]
        told = _told(openings, moving)
        change = _grip(scene, after, side, here, (told[side], opening), graspable)
        if change is None and not any(in_pause(when, rest) for rest in rests):
            moving.append((when, side, opening))
            continue
        part = scene.replace(world=world, opening=_pair(openings))
        _sweep(part, t, both, (begun, when), moving, width)
        left = world if change is None or change[1] else after
        hands = scene.replace(world=left, opening=_pair(told))
        check_stroke(hands, side, here, (told[side], opening), graspable, when)
        if change is not None:
            found.append(Taking(when, side, *change))
        if change is not None and change[1]:
            opening = told[side]
        older = [one for one in moving if one[1] == side or one[0] < when - ARRIVING]
        moving = [one for one in moving if one not in older]
        openings = {**_told(openings, older), side: opening}
        world, begun = after, when
    _sweep(
        scene.replace(world=world, opening=_pair(openings)), t, both, (begun, np.inf), moving, width
    )
    return found


def check_stroke(
    scene: Scene,
    side: str,
    here: Array,
    stroke: tuple[float, float],
    graspable: Collection[str],
    when: float,
) -> None:
    """Refuses fingers that would touch something while they open or close where the arms rest.

    What they touch before does not count, nor objects that can be taken while they close.

    Args:
        scene: The robot among its obstacles then, with its grippers as they are before.
        side: The hand.
        here: Joint positions of both arms [rad], shape (14,).
        stroke: Its opening before and after, 0 to 1.
        graspable: Names of the objects that hands may take.
        when: The time, for the message [s].

    Raises:
        ContactError: If they would.
    """
    before, after = stroke
    if before == after:
        return
    moment, fingers = Measured(scene, (scene.head,)), f"{side}_fingers"
    low, high = spans(scene.opening), rounded(min(stroke), max(stroke), TRAVELLING)
    swept = moment.opened((high, low[1]) if side == SIDES[0] else (low[0], high))
    free = touching_pairs(moment, here, scene.head)
    if after < before:
        free = (*free, *((fingers, name) for name in graspable if name in scene.world))
    for pair in touching_pairs(swept, here, scene.head, free):
        if fingers in pair:
            raise ContactError(when, *pair)


def tip_of(scene: Scene, side: str, both: Array) -> Array:
    """Pose of a tip, of both arms' joint positions, shape (14,)."""
    own = both[ARM_COLUMNS[side]]
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
    scene: Scene,
    t: Array,
    both: Array,
    between: tuple[float, float],
    moving: list[tuple[float, str, float]],
    width: float,
) -> None:
    """Refuses a part of the path that touches something, but for what touches at its start.

    It is swept as a robot's link sweeps a motion, so that this will not refuse a part later.
    """
    rows = (t >= between[0] - 1e-9) & (t <= between[1] + 1e-9)
    if np.count_nonzero(rows) < 2:
        return
    grippers = {}
    for side in SIDES:
        own = [(when, opening) for when, of, opening in moving if of == side]
        if own:
            grippers[side] = GripperMotion(*np.array(own).T)
    moment = Measured(scene, (scene.head,))
    found = first_contact_of_motion(moment, t[rows], both[rows], grippers, width)
    if found is not None:
        raise ContactError(found[0], *found[1].names)


def _told(
    openings: Mapping[str, float], events: list[tuple[float, str, float]]
) -> dict[str, float]:
    """Openings after what the grippers were told."""
    return {**openings, **{side: opening for _, side, opening in events}}


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


def _pair(openings: Mapping[str, float]) -> tuple[float, float]:
    return openings["left"], openings["right"]
