"""Grips of a replay over ROS: the gate's world changes as hands take objects and leave them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.collision.obstacle import Obstacle
from baxterkit.collision.world import World
from baxterkit.lesson.editing import Times
from baxterkit.lesson.rehearsal import Around, Taking, held_by
from baxterkit.lesson.retiming import EDGE
from baxterkit.robot.errors import RefusedError
from baxterkit.robot.grips import LOOK, SENSED, Grips, missed
from baxterkit.ros.near import Near, is_still
from baxterkit.ros.prediction import TIMES
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Transform

if TYPE_CHECKING:
    from baxterkit.ros.link import RobotLink

LEAD = float(TIMES[-1])
"""Pairs may be near by this time before and after they are by the rehearsal [s]: so far ahead the
gate looks, to where an arm would come to rest."""


def changed(known: World, T: Transform, one: Taking) -> World:
    """The known world after a hand whose tip is at `T` has taken an object, or left it."""
    world = World.of(known.state)
    held = held_by(world, one.side)
    if one.taken and one.name in world and held is None:
        world.attach(one.name, one.side, inverse(T) @ world[one.name].T)
    elif not one.taken and held == one.name:
        world.detach(one.name, T @ world[one.name].T)
    return world


class LinkGrips(Grips):
    """What the hands take and leave in a replay over ROS.

    Args:
        link: The link.
        taken: What the rehearsal has them take and leave.
        world: The world that was rehearsed in.
    """

    def __init__(self, link: RobotLink, taken: Sequence[Taking], world: World) -> None:
        super().__init__(link, taken)
        self.link = link
        self._rehearsed = {one.name: one for one in world.state}

    @contextmanager
    def part(
        self, between: tuple[float, float], times: Times, speed: float
    ) -> Iterator[GripsOfPart]:
        part = GripsOfPart(self, between, times, speed)
        try:
            self.come_near([one for one in part.around if one.start <= part.first])
            yield part
            part.finish()
        except BaseException:
            part.settle()
            raise
        finally:
            self.come_near(())

    def come_near(self, around: Sequence[Around]) -> None:
        """Lets these pairs be near, and no others."""
        self.link._gate.near.tell(
            self,
            [
                Near(
                    one.pair,
                    one.least,
                    tuple(self._rehearsed[x] for x in one.pair if x in self._rehearsed),
                )
                for one in around
            ],
        )

    def tell(self, one: Taking, back: Obstacle | None = None, again: bool = True) -> Obstacle:
        """Changes the gate's world, by where the hand is now; the object as it was before.

        Args:
            one: What is taken or left.
            back: The object as it was before, where this was told already and is taken back first.
            again: Whether it is told then.

        Raises:
            RefusedError: If the object is no longer the rehearsed one.
        """
        T = self.link.limb(one.side).tip
        seen: list[Obstacle] = []

        def change(known: World) -> World:
            self._check(one, known)
            if back is not None:
                known = World.of(back if x.name == one.name else x for x in known.state)
            world = changed(known, T, one) if again else known
            seen[:] = known[one.name], world[one.name]
            return world

        self.link._gate.change_world(change)
        self._rehearsed[one.name] = seen[1]
        return seen[0]

    def _tell(self, one: Taking) -> None:
        self.tell(one)

    def _expect(self, one: Taking) -> None:
        self._check(one, self.link._gate.scene.world)

    def _check(self, one: Taking, known: World) -> None:
        """Refuses an object that is no longer where it was rehearsed."""
        if not is_still(self._rehearsed[one.name], known):
            raise RefusedError(
                "payload",
                f"link.scene no longer has {one.name!r} where it was when the lesson was checked; "
                f"the replay has ended at {one.t:.2f} s of the lesson",
            )


@dataclass(frozen=True, eq=False)
class _Watched:
    """A grip in motion that is not sensed yet: the object as it was, and how long to wait."""

    one: Taking
    before: Obstacle
    until: float


class GripsOfPart:
    """Grips in a part of a lesson, while it is followed; times are those of the part.

    Args:
        grips: Those of the lesson.
        between: When the part begins and ends in the lesson [s].
        times: Times in the part at full speed, of times in the lesson.
        speed: Share of its speed.

    Attributes:
        around: Pairs that may be near in it.
        first: Time of the first grip in motion [s]; infinite if there is none.
    """

    def __init__(
        self, grips: LinkGrips, between: tuple[float, float], times: Times, speed: float
    ) -> None:
        a, b = between

        def here(t: float) -> float:
            return float(times(np.array([min(max(t, a), b)]))[0]) / speed

        self._grips = grips
        self._due = [(here(one.t), one) for one in grips.taken if a + EDGE < one.t < b - EDGE]
        self._watched: list[_Watched] = []
        self.around = tuple(
            replace(one, start=here(one.start) - LEAD, end=here(one.end) + LEAD)
            for taking in grips.taken
            for one in taking.around
            if one.start - LEAD <= b and one.end + LEAD >= a
        )
        self.first = min((t for t, _ in self._due), default=np.inf)

    def step(self, t: float, told: Mapping[str, float]) -> None:
        """The motion has come to this time [s], and the grippers were told all until.

        Raises:
            RefusedError: If a hand has closed on nothing, has not let go, or its object is no
                longer where it was rehearsed.
        """
        now = [due for due in self._due if due[0] <= told[due[1].side] + EDGE]
        self._due = [due for due in self._due if due not in now]
        for _, one in now:
            until = self._grips.link.clock.now() + SENSED
            self._watched.append(_Watched(one, self._grips.tell(one), until))
        self._sense()
        self._grips.come_near([one for one in self.around if one.start <= t <= one.end])

    def finish(self) -> None:
        """Waits until all grips are sensed."""
        while self._watched:
            self._grips.link.wait(LOOK)
            self._sense()

    def settle(self) -> None:
        """After an error: waits as `finish` does; what was not taken or left is as before."""
        while self._watched:
            with suppress(RefusedError):
                self._sense()
            if self._watched:
                self._grips.link.clock.sleep(LOOK)

    def _sense(self) -> None:
        now = self._grips.link.clock.now()
        for watched in tuple(self._watched):
            one = watched.one
            gripping = self._grips.link.limb(one.side).gripping
            failed = gripping is (not one.taken)
            if failed and now < watched.until:
                continue
            self._watched.remove(watched)
            if failed:
                self._grips.tell(one, watched.before, again=False)
                raise missed(one)
            if gripping and one.taken:  # it stood still until the fingers had it
                self._grips.tell(one, watched.before)
