"""Looking for contacts of a lesson before anything moves: hands take objects and leave them.

Along the path the grippers open and close as they were taught. Fingers that close on an object that
can be taken hold it from there on, and leave it where they open. Before and after that they may
be nearer to it than the margin.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from baxterkit.collision.body import FINGERS
from baxterkit.collision.openings import spans
from baxterkit.collision.pairs import HOLDS
from baxterkit.collision.world import World
from baxterkit.lesson.retiming import in_pause, pauses
from baxterkit.model.names import ARM_COLUMNS, SIDES
from baxterkit.scene import Scene
from baxterkit.scene.clear_motions import Measured, touching_pairs
from baxterkit.spatial.formulas import inverse
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
ROOM = 0.02
"""Fingers are at an object where they are nearer to it than this beyond the margin [m]."""
INSIDE = 0.007
"""How deep in each other shapes may be that are around each other [m]: those of fingers stand off
them by up to 6.3 mm."""
STRAY = 0.003
"""How much nearer than on the path shapes may come when it is followed [m]."""

LEAST = {"w1": 0.0, "w2": 0.0, FINGERS: -INSIDE}
"""Least distance of a hand's links and what the hand takes or has left [m]."""


@dataclass(frozen=True)
class Around:
    """A part of the path at whose end or beginning a hand takes an object, or leaves it.

    Attributes:
        start: Its beginning [s].
        end: Its end [s].
        pair: What may be nearer to each other than the margin: the hand and the object, or the
            object and what it stands on.
        least: Least distance of these [m]; negative: so deep may they be in each other.
    """

    start: float
    end: float
    pair: tuple[str, str]
    least: float


@dataclass(frozen=True)
class Taking:
    """A hand takes an object, or leaves it.

    Attributes:
        t: When [s].
        side: The hand.
        name: The object.
        taken: Whether it is taken; else it is left.
        on: Names of what the object stands on there, or touches.
        around: Parts of the path in which it is near to the hand, and to these.
    """

    t: float
    side: str
    name: str
    taken: bool
    on: tuple[str, ...] = ()
    around: tuple[Around, ...] = field(default=(), repr=False)


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
    world, openings = World.of(scene.world.state), _openings(scene)
    there = [_both(motion, np.array([when]), still)[0] for when, *_ in events]
    changes = _foreseen(scene, (t, both), events, there, graspable, width)
    around = [one for change, _ in changes if change is not None for one in change.around]
    moving: list[tuple[float, str, float]] = []
    begun = 0.0
    for (when, side, opening), here, (change, after) in zip(events, there, changes, strict=True):
        told = _told(openings, moving)
        if change is None and not any(in_pause(when, rest) for rest in rests):
            moving.append((when, side, opening))
            continue
        part = scene.replace(world=world, opening=_pair(openings))
        _sweep(part, t, both, (begun, when), moving, width, around)
        left = world if change is None or change.taken else after
        hands = scene.replace(world=left, opening=_pair(told))
        leaves = None if change is None or change.taken else change.name
        check_stroke(hands, side, here, (told[side], opening), graspable, when, leaves)
        if change is not None:
            found.append(change)
        if change is not None and change.taken:
            opening = told[side]
        older = [one for one in moving if one[1] == side or one[0] < when - ARRIVING]
        moving = [one for one in moving if one not in older]
        openings = {**_told(openings, older), side: opening}
        world, begun = after, when
    part = scene.replace(world=world, opening=_pair(openings))
    _sweep(part, t, both, (begun, np.inf), moving, width, around)
    return found


def _foreseen(
    scene: Scene,
    path: tuple[Array, Array],
    events: Sequence[tuple[float, str, float]],
    there: Sequence[Array],
    graspable: Collection[str],
    width: float,
) -> list[tuple[Taking | None, World]]:
    """What each opening makes a hand take or leave, and the world after it.

    Fingers that hold an object are as open as before they took it, at most.
    """
    world, openings, told = World.of(scene.world.state), _openings(scene), _openings(scene)
    changes: list[tuple[Taking | None, World]] = []
    for (when, side, opening), here in zip(events, there, strict=True):
        before, after = openings[side], World.of(world.state)
        grip = _grip(scene, after, side, here, (told[side], opening), graspable)
        told[side] = opening
        change = None
        if grip is None or not grip[1]:
            openings[side] = opening
        if grip is not None:
            name, taken = grip
            standing, held = (world, after) if taken else (after, world)
            wide = _pair({**openings, side: before if taken else opening})
            hand = scene.replace(world=World.of([standing[name]]), opening=wide)
            around = [
                _around(hand, (f"{side}_{part}", name), path, when, taken, LEAST[part], width)
                for part in HOLDS
            ]
            on = []
            for other in held.names:
                alone = scene.replace(world=World.of([held[name], held[other]]))
                gap = np.inf if other == name else float(_gap(alone, (name, other), here))
                if gap < scene.margin:
                    pair, least = (name, other), min(gap, 0.0) - INSIDE
                    around.append(_around(alone, pair, path, when, not taken, least, width))
                    on.append(other)
            change = Taking(when, side, name, taken, tuple(on), tuple(around))
        changes.append((change, after))
        world = after
    return changes


def _gap(scene: Scene, pair: tuple[str, str], both: Array) -> Array:
    """Clearance of one pair along joint positions of both arms (..., 14) [m]."""
    alone = scene._alone((pair,))
    if not alone.checker.pairs:
        return np.full(both.shape[:-1], np.inf)
    return alone.clearance(both[..., :7], both[..., 7:])


def _around(
    scene: Scene,
    pair: tuple[str, str],
    path: tuple[Array, Array],
    when: float,
    before: bool,
    least: float,
    width: float,
) -> Around:
    """The part of the path before or after a grip in which a pair is near.

    Args:
        scene: The robot with the object, and with what it stands on.
        pair: The pair.
        path: Times and joint positions of both arms.
        when: The time of the grip [s].
        before: Whether the part ends there; else it begins there.
        least: Least distance that is right for the pair [m].
        width: How far joints that move may be beside the path [rad].

    Raises:
        ContactError: If the pair would be nearer than that, or the arm that strays would be.
    """
    t, both = path
    gaps = _gap(scene, pair, both)
    clear = t[(gaps >= scene.margin + ROOM) & ((t < when) if before else (t > when))]
    start = when if not before else float(clear[-1]) if len(clear) else -np.inf
    end = when if before else float(clear[0]) if len(clear) else np.inf
    within = (t >= start) & (t <= end)
    if (gaps[within] < least + STRAY).any():
        raise ContactError(float(t[within][np.argmin(gaps[within])]), *pair)
    if np.isfinite(gaps).all() and np.count_nonzero(within) > 1:
        moment = Measured(scene._alone((pair,)), (scene.head,), least=least)
        found = first_contact_of_motion(moment, t[within], both[within], {}, width)
        if found is not None:
            raise ContactError(found[0], *pair)
    return Around(start, end, pair, least)


def check_stroke(
    scene: Scene,
    side: str,
    here: Array,
    stroke: tuple[float, float],
    graspable: Collection[str],
    when: float,
    leaves: str | None = None,
) -> None:
    """Refuses fingers that would touch something while they open or close where the arms rest.

    What they touch before does not count, nor objects that can be taken while they close, nor the
    one that they leave.

    Args:
        scene: The robot among its obstacles then, with its grippers as they are before.
        side: The hand.
        here: Joint positions of both arms [rad], shape (14,).
        stroke: Its opening before and after, 0 to 1.
        graspable: Names of the objects that hands may take.
        when: The time, for the message [s].
        leaves: The object that they leave; None if there is none.

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
    elif leaves is not None:
        free = (*free, (fingers, leaves))
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
    """Lets a hand take or leave an object in the world; its name, and whether it is taken.

    `openings` are what its gripper was told before, and now.
    """
    before, after = openings
    T, held = tip_of(scene, side, here), held_by(world, side)
    if held is not None and (after > before + CLOSES or after == 1.0):
        world.detach(held, T @ world[held].T)
        return held, False
    if held is not None or after > before - CLOSES:
        return None
    for name in graspable:
        if (
            name in world
            and world[name].held is None
            and _closes_on(scene, world, name, side, here, after)
        ):
            world.attach(name, side, inverse(T) @ world[name].T)
            return name, True
    return None


def _closes_on(
    scene: Scene, world: World, name: str, side: str, here: Array, opening: float
) -> bool:
    """Whether fingers of an opening would be in an object."""
    alone = scene.replace(world=World.of([world[name]]), opening=opening)
    return float(_gap(alone, (f"{side}_fingers", name), here)) < 0.0


def _sweep(
    scene: Scene,
    t: Array,
    both: Array,
    between: tuple[float, float],
    moving: list[tuple[float, str, float]],
    width: float,
    around: Sequence[Around],
) -> None:
    """Refuses a part of the path that touches something, but for what touches at its start.

    It is swept as a robot's link sweeps a motion, so that this will not refuse a part later.
    """
    edges = {x for one in around for x in (one.start, one.end) if between[0] < x < between[1]}
    for start, end in pairwise(sorted({*between, *edges})):
        near = tuple(
            one.pair
            for one in around
            if one.start <= start and end <= one.end and one.pair[1] in scene.world
        )
        part = scene.replace(without=(*scene.without, *near)) if near else scene
        _sweep_part(part, t, both, (start, end), moving, width)


def _sweep_part(
    scene: Scene,
    t: Array,
    both: Array,
    between: tuple[float, float],
    moving: list[tuple[float, str, float]],
    width: float,
) -> None:
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


def _openings(scene: Scene) -> dict[str, float]:
    """The widest opening of each hand."""
    return {side: widest for side, (_, widest) in zip(SIDES, spans(scene.opening), strict=True)}


def _pair(openings: Mapping[str, float]) -> tuple[float, float]:
    return openings["left"], openings["right"]
