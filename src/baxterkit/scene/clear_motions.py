"""Whether motions of both arms are clear of contacts: what rehearsals and the safety gate ask.

Pairs that touch at the start, such as a hand that rests on a table, may stay as they are; the
nearest of those that change must open. All other pairs must keep clear, whatever touches elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from baxterkit.collision.motion import BLOCKED, FREE
from baxterkit.collision.nearest import Nearest
from baxterkit.collision.openings import Openings, Span, spans
from baxterkit.collision.pairs import Without
from baxterkit.scene.scene import Scene
from baxterkit.types import Array

MOST_CONTACTS = 20
"""A robot with more contacts at once may not move."""
MOST_PARTS, MOST_PARTS_OF_BOX = 300, 100
"""Parts of a tube, and of a box, that are looked at before the answer stays open."""
LARGEST_BOX = 0.5
"""Motion of the farthest point in a box above which the box is not tried [m]."""
BETWEEN = 4
"""Configurations between two of a path at which a pair that touches is measured."""
NEARER = 1e-9
"""Change of a clearance that does not count [m]."""
HEAD_STEP = 0.02
"""Step at which a turning head is checked [rad]: its screen moves by some 4 mm."""
_LEVERS = np.tile([1.2, 1.2, 0.9, 0.9, 0.45, 0.45, 0.15], 2)
"""About how far the farthest point is from each joint's axis [m]."""


@dataclass(frozen=True, eq=False)
class Tubes:
    """Boxes around straight lines in joint space, of both arms, left then right [rad].

    Attributes:
        start: Starts of the lines, shape (n, 14).
        end: Their ends, shape (n, 14).
        width: Of the boxes on either side, shape (n, 14).
    """

    start: Array
    end: Array
    width: Array


@dataclass(frozen=True, eq=False)
class Measured:
    """The scene as it is measured now, for checks of motions.

    Attributes:
        scene: The robot among its obstacles, with the head and the openings as they are.
        heads: Pan angles of the head [rad]: where it is, then others that it turns through.
        side: What moves, "left" or "right": pairs that this does not bring together are left out.
            "both": all pairs count.
        least: Distance in place of the scene's margin [m]; negative where shapes may be in each
            other so deep. The scene's margin if None.
    """

    scene: Scene
    heads: Sequence[float]
    side: str = "both"
    least: float | None = None

    @property
    def margin(self) -> float:
        """Safety margin [m]: anything closer counts as a collision."""
        return self.scene.margin if self.least is None else self.least

    def opened(self, opening: Openings) -> Measured:
        """The same with other openings of the grippers."""
        return replace(self, scene=self.scene.replace(opening=opening))

    def checks(self, without: Without = ()) -> Scene:
        """The scene of the arm that moves, but for some pairs."""
        own = self.scene
        scene = own.replace(without=(*own.without, *without)) if without else own
        return scene.of_arm(self.side)

    def blocked(
        self, tubes: Tubes, without: Without = (), most: int = MOST_PARTS
    ) -> tuple[int, Array] | None:
        """The first tube that is blocked, and a configuration there with the head, shape (15,).

        A tube that is not decided within `most` parts counts as blocked. None if all are clear.
        """
        verdict, where = self.verdicts(tubes, without, most)
        if (verdict == FREE).all():
            return None
        hit = np.argwhere(verdict == BLOCKED)
        i, n = (hit if len(hit) else np.argwhere(verdict != FREE))[0].tolist()
        return n, np.append(where[i, n], self.heads[i])

    def verdicts(
        self, tubes: Tubes, without: Without = (), most: int = MOST_PARTS
    ) -> tuple[NDArray[np.uint8], Array]:
        """What is known of each tube, and where, with each pan of the head: (heads, n), (..., 14).

        One that is not decided within `most` parts is OPEN.
        """
        n, heads = len(tubes.start), len(self.heads)
        start, end, width = tubes.start, tubes.end, tubes.width
        pans = np.repeat(np.asarray(self.heads, dtype=float), n)
        if heads > 1:
            start, end, width = (np.tile(x, (heads, 1)) for x in (start, end, width))
        verdict, where = self.checks(without).checker.tubes(
            start, end, width, pans, self.margin, most
        )
        return verdict.reshape(heads, n), where.reshape(heads, n, 14)

    def nearest(self, q: Array, head: float, without: Without = ()) -> Nearest:
        """The nearest pair of a configuration (14,) but for some."""
        return self.checks(without).nearest(q[:7], q[7:], head)

    def gaps(self, q: Array, head: float | Array, without: Without = ()) -> Array:
        """Clearances of configurations (..., 14) but for some pairs [m], shape (...)."""
        return self.checks(without).clearance(q[..., :7], q[..., 7:], head)


def box_is_clear(moment: Measured, low: Array, high: Array) -> bool:
    """Whether nothing touches wherever the joints are between these, shape (14,) each [rad].

    False if that is not decided soon.
    """
    return bool(boxes_are_clear(moment, low[None], high[None])[0])


def boxes_are_clear(moment: Measured, low: Array, high: Array) -> NDArray[np.bool_]:
    """The same of many boxes, shape (n, 14) each: shape (n,)."""
    width = 0.5 * (high - low)
    clear: NDArray[np.bool_] = width @ _LEVERS <= LARGEST_BOX
    middle = 0.5 * (low + high)[clear]
    boxes = Tubes(middle, middle, width[clear])
    clear[clear] = (moment.verdicts(boxes, (), MOST_PARTS_OF_BOX)[0] == FREE).all(axis=0)
    return clear


def obstruction(moment: Measured, tubes: Tubes, here: Array, paths: Array) -> Nearest | None:
    """The pair that forbids a motion; None if it is clear.

    Args:
        moment: The scene as it is measured.
        tubes: All that the arms may go through.
        here: Where they are now, left then right [rad], shape (14,).
        paths: Motions that pairs which touch now must open along [rad], shape (n, k, 14).
    """
    found = moment.blocked(tubes)
    if found is None:
        return None
    touching = touching_pairs(moment, here, moment.heads[0])
    if not touching:
        return _pair_at(moment, found[1])
    if len(touching) > MOST_CONTACTS:
        return moment.nearest(here, moment.heads[0], touching[:-1])
    found = moment.blocked(tubes, touching)
    if found is not None:
        return _pair_at(moment, found[1], touching)
    return _approach(moment, paths, touching)


def first_contact(
    moment: Measured, path: Array, width: float, excused: Without | None = None
) -> tuple[int, Nearest] | None:
    """Where a path (n, 14) of both arms is blocked: its part, and the pair; None if it is clear.

    Args:
        moment: The scene as it is measured.
        path: Joint positions, left then right [rad].
        width: How far joints that move may be beside it [rad].
        excused: Pairs that do not count; those that touch at its start if None: the gate lets
            them open, and nothing else.
    """
    start, end = path[:-1], path[1:]
    sides = np.minimum(np.ptp(path, axis=0), width)
    tubes = Tubes(start, end, np.broadcast_to(sides, start.shape))
    found = moment.blocked(tubes)
    if found is None:
        return None
    touching = touching_pairs(moment, path[0], moment.heads[0]) if excused is None else excused
    if touching:
        many = excused is None and len(touching) > MOST_CONTACTS
        found = None if many else moment.blocked(tubes, touching)
    return None if found is None else (found[0], _pair_at(moment, found[1], touching))


def head_obstruction(moment: Measured, here: Array, pan: float) -> Nearest | None:
    """The pair that forbids the head to turn while the arms stay; None if nothing does.

    Args:
        moment: The scene as it is measured.
        here: Where the arms are, left then right [rad], shape (14,).
        pan: Its pan at the end [rad].
    """
    pans = np.linspace(moment.heads[0], pan, 2 + int(abs(pan - moment.heads[0]) / HEAD_STEP))
    gap = moment.gaps(here, pans)
    if (gap >= moment.margin).all():
        return None
    touching = touching_pairs(moment, here, moment.heads[0])
    others = moment.gaps(here, pans, touching)
    if (others < moment.margin).any():
        return moment.nearest(here, float(pans[int(np.argmin(others))]), touching)
    if (np.diff(np.minimum(gap, moment.margin)) < -NEARER).any():
        return moment.nearest(here, float(pans[int(np.argmin(np.minimum(gap, moment.margin)))]))
    return None


def finger_obstruction(
    moment: Measured,
    tubes: Tubes,
    here: Array,
    openings: Sequence[tuple[Span, Span]],
    free: Without,
) -> Nearest | None:
    """The pair that forbids the fingers of a hand to move; None if nothing does.

    Args:
        moment: The scene as it is measured; its openings are all those that occur.
        tubes: Where the arms are and go meanwhile.
        here: Where they are now [rad], shape (14,).
        openings: Of both grippers, one after the other, from now to the end.
        free: Pairs that are not checked.
    """
    if moment.blocked(tubes, free) is None:
        return None
    head = moment.heads[0]
    steps = [moment.opened(opening) for opening in openings]
    touching = touching_pairs(steps[0], here, head, free)
    found = moment.blocked(tubes, (*free, *touching))
    if found is not None:
        return _pair_at(moment, found[1], (*free, *touching))
    for pair in touching:
        others = (*free, *(one for one in touching if one != pair))
        gaps = np.minimum([float(step.gaps(here, head, others)) for step in steps], moment.margin)
        if (np.diff(gaps) < -NEARER).any():
            return steps[int(np.argmin(gaps))].nearest(here, head, others)
    return None


def touching_pairs(moment: Measured, here: Array, head: float, free: Without = ()) -> Without:
    """Pairs that are nearer than the margin; at most one more than `MOST_CONTACTS`."""
    touching: Without = ()
    while len(touching) <= MOST_CONTACTS:
        pair = moment.nearest(here, head, (*free, *touching))
        if pair.pair[0] < 0 or float(pair.clearance) >= moment.margin:
            break
        touching = (*touching, pair.names)
    return touching


def _pair_at(moment: Measured, at: Array, without: Without = ()) -> Nearest:
    return moment.nearest(at[:14], float(at[14]), without)


def _approach(moment: Measured, paths: Array, touching: Without) -> Nearest | None:
    """A pair that touches and comes nearer, of those that change the one that is nearest."""
    head = moment.heads[0]
    fine = _refined(paths)
    # A hand swollen for all openings overlaps what it holds everywhere: compare at both ends.
    for end in {tuple((span[i], span[i]) for span in spans(moment.scene.opening)) for i in (0, 1)}:
        exact = moment.opened((end[0], end[1]))
        changing = []
        for one in touching:
            others = tuple(pair for pair in touching if pair != one)
            gap = exact.gaps(fine, head, others)
            if np.ptp(gap) > NEARER:
                changing.append(np.minimum(gap, moment.margin))
        if changing and (np.diff(np.min(changing, axis=0), axis=0) < -NEARER).any():
            flat = fine.reshape(-1, 14)
            return exact.nearest(flat[int(np.argmin(exact.gaps(flat, head)))], head)
    return None


def _refined(paths: Array) -> Array:
    """The paths (n, k, 14) with configurations between their own."""
    n = len(paths)
    at = np.linspace(0.0, n - 1.0, (n - 1) * (BETWEEN + 1) + 1)
    i = np.minimum(at.astype(int), n - 2)
    part = (at - i)[:, None, None]
    result: Array = (1.0 - part) * paths[i] + part * paths[i + 1]
    return result
